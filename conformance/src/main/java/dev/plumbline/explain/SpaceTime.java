package dev.plumbline.explain;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.plumbline.check.Checks.Diagram;
import dev.plumbline.explain.Counterexample.Step;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;

/**
 * Who acts in each step of a behaviour, and which message travels from which step to which.
 *
 * @param lanes processes by name, the environment last
 * @param lane for each step after the initial state, its process
 * @param arrows messages from the step that sent them to the step that handled them
 */
public record SpaceTime(List<String> lanes, List<String> lane, List<Arrow> arrows) {
  /** Step numbers; {@code label} is the message's kind. */
  public record Arrow(int from, int to, String label) {}

  /** A message on its way: the same one on two links is two. */
  private record Sent(String link, JsonNode message) {}

  private static final List<String> RECEIVER = List.of("dst", "to", "dest", "receiver", "mdest");
  private static final List<String> NETWORK =
      List.of("msgs", "messages", "network", "net", "inflight", "channels");
  private static final String NOBODY = "environment";

  /** {@code as t}: the lane of the first step with the same parameter t. */
  private static final String AS = "as ";

  /** Reads processes and messages off the behaviour, guided by checks.yaml's {@code diagram:}. */
  public static SpaceTime of(Counterexample c, Diagram d) {
    Map<String, Integer> keys = keys(c);
    List<String> lane = new ArrayList<>();
    for (Step s : c.steps().subList(1, c.steps().size())) {
      lane.add(actor(s, c, lane, d, keys));
    }
    List<Arrow> arrows = new ArrayList<>();
    for (String variable : networks(c, d)) {
      arrows.addAll(arrows(c, variable, d));
    }
    return new SpaceTime(lanes(lane), lane, arrows);
  }

  /** By name, what belongs to no process last. */
  private static List<String> lanes(List<String> acting) {
    List<String> names = new ArrayList<>(new TreeSet<>(acting));
    if (names.remove(NOBODY)) {
      names.add(NOBODY);
    }
    return names;
  }

  /** How many variables have each string as a key: processes are keys of many. */
  private static Map<String, Integer> keys(Counterexample c) {
    Map<String, Integer> n = new LinkedHashMap<>();
    c.steps()
        .get(0)
        .state()
        .forEach(
            v -> {
              if (v.isObject()) {
                v.fieldNames().forEachRemaining(k -> n.merge(k, 1, Integer::sum));
              }
            });
    return n;
  }

  private static String actor(
      Step s, Counterexample c, List<String> lanes, Diagram d, Map<String, Integer> keys) {
    Step before = c.steps().get(s.number() - 1);
    String said = d.lanes().get(s.action());
    if (said != null && said.startsWith(AS)) {
      String parameter = said.substring(AS.length());
      return c.steps().subList(1, s.number()).stream()
          .filter(e -> e.parameters().has(parameter))
          .filter(e -> e.parameters().get(parameter).equals(s.parameters().get(parameter)))
          .findFirst()
          .map(e -> lanes.get(e.number() - 1))
          .orElseGet(() -> toucher(s, before, keys));
    }
    if (said != null) {
      JsonNode v = at(s.parameters(), said);
      return v.isMissingNode() ? said : ValueText.text(v);
    }
    String best = null;
    for (JsonNode p : s.parameters()) {
      String name = ValueText.text(p);
      if (p.isValueNode()
          && keys.containsKey(name)
          && (best == null || keys.get(name) > keys.get(best))) {
        best = name;
      }
    }
    if (best != null) {
      return best;
    }
    for (JsonNode p : s.parameters()) {
      for (String r : RECEIVER) {
        if (p.path(r).isValueNode()) {
          return ValueText.text(p.get(r));
        }
      }
    }
    return toucher(s, before, keys);
  }

  /** The process whose entries changed, else the sender. */
  private static String toucher(Step s, Step before, Map<String, Integer> keys) {
    Set<String> touched = new LinkedHashSet<>();
    for (String v : ValueText.changed(before.state(), s.state())) {
      JsonNode a = before.state().get(v);
      JsonNode b = s.state().get(v);
      if (a.isObject() && b.isObject()) {
        touched.addAll(ValueText.changed(a, b));
      }
    }
    touched.retainAll(keys.keySet());
    return touched.size() == 1 ? touched.iterator().next() : sender(s, before);
  }

  /** The sender that all messages sent in this step name. */
  private static String sender(Step s, Step before) {
    Set<String> names = new LinkedHashSet<>();
    for (String v : NETWORK) {
      for (JsonNode m :
          ValueText.minus(messages(s.state().path(v)), messages(before.state().path(v)))) {
        for (String f : List.of("src", "from", "sender", "msource")) {
          if (m.path(f).isValueNode()) {
            names.add(ValueText.text(m.get(f)));
          }
        }
      }
    }
    return names.size() == 1 ? names.iterator().next() : NOBODY;
  }

  private static JsonNode at(JsonNode parameters, String path) {
    JsonNode n = parameters;
    for (String part : path.split("\\.", -1)) {
      n = n.path(part);
    }
    return n;
  }

  /** The variables that hold messages: those that checks.yaml names, else a usual name. */
  private static List<String> networks(Counterexample c, Diagram d) {
    JsonNode state = c.steps().get(0).state();
    return d.messages().isEmpty()
        ? NETWORK.stream().filter(state::has).limit(1).toList()
        : Stream.of(d.messages().split("[, ]+")).filter(state::has).toList();
  }

  private static List<Arrow> arrows(Counterexample c, String variable, Diagram d) {
    List<Arrow> arrows = new ArrayList<>();
    Map<Sent, Integer> sent = new LinkedHashMap<>();
    for (Step s : c.steps().subList(1, c.steps().size())) {
      List<Sent> before = sent(c.steps().get(s.number() - 1).state().path(variable), "");
      List<Sent> after = sent(s.state().path(variable), "");
      List<Sent> gone = ValueText.minus(before, after);
      Set<JsonNode> parameters = new HashSet<>();
      s.parameters().forEach(parameters::add);
      Set<Sent> handled = new LinkedHashSet<>(before);
      handled.removeIf(m -> !parameters.contains(m.message) || !sent.containsKey(m));
      if (handled.isEmpty()) {
        handled.addAll(gone);
        handled.retainAll(sent.keySet());
      }
      handled.forEach(
          m -> arrows.add(new Arrow(sent.get(m), s.number(), label(m.message, variable, d))));
      ValueText.minus(after, before).forEach(m -> sent.put(m, s.number()));
    }
    return arrows;
  }

  private static String label(JsonNode m, String variable, Diagram d) {
    if (d.kind().isEmpty()) {
      return ValueText.kind(m);
    }
    return m.has(d.kind()) ? ValueText.text(m.get(d.kind())) : variable;
  }

  /**
   * All records that a network variable holds: in sets, sequences, bags, and functions of those.
   */
  static List<JsonNode> messages(JsonNode network) {
    return sent(network, "").stream().map(Sent::message).toList();
  }

  private static List<Sent> sent(JsonNode network, String link) {
    List<Sent> all = new ArrayList<>();
    if (network.isArray()) {
      for (JsonNode e : network) {
        if (e.isObject()) {
          all.add(new Sent(link, e));
        } else {
          all.addAll(sent(e, link));
        }
      }
    } else if (network.isObject()) {
      for (Map.Entry<String, JsonNode> f : network.properties()) {
        if (f.getKey().startsWith("{") && f.getValue().isInt()) {
          Sent message = new Sent(link, parsed(f.getKey()));
          all.addAll(Collections.nCopies(f.getValue().intValue(), message));
        } else {
          all.addAll(sent(f.getValue(), link + f.getKey() + "\n"));
        }
      }
    }
    return all;
  }

  private static JsonNode parsed(String json) {
    try {
      return new ObjectMapper().readTree(json);
    } catch (JsonProcessingException e) {
      throw new IllegalArgumentException("a bag's key is no JSON: " + json, e);
    }
  }
}
