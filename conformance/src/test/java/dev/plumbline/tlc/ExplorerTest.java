package dev.plumbline.tlc;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumbline.tlc.Explorer.Exploration;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;

class ExplorerTest {
  private static final Path SPECS = Path.of("src/test/resources/specs");
  private static final String MODULE = SPECS.resolve("toy/MCTwoPhase.tla").toString();
  private static final String CONFIG = SPECS.resolve("toy/MCTwoPhase.cfg").toString();

  private static Exploration compared(String key, long steps) {
    return Explorer.run(
        new Explorer.Job(
            "toy",
            MODULE,
            CONFIG,
            List.of(SPECS.resolve("common").toString()),
            steps,
            60_000,
            true,
            new Explorer.Original(key, MODULE, CONFIG)));
  }

  @Test
  void anOriginalThatWasNotExploredToTheEndAgreesWithNothing() {
    Exploration cut = compared("cut", 1);
    assertThat(cut.end()).isEqualTo("steps");
    assertThat(cut.relation()).isEqualTo("differs");
    assertThat(compared("whole", Long.MAX_VALUE).relation()).isEqualTo("same");
  }
}
