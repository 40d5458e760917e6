package dev.plumbline.check;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.plumbline.check.Checks.Check;
import dev.plumbline.check.Checks.Claim;
import dev.plumbline.tlc.Checker;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * The audit: for every claim the checks that support it, with the last stored verdict, bounds and
 * states.
 */
public final class Audit {
  private static final ObjectMapper MAPPER = new ObjectMapper();

  /** Nothing is stored for the check. */
  public static final String MISSING = "no result";

  /** What is stored is of another input. */
  public static final String STALE = "stale";

  private static final Set<String> OPEN = Set.of("FAILED", "environment", STALE, MISSING);

  private final Workspace workspace;
  private final Outcomes outcomes;
  private final String apalache = Apalache.find().version();

  private Audit(Workspace workspace) {
    this.workspace = workspace;
    this.outcomes = new Outcomes(workspace);
  }

  /**
   * {@code {protocols: [{protocol, claims: [{id, kind, section, text, checks: […]}]}], verdicts:
   * {VERDICT: count}}}. A verdict is of today's input, judged by today's expectation; else it is
   * {@link #STALE} or {@link #MISSING}.
   *
   * @throws dev.plumbline.tlc.InputError when a check's files don't agree
   */
  public static ObjectNode of(Workspace workspace) {
    return new Audit(workspace).all();
  }

  private ObjectNode all() {
    ObjectNode audit = MAPPER.createObjectNode();
    ArrayNode protocols = audit.putArray("protocols");
    Map<String, Integer> verdicts = new TreeMap<>();
    for (Checks p : workspace.protocols()) {
      Map<String, ObjectNode> of = new LinkedHashMap<>();
      for (Check c : p.checks()) {
        ObjectNode said = check(p, c);
        of.put(c.id(), said);
        verdicts.merge(said.get("verdict").textValue(), 1, Integer::sum);
      }
      ObjectNode protocol = protocols.addObject().put("protocol", p.protocol());
      ArrayNode claims = protocol.putArray("claims");
      for (Claim c : p.claims().values()) {
        ObjectNode claim = MAPPER.valueToTree(c);
        ArrayNode checks = claim.putArray("checks");
        p.checks().stream()
            .filter(k -> k.claims().contains(c.id()))
            .forEach(k -> checks.add(of.get(k.id())));
        claims.add(claim);
      }
      ArrayNode others = protocol.putArray("others");
      p.checks().stream()
          .filter(k -> k.claims().isEmpty())
          .forEach(k -> others.add(of.get(k.id())));
    }
    audit.set("verdicts", MAPPER.valueToTree(verdicts));
    return audit;
  }

  private ObjectNode check(Checks protocol, Check c) {
    ObjectNode o = MAPPER.createObjectNode();
    o.put("protocol", c.protocol()).put("check", c.id()).put("expect", c.expectation());
    o.put("lane", c.lane())
        .put("engine", c.engine())
        .put("finding", c.finding())
        .put("why", c.why());
    boolean symbolic = c.engine().equals("apalache");
    Plan plan = new Plan(workspace, protocol, c, symbolic ? apalache : Checker.version());
    Outcomes.Known known = outcomes.known(plan);
    if (known != null) {
      return told(
          o, MAPPER.valueToTree(Result.judge(plan, known.outcome(), true, "", known.manifest())));
    }
    Path file = workspace.runFolder(c.protocol(), c.id()).resolve("result.json");
    String again = "./plumb check " + c.name();
    if (!Files.isRegularFile(file)) {
      return o.put("verdict", MISSING).put("message", again + " gives one");
    }
    try {
      JsonNode r = MAPPER.readTree(Files.readString(file, StandardCharsets.UTF_8));
      boolean same =
          r.path("expect").asText().equals(c.expectation())
              && r.path("manifest").path("input").asText().equals(plan.hash);
      return same
          ? told(o, r)
          : o.put("verdict", STALE)
              .put("message", "the stored result is of another input: " + again);
    } catch (IOException e) {
      return o.put("verdict", MISSING).put("message", file + " cannot be read: " + again);
    }
  }

  private static ObjectNode told(ObjectNode o, JsonNode r) {
    o.put("verdict", r.path("verdict").asText()).put("message", r.path("message").asText());
    o.set("distinct", r.get("distinct"));
    o.set("generated", r.get("generated"));
    o.set("manifest", r.get("manifest"));
    return o;
  }

  /** The checks of a lane whose claims nothing shows: failed, stale, without result. */
  public static List<JsonNode> open(ObjectNode audit, String lane) {
    Map<String, JsonNode> open = new LinkedHashMap<>();
    for (JsonNode p : audit.get("protocols")) {
      List<JsonNode> rows = new ArrayList<>();
      p.get("claims").forEach(c -> c.get("checks").forEach(rows::add));
      p.get("others").forEach(rows::add);
      for (JsonNode k : rows) {
        boolean in = lane.equals("nightly") || k.path("lane").asText().equals(lane);
        if (in && OPEN.contains(k.path("verdict").asText())) {
          open.put(k.path("protocol").asText() + "/" + k.path("check").asText(), k);
        }
      }
    }
    return List.copyOf(open.values());
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
        "code{font-size:.92em}.FAILED,.no,.stale,.environment{color:#c22f2f;font-weight:bold}.holds,.violated,.reached{color:#1a7f4b}.sampled,.not{color:#8a5a00}small{color:#6b7686}</style>");
    s.append(
        "<h1>Audit</h1><p>For every claim, the model checks that bear on it and what they last said of today's input: <em>stale</em> is a result of another input, <em>no result</em> one that is not there. <em>violated</em> is the expected verdict of a check that must fail: it reproduces a finding. A model check speaks for its bounds only.</p>");
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
        table(s, c.get("checks"));
      }
      if (!p.get("others").isEmpty()) {
        s.append("<h3>Checks that support no claim</h3>");
        table(s, p.get("others"));
      }
    }
    return s.append("</html>\n").toString();
  }

  private static void table(StringBuilder s, JsonNode checks) {
    s.append(
        "<table><tr><th>check<th>expected<th>verdict<th>distinct states<th>bounds<th>finding<th>commit</tr>");
    checks.forEach(k -> row(s, k));
    s.append("</table>");
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
