package dev.plumbline.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** Runs the command in a repository with one more model, whose module no machine has. */
class ReplayCommandTest {
  private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();

  @TempDir Path root;
  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  @BeforeEach
  void addAModelWithoutMachines() throws IOException {
    Files.createSymbolicLink(root.resolve("docs"), ROOT.resolve("docs"));
    Files.createSymbolicLink(root.resolve("conformance"), ROOT.resolve("conformance"));
    Path specs = Files.createDirectories(root.resolve("specs/k2"));
    Files.createSymbolicLink(root.resolve("specs/common"), ROOT.resolve("specs/common"));
    try (Stream<Path> files = Files.list(ROOT.resolve("specs/k2"))) {
      for (Path file : files.toList()) {
        Files.copy(file, specs.resolve(file.getFileName()));
      }
    }
    edit(
        "checks.yaml",
        "\nchecks:\n",
        "\nchecks:\n  - {id: strange, module: MCStrange, lane: quick, expect: holds, claims: [K2-P4.1],"
            + " states: [1, 1], why: no machine has it}\n");
    Files.copy(specs.resolve("MCMvto.tla"), specs.resolve("MCStrange.tla"));
    edit("MCStrange.tla", "MODULE MCMvto", "MODULE MCStrange");
    Files.copy(specs.resolve("mvto.cfg"), specs.resolve("MCStrange.cfg"));
  }

  private void edit(String file, String old, String now) throws IOException {
    Path path = root.resolve("specs/k2").resolve(file);
    String text = Files.readString(path);
    assertThat(text).contains(old);
    Files.writeString(path, text.replace(old, now));
  }

  private int run(String... arguments) {
    CommandLine command = new CommandLine(new ReplayCommand(root));
    command.setOut(new PrintWriter(out)).setErr(new PrintWriter(err));
    return command.execute(
        Stream.concat(Stream.of("k2"), List.of(arguments).stream()).toArray(String[]::new));
  }

  @Test
  void aModuleWithNeitherBindingNorWaiverFails() {
    assertThat(run()).isEqualTo(1);
    assertThat(out.toString()).contains("Strange: NOT RUN, it has no binding and no waiver");
  }

  @Test
  void soDoesItsModelInLockstepWhereOnlyItsReplayIsWaived() throws IOException {
    edit("coverage.yaml", "\nreplay:\n", "\nreplay:\n  - {module: Strange, reason: a test}\n");
    assertThat(run("--lockstep", "--model", "strange")).isEqualTo(1);
    assertThat(out.toString()).contains("Strange: NOT RUN, waived: a test");
    assertThat(err.toString()).contains("lockstep: no machines walk the models of [Strange]");
  }

  @Test
  void aWaiverWithAReasonIsEnough() throws IOException {
    edit("coverage.yaml", "\nreplay:\n", "\nreplay:\n  - {module: Strange, reason: a test}\n");
    assertThat(run()).isZero();
  }
}
