package dev.plumbline.k2conf;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.MissingNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.plumbline.tlc.InputError;
import dev.plumbline.tlc.Spec;
import dev.plumbline.tlc.Term;
import dev.plumbline.trace.TraceEvent;
import dev.plumbline.validate.MergedLog;
import dev.plumbline.validate.Pool;
import dev.plumbline.validate.Ranks;
import dev.plumbline.validate.TraceModel;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** Reads a log as steps of {@code Mvto}; see {@code specs/k2/TraceMvto.tla}. */
final class MvtoTrace implements TraceModel {
  static final String MODULE = "Mvto";
  private static final String PREFIX = MODULE + ".";
  private static final String NO_TXN = "NoTxn";
  private static final String NO_KEY = "NoKey";

  /** Events between two rounds of forgetting. */
  private static final int ROUND = 32;

  /** Slots beyond the transactions in flight: for those that wait for a round of forgetting. */
  private static final int SPARE = ROUND + 16;

  private static final List<Long> ZERO = List.of(0L, 0L, 0L, 0L);

  private final Set<String> unrepaired;

  /**
   * @param unrepaired repairs that the machines ran without
   */
  MvtoTrace(Set<String> unrepaired) {
    this.unrepaired = unrepaired;
  }

  @Override
  public String module() {
    return MODULE;
  }

  @Override
  public Path folder() {
    return Path.of("specs/k2");
  }

  @Override
  public Reading read(MergedLog log, int room) {
    return new MvtoReading(log, room);
  }

  private final class MvtoReading implements Reading {
    private final MergedLog log;
    private final int events;
    private final Pool txns = new Pool("transactions");
    private final int slots;
    private final Ranks<List<Long>> ranks =
        new Ranks<>(
            Comparator.<List<Long>, Long>comparing(l -> l.get(0))
                .thenComparing(l -> l.get(1))
                .thenComparing(l -> l.get(2))
                .thenComparing(l -> l.get(3)));
    private final Map<String, List<Long>> tsOf = new HashMap<>();
    private final Map<String, String> home = new TreeMap<>();
    private final Map<Integer, Set<String>> lost = new HashMap<>();
    private final Map<JsonNode, Integer> lastDelivery = new HashMap<>();
    private final Map<Object, Integer> deliveries = new IdentityHashMap<>();
    private final Map<String, String> roles = new HashMap<>();
    private final Map<String, String> owner = new HashMap<>();
    private final Set<Integer> replaced = new HashSet<>();
    private final int[] low;
    private final Map<String, Integer> keys = new HashMap<>();
    private List<String> keyNames;
    private Term noTxn;
    private Term noKey;
    private Term gone;
    private int stuck;
    private Spec spec;

    MvtoReading(MergedLog log, int room) {
      this.log = log;
      this.events = log.entries().size();
      Map<String, Set<String>> open = new HashMap<>();
      Set<String> writers = new HashSet<>();
      for (int i = 0; i < events; i++) {
        scan(i, log.entries().get(i).event(), open, writers);
      }
      slots = (txns.overlap(events) + SPARE) * room;
      low = new int[events + 1];
      low[events] = ranks.size() + 1;
      for (int i = events - 1; i >= 0; i--) {
        TraceEvent e = log.entries().get(i).event();
        low[i] = low[i + 1];
        if (e.action().equals("Mvto.HandleRead")) {
          List<Long> ts = tsOf.get(e.args().get("m").path("t").asText());
          low[i] = Math.min(low[i], ts == null ? 0 : ranks.of(ts));
        }
      }
    }

    private void scan(int i, TraceEvent e, Map<String, Set<String>> open, Set<String> writers) {
      roles.put(e.node(), e.role());
      if (!e.action().startsWith(PREFIX)) {
        if (e.action().equals(TraceEvent.CRASH) || e.action().equals(TraceEvent.FENCED)) {
          Set<String> victims = open.remove(e.role());
          if (victims != null) {
            lost.put(i, victims);
            victims.forEach(t -> txns.mention(t, i));
          }
        }
        return;
      }
      String t = e.args().containsKey("t") ? e.args().get("t").asText() : null;
      JsonNode m = e.args().get("m");
      if (m != null) {
        t = m.path("t").asText();
        lastDelivery.put(m, i);
        mention(m.path("v").asText(NO_TXN), i);
        key(m.path("k").asText(NO_KEY), e);
      }
      if (t != null) {
        mention(t, i);
      }
      if (e.args().containsKey("k")) {
        key(e.args().get("k").asText(), e);
      }
      switch (e.action().substring(PREFIX.length())) {
        case "Begin" -> {
          List<Long> ts = timestamp(i);
          ranks.add(ts);
          tsOf.put(t, ts);
          open.computeIfAbsent(e.role(), r -> new LinkedHashSet<>()).add(t);
        }
        case "IssueWrite" -> writers.add(t);
        case "HandleDecision" ->
            open.computeIfAbsent(e.role(), r -> new LinkedHashSet<>()).remove(t);
        case "RequestCommit" -> {
          if (!writers.contains(t)) {
            open.computeIfAbsent(e.role(), r -> new LinkedHashSet<>()).remove(t);
          }
        }
        case "RecoverDataNode" -> {
          if (!timestamp(i).equals(ZERO)) {
            ranks.add(timestamp(i));
          }
        }
        case "ReplaceRecorder" -> owner.put(e.role(), e.node());
        case "HandleRead" -> {
          home.put(m.path("k").asText(), e.role());
          mention(state(e, "version").path("writer").asText(NO_TXN), i);
        }
        case "HandleWrite" -> home.put(m.path("k").asText(), e.role());
        default -> {}
      }
      if (!owner.computeIfAbsent(e.role(), r -> e.node()).equals(e.node())) {
        replaced.add(i);
      }
    }

    private JsonNode state(TraceEvent e, String field) {
      return e.state().getOrDefault(field, MissingNode.getInstance());
    }

    private void mention(String txn, int i) {
      if (!txn.equals(NO_TXN)) {
        txns.mention(txn, i);
      }
    }

    private void key(String key, TraceEvent e) {
      if (!key.equals(NO_KEY)) {
        home.putIfAbsent(key, "");
      }
    }

    /** The timestamp in the arguments of Begin, or the floor in the state of RecoverDataNode. */
    private List<Long> timestamp(int i) {
      MergedLog.Entry entry = log.entries().get(i);
      TraceEvent e = entry.event();
      List<Long> parts = new ArrayList<>();
      if (e.action().endsWith("RecoverDataNode")) {
        state(e, "tracker").forEach(p -> parts.add(p.longValue()));
      } else {
        for (String part : List.of("n", "oracle", "coordinator", "incarnation")) {
          JsonNode n = e.args().get(part);
          if (n != null && n.isIntegralNumber()) {
            parts.add(n.longValue());
          }
        }
      }
      if (parts.size() != 4) {
        throw new InputError(
            entry.file(),
            entry.line(),
            e.action() + " has no whole timestamp",
            "log n, oracle, coordinator and incarnation");
      }
      return parts;
    }

    @Override
    public List<String> definitions() {
      return List.of(
          "LogTxns == 0 .. " + slots,
          "LogKeys == 1 .. " + home.size(),
          "LogHome == <<"
              + home.values().stream().map(d -> '"' + d + '"').collect(Collectors.joining(", "))
              + ">>");
    }

    @Override
    public List<String> configuration() {
      List<String> repairs = new ArrayList<>(List.of("ReadFloor", "PushRegisters"));
      repairs.removeAll(unrepaired);
      String quoted = repairs.stream().map(r -> "\"" + r + "\"").collect(Collectors.joining(", "));
      return List.of(
          "CONSTANTS",
          "Txns <- LogTxns",
          "Old = 0",
          "Keys <- LogKeys",
          "Home <- LogHome",
          "NoTxn = NoTxn",
          "NoKey = NoKey",
          "TrackAt = \"" + (unrepaired.contains("track-at-reply") ? "reply" : "request") + "\"",
          "Faults = {\"coordinator\", \"suspicion\", \"recorder\", \"datanode\", \"abort\"}",
          "Fencing = TRUE",
          "Repairs = {" + quoted + "}");
    }

    @Override
    public void load(Spec loaded) {
      spec = loaded;
      keyNames = List.copyOf(home.keySet());
      noTxn = Term.model(NO_TXN);
      noKey = Term.model(NO_KEY);
      home.keySet().forEach(k -> keys.put(k, keys.size() + 1));
      txns.load(slots, events);
    }

    @Override
    public List<Step> steps(int i) {
      List<Step> steps = new ArrayList<>(taken(i));
      if (!steps.isEmpty() && !replaced.contains(i)) {
        shown(log.entries().get(i).event()).ifPresent(steps::add);
      }
      return steps;
    }

    private List<Step> taken(int i) {
      TraceEvent e = log.entries().get(i).event();
      Set<String> victims = lost.get(i);
      if (victims != null) {
        return victims.stream()
            .map(t -> new Step("CoordinatorFail", "CoordinatorFail", List.of(txn(t)), true))
            .toList();
      }
      if (!e.action().startsWith(PREFIX)) {
        return List.of();
      }
      String action = e.action().substring(PREFIX.length());
      if (action.equals("HandlePush") && fromReplica(e)) {
        JsonNode m = e.args().get("m");
        Term t = txn(m.path("t").asText());
        return List.of(
            new Step("", "ReplicaPush", List.of(t, key(m.path("k").asText())), false),
            Step.of(action, message(m)));
      }
      return List.of(
          switch (action) {
            case "Begin" ->
                new Step(action, "TraceBegin", List.of(argument(e, "t"), Term.of(rank(i))), false);
            case "RecoverDataNode" ->
                new Step(
                    action,
                    "TraceRecoverDataNode",
                    List.of(argument(e, "d"), Term.of(rank(i)), Term.string(e.role())),
                    false);
            case "ReplaceRecorder" ->
                new Step(
                    action,
                    "TraceReplaceRecorder",
                    List.of(argument(e, "d"), Term.string(e.role())),
                    false);
            default ->
                new Step(
                    action,
                    action,
                    parameters(i, action).stream().map(p -> argument(e, p)).toList(),
                    false);
          });
    }

    /** What the event's state says of the specification's, if it is a participant's. */
    private Optional<Step> shown(TraceEvent e) {
      JsonNode m = e.args().getOrDefault("m", MissingNode.getInstance());
      return switch (e.action()) {
        case PREFIX + "HandleRead" -> {
          List<Term> arguments = new ArrayList<>(List.of(txn(m.path("t").asText())));
          arguments.addAll(keyState(e, m));
          yield Optional.of(show("ReadShows", arguments));
        }
        case PREFIX + "HandleWrite", PREFIX + "HandlePushReply", PREFIX + "HandleFinalize" ->
            Optional.of(show("KeyShows", keyState(e, m)));
        case PREFIX + "HandlePush",
                PREFIX + "HandleCommit",
                PREFIX + "HandleAbort",
                PREFIX + "SuspectCoordinator" ->
            Optional.of(
                show(
                    "RecordShows",
                    List.of(
                        txn(e.args().getOrDefault("t", m.path("t")).asText()),
                        Term.string(state(e, "record").asText().toLowerCase(Locale.ROOT)),
                        keySet(state(e, "held")))));
        case PREFIX + "Begin",
                PREFIX + "IssueRead",
                PREFIX + "IssueWrite",
                PREFIX + "HandleReadReply",
                PREFIX + "HandleWriteReply",
                PREFIX + "HandleDecision",
                PREFIX + "RequestCommit",
                PREFIX + "RequestAbort" ->
            Optional.of(show("TxnShows", txnState(e, m)));
        default -> Optional.empty();
      };
    }

    private Step show(String operator, List<Term> arguments) {
      return new Step("", operator, arguments, false);
    }

    private List<Term> txnState(TraceEvent e, JsonNode m) {
      JsonNode txn = state(e, "txn");
      List<JsonNode> read = new ArrayList<>();
      txn.path("reads").forEach(r -> read.add(r.path(0)));
      return List.of(
          txn(e.args().getOrDefault("t", m.path("t")).asText()),
          Term.string(txn.path("phase").asText()),
          knownKey(txn.path("reading")),
          keySet(read),
          keySet(txn.path("writes")),
          keySet(txn.path("acked")),
          knownKey(state(e, "first")));
    }

    private List<Term> keyState(TraceEvent e, JsonNode m) {
      List<Long> tracker = new ArrayList<>();
      state(e, "tracker").forEach(p -> tracker.add(p.longValue()));
      JsonNode version = state(e, "version");
      String writer = version.path("writer").asText();
      Term known = writer.equals(NO_TXN) ? noTxn : txns.known(writer);
      Term k = key(m.path("k").asText());
      List<Term> waits = new ArrayList<>();
      for (JsonNode wait : state(e, "waiting")) {
        Term reader = txns.known(wait.path("t").asText());
        Term on = txns.known(wait.path("on").asText());
        if (reader != null && on != null) {
          waits.add(Term.record(Map.of("t", reader, "k", k, "on", on)));
        }
      }
      if (gone == null) {
        gone = Term.set(txns.retired());
      }
      return List.of(
          k,
          Term.of(rank(tracker)),
          known == null ? Term.of(-1) : known,
          Term.string(version.path("status").asText()),
          Term.set(waits),
          gone);
    }

    private Term keySet(Iterable<JsonNode> names) {
      Set<Term> set = new LinkedHashSet<>();
      names.forEach(k -> set.add(knownKey(k)));
      return Term.set(set);
    }

    /** A key that the log's actions name, or a number that is none. */
    private Term knownKey(JsonNode k) {
      return k.asText().equals(NO_KEY) ? noKey : Term.of(keys.getOrDefault(k.asText(), -1));
    }

    private int rank(List<Long> ts) {
      return ts.equals(ZERO) ? 0 : ranks.find(ts);
    }

    /** PUSHWS of a reader at a replica: it comes from no data node. */
    private boolean fromReplica(TraceEvent e) {
      String id = e.recv().orElse("");
      String sender = id.substring(0, Math.max(0, id.lastIndexOf(':')));
      String role = roles.get(sender);
      return role != null && !home.containsValue(role);
    }

    private List<String> parameters(int i, String action) {
      List<String> parameters = spec.parameters(action);
      TraceEvent e = log.entries().get(i).event();
      if (parameters == null || !e.args().keySet().containsAll(parameters)) {
        throw new InputError(
            log.entries().get(i).file(),
            log.entries().get(i).line(),
            parameters == null
                ? MODULE + " has no action " + action
                : action + " needs the arguments " + parameters,
            "log the specification's actions and parameters");
      }
      return parameters;
    }

    private int rank(int i) {
      return rank(timestamp(i));
    }

    @Override
    public Map<String, String> names(int index) {
      Map<String, String> names = new TreeMap<>();
      TraceEvent e = log.entries().get(index).event();
      JsonNode m = e.args().getOrDefault("m", MissingNode.getInstance());
      for (JsonNode t : List.of(m.path("t"), m.path("v"), e.args().getOrDefault("t", m))) {
        if (t.isTextual() && !t.textValue().equals(NO_TXN)) {
          names.put(t.textValue(), "transaction " + txn(t.textValue()));
        }
      }
      for (JsonNode k : List.of(m.path("k"), e.args().getOrDefault("k", m))) {
        if (k.isTextual() && !k.textValue().equals(NO_KEY)) {
          names.put(k.textValue(), "key " + key(k.textValue()));
        }
      }
      return names;
    }

    private Term argument(TraceEvent e, String name) {
      JsonNode value = e.args().get(name);
      return switch (name) {
        case "t" -> txn(value.asText());
        case "k" -> key(value.asText());
        case "m" -> message(value);
        default -> Term.string(value.asText());
      };
    }

    private Term txn(String id) {
      return id.equals(NO_TXN) ? noTxn : txns.term(id);
    }

    private Term key(String key) {
      return key.equals(NO_KEY) ? noKey : Term.of(keys.get(key));
    }

    private Term message(JsonNode m) {
      Map<String, Term> fields = new LinkedHashMap<>();
      fields.put("type", Term.string(m.path("type").asText()));
      fields.put("t", txn(m.path("t").asText()));
      fields.put("k", key(m.path("k").asText(NO_KEY)));
      fields.put("v", txn(m.path("v").asText(NO_TXN)));
      fields.put("s", Term.string(m.path("s").asText()));
      return Term.record(fields);
    }

    @Override
    public List<String> messageVariables() {
      return List.of("msgs");
    }

    @Override
    public boolean deliveredAfter(int index, Term message) {
      Integer last = deliveries.get(message.identity());
      if (last == null) {
        last = lastDelivery.getOrDefault(logged(message), -1);
        deliveries.put(message.identity(), last);
      }
      return last > index;
    }

    /** A message as the log has it. */
    private JsonNode logged(Term message) {
      ObjectNode m = (ObjectNode) message.json();
      for (String field : List.of("t", "v")) {
        if (m.get(field).isInt()) {
          m.put(field, String.valueOf(txns.owner(Term.of(m.get(field).intValue()))));
        }
      }
      if (m.get("k").isInt()) {
        m.put("k", keyNames.get(m.get("k").intValue() - 1));
      }
      return m;
    }

    @Override
    public Map<String, Term> forgotten() {
      return Map.of("told", Term.sequence(List.of()));
    }

    @Override
    public List<Step> housekeeping(int index) {
      int before = txns.retired().size();
      txns.retire(index);
      if (txns.retired().size() > before) {
        gone = null;
      }
      if (txns.retired().size() < stuck + ROUND) {
        return List.of();
      }
      return List.of(
          new Step(
              "", "Forget", List.of(Term.set(txns.retired()), Term.of(low[index + 1])), false));
    }

    @Override
    public void cleaned(List<Spec.State> candidates) {
      Set<Term> unused = null;
      for (Spec.State s : candidates) {
        Set<Term> here = new HashSet<>(spec.term("Unused", s).elements());
        if (unused == null) {
          unused = here;
        } else {
          unused.retainAll(here);
        }
      }
      Set<Term> reusable = new HashSet<>(txns.retired());
      reusable.retainAll(unused);
      deliveries.clear();
      txns.reuse(reusable);
      stuck = txns.retired().size();
      gone = null;
    }
  }
}
