package dev.plumbline.bugs;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumbline.protocol.FaultKind;
import dev.plumbline.protocol.ProtocolSystem;
import dev.plumbline.protocol.Protocols;
import dev.plumbline.protocol.SeededBug;
import dev.plumbline.sim.Campaign;
import dev.plumbline.sim.Judge;
import dev.plumbline.sim.Judges;
import dev.plumbline.sim.RunConfig;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Seeded bugs show in what clients see, or say so. Seeds were searched for: bugs/*.csv. */
class SeededBugsTest {
  /** Judges of what is in the nodes once all is done: no client sees that. */
  private static final String INSIDE = "invariants";

  private static List<SeededBug> bugs(String protocol) {
    return Protocols.bugs(protocol, SeededBugsTest.class.getClassLoader());
  }

  /** A protocol's name, and after it the fields of a line of its file. */
  private static Stream<String[]> runs() {
    return Stream.of("dast", "engage", "k2", "metric")
        .flatMap(
            protocol ->
                lines("/bugs/" + protocol + ".csv")
                    .map(line -> (protocol + " | " + line).split(" \\| ", -1)));
  }

  private static Stream<String> lines(String resource) {
    try (InputStream file = SeededBugsTest.class.getResourceAsStream(resource)) {
      return new String(file.readAllBytes(), StandardCharsets.UTF_8).lines();
    } catch (IOException e) {
      throw new IllegalStateException(resource, e);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"dast", "engage", "k2", "metric"})
  void bugsHaveNamesOfTheirOwnAndARunEach(String protocol) {
    assertThat(bugs(protocol)).extracting(SeededBug::description).doesNotHaveDuplicates();
    assertThat(runs().filter(run -> run[0].equals(protocol)).map(run -> run[1]))
        .hasSizeGreaterThanOrEqualTo(6)
        .containsExactlyInAnyOrderElementsOf(bugs(protocol).stream().map(SeededBug::name).toList());
  }

  @ParameterizedTest(name = "{0} {1}")
  @MethodSource("runs")
  void theJudgesCatch(
      String protocol,
      String name,
      long seed,
      String workload,
      String faults,
      String parameters,
      String clients) {
    SeededBug bug =
        bugs(protocol).stream()
            .filter(candidate -> candidate.name().equals(name))
            .findFirst()
            .orElseThrow();
    assertThat(
            failing(config(protocol, seed, workload, faults, parameters, Optional.of(bug))).stream()
                .anyMatch(judge -> !judge.equals(INSIDE)))
        .isEqualTo(clients.equals("seen"));
    assertThat(clients).matches("seen|unseen: .+");
    assertThat(failing(config(protocol, seed, workload, faults, parameters, Optional.empty())))
        .isEmpty();
  }

  private static RunConfig config(
      String protocol,
      long seed,
      String workload,
      String faults,
      String parameters,
      Optional<SeededBug> bug) {
    ProtocolSystem system = Protocols.named(protocol);
    return new RunConfig(
        system,
        seed,
        200,
        workload,
        FaultKind.parse(faults, system.tolerated()),
        Set.of(),
        new TreeSet<>(),
        parameters(parameters),
        bug,
        Optional.empty(),
        false);
  }

  private static List<String> failing(RunConfig config) {
    return new Campaign(Judges.all(config.protocol()), 1)
        .report(config).judgements().stream()
            .filter(judgement -> judgement.verdict() == Judge.Verdict.FAILS)
            .map(Judge.Ruling::judge)
            .toList();
  }

  /** {@code name=number} pairs, apart by blanks; {@code -} for none. */
  private static SortedMap<String, Long> parameters(String text) {
    SortedMap<String, Long> parameters = new TreeMap<>();
    if (!text.equals("-")) {
      Arrays.stream(text.split(" ", -1))
          .map(pair -> pair.split("=", -1))
          .forEach(pair -> parameters.put(pair[0], Long.valueOf(pair[1])));
    }
    return parameters;
  }
}
