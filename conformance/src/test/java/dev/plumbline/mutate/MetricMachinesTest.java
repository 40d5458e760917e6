package dev.plumbline.mutate;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumbline.history.Op;
import dev.plumbline.metric.MetricConfig;
import dev.plumbline.mutate.MachineRuns.Setting;
import dev.plumbline.protocol.Fault;
import dev.plumbline.protocol.FaultKind;
import dev.plumbline.protocol.NodeSpec;
import dev.plumbline.protocol.Protocols;
import dev.plumbline.sim.Judge;
import dev.plumbline.sim.Judges;
import dev.plumbline.sim.RunResult;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * What must kill the mutants of Metric's machines: the specification, in both directions, and
 * histories. Every run has to end, to keep the simulator's invariants, to be strictly serializable,
 * and to leave logs that are behaviours of every module.
 */
@Tag("conformance")
class MetricMachinesTest {
  private static final MachineRuns METRIC = new MachineRuns("metric");
  private static final long BEGIN = 1_200_000;

  static Stream<String> replayed() {
    return METRIC.replayed();
  }

  @ParameterizedTest
  @MethodSource("replayed")
  void behavioursOfTheSpecificationReplayOnTheMachines(String module) {
    METRIC.replay(module);
  }

  /** Those of several queries may wait for each other in a circle (METRIC-F6). */
  @ParameterizedTest
  @CsvSource({"1, list-append, 1", "2, bank, 1", "3, rw-register, 2", "4, list-append, 2"})
  void withoutFaults(long seed, String workload, long queries) {
    Setting s = setting(seed, 60, workload);
    s.parameters.put("queries", queries);
    RunResult run = sound(s);
    if (queries == 1) {
      assertThat(run.history().ops()).noneMatch(op -> op.type() == Op.Type.INFO);
    }
  }

  /** Faults of one kind, or of all. */
  @ParameterizedTest
  @CsvSource({
    "1, all, list-append, 1",
    "2, all, bank, 1",
    "3, all, rw-register, 2",
    "4, all, list-append, 2",
    "1, crash, bank, 1",
    "2, crash, list-append, 2",
    "1, failover, list-append, 1",
    "1, loss, bank, 1",
    "1, pause, list-append, 1",
    "1, partition, list-append, 1",
    "1, delay, bank, 1",
    "1, clock, bank, 1",
    "1, reorder, list-append, 1",
    "1, duplicate, list-append, 1"
  })
  void plannedFaults(long seed, String kinds, String workload, long queries) {
    Setting s = setting(seed, 60, workload);
    s.parameters.put("queries", queries);
    s.kinds = FaultKind.parse(kinds, Protocols.named("metric").tolerated());
    sound(s);
  }

  /** Sites lead the transactions. */
  @ParameterizedTest
  @CsvSource({
    "1, none, list-append, 1",
    "2, none, bank, 1",
    "3, none, rw-register, 3",
    "4, all, list-append, 1",
    "5, all, list-append, 3",
    "6, crash, bank, 1",
    "7, pause, list-append, 3",
    "9, none, bank, 1"
  })
  void sitesLead(long seed, String kinds, String workload, long queries) {
    Setting s = setting(seed, 60, workload);
    s.parameters.put("led", 1L);
    s.parameters.put("queries", queries);
    if (!kinds.equals("none")) {
      s.kinds = FaultKind.parse(kinds, Protocols.named("metric").tolerated());
    }
    sound(s);
  }

  /** What is lost between processes is sent again. */
  @ParameterizedTest
  @CsvSource({"5, list-append, 300", "6, bank, 600"})
  void whatIsLostIsSentAgain(long seed, String workload, int permille) {
    Setting s = setting(seed, 60, workload);
    for (NodeSpec from : processes()) {
      processes()
          .forEach(
              to -> s.faults.add(new Fault.Loss(BEGIN, 2_600_000, from.id(), to.id(), permille)));
    }
    sound(s);
  }

  /** What is written reaches replicas late, twice, and after what was written later. */
  @ParameterizedTest
  @CsvSource({"14, list-append, 1, 300000", "15, bank, 1, 900000", "16, rw-register, 2, 600000"})
  void writesArriveLate(long seed, String workload, long queries, long spread) {
    Setting s = setting(seed, 80, workload);
    s.parameters.put("queries", queries);
    for (NodeSpec from : METRIC.nodes("metric-process")) {
      for (NodeSpec to : METRIC.nodes("store-replica")) {
        s.faults.add(new Fault.Reorder(BEGIN, 4_200_000, from.id(), to.id(), spread));
        s.faults.add(new Fault.Duplicate(BEGIN, 4_200_000, from.id(), to.id(), 500));
      }
    }
    s.healed = 4_400_000;
    sound(s);
  }

  /** Everybody starts again, one after the other. */
  @ParameterizedTest
  @CsvSource({"7, list-append", "8, bank"})
  void everyoneStartsAgain(long seed, String workload) {
    Setting s = setting(seed, 80, workload);
    long at = BEGIN;
    for (NodeSpec n : processes()) {
      s.faults.add(new Fault.Crash(at, at + 300_000, n.id()));
      at += 200_000;
    }
    s.healed = at + 400_000;
    sound(s);
  }

  /** Holders that sleep beyond their lease and go on. */
  @ParameterizedTest
  @CsvSource({"9, list-append", "10, bank"})
  void preemptedHoldersGoOn(long seed, String workload) {
    Setting s = setting(seed, 80, workload);
    long at = BEGIN;
    for (NodeSpec n : METRIC.nodes("metric-process")) {
      s.faults.add(new Fault.Pause(at, at + 400_000, n.id()));
      s.faults.add(new Fault.Pause(at + 1_200_000, at + 1_500_000, n.id()));
      at += 250_000;
    }
    s.healed = at + 1_600_000;
    sound(s);
  }

  /** Tables are given back after every transaction, or kept for many. */
  @ParameterizedTest
  @CsvSource({"11, 1", "12, 100"})
  void tablesAreKeptForSoMany(long seed, long alpha) {
    Setting s = setting(seed, 60, "list-append");
    s.parameters.put("alpha", alpha);
    sound(s);
  }

  /** Who waits too long for a lock gives up. */
  @Test
  void impatience() {
    Setting s = setting(13, 60, "list-append");
    s.parameters.put("patienceMicros", 60_000L);
    sound(s);
  }

  static List<String> published() {
    return MetricConfig.BEHAVIOURS;
  }

  /**
   * What the store alone does differently; the redo log assumes its guarantees. Without fence the
   * machines have no look at the lock either, which the specification then has; without refStamp
   * stamps are of another kind, which the trace model does not read.
   */
  private static final Map<String, Set<String>> JUDGES =
      Map.of(
          MetricConfig.SYNC, Set.of("EntryConsistency"),
          MetricConfig.REF_STAMP, Set.of(),
          MetricConfig.FENCE, Set.of());

  /** As published, claims may break; the machines still do what the specification then does. */
  @ParameterizedTest
  @MethodSource("published")
  void publishedBehaviour(String behaviour) {
    Setting s = setting(1, 60, "list-append");
    s.kinds = FaultKind.parse("all", Protocols.named("metric").tolerated());
    s.asPublished.add(behaviour);
    assertThat(MachineRuns.violations(s)).noneMatch(v -> v.startsWith("the run did not end"));
    METRIC.validate(s, module -> JUDGES.getOrDefault(behaviour, Set.of(module)).contains(module));
  }

  private static List<NodeSpec> processes() {
    return Stream.of("lock-service", "store-replica", "metric-process")
        .flatMap(kind -> METRIC.nodes(kind).stream())
        .filter(n -> n.id().equals(n.role()))
        .toList();
  }

  private static Setting setting(long seed, int transactions, String workload) {
    Setting s = METRIC.setting(seed, transactions);
    s.workload = workload;
    return s;
  }

  /**
   * A history of which nobody can tell does not pass, either, but where a register may have been
   * written by a transaction of unknown outcome, or sites lead and claim no order.
   */
  private static RunResult sound(Setting s) {
    RunResult run = METRIC.sound(s);
    if (!s.parameters.containsKey("led") && !s.workload.equals("rw-register")) {
      assertThat(Judges.all(Protocols.named("metric")))
          .filteredOn(judge -> judge.name().equals("strict serializability"))
          .extracting(judge -> judge.judge(run).verdict())
          .containsExactly(Judge.Verdict.HOLDS);
    }
    return run;
  }
}
