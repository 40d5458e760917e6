package dev.plumbline.graph;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.plumbline.graph.StateGraph.Label;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;

/** Runs a corpus on machines and compares all variables of theirs after every step. */
public final class Replay {
  private final Corpus corpus;
  private final SpecAdapter adapter;
  private final Comparison comparison;
  private final Map<ObjectNode, Memento> starts = new IdentityHashMap<>();
  private final Set<Integer> probed = new HashSet<>();
  private int done;
  private long steps;
  private long refusals;

  // The step that is taken.
  private int[] behaviour;
  private int at;
  private Label label;
  private boolean refused;

  public Replay(Corpus corpus, SpecAdapter adapter) {
    this.corpus = corpus;
    this.adapter = adapter;
    this.comparison = new Comparison(adapter, corpus.states().get(0).fieldNames());
  }

  /**
   * What replaying gave.
   *
   * @param refusals inputs that had to leave everything unchanged
   */
  public record Outcome(
      long behaviours,
      long steps,
      long refusals,
      double seconds,
      Optional<Difference> difference) {}

  /** Replays every behaviour, up to the first difference; a step that does not end is one. */
  public Outcome run() {
    return outcome(() -> comparison.run(this::behaviours, this::difference));
  }

  /** The same on this thread, for who measures its processor time: every step is waited for. */
  public Outcome runHere() {
    return outcome(this::behaviours);
  }

  private Outcome outcome(Supplier<Optional<Difference>> replayed) {
    long start = System.nanoTime();
    Optional<Difference> difference = replayed.get();
    return new Outcome(done, steps, refusals, (System.nanoTime() - start) / 1e9, difference);
  }

  private Optional<Difference> behaviours() {
    for (int[] next : corpus.behaviours()) {
      behaviour = next;
      Optional<Difference> difference = steps();
      done++;
      if (difference.isPresent()) {
        return difference;
      }
    }
    return Optional.empty();
  }

  private Optional<Difference> steps() {
    ObjectNode state = corpus.states().get(behaviour[0]);
    at = 0;
    label = null;
    refused = false;
    start(state);
    for (; ; at += 2) {
      String thrown = null;
      if (at > 0) {
        label = corpus.labels().get(behaviour[at - 1]);
        refused = false;
        ObjectNode before = state;
        state = corpus.states().get(behaviour[at]);
        thrown = comparison.apply(label, before);
        steps++;
      }
      if (thrown != null || !comparison.same(state)) {
        return Optional.of(difference(comparison.differing(state, thrown)));
      }
      int[] asked = corpus.rejected().get(behaviour[at]);
      if (asked != null && probed.add(behaviour[at])) {
        refused = true;
        for (int r : asked) {
          label = corpus.labels().get(r);
          thrown = comparison.apply(label, state);
          refusals++;
          if (thrown != null || !comparison.same(state)) {
            return Optional.of(difference(comparison.differing(state, thrown)));
          }
        }
      }
      if (at + 2 >= behaviour.length) {
        return Optional.empty();
      }
    }
  }

  /** Machines in an initial state: made once, then put back. */
  private void start(ObjectNode initial) {
    Memento known = starts.get(initial);
    if (known != null) {
      known.restore();
    } else {
      comparison.reset(initial);
      starts.put(initial, Memento.of(adapter));
    }
  }

  /** What differs at the step that is taken. */
  private Difference difference(List<Difference.Variable> variables) {
    List<String> path = new ArrayList<>();
    for (int i = 2; i <= at; i += 2) {
      path.add(corpus.labels().get(behaviour[i - 1]).toString());
    }
    return new Difference(
        "behaviour " + done + ", step " + at / 2,
        label == null ? "Init" : label.toString(),
        refused,
        variables,
        path);
  }
}
