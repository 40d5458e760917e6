package dev.plumbline.mutate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import dev.plumbline.history.Op;
import dev.plumbline.k2.K2Config;
import dev.plumbline.k2.system.K2Stress;
import dev.plumbline.mutate.MachineRuns.Setting;
import dev.plumbline.protocol.Fault;
import dev.plumbline.protocol.FaultKind;
import dev.plumbline.protocol.NodeSpec;
import dev.plumbline.protocol.ProtocolSystem;
import dev.plumbline.protocol.Protocols;
import dev.plumbline.sim.RunResult;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * What must kill the mutants of K2's machines: the specification, in both directions. Every run has
 * to end, to keep the simulator's invariants, and to leave logs that are behaviours of every
 * module.
 */
@Tag("conformance")
class K2MachinesTest {
  private static final ProtocolSystem SYSTEM = Protocols.named("k2");
  private static final MachineRuns K2 = new MachineRuns("k2");
  private static final long NEVER = 3_600_000_000L;

  /** Shorter than some transactions, longer than heartbeats take. */
  private static final long SUSPICION = 300_000;

  private static final long BEGIN = 1_200_000;
  private static final long MIDDLE = 1_700_000;
  private static final long END = 2_600_000;

  static Stream<String> replayed() {
    return K2.replayed();
  }

  @ParameterizedTest
  @MethodSource("replayed")
  void behavioursOfTheSpecificationReplayOnTheMachines(String module) {
    K2.replay(module);
  }

  /** Faults of one kind, or of all. */
  @ParameterizedTest
  @CsvSource({
    "1, all, 40",
    "2, all, 40",
    "3, all, 40",
    "1, crash, 60",
    "2, crash, 60",
    "1, failover, 60",
    "2, failover, 60",
    "1, loss, 60",
    "1, pause, 60",
    "1, clock, 60",
    "1, reorder, 60"
  })
  void plannedFaults(long seed, String kinds, int transactions) {
    Setting s = new Setting(SYSTEM, seed, transactions);
    s.kinds = FaultKind.parse(kinds);
    sound(s);
  }

  static List<String> published() {
    return K2Config.BEHAVIOURS;
  }

  /** As published, claims may break; the machines still do what the specification then does. */
  @ParameterizedTest
  @MethodSource("published")
  void publishedBehaviour(String behaviour) {
    Setting s = new Setting(SYSTEM, 1, 40);
    s.kinds = FaultKind.parse("all");
    s.asPublished.add(behaviour);
    ended(s);
  }

  /** The floor of a restarted node, and readers that wait. */
  @ParameterizedTest
  @ValueSource(strings = {K2Config.READ_FLOOR, K2Config.TRACK_AT_REPLY})
  void dataNodesRestartAsPublished(String behaviour) {
    Setting s = new Setting(SYSTEM, 3, 80);
    s.asPublished.add(behaviour);
    restartDataNodes(s);
    assertThat(ended(s).stats().actions()).containsKey("Mvto.RecoverDataNode");
  }

  /** What depends on the commit wait, the TTL or its margin. */
  @ParameterizedTest
  @CsvSource({"1, clock", "2, all"})
  void badClocks(long seed, String kinds) {
    Setting s = new Setting(new K2Stress(), seed, 120);
    s.kinds = FaultKind.parse(kinds);
    s.parameters.putAll(Map.of("ttlMicros", 200_000L, "stepMicros", 1_000L));
    sound(s);
  }

  /**
   * Where nothing is lost, nothing has to be sent again for a transaction to end. (Entries of a log
   * that overtake each other have to be; in these runs none do.)
   */
  @ParameterizedTest
  @ValueSource(longs = {24, 110, 158, 172})
  void withoutFaultsEveryTransactionEndsThoughNothingIsSentAgain(long seed) {
    Setting s = new Setting(SYSTEM, seed, 100);
    s.parameters.putAll(
        Map.of("resendMicros", NEVER, "batchRetryMicros", NEVER, "suspectMicros", SUSPICION));
    RunResult run = sound(s);
    assertThat(reasons(run)).allMatch(why -> why.startsWith("a later transaction"));
  }

  /** No later entry shows that the last ones are missing: they are sent again. */
  @Test
  void theLastEntriesOfALogAreSentAgain() {
    Setting s = new Setting(SYSTEM, 1, 60);
    s.parameters.put("epochMicros", NEVER);
    cutOffReplicas(s, BEGIN, 3_500_000);
    assertThat(violations(s)).isEmpty();
  }

  /** A new owner asks how far a replica is, and sends what it lacks bit by bit. */
  @ParameterizedTest
  @CsvSource({"1", "2", "3", "4"})
  void replicasFarBehindCatchUp(long seed) {
    Setting s = new Setting(SYSTEM, seed, 900);
    s.parameters.put("resendMicros", NEVER);
    cutOffReplicas(s, BEGIN, 120_000_000);
    standbys().forEach(n -> s.faults.add(new Fault.Failover(121_000_000, n.id(), 1_000)));
    s.healed = 122_000_000;
    assertThat(violations(s)).isEmpty();
  }

  /** A new owner asks a replica how far it is. */
  @Test
  void replicasCatchUpWithANewOwner() {
    Setting s = new Setting(SYSTEM, 1, 60);
    cutOffReplicas(s, BEGIN, END);
    standbys().forEach(n -> s.faults.add(new Fault.Failover(MIDDLE, n.id(), 100_000)));
    sound(s);
  }

  @Test
  void replicasRestart() {
    Setting s = new Setting(SYSTEM, 2, 60);
    nodes("replica").forEach(n -> s.faults.add(new Fault.Crash(MIDDLE, END, n.id())));
    sound(s);
  }

  /** Recorders end what lost coordinators left. */
  @Test
  void coordinatorsRestart() {
    Setting s = new Setting(SYSTEM, 1, 100);
    long at = BEGIN;
    for (NodeSpec n : nodes("coordinator")) {
      s.faults.add(new Fault.Crash(at, at + 900_000, n.id()));
      at += 130_000;
    }
    sound(s);
  }

  /** Every data node dies and restarts amid its transactions. */
  @Test
  void dataNodesRestart() {
    Setting s = new Setting(SYSTEM, 3, 100);
    restartDataNodes(s);
    sound(s);
  }

  /** Where batches are used up before their time, the next one begins below the last timestamp. */
  /** No run has such times: timers would go off for ever at one instant. */
  @Test
  void whatIsDoneAtOnceTakesNoTime() {
    assertThatCode(() -> new K2Config(1, 1, 0, 0, 1, 1, 0, 0, 0, 0, 0, List.of()))
        .doesNotThrowAnyException();
  }

  @Test
  void batchesRunOut() {
    Setting s = new Setting(SYSTEM, 1, 100);
    s.parameters.put("stepMicros", 20_000L);
    sound(s);
  }

  /** A paused owner goes on after another took over, and is still asked. */
  @Test
  void ownersThatWereReplacedGoOn() {
    Setting s = new Setting(SYSTEM, 1, 100);
    for (NodeSpec n : standbys()) {
      s.faults.add(new Fault.Pause(BEGIN, END, n.role()));
      s.faults.add(new Fault.Failover(BEGIN + 50_000, n.id(), 1_500_000));
    }
    sound(s);
  }

  /** What the workloads' clients never do, with answers slow enough to be caught amid it. */
  @ParameterizedTest
  @CsvSource({"1, 0", "2, 0", "3, 120000"})
  void rudeClients(long seed, long delay) {
    RudeClients rude = new RudeClients();
    Setting s = new Setting(rude, seed, 140);
    if (delay > 0) {
      slowAnswers(s, delay);
    }
    RunResult run = sound(s);
    assertThat(rude.complaints()).isEmpty();
    assertThat(reasons(run)).doesNotContain("no answer in time").contains("rolled back");
  }

  /** Transactions outlast suspicion and patience by far; heartbeats and answers keep them alive. */
  @Test
  void whoIsSlowIsNotSilent() {
    Setting s = new Setting(SYSTEM, 1, 40);
    s.parameters.putAll(Map.of("suspectMicros", SUSPICION, "patienceMicros", 2_800_000L));
    slowAnswers(s, 500_000);
    assertThat(reasons(sound(s))).allMatch(why -> why.startsWith("a later transaction"));
  }

  /**
   * What is lost between nodes is sent again: neither impatience nor suspicion has to end a
   * transaction.
   */
  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3})
  void lossAloneEndsNoTransaction(long seed) {
    Setting s = new Setting(SYSTEM, seed, 60);
    s.workload = "rw-register";
    s.parameters.putAll(Map.of("patienceMicros", NEVER, "suspectMicros", NEVER));
    List<String> all = List.of("oracle", "coordinator", "data-node", "replica");
    List<NodeSpec> nodes = all.stream().flatMap(kind -> nodes(kind).stream()).toList();
    for (NodeSpec from : nodes) {
      nodes.forEach(to -> s.faults.add(new Fault.Loss(BEGIN, END, from.id(), to.id(), 400)));
    }
    sound(s);
  }

  /** Who waits in vain for a timestamp is told so. */
  @Test
  void clientsWithoutTimestampsAreTold() {
    Setting s = new Setting(SYSTEM, 1, 60);
    s.parameters.putAll(Map.of("patienceMicros", SUSPICION, "batchRetryMicros", SUSPICION));
    s.healed = BEGIN + 5_000_000;
    nodes("oracle").forEach(n -> s.faults.add(new Fault.Pause(BEGIN, s.healed, n.id())));
    assertThat(reasons(sound(s))).contains("took too long").doesNotContain("no answer in time");
  }

  /** Without faults a client is told of a commit where its log says so, and nowhere else. */
  @Test
  void theLogSaysWhatClientsAreTold() {
    RunResult run = sound(new Setting(SYSTEM, 1, 100));
    Map<String, Long> actions = run.stats().actions();
    long committed = run.history().ops().stream().filter(op -> op.type() == Op.Type.OK).count();
    assertThat(actions.get("EpochVisibility.Tell")).isEqualTo(committed);
    assertThat(actions.get("TimestampBatching.End"))
        .isEqualTo(actions.get("TimestampBatching.Assign"));
  }

  /** Recorders end what lost coordinators left, though they were themselves replaced since. */
  @ParameterizedTest
  @CsvSource({"1, false", "2, true"})
  void lostCoordinatorsAreSuspected(long seed, boolean replaced) {
    Setting s = new Setting(new RudeClients(), seed, 140);
    s.parameters.put("patienceMicros", NEVER);
    long late = 40_000_000;
    nodes("coordinator").forEach(n -> s.faults.add(new Fault.Crash(late, late + 200_000, n.id())));
    s.healed = late + 300_000;
    if (replaced) {
      nodes("data-node").stream()
          .filter(n -> n.id().equals(n.role()))
          .forEach(n -> s.faults.add(new Fault.Crash(late - 300_000, late - 200_000, n.id())));
    }
    RunResult run = sound(s);
    assertThat(run.stats().actions()).containsKey("Mvto.SuspectCoordinator");
  }

  /** A write that never came leaves others whose recorder learns of them by a PUSHWS alone. */
  @ParameterizedTest
  @ValueSource(longs = {1, 2})
  void aPushAloneTellsOfATransaction(long seed) {
    Setting s = new Setting(SYSTEM, seed, 140);
    s.workload = "rw-register";
    s.parameters.put("patienceMicros", NEVER);
    List<NodeSpec> coordinators = nodes("coordinator");
    List<String> unreached = nodes("data-node").stream().map(NodeSpec::id).toList().subList(0, 4);
    for (NodeSpec n : coordinators) {
      s.faults.add(new Fault.Partition(BEGIN, END, List.of(n.id()), unreached, true));
      s.faults.add(new Fault.Crash(END - 500_000, END, n.id()));
    }
    sound(s);
  }

  private static void restartDataNodes(Setting s) {
    long at = BEGIN;
    for (NodeSpec n : nodes("data-node")) {
      if (n.id().equals(n.role())) {
        s.faults.add(new Fault.Crash(at, at + 300_000, n.id()));
        at += 150_000;
      }
    }
  }

  private static List<NodeSpec> nodes(String kind) {
    return K2.nodes(kind);
  }

  private static List<NodeSpec> standbys() {
    return nodes("data-node").stream().filter(n -> !n.id().equals(n.role())).toList();
  }

  private static List<NodeSpec> primaries(NodeSpec replica) {
    return nodes("data-node").stream()
        .filter(n -> n.role().substring(2).equals(replica.role().substring(2)))
        .toList();
  }

  private static void slowAnswers(Setting s, long micros) {
    nodes("data-node").forEach(n -> s.faults.add(new Fault.Delay(1, END, n.id(), "*", micros)));
  }

  /** Why transactions did not commit. */
  private static List<String> reasons(RunResult run) {
    return run.history().ops().stream()
        .filter(op -> op.type() == Op.Type.INFO || op.type() == Op.Type.FAIL)
        .map(Op::error)
        .toList();
  }

  private static void cutOffReplicas(Setting s, long from, long until) {
    for (NodeSpec r : nodes("replica")) {
      List<String> owners = primaries(r).stream().map(NodeSpec::id).toList();
      s.faults.add(new Fault.Partition(from, until, owners, List.of(r.id()), false));
    }
  }

  private static List<String> violations(Setting s) {
    return MachineRuns.violations(s);
  }

  private static RunResult sound(Setting s) {
    assertThat(violations(s)).isEmpty();
    return validate(s);
  }

  /** A run that may break invariants; one without an end leaves more of a log than fits memory. */
  private static RunResult ended(Setting s) {
    assertThat(violations(s)).noneMatch(v -> v.startsWith("the run did not end"));
    return validate(s);
  }

  /** Without TieReply Property 4.1 fails, which EpochVisibility assumes. */
  private static RunResult validate(Setting s) {
    boolean tied = !s.asPublished.contains(K2Config.TIE_REPLY);
    RunResult run = K2.validate(s, module -> tied || !module.equals("EpochVisibility"));
    assertThat(reasons(run)).noneMatch(String::isEmpty);
    return run;
  }
}
