package dev.plumbline.dastconf;

import com.fasterxml.jackson.databind.JsonNode;
import dev.plumbline.bind.Binding;
import dev.plumbline.dast.DastConfig;
import dev.plumbline.dast.Layout;
import dev.plumbline.tlc.Spec;
import dev.plumbline.tlc.Term;
import dev.plumbline.trace.TraceEvent;
import dev.plumbline.validate.MergedLog;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;

/** Reads a log as steps of {@code TwoPhaseAnticipation}; see TraceTwoPhaseAnticipation.tla. */
final class TwoPhaseAnticipationTrace extends DastTrace {
  private static final String MODULE = "TwoPhaseAnticipation";
  private static final String PREFIX = MODULE + ".";

  /** What a clock reading is called, in the module whose step it is. */
  private static final String READ = "StretchableClock.CreateTs";

  /** What may raise the clock besides. */
  private static final String CALIBRATED = "StretchableClock.Calibrate";

  /** Steps that look at the clock without reading it. */
  private static final Set<String> FOLLOWING =
      Set.of("Hear", "HandlePrepare", "HandleCommit", "HandlePrepCrt");

  /** Messages that only their coordinator's decision needs. */
  private static final Set<String> COLLECTED = Set.of("ack", "vote", "result");

  /** Transactions that wait to be forgotten together. */
  private static final int ROUND = 4;

  TwoPhaseAnticipationTrace(Layout layout, Set<String> asPublished) {
    super(MODULE, layout, asPublished);
  }

  @Override
  public Reading read(MergedLog log, int room) {
    return new TpaReading(log);
  }

  private List<String> repairs() {
    return repairs(
        List.of("FreezeTime", "TieBreak"),
        Map.of(
            DastConfig.STRETCHED_STAYS, "Follow",
            DastConfig.LATE_PREPARE, "Vote",
            DastConfig.EQUAL_TIMES, "Apart",
            DastConfig.STRETCHED_LOW, "Climb"));
  }

  /** A transaction of the log. */
  private static final class Logged {
    final String coordinator;
    final List<String> shards = new ArrayList<>();
    final List<List<String>> deps = new ArrayList<>();
    final Set<String> executedBy = new HashSet<>();
    boolean applied = true;
    boolean decided;
    int number;
    int last;

    Logged(String coordinator) {
      this.coordinator = coordinator;
    }
  }

  private final class TpaReading implements Reading {
    private final MergedLog log;
    private final LoggedTimes times;
    private final int end;
    private final Map<String, Logged> txns =
        new TreeMap<>(
            Comparator.comparingInt(String::length).thenComparing(Comparator.naturalOrder()));
    private final Map<String, Integer> lastUse = new HashMap<>();
    private final Map<Object, Integer> uses = new IdentityHashMap<>();
    private final Set<String> regions = new LinkedHashSet<>();
    private final Map<Integer, List<Logged>> over = new HashMap<>();
    private final List<Term> gone = new ArrayList<>();
    private final Map<Integer, String> processes = new HashMap<>();
    private final List<String> ids;
    private final Set<Integer> heard = new TreeSet<>();
    private final Map<Integer, JsonNode> raised = new HashMap<>();
    private final Map<String, JsonNode> lastOf = new HashMap<>();
    private final Map<String, JsonNode> lastBefore = new HashMap<>();

    TpaReading(MergedLog log) {
      this.log = log;
      times = new LoggedTimes(log);
      end = LoggedTimes.beforeViewChange(log, layout);
      layout.managers().forEach(m -> regions.add(layout.region(m)));
      for (int i = 0; i < end; i++) {
        scan(i, log.entries().get(i).event());
      }
      for (String r : regions) {
        processes.put((int) layout.nid(layout.manager(r)), layout.manager(r));
        layout.nodes(r).forEach(n -> processes.put((int) layout.nid(n), n));
      }
      ids = List.copyOf(txns.keySet());
      heard.addAll(
          new NewsOfClocks(log, end, Set.copyOf(layout.managers()), this::participants).hears());
      for (int i : heard) {
        TraceEvent e = log.entries().get(i).event();
        lastUse.put(clock(LoggedTimes.field(e, "x").asText(), LoggedTimes.field(e, "now")), i);
      }
      int number = 0;
      for (Logged t : txns.values()) {
        t.number = ++number;
        int replicas = t.shards.stream().mapToInt(s -> layout.replicas(s).size()).sum();
        if (t.executedBy.size() == replicas) {
          over.computeIfAbsent(t.last, l -> new ArrayList<>()).add(t);
        }
      }
    }

    private void scan(int i, TraceEvent e) {
      if (e.action().equals(READ)) {
        nid(i, "n");
        times.see(LoggedTimes.field(e, "ts"));
        lastOf.put(e.role(), LoggedTimes.field(e, "ts"));
        return;
      }
      if (e.action().equals(CALIBRATED)) {
        times.see(LoggedTimes.field(e, "last"));
        lastBefore.put(e.recv().orElse(""), lastOf.get(e.role()));
        lastOf.put(e.role(), LoggedTimes.field(e, "last"));
      }
      if (!e.action().startsWith(PREFIX)) {
        return;
      }
      for (String name : List.of("now", "at", "ts")) {
        times.see(LoggedTimes.field(e, name));
      }
      String n = LoggedTimes.field(e, "n").asText();
      String t = LoggedTimes.field(e, "t").asText();
      String action = e.action().substring(PREFIX.length());
      if (FOLLOWING.contains(action)) {
        JsonNode last = lastBefore.remove(e.recv().orElse(""));
        raised.put(i, last == null ? lastOf.get(e.role()) : last);
      }
      switch (action) {
        case "CoordIrt", "CoordCrt" -> {
          Logged asked = new Logged(e.role());
          LoggedTimes.field(e, "shards").forEach(s -> asked.shards.add(s.asText()));
          LoggedTimes.field(e, "deps")
              .forEach(d -> asked.deps.add(List.of(d.path(0).asText(), d.path(1).asText())));
          txns.put(t, asked);
        }
        case "CommitIrt" -> lastUse.put("ack " + t, i);
        case "CommitCrt" -> lastUse.put("vote " + t, i);
        case "Reply" -> lastUse.put("result " + t, i);
        case "Anticipate" ->
            lastUse.put("prep-remote " + t + " " + LoggedTimes.field(e, "m").asText(), i);
        case "HandlePrepare" -> lastUse.put("prepare " + t + " " + n, i);
        case "HandleCommit" -> lastUse.put("commit " + t + " " + n, i);
        case "HandlePrepCrt" -> lastUse.put("prep-crt " + t + " " + n, i);
        case "HandleCommitCrt" -> lastUse.put("commit-remote " + t + " " + n, i);
        case "HandleOutput" -> lastUse.put("output " + t + " " + n, i);
        case "Execute" -> {
          Logged known = txns.get(t);
          if (known != null) {
            known.executedBy.add(n);
            boolean applied = LoggedTimes.field(e, "wrote").asBoolean(true);
            known.applied = known.decided ? known.applied : applied;
            known.decided = true;
          }
        }
        default -> {}
      }
      if (txns.containsKey(t)) {
        txns.get(t).last = i;
      }
    }

    private Set<String> participants(String t) {
      Set<String> nodes = new HashSet<>();
      if (txns.containsKey(t)) {
        txns.get(t).shards.forEach(s -> nodes.addAll(layout.replicas(s)));
      }
      return nodes;
    }

    private static String clock(String process, JsonNode parts) {
      return clock(process, parts.path(0).asLong(), parts.path(1).asLong());
    }

    private static String clock(String process, long time, long frac) {
      return "clock " + process + " " + time + " " + frac;
    }

    private Term nid(int i, String name) {
      return nid(i, LoggedTimes.field(log.entries().get(i).event(), name).asText(), name);
    }

    private Term nid(int i, String process, String name) {
      try {
        return times.number(i, layout.nid(process));
      } catch (NullPointerException e) {
        throw times.error(
            i, "no process " + name + " " + process, "name the deployment's parameters with --set");
      }
    }

    private Logged txn(int i) {
      String id = LoggedTimes.field(log.entries().get(i).event(), "t").asText();
      Logged t = txns.get(id);
      if (t == null) {
        throw times.error(
            i, "no log says what transaction " + id + " is", "log CoordIrt and CoordCrt");
      }
      return t;
    }

    @Override
    public List<String> definitions() {
      List<String> nodes = new ArrayList<>();
      List<String> managers = new ArrayList<>();
      List<String> region = new ArrayList<>();
      Map<String, List<String>> replicas = new TreeMap<>();
      for (String r : regions) {
        managers.add(String.valueOf(layout.nid(layout.manager(r))));
        region.add(layout.nid(layout.manager(r)) + " :> \"" + r + "\"");
        for (String n : layout.nodes(r)) {
          nodes.add(String.valueOf(layout.nid(n)));
          region.add(layout.nid(n) + " :> \"" + r + "\"");
          replicas
              .computeIfAbsent(layout.shardOf(n), s -> new ArrayList<>())
              .add(String.valueOf(layout.nid(n)));
        }
      }
      List<String> lines = new ArrayList<>();
      lines.add("LogNode == {" + String.join(", ", nodes) + "}");
      lines.add("LogManager == {" + String.join(", ", managers) + "}");
      lines.add("LogRegion == " + String.join(" @@ ", region));
      lines.add(
          "LogReplicas == "
              + replicas.entrySet().stream()
                  .map(s -> "\"%s\" :> {%s}".formatted(s.getKey(), String.join(", ", s.getValue())))
                  .collect(Collectors.joining(" @@ ")));
      lines.add("LogFracs == Nat");
      lines.add("LogPlan == <<");
      int left = txns.size();
      for (Logged t : txns.values()) {
        lines.add(plan(t) + (--left > 0 ? "," : ""));
      }
      lines.add(">>");
      return lines;
    }

    private String plan(Logged t) {
      String shards = "{" + Binding.quoted(t.shards) + "}";
      return "[coord |-> %d, shards |-> %s, writes |-> %s, deps |-> {%s}, cond |-> \"\"]"
          .formatted(
              layout.nid(t.coordinator),
              shards,
              t.applied ? shards : "{}",
              t.deps.stream()
                  .map(d -> "<<" + Binding.quoted(d) + ">>")
                  .collect(Collectors.joining(", ")));
    }

    @Override
    public String specification() {
      return "TraceSpec";
    }

    @Override
    public List<String> configuration() {
      String shard = layout.shardOf(layout.nodes(regions.iterator().next()).get(0));
      return List.of(
          "CONSTANTS",
          "Node <- LogNode",
          "Manager <- LogManager",
          "Region <- LogRegion",
          "Replicas <- LogReplicas",
          "Majority = " + (layout.replicas(shard).size() / 2 + 1),
          "Plan <- LogPlan",
          "Times = {}",
          "Rtts = {}",
          "Fracs <- LogFracs",
          "Channels = \"any\"",
          "Clocks = \"sent\"",
          "Timely = FALSE",
          "NoteKey = \"now\"",
          "Notify = \"always\"",
          "Repairs = {" + Binding.quoted(repairs()) + "}");
    }

    @Override
    public void load(Spec spec) {}

    @Override
    public List<Step> steps(int i) {
      TraceEvent e = log.entries().get(i).event();
      if (i >= end) {
        return List.of();
      }
      if (e.action().equals(READ)) {
        return List.of(
            new Step("", "TraceRead", List.of(nid(i, "n"), times.timestamp(i, "ts")), false));
      }
      if (!e.action().startsWith(PREFIX)) {
        return List.of();
      }
      String action = e.action().substring(PREFIX.length());
      return switch (action) {
        case "Tell" ->
            lastUse.containsKey(
                    clock(LoggedTimes.field(e, "x").asText(), LoggedTimes.field(e, "now")))
                ? List.of(step(action, nid(i, "x"), times.timestamp(i, "now")))
                : List.of();
        case "Hear" ->
            heard.contains(i)
                ? raised(
                    i,
                    step(
                        action,
                        nid(i, "n"),
                        nid(i, "x"),
                        times.timestamp(i, "now"),
                        named(i, "prepared"),
                        named(i, "committed")))
                : List.of();
        case "CoordIrt", "CoordCrt" ->
            List.of(
                new Step("", "Enlist", List.of(t(i)), false),
                step(action, t(i), times.timestamp(i, "ts")));
        case "CommitIrt", "Reply" -> List.of(step(action, t(i), times.timestamp(i, "ts")));
        case "CommitCrt" ->
            List.of(
                new Step(
                    "CommitCrtAt",
                    "TraceCommitCrt",
                    List.of(t(i), times.timestamp(i, "ts"), voters(i)),
                    false));
        case "HandlePrepare", "HandleCommit" -> raised(i, step(action, nid(i, "n"), t(i)));
        case "HandleCommitCrt" -> List.of(step(action, nid(i, "n"), t(i)));
        case "HandlePrepCrt" ->
            raised(i, step(action, nid(i, "n"), t(i), times.timestamp(i, "at")));
        case "HandleOutput" -> {
          String id = e.recv().orElse(":");
          yield List.of(
              step(
                  action,
                  nid(i, "n"),
                  t(i),
                  Term.string(LoggedTimes.field(e, "shard").asText()),
                  nid(i, id.substring(0, id.lastIndexOf(':')), "recv")));
        }
        case "Anticipate" ->
            List.of(
                step(
                    action,
                    nid(i, "m"),
                    t(i),
                    times.timestamp(i, "now"),
                    times.number(i, LoggedTimes.field(e, "rtt").asLong())));
        case "Execute" ->
            List.of(
                step(
                    action,
                    nid(i, "n"),
                    t(i),
                    times.timestamp(i, "now"),
                    times.timestamp(i, "at"),
                    Term.of(LoggedTimes.field(e, "wrote").asBoolean())));
        default ->
            throw times.error(i, MODULE + " has no such action", "log the specification's actions");
      };
    }

    /** A step after the raises of the clock by messages that are left out. */
    private List<Step> raised(int i, Step step) {
      JsonNode last = raised.get(i);
      if (last == null) {
        return List.of(step);
      }
      List<Term> read = List.of(nid(i, "n"), times.timestamp(i, last, "last"));
      return List.of(new Step("", "TraceRead", read, true), step);
    }

    private Term t(int i) {
      return Term.of(txn(i).number);
    }

    /** Those transactions of the log that a clock message names so. */
    private Term named(int i, String status) {
      Set<Term> named = new LinkedHashSet<>();
      for (JsonNode t : LoggedTimes.field(log.entries().get(i).event(), status)) {
        if (txns.containsKey(t.asText())) {
          named.add(Term.of(txns.get(t.asText()).number));
        }
      }
      return Term.set(named);
    }

    private Term voters(int i) {
      Set<Term> nodes = new LinkedHashSet<>();
      for (JsonNode n : LoggedTimes.field(log.entries().get(i).event(), "votes")) {
        nodes.add(nid(i, n.asText(), "votes"));
      }
      return Term.set(nodes);
    }

    private static Step step(String action, Term... arguments) {
      return new Step(action, "Trace" + action, List.of(arguments), false);
    }

    @Override
    public Map<String, String> names(int index) {
      TraceEvent e = log.entries().get(index).event();
      Map<String, String> names = new TreeMap<>();
      String t = LoggedTimes.field(e, "t").asText();
      if (txns.containsKey(t)) {
        names.put(t, "transaction " + txns.get(t).number);
      }
      for (String name : List.of("n", "x", "m")) {
        String process = LoggedTimes.field(e, name).asText();
        if (!process.isEmpty()) {
          names.put(process, "process " + layout.nid(process));
        }
      }
      return names;
    }

    @Override
    public List<String> messageVariables() {
      return List.of("msgs", "clocks");
    }

    @Override
    public boolean deliveredAfter(int index, Term message) {
      return uses.computeIfAbsent(message.identity(), m -> lastUse(message.json())) > index;
    }

    /** The last event that needs a message. */
    private int lastUse(JsonNode m) {
      if (m.has("holds")) {
        JsonNode ts = m.get("ts");
        return lastUse.getOrDefault(
            clock(
                processes.get(m.get("src").intValue()),
                times.micros(ts.get(0).intValue()),
                ts.get(2).longValue()),
            -1);
      }
      String type = m.get("type").textValue();
      String key = type + " " + ids.get(m.get("t").intValue() - 1);
      if (!COLLECTED.contains(type)) {
        key += " " + processes.get(m.get("dst").intValue());
      }
      return lastUse.getOrDefault(key, -1);
    }

    @Override
    public List<Step> housekeeping(int index) {
      for (Logged t : over.getOrDefault(index, List.of())) {
        gone.add(Term.of(t.number));
      }
      return gone.size() < ROUND
          ? List.of()
          : List.of(new Step("", "Forget", List.of(Term.set(gone)), false));
    }

    @Override
    public void cleaned(List<Spec.State> candidates) {
      gone.clear();
      uses.clear();
    }
  }
}
