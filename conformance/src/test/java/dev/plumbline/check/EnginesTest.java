package dev.plumbline.check;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumbline.check.Checks.Expect;
import dev.plumbline.check.Engines.Said;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Two engines that say another thing of a check are told apart. */
class EnginesTest {
  private static final String STATISTICS =
      "\n99 states generated, 20 distinct states found, 0 states left on queue.\n";

  @TempDir Path folder;
  private Engines engines;

  @BeforeEach
  void name() throws IOException {
    engines = Engines.named(Files.createFile(folder.resolve("other.jar")).toString());
  }

  @ParameterizedTest
  @CsvSource({
    "holds, 20, holds, 20, 0",
    "holds, 20, holds, 19, 1",
    "holds, 20, FAILED, 20, 1",
    "violated, 20, violated, 7, 0",
    "reached, 20, no verdict, 20, 1",
    "holds, 20, environment: it was ended by signal 9, -1, 3",
    "environment, -1, holds, 20, 3"
  })
  void verdictAndStatesAreCompared(String a, long n, String b, long m, int exit) {
    engines.compare("toy/repaired", new Said(a, n), new Said(b, m));
    assertThat(engines.exit()).isEqualTo(exit);
    assertThat(engines.table())
        .contains(exit == 0 ? "1 of 1 checks agree" : exit == 1 ? " DIFFERS\n" : " NOT COMPARED\n");
  }

  @Test
  void whatDiffersSpeaksBeforeWhatWasNotCompared() {
    engines.compare("toy/big", new Said("holds", 20), new Said("environment: no memory", -1));
    engines.compare("toy/small", new Said("holds", 20), new Said("violated", 3));
    assertThat(engines.exit()).isEqualTo(1);
  }

  @ParameterizedTest
  @CsvSource({
    "137, Progress(7) at 2026: 99 states generated",
    "143, ''",
    "1, Error: Java ran out of memory.",
    "1, java.io.IOException: No space left on device"
  })
  void anEngineThatThisMachineEndedHasNoVerdict(int code, String out) {
    assertThat(Engines.read(code, out, Expect.HOLDS, "").lacking()).isTrue();
  }

  @Test
  void nothingComparedIsNoAgreement() {
    assertThat(engines.exit()).isEqualTo(1);
    assertThat(Engines.named("no such jar")).isNull();
    assertThat(Engines.named(null)).isNull();
  }

  @ParameterizedTest
  @CsvSource({
    "HOLDS, '', Model checking completed. No error has been found., holds",
    "REACHES, SeenReach, Error: Invariant PlumbUnreached is violated., reached",
    "REACHES, SeenReach, Model checking completed. No error has been found., FAILED",
    "VIOLATES, SafeInv, Error: Invariant SafeInv is violated., violated",
    "VIOLATES, SafeInv, Error: Invariant OtherInv is violated., FAILED",
    "VIOLATES, GoStep, Error: Action property GoStep is violated., violated",
    "VIOLATES, EndLive, Error: Temporal properties were violated., violated",
    "HOLDS, '', Error: Invariant SafeInv is violated., FAILED",
    "HOLDS, '', Error: TLC threw an unexpected exception., no verdict: Error: TLC threw an unexpected exception."
  })
  void whatTheCommandLineSaysIsRead(Expect expect, String target, String out, String verdict) {
    Said said = Engines.read(1, out + STATISTICS, expect, target);
    assertThat(said).isEqualTo(new Said(verdict, 20));
  }
}
