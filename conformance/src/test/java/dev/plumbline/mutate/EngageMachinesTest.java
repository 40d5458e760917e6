package dev.plumbline.mutate;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumbline.engage.EngageConfig;
import dev.plumbline.history.Op;
import dev.plumbline.mutate.MachineRuns.Setting;
import dev.plumbline.protocol.Fault;
import dev.plumbline.protocol.FaultKind;
import dev.plumbline.protocol.NodeSpec;
import dev.plumbline.protocol.Protocols;
import dev.plumbline.sim.RunResult;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * What must kill the mutants of ENGAGE's machines: the specification, in both directions, and what
 * sessions are promised. Every run has to end, to keep the simulator's invariants, and to leave
 * logs that are behaviours of every module.
 */
@Tag("conformance")
class EngageMachinesTest {
  private static final MachineRuns ENGAGE = new MachineRuns("engage");
  private static final long BEGIN = 1_200_000;

  static Stream<String> replayed() {
    return ENGAGE.replayed();
  }

  @ParameterizedTest
  @MethodSource("replayed")
  void behavioursOfTheSpecificationReplayOnTheMachines(String module) {
    ENGAGE.replay(module);
  }

  /** Also at the paper's settings, whose cloudlets and brokers are more. */
  @ParameterizedTest
  @CsvSource({"1, 0", "2, 0", "3, 1", "4, 2"})
  void withoutFaults(long seed, long paper) {
    Setting s = setting(seed, 80);
    s.parameters.put("setting", paper);
    sound(s);
  }

  /** Faults of one kind, or of all. */
  @ParameterizedTest
  @CsvSource({
    "1, all",
    "2, all",
    "3, all",
    "4, all",
    "1, crash",
    "2, crash",
    "1, loss",
    "1, pause",
    "1, partition",
    "1, delay",
    "1, reorder",
    "1, duplicate"
  })
  void plannedFaults(long seed, String kinds) {
    Setting s = setting(seed, 80);
    s.kinds = FaultKind.parse(kinds, Protocols.named("engage").tolerated());
    sound(s);
  }

  /** Most of what processes send each other is lost, and sent again. */
  @ParameterizedTest
  @CsvSource({"5, 400", "6, 800"})
  void whatIsLostIsSentAgain(long seed, int permille) {
    Setting s = setting(seed, 80);
    lose(s, permille);
    sound(s);
  }

  /** Every cloudlet and broker starts again, one after the other, while messages are lost. */
  @ParameterizedTest
  @CsvSource({"7, 0", "8, 300"})
  void everyoneStartsAgain(long seed, int permille) {
    Setting s = setting(seed, 100);
    if (permille > 0) {
      lose(s, permille);
    }
    everyoneStartsAgain(s, BEGIN);
    sound(s);
  }

  /** Timers that expire between almost all updates: flushes travel alone. */
  @ParameterizedTest
  @CsvSource({"9, 2000", "10, 20000"})
  void flushesTravelAlone(long seed, long micros) {
    Setting s = setting(seed, 80);
    s.parameters.put("flushMicros", micros);
    sound(s);
  }

  /** More objects than a cloudlet keeps old versions of. */
  @Test
  void oldVersionsAreKept() {
    Setting s = setting(11, 120);
    s.parameters.put("versions", 3L);
    s.kinds = FaultKind.parse("all", Protocols.named("engage").tolerated());
    sound(s);
  }

  static List<String> published() {
    return EngageConfig.BEHAVIOURS;
  }

  /** As published, claims may break; the machines still do what the specification then does. */
  @ParameterizedTest
  @MethodSource("published")
  void publishedBehaviour(String behaviour) {
    Setting s = setting(1, 60);
    s.kinds = FaultKind.parse("loss,delay,reorder", Protocols.named("engage").tolerated());
    s.asPublished.add(behaviour);
    assertThat(MachineRuns.violations(s)).noneMatch(v -> v.startsWith("the run did not end"));
    ENGAGE.validate(s, module -> true);
  }

  /** As published a broker keeps no flushes, and a cloudlet neither its clock nor its queue. */
  @ParameterizedTest
  @CsvSource({"1, durableBroker", "2, durableBroker", "1, durableCloudlet", "2, durableCloudlet"})
  void publishedMemoryIsLost(long seed, String behaviour) {
    Setting s = setting(seed, 80);
    s.asPublished.add(behaviour);
    everyoneStartsAgain(s, BEGIN);
    assertThat(MachineRuns.violations(s)).noneMatch(v -> v.startsWith("the run did not end"));
    ENGAGE.validate(s, module -> true);
  }

  /**
   * A broker's disk is lost, and the tree is mended around it, also while messages are lost; all
   * start again in the new tree.
   */
  @ParameterizedTest
  @CsvSource({"12, 0", "13, 300", "14, 600"})
  void aBrokerIsLostForGood(long seed, int permille) {
    Setting s = setting(seed, 120);
    s.parameters.put("lostBroker", 1L);
    List<NodeSpec> brokers = ENGAGE.nodes("broker");
    NodeSpec middle = brokers.get(brokers.size() / 2);
    s.faults.add(new Fault.Crash(BEGIN, BEGIN + 500_000, middle.id()));
    if (permille > 0) {
      lose(s, permille);
    }
    everyoneStartsAgain(s, BEGIN + 700_000);
    sound(s);
  }

  /** Links, timers and restarts, step by step, while faults of all kinds happen. */
  @ParameterizedTest
  @CsvSource({"15, 100000", "16, 5000000"})
  void everyStepIsWatched(long seed, long flushMicros) {
    Setting s = setting(seed, 100);
    s.parameters.put("flushMicros", flushMicros);
    s.kinds = FaultKind.parse("all", Protocols.named("engage").tolerated());
    watched(s);
  }

  /** The same while everyone starts again, a broker is lost, and messages too. */
  @ParameterizedTest
  @CsvSource({"17, 0", "18, 300"})
  void restartsAreWatched(long seed, int permille) {
    Setting s = setting(seed, 120);
    s.parameters.put("lostBroker", 1L);
    if (permille > 0) {
      lose(s, permille);
    }
    everyoneStartsAgain(s, BEGIN);
    everyoneStartsAgain(s, BEGIN + 1_500_000);
    watched(s);
  }

  /** A neighbour is away for long, and a queue for it grows. */
  @Test
  void aLongQueueIsWatched() {
    Setting s = setting(19, 600);
    NodeSpec middle = ENGAGE.nodes("broker").get(ENGAGE.nodes("broker").size() / 2);
    s.faults.add(new Fault.Pause(500_000, 3_000_000, middle.id()));
    watched(s);
  }

  private static void watched(Setting s) {
    EngageWatch watch = new EngageWatch(Protocols.named("engage"));
    s.watch = Optional.of(watch);
    assertThat(MachineRuns.violations(s)).isEmpty();
    assertThat(watch.wrong).isEmpty();
    assertThat(watch.seen)
        .as("looked at")
        .containsKeys(
            "a flush is due where metadata waits",
            "every message is taken once, in order",
            "a restart takes back the state",
            "a new tree is told");
  }

  private static Setting setting(long seed, int operations) {
    Setting s = ENGAGE.setting(seed, operations);
    s.workload = "sessions";
    return s;
  }

  private static List<NodeSpec> processes() {
    return Stream.concat(ENGAGE.nodes("cloudlet").stream(), ENGAGE.nodes("broker").stream())
        .toList();
  }

  private static void everyoneStartsAgain(Setting s, long from) {
    long at = from;
    for (NodeSpec n : processes()) {
      s.faults.add(new Fault.Crash(at, at + 300_000, n.id()));
      at += 150_000;
    }
    s.healed = Math.max(s.healed, at + 400_000);
  }

  private static void lose(Setting s, int permille) {
    for (NodeSpec from : processes()) {
      processes()
          .forEach(
              to -> s.faults.add(new Fault.Loss(BEGIN, 3_000_000, from.id(), to.id(), permille)));
    }
  }

  private static boolean crashes(Setting s) {
    return s.kinds.contains(FaultKind.CRASH)
        || s.faults.stream().anyMatch(f -> f instanceof Fault.Crash);
  }

  /**
   * Every client is told, unless who should tell it has crashed, none is refused, and what all are
   * told is what the protocol promises.
   */
  private static void sound(Setting s) {
    RunResult run = ENGAGE.sound(s);
    if (!crashes(s)) {
      assertThat(run.history().ops()).noneMatch(op -> op.type() == Op.Type.INFO);
    }
    assertThat(run.history().ops())
        .extracting(Op::error)
        .allMatch(error -> error == null || error.equals("no answer in time"));
  }
}
