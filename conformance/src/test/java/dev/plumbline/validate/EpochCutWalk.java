package dev.plumbline.validate;

import com.fasterxml.jackson.databind.JsonNode;
import dev.plumbline.trace.TraceEvent;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/** Walks {@code EpochCut}. */
final class EpochCutWalk extends RowWalk {
  private static final String PREFIX = "EpochCut.";
  private static final String BATCHING = "TimestampBatching.";

  private final Set<String> cutters = new HashSet<>();
  private final Set<String> attempts = new HashSet<>();
  private final Set<String> txns = new TreeSet<>();
  private final Set<Integer> oracles = new TreeSet<>();
  private final Map<String, String> roleOf = new TreeMap<>();
  private final Map<String, TraceEvent> before = new HashMap<>();
  private final Map<String, Integer> sent = new HashMap<>();
  private final Map<String, String[]> requests = new HashMap<>();

  EpochCutWalk(MergedLog log) {
    super(log);
    for (MergedLog.Entry entry : log.entries()) {
      TraceEvent e = entry.event();
      if (e.action().startsWith(PREFIX)) {
        cutters.add(e.role());
      }
      if (e.action().equals(PREFIX + "TimerExpires")) {
        attempts.add(arg(e, "t").asText());
      }
    }
    for (MergedLog.Entry entry : log.entries()) {
      TraceEvent e = entry.event();
      if (e.action().equals(BATCHING + "RequestBatch") && cutters.contains(e.role())) {
        int number = sent.merge(e.node(), 1, Integer::sum);
        requests.put(
            e.role() + arg(e, "id"), new String[] {quote(e.node()), String.valueOf(number)});
      }
    }
  }

  @Override
  String module() {
    return "EpochCut";
  }

  private String[] request(JsonNode m) {
    String role = m.path("coordinator").asText();
    return requests.getOrDefault(role + m.path("id"), new String[] {quote(role), "0"});
  }

  @Override
  void read(int i, TraceEvent e) {
    TraceEvent last = before.get(e.node());
    if (e.action().equals(TraceEvent.CRASH)) {
      before.remove(e.node());
    } else {
      before.put(e.node(), e);
    }
    boolean oracle = e.action().equals(BATCHING + "OracleReply");
    boolean batching = e.action().startsWith(BATCHING);
    if (oracle
        ? !cutters.contains(arg(e, "q").path("coordinator").asText())
        : !cutters.contains(e.role()) || !(batching || e.action().startsWith(PREFIX))) {
      return;
    }
    String c = quote(e.node());
    String at = String.valueOf(e.at());
    String local = String.valueOf(e.local());
    if (!oracle && roleOf.put(e.node(), e.role()) == null) {
      row(i, "start", "c", c, "at", at, "local", local);
    }
    String action = e.action().substring(e.action().indexOf('.') + 1);
    if (batching
        && (action.equals("End")
            || (action.equals("Begin") && attempts.contains(arg(e, "t").asText())))) {
      return;
    }
    long ticks = last == null ? 0 : e.at() - last.at();
    long units = last == null ? 0 : e.local() - last.local();
    row(i, "tick", "c", c, "at", at, "local", local, "ticks", "" + ticks, "units", "" + units);
    if (e.args().containsKey("t")) {
      txns.add(arg(e, "t").asText());
    }
    String t = quote(arg(e, "t").asText());
    switch (action) {
      case "RequestBatch" -> row(i, action, "c", c, "id", requests.get(e.role() + arg(e, "id"))[1]);
      case "OracleReply" -> {
        String[] q = request(arg(e, "q"));
        oracles.add(arg(e, "o").asInt());
        row(i, action, "o", "" + arg(e, "o"), "c", q[0], "id", q[1], "up", "" + arg(e, "up"));
      }
      case "InstallBatch" -> {
        JsonNode r = arg(e, "r");
        String[] q = request(r);
        row(i, action, "c", q[0], "id", q[1], "o", "" + r.path("oracle"), "up", "" + r.path("up"));
      }
      case "Assign" -> row(i, action, "t", t, "n", "" + arg(e, "n"), "o", "" + arg(e, "oracle"));
      case "TimerExpires", "TooEarly", "CutEpoch" ->
          row(
              i,
              action,
              "t",
              t,
              "c",
              c,
              "role",
              quote(arg(e, "c").asText()),
              "epoch",
              "" + state(e, "epoch").asInt(-1));
      default -> row(i, action, "t", t, "c", c);
    }
  }

  @Override
  List<String> definitions() {
    List<String> roles = new ArrayList<>();
    roleOf.forEach((n, r) -> roles.add("n = %s -> %s".formatted(quote(n), quote(r))));
    return List.of(
        "LogCoordinators == " + set(roleOf.keySet()),
        "LogTxns == " + set(txns),
        "LogRoleOf == [n \\in LogCoordinators |-> CASE " + String.join(" [] ", roles) + "]",
        "LogOracles == {" + oracles.toString().replaceAll("[\\[\\]]", "") + "}");
  }

  @Override
  List<String> configuration() {
    return List.of(
        "Coordinators <- LogCoordinators Txns <- LogTxns Oracles <- LogOracles",
        "RoleOf <- LogRoleOf TimerKept = TRUE Compared = TRUE Interval = " + CONFIG.epochMicros(),
        "Nominal = 1000000 Epsilon = %d TTL = %d Step = %d Drift = %d DriftPpm = %d"
            .formatted(
                CONFIG.epsilonMicros(),
                CONFIG.ttlMicros(),
                CONFIG.stepMicros(),
                CONFIG.driftPpm(),
                CONFIG.driftPpm()),
        "Advances = {} Errors = {} Repairs = {\"TieReply\", \"DriftMargin\", \"NameIssuer\"}",
        "WaitAtLeast <- CutWaitAtLeast WaitAtMost <- TraceWaitAtMost");
  }
}
