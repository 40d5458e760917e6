package dev.plumbline.validate;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.plumbline.tlc.Spec;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** Verdicts as text and as JSON. */
public final class Explanation {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final int WIDTH = 160;
  private static final int EVENTS_BEFORE = 3;

  private Explanation() {}

  /** The verdict's lines; a rejection shows where, why, the states before and what was enabled. */
  public static List<String> lines(LogVerdict v, MergedLog log) {
    List<String> out = new ArrayList<>();
    if (v.accepted()) {
      out.add(
          String.format(
              Locale.ROOT,
              "%s: accepted, %s%,d of %s events were its steps, %d states at most, %,.0f events/s",
              v.module(),
              v.covered().isEmpty() ? "" : v.covered() + ", ",
              v.matched(),
              log.left() == 0
                  ? String.format(Locale.ROOT, "%,d", v.events())
                  : String.format(
                      Locale.ROOT, "the first %,d of %,d", v.events(), v.events() + log.left()),
              v.widest(),
              v.events() / Math.max(v.seconds(), 1e-9)));
      return out;
    }
    LogVerdict.Rejection r = v.rejection().orElseThrow();
    out.add(
        String.format(
            Locale.ROOT,
            "%s: REJECTED at %s:%d (event %,d of %,d)",
            v.module(),
            r.entry().file(),
            r.entry().line(),
            r.index() + 1,
            v.events()));
    out.add("  " + event(r.entry()));
    out.add("  " + r.why());
    out.add("  as " + r.call());
    r.names().forEach((logged, here) -> out.add("    " + logged + " is " + here));
    for (Spec.Conjunct g : r.guards()) {
      out.add(
          String.format(
              "    %-5s %s:%d  %s", g.holds() ? "true" : "FALSE", g.file(), g.line(), g.text()));
    }
    out.add("  events before it:");
    for (int i = Math.max(0, r.index() - EVENTS_BEFORE); i < r.index(); i++) {
      out.add("    " + event(log.entries().get(i)));
    }
    String when = r.after() ? "  after it the specification is" : "  the specification could be";
    out.add(when + " in " + r.candidateCount() + " state(s):");
    out.addAll(states(r.candidates()));
    if (!r.after()) {
      out.add("  enabled there:");
      r.enabled().forEach(e -> out.add("    " + cut(e)));
    }
    return out;
  }

  private static String event(MergedLog.Entry e) {
    return cut(
        String.format(
            Locale.ROOT,
            "%s:%d at %,d µs: %s %s",
            e.event().node(),
            e.line(),
            e.event().at(),
            e.event().action(),
            JSON.valueToTree(e.event().args())));
  }

  /** Variables in which the states differ first, then the others, once. */
  private static List<String> states(List<ObjectNode> states) {
    List<String> out = new ArrayList<>();
    List<String> common = new ArrayList<>();
    states
        .get(0)
        .fieldNames()
        .forEachRemaining(
            name -> {
              JsonNode first = states.get(0).get(name);
              if (states.stream().allMatch(s -> s.get(name).equals(first))) {
                common.add(cut("    " + name + " = " + first));
              } else {
                for (int i = 0; i < states.size(); i++) {
                  out.add(
                      cut("    state " + (i + 1) + ": " + name + " = " + states.get(i).get(name)));
                }
              }
            });
    out.addAll(common);
    return out;
  }

  private static String cut(String s) {
    return s.length() <= WIDTH ? s : s.substring(0, WIDTH - 1) + "…";
  }

  /** The verdict for machines. */
  public static ObjectNode json(LogVerdict v) {
    ObjectNode o = JSON.createObjectNode();
    o.put("module", v.module()).put("accepted", v.accepted());
    o.put("events", v.events()).put("matched", v.matched()).put("widest", v.widest());
    if (!v.covered().isEmpty()) {
      o.put("covered", v.covered());
    }
    o.put("seconds", v.seconds());
    o.set("taken", JSON.valueToTree(v.taken()));
    v.rejection()
        .ifPresent(
            r -> {
              ObjectNode x = o.putObject("rejection");
              x.put("file", r.entry().file()).put("line", r.entry().line());
              x.put("index", r.index()).put("action", r.entry().event().action());
              x.set("names", JSON.valueToTree(r.names()));
              x.put("call", r.call()).put("why", r.why()).put("states", r.candidateCount());
              ArrayNode guards = x.putArray("guards");
              r.guards().forEach(g -> guards.add(JSON.valueToTree(g)));
              x.set("enabled", JSON.valueToTree(r.enabled()));
              x.set("candidates", JSON.valueToTree(r.candidates()));
            });
    return o;
  }
}
