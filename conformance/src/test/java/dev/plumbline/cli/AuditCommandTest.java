package dev.plumbline.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.plumbline.check.ToyWorkspace;
import dev.plumbline.check.Workspace;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** What {@code ./plumb audit} does with its options, on the toy protocol. */
class AuditCommandTest {
  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  @TempDir Path folder;
  @TempDir Path root;

  /** With a verdict, so that there is a statement. */
  @BeforeEach
  void toy() throws IOException {
    ToyWorkspace.copyTo(root);
    Path reports = Files.createDirectories(root.resolve(".plumb/reports"));
    Files.writeString(
        reports.resolve("verify.json"),
        "{\"stages\": [{\"command\": \"./plumb x\", \"exit\": 0, \"input\": \"a digest\"}]}");
  }

  private int plumb(String... args) {
    Workspace toy = new Workspace(root);
    CommandLine audit = new CommandLine(new AuditCommand(toy));
    audit.setOut(new PrintWriter(out, true)).setErr(new PrintWriter(err, true));
    audit.setExecutionExceptionHandler(Main.commandLine().getExecutionExceptionHandler());
    return audit.execute(args);
  }

  @Test
  void aWholeFolderIsVerifiedAndAChangedOneIsNot() throws IOException {
    assertThat(plumb("--out", folder.toString())).isZero();
    assertThat(folder.resolve("audit.html")).exists();
    assertThat(plumb("--verify", folder.toString())).isZero();
    assertThat(out.toString()).contains("all is as its digest says");
    Files.writeString(folder.resolve("audit.json"), "{}");
    assertThat(plumb("--verify", folder.toString())).isEqualTo(1);
    assertThat(out.toString()).contains("changed or gone:");
    assertThat(folder.resolve("audit.json")).hasContent("{}");
  }

  @Test
  void aFolderWithoutStatementsIsBadInput() {
    assertThat(plumb("--verify", folder.toString())).isEqualTo(2);
    assertThat(err.toString()).contains("SHA256SUMS", "name a folder that ./plumb audit wrote");
    assertThat(plumb("--rederive", "5%", "--out", folder.toString())).isEqualTo(2);
    assertThat(err.toString()).contains("no statement of a check of this lane");
    assertThat(plumb("--rederive", "many")).isEqualTo(2);
    assertThat(err.toString()).contains("give a share such as 5%");
  }

  @Test
  void aDamagedReportOrRunIsNamed() throws IOException {
    Path report = Files.writeString(root.resolve(".plumb/reports/verify.json"), "{");
    assertThat(plumb("--out", folder.toString())).isEqualTo(2);
    Files.delete(report);
    Path run = Files.createDirectories(root.resolve(".plumb/jepsen/toy/1")).resolve("result.json");
    Files.writeString(run, "{");
    assertThat(plumb("--out", folder.toString())).isEqualTo(2);
    assertThat(err.toString())
        .contains(report + ": is no JSON", run + ": is no JSON", "delete it")
        .doesNotContain("Source:");
  }

  @Test
  void whatWouldBeLeftUndoneIsRefused() {
    assertThat(plumb("--verify", folder.toString(), "--rederive", "5%")).isEqualTo(2);
    assertThat(plumb("--verify", folder.toString(), "--update")).isEqualTo(2);
    assertThat(err.toString())
        .contains("--verify and --rederive do not go", "--update and --verify do not go");
    assertThat(plumb("--rederive", "5%", "--minutes", "-1")).isEqualTo(2);
    assertThat(plumb("--rederive", "5%", "--minutes", "NaN")).isEqualTo(2);
    assertThat(err.toString()).contains("--minutes -1.0 are none", "--minutes NaN are none");
  }

  /** It would be the same as "all": whatever its checks judge would state the claim. */
  @Test
  void aClaimThatNothingStatesIsRefused() throws IOException {
    Path file = root.resolve("specs/toy/claims.yaml");
    String text =
        """
        protocol: toy
        claims:
          TOY-1: {stated: [AgreementInv], ended: holds}
          TOY-2:
            stated: []
            ended: holds
        """;
    Files.writeString(file, text);
    assertThat(plumb("--out", folder.toString())).isEqualTo(2);
    assertThat(err.toString()).contains("claims.yaml:5: no property states", "remedy: ");
    Files.writeString(file, text.replace("[]", "all"));
    assertThat(plumb("--out", folder.toString())).isEqualTo(2);
    assertThat(err.toString()).contains("README.md: there is no such file");
    Path readme = Files.writeString(root.resolve("specs/toy/README.md"), "# Toy\n");
    assertThat(plumb("--out", folder.toString())).isZero();
    assertThat(out.toString()).contains("it has no table of claims: put <!-- claims: made by");
    String table = "<!-- claims: made by ./plumb audit --update -->\n<!-- end -->\n";
    Files.writeString(readme, table);
    assertThat(plumb("--update", "--out", folder.toString())).isZero();
    assertThat(readme).content().contains("| **TOY-2**: The coordinator decides once.");
  }

  /** Stopped before its first file was whole. */
  @Test
  void whatAStoppedAuditLeftIsNobodyElses() throws IOException {
    Path evidence = Files.createDirectories(folder.resolve("evidence"));
    Files.writeString(evidence.resolve(".part-1234-1"), "{");
    assertThat(plumb("--out", evidence.toString())).as(err.toString()).isZero();
    assertThat(evidence.resolve("SHA256SUMS")).content().doesNotContain(".part-");
  }

  @Test
  void filesOfSomebodyElseAreLeftAlone() throws IOException {
    Path mine = Files.createDirectories(folder.resolve("evidence")).resolve("mine.txt");
    Files.writeString(mine, "mine");
    assertThat(plumb("--out", folder.toString())).isEqualTo(2);
    assertThat(err.toString()).contains("holds files that are no audit", "an empty folder");
    assertThat(mine).hasContent("mine");
  }

  @Test
  void aFolderThatCannotBeMadeIsSaidBeforeAnythingTakesTime() throws IOException {
    Path file = Files.writeString(folder.resolve("file"), "");
    Files.writeString(root.resolve(".plumb/reports/verify.json"), "{");
    assertThat(plumb("--out", file.resolve("audit").toString())).isEqualTo(2);
    assertThat(err.toString()).contains("there is a file where a folder is needed");
  }

  @Test
  void theGateIsRedWhereLinksAreMissing() {
    assertThat(plumb("--out", folder.toString())).isZero();
    assertThat(plumb("--gate", "--files", "--out", folder.toString())).isEqualTo(1);
    assertThat(out.toString()).contains("TOY-1: no link of kind \"handler\"");
  }

  @Test
  void withJsonAllThatIsSaidIsJson() throws IOException {
    assertThat(plumb("--gate", "--json", "--out", folder.toString())).isEqualTo(1);
    JsonNode graph = said();
    assertThat(graph.path("faults").toString()).contains("TOY-1: no link of kind \\\"handler\\\"");
    assertThat(graph.path("withoutResult").toString()).contains("no result");
    assertThat(plumb("--verify", folder.toString(), "--json")).isZero();
    assertThat(said().path("faults")).isEmpty();
    Files.writeString(folder.resolve("audit.json"), "{}");
    assertThat(plumb("--verify", folder.toString(), "--json")).isEqualTo(1);
    assertThat(said().path("faults").toString()).contains("changed or gone:");
  }

  /** What was printed since, which has to be one JSON value. */
  private JsonNode said() throws IOException {
    JsonNode all =
        new ObjectMapper()
            .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
            .readTree(out.toString());
    out.getBuffer().setLength(0);
    return all;
  }

  @Test
  void aProtocolThatIsNearlyRightIsNamed() {
    assertThat(plumb("tyo")).isEqualTo(2);
    assertThat(plumb("toyy")).isEqualTo(2);
    assertThat(err.toString()).contains("did you mean toy?");
    assertThat(plumb("TOY-1")).isEqualTo(2);
    assertThat(err.toString()).contains("TOY-1 is a claim", "./plumb audit toy; the page has it");
  }
}
