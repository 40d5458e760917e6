package dev.plumbline.graph;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.plumbline.graph.StateGraph.Label;
import dev.plumbline.tlc.InputError;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/** Runs a corpus on machines and compares all variables after every step. */
public final class Replay {
  private final Corpus corpus;
  private final SpecAdapter adapter;
  private final String[] variables;
  private final JsonNode[] expected;
  private final JsonNode[] actual;
  private long steps;
  private long refusals;

  public Replay(Corpus corpus, SpecAdapter adapter) {
    this.corpus = corpus;
    this.adapter = adapter;
    this.variables = adapter.variables();
    this.expected = new JsonNode[variables.length];
    this.actual = new JsonNode[variables.length];
    Set<String> has = new TreeSet<>(List.of(variables));
    Set<String> needed = new TreeSet<>();
    corpus.states().get(0).fieldNames().forEachRemaining(needed::add);
    if (!has.equals(needed)) {
      throw new InputError(
          "", 0, "the adapter projects " + has + ", the corpus has " + needed, "adapt the adapter");
    }
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

  /**
   * The first place where machines and specification differ.
   *
   * @param behaviour number in the corpus, from 0
   * @param step number in the behaviour, from 1; 0 for the initial state
   * @param label the action
   * @param refused whether the action had to be refused
   * @param variables each variable that differs, with both values
   * @param path the actions up to here
   */
  public record Difference(
      int behaviour,
      int step,
      String label,
      boolean refused,
      List<Variable> variables,
      List<String> path) {

    /** What the specification has, and what the machines. */
    public record Variable(String name, String expected, String got) {}

    /** The difference, readable. */
    public List<String> lines() {
      List<String> out = new ArrayList<>();
      out.add(
          "behaviour "
              + behaviour
              + ", step "
              + step
              + ": "
              + label
              + (refused ? " must change nothing" : ""));
      for (Variable v : variables) {
        out.add("  " + v.name());
        out.add("    expected " + v.expected());
        out.add("    got      " + v.got());
      }
      out.add("  after");
      path.forEach(p -> out.add("    " + p));
      return out;
    }
  }

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
    adapter.reset(state);
    for (int i = 0; ; i += 2) {
      if (i > 0) {
        Label label = corpus.labels().get(behaviour[i - 1]);
        state = corpus.states().get(behaviour[i]);
        String thrown = apply(label);
        steps++;
        if (thrown != null || !same(state)) {
          return Optional.of(difference(number, behaviour, i, label, false, state, thrown));
        }
      } else if (!same(state)) {
        return Optional.of(difference(number, behaviour, i, null, false, state, null));
      }
      int[] refused = corpus.rejected().get(behaviour[i]);
      if (refused != null && probed.add(behaviour[i])) {
        for (int r : refused) {
          Label label = corpus.labels().get(r);
          String thrown = apply(label);
          refusals++;
          if (thrown != null || !same(state)) {
            return Optional.of(difference(number, behaviour, i, label, true, state, thrown));
          }
        }
      }
      if (i + 2 >= behaviour.length) {
        return Optional.empty();
      }
    }
  }

  private String apply(Label label) {
    try {
      adapter.apply(label.action(), label.parameters());
      return null;
    } catch (IllegalArgumentException | IllegalStateException | NullPointerException e) {
      return e.toString();
    }
  }

  /** Compares; a pair of objects that was equal before is equal. */
  private boolean same(ObjectNode state) {
    boolean same = true;
    for (int v = 0; v < variables.length; v++) {
      JsonNode e = state.get(variables[v]);
      JsonNode a = adapter.project(v);
      if (e != expected[v] || a != actual[v]) {
        if (e.equals(a)) {
          expected[v] = e;
          actual[v] = a;
        } else {
          expected[v] = null;
          same = false;
        }
      }
    }
    return same;
  }

  private Difference difference(
      int number,
      int[] behaviour,
      int at,
      Label label,
      boolean refused,
      ObjectNode state,
      String thrown) {
    List<Difference.Variable> different = new ArrayList<>();
    if (thrown != null) {
      different.add(new Difference.Variable("(exception)", "none", thrown));
    }
    for (int v = 0; v < variables.length; v++) {
      JsonNode a = adapter.project(v);
      if (!state.get(variables[v]).equals(a)) {
        different.add(
            new Difference.Variable(
                variables[v], state.get(variables[v]).toString(), String.valueOf(a)));
      }
    }
    List<String> path = new ArrayList<>();
    for (int i = 2; i <= at; i += 2) {
      path.add(corpus.labels().get(behaviour[i - 1]).toString());
    }
    return new Difference(
        number, at / 2, label == null ? "Init" : label.toString(), refused, different, path);
  }
}
