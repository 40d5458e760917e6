package dev.plumbline.check;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumbline.check.Records.Known;
import dev.plumbline.parts.Shard;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RecordsTest {
  @TempDir Path root;

  @BeforeEach
  void toy() throws IOException {
    ToyWorkspace.copyTo(root);
  }

  private void check(String name) {
    Board quiet = new Board(new PrintStream(new ByteArrayOutputStream()), false);
    Driver.Options options = new Driver.Options(List.of(name), "quick", false, 1, Shard.WHOLE);
    new Driver(new Workspace(root), options, quiet).run();
  }

  private Known known(String check) {
    Workspace workspace = new Workspace(root);
    return new Records(workspace)
        .of(workspace.protocols().get(0)).stream()
            .filter(k -> k.check().id().equals(check))
            .findFirst()
            .orElseThrow();
  }

  @Test
  void whatWasNeverRunIsNotGreen() {
    assertThat(known("repaired").verdict()).isEqualTo(Records.MISSING);
    assertThat(known("repaired").open()).isTrue();
    assertThat(known("repaired").met()).isFalse();
  }

  @Test
  void aResultOfAnotherInputIsStaleUntilItIsRunAgain() throws IOException {
    check("toy/repaired");
    assertThat(known("repaired").verdict()).isEqualTo("holds");
    assertThat(known("repaired").met()).isTrue();
    assertThat(known("repaired").manifest().path("date").asText()).startsWith("20");

    ToyWorkspace.edit(root, "TwoPhase.tla", "A toy two-phase commit", "A changed toy");
    assertThat(known("repaired").verdict()).isEqualTo(Records.STALE);

    check("toy/repaired");
    assertThat(known("repaired").verdict()).isEqualTo("holds");
  }

  @Test
  void aStoredOutcomeIsJudgedByTodaysBandAndExpectation() throws IOException {
    check("toy/repaired");
    ToyWorkspace.edit(
        root, "checks.yaml", "states: [18, 22]\n    main", "states: [21, 22]\n    main");
    assertThat(known("repaired").verdict()).isEqualTo("FAILED");
    assertThat(known("repaired").open()).isTrue();
  }

  @Test
  void aFailedResultOfAnotherInputIsStaleToo() throws IOException {
    ToyWorkspace.edit(
        root, "TwoPhase.tla", "/\\ state[m.dst] = \"prepared\"", "/\\ state[m.no] = \"prepared\"");
    check("toy/repaired");
    assertThat(known("repaired").verdict()).isEqualTo("FAILED");
    ToyWorkspace.edit(root, "TwoPhase.tla", "m.no]", "m.dst]");
    assertThat(known("repaired").verdict()).isEqualTo(Records.STALE);
  }

  /** That it failed is all there is to say; only what holds is judged by a band. */
  @Test
  void aFailedResultNeedsNoOutcome() throws IOException {
    ToyWorkspace.edit(
        root, "TwoPhase.tla", "/\\ state[m.dst] = \"prepared\"", "/\\ state[m.no] = \"prepared\"");
    check("toy/repaired");
    Workspace.delete(new Workspace(root).cache().resolve("check"));
    assertThat(known("repaired").verdict()).isEqualTo("FAILED");
  }

  @Test
  void itSaysWhatIsJudgedAndWhatTheInputIs() {
    Known k = known("live");
    assertThat(k.judged()).contains("DecidedLive");
    assertThat(k.inputs().stream().map(p -> p.getFileName().toString()))
        .contains("MCTwoPhase.tla", "TwoPhase.tla", "MCTwoPhase.cfg");
    assertThat(k.bounds().path("Repairs").asText()).isNotEmpty();
    assertThat(known("commits").judged()).containsExactly("CommitReach");
  }

  @Test
  void aGreenResultWithoutItsOutcomeIsStale() throws IOException {
    check("toy/repaired");
    Workspace.delete(new Workspace(root).cache().resolve("check"));
    assertThat(known("repaired").verdict())
        .as("its band may be another one by now, and only an outcome can be judged")
        .isEqualTo(Records.STALE);
    check("toy/repaired");
    assertThat(known("repaired").verdict()).isEqualTo("holds");
  }
}
