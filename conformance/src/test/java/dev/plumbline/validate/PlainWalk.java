package dev.plumbline.validate;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.plumbline.tlc.Spec;
import dev.plumbline.trace.TraceEvent;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;

/**
 * Judges a log of Mvto by walking the specification's graph: in every state, all steps of Next are
 * listed and those with the event's label are followed to states that the event shows. Forgets
 * nothing, reuses no name, and shares no stepping with the validator.
 */
final class PlainWalk {
  private static final Path ROOT = Path.of("..");
  private static final List<String> PARTS = List.of("n", "oracle", "coordinator", "incarnation");

  private final MergedLog log;
  private final Map<String, Integer> txns = new TreeMap<>();
  private final Map<String, String> home = new TreeMap<>();
  private final Map<String, String> roles = new TreeMap<>();
  private final Map<String, String> owner = new TreeMap<>();
  private final List<String> ranks = new ArrayList<>();

  PlainWalk(MergedLog log) {
    this.log = log;
    Set<List<Long>> stamps =
        new TreeSet<>(
            Comparator.comparing(
                (List<Long> l) -> String.format("%020d%09d%09d%09d", l.toArray())));
    for (MergedLog.Entry entry : log.entries()) {
      TraceEvent e = entry.event();
      roles.put(e.node(), e.role());
      if (!e.action().startsWith("Mvto.")) {
        continue;
      }
      JsonNode m = e.args().get("m");
      for (JsonNode t : m == null ? texts(e.args().get("t")) : texts(m.get("t"), m.get("v"))) {
        txns.putIfAbsent(t.asText(), txns.size() + 1);
      }
      for (JsonNode k : m == null ? texts(e.args().get("k")) : texts(m.get("k"))) {
        home.putIfAbsent(k.asText(), "");
        if (e.action().endsWith(".HandleRead") || e.action().endsWith(".HandleWrite")) {
          home.put(k.asText(), e.role());
        }
      }
      if (e.action().endsWith("Begin") || e.action().endsWith("RecoverDataNode")) {
        stamps.add(stamp(e));
      }
    }
    txns.remove("NoTxn");
    home.remove("NoKey");
    stamps.forEach(s -> ranks.add(s.toString()));
  }

  private static List<JsonNode> texts(JsonNode... nodes) {
    List<JsonNode> found = new ArrayList<>();
    for (JsonNode n : nodes) {
      if (n != null) {
        found.add(n);
      }
    }
    return found;
  }

  private static List<Long> stamp(TraceEvent e) {
    List<Long> parts = new ArrayList<>();
    if (e.action().endsWith("Begin")) {
      PARTS.forEach(p -> parts.add(e.args().get(p).longValue()));
    } else {
      e.args().get("floor").forEach(p -> parts.add(p.longValue()));
    }
    return parts;
  }

  /** The first event that no behaviour explains, -1 if there is none. */
  int firstUnexplained(Path folder) throws IOException {
    int most = txns.values().stream().mapToInt(n -> n).max().orElse(1);
    Spec spec =
        load(
            folder,
            "Mvto",
            List.of(
                "LogTxns == 0 .. " + most,
                "LogKeys == 1 .. " + home.size(),
                "LogHome == <<"
                    + home.values().stream()
                        .map(h -> '"' + h + '"')
                        .collect(Collectors.joining(","))
                    + ">>"),
            List.of(
                "Txns <- LogTxns Keys <- LogKeys Home <- LogHome Old = 0",
                "NoTxn = NoTxn NoKey = NoKey",
                "TrackAt = \"request\" Fencing = TRUE",
                "Repairs = {\"ReadFloor\", \"PushRegisters\"}",
                "Faults = {\"coordinator\", \"suspicion\", \"recorder\", \"datanode\", \"abort\"}",
                "Nodes = {"
                    + roles.values().stream()
                        .distinct()
                        .map(r -> '"' + r + '"')
                        .collect(Collectors.joining(", "))
                    + "}",
                "Ranks = " + Math.max(1, ranks.size())));
    Set<Spec.State> states = new LinkedHashSet<>(spec.initialStates());
    for (int i = 0; i < log.entries().size(); i++) {
      TraceEvent e = log.entries().get(i).event();
      if (!e.action().startsWith("Mvto.")) {
        continue;
      }
      String action = e.action().substring("Mvto.".length());
      ObjectNode label = label(e, action);
      if (action.equals("HandlePush") && fromReplica(e)) {
        ObjectNode push = JsonNodeFactory.instance.objectNode();
        push.set("t", label.get("m").get("t"));
        push.set("k", label.get("m").get("k"));
        states = follow(spec, states, "ReplicaPush", push);
      }
      states =
          follow(spec, states, action.equals("RecoverDataNode") ? "RecoverFrom" : action, label);
      if (action.equals("ReplaceRecorder")) {
        owner.put(e.role(), e.node());
      }
      if (owner.computeIfAbsent(e.role(), r -> e.node()).equals(e.node())) {
        states.removeIf(s -> !shows(e, label, s.json()));
      }
      if (states.isEmpty()) {
        return i;
      }
    }
    return -1;
  }

  /** Loads the module WalkMODULE with what a log adds to it. */
  static Spec load(Path folder, String module, List<String> definitions, List<String> constants)
      throws IOException {
    Path tla = folder.resolve("Walk.tla");
    Path cfg = folder.resolve("Walk.cfg");
    List<String> lines = new ArrayList<>(List.of("---- MODULE Walk ----"));
    lines.add("EXTENDS Walk" + module);
    lines.addAll(definitions);
    lines.add("====");
    Files.write(tla, lines);
    List<String> config = new ArrayList<>(List.of("SPECIFICATION WalkSpec", "CONSTANTS"));
    config.addAll(constants);
    Files.write(cfg, config);
    return Spec.load(
        tla,
        cfg,
        List.of(
            Path.of("src/test/resources/specs/k2"),
            ROOT.resolve("specs/k2"),
            ROOT.resolve("specs/common")));
  }

  /** Whether a state is what the event says that its participant has afterwards. */
  private boolean shows(TraceEvent e, ObjectNode label, JsonNode state) {
    JsonNode t = label.has("t") ? label.get("t") : label.path("m").path("t");
    JsonNode k = label.path("m").path("k");
    return switch (e.action().substring("Mvto.".length())) {
      case "HandleRead", "HandleWrite", "HandlePushReply", "HandleFinalize" ->
          showsKey(e, t, k, state);
      case "HandlePush", "HandleCommit", "HandleAbort", "SuspectCoordinator" ->
          of(state.get("record"), t).asText().equalsIgnoreCase(e.state().get("record").asText())
              && set(e.state().get("held"), this::key).stream()
                  .allMatch(
                      held ->
                          set(state.get("held"), h -> h)
                              .contains(
                                  JsonNodeFactory.instance
                                      .objectNode()
                                      .<ObjectNode>set("k", held)
                                      .set("t", t)));
      case "RecoverDataNode", "ReplaceRecorder", "CoordinatorFail" -> true;
      default -> showsTxn(e, of(state.get("txn"), t), of(state.get("first"), t));
    };
  }

  private boolean showsTxn(TraceEvent e, JsonNode txn, JsonNode first) {
    JsonNode shown = e.state().get("txn");
    return txn.get("phase").equals(shown.get("phase"))
        && txn.get("reading").equals(key(shown.get("reading")))
        && set(txn.get("reads"), r -> r.get(0)).equals(set(shown.get("reads"), r -> key(r.get(0))))
        && set(txn.get("writes"), w -> w).equals(set(shown.get("writes"), this::key))
        && set(txn.get("acked"), w -> w).equals(set(shown.get("acked"), this::key))
        && first.equals(key(e.state().get("first")));
  }

  private boolean showsKey(TraceEvent e, JsonNode t, JsonNode k, JsonNode state) {
    List<Long> tracker = new ArrayList<>();
    e.state().get("tracker").forEach(p -> tracker.add(p.longValue()));
    int rank = tracker.equals(List.of(0L, 0L, 0L, 0L)) ? 0 : ranks.indexOf(tracker.toString()) + 1;
    boolean known = rank > 0 || tracker.equals(List.of(0L, 0L, 0L, 0L));
    JsonNode writer = txn(e.state().get("version").get("writer"));
    JsonNode newest = null;
    String status = "none";
    for (JsonNode v : of(state.get("versions"), k)) {
      if (v.get("writer").equals(writer)) {
        status = v.get("status").asText();
      }
      int at = tsOf(state, v.get("writer"));
      if (at <= tsOf(state, t) && (newest == null || at > tsOf(state, newest))) {
        newest = v.get("writer");
      }
    }
    Set<JsonNode> waits = set(state.get("waiting"), w -> w);
    waits.removeIf(w -> !w.get("k").equals(k));
    return known
        && of(state.get("tracker"), k).asInt() == rank
        && status.equals(e.state().get("version").get("status").asText())
        && (!e.action().endsWith(".HandleRead") || writer.equals(newest))
        && waits.equals(
            set(
                e.state().get("waiting"),
                w -> {
                  ObjectNode wait = JsonNodeFactory.instance.objectNode();
                  wait.set("k", k);
                  wait.set("on", txn(w.get("on")));
                  wait.set("t", txn(w.get("t")));
                  return wait;
                }));
  }

  private static int tsOf(JsonNode state, JsonNode t) {
    return t.asText().equals("NoTxn") ? 0 : of(state.get("ts"), t).asInt();
  }

  /** The value of a function; one whose domain is 1 .. n is written as an array. */
  private static JsonNode of(JsonNode function, JsonNode argument) {
    return function.isArray()
        ? function.get(argument.asInt() - 1)
        : function.get(argument.asText());
  }

  private static Set<JsonNode> set(JsonNode elements, UnaryOperator<JsonNode> map) {
    Set<JsonNode> set = new HashSet<>();
    elements.forEach(e -> set.add(map.apply(e)));
    return set;
  }

  private static Set<Spec.State> follow(
      Spec spec, Set<Spec.State> states, String action, ObjectNode label) {
    Set<Spec.State> next = new LinkedHashSet<>();
    for (Spec.State s : states) {
      for (Spec.Step step :
          spec.steps(
              s,
              call ->
                  call.action().equals(action)
                      && label.properties().stream()
                          .allMatch(p -> p.getValue().equals(call.parameter(p.getKey()))))) {
        next.add(step.to());
      }
    }
    return next;
  }

  private boolean fromReplica(TraceEvent e) {
    String id = e.recv().orElse("");
    String role = roles.get(id.substring(0, Math.max(0, id.lastIndexOf(':'))));
    return role != null && !home.containsValue(role);
  }

  private ObjectNode label(TraceEvent e, String action) {
    ObjectNode label = JsonNodeFactory.instance.objectNode();
    if (e.args().containsKey("m")) {
      JsonNode m = e.args().get("m");
      ObjectNode mapped = m.deepCopy();
      mapped.set("t", txn(m.get("t")));
      mapped.set("v", txn(m.get("v")));
      mapped.set("k", key(m.get("k")));
      label.set("m", mapped);
      return label;
    }
    if (e.args().containsKey("t")) {
      label.set("t", txn(e.args().get("t")));
    }
    if (e.args().containsKey("k")) {
      label.set("k", key(e.args().get("k")));
    }
    if (e.args().containsKey("d")) {
      label.set("d", e.args().get("d"));
    }
    if (action.equals("Begin")) {
      label.put("n", ranks.indexOf(stamp(e).toString()) + 1);
    } else if (action.equals("RecoverDataNode")) {
      label.put("floor", ranks.indexOf(stamp(e).toString()) + 1);
    }
    return label;
  }

  private JsonNode txn(JsonNode t) {
    Integer n = txns.get(t.asText());
    return n == null ? t : JsonNodeFactory.instance.numberNode(n);
  }

  private JsonNode key(JsonNode k) {
    int n = List.copyOf(home.keySet()).indexOf(k.asText());
    return n < 0 ? k : JsonNodeFactory.instance.numberNode(n + 1);
  }
}
