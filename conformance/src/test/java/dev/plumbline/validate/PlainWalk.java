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
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;

/**
 * Judges a log of Mvto by walking the specification's graph: in every state, all steps of Next are
 * listed and those with the event's label are followed. Forgets nothing, reuses no name, and shares
 * no stepping with the validator.
 */
final class PlainWalk {
  private static final Path ROOT = Path.of("..");
  private static final List<String> PARTS = List.of("n", "oracle", "coordinator", "incarnation");

  private final MergedLog log;
  private final Map<String, Integer> txns = new TreeMap<>();
  private final Map<String, String> home = new TreeMap<>();
  private final Map<String, String> roles = new TreeMap<>();
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
      e.state().get("tracker").forEach(p -> parts.add(p.longValue()));
    }
    return parts;
  }

  /** The first event that no behaviour explains, -1 if there is none. */
  int firstUnexplained(Path folder) throws IOException {
    int most = txns.values().stream().mapToInt(n -> n).max().orElse(1);
    Path module = folder.resolve("Walk.tla");
    Path config = folder.resolve("Walk.cfg");
    Files.write(
        module,
        List.of(
            "---- MODULE Walk ----",
            "EXTENDS WalkMvto",
            "LogTxns == 0 .. " + most,
            "LogKeys == 1 .. " + home.size(),
            "LogHome == <<"
                + home.values().stream().map(h -> '"' + h + '"').collect(Collectors.joining(","))
                + ">>",
            "===="));
    Files.write(
        config,
        List.of(
            "SPECIFICATION WalkSpec",
            "CONSTANTS",
            "Txns <- LogTxns Keys <- LogKeys Home <- LogHome Old = 0 NoTxn = NoTxn NoKey = NoKey",
            "TrackAt = \"request\" Fencing = TRUE Repairs = {\"ReadFloor\", \"PushRegisters\"}",
            "Faults = {\"coordinator\", \"suspicion\", \"recorder\", \"datanode\", \"abort\"}",
            "Nodes = {"
                + roles.values().stream()
                    .distinct()
                    .map(r -> '"' + r + '"')
                    .collect(Collectors.joining(", "))
                + "}",
            "Ranks = " + Math.max(1, ranks.size())));
    Spec spec =
        Spec.load(
            module,
            config,
            List.of(
                Path.of("src/test/resources/specs/k2"),
                ROOT.resolve("specs/k2"),
                ROOT.resolve("specs/common")));
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
      if (states.isEmpty()) {
        return i;
      }
    }
    return -1;
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
