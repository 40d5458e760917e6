package dev.plumbline.bugs.metric;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumbline.sim.Campaign;
import dev.plumbline.sim.FaultKind;
import dev.plumbline.sim.Judge;
import dev.plumbline.sim.Judges;
import dev.plumbline.sim.Protocols;
import dev.plumbline.sim.RunConfig;
import dev.plumbline.sim.SeededBug;
import dev.plumbline.sim.metric.MetricSystem;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvFileSource;

/** Seeded bugs show in what clients see, or say so. Seeds were searched for: bugs/metric.csv. */
class MetricBugsTest {
  private static final Campaign CAMPAIGN = new Campaign(Judges.all(), 1);

  private static List<SeededBug> bugs() {
    return Protocols.bugs("metric", MetricBugsTest.class.getClassLoader());
  }

  @Test
  void bugsHaveNamesOfTheirOwn() {
    assertThat(bugs()).hasSizeGreaterThanOrEqualTo(12);
    assertThat(bugs()).extracting(SeededBug::name).doesNotHaveDuplicates();
    assertThat(bugs()).extracting(SeededBug::description).doesNotHaveDuplicates();
  }

  @ParameterizedTest
  @CsvFileSource(resources = "/bugs/metric.csv", delimiter = '|')
  void theJudgesCatch(
      String name, long seed, String workload, String faults, String parameters, String clients) {
    SeededBug bug =
        bugs().stream()
            .filter(candidate -> candidate.name().equals(name))
            .findFirst()
            .orElseThrow();
    assertThat(
            failing(config(seed, workload, faults, parameters, Optional.of(bug))).stream()
                .anyMatch(judge -> judge.startsWith("strict serializability")))
        .isEqualTo(clients.equals("seen"));
    assertThat(failing(config(seed, workload, faults, parameters, Optional.empty()))).isEmpty();
  }

  private static RunConfig config(
      long seed, String workload, String faults, String parameters, Optional<SeededBug> bug) {
    return new RunConfig(
        new MetricSystem(),
        seed,
        200,
        workload,
        FaultKind.parse(faults),
        Set.of(),
        new TreeSet<>(),
        parameters(parameters),
        bug,
        Optional.empty(),
        false);
  }

  private static List<String> failing(RunConfig config) {
    return CAMPAIGN.report(config).judgements().stream()
        .filter(judgement -> judgement.verdict() == Judge.Verdict.FAILS)
        .map(Judge.Judgement::judge)
        .toList();
  }

  /** {@code name=number} pairs, apart by blanks; {@code -} for none. */
  private static SortedMap<String, Long> parameters(String text) {
    SortedMap<String, Long> parameters = new TreeMap<>();
    if (!text.equals("-")) {
      for (String pair : List.of(text.split(" ", -1))) {
        parameters.put(
            pair.substring(0, pair.indexOf('=')),
            Long.valueOf(pair.substring(pair.indexOf('=') + 1)));
      }
    }
    return parameters;
  }
}
