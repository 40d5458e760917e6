package dev.plumbline.check;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumbline.parts.Shard;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A search for what must turn up ends early where it does not. */
class LimitTest {
  @TempDir Path root;

  private Result run(String name) {
    Board quiet = new Board(new PrintStream(new ByteArrayOutputStream()), false);
    Driver.Options options = new Driver.Options(List.of(name), "quick", false, 1, Shard.WHOLE);
    return new Driver(new Workspace(root), options, quiet).run().get(0);
  }

  /** With six participants the repaired toy has tens of thousands of states and never violates. */
  @Test
  @Timeout(60)
  void aViolationThatNoLongerComesIsGivenUpAfterTheStatesItMayTake() throws IOException {
    ToyWorkspace.copyTo(root);
    ToyWorkspace.edit(
        root,
        "checks.yaml",
        "    constants: {Repairs: '{}'}\n",
        "    constants: {Repairs: '{\"all votes\"}', Participant: '1..14'}\n    states: [1, 500]\n");
    Result r = run("toy/as-published");
    assertThat(r.failed()).isTrue();
    assertThat(r.message())
        .contains("given up")
        .contains("AgreementInv is not violated within")
        .contains("states: [1, HIGH]");
    assertThat(r.distinct()).isGreaterThan(500);
    assertThat(run("toy/as-published").cached()).as("patience is not remembered").isFalse();
  }

  @Test
  @Timeout(120)
  void aModelFarOutsideItsBandIsGivenUp() throws IOException {
    ToyWorkspace.copyTo(root);
    ToyWorkspace.edit(
        root,
        "checks.yaml",
        "    main: true\n",
        "    main: true\n    constants: {Participant: '1..14'}\n");
    Result r = run("toy/repaired");
    assertThat(r.failed()).isTrue();
    assertThat(r.message()).contains("given up at ").contains("the band ends at 22");
    assertThat(r.distinct()).isGreaterThan(100_000);
    assertThat(run("toy/repaired").cached()).as("patience is not remembered").isFalse();
  }

  @Test
  void aViolationWithinItsStatesIsFound() throws IOException {
    ToyWorkspace.copyTo(root);
    ToyWorkspace.edit(
        root,
        "checks.yaml",
        "    constants: {Repairs: '{}'}\n",
        "    constants: {Repairs: '{}'}\n    states: [1, 500]\n");
    assertThat(run("toy/as-published").verdict()).isEqualTo("violated");
  }
}
