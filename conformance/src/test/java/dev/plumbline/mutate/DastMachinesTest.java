package dev.plumbline.mutate;

import static dev.plumbline.mutate.DastRuns.BEGIN;
import static dev.plumbline.mutate.DastRuns.DAST;
import static dev.plumbline.mutate.DastRuns.lose;
import static dev.plumbline.mutate.DastRuns.processes;
import static dev.plumbline.mutate.DastRuns.setting;
import static dev.plumbline.mutate.DastRuns.sound;
import static org.assertj.core.api.Assertions.assertThat;

import dev.plumbline.dast.DastConfig;
import dev.plumbline.history.Op;
import dev.plumbline.mutate.MachineRuns.Setting;
import dev.plumbline.protocol.Fault;
import dev.plumbline.protocol.FaultKind;
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

/**
 * What must kill the mutants of DAST's machines: the specification, in both directions. Every run
 * has to end, to keep the simulator's invariants, and to leave logs that are behaviours of every
 * module. Two regions of two shards, whose clocks are told seldom: logs are short.
 */
@Tag("conformance")
class DastMachinesTest {
  static Stream<String> replayed() {
    return DAST.replayed();
  }

  @ParameterizedTest
  @MethodSource("replayed")
  void behavioursOfTheSpecificationReplayOnTheMachines(String module) {
    DAST.replay(module);
  }

  @ParameterizedTest
  @CsvSource({"1, list-append", "2, bank"})
  void withoutFaults(long seed, String workload) {
    sound(setting(seed, 30, workload));
  }

  /** Faults of one kind, or of all. */
  @ParameterizedTest
  @CsvSource({
    "1, all, list-append",
    "2, all, bank",
    "1, crash, bank",
    "2, crash, list-append",
    "1, loss, bank",
    "1, pause, list-append",
    "1, clock, bank",
    "1, reorder, list-append"
  })
  void plannedFaults(long seed, String kinds, String workload) {
    Setting s = setting(seed, 40, workload);
    s.kinds = FaultKind.parse(kinds, Protocols.named("dast").tolerated());
    sound(s);
  }

  /** What is lost between processes is sent again; of 800 in a thousand, all copies of a value. */
  @ParameterizedTest
  @CsvSource({"1, list-append, 400", "2, bank, 400", "3, bank, 800"})
  void whatIsLostIsSentAgain(long seed, String workload, int permille) {
    Setting s = setting(seed, 40, workload);
    lose(s, processes(), 2_600_000, permille);
    sound(s);
  }

  /**
   * In a busy region notes are lost with their clock messages while older ones are acknowledged.
   */
  @Test
  void aLostNoteIsToldAgain() {
    Setting s = setting(1, 200, "list-append");
    s.parameters.putAll(Map.of("regions", 1L, "tellMicros", 10_000L));
    List<String> region = processes().stream().filter(id -> id.contains("r1")).toList();
    lose(s, region, 2_600_000, 200);
    sound(s);
  }

  /** Without faults a client is told of a commit where its log says so, and nowhere else. */
  @Test
  void theLogSaysWhatClientsAreTold() {
    RunResult run = sound(setting(4, 40, "list-append"));
    long told = run.history().ops().stream().filter(op -> op.type() == Op.Type.OK).count();
    assertThat(run.stats().actions().get("TwoPhaseAnticipation.Reply")).isEqualTo(told);
  }

  static List<String> published() {
    return DastConfig.BEHAVIOURS;
  }

  /**
   * As published, claims may break, which TraceFailover has as guards; the machines still do what
   * the other modules then do. Where nothing commits any more logs are long, and say no more.
   */
  @ParameterizedTest
  @MethodSource("published")
  void publishedBehaviour(String behaviour) {
    Setting s = setting(1, 30, "list-append");
    s.kinds = FaultKind.parse("all", Protocols.named("dast").tolerated());
    s.asPublished.add(behaviour);
    assertThat(MachineRuns.violations(s))
        .noneMatch(v -> v.startsWith("the run did not end") || v.contains(" did not commit in "));
    DAST.validate(s, module -> !module.equals("Failover"));
  }

  /** Managers, and a replica of every shard, start again amid their transactions. */
  @ParameterizedTest
  @CsvSource({"3, bank, 0", "4, list-append, 0", "5, list-append, 300"})
  void everyoneIsReplaced(long seed, String workload, int permille) {
    Setting s = setting(seed, 60, workload);
    s.parameters.put("suspectMicros", 300_000L);
    lose(s, processes(), 3_000_000, permille);
    long at = BEGIN;
    for (String role : List.of("m-r1", "r1s1n1", "r2s1n2", "m-r2", "r1s2n3", "r2s2n1")) {
      s.faults.add(new Fault.Crash(at, at + 400_000, role));
      at += 300_000;
    }
    s.healed = at + 400_000;
    RunResult run = sound(s);
    assertThat(run.stats().actions())
        .containsKeys("Failover.Elect", "Failover.RemoveNode", "Failover.AddReplica");
  }

  /** A new manager that a silent member keeps from serving while CRTs ask it for timestamps. */
  @Test
  void aManagerDoesNotServeYet() {
    Setting s = setting(7, 60, "list-append");
    s.parameters.put("suspectMicros", 600_000L);
    s.faults.add(new Fault.Crash(BEGIN, BEGIN + 50_000, "m-r2"));
    s.faults.add(new Fault.Pause(BEGIN, BEGIN + 500_000, "r2s1n2"));
    s.healed = BEGIN + 600_000;
    assertThat(sound(s).stats().actions()).containsKey("Failover.Elect");
  }

  /**
   * All replicas of a shard are silent, one after the other, and the last one stays. In the other
   * region a new manager that does not serve yet is asked by nodes of its own.
   */
  @Test
  void aShardsLastReplicaIsNotRemoved() {
    Setting s = setting(3, 60, "list-append");
    s.parameters.put("suspectMicros", 300_000L);
    s.faults.add(new Fault.Crash(BEGIN - 50_000, BEGIN + 2_900_000, "r2s1n3"));
    s.faults.add(new Fault.Crash(BEGIN, BEGIN + 50_000, "m-r2"));
    s.faults.add(new Fault.Crash(BEGIN, BEGIN + 2_500_000, "r1s1n1"));
    s.faults.add(new Fault.Crash(BEGIN + 700_000, BEGIN + 2_700_000, "r1s1n2"));
    s.faults.add(new Fault.Pause(BEGIN + 1_400_000, BEGIN + 2_100_000, "r1s1n3"));
    s.healed = BEGIN + 2_900_000;
    assertThat(sound(s).stats().actions()).containsKey("Failover.Elect");
  }

  /** Two ways from a manager, one much longer: what it anticipates for the other goes not back. */
  @ParameterizedTest
  @CsvSource({"8, list-append", "9, bank"})
  void anticipatedTimestampsOfUnevenWays(long seed, String workload) {
    Setting s = setting(seed, 60, workload);
    s.parameters.put("regions", 3L);
    s.parameters.put("suspectMicros", 5_000_000L);
    s.faults.add(new Fault.Delay(10_000, 3_000_000, "m-r1", "m-r3", 150_000));
    s.faults.add(new Fault.Delay(10_000, 3_000_000, "m-r3", "m-r1", 150_000));
    sound(s);
  }

  /** Two nodes that keep their state, and know nothing of their removal. */
  @ParameterizedTest
  @CsvSource({"5, list-append", "6, bank"})
  void whoWasSilentIsReplaced(long seed, String workload) {
    Setting s = setting(seed, 60, workload);
    s.parameters.put("suspectMicros", 300_000L);
    s.faults.add(new Fault.Pause(BEGIN, BEGIN + 700_000, "r1s1n1"));
    s.faults.add(new Fault.Pause(BEGIN + 200_000, BEGIN + 1_000_000, "r2s1n2"));
    s.healed = BEGIN + 1_000_000;
    assertThat(sound(s).stats().actions())
        .containsKeys("Failover.RemoveNode", "Failover.AddReplica");
  }
}
