package dev.plumbline.check;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;

/** A band that any number of states would meet says nothing. */
class BandsTest {
  private static final double SLACK = 1.1;

  @Test
  void everyBandOfTheRepositoryIsNarrow() {
    List<Checks.Check> banded =
        new Workspace(Path.of(".."))
            .protocols().stream()
                .flatMap(p -> p.checks().stream())
                .filter(c -> c.high() > 0)
                .toList();
    assertThat(banded).hasSizeGreaterThan(100);
    assertThat(banded).filteredOn(c -> c.high() > SLACK * c.low() + 10).isEmpty();
  }
}
