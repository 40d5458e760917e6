package dev.plumbline.mutate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.plumbline.tlc.InputError;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What is read from PIT, and what a verdict of the past depends on. */
class MachineMutationTest {
  @TempDir private Path sources;

  @BeforeEach
  void source() throws IOException {
    Files.createDirectories(sources.resolve("p"));
    Files.writeString(sources.resolve("p/C.java"), "class C {\n  x = a < b && c < d;\n}\n");
  }

  private static String mutant(String className, int index, String status) {
    return """
        <mutation detected='true' status='%s'><sourceFile>C.java</sourceFile>\
        <mutatedClass>%s</mutatedClass><mutatedMethod>m</mutatedMethod>\
        <lineNumber>2</lineNumber><mutator>org.x.MathMutator</mutator>\
        <indexes><index>%d</index></indexes><killingTest/><description>changed</description>\
        </mutation>
        """
        .formatted(status, className, index);
  }

  private List<MachineReport.Result> parsed(String mutants) {
    return MachineMutation.parse("<mutations>" + mutants + "</mutations>", sources);
  }

  /** PIT's threads report in any order; a reason must stay with its mutant. */
  @Test
  void mutantsOfOneLineAreNumberedByTheirPlace() throws IOException {
    String early = mutant("p.C", 3, "KILLED");
    String late = mutant("p.C", 9, "SURVIVED");
    List<MachineReport.Result> forth = parsed(early + late);
    assertThat(forth).isEqualTo(parsed(late + early));
    assertThat(forth.get(1).id()).isEqualTo(forth.get(0).id() + "-2").startsWith("C.m.Math.");
    assertThat(forth)
        .extracting(MachineReport.Result::status)
        .containsExactly("KILLED", "SURVIVED");
  }

  @Test
  void aBrokenReportIsAnError() {
    assertThatThrownBy(() -> parsed("<mutation>")).isInstanceOf(InputError.class);
  }

  /** Each class fills units of 20, and the rest is one more; the report may end amid one. */
  @Test
  void progressCountsUnitsOfClasses() {
    String report = mutant("p.C", 1, "KILLED").repeat(41) + mutant("p.C$D", 1, "KILLED");
    assertThat(MachineMutation.units("<mutations>" + report + "<mutation><mutatedCl")).isEqualTo(4);
    assertThat(MachineMutation.units("<mutations>")).isZero();
  }

  @Test
  void whatIsSaidOfMutantsDecidesNothing() throws IOException {
    for (String name : List.of("mutants.yaml", "README.md", "checks.yaml", "M.tla")) {
      Path file = Files.createFile(sources.resolve(name));
      assertThat(MachineMutation.counts(file)).as(name).isEqualTo(name.equals("M.tla"));
    }
    assertThat(MachineMutation.counts(sources)).isFalse();
  }
}
