package dev.plumbline.mutate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.plumbline.check.Unjudged;
import dev.plumbline.check.Workspace;
import dev.plumbline.parts.Ending;
import dev.plumbline.parts.Shard;
import dev.plumbline.tlc.InputError;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What is read from PIT, and what a verdict of the past depends on. */
class MachineMutationTest {
  @TempDir private Path sources;

  @BeforeEach
  void source() throws IOException {
    Files.createDirectories(sources.resolve("p"));
    Files.writeString(sources.resolve("p/C.java"), "class C {\n  x = a < b && c < d;\n}\n");
  }

  private static String mutant(String className, int index, String status) {
    return mutant(className, index, status, 1);
  }

  private static String mutant(String className, int index, String status, int testsRun) {
    return """
        <mutation detected='true' status='%s' numberOfTestsRun='%d'><sourceFile>C.java</sourceFile>\
        <mutatedClass>%s</mutatedClass><mutatedMethod>m</mutatedMethod>\
        <lineNumber>2</lineNumber><mutator>org.x.MathMutator</mutator>\
        <indexes><index>%d</index></indexes><killingTest/><description>changed</description>\
        </mutation>
        """
        .formatted(status, testsRun, className, index);
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

  /** One more lambda before it in its class. */
  @Test
  void aLambdasNumberIsNotInItsMutantsName() {
    String first =
        mutant("p.C", 3, "KILLED")
            .replace(">m<", ">lambda$m$1<")
            .replace(">changed<", ">replaced return value with null for p/C::lambda$m$1<");
    MachineReport.Result mutant = parsed(first).get(0);
    assertThat(mutant).isEqualTo(parsed(first.replace("$1<", "$12<")).get(0));
    assertThat(mutant.id()).startsWith("C.lambda$m.Math.");
  }

  @Test
  void howMachinesAreRunIsNoneOfTheirs() throws IOException {
    for (String file : List.of("p/M.class", "p/M$N.class", "p/o/M.class", "p/system/S.class")) {
      Path at = sources.resolve("dev").resolve(file);
      Files.createDirectories(at.getParent());
      Files.createFile(at);
    }
    MutantsFile.Machines machines =
        new MutantsFile.Machines(
            List.of("dev.p.*"), List.of("dev.p.o.*"), List.of(), 0, Map.of(), Map.of(), Map.of());
    assertThat(MachineMutation.classes(sources, machines)).containsExactly("dev.p.M");
  }

  @Test
  void aBrokenReportIsAnError() {
    assertThatThrownBy(() -> parsed("<mutation>")).isInstanceOf(InputError.class);
  }

  private void execute(String... command) {
    MachineMutation.execute(
        List.of(command), sources, sources.resolve("out/said.log"), "PIT failed", () -> {});
  }

  /** A machine without PIT's needs says nothing of the mutants, and nothing of the code. */
  @Test
  void whatCannotRunIsTheMachinesFaultUnlessItNamesTheCode() {
    execute("true");
    assertThatThrownBy(() -> execute("no-such-program"))
        .isInstanceOf(Unjudged.class)
        .hasMessageContaining("no-such-program cannot be run");
    assertThatThrownBy(() -> execute("sh", "-c", "kill -9 $$"))
        .isInstanceOf(Unjudged.class)
        .hasMessageContaining("PIT failed: it was ended by signal 9");
    assertThatThrownBy(() -> execute("sh", "-c", "echo Could not resolve dependencies; exit 1"))
        .isInstanceOf(Unjudged.class)
        .hasMessageContaining("PIT failed: it ended with exit code 1; see ");
    for (String said :
        List.of("3 tests did not pass without mutation when calculating", "COMPILATION ERROR :")) {
      assertThatThrownBy(() -> execute("sh", "-c", "echo '" + said + "'; exit 1"))
          .isInstanceOf(InputError.class);
    }
  }

  /** Each would delete what the other has. */
  @Test
  void oneCommandAtATimeMutatesTheMachinesOfAProtocol() {
    Path lock = sources.resolve(".plumb/run/p/mutate/lock");
    MachineMutation second =
        new MachineMutation(new Workspace(sources), "p", MutantsFile.Machines.NONE, null);
    assertThatThrownBy(
            () -> Workspace.alone(lock, "first", () -> second.run(1, false, Shard.WHOLE)))
        .isInstanceOf(Unjudged.class)
        .hasMessageContaining("mutate machines of p: another command does the same here");
    assertThat(Workspace.alone(lock, "third", () -> "done")).isEqualTo("done");
  }

  /** Each class fills units of 40, and the rest is one more; the report may end amid one. */
  @Test
  void progressCountsUnitsOfClasses() {
    String report = mutant("p.C", 1, "KILLED").repeat(81) + mutant("p.C$D", 1, "KILLED");
    assertThat(MachineMutation.units("<mutations>" + report + "<mutation><mutatedCl")).isEqualTo(4);
    assertThat(MachineMutation.units("<mutations>")).isZero();
  }

  /** What PIT announces as its units is the mutants that it has to judge. */
  @Test
  void whatAnEarlierRunRemembersIsNoProgress() {
    String remembered = mutant("p.C", 1, "KILLED", 0) + mutant("p.C", 2, "SURVIVED", 0);
    String unreached = mutant("p.D", 1, "NO_COVERAGE", 0);
    assertThat(MachineMutation.units(remembered.repeat(30) + unreached)).isEqualTo(1);
  }

  /** Whether PIT kills one whose runs do not end depends on the load of the machine. */
  @Test
  void anEndlessMutantNeitherCountsNorFails() {
    List<MachineReport.Result> endless = new ArrayList<>();
    for (String status : List.of("KILLED", "TIMED_OUT", "MEMORY_ERROR")) {
      endless.add(
          new MachineReport.Result("C.m." + status, "C.java", 1, "", "", status, "", "")
              .listed(MutantsFile.ENDLESS + "why"));
    }
    MachineReport report = new MachineReport("p", 0, 0, endless, List.of());
    assertThat(report.killed()).isZero();
    assertThat(report.faults()).isEmpty();
    MachineReport.Result open = endless.get(0).listed("open: why");
    assertThat(new MachineReport("p", 0, 0, List.of(open), List.of()).faults())
        .containsExactly("listed in mutants.yaml, but it is killed: C.m.KILLED");
  }

  private static MachineReport report(int least, String... statuses) {
    List<MachineReport.Result> all = new ArrayList<>();
    for (String status : statuses) {
      String id = "C.m." + status + all.size();
      all.add(new MachineReport.Result(id, "p/C.java", 1, "", "", status, "", ""));
    }
    return new MachineReport("p", least, least, all, List.of());
  }

  /** A limit that was met, or a process that ended, says nothing of the tests. */
  @ParameterizedTest
  @CsvSource({
    "SURVIVED, VIOLATED, <failure",
    "NO_COVERAGE, VIOLATED, <failure",
    "TIMED_OUT, TIME_OUT, <error",
    "MEMORY_ERROR, TIME_OUT, <error",
    "RUN_ERROR, ENVIRONMENT, <error"
  })
  void whatPitDoesNotJudgeIsNoSurvivor(String status, Ending ending, String junit) {
    MachineReport report = report(0, "KILLED", status);
    assertThat(report.endings()).contains(ending);
    assertThat(report.faults()).hasSize(ending == Ending.VIOLATED ? 1 : 0);
    assertThat(report.parts(List.of("p.C"), 1).get(0).outcome()).isEqualTo(ending);
    assertThat(report.junit()).contains(junit);
    assertThat(report.json().path("faults")).hasSize(1);
    assertThat(report.text())
        .contains(ending == Ending.VIOLATED ? "FAILED  " : "unknown  ")
        .contains(status.toLowerCase(Locale.ROOT).replace('_', ' ') + ": C.m." + status);
  }

  @Test
  void whatPitDoesNotJudgeIsNoPartOfTheShareThatIsDemanded() {
    MachineReport report = report(90, "KILLED", "TIMED_OUT");
    assertThat(report.faults()).isEmpty();
    assertThat(report.share().met()).isTrue();
    assertThat(report(90, "TIMED_OUT").faults()).isEmpty();
    assertThat(report(90, "KILLED", "SURVIVED", "TIMED_OUT").faults())
        .contains("50.0% of the machine mutants are killed, demanded are 90%");
    assertThat(report(90).faults()).hasSize(1);
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
