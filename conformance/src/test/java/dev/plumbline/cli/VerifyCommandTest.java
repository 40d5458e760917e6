package dev.plumbline.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumbline.audit.Planned;
import dev.plumbline.check.ToyWorkspace;
import dev.plumbline.check.Workspace;
import dev.plumbline.parts.Ending;
import dev.plumbline.parts.KeptSeeds;
import dev.plumbline.parts.Ledger;
import dev.plumbline.parts.Merge;
import dev.plumbline.parts.Part;
import dev.plumbline.parts.Shard;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class VerifyCommandTest {
  /** A claim about a model that was declared wrongly does not ask for two hours of runs again. */
  @ParameterizedTest
  @CsvSource({
    "simulate, checks.yaml, false",
    "jepsen, mutants.yaml, false",
    "bugs, README.md, false",
    "replay, README.md, false",
    "replay, checks.yaml, true",
    "coverage, coverage.yaml, true",
    "simulate, coverage.yaml, true",
    "simulate, Mvto.tla, true",
    "simulate, DastSystem.class, true"
  })
  void whatAStagesResultDependsOn(String stage, String file, boolean decides) {
    assertThat(StageInput.decides(stage, Path.of("specs/k2").resolve(file))).isEqualTo(decides);
  }

  @ParameterizedTest
  @CsvSource({
    "0, holds, ''", "1, FAILED, failure", "2, unknown (exit 2), error",
    "3, environment, error", "4, unknown, skipped", "-1, not run, skipped"
  })
  void ofWhatEndedSoNoOutcomeIsTakenForAnother(int exit, String word, String junit) {
    assertThat(VerifyCommand.word(exit))
        .isEqualTo(word)
        .startsWith(exit == 1 ? word : Ending.of(exit).toString());
    assertThat(VerifyCommand.junit(exit)).isEqualTo(junit);
  }

  @Test
  void anotherJarOfTheSameNameAndSizeIsAnotherOne(@TempDir Path folder) throws IOException {
    Path jar = Files.writeString(folder.resolve("a.jar"), "one");
    String before = StageInput.contents("code", List.of(jar));
    FileTime then = Files.getLastModifiedTime(jar);
    Files.setLastModifiedTime(Files.writeString(jar, "two"), then);
    assertThat(StageInput.contents("code", List.of(jar))).isNotEqualTo(before);
  }

  /** Else what it said of the new text would be remembered, and shown, for the old one. */
  @Test
  void aSpecificationThatIsEditedWhileAStageRunsIsNoticed(@TempDir Path root) throws IOException {
    ToyWorkspace.copyTo(root);
    Workspace workspace = new Workspace(root);
    Map<String, String> contents = new HashMap<>();
    List<Planned> before = StageInput.planned(List.of("toy"), "quick", workspace, contents);
    assertThat(StageInput.edited("toy", "check", workspace, contents)).isFalse();
    ToyWorkspace.edit(root, "TwoPhase.tla", "msgs = {}", "msgs = { }");
    assertThat(StageInput.edited("toy", "check", workspace, contents)).isTrue();
    assertThat(StageInput.planned(List.of("toy"), "quick", workspace, contents))
        .as("what follows is of the new text")
        .isNotEqualTo(before);
    assertThat(StageInput.edited("toy", "check", workspace, contents)).isFalse();
  }

  /** The stage compares a page of docs, which no other stage reads, with runs and classes. */
  @Test
  void whatTheStageOfSeededBugsDependsOn(@TempDir Path root) throws IOException {
    Workspace workspace = new Workspace(root);
    List<Path> read = StageInput.bugs("k2", workspace);
    assertThat(read).contains(Bugs.from(null), Bugs.table("k2"));
    Path page = root.resolve("docs/seeded-bugs-k2.md");
    Files.createDirectories(page.getParent());
    Files.writeString(page, "| `early-commit` | caught |");
    String before = StageInput.contents("bugs", read);
    Files.writeString(page, "| `early-commit` | missed |");
    assertThat(StageInput.contents("bugs", read)).isNotEqualTo(before);
  }

  @Test
  void aJudgeThatIsInstalledLaterChangesWhatAStageSays(@TempDir Path root) throws IOException {
    Workspace workspace = new Workspace(root);
    String before = StageInput.judges(workspace);
    Path adya = root.resolve(".plumb/adya/bin/adya");
    Files.createDirectories(adya.getParent());
    assertThat(Files.createFile(adya).toFile().setExecutable(true)).isTrue();
    assertThat(StageInput.judges(workspace)).isNotEqualTo(before);
  }

  @Test
  void whatAnotherJavaSaidIsNoAnswer() throws IOException {
    Workspace workspace = new Workspace(Path.of("").toAbsolutePath().getParent());
    Map<String, String> contents = new HashMap<>();
    List<Planned> before = StageInput.planned(List.of("k2"), "quick", workspace, contents);
    for (String name : List.of("java.vm.version", "java.vm.vendor")) {
      String own = System.getProperty(name);
      try {
        System.setProperty(name, own + "-other");
        assertThat(StageInput.planned(List.of("k2"), "quick", workspace, contents))
            .hasSameSizeAs(before)
            .extracting(Planned::input)
            .doesNotContainAnyElementsOf(before.stream().map(Planned::input).toList());
      } finally {
        System.setProperty(name, own);
      }
    }
    assertThat(StageInput.planned(List.of("k2"), "quick", workspace, contents)).isEqualTo(before);
  }

  /**
   * Else a machine would restore the share of another split, and a part would be done by nobody.
   */
  @Test
  void aShareIsAnotherOneWhereWorkIsSplitByOtherTimes(@TempDir Path root) {
    Workspace workspace = new Workspace(root);
    List<String> share = List.of("worlds", "toy", "--shard", "1/2");
    String before = StageInput.split(share, "worlds toy", workspace);
    Ledger ledger = new Ledger(workspace, "worlds toy", Shard.WHOLE, List.of("a"));
    ledger.add(new Part("a", Ending.HOLDS, "holds", "", 7));
    ledger.write();
    new Merge(List.of(workspace.made()), null).keep(workspace.cache());
    assertThat(StageInput.split(share, "worlds toy", workspace)).isNotEqualTo(before);
    assertThat(StageInput.split(List.of("worlds", "toy"), "worlds toy", workspace)).isEmpty();
  }

  /** Else a stage that held once would be green while a seed of it is known to fail. */
  @Test
  void aSeedThatFailedChangesWhatTheStageThatRunsItSays(@TempDir Path root) {
    Workspace workspace = new Workspace(root);
    String ledger = SimulateCommand.stage("toy", "list-append", 200);
    assertThat(StageInput.kept("simulate", ledger, workspace)).isEmpty();
    KeptSeeds.of(workspace).update(ledger, List.of(new KeptSeeds.Kept(7, false, "a", "", "")));
    assertThat(StageInput.kept("simulate", ledger, workspace)).isNotEmpty();
    assertThat(StageInput.kept("worlds", ledger, workspace)).isEmpty();
  }
}
