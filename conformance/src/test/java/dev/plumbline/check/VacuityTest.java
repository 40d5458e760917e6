package dev.plumbline.check;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Checks of the repository that would pass whatever their model does. */
class VacuityTest {
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

  @Test
  void nothingInTheRepositoryIsSampledByBehavioursThatMayGetNowhere() {
    Workspace workspace = new Workspace(Path.of(".."));
    List<Plan> sampled =
        workspace.protocols().stream()
            .flatMap(p -> p.checks().stream().map(c -> new Plan(workspace, p, c, "")))
            .filter(p -> p.check.simulate() != null)
            .toList();
    assertThat(sampled).hasSizeGreaterThan(20);
    assertThat(sampled).allSatisfy(p -> assertThat(p.doubts()).isEmpty());
  }
}
