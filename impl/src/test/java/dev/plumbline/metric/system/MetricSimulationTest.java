package dev.plumbline.metric.system;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.plumbline.protocol.FaultKind;
import dev.plumbline.protocol.NodeSpec;
import dev.plumbline.protocol.Settings;
import dev.plumbline.sim.Campaign;
import dev.plumbline.sim.Judge;
import dev.plumbline.sim.Judges;
import dev.plumbline.sim.RunConfig;
import dev.plumbline.sim.RunResult;
import dev.plumbline.sim.SimulationRun;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Metric under faults, judged by what clients saw. */
class MetricSimulationTest {
  private static final Campaign CAMPAIGN = new Campaign(Judges.all(), 1);

  private static RunConfig config(
      long seed, String workload, Map<String, Long> parameters, Set<FaultKind> faults) {
    return new RunConfig(
        new MetricSystem(),
        seed,
        120,
        workload,
        faults,
        Set.of(),
        new TreeSet<>(),
        new TreeMap<>(parameters),
        Optional.empty(),
        Optional.empty(),
        false);
  }

  private static void holds(RunConfig config, int least) {
    RunResult result = SimulationRun.of(config);
    assertThat(result.stats().committed()).as("seed %s", config.seed()).isGreaterThan(least);
    Set<Judge.Verdict> verdicts =
        CAMPAIGN.report(result).judgements().stream()
            .map(Judge.Ruling::verdict)
            .collect(Collectors.toSet());
    assertThat(verdicts)
        .as("seed %s", config.seed())
        .contains(Judge.Verdict.HOLDS)
        .doesNotContain(Judge.Verdict.FAILS);
  }

  /** Transactions of several queries may wait for each other until they lose patience (3.3). */
  @ParameterizedTest
  @CsvSource({"list-append, 1, 80", "list-append, 2, 20", "rw-register, 1, 80", "bank, 1, 80"})
  void everythingHoldsUnderAllFaults(String workload, long queries, int least) {
    for (long seed = 1; seed <= 3; seed++) {
      Map<String, Long> parameters = Map.of("queries", queries);
      holds(config(seed, workload, parameters, EnumSet.allOf(FaultKind.class)), least);
    }
  }

  /** Without failures a transaction on tables that are owned is one round trip to the nearest. */
  @Test
  void aSingleSiteKeepsItsTables() {
    RunResult result =
        SimulationRun.of(config(1, "bank", Map.of("tables", 1L, "alpha", 1_000L), Set.of()));

    assertThat(result.violations()).isEmpty();
    assertThat(result.stats().committed()).isGreaterThan(100);
  }

  /** Their patience is longer than the run: without a word of the lock service all would stop. */
  @Test
  void transactionsThatWaitForEachOtherNeedNoPatience() {
    Map<String, Long> parameters =
        Map.of("led", 1L, "queries", 2L, "patienceMicros", 100_000_000_000L);
    holds(config(1, "list-append", parameters, Set.of()), 60);
  }

  @Test
  void aSiteGoesOnThatReachesTheLockServiceAndAQuorum() {
    MetricSystem metric = new MetricSystem();
    Settings settings = new Settings(metric.clockBounds(), new TreeSet<>(), new TreeMap<>());
    assertThat(metric.goesOn("S2", Set.of("S1", "S2"), settings)).isTrue();
    assertThat(metric.goesOn("S1", Set.of("S1"), settings)).as("one of three replicas").isFalse();
    assertThat(metric.goesOn("S2", Set.of("S2", "S3"), settings)).as("no lock service").isFalse();
  }

  @Test
  void withCassandraProcessesAreAllAndTheSimulatorRefuses() {
    MetricSystem metric = new MetricSystem();
    assertThat(nodes(metric, new TreeMap<>(Map.of("cassandra", 1L))))
        .extracting(NodeSpec::id)
        .containsExactly("m-S1", "m-S2", "m-S3");
    assertThatThrownBy(() -> config(1, "bank", Map.of("cassandra", 1L), Set.of()))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("which the simulator does not have");
  }

  @Test
  void processesNeedNoGoodClock() {
    MetricSystem metric = new MetricSystem();
    TreeMap<String, Long> parameters = new TreeMap<>(metric.processParameters());
    assertThat(nodes(metric, parameters)).noneMatch(NodeSpec::trueTime);
    parameters.putAll(metric.clusterParameters());
    assertThat(nodes(metric, parameters)).anyMatch(NodeSpec::trueTime);
  }

  private static List<NodeSpec> nodes(MetricSystem metric, TreeMap<String, Long> parameters) {
    return metric.topology(new Settings(metric.clockBounds(), new TreeSet<>(), parameters)).nodes();
  }
}
