package dev.plumbline.check;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class AuditTest {
  @TempDir Path root;

  @Test
  void aClaimWithoutCheckAndACheckWithoutResultAreShownAsSuch() throws IOException {
    Path toy = Files.createDirectories(root.resolve("specs/toy"));
    Files.writeString(
        toy.resolve("checks.yaml"),
        """
        protocol: toy
        claims:
          TOY-1: {kind: claimed, section: "1", text: "Agreement <always>."}
          TOY-2: {kind: ours, text: "Nobody checks this."}
        checks:
          - {id: a, module: M, lane: quick, expect: holds, states: [1, 2], claims: [TOY-1]}
          - {id: b, module: M, lane: quick, expect: "violates: XInv", claims: [TOY-1]}
        """,
        StandardCharsets.UTF_8);
    Workspace w = new Workspace(root);
    Workspace.writeWhole(
        w.runFolder("toy", "a").resolve("result.json"),
        "{\"expect\":\"holds\",\"verdict\":\"FAILED\",\"message\":\"XInv is violated\",\"distinct\":7,"
            + "\"manifest\":{\"commit\":\"0123456789abcdef\",\"dirty\":true,\"bounds\":{\"N\":\"= 2\"}}}");
    ObjectNode audit = Audit.of(w);
    JsonNode checks = audit.at("/protocols/0/claims/0/checks");
    assertThat(checks.get(0).get("verdict").textValue()).isEqualTo("FAILED");
    assertThat(checks.get(1).get("verdict").textValue()).isEqualTo("no result");
    assertThat(Audit.html(audit))
        .contains(
            "Agreement &lt;always&gt;.",
            "No check supports this claim.",
            "XInv is violated",
            "N = 2",
            "0123456789 + changes");
  }
}
