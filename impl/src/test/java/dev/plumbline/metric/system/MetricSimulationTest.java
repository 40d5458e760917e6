package dev.plumbline.metric.system;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.plumbline.history.ObservedMicroOp;
import dev.plumbline.history.ObservedTransaction;
import dev.plumbline.protocol.FaultKind;
import dev.plumbline.protocol.MicroOp;
import dev.plumbline.protocol.NodeSpec;
import dev.plumbline.protocol.Settings;
import dev.plumbline.sim.Campaign;
import dev.plumbline.sim.Judge;
import dev.plumbline.sim.Judges;
import dev.plumbline.sim.RunConfig;
import dev.plumbline.sim.RunResult;
import dev.plumbline.sim.SimulationRun;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
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
  @CsvSource({
    "list-append, queries, 1, 80",
    "list-append, queries, 2, 20",
    "list-append, operations, 2, 20",
    "rw-register, queries, 1, 80",
    "bank, queries, 1, 80"
  })
  void everythingHoldsUnderAllFaults(String workload, String name, long value, int least) {
    for (long seed = 1; seed <= 3; seed++) {
      Map<String, Long> parameters = Map.of(name, value);
      holds(config(seed, workload, parameters, EnumSet.allOf(FaultKind.class)), least);
    }
  }

  @Test
  void aQueryHasSeveralOperations() {
    List<MicroOp> ops = List.of(MicroOp.write(1, 1L), MicroOp.write(2, 2L), MicroOp.write(3, 3L));

    assertThat(MetricSystem.queries(ops, 2)).containsExactly(ops.subList(0, 2), ops.subList(2, 3));
    assertThat(MetricSystem.queries(ops, MetricSystem.ALL)).containsExactly(ops);
    assertThat(severalQueries(Map.of())).isFalse();
    assertThat(severalQueries(Map.of("queries", 2L))).isTrue();
    assertThat(severalQueries(Map.of("operations", 2L))).isTrue();
  }

  private static boolean severalQueries(Map<String, Long> parameters) {
    MetricSystem metric = new MetricSystem();
    return metric.severalQueries(
        new Settings(metric.clockBounds(), new TreeSet<>(), new TreeMap<>(parameters)));
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

  /**
   * Their histories claim no order. Of each key, all lists that were read are beginnings of one,
   * which has what was acknowledged before a read began, and nothing that failed.
   */
  @ParameterizedTest
  @CsvSource({"1, 1", "1, 2", "3, 1", "3, 2"})
  void sitesThatLeadReadTheListsThatTheyHaveMade(long queries, long seed) {
    Map<String, Long> parameters = Map.of("led", 1L, "queries", queries, "tables", 2L);
    RunConfig config = config(seed, "list-append", parameters, EnumSet.allOf(FaultKind.class));
    List<ObservedTransaction> all = ObservedTransaction.of(SimulationRun.of(config).history());
    assertThat(all.stream().filter(ObservedTransaction::ok)).hasSizeGreaterThan(20);
    Map<Object, List<Long>> longest = new HashMap<>();
    for (ObservedTransaction one : all) {
      reads(one)
          .forEach((k, list) -> longest.merge(k, list, (a, b) -> a.size() < b.size() ? b : a));
    }
    for (ObservedTransaction one : all) {
      reads(one)
          .forEach((k, list) -> assertThat(longest.get(k).subList(0, list.size())).isEqualTo(list));
      for (ObservedMicroOp op : one.value()) {
        if (op instanceof ObservedMicroOp.Append append && one.failed()) {
          assertThat(longest.getOrDefault(append.key(), List.of())).doesNotContain(append.value());
        } else if (op instanceof ObservedMicroOp.Append append && one.ok()) {
          all.stream()
              .filter(one::before)
              .map(later -> reads(later).get(append.key()))
              .filter(Objects::nonNull)
              .forEach(list -> assertThat(list).contains(append.value()));
        }
      }
    }
  }

  /** What a transaction that ended well has read first of each key, without its own appends. */
  private static Map<Object, List<Long>> reads(ObservedTransaction one) {
    Map<Object, List<Long>> reads = new HashMap<>();
    Set<Object> appended = new HashSet<>();
    if (one.ok()) {
      for (ObservedMicroOp op : one.value()) {
        if (op instanceof ObservedMicroOp.Append) {
          appended.add(op.key());
        } else if (op instanceof ObservedMicroOp.Read read && !appended.contains(op.key())) {
          reads.putIfAbsent(read.key(), read.list());
        }
      }
    }
    return reads;
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
