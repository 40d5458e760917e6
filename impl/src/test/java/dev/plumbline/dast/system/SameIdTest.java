package dev.plumbline.dast.system;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumbline.dast.DastRequest;
import dev.plumbline.dast.DastResponse;
import dev.plumbline.dast.DastTimer;
import dev.plumbline.dast.Procedures;
import dev.plumbline.dast.Replica;
import dev.plumbline.dast.Step;
import dev.plumbline.dast.Txn;
import dev.plumbline.machine.ClockReading;
import dev.plumbline.machine.Input;
import dev.plumbline.machine.Machine;
import dev.plumbline.machine.Message;
import dev.plumbline.machine.NoEffects;
import dev.plumbline.protocol.NodeSpec;
import dev.plumbline.protocol.Settings;
import dev.plumbline.protocol.Topology;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A client that gives two transactions one id harms nobody, whichever nodes it asks. */
class SameIdTest {
  private static final String ID = "7";

  private record Sent(String to, Input input) {}

  private final Map<String, Machine> machines = new LinkedHashMap<>();
  private final ArrayDeque<Sent> network = new ArrayDeque<>();
  private final List<Record> replies = new ArrayList<>();
  private DastDeployment layout;
  private long wall = 1_000;

  private void start(long regions, long suspectMicros) {
    DastSystem system = new DastSystem();
    Settings settings =
        new Settings(
            system.clockBounds(),
            new TreeSet<>(),
            new TreeMap<>(
                Map.of("regions", regions, "shards", 1L, "suspectMicros", suspectMicros)));
    layout = DastDeployment.of(settings);
    Topology topology = system.topology(settings);
    for (NodeSpec node : topology.nodes()) {
      machines.put(node.role(), system.machine(node, topology, settings));
    }
    machines.keySet().forEach(role -> give(role, new Input.Start(1, List.of())));
  }

  private void give(String role, Input input) {
    machines
        .get(role)
        .handle(
            input,
            ClockReading.local(wall),
            new NoEffects() {
              @Override
              public void send(String to, Message message) {
                network.add(new Sent(to, new Input.Deliver(role, message)));
              }

              @Override
              public void reply(long request, Record response) {
                replies.add(response);
              }
            });
  }

  private void append(String node, long value, long... keys) {
    Map<String, Txn.Part> parts = new LinkedHashMap<>();
    for (int i = 0; i < keys.length; i++) {
      Step step = new Step(i, Step.Kind.APPEND, keys[i], value);
      parts.put(layout.shard(keys[i]), new Txn.Part(Procedures.ACCESS, List.of(step)));
    }
    Txn txn = new Txn(ID, Procedures.ACCESS, parts);
    give(node, new Input.ClientRequest(value, new DastRequest(txn)));
  }

  private void goOn() {
    for (int turn = 0; turn < 50; turn++) {
      wall += 20_000;
      machines.keySet().forEach(role -> give(role, new Input.TimerFired(new DastTimer.Tell())));
      while (!network.isEmpty()) {
        Sent next = network.poll();
        give(next.to(), next.input());
      }
    }
  }

  private void demandBoth() {
    assertThat(replies).hasSize(2);
    assertThat(replies).allMatch(DastResponse.Executed.class::isInstance);
    for (String shard : layout.shards()) {
      List<Long> first = null;
      for (String node : layout.replicas(shard)) {
        Map<Long, List<Long>> store = ((Replica) machines.get(node)).store();
        List<Long> list = store.values().iterator().next();
        first = first == null ? list : first;
        assertThat(list).as(node).isEqualTo(first).containsExactlyInAnyOrder(1L, 11L, 12L);
      }
    }
  }

  @ParameterizedTest
  @ValueSource(longs = {0, 1_000_000_000})
  void atTwoNodesOfARegion(long suspectMicros) {
    start(1, suspectMicros);
    append("r1s1n1", 11, 0);
    append("r1s1n2", 12, 0);
    goOn();
    demandBoth();
  }

  @ParameterizedTest
  @ValueSource(longs = {0, 1_000_000_000})
  void atTwoRegions(long suspectMicros) {
    start(2, suspectMicros);
    append("r1s1n1", 11, 0, 2);
    append("r2s1n2", 12, 0, 2);
    goOn();
    demandBoth();
  }

  /** The second is asked for when the first has ended. */
  @ParameterizedTest
  @ValueSource(longs = {0, 1_000_000_000})
  void oneAfterTheOther(long suspectMicros) {
    start(1, suspectMicros);
    append("r1s1n1", 11, 0);
    goOn();
    append("r1s1n2", 12, 0);
    goOn();
    demandBoth();
  }
}
