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
 * each step that stays in the model, with all variables of theirs compared; and what the
 * specification does not enable there but machines may be asked for (of what the walk has met so
 * far), which must change nothing. The machines are put back into a state for each of these. States
 * are counted as TLC counts them: under a SYMMETRY one of each set of symmetric ones is gone on
 * from.
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

  // The step that is taken.
  private Place from;
  private Label label;
  private boolean refused;

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
    Optional<Difference> difference = comparison.run(this::walk, this::difference);
    return new Outcome(seen.size(), steps, refusals, (System.nanoTime() - start) / 1e9, difference);
  }

  private Optional<Difference> walk() {
    for (Spec.State s : spec.initialStates()) {
      if (spec.inModel(s) && seen.add(s.fingerprint())) {
        ObjectNode state = s.json();
        comparison.reset(state);
        if (!comparison.same(state)) {
          return Optional.of(difference(comparison.differing(state, null)));
        }
        open.push(new Place(s, state, Memento.of(adapter), null, null));
      }
    }
    while (!open.isEmpty()) {
      from = open.pop();
      Optional<Difference> difference = leave();
      if (difference.isPresent()) {
        return difference;
      }
    }
    return Optional.empty();
  }

  private Optional<Difference> leave() {
    refused = false;
    Set<Label> enabled = new HashSet<>();
    for (Spec.Step step : spec.steps(from.state())) {
      label = new Label(step.action(), step.parameters(values));
      if (enabled.add(label)) {
        remember(label);
      }
      Spec.State to = step.to();
      if (!spec.inModel(to) || !spec.inModel(from.state(), to)) {
        continue;
      }
      from.machines().restore();
      ObjectNode state = to.json(from.state(), from.json(), values);
      String thrown = comparison.apply(label, from.json());
      steps++;
      if (thrown != null || !comparison.same(state)) {
        return Optional.of(difference(comparison.differing(state, thrown)));
      }
      if (seen.add(to.fingerprint())) {
        open.push(new Place(to, state, Memento.of(adapter), from, label));
      }
    }
    return refuse(enabled);
  }

  private void remember(Label met) {
    if (probes.actions().contains(met.action())) {
      guarded.add(met);
    }
    for (JsonNode parameter : met.parameters()) {
      if (parameter.isObject()) {
        deliveries.computeIfAbsent(parameter, m -> new LinkedHashSet<>()).add(met);
      }
    }
  }

  private Optional<Difference> refuse(Set<Label> enabled) {
    refused = true;
    Set<Label> asked = new LinkedHashSet<>(guarded);
    for (String variable : probes.messageVariables()) {
      for (JsonNode message : from.json().get(variable)) {
        asked.addAll(deliveries.getOrDefault(message, Set.of()));
      }
    }
    for (Label input : asked) {
      if (!enabled.contains(input)) {
        label = input;
        from.machines().restore();
        String thrown = comparison.apply(label, from.json());
        refusals++;
        if (thrown != null || !comparison.same(from.json())) {
          return Optional.of(difference(comparison.differing(from.json(), thrown)));
        }
      }
    }
    return Optional.empty();
  }

  /** What differs at the step that is taken. */
  private Difference difference(List<Difference.Variable> variables) {
    List<String> path = new ArrayList<>();
    if (label != null) {
      path.add(label.toString());
    }
    for (Place p = from; p != null && p.by() != null; p = p.before()) {
      path.add(p.by().toString());
    }
    Collections.reverse(path);
    return new Difference(
        "step " + path.size(), label == null ? "Init" : label.toString(), refused, variables, path);
  }
}
