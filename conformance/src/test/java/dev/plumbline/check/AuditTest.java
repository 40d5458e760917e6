package dev.plumbline.check;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.plumbline.parts.Shard;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class AuditTest {
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

  private static String verdict(ObjectNode audit, String check) {
    for (JsonNode p : audit.get("protocols")) {
      for (JsonNode k : p.findValues("checks").stream().flatMap(AuditTest::elements).toList()) {
        if (k.path("check").asText().equals(check)) {
          return k.path("verdict").asText();
        }
      }
    }
    throw new AssertionError("the audit lists no check " + check);
  }

  private static Stream<JsonNode> elements(JsonNode array) {
    return StreamSupport.stream(array.spliterator(), false);
  }

  private static List<String> open(ObjectNode audit, String lane) {
    return Audit.open(audit, lane).stream().map(k -> k.path("check").asText()).toList();
  }

  @Test
  void whatWasNeverRunIsNotGreen() {
    ObjectNode audit = Audit.of(new Workspace(root));
    assertThat(verdict(audit, "repaired")).isEqualTo(Audit.MISSING);
    assertThat(open(audit, "quick"))
        .containsExactlyInAnyOrder("repaired", "as-published", "commits", "not-live", "live");
    assertThat(open(audit, "nightly")).contains("walks", "inductive");
  }

  @Test
  void aResultOfAnotherInputIsStaleUntilItIsRunAgain() throws IOException {
    check("toy/repaired");
    ObjectNode before = Audit.of(new Workspace(root));
    assertThat(verdict(before, "repaired")).isEqualTo("holds");
    assertThat(open(before, "quick")).doesNotContain("repaired");

    ToyWorkspace.edit(root, "TwoPhase.tla", "A toy two-phase commit", "A changed toy");
    ObjectNode after = Audit.of(new Workspace(root));
    assertThat(verdict(after, "repaired")).isEqualTo(Audit.STALE);
    assertThat(open(after, "quick")).contains("repaired");
    assertThat(Audit.html(after)).contains("class=\"stale\"");

    check("toy/repaired");
    assertThat(verdict(Audit.of(new Workspace(root)), "repaired")).isEqualTo("holds");
  }

  @Test
  void aStoredOutcomeIsJudgedByTodaysBandAndExpectation() throws IOException {
    check("toy/repaired");
    ToyWorkspace.edit(
        root, "checks.yaml", "states: [18, 22]\n    main", "states: [21, 22]\n    main");
    ObjectNode audit = Audit.of(new Workspace(root));
    assertThat(verdict(audit, "repaired")).isEqualTo("FAILED");
    assertThat(open(audit, "quick")).contains("repaired");
  }

  @Test
  void aFailedResultOfAnotherInputIsStaleToo() throws IOException {
    ToyWorkspace.edit(
        root, "TwoPhase.tla", "/\\ state[m.dst] = \"prepared\"", "/\\ state[m.no] = \"prepared\"");
    check("toy/repaired");
    assertThat(verdict(Audit.of(new Workspace(root)), "repaired")).isEqualTo("FAILED");
    ToyWorkspace.edit(root, "TwoPhase.tla", "m.no]", "m.dst]");
    assertThat(verdict(Audit.of(new Workspace(root)), "repaired")).isEqualTo(Audit.STALE);
  }

  @Test
  void aClaimWithoutCheckIsShownAsSuchAndTextIsEscaped() throws IOException {
    ToyWorkspace.edit(
        root,
        "checks.yaml",
        "  TOY-1: {kind: claimed, section: \"1\", text: \"Participants agree on the outcome.\"}\n",
        "  TOY-1: {kind: claimed, section: \"1\", text: \"Agreement <always>.\"}\n"
            + "  TOY-3: {kind: ours, text: \"Nobody checks this.\"}\n");
    check("toy/repaired");
    String page = Audit.html(Audit.of(new Workspace(root)));
    assertThat(page)
        .contains(
            "Agreement &lt;always&gt;.",
            "No check supports this claim.",
            "Repairs = { &quot;all votes&quot; }",
            "Checks that support no claim");
  }
}
