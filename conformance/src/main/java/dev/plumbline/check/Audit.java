package dev.plumbline.check;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.plumbline.check.Checks.Check;
import dev.plumbline.check.Checks.Claim;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * The audit: for every claim the checks that support it, with the last stored verdict, bounds and
 * states.
 */
public final class Audit {
  private static final ObjectMapper MAPPER = new ObjectMapper();

  private Audit() {}

  /**
   * {@code {protocols: [{protocol, claims: [{id, kind, section, text, checks: […]}]}]}}; verdict
   * "no result" where nothing is stored.
   */
  public static ObjectNode of(Workspace workspace) {
    ObjectNode audit = MAPPER.createObjectNode();
    ArrayNode protocols = audit.putArray("protocols");
    for (Checks p : workspace.protocols()) {
      ObjectNode protocol = protocols.addObject().put("protocol", p.protocol());
      ArrayNode claims = protocol.putArray("claims");
      for (Claim c : p.claims().values()) {
        ObjectNode claim = MAPPER.valueToTree(c);
        ArrayNode checks = claim.putArray("checks");
        p.checks().stream()
            .filter(k -> k.claims().contains(c.id()))
            .forEach(k -> checks.add(check(workspace, k)));
        claims.add(claim);
      }
    }
    return audit;
  }

  private static ObjectNode check(Workspace workspace, Check c) {
    ObjectNode o = MAPPER.createObjectNode().put("check", c.id()).put("expect", c.expectation());
    o.put("lane", c.lane())
        .put("engine", c.engine())
        .put("finding", c.finding())
        .put("why", c.why());
    Path file = workspace.runFolder(c.protocol(), c.id()).resolve("result.json");
    if (!Files.isRegularFile(file)) {
      return o.put("verdict", "no result");
    }
    try {
      JsonNode r = MAPPER.readTree(Files.readString(file, StandardCharsets.UTF_8));
      boolean same = r.path("expect").asText().equals(c.expectation());
      o.put("verdict", same ? r.path("verdict").asText() : "no result");
      o.put(
          "message",
          same ? r.path("message").asText() : "the stored result is of another expectation");
      o.set("distinct", r.get("distinct"));
      o.set("generated", r.get("generated"));
      o.set("manifest", r.get("manifest"));
      return o;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** The audit as one page that needs no other file. */
  public static String html(ObjectNode audit) {
    StringBuilder s = new StringBuilder();
    s.append(
        "<!doctype html><html lang=\"en\"><meta charset=\"utf-8\"><title>Plumbline: audit</title><style>");
    s.append(
        "body{font:15px/1.45 system-ui,sans-serif;margin:2em auto;max-width:75em;padding:0 1em;color:#1c2430}");
    s.append(
        "table{border-collapse:collapse;width:100%;margin:.4em 0 1.6em}td,th{border-bottom:1px solid #dde2e8;padding:.3em .6em;text-align:left;vertical-align:top}");
    s.append(
        "code{font-size:.92em}.FAILED,.no{color:#c22f2f;font-weight:bold}.holds,.violated,.reached{color:#1a7f4b}.sampled,.not{color:#8a5a00}small{color:#6b7686}</style>");
    s.append(
        "<h1>Audit</h1><p>For every claim, the model checks that bear on it and what they last said. <em>violated</em> is the expected verdict of a check that must fail: it reproduces a finding. A model check speaks for its bounds only.</p>");
    for (JsonNode p : audit.get("protocols")) {
      s.append("<h2>").append(esc(p.path("protocol").asText())).append("</h2>");
      for (JsonNode c : p.get("claims")) {
        s.append("<h3>")
            .append(esc(c.path("id").asText()))
            .append(" <small>")
            .append(esc(c.path("kind").asText()));
        s.append(
            c.path("section").asText().isEmpty()
                ? ""
                : ", section " + esc(c.path("section").asText()));
        s.append("</small></h3><p>").append(esc(c.path("text").asText())).append("</p>");
        if (c.get("checks").isEmpty()) {
          s.append("<p class=\"no\">No check supports this claim.</p>");
          continue;
        }
        s.append(
            "<table><tr><th>check<th>expected<th>verdict<th>distinct states<th>bounds<th>finding<th>commit</tr>");
        c.get("checks").forEach(k -> row(s, k));
        s.append("</table>");
      }
    }
    return s.append("</html>\n").toString();
  }

  private static void row(StringBuilder s, JsonNode k) {
    String verdict = k.path("verdict").asText();
    s.append("<tr><td><code>")
        .append(esc(k.path("check").asText()))
        .append("</code><br><small>")
        .append(esc(k.path("why").asText()))
        .append("</small>");
    s.append("<td>").append(esc(k.path("expect").asText()));
    s.append("<td class=\"")
        .append(esc(verdict))
        .append("\">")
        .append(esc(verdict))
        .append("<br><small>")
        .append(esc(k.path("message").asText()))
        .append("</small>");
    long distinct = k.path("distinct").asLong(-1);
    s.append("<td>").append(distinct < 0 ? "-" : "%,d".formatted(distinct)).append("<td><small>");
    k.path("manifest")
        .path("bounds")
        .properties()
        .forEach(b -> s.append(esc(b.getKey() + " " + b.getValue().asText())).append("<br>"));
    s.append("</small><td>").append(esc(k.path("finding").asText()));
    JsonNode m = k.path("manifest");
    String commit = m.path("commit").asText();
    s.append("<td><small>")
        .append(esc(commit.substring(0, Math.min(10, commit.length()))))
        .append(m.path("dirty").asBoolean() ? " + changes" : "")
        .append("</small></tr>");
  }

  private static String esc(String s) {
    return Reports.xml(s);
  }

  /** Writes audit.html and audit.json under .plumb/reports; returns the page. */
  public static Path write(Workspace workspace, ObjectNode audit) {
    Path page = workspace.made().resolve("reports").resolve("audit.html");
    Workspace.writeWhole(page, html(audit));
    Workspace.writeWhole(
        workspace.made().resolve("reports").resolve("audit.json"), Driver.json(audit));
    return page;
  }
}
