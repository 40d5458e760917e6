package dev.plumbline.node;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumbline.machine.Input;
import dev.plumbline.machine.Machine;
import dev.plumbline.machine.Message;
import dev.plumbline.protocol.FaultKind;
import dev.plumbline.protocol.NodeSpec;
import dev.plumbline.protocol.ProtocolSystem;
import dev.plumbline.protocol.Protocols;
import dev.plumbline.protocol.Settings;
import dev.plumbline.protocol.Topology;
import dev.plumbline.sim.RunConfig;
import dev.plumbline.sim.SimulationRun;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.EnumSet;
import java.util.IdentityHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The protocols' nodes take from each other all that their machines send. */
class TakenTypesTest {
  private static final int SEEDS = 2;

  static Stream<ProtocolSystem> protocols() {
    return Protocols.all().stream();
  }

  @FunctionalInterface
  private interface Taken {
    Set<Class<?>> from(String from, String to);
  }

  /** Notes what a protocol's machines are sent, and what of it they do not take. */
  private static final class Listener implements InvocationHandler {
    private final ProtocolSystem of;
    private final Taken taken;
    private final Map<Machine, Machine> inner = new IdentityHashMap<>();
    private final Set<String> refused = new TreeSet<>();
    private final Set<String> used = new TreeSet<>();

    Listener(ProtocolSystem of, Taken taken) {
      this.of = of;
      this.taken = taken;
    }

    @Override
    public Object invoke(Object proxy, Method method, Object[] args) throws Throwable {
      if (method.getName().equals("machine")) {
        return listened((NodeSpec) args[0], (Topology) args[1], (Settings) args[2]);
      } else if (method.getName().equals("violations")) {
        Map<String, Machine> machines = new TreeMap<>();
        ((Map<?, ?>) args[0])
            .forEach((role, machine) -> machines.put((String) role, inner.get(machine)));
        return of.violations(machines, (Settings) args[1]);
      }
      return method.invoke(of, args);
    }

    private Machine listened(NodeSpec node, Topology topology, Settings settings) {
      Machine correct = of.machine(node, topology, settings);
      Machine listened =
          (input, clock, effects) -> {
            if (input instanceof Input.Deliver deliver && !deliver.from().equals(node.role())) {
              String from = topology.roles().get(deliver.from()).get(0).kind();
              note(from, node.kind(), deliver.message());
            } else if (input instanceof Input.ClientRequest request) {
              String said = "client to " + node.kind() + ": " + request.request().getClass();
              used.add(said);
              if (!of.requests(node.kind()).contains(request.request().getClass())) {
                refused.add(said);
              }
            }
            correct.handle(input, clock, effects);
          };
      inner.put(listened, correct);
      return listened;
    }

    private void note(String from, String to, Message message) {
      String said = from + " to " + to + ": " + message.getClass().getSimpleName();
      used.add(said);
      if (!taken.from(from, to).contains(message.getClass())) {
        refused.add(said);
      }
    }
  }

  private static Listener listen(ProtocolSystem protocol, Taken taken) {
    Listener listener = new Listener(protocol, taken);
    ProtocolSystem listened =
        (ProtocolSystem)
            Proxy.newProxyInstance(
                TakenTypesTest.class.getClassLoader(),
                new Class<?>[] {ProtocolSystem.class},
                listener);
    Set<FaultKind> faults = EnumSet.copyOf(protocol.tolerated());
    for (int seed = 1; seed <= SEEDS; seed++) {
      SimulationRun.of(
          new RunConfig(
              listened,
              seed,
              40,
              listened.workloads().get(0),
              faults,
              Set.of(),
              new TreeSet<>(),
              new TreeMap<>(),
              Optional.empty(),
              Optional.empty(),
              false));
    }
    return listener;
  }

  @ParameterizedTest
  @MethodSource("protocols")
  void whatIsSentIsTaken(ProtocolSystem protocol) {
    Listener listener = listen(protocol, protocol::messages);
    assertThat(listener.refused).isEmpty();
    assertThat(listener.used).hasSizeGreaterThan(3);
  }

  @ParameterizedTest
  @MethodSource("protocols")
  void oneThatIsMissingIsFound(ProtocolSystem protocol) {
    String message =
        listen(protocol, protocol::messages).used.stream()
            .filter(said -> !said.startsWith("client "))
            .findFirst()
            .orElseThrow();
    Taken without =
        (from, to) ->
            protocol.messages(from, to).stream()
                .filter(type -> !message.equals(from + " to " + to + ": " + type.getSimpleName()))
                .collect(Collectors.toSet());
    assertThat(listen(protocol, without).refused).contains(message);
  }
}
