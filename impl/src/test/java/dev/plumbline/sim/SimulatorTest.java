package dev.plumbline.sim;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.plumbline.machine.ClockReading;
import dev.plumbline.machine.Effects;
import dev.plumbline.machine.Input;
import dev.plumbline.machine.Message;
import dev.plumbline.machine.Timer;
import dev.plumbline.protocol.BrokenAssumption;
import dev.plumbline.protocol.ClockBounds;
import dev.plumbline.protocol.Fault;
import dev.plumbline.protocol.FaultKind;
import dev.plumbline.protocol.FaultPlan;
import dev.plumbline.protocol.NodeSpec;
import dev.plumbline.protocol.Topology;
import dev.plumbline.sim.toy.ToySystem;
import dev.plumbline.trace.TraceEvent;
import dev.plumbline.trace.TraceReader;
import dev.plumbline.trace.TraceWriter;
import java.io.ByteArrayOutputStream;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.BiConsumer;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The promises that the machine package makes, one by one, on nodes that do what a test says. */
class SimulatorTest {
  private static final long STEP = 10;
  private static final long SYNC = 500;
  private static final long ONE_WAY = 13_650;
  private static final long HEALED = 10_000_000;

  private record Ping(int number) implements Message {}

  private record Note(int number) {}

  private record Ask(int number) {}

  private record Tick(int number) implements Timer {}

  private record Seen(long at, String node, Input input, ClockReading clock) {}

  private final List<Seen> seen = new ArrayList<>();
  private final List<Record> answers = new ArrayList<>();
  private final Map<String, BiConsumer<Input, Effects>> behaviour = new TreeMap<>();
  private final Map<String, ByteArrayOutputStream> traces = new TreeMap<>();
  private final List<TraceWriter> writers = new ArrayList<>();
  private Simulator sim;

  @Test
  void messagesTakeHalfARoundTripAndQueueAtTheReceiver() {
    on("a", Input.Start.class, (input, effects) -> pings(effects, 3));
    run(1, List.of(), 100_000);
    List<Seen> arrived = delivered("b");
    assertThat(arrived).hasSize(3);
    assertThat(arrived)
        .allSatisfy(
            s ->
                assertThat(s.at())
                    .isBetween(ONE_WAY + STEP, ONE_WAY + 3 * STEP + 1 + ONE_WAY / 10));
    for (int i = 1; i < 3; i++) {
      assertThat(arrived.get(i).at() - arrived.get(i - 1).at()).isGreaterThanOrEqualTo(STEP);
    }
  }

  @Test
  void effectsWaitUntilTheRecordsAreDurable() {
    on(
        "a",
        Input.Start.class,
        (input, effects) -> {
          pings(effects, 1);
          effects.persist(new Note(1));
        });
    run(1, List.of(), 100_000);
    assertThat(delivered("b").get(0).at()).isGreaterThanOrEqualTo(STEP + SYNC + ONE_WAY);
  }

  @Test
  void aCrashDuringAStepReleasesNothingAndKeepsAllRecordsOrNone() {
    on(
        "a",
        Input.Start.class,
        (input, effects) -> {
          if (((Input.Start) input).epoch() == 1) {
            pings(effects, 1);
            effects.persist(new Note(1));
            effects.persist(new Note(2));
            effects.setTimer(new Tick(1), 5);
            effects.trace("Begin", Map.of());
          }
        });
    List<Integer> survived = new ArrayList<>();
    for (long seed = 0; seed < 40; seed++) {
      run(seed, List.of(new Fault.Crash(STEP + 100, 50_000, "a")), 200_000);
      assertThat(delivered("b")).isEmpty();
      assertThat(seen).noneMatch(s -> s.input() instanceof Input.TimerFired);
      Input.Start restart = (Input.Start) inputs("a", Input.Start.class).get(1).input();
      assertThat(restart.epoch()).isEqualTo(2);
      assertThat(restart.durable()).isIn(List.of(), List.of(new Note(1), new Note(2)));
      survived.add(restart.durable().size());
      assertThat(actions("a"))
          .isEqualTo(
              restart.durable().isEmpty()
                  ? List.of("Crash", "Restart")
                  : List.of("Begin", "Lose", "Crash", "Restart"));
    }
    assertThat(survived).contains(0, 2);
  }

  @Test
  void whatWasDurableOutlivesCrashesInOrder() {
    on(
        "a",
        Input.Start.class,
        (input, effects) -> effects.persist(new Note((int) ((Input.Start) input).epoch())));
    run(
        1,
        List.of(new Fault.Crash(10_000, 20_000, "a"), new Fault.Crash(30_000, 40_000, "a")),
        60_000);
    assertThat(((Input.Start) inputs("a", Input.Start.class).get(2).input()).durable())
        .isEqualTo(List.of(new Note(1), new Note(2)));
  }

  @Test
  void anOwnerThatWasReplacedIsRefusedStoppedAndForwardedFor() {
    behaviour.put(
        "a",
        (input, effects) -> {
          if (input instanceof Input.ClientRequest request) {
            effects.persist(new Note(((Ask) request.request()).number()));
            effects.reply(request.requestId(), new Note(7));
          }
        });
    behaviour.put("a2", behaviour.get("a"));
    start(1, List.of(new Fault.Failover(20_000, "a2", 4_000_000)));
    sim.events().at(10_000, () -> ask(1));
    sim.events().at(30_000, () -> ask(2));
    sim.events().at(300_000, () -> ask(3));
    sim.run(1_000_000, () -> true);

    assertThat(requests("a")).containsExactly(1, 2);
    assertThat(requests("a2")).containsExactly(2, 3);
    assertThat(answers).hasSize(3);
    assertThat(((Input.Start) inputs("a2", Input.Start.class).get(0).input()).durable())
        .isEqualTo(List.of(new Note(1)));
    assertThat(sim.role("a").log.records())
        .isEqualTo(List.of(new Note(1), new Note(2), new Note(3)));
    assertThat(actions("a")).containsExactly("Stutter", "Fenced");
    assertThat(actions("a2")).containsExactly("Restart", "Stutter", "Stutter");
  }

  @Test
  void timersFireAfterTheDelayOfADriftingClockAndNotOnceCancelled() {
    behaviour.put(
        "a",
        (input, effects) -> {
          if (input instanceof Input.Start) {
            effects.setTimer(new Tick(1), 50_000);
            effects.setTimer(new Tick(2), 50_000);
            effects.setTimer(new Tick(3), 70_000);
            effects.setTimer(new Tick(3), 90_000);
          } else if (input.equals(new Input.TimerFired(new Tick(1)))) {
            effects.cancelTimer(new Tick(2));
          }
        });
    run(
        1,
        List.of(new Fault.Drift(10_000, "a", 100_000), new Fault.Drift(20_000, "a", -500_000)),
        1_000_000);
    List<Seen> fired = inputs("a", Input.TimerFired.class);
    assertThat(fired.stream().map(s -> s.input().toString()))
        .containsExactly(
            new Input.TimerFired(new Tick(1)).toString(),
            new Input.TimerFired(new Tick(3)).toString());
    long start = inputs("a", Input.Start.class).get(0).clock().localMicros();
    assertThat(fired.get(0).clock().localMicros() - start).isBetween(50_000L, 50_002L);
    assertThat(fired.get(1).clock().localMicros() - start).isBetween(90_000L, 90_012L);
    assertThat(fired.get(0).at()).isGreaterThan(75_000);
  }

  @Test
  void aPausedNodeDoesNothingAndCatchesUp() {
    on("a", Input.Start.class, (input, effects) -> pings(effects, 2));
    run(1, List.of(new Fault.Pause(5_000, 80_000, "b")), 200_000);
    assertThat(delivered("b")).hasSize(2).allMatch(s -> s.at() >= 80_000);
  }

  @ParameterizedTest
  @CsvSource({"40000, 80000", "80000, 40000"})
  void ofTwoPausesTheLastToEndEndsBoth(long first, long second) {
    on("a", Input.Start.class, (input, effects) -> pings(effects, 2));
    run(
        1,
        List.of(new Fault.Pause(5_000, first, "b"), new Fault.Pause(6_000, second, "b")),
        200_000);
    assertThat(delivered("b")).hasSize(2).allMatch(s -> s.at() >= 80_000);
  }

  /** What pauses a process ends with it; another pause of the next one does not. */
  @ParameterizedTest
  @CsvSource({"30000, 80000", "80000, 30000"})
  void aPauseEndsWithItsProcess(long first, long second) {
    on("a", Input.Start.class, (input, effects) -> pings(effects, 2));
    run(
        1,
        List.of(
            new Fault.Pause(5_000, first, "b"),
            new Fault.Crash(6_000, 8_000, "b"),
            new Fault.Pause(10_000, second, "b")),
        200_000);
    assertThat(delivered("b"))
        .hasSize(2)
        .allMatch(s -> s.at() >= second && s.at() < second + 10_000);
  }

  @Test
  void lossLosesItsShareAndLogsIt() {
    on("a", Input.Start.class, (input, effects) -> pings(effects, 2000));
    run(1, List.of(new Fault.Loss(0, HEALED, "SH", "b", 250)), 1_000_000);
    assertThat(delivered("b")).hasSizeBetween(1400, 1600);
    assertThat(actions("a").stream().filter(TraceEvent.LOSE::equals))
        .hasSize(2000 - delivered("b").size());
  }

  /** Whatever else the plan says, all of it is over when it heals. */
  @Test
  void linksAreCutUntilTheFaultEndsOrThePlanHeals() {
    behaviour.put(
        "a",
        (input, effects) -> {
          if (input instanceof Input.Start) {
            effects.setTimer(new Tick(1), 60_000);
          } else if (input instanceof Input.TimerFired) {
            pings(effects, 2);
          }
        });
    run(1, List.of(new Fault.Partition(1_000, 50_000, List.of("a"), List.of("b"), false)), 200_000);
    assertThat(delivered("b")).hasSize(2);

    start(
        1, List.of(new Fault.Partition(1_000, HEALED, List.of("a"), List.of("b"), false)), 40_000);
    sim.run(200_000, () -> true);
    assertThat(delivered("b")).hasSize(2);
  }

  /** Who is down already is not struck. */
  @Test
  void faultsThatStrikeNobodyAreNotCounted() {
    run(
        1,
        List.of(
            new Fault.Crash(1_000, 50_000, "b"),
            new Fault.Crash(2_000, 40_000, "b"),
            new Fault.Pause(3_000, 9_000, "b"),
            new Fault.Pause(60_000, 70_000, "b")),
        100_000);
    assertThat(sim.faultsApplied()).isEqualTo(Map.of("crash", 1L, "pause", 1L));
  }

  @Test
  void duplicatesArriveTwiceUnderOneIdentity() {
    on("a", Input.Start.class, (input, effects) -> pings(effects, 100));
    run(1, List.of(new Fault.Duplicate(0, HEALED, "*", "*", 1000)), 1_000_000);
    assertThat(delivered("b")).hasSize(200);
    assertThat(events("b").stream().map(e -> e.recv().orElseThrow()).distinct()).hasSize(100);
  }

  @Test
  void delayDelaysAndReorderReorders() {
    on("a", Input.Start.class, (input, effects) -> pings(effects, 50));
    run(1, List.of(new Fault.Delay(0, HEALED, "a", "b", 40_000)), 1_000_000);
    assertThat(delivered("b")).hasSize(50).allMatch(s -> s.at() > ONE_WAY + 40_000);
    run(1, List.of(new Fault.Reorder(0, HEALED, "a", "b", 90_000)), 1_000_000);
    List<String> order = delivered("b").stream().map(s -> s.input().toString()).toList();
    assertThat(order).hasSize(50).isNotEqualTo(order.stream().sorted().toList());
    assertThat(delivered("b").get(49).at()).isGreaterThan(ONE_WAY + 60_000);
  }

  @Test
  void partitionsCutOneWayOrBoth() {
    on("a", Input.Start.class, (input, effects) -> pings(effects, 1));
    on("b", Input.Start.class, (input, effects) -> effects.send("a", new Ping(0)));
    run(1, List.of(new Fault.Partition(0, HEALED, List.of("a"), List.of("BJ"), true)), 1_000_000);
    assertThat(delivered("b")).isEmpty();
    assertThat(delivered("a")).hasSize(1);
    run(1, List.of(new Fault.Partition(0, HEALED, List.of("b"), List.of("a"), false)), 1_000_000);
    assertThat(delivered("b")).isEmpty();
    assertThat(delivered("a")).isEmpty();
  }

  @Test
  void trueTimeShowsItsIntervalAndOthersNone() {
    run(1, List.of(new Fault.TrueTime(5, "b", 80, 90)), 100_000);
    ClockReading a = inputs("a", Input.Start.class).get(0).clock();
    assertThat(a.hasTrueTime()).isFalse();
    sim.call("SH", "b", new Ask(1), answers::add);
    sim.run(300_000, () -> true);
    Seen asked = inputs("b", Input.ClientRequest.class).get(0);
    assertThat(asked.clock().lowMicros()).isEqualTo(asked.at() - 10);
    assertThat(asked.clock().upMicros()).isEqualTo(asked.at() + 170);
  }

  /** A request that was never made, and one that it has answered. */
  @ParameterizedTest
  @ValueSource(ints = {1, 2})
  void aMachineThatAnswersWhatIsNotAskedFails(int wrong) {
    behaviour.put(
        "a",
        (input, effects) -> {
          if (input instanceof Input.ClientRequest request) {
            effects.reply(request.requestId(), new Note(7));
            effects.reply(wrong == 1 ? 99 : request.requestId(), new Note(8));
          }
        });
    start(1, List.of());
    sim.events().at(10_000, () -> ask(1));
    sim.run(1_000_000, () -> true);
    assertThat(sim.failure()).startsWith("a threw").contains("did not receive or has answered");
  }

  @Test
  void aMachineThatThrowsEndsTheRunAndIsNamed() {
    on("a", Input.Start.class, (input, effects) -> effects.send("nobody", new Ping(1)));
    run(1, List.of(), 100_000);
    assertThat(sim.failure()).startsWith("a threw").contains("no role is called nobody");
  }

  @Test
  void aPlanThatNamesNoNodeIsRefused() {
    assertThatThrownBy(() -> run(1, List.of(new Fault.Crash(1, 2, "z")), 10))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("node z");
  }

  @Test
  void generatedPlansKeepTheAssumptionsUnlessToldToBreakThem() {
    ClockBounds bounds = new ClockBounds(100, 200);
    FaultGenerator.Limits limits = new FaultGenerator.Limits(bounds, (node, others) -> true, 0);
    for (long seed = 0; seed < 200; seed++) {
      FaultPlan plan =
          FaultGenerator.generate(
              seed,
              topology(),
              limits,
              FaultKind.parse("all"),
              java.util.Set.of(),
              1000,
              5_000_000);
      assertThat(plan.faults()).isNotEmpty().allMatch(f -> keeps(f, bounds), "kept bounds");
    }
    for (BrokenAssumption broken : BrokenAssumption.values()) {
      List<Fault> faults =
          FaultGenerator.generate(
                  1, topology(), limits, java.util.Set.of(), java.util.Set.of(broken), 0, 5_000_000)
              .faults();
      assertThat(faults).as(broken.toString()).anyMatch(f -> !keeps(f, bounds));
    }
  }

  /** What is planned is no fault in name alone. */
  @Test
  void generatedFaultsStrikeSomebodyForAWhile() {
    FaultGenerator.Limits limits =
        new FaultGenerator.Limits(new ClockBounds(100, 200), (node, others) -> true, 0);
    List<Fault> faults = new ArrayList<>();
    for (long seed = 0; seed < 200; seed++) {
      faults.addAll(
          FaultGenerator.generate(
                  seed,
                  topology(),
                  limits,
                  FaultKind.parse("all"),
                  java.util.Set.of(),
                  0,
                  5_000_000)
              .faults());
    }
    assertThat(faults).allSatisfy(fault -> assertThat(isSomething(fault)).as("%s", fault).isTrue());
    assertThat(faults)
        .anyMatch(f -> f instanceof Fault.TrueTime clock && Math.abs(clock.shiftMicros()) == 100)
        .anyMatch(f -> f instanceof Fault.Drift drift && drift.ppm() == 200)
        .anyMatch(f -> f instanceof Fault.Drift drift && drift.ppm() == -200)
        .anyMatch(f -> f instanceof Fault.Failover failover && failover.spreadMicros() > 50_000)
        .anyMatch(f -> f instanceof Fault.Partition partition && partition.oneWay())
        .anyMatch(f -> f instanceof Fault.Partition partition && !partition.oneWay());
    assertThat(faults).as("several in a round").hasSizeGreaterThan(200 * 15);
    assertThat(faults.stream().filter(f -> f.at() > 2_500_000).count())
        .as("in the second half")
        .isBetween(faults.size() / 3L, 2 * faults.size() / 3L);
  }

  private static boolean isSomething(Fault fault) {
    if (fault instanceof Fault.Loss loss) {
      return loss.permille() >= 20 && lasts(loss.at(), loss.until());
    } else if (fault instanceof Fault.Duplicate duplicate) {
      return duplicate.permille() >= 50 && lasts(duplicate.at(), duplicate.until());
    } else if (fault instanceof Fault.Delay delay) {
      return delay.micros() >= 500 && lasts(delay.at(), delay.until());
    } else if (fault instanceof Fault.Reorder reorder) {
      return reorder.spreadMicros() >= 500 && lasts(reorder.at(), reorder.until());
    } else if (fault instanceof Fault.Crash crash) {
      return lasts(crash.at(), crash.until());
    } else if (fault instanceof Fault.Pause pause) {
      return lasts(pause.at(), pause.until());
    } else if (fault instanceof Fault.Partition partition) {
      return !partition.from().isEmpty()
          && !partition.to().isEmpty()
          && java.util.Collections.disjoint(partition.from(), partition.to())
          && lasts(partition.at(), partition.until());
    }
    return true;
  }

  /** A quarter of the shortest round at least. */
  private static boolean lasts(long at, long until) {
    return until - at >= 37_500;
  }

  /** Of two nodes of which one may lose its state at a time. */
  @Test
  void generatedPausesOutlastTheSilenceThatRemovesANodeOnlyWhereACrashMay() {
    long silence = 1_000_000;
    long recovery = 3_000_000;
    FaultGenerator.Limits limits =
        new FaultGenerator.Limits(
            new ClockBounds(100, 200), (node, others) -> others.isEmpty(), silence);
    int outlasting = 0;
    long planned = 0;
    for (long seed = 0; seed < 100; seed++) {
      List<Fault> faults =
          FaultGenerator.generate(
                  seed,
                  topology(),
                  limits,
                  EnumSet.of(FaultKind.PAUSE, FaultKind.CRASH),
                  java.util.Set.of(),
                  0,
                  9_000_000)
              .faults();
      List<Fault.Pause> pauses =
          faults.stream()
              .filter(Fault.Pause.class::isInstance)
              .map(Fault.Pause.class::cast)
              .filter(pause -> pause.until() - pause.at() > silence)
              .toList();
      outlasting += pauses.size();
      planned += faults.stream().filter(Fault.Pause.class::isInstance).count();
      for (Fault.Pause pause : pauses) {
        assertThat(pause.until()).isLessThanOrEqualTo(9_000_000);
        assertThat(faults)
            .noneMatch(
                fault ->
                    fault instanceof Fault.Crash crash
                        && crash.at() < pause.until() + recovery
                        && pause.at() < crash.until() + recovery)
            .noneMatch(
                fault ->
                    fault instanceof Fault.Pause other
                        && other != pause
                        && other.node().equals(pause.node())
                        && other.at() <= pause.until()
                        && pause.at() <= other.until());
      }
    }
    assertThat(planned).isGreaterThan(1_000);
    // Of these a share: a pause that meets another of its node is left out, long or short.
    assertThat(1_000.0 * outlasting / planned).isGreaterThan(39);
  }

  private static boolean keeps(Fault fault, ClockBounds bounds) {
    if (fault instanceof Fault.TrueTime clock) {
      return Math.abs(clock.shiftMicros()) <= clock.halfWidthMicros()
          && clock.halfWidthMicros() <= bounds.epsilonMicros();
    }
    return !(fault instanceof Fault.Drift drift) || Math.abs(drift.ppm()) <= bounds.driftPpm();
  }

  private static void pings(Effects effects, int count) {
    for (int i = 0; i < count; i++) {
      effects.send("b", new Ping(100_000 + i));
    }
  }

  private void on(String node, Class<? extends Input> kind, BiConsumer<Input, Effects> does) {
    behaviour.put(
        node,
        (input, effects) -> {
          if (kind.isInstance(input)) {
            does.accept(input, effects);
          }
        });
  }

  private static Topology topology() {
    NodeSpec a = NodeSpec.of("a", "probe", "SH", STEP, SYNC);
    return new Topology(
        List.of(
            a, NodeSpec.of("b", "probe", "BJ", STEP, SYNC).withTrueTime(), a.standby("a2", "SH")),
        ToySystem.NETWORK);
  }

  private void start(long seed, List<Fault> faults) {
    start(seed, faults, HEALED);
  }

  private void start(long seed, List<Fault> faults, long healed) {
    seen.clear();
    answers.clear();
    traces.clear();
    writers.clear();
    sim =
        new Simulator(
            seed,
            new ClockBounds(100, 200),
            topology(),
            spec ->
                (input, clock, effects) -> {
                  seen.add(new Seen(sim.events().now(), spec.id(), input, clock));
                  behaviour.getOrDefault(spec.id(), (i, e) -> {}).accept(input, effects);
                },
            spec -> {
              ByteArrayOutputStream out = new ByteArrayOutputStream();
              traces.put(spec.id(), out);
              writers.add(new TraceWriter(spec.id(), spec.role(), out));
              return writers.get(writers.size() - 1);
            });
    sim.start(new FaultPlan(faults, healed));
  }

  private void run(long seed, List<Fault> faults, long until) {
    start(seed, faults);
    sim.run(until, () -> true);
  }

  private void ask(int number) {
    sim.call("SH", "a", new Ask(number), answers::add);
  }

  private List<Integer> requests(String node) {
    return inputs(node, Input.ClientRequest.class).stream()
        .map(s -> ((Ask) ((Input.ClientRequest) s.input()).request()).number())
        .toList();
  }

  private List<Seen> inputs(String node, Class<? extends Input> kind) {
    return seen.stream().filter(s -> s.node().equals(node) && kind.isInstance(s.input())).toList();
  }

  private List<Seen> delivered(String node) {
    return inputs(node, Input.Deliver.class);
  }

  private List<TraceEvent> events(String node) {
    writers.forEach(TraceWriter::close);
    List<TraceEvent> events = TraceReader.read(node, traces.get(node).toByteArray());
    assertThat(LongStream.range(1, events.size()).allMatch(i -> inOrder(events, (int) i)))
        .as("a log in time order")
        .isTrue();
    return events;
  }

  private static boolean inOrder(List<TraceEvent> events, int i) {
    return events.get(i - 1).at() <= events.get(i).at();
  }

  private List<String> actions(String node) {
    return events(node).stream().map(TraceEvent::action).toList();
  }
}
