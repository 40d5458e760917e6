package dev.plumbline.explain;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.plumbline.check.CheckModel;
import dev.plumbline.check.Checks.Check;
import dev.plumbline.explain.Counterexample.Step;
import dev.plumbline.tlc.Spec;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * A trace from a file, checked again: whether it is a behaviour of a check's model, and which
 * properties it breaks.
 *
 * @param behaviour the steps as far as they are steps of the model
 * @param fault why the trace is no behaviour of the model, or empty
 * @param broken properties with the number of the first step that breaks each
 */
public record Retrace(Counterexample behaviour, String fault, Map<String, Integer> broken) {

  /**
   * Steps the model along the trace, and back to where its loop leads.
   *
   * @param folder for the files that TLC needs
   */
  public static Retrace of(Itf trace, CheckModel model, Path folder) {
    Spec spec = model.load(folder, property -> true, false);
    Map<String, Integer> broken = new TreeMap<>();
    Map<String, Boolean> arrays = new TreeMap<>();
    List<Map<String, Boolean>> kinds = new ArrayList<>();
    List<Step> steps = new ArrayList<>();
    String fault = variables(spec, trace.states().get(0));
    Spec.State at = null;
    if (fault.isEmpty()) {
      at =
          spec.initialStates().stream()
              .filter(s -> s.json().equals(trace.states().get(0)))
              .findFirst()
              .orElse(null);
      fault =
          at == null
              ? "state 0 is no initial state"
                  + nearest(
                      spec.initialStates().stream().map(s -> Map.entry("Init", s.json())).toList(),
                      trace.states().get(0))
              : "";
    }
    List<ObjectNode> states = closed(trace);
    for (int n = 0; at != null && n < states.size(); n++) {
      ObjectNode wanted = states.get(n);
      ObjectNode parameters = new ObjectMapper().createObjectNode();
      String action = "Init";
      Spec.State before = n == 0 ? null : at;
      if (n > 0 && wanted.equals(at.json())) {
        action = "Stutter";
      } else if (n > 0) {
        String others = variables(spec, wanted);
        if (!others.isEmpty()) {
          fault = "state " + n + ": " + others;
          break;
        }
        Optional<Spec.Step> step = spec.step(at, wanted);
        if (step.isEmpty()) {
          fault =
              "no action leads from state "
                  + (n - 1)
                  + " to state "
                  + (n < trace.states().size() ? n : trace.loop() + ", where its loop leads")
                  + nearest(
                      spec.steps(at).stream()
                          .map(s -> Map.entry(s.action(), s.to().json()))
                          .toList(),
                      wanted);
          break;
        }
        action = step.get().action();
        parameters = step.get().parameters();
        step.get().arrays(arrays);
        at = step.get().to();
      }
      at.arrays(arrays);
      kinds.add(new TreeMap<>());
      at.arrays(kinds.get(n));
      for (String name : spec.broken(before, at)) {
        broken.putIfAbsent(name, n);
      }
      steps.add(new Step(n, action, parameters, at.json()));
    }
    if (fault.isEmpty()) {
      fault = kinds(trace.arrays(), kinds);
    }
    return new Retrace(behaviour(trace, model.check(), steps, arrays, broken), fault, broken);
  }

  /**
   * Where the trace has a sequence and the model a set with the same elements, or the other way
   * round. A place that is now the one and now the other in the model says nothing: what {@link
   * Itf#write} writes there is a set always.
   */
  private static String kinds(List<Map<String, Boolean>> given, List<Map<String, Boolean>> model) {
    Set<String> both = new TreeSet<>();
    model.forEach(a -> a.forEach((place, sequence) -> both.add(place + sequence)));
    for (int n = 0; n < given.size(); n++) {
      for (Map.Entry<String, Boolean> array : model.get(n).entrySet()) {
        String place = array.getKey();
        boolean sequence = array.getValue();
        if (!both.contains(place + !sequence)
            && given.get(n).getOrDefault(place, sequence) != sequence) {
          return "state "
              + n
              + ": "
              + place
              + " is a "
              + (sequence ? "set" : "sequence")
              + " in the trace, and a "
              + (sequence ? "sequence" : "set")
              + " in the module";
        }
      }
    }
    return "";
  }

  /** The states, with the one that the loop leads back to at the end. */
  private static List<ObjectNode> closed(Itf trace) {
    List<ObjectNode> states = new ArrayList<>(trace.states());
    if (trace.loop() >= 0) {
      ObjectNode again = states.get(trace.loop());
      if (!again.equals(states.get(states.size() - 1))) {
        states.add(again);
      }
    }
    return states;
  }

  private static Counterexample behaviour(
      Itf trace,
      Check check,
      List<Step> steps,
      Map<String, Boolean> arrays,
      Map<String, Integer> broken) {
    Set<String> sequences = new TreeSet<>();
    arrays.forEach(
        (place, sequence) -> {
          if (sequence) {
            sequences.add(place);
          }
        });
    return new Counterexample(
        check.protocol(),
        check.id(),
        check.module(),
        check.expectation(),
        broken.isEmpty() ? "none" : "invariant",
        broken.isEmpty() ? "no property" : String.join(", ", broken.keySet()),
        check.why(),
        List.copyOf(steps),
        sequences,
        steps.size() == closed(trace).size() ? trace.loop() : -1,
        broken.values().stream().min(Integer::compare).orElse(-1),
        new ObjectMapper().createObjectNode());
  }

  /** One line: what the trace breaks, and what was not judged. */
  public String summary() {
    StringBuilder s = new StringBuilder("a behaviour of the model");
    s.append(broken.isEmpty() ? "; it breaks no invariant and no step property" : "");
    broken.forEach(
        (name, step) -> s.append("; ").append(name).append(" is violated by step ").append(step));
    return s.append(" (liveness is not judged)").toString();
  }

  private static String variables(Spec spec, ObjectNode state) {
    Set<String> missing = new LinkedHashSet<>(spec.variables());
    Set<String> unknown = new LinkedHashSet<>();
    state
        .fieldNames()
        .forEachRemaining(
            v -> {
              if (!missing.remove(v)) {
                unknown.add(v);
              }
            });
    return missing.isEmpty() && unknown.isEmpty()
        ? ""
        : "its variables are not the module's: missing " + missing + ", unknown " + unknown;
  }

  /** How the state that comes closest differs. */
  private static String nearest(List<Map.Entry<String, ObjectNode>> found, ObjectNode wanted) {
    Set<String> enabled = new TreeSet<>();
    found.forEach(f -> enabled.add(f.getKey()));
    return found.stream()
        .min(Comparator.comparingInt(f -> ValueText.changed(f.getValue(), wanted).size()))
        .map(
            f ->
                "; the nearest is "
                    + f.getKey()
                    + ", where the trace has "
                    + String.join(", ", ValueText.changes(f.getValue(), wanted))
                    + "; possible are "
                    + String.join(", ", enabled))
        .orElse("; no step is possible there");
  }
}
