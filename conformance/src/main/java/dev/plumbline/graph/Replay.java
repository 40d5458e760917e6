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

/** Runs a corpus on machines and compares all variables after every step. */
public final class Replay {
  private final Corpus corpus;
  private final SpecAdapter adapter;
  private final Comparison comparison;
  private final Map<ObjectNode, Memento> starts = new IdentityHashMap<>();
  private long steps;
  private long refusals;

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

  /** Replays every behaviour, up to the first difference. */
  public Outcome run() {
    long start = System.nanoTime();
    Optional<Difference> difference = Optional.empty();
    Set<Integer> probed = new HashSet<>();
    int done = 0;
    for (int[] behaviour : corpus.behaviours()) {
      difference = run(done, behaviour, probed);
      done++;
      if (difference.isPresent()) {
        break;
      }
    }
    return new Outcome(done, steps, refusals, (System.nanoTime() - start) / 1e9, difference);
  }

  private Optional<Difference> run(int number, int[] behaviour, Set<Integer> probed) {
    ObjectNode state = corpus.states().get(behaviour[0]);
    start(state);
    for (int i = 0; ; i += 2) {
      if (i > 0) {
        Label label = corpus.labels().get(behaviour[i - 1]);
        state = corpus.states().get(behaviour[i]);
        String thrown = comparison.apply(label);
        steps++;
        if (thrown != null || !comparison.same(state)) {
          return Optional.of(difference(number, behaviour, i, label, false, state, thrown));
        }
      } else if (!comparison.same(state)) {
        return Optional.of(difference(number, behaviour, i, null, false, state, null));
      }
      int[] refused = corpus.rejected().get(behaviour[i]);
      if (refused != null && probed.add(behaviour[i])) {
        for (int r : refused) {
          Label label = corpus.labels().get(r);
          String thrown = comparison.apply(label);
          refusals++;
          if (thrown != null || !comparison.same(state)) {
            return Optional.of(difference(number, behaviour, i, label, true, state, thrown));
          }
        }
      }
      if (i + 2 >= behaviour.length) {
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
      adapter.reset(initial);
      starts.put(initial, Memento.of(adapter));
    }
  }

  private Difference difference(
      int number,
      int[] behaviour,
      int at,
      Label label,
      boolean refused,
      ObjectNode state,
      String thrown) {
    List<String> path = new ArrayList<>();
    for (int i = 2; i <= at; i += 2) {
      path.add(corpus.labels().get(behaviour[i - 1]).toString());
    }
    return new Difference(
        "behaviour " + number + ", step " + at / 2,
        label == null ? "Init" : label.toString(),
        refused,
        comparison.differing(state, thrown),
        path);
  }
}
