package dev.plumbline.graph;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.plumbline.tlc.InputError;
import dev.plumbline.tlc.Spec;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/**
 * The reachable states of a bounded specification and every step between them. States are numbered
 * in breadth-first order with steps in the order of their text, so that equal specifications give
 * equal graphs. Steps to states outside the model are left out.
 */
public final class StateGraph {
  private final List<ObjectNode> states = new ArrayList<>();
  private final List<List<Edge>> edges = new ArrayList<>();
  private final List<int[]> parents = new ArrayList<>();
  private final List<Set<Label>> disabled = new ArrayList<>();
  private int initialCount;

  /** An action with its parameters. */
  public record Label(String action, ObjectNode parameters) implements Comparable<Label> {
    private static final Comparator<Label> ORDER =
        Comparator.comparing(Label::action).thenComparing(l -> l.parameters.toString());

    @Override
    public int compareTo(Label o) {
      return ORDER.compare(this, o);
    }

    @Override
    public String toString() {
      return action + " " + parameters;
    }
  }

  /**
   * What a participant has to refuse where the specification does not enable it.
   *
   * @param messageVariables variables that hold sets of messages: the actions with one of those
   *     there as a parameter
   * @param actions whose guards are a participant's own decision: all their labels that occur
   */
  public record Probes(Set<String> messageVariables, Set<String> actions) {}

  /** A step to the state numbered {@code to}. */
  public record Edge(Label label, int to) {}

  /**
   * Walks the whole graph.
   *
   * @param probes what {@link #rejected} asks about
   * @param limit of states
   * @throws InputError when there are more states than {@code limit}
   */
  public static StateGraph walk(Spec spec, Probes probes, int limit) {
    StateGraph g = new StateGraph();
    Map<Spec.State, Integer> numbers = new HashMap<>();
    List<Spec.State> queue = new ArrayList<>();
    Map<Label, Label> labels = new HashMap<>();
    List<Spec.State> initial = new ArrayList<>(spec.initialStates());
    initial.sort(Comparator.comparing(s -> s.json().toString()));
    for (Spec.State s : initial) {
      if (spec.inModel(s) && numbers.putIfAbsent(s, queue.size()) == null) {
        queue.add(s);
        g.add(s.json(), -1, -1);
      }
    }
    g.initialCount = queue.size();
    List<Set<Label>> enabled = new ArrayList<>();
    for (int n = 0; n < queue.size(); n++) {
      Spec.State from = queue.get(n);
      record Found(Label label, Spec.State to) {}
      List<Found> found = new ArrayList<>();
      Set<Label> here = new HashSet<>();
      for (Spec.Step step : spec.steps(from)) {
        Label fresh = new Label(step.action(), step.parameters());
        Label label = labels.computeIfAbsent(fresh, l -> l);
        here.add(label);
        if (spec.inModel(step.to()) && spec.inModel(from, step.to())) {
          found.add(new Found(label, step.to()));
        }
      }
      found.sort(Comparator.comparing(Found::label).thenComparing(f -> f.to().json().toString()));
      enabled.add(here);
      Set<Edge> unique = new HashSet<>();
      for (Found f : found) {
        Integer to = numbers.get(f.to());
        if (to == null) {
          to = queue.size();
          if (to >= limit) {
            throw new InputError(
                "", 0, "more than " + limit + " states", "bound the model tighter");
          }
          numbers.put(f.to(), to);
          queue.add(f.to());
          g.add(f.to().json(), n, g.edges.get(n).size());
        }
        Edge edge = new Edge(f.label(), to);
        if (unique.add(edge)) {
          g.edges.get(n).add(edge);
        }
      }
      queue.set(n, null);
    }
    g.findRejected(probes, labels.keySet(), enabled);
    return g;
  }

  private void add(ObjectNode state, int parent, int edge) {
    states.add(state);
    edges.add(new ArrayList<>());
    parents.add(new int[] {parent, edge});
  }

  private void findRejected(Probes probes, Set<Label> labels, List<Set<Label>> enabled) {
    Map<JsonNode, Set<Label>> deliveries = new HashMap<>();
    Set<Label> guarded = new TreeSet<>();
    for (Label label : labels) {
      if (probes.actions().contains(label.action())) {
        guarded.add(label);
      }
      for (JsonNode parameter : label.parameters()) {
        if (parameter.isObject()) {
          deliveries.computeIfAbsent(parameter, m -> new TreeSet<>()).add(label);
        }
      }
    }
    for (int n = 0; n < states.size(); n++) {
      Set<Label> here = new TreeSet<>(guarded);
      here.removeAll(enabled.get(n));
      for (String variable : probes.messageVariables()) {
        for (JsonNode m : states.get(n).path(variable)) {
          for (Label label : deliveries.getOrDefault(m, Set.of())) {
            if (!enabled.get(n).contains(label)) {
              here.add(label);
            }
          }
        }
      }
      disabled.add(here);
    }
  }

  public int size() {
    return states.size();
  }

  public int edgeCount() {
    return edges.stream().mapToInt(List::size).sum();
  }

  /** States numbered below this are initial. */
  public int initialCount() {
    return initialCount;
  }

  /** All variables, sorted by name. */
  public ObjectNode state(int n) {
    return states.get(n);
  }

  public List<Edge> edges(int n) {
    return edges.get(n);
  }

  /** The state from which {@code n} was found first, -1 for an initial state. */
  public int parent(int n) {
    return parents.get(n)[0];
  }

  /** The step by which {@code n} was found first. */
  public Edge arrival(int n) {
    int[] p = parents.get(n);
    return edges.get(p[0]).get(p[1]);
  }

  /** Labels that the specification does not enable in state {@code n}, see {@link Probes}. */
  public Set<Label> rejected(int n) {
    return disabled.get(n);
  }

  /** Names of the actions that occur. */
  public Set<String> actions() {
    Set<String> all = new TreeSet<>();
    edges.forEach(out -> out.forEach(e -> all.add(e.label().action())));
    return all;
  }

  /**
   * Behaviours from initial states that together take every step: each goes on over steps not yet
   * taken, and starts with a shortest way to one when there is none ahead.
   */
  public List<List<Integer>> covering() {
    int[] taken = new int[size()];
    List<List<Integer>> behaviours = new ArrayList<>();
    for (int start = 0; start < size(); start++) {
      while (taken[start] < edges.get(start).size()) {
        List<Integer> path = new ArrayList<>();
        prefix(start, path);
        int at = start;
        while (taken[at] < edges.get(at).size()) {
          int e = taken[at]++;
          path.add(e);
          at = edges.get(at).get(e).to();
        }
        behaviours.add(path);
      }
    }
    return behaviours;
  }

  /** The initial state's number, then the number of the edge taken in each state. */
  private void prefix(int n, List<Integer> path) {
    List<Integer> back = new ArrayList<>();
    int at = n;
    while (parent(at) >= 0) {
      back.add(parents.get(at)[1]);
      at = parent(at);
    }
    path.add(at);
    for (int i = back.size() - 1; i >= 0; i--) {
      path.add(back.get(i));
    }
  }
}
