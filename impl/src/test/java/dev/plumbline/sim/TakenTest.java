package dev.plumbline.sim;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumbline.protocol.ProtocolSystem;
import dev.plumbline.protocol.Protocols;
import java.lang.reflect.Proxy;
import java.util.EnumSet;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** A simulated run fails at what processes of its protocol would refuse. */
class TakenTest {
  /** All that have messages between processes: a toy has none. */
  static Stream<ProtocolSystem> protocols() {
    return Protocols.all().stream().filter(p -> !p.getClass().getPackageName().endsWith(".toy"));
  }

  private static String violations(ProtocolSystem protocol) {
    RunConfig config =
        new RunConfig(
            protocol,
            1,
            40,
            protocol.workloads().get(0),
            EnumSet.copyOf(protocol.tolerated()),
            Set.of(),
            new TreeSet<>(),
            new TreeMap<>(),
            Optional.empty(),
            Optional.empty(),
            false);
    return String.join("\n", SimulationRun.of(config).violations());
  }

  /** A protocol whose processes take nothing where this one says what they take. */
  private static ProtocolSystem without(ProtocolSystem of, String said) {
    return (ProtocolSystem)
        Proxy.newProxyInstance(
            TakenTest.class.getClassLoader(),
            new Class<?>[] {ProtocolSystem.class},
            (proxy, method, args) -> {
              Object told = method.invoke(of, args);
              return method.getName().equals(said) && !told.equals(Set.of())
                  ? Set.of(TakenTest.class)
                  : told;
            });
  }

  @ParameterizedTest
  @MethodSource("protocols")
  void whatIsSentIsTaken(ProtocolSystem protocol) {
    assertThat(violations(protocol)).isEmpty();
  }

  @ParameterizedTest
  @MethodSource("protocols")
  void whatIsNotSaidToBeTakenIsFound(ProtocolSystem protocol) {
    assertThat(violations(without(protocol, "messages")))
        .startsWith("a process would refuse ")
        .contains(": add it to messages(\"");
    assertThat(violations(without(protocol, "requests")))
        .startsWith("a process would refuse ")
        .contains(": add it to requests(\"");
  }
}
