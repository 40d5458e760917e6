package dev.plumbline.graph;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.plumbline.graph.StateGraph.Label;
import dev.plumbline.tlc.Spec;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Walks a model's state graph with TLC and takes every step of it on machines too: from each state
 * each step that stays in the model, with all variables compared; and what the specification does
 * not enable there but machines may be asked for (of what the walk has met so far), which must
 * change nothing. The machines are put back into a state for each of these. States are counted as
 * TLC counts them: under a SYMMETRY one of each set of symmetric ones is gone on from.
 */
public final class Lockstep {
  private final Spec spec;
  private final SpecAdapter adapter;
  private final Comparison comparison;
  private final Spec.Values values = new Spec.Values();
  private final Set<Long> seen = new HashSet<>();
  private final Deque<Place> open = new ArrayDeque<>();
  private final StateGraph.Probes probes;
  private final Map<JsonNode, Set<Label>> deliveries = new HashMap<>();
  private final Set<Label> guarded = new LinkedHashSet<>();
  private long steps;
  private long refusals;

  /**
   * @param probes what machines have to refuse where the specification does not enable it
   */
  public Lockstep(Spec spec, StateGraph.Probes probes, SpecAdapter adapter) {
    this.spec = spec;
    this.probes = probes;
    this.adapter = adapter;
    this.comparison = new Comparison(adapter, spec.variables().iterator());
  }

  /** A state with the machines in it, and how it was reached. */
  private record Place(
      Spec.State state, ObjectNode json, Memento machines, Place before, Label by) {}

  /**
   * What the walk gave.
   *
   * @param states distinct ones
   * @param steps taken on the machines
   * @param refusals inputs that had to leave everything unchanged
   */
  public record Outcome(
      long states, long steps, long refusals, double seconds, Optional<Difference> difference) {}

  /** Walks the whole graph, up to the first difference. */
  public Outcome run() {
    long start = System.nanoTime();
    Optional<Difference> difference = walk();
    return new Outcome(seen.size(), steps, refusals, (System.nanoTime() - start) / 1e9, difference);
  }

  private Optional<Difference> walk() {
    for (Spec.State s : spec.initialStates()) {
      if (spec.inModel(s) && seen.add(s.fingerprint())) {
        ObjectNode state = s.json();
        adapter.reset(state);
        if (!comparison.same(state)) {
          return Optional.of(difference(null, null, false, state, null));
        }
        open.push(new Place(s, state, Memento.of(adapter), null, null));
      }
    }
    while (!open.isEmpty()) {
      Optional<Difference> difference = leave(open.pop());
      if (difference.isPresent()) {
        return difference;
      }
    }
    return Optional.empty();
  }

  private Optional<Difference> leave(Place from) {
    Set<Label> enabled = new HashSet<>();
    for (Spec.Step step : spec.steps(from.state())) {
      Label label = new Label(step.action(), step.parameters(values));
      if (enabled.add(label)) {
        remember(label);
      }
      Spec.State to = step.to();
      if (!spec.inModel(to) || !spec.inModel(from.state(), to)) {
        continue;
      }
      from.machines().restore();
      ObjectNode state = to.json(from.state(), from.json(), values);
      String thrown = comparison.apply(label);
      steps++;
      if (thrown != null || !comparison.same(state)) {
        return Optional.of(difference(from, label, false, state, thrown));
      }
      if (seen.add(to.fingerprint())) {
        open.push(new Place(to, state, Memento.of(adapter), from, label));
      }
    }
    return refuse(from, enabled);
  }

  private void remember(Label label) {
    if (probes.actions().contains(label.action())) {
      guarded.add(label);
    }
    for (JsonNode parameter : label.parameters()) {
      if (parameter.isObject()) {
        deliveries.computeIfAbsent(parameter, m -> new LinkedHashSet<>()).add(label);
      }
    }
  }

  private Optional<Difference> refuse(Place at, Set<Label> enabled) {
    Set<Label> asked = new LinkedHashSet<>(guarded);
    for (String variable : probes.messageVariables()) {
      for (JsonNode message : at.json().get(variable)) {
        asked.addAll(deliveries.getOrDefault(message, Set.of()));
      }
    }
    for (Label label : asked) {
      if (!enabled.contains(label)) {
        at.machines().restore();
        String thrown = comparison.apply(label);
        refusals++;
        if (thrown != null || !comparison.same(at.json())) {
          return Optional.of(difference(at, label, true, at.json(), thrown));
        }
      }
    }
    return Optional.empty();
  }

  private Difference difference(
      Place from, Label label, boolean refused, ObjectNode state, String thrown) {
    List<String> path = new ArrayList<>();
    if (label != null) {
      path.add(label.toString());
    }
    for (Place p = from; p != null && p.by() != null; p = p.before()) {
      path.add(p.by().toString());
    }
    Collections.reverse(path);
    return new Difference(
        "step " + path.size(),
        label == null ? "Init" : label.toString(),
        refused,
        comparison.differing(state, thrown),
        path);
  }
}
