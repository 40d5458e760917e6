package dev.plumbline.engage.binding;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.MissingNode;
import dev.plumbline.graph.LoggedTransactions;
import dev.plumbline.history.History;
import dev.plumbline.history.ObservedMicroOp;
import dev.plumbline.history.Op;
import dev.plumbline.trace.TraceEvent;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Requests and updates in ENGAGE's logs. An update is named by its source and its number there, a
 * request by its client, its cloudlet, its kind and object, and how many such it is. A session has
 * one operation at a time, so the requests of one kind stand in a cloudlet's log in the order in
 * which the history has them.
 */
final class EngageTransactions implements LoggedTransactions {

  /** Requests of one kind: of a session, at a cloudlet, to read or to write an object. */
  private record Kind(String session, String cloudlet, String op, String key) {
    String request(int number) {
      String word = op.equals("r") ? "read" : "write";
      return word + " " + number + " of " + key + " by " + session + " at " + cloudlet;
    }
  }

  private final List<Set<String>> names = new ArrayList<>();

  /** What each request of a kind brought about: itself, and the updates written or read. */
  private final Map<Kind, List<Set<String>>> requests = new HashMap<>();

  /** What is held, by clients' names: one that gave up has another, and may have asked again. */
  private final Map<String, Set<String>> held = new HashMap<>();

  private final Map<History, Map<Op, Set<String>>> known = new IdentityHashMap<>();

  EngageTransactions(List<TraceEvent> log) {
    log.forEach(this::add);
  }

  private void add(TraceEvent e) {
    Set<String> about = new LinkedHashSet<>();
    switch (e.actionName()) {
      case "ClientRead", "ClientWrite" -> {
        Kind kind = kind(e.arg("c").asText(), e.arg("i").asText(), e.args(), "o");
        List<Set<String>> sofar = requests.computeIfAbsent(kind, k -> new ArrayList<>());
        String name = kind.request(sofar.size() + 1);
        sofar.add(new LinkedHashSet<>(Set.of(name)));
        about.add(name);
        Set<String> request = sofar.get(sofar.size() - 1);
        if (contains(e.state().get("holds"), e.arg("c").asText())) {
          held.put(e.arg("c").asText(), request);
        } else {
          served(e, request, about);
        }
      }
      case "ServeHeld" -> {
        Set<String> request = held.remove(e.arg("r").path("c").asText());
        if (request != null) {
          about.add(request.iterator().next());
          served(e, request, about);
        }
      }
      default -> {
        update(e.arg("u"), about);
        update(e.arg("m").path("u"), about);
      }
    }
    names.add(about);
  }

  /** A served request: the update that it wrote, or those that it read, are the newest there. */
  private static void served(TraceEvent e, Set<String> request, Set<String> about) {
    Set<String> updates = new LinkedHashSet<>();
    JsonNode newest = e.state().get("newest");
    if (newest != null) {
      newest.forEach(u -> updates.add(update(u.path(0).asText(), u.path(1).asLong())));
    }
    request.addAll(updates);
    about.addAll(updates);
  }

  private static Kind kind(String client, String cloudlet, Map<String, JsonNode> args, String o) {
    JsonNode missing = MissingNode.getInstance();
    String object = args.getOrDefault(o, missing).asText();
    return new Kind(
        session(client),
        cloudlet,
        args.getOrDefault("op", missing).asText(),
        object.substring(object.indexOf('/') + 1));
  }

  /** A client begins anew when an answer is lost, under the same name with the next number. */
  private static String session(String client) {
    int dot = client.lastIndexOf('.');
    return dot < 0 ? client : client.substring(0, dot);
  }

  private static boolean contains(JsonNode holds, String client) {
    if (holds != null) {
      for (JsonNode held : holds) {
        if (held.asText().equals(client)) {
          return true;
        }
      }
    }
    return false;
  }

  private static void update(JsonNode u, Set<String> about) {
    if (u.path("snb").asLong() > 0) {
      about.add(update(u.path("src").asText(), u.path("snb").asLong()));
    }
  }

  private static String update(String source, long number) {
    return "update " + number + " of " + source;
  }

  @Override
  public Set<String> of(int event) {
    return names.get(event);
  }

  @Override
  public Set<String> of(History history, Op end) {
    return known.computeIfAbsent(history, this::all).getOrDefault(end, Set.of());
  }

  /**
   * The names of all operations of which the log tells. Where fewer requests were logged than asked
   * for, some that were not answered never arrived: answered ones before the first such and after
   * the last are sure.
   */
  private Map<Op, Set<String>> all(History history) {
    Map<Kind, List<Op>> asked = new HashMap<>();
    for (Op op : history.ops()) {
      if (op.visit() != null && op.type() != Op.Type.INVOKE && op.value().size() == 1) {
        ObservedMicroOp only = op.value().get(0);
        String word = only instanceof ObservedMicroOp.Read ? "r" : "w";
        Kind kind =
            new Kind(op.visit().session(), op.visit().node(), word, String.valueOf(only.key()));
        asked.computeIfAbsent(kind, k -> new ArrayList<>()).add(op);
      }
    }
    Map<Op, Set<String>> all = new HashMap<>();
    asked.forEach((kind, ops) -> match(ops, requests.getOrDefault(kind, List.of()), all));
    return all;
  }

  private static void match(List<Op> ops, List<Set<String>> logged, Map<Op, Set<String>> all) {
    int lost = ops.size() - logged.size();
    Set<Op> open = new HashSet<>(ops.stream().filter(o -> o.type() != Op.Type.OK).toList());
    if (lost < 0 || lost > open.size()) {
      return; // Logs of another run, or with gaps.
    }
    for (int i = 0; i < ops.size() && (lost == 0 || !open.contains(ops.get(i))); i++) {
      all.put(ops.get(i), logged.get(i));
    }
    for (int i = ops.size() - 1; lost > 0 && i >= lost && !open.contains(ops.get(i)); i--) {
      all.put(ops.get(i), logged.get(i - lost));
    }
  }

  @Override
  public String word() {
    return "request";
  }

  @Override
  public String needs() {
    return "name an operation that was answered (:ok)";
  }
}
