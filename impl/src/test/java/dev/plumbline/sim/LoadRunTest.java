package dev.plumbline.sim;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumbline.dast.system.DastSystem;
import dev.plumbline.dast.system.Payments;
import dev.plumbline.protocol.Settings;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

class LoadRunTest {
  private static final DastSystem DAST = new DastSystem();
  private static final Settings SETTINGS =
      new Settings(
          DAST.clockBounds(), new TreeSet<>(), new TreeMap<>(Map.of("tellMicros", 5_000L)));

  private static List<LoadRun.Sample> run(int crossPerMille) {
    return LoadRun.of(
        DAST, SETTINGS, 1, List.of(), 2, 2_000_000, new Payments(SETTINGS, crossPerMille));
  }

  @Test
  void aTransactionAcrossRegionsTakesTwoRoundTripsAndOneInsideNone() {
    assertThat(run(0))
        .hasSizeGreaterThan(200)
        .allMatch(s -> s.kind().equals(Payments.IRT) && s.latencyMicros() < 50_000);
    assertThat(run(1000))
        .isNotEmpty()
        .allMatch(s -> !s.kind().equals(Payments.IRT) && s.latencyMicros() > 150_000);
  }

  @Test
  void aSeedGivesTheSameSamples() {
    assertThat(run(300)).isEqualTo(run(300));
  }
}
