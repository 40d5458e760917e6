package dev.plumbline.engage.system;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.plumbline.engage.Broker;
import dev.plumbline.engage.ClientSession;
import dev.plumbline.engage.EngageConfig;
import dev.plumbline.engage.EngageMessage;
import dev.plumbline.engage.EngageTimer;
import dev.plumbline.engage.Layout;
import dev.plumbline.engage.VectorClock;
import dev.plumbline.machine.ClockReading;
import dev.plumbline.machine.Input;
import dev.plumbline.machine.Machine;
import dev.plumbline.machine.NoEffects;
import dev.plumbline.protocol.FaultKind;
import dev.plumbline.protocol.NodeSpec;
import dev.plumbline.protocol.Settings;
import dev.plumbline.protocol.Topology;
import dev.plumbline.sim.Campaign;
import dev.plumbline.sim.Judge;
import dev.plumbline.sim.Judges;
import dev.plumbline.sim.RunConfig;
import dev.plumbline.sim.RunResult;
import dev.plumbline.sim.SimulationRun;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/** ENGAGE under every fault that it tolerates, judged by what each client asked for. */
class EngageSimulationTest {
  private static final EngageSystem ENGAGE = new EngageSystem();
  private static final Campaign CAMPAIGN = new Campaign(Judges.all(ENGAGE), 1);

  private static RunConfig config(
      long seed, Set<FaultKind> faults, List<String> asPublished, Map<String, Long> parameters) {
    return new RunConfig(
        ENGAGE,
        seed,
        150,
        "sessions",
        faults,
        Set.of(),
        new TreeSet<>(asPublished),
        new TreeMap<>(parameters),
        Optional.empty(),
        Optional.empty(),
        true);
  }

  private static List<String> failing(RunConfig config) {
    return CAMPAIGN.report(config).judgements().stream()
        .filter(judgement -> judgement.verdict() == Judge.Verdict.FAILS)
        .map(Judge.Ruling::judge)
        .toList();
  }

  @Test
  void everyGuaranteeHoldsUnderAllFaults() {
    for (long seed = 1; seed <= 6; seed++) {
      RunResult result = SimulationRun.of(config(seed, ENGAGE.tolerated(), List.of(), Map.of()));
      List<Judge.Ruling> judgements = CAMPAIGN.report(result).judgements();
      assertThat(result.stats().committed()).as("seed %s", seed).isGreaterThan(150);
      assertThat(judgements)
          .as("seed %s", seed)
          .noneMatch(judgement -> judgement.verdict() == Judge.Verdict.FAILS)
          .filteredOn(judgement -> judgement.verdict() == Judge.Verdict.HOLDS)
          .extracting(Judge.Ruling::judge)
          .contains(
              "read-your-writes",
              "monotonic-reads",
              "writes-follow-reads",
              "monotonic-writes",
              "causal",
              "convergence",
              "no loss");
    }
  }

  @Test
  void aBrokerThatIsLostForGoodLosesNothing() {
    for (long seed = 1; seed <= 5; seed++) {
      RunConfig config = config(seed, ENGAGE.tolerated(), List.of(), Map.of("lostBroker", 1L));
      RunResult result = SimulationRun.of(config);
      assertThat(failing(config)).as("seed %s", seed).isEmpty();
      assertThat(result.stats().actions()).as("seed %s", seed).containsKey("Crash");
    }
  }

  @Test
  void theSameSeedGivesTheSameBytes() {
    for (Map<String, Long> parameters :
        List.of(Map.<String, Long>of(), Map.of("mesh", 1L), Map.of("setting", 2L))) {
      RunResult one = SimulationRun.of(config(3, ENGAGE.tolerated(), List.of(), parameters));
      RunResult two = SimulationRun.of(config(3, ENGAGE.tolerated(), List.of(), parameters));
      assertThat(one.history().ops()).isEqualTo(two.history().ops());
      assertThat(one.traces().keySet()).isEqualTo(two.traces().keySet());
      one.traces()
          .forEach((node, bytes) -> assertThat(bytes).as(node).isEqualTo(two.traces().get(node)));
      RunResult other = SimulationRun.of(config(4, ENGAGE.tolerated(), List.of(), parameters));
      assertThat(other.history().ops()).isNotEqualTo(one.history().ops());
    }
  }

  @Test
  void thePapersSettingsRun() {
    for (long setting : List.of(1L, 2L)) {
      assertThat(failing(config(1, Set.of(), List.of(), Map.of("setting", setting)))).isEmpty();
    }
  }

  @Test
  void cloudletsWithoutBrokersKeepTheGuaranteesToo() {
    assertThat(failing(config(1, ENGAGE.tolerated(), List.of(), Map.of("mesh", 1L)))).isEmpty();
  }

  @Test
  void asPublishedMessagesThatAreLostAreMissed() {
    List<String> published = List.of(EngageConfig.RESEND);
    assertThat(failing(config(1, Set.of(FaultKind.LOSS, FaultKind.CRASH), published, Map.of())))
        .contains("no loss");
  }

  @Test
  void asPublishedReplicasDisagree() {
    List<String> published = List.of(EngageConfig.TOTAL_ORDER);
    assertThat(failing(config(1, Set.of(), published, Map.of()))).contains("convergence");
  }

  @Test
  void whatWaitsForEverIsAViolation() {
    Settings settings = Settings.repaired(ENGAGE.clockBounds());
    EngageConfig config = ENGAGE.config(settings);
    Layout layout = ENGAGE.layout(settings);
    String name = layout.brokers().get(0);
    List<String> neighbours = layout.neighbours().get(name);
    Broker broker = new Broker(config, layout, name);
    assertThat(ENGAGE.violations(Map.of(name, broker), settings)).isEmpty();

    String source = layout.cloudlets().get(0);
    VectorClock clock =
        new VectorClock(layout.cloudlets().stream().map(c -> c.equals(source) ? 1L : 0L).toList());
    EngageMessage flush = new EngageMessage.Flush(1, 1, clock);
    handle(broker, new Input.Deliver(neighbours.get(0), flush));
    assertThat(ENGAGE.violations(Map.of(name, broker), settings))
        .containsExactly(
            "nothing stuck: at " + name + " metadata waits for a flush that does not come");

    neighbours.forEach(n -> handle(broker, new Input.TimerFired(new EngageTimer.FlushDue(n))));
    assertThat(ENGAGE.violations(Map.of(name, broker), settings))
        .containsExactly(
            "nothing stuck: at "
                + name
                + " "
                + (neighbours.size() - 1)
                + " messages are sent again and again");
    neighbours.forEach(n -> handle(broker, new Input.Deliver(n, new EngageMessage.Ack(1, 1))));
    assertThat(ENGAGE.violations(Map.of(name, broker), settings)).isEmpty();
  }

  /** The successor of a lost broker, and a cloudlet of a mesh: they have links, too. */
  @Test
  void whatWaitsForEverIsAViolationWhoeverWaits() {
    Map<String, String> stuck = new TreeMap<>();
    for (String parameter : List.of("lostBroker", "mesh")) {
      Settings settings = config(1, Set.of(), List.of(), Map.of(parameter, 1L)).settings();
      Topology topology = ENGAGE.topology(settings);
      Layout layout = ENGAGE.layout(settings);
      String name = parameter.equals("mesh") ? "c1" : "b2";
      NodeSpec spec = topology.roles().get(name).get(0);
      Machine machine = ENGAGE.machine(spec, topology, settings);
      handle(machine, new Input.Start(1, List.of()));
      assertThat(ENGAGE.violations(Map.of(name, machine), settings)).isEmpty();
      VectorClock clock = new VectorClock(List.of(1L, 0L, 0L, 0L, 0L));
      ClientSession s = new ClientSession(ENGAGE.config(settings), layout, "s");
      handle(
          machine,
          parameter.equals("mesh")
              ? new Input.ClientRequest(1, (Record) s.write("A/x", "v", name, List.of()))
              : new Input.Deliver("b1", new EngageMessage.Flush(1, 1, clock)));
      ENGAGE.violations(Map.of(name, machine), settings).forEach(v -> stuck.put(parameter, v));
    }
    assertThat(stuck)
        .containsEntry(
            "lostBroker", "nothing stuck: at b2 metadata waits for a flush that does not come")
        .containsEntry("mesh", "nothing stuck: at c1 1 messages are sent again and again");
  }

  private static void handle(Machine broker, Input input) {
    broker.handle(input, ClockReading.local(0), new NoEffects());
  }

  @Test
  void aWorkloadOfTransactionsIsRefused() {
    assertThatThrownBy(
            () ->
                new RunConfig(
                    ENGAGE,
                    1,
                    10,
                    "bank",
                    Set.of(),
                    Set.of(),
                    new TreeSet<>(),
                    new TreeMap<>(),
                    Optional.empty(),
                    Optional.empty(),
                    false))
        .hasMessageContaining("cannot run the workload bank; they run sessions");
  }
}
