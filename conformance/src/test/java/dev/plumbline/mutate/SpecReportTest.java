package dev.plumbline.mutate;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumbline.parts.Ending;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What the fate of a mutant makes of the run: of one machine, and of a merge of several. */
class SpecReportTest {
  @ParameterizedTest
  @CsvSource({
    "KILLED, '', HOLDS, ''",
    "SURVIVES, '', VIOLATED, <failure",
    "SURVIVES, argued, HOLDS, <skipped",
    "UNREACHED, '', VIOLATED, <failure",
    "UNREACHED, argued, HOLDS, <skipped",
    "TIME_OUT, '', TIME_OUT, <error",
    "TIME_OUT, argued, HOLDS, <skipped",
    "KILLED, argued, VIOLATED, <failure",
    "SAME_GRAPH, '', HOLDS, <skipped",
    "SAME_GRAPH, argued, VIOLATED, <failure",
    "REACHED, '', HOLDS, />",
    "REACHED, argued, HOLDS, />"
  })
  void aMutantIsTheSameToOneMachineAndToAMerge(
      Fate fate, String reason, Ending ending, String junit) {
    Mutant mutant = new Mutant("m", "Module", "Op", "kind", 1, "a", "b", "a");
    SpecReport report =
        new SpecReport(
            "toy",
            1,
            fate == Fate.REACHED,
            List.of(new SpecResult(mutant, fate, Map.of(), "note", reason)),
            List.of(),
            List.of(),
            List.of(),
            new MutantsFile(Path.of("mutants.yaml"), List.of(), Map.of(), null));
    assertThat(report.parts(Map.of())).last().extracting("outcome").isEqualTo(ending);
    assertThat(report.faults()).hasSize(ending == Ending.VIOLATED ? 1 : 0);
    assertThat(report.late()).hasSize(ending == Ending.TIME_OUT ? 1 : 0);
    assertThat(report.junit()).contains(junit);
    assertThat(report.json().path("faults")).hasSize(ending == Ending.HOLDS ? 0 : 1);
  }
}
