package dev.plumbline.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class VerifyCommandTest {
  /** A claim about a model that was declared wrongly does not ask for two hours of runs again. */
  @ParameterizedTest
  @CsvSource({
    "simulate, checks.yaml, false",
    "jepsen, mutants.yaml, false",
    "bugs, README.md, false",
    "replay, README.md, false",
    "replay, checks.yaml, true",
    "coverage, coverage.yaml, true",
    "simulate, coverage.yaml, true",
    "simulate, Mvto.tla, true",
    "simulate, DastSystem.class, true"
  })
  void whatAStagesResultDependsOn(String stage, String file, boolean decides) {
    assertThat(VerifyCommand.decides(stage, Path.of("specs/k2").resolve(file))).isEqualTo(decides);
  }
}
