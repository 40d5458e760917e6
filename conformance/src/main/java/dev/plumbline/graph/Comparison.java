package dev.plumbline.graph;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.plumbline.graph.StateGraph.Label;
import dev.plumbline.tlc.InputError;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.function.Supplier;

/** One step of machines at a time, compared with the specification in every variable of theirs. */
final class Comparison {
  private final SpecAdapter adapter;
  private final Watch watch = new Watch();
  private final String[] variables;
  private final JsonNode[] expected;
  private final JsonNode[] actual;

  /**
   * @param names the specification's variables
   * @throws InputError when the adapter projects others
   */
  Comparison(SpecAdapter adapter, Iterator<String> names) {
    this.adapter = adapter;
    this.variables = adapter.variables();
    this.expected = new JsonNode[variables.length];
    this.actual = new JsonNode[variables.length];
    Set<String> has = new TreeSet<>(List.of(variables));
    has.addAll(adapter.given());
    Set<String> needed = new TreeSet<>();
    names.forEachRemaining(needed::add);
    if (!has.equals(needed)) {
      Set<String> missing = new TreeSet<>(needed);
      missing.removeAll(has);
      has.removeAll(needed);
      throw new InputError(
          "",
          0,
          adapter.getClass().getName()
              + (has.isEmpty() ? "" : " has variables that the specification does not: " + has)
              + (has.isEmpty() || missing.isEmpty() ? "" : ", and")
              + (missing.isEmpty() ? "" : " lacks variables of the specification: " + missing),
          "name each variable once, as the specification does");
    }
  }

  /**
   * Has steps taken until there is a difference.
   *
   * @param place of a step, given what differs
   */
  Optional<Difference> run(
      Supplier<Optional<Difference>> steps, Function<List<Difference.Variable>, Difference> place) {
    return watch.await(
        steps,
        at ->
            Optional.of(
                place.apply(
                    List.of(
                        new Difference.Variable(
                            "(no end)",
                            "a step that ends",
                            "none within " + Watch.PATIENCE + " s: it is in " + at)))));
  }

  /** Puts the machines into an initial state. */
  void reset(ObjectNode initial) {
    watch.turn();
    adapter.reset(initial);
    watch.turn();
  }

  /** Makes the machines do an action in a state; what they threw, or null. */
  String apply(Label label, ObjectNode before) {
    watch.turn();
    try {
      adapter.apply(label.action(), label.parameters(), before);
      return null;
    } catch (IllegalArgumentException | IllegalStateException | NullPointerException e) {
      return e.toString();
    } finally {
      watch.turn();
    }
  }

  /** Compares; a pair of objects that was equal before is equal. */
  boolean same(ObjectNode state) {
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

  /** The variables that differ, and what was thrown. */
  List<Difference.Variable> differing(ObjectNode state, String thrown) {
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
    return different;
  }
}
