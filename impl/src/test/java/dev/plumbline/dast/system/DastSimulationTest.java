package dev.plumbline.dast.system;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.plumbline.dast.DastConfig;
import dev.plumbline.history.ClaimedTimestamp;
import dev.plumbline.history.History;
import dev.plumbline.history.Judgement;
import dev.plumbline.history.ObservedMicroOp;
import dev.plumbline.history.Op;
import dev.plumbline.protocol.Fault;
import dev.plumbline.protocol.FaultKind;
import dev.plumbline.protocol.FaultPlan;
import dev.plumbline.protocol.NodeSpec;
import dev.plumbline.protocol.Settings;
import dev.plumbline.sim.Campaign;
import dev.plumbline.sim.Judge;
import dev.plumbline.sim.Judges;
import dev.plumbline.sim.RunConfig;
import dev.plumbline.sim.RunResult;
import dev.plumbline.sim.SimulationRun;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** DAST under every fault that it tolerates without replacing nodes. */
class DastSimulationTest {
  private static final DastSystem DAST = new DastSystem();
  private static final Campaign CAMPAIGN = new Campaign(Judges.all(DAST), 1);

  private static RunConfig config(
      long seed, String workload, Set<FaultKind> faults, List<String> asPublished) {
    return new RunConfig(
        DAST,
        seed,
        120,
        workload,
        faults,
        Set.of(),
        new TreeSet<>(asPublished),
        new TreeMap<>(),
        Optional.empty(),
        Optional.empty(),
        true);
  }

  @ParameterizedTest
  @ValueSource(strings = {"list-append", "rw-register", "bank"})
  void everythingHoldsUnderAllFaults(String workload) {
    for (long seed = 1; seed <= 4; seed++) {
      RunResult result = SimulationRun.of(config(seed, workload, DAST.tolerated(), List.of()));
      List<Judge.Ruling> judgements = CAMPAIGN.report(result).judgements();
      assertThat(result.stats().committed()).as("seed %s", seed).isGreaterThan(80);
      assertThat(judgements)
          .as("seed %s", seed)
          .noneMatch(judgement -> judgement.verdict() == Judge.Verdict.FAILS)
          .filteredOn(judgement -> judgement.judge().equals("real time in a region"))
          .hasSize(1);
      assertThat(result.stats().actions().keySet())
          .contains(
              "TwoPhaseAnticipation.CommitIrt",
              "TwoPhaseAnticipation.CommitCrt",
              "TwoPhaseAnticipation.Execute");
    }
  }

  @Test
  void transfersInOppositeDirectionsBlockEachOtherIfAStretchedClockStaysLow() {
    RunConfig config = config(1, "bank", Set.of(), List.of(DastConfig.STRETCHED_LOW));
    assertThat(CAMPAIGN.report(config).judgements())
        .anyMatch(
            judgement ->
                judgement.verdict() == Judge.Verdict.FAILS
                    && (judgement.detail().contains("no answer in time")
                        || judgement.detail().contains("the run did not end")));
  }

  @Test
  void aShardThatThereIsNotIsNoDefectOfTheNode() {
    assertThatThrownBy(() -> new DastDeployment(2, 1).shardRegion("r9s9"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("there is no shard r9s9");
  }

  @Test
  void aTakeoverIsRefusedSinceManagersHaveNoStandby() {
    assertThatThrownBy(() -> FaultKind.parse("loss,failover", DAST.tolerated()))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("does not tolerate the fault failover");
    assertThat(FaultKind.parse("all", DAST.tolerated()))
        .contains(FaultKind.CRASH)
        .doesNotContain(FaultKind.FAILOVER);
  }

  private static FaultPlan crashes(String... nodes) {
    List<Fault> faults = new ArrayList<>();
    for (int i = 0; i < nodes.length; i++) {
      long at = 1_100_000 + 500_000L * i;
      faults.add(new Fault.Crash(at, at + 300_000, nodes[i]));
    }
    return new FaultPlan(faults, 4_000_000);
  }

  private static Set<String> failing(RunConfig config) {
    return CAMPAIGN.report(SimulationRun.of(config)).judgements().stream()
        .filter(judgement -> judgement.verdict() == Judge.Verdict.FAILS)
        .map(Judge.Ruling::judge)
        .collect(Collectors.toSet());
  }

  @Test
  void nodesAndManagersThatCrashAreReplaced() {
    RunConfig config =
        config(3, "bank", Set.of(), List.of()).with(crashes("r1s1n1", "m-r1", "r2s2n3"), 120);
    RunResult result = SimulationRun.of(config);
    assertThat(CAMPAIGN.report(result).judgements())
        .noneMatch(judgement -> judgement.verdict() == Judge.Verdict.FAILS);
    String manager = new String(result.traces().get("m-r1"), StandardCharsets.UTF_8);
    assertThat(manager).contains("Failover.RemoveNode", "Failover.AddReplica", "Failover.Elect");
    assertThat(result.stats().unknown()).isZero();
  }

  private static RunConfig withParts(long seed, long bytes) {
    return new RunConfig(
        DAST,
        seed,
        120,
        "list-append",
        DAST.tolerated(),
        Set.of(),
        new TreeSet<>(),
        new TreeMap<>(Map.of("partBytes", bytes)),
        Optional.empty(),
        Optional.empty(),
        true);
  }

  private static Map<String, String> logs(RunConfig config) {
    Map<String, String> logs = new TreeMap<>();
    SimulationRun.of(config)
        .traces()
        .forEach((node, log) -> logs.put(node, new String(log, StandardCharsets.UTF_8)));
    return logs;
  }

  /** As above, with loss, repeats and delays. A run without parts would be the one beside it. */
  @Test
  void newReplicasGetLongCheckpointsInParts() {
    int added = 0;
    for (long seed = 1; seed <= 6; seed++) {
      RunConfig config = withParts(seed, 2_000);
      assertThat(failing(config)).as("seed %s", seed).isEmpty();
      Map<String, String> logs = logs(config);
      if (logs.values().stream().anyMatch(log -> log.contains("Failover.AddReplica"))) {
        added++;
        assertThat(logs).as("seed %s", seed).isNotEqualTo(logs(withParts(seed, 1 << 20)));
      }
    }
    assertThat(added).isPositive();
  }

  @Test
  void withoutReplacementACrashIsSeen() {
    RunConfig config =
        new RunConfig(
            DAST,
            3,
            60,
            "bank",
            Set.of(),
            Set.of(),
            new TreeSet<>(),
            new TreeMap<>(Map.of("suspectMicros", 0L)),
            Optional.empty(),
            Optional.of(crashes("r1s1n1")),
            true);
    assertThat(failing(config)).contains("invariants");
  }

  /** It kept its state and knows nothing of its removal, and clients go on asking it. */
  @Test
  void aNodeThatWasSilentAndRemovedComesBack() {
    Fault silence = new Fault.Pause(1_100_000, 4_000_000, "r1s1n1");
    RunConfig config =
        new RunConfig(
            DAST,
            3,
            200,
            "list-append",
            Set.of(),
            Set.of(),
            new TreeSet<>(),
            new TreeMap<>(Map.of("suspectMicros", 1_000_000L)),
            Optional.empty(),
            Optional.of(new FaultPlan(List.of(silence), 8_000_000)),
            true);
    String manager =
        new String(SimulationRun.of(config).traces().get("m-r1"), StandardCharsets.UTF_8);
    assertThat(manager).contains("Failover.RemoveNode").contains("Failover.AddReplica");
    assertThat(failing(config)).isEmpty();
  }

  @Test
  void twoReplicasOfAShardThatLoseTheirStateAtOnceAreTooMany() {
    RunConfig config = config(3, "bank", Set.of(), List.of());
    List<Fault> both =
        List.of(
            new Fault.Crash(1_100_000, 1_500_000, "r1s1n1"),
            new Fault.Crash(1_100_000, 1_500_000, "r1s1n2"));
    assertThat(failing(config.with(new FaultPlan(both, 4_000_000), 60))).contains("invariants");
    NodeSpec one = NodeSpec.of("r1s1n1", DastDeployment.NODE, "r1", 1, 0);
    NodeSpec other = NodeSpec.of("r1s1n2", DastDeployment.NODE, "r1", 1, 0);
    NodeSpec elsewhere = NodeSpec.of("r1s2n1", DastDeployment.NODE, "r1", 1, 0);
    assertThat(DAST.mayCrash(one, Set.of(other), config.settings())).isFalse();
    assertThat(DAST.mayCrash(one, Set.of(elsewhere), config.settings())).isTrue();
  }

  /** f = 2; the manager is away while they are to be removed. */
  @Test
  void twoOfFiveReplicasThatLoseTheirStateAtOnceAreReplaced() {
    List<Fault> faults =
        List.of(
            new Fault.Crash(1_100_000, 2_700_000, "r1s1n1"),
            new Fault.Crash(1_100_000, 1_500_000, "r1s1n2"),
            new Fault.Crash(1_505_000, 1_700_000, "m-r1"));
    RunConfig config = of(5, faults);
    RunResult result = SimulationRun.of(config);
    assertThat(failing(config)).isEmpty();
    assertThat(result.stats().unknown()).isZero();
    String manager = new String(result.traces().get("m-r1"), StandardCharsets.UTF_8);
    assertThat(manager).contains("\"remove\":[\"r1s1n1\",\"r1s1n2\"]");
  }

  @Test
  void asManyCrashAsAShardMayLose() {
    Settings five = of(5, List.of()).settings();
    NodeSpec one = NodeSpec.of("r1s1n1", DastDeployment.NODE, "r1", 1, 0);
    NodeSpec two = NodeSpec.of("r1s1n2", DastDeployment.NODE, "r1", 1, 0);
    NodeSpec three = NodeSpec.of("r1s1n3", DastDeployment.NODE, "r1", 1, 0);
    assertThat(DAST.mayCrash(one, Set.of(two), five)).isTrue();
    assertThat(DAST.mayCrash(one, Set.of(two, three), five)).isFalse();
    assertThat(DAST.mayCrash(one, Set.of(two), of(3, List.of()).settings())).isFalse();
    assertThat(DAST.mayCrashTogether(List.of(one, two), Set.of(), five)).isTrue();
    assertThat(DAST.mayCrashTogether(List.of(one, two), Set.of(three), five)).isFalse();
  }

  private static RunConfig of(long replicas, List<Fault> faults) {
    return new RunConfig(
        DAST,
        3,
        80,
        "bank",
        Set.of(),
        Set.of(),
        new TreeSet<>(),
        new TreeMap<>(
            Map.of("regions", 2L, "shards", 1L, "replicas", replicas, "suspectMicros", 1_000_000L)),
        Optional.empty(),
        Optional.of(new FaultPlan(faults, 5_000_000)),
        true);
  }

  @Test
  void aPlanIsHeldToTheSameFaults() {
    RunConfig config = config(1, "bank", Set.of(), List.of());
    FaultPlan failover = new FaultPlan(List.of(new Fault.Failover(1, "m-r1", 1)), 2);
    assertThatThrownBy(() -> config.with(failover, 1))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("dast's machines do not tolerate: failover");
  }

  @Test
  void theRegionJudgeSeesATransactionBeforeOneThatHadEnded() {
    DastDeployment layout = new DastDeployment(2, 1);
    assertThat(RegionOrderChecker.check(twice(0, 0), layout)).hasSize(1);
    assertThat(RegionOrderChecker.check(twice(0, 2), layout)).as("no region in common").isEmpty();
  }

  @Test
  void theRegionJudgeCannotTellOfATransactionWithoutAPlace() {
    List<Op> ops = List.of(op(0, Op.Type.INVOKE, 0, 0, null), op(1, Op.Type.OK, 0, 0, null));
    RunConfig config = config(1, "bank", Set.of(), List.of());
    assertThat(new RegionOrderChecker().check(History.of(ops), config.settings()))
        .extracting(Judgement::outcome, Judgement::reason)
        .containsExactly(
            Judgement.Outcome.UNKNOWN, "operation 1 completed but claims no place (ts)");
  }

  /** Process 0 ends at timestamp 9, then process 1 runs and is placed at 5. */
  private static List<Op> twice(long firstKey, long secondKey) {
    return List.of(
        op(0, Op.Type.INVOKE, 0, firstKey, null),
        op(1, Op.Type.OK, 0, firstKey, ClaimedTimestamp.of(9)),
        op(2, Op.Type.INVOKE, 1, secondKey, null),
        op(3, Op.Type.OK, 1, secondKey, ClaimedTimestamp.of(5)));
  }

  private static Op op(long index, Op.Type type, long process, long key, ClaimedTimestamp ts) {
    List<ObservedMicroOp> ops = List.of(new ObservedMicroOp.Read(key, null));
    return new Op(index, type, process, index, "txn", ops, ts, null, null, null);
  }
}
