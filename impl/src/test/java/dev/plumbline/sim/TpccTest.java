package dev.plumbline.sim;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumbline.sim.dast.DastSystem;
import dev.plumbline.sim.dast.TpccLoad;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

class TpccTest {
  private static final DastSystem DAST = new DastSystem();
  private static final Settings SETTINGS =
      new Settings(
          DAST.clockBounds(), new TreeSet<>(), new TreeMap<>(Map.of("tellMicros", 5_000L)));

  @Test
  void allTransactionsOfTheMixAreAnsweredAndOnlyThoseAcrossRegionsTakeRoundTrips() {
    List<LoadRun.Sample> samples =
        LoadRun.of(DAST, SETTINGS, 1, List.of(), 4, 6_000_000, new TpccLoad(SETTINGS));
    assertThat(samples.stream().map(LoadRun.Sample::kind).collect(Collectors.toSet()))
        .containsExactlyInAnyOrderElementsOf(TpccLoad.KINDS);
    assertThat(samples)
        .allMatch(s -> s.latencyMicros() > 150_000 == s.kind().endsWith("CRT"), "by kind");
  }
}
