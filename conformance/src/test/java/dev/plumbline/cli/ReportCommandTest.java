package dev.plumbline.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.plumbline.check.Records;
import dev.plumbline.check.Records.Known;
import dev.plumbline.check.ToyWorkspace;
import dev.plumbline.check.Workspace;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** What {@code ./plumb report} names of the checks that are open, and in which order. */
class ReportCommandTest {
  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  @TempDir Path root;

  @BeforeEach
  void toy() throws IOException {
    ToyWorkspace.copyTo(root);
    // A protocol that comes first by name, with more checks without result than are shown.
    Path many = Files.createDirectories(root.resolve("specs/many"));
    for (String file : List.of("MCTwoPhase.cfg", "MCTwoPhase.tla", "TwoPhase.tla")) {
      Files.copy(root.resolve("specs/toy").resolve(file), many.resolve(file));
    }
    List<String> checks = new ArrayList<>(List.of("protocol: many", "checks:"));
    for (int i = 0; i < 30; i++) {
      checks.add(
          "  - {id: c" + i + ", module: MCTwoPhase, lane: quick, expect: 'reaches: CommitReach'}");
    }
    Files.write(many.resolve("checks.yaml"), checks);
  }

  private int report(String... args) {
    CommandLine report = new CommandLine(new ReportCommand(new Workspace(root)));
    report.setOut(new PrintWriter(out, true)).setErr(new PrintWriter(err, true));
    report.setExecutionExceptionHandler(Main.commandLine().getExecutionExceptionHandler());
    return report.execute(args);
  }

  /** Stores a result of today's input, or of another one. */
  private void store(String check, String verdict, boolean today) throws IOException {
    Workspace workspace = new Workspace(root);
    Known known =
        new Records(workspace)
            .of(workspace.protocols(List.of("toy")).get(0)).stream()
                .filter(k -> k.check().id().equals(check))
                .findFirst()
                .orElseThrow();
    ObjectNode result =
        new ObjectMapper()
            .createObjectNode()
            .put("verdict", verdict)
            .put("expect", known.check().expectation())
            .put("message", "as stored");
    result.putObject("manifest").put("input", today ? known.input() : "another");
    Workspace.writeWhole(
        workspace.runFolder("toy", check).resolve("result.json"), result.toString());
  }

  @Test
  void whatFailedComesFirstAndOnlyMissingResultsAreCutOff() throws IOException {
    store("live", "FAILED", true);
    store("commits", "environment", true);
    store("repaired", "holds", false);
    assertThat(report("--lane", "quick")).isEqualTo(1);
    List<String> lines = out.toString().lines().toList();
    List<String> first = List.of("FAILED", "environment", "stale", "no result");
    assertThat(lines.subList(0, 4)).zipSatisfy(first, (line, v) -> assertThat(line).startsWith(v));
    assertThat(lines.get(2)).contains("toy/repaired");
    assertThat(lines).filteredOn(line -> line.startsWith("no result")).hasSize(20);
    assertThat(lines).contains("and 12 more without result");
  }

  @Test
  void itIsAboutTheProtocolsThatAreNamed() {
    assertThat(report("toy", "--lane", "quick")).isEqualTo(1);
    assertThat(out.toString()).contains("toy/live").doesNotContain("many/", "more");
  }

  @Test
  void whatIsNoProtocolIsRefused() {
    assertThat(report("toyy")).isEqualTo(2);
    assertThat(err.toString()).contains("there is no protocol toyy", "did you mean toy?");
    assertThat(report("toy", "--lines")).isEqualTo(2);
    assertThat(err.toString()).contains("take no protocol", "leave out toy");
    assertThat(report("--lines", "--json")).isEqualTo(2);
    assertThat(err.toString()).contains("print no JSON");
  }
}
