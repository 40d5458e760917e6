package dev.plumbline.explain;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.plumbline.tlc.InputError;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.StringJoiner;
import java.util.TreeSet;

/**
 * A behaviour that a check stored: a counterexample, or the witness of a reachability check.
 *
 * @param property what is violated or reached
 * @param outcome invariant, step, temporal, deadlock, assumption or error
 * @param steps step 0 is the initial state
 * @param sequences places of arrays that are sequences and no sets; none where they were not stored
 * @param loop the step whose state the behaviour returns to; the last step's number when it stays
 *     there forever; -1 for a finite behaviour
 * @param broken the step that breaks the property where others follow it; -1 where it is the end
 */
public record Counterexample(
    String protocol,
    String check,
    String module,
    String expect,
    String outcome,
    String property,
    String why,
    List<Step> steps,
    Set<String> sequences,
    int loop,
    int broken,
    JsonNode manifest) {

  /** One step and the state after it. */
  public record Step(int number, String action, JsonNode parameters, JsonNode state) {}

  /** {@code Action(p: r1, yes: true)}; message parameters are written by {@link ValueText}. */
  String call(Step step) {
    if (step.parameters.isEmpty()) {
      return step.action;
    }
    StringJoiner j = new StringJoiner(", ", step.action + "(", ")");
    parameters(step)
        .properties()
        .forEach(p -> j.add(p.getKey() + ": " + ValueText.text(p.getValue())));
    return j.toString();
  }

  /** Its parameters as {@link ValueText} writes them, sequences told from sets. */
  JsonNode parameters(Step step) {
    return ValueText.marked(step.action, step.parameters, sequences);
  }

  /** The state after it, in the same way. */
  JsonNode state(Step step) {
    ObjectNode marked = JsonNodeFactory.instance.objectNode();
    step.state
        .properties()
        .forEach(
            v -> marked.set(v.getKey(), ValueText.marked(v.getKey(), v.getValue(), sequences)));
    return marked;
  }

  /** Reads {@code counterexample.json} as the check driver wrote it. */
  public static Counterexample read(Path file) {
    try {
      JsonNode n = new ObjectMapper().readTree(Files.readString(file, StandardCharsets.UTF_8));
      List<Step> steps = new ArrayList<>();
      for (JsonNode s : n.get("states")) {
        steps.add(
            new Step(
                steps.size(), s.get("action").textValue(), s.get("parameters"), s.get("state")));
      }
      Set<String> sequences = new TreeSet<>();
      n.path("sequences").forEach(place -> sequences.add(place.textValue()));
      return new Counterexample(
          n.get("protocol").textValue(),
          n.get("check").textValue(),
          n.get("module").textValue(),
          n.get("expect").textValue(),
          n.get("outcome").textValue(),
          n.get("property").textValue(),
          n.get("why").textValue(),
          steps,
          sequences,
          n.get("loop").intValue() - 1,
          -1,
          n.get("manifest"));
    } catch (IOException | NullPointerException e) {
      throw new InputError(
          file.toString(),
          0,
          "is no stored behaviour: " + e.getMessage(),
          "run the check with --fresh");
    }
  }

  /** Whether it was found in what has this digest. */
  public boolean of(String input) {
    return manifest.path("input").asText().equals(input);
  }

  /** The same, found in what is no longer so: readers are told before all else. */
  public Counterexample stale(String again) {
    String old = "Found before its model changed: " + again + " looks again.";
    return new Counterexample(
        protocol,
        check,
        module,
        expect,
        outcome,
        property,
        (old + " " + why).strip(),
        steps,
        sequences,
        loop,
        broken,
        manifest);
  }

  /** The step that the behaviour is about; -1 where none is: what goes on forever, or is right. */
  public int bad() {
    return broken >= 0 ? broken : loop >= 0 || right() ? -1 : steps.size() - 1;
  }

  /** Whether it breaks nothing: a behaviour that was asked about. */
  public boolean right() {
    return outcome.equals("none");
  }

  public boolean witness() {
    return expect.startsWith("reaches") && outcome.equals("invariant");
  }

  public boolean stutters() {
    return loop == steps.size() - 1;
  }

  /** One sentence: what the behaviour shows. */
  public String verdict() {
    String what =
        switch (outcome) {
          case "deadlock" -> "no step is possible";

          case "error" -> "TLC cannot evaluate the next step";
          default -> property + (witness() ? " is reached" : " is violated");
        };
    int end = loop >= 0 && !stutters() ? steps.size() - 2 : steps.size() - 1;
    int last = broken >= 0 ? broken : end;
    String where =
        last == 0
            ? " in the initial state"
            : last == 1 ? " after 1 step" : " after " + last + " steps";
    return loop < 0 || broken >= 0
        ? what + where
        : what
            + (stutters()
                ? ": nothing happens after step " + loop
                : ": the steps after step " + loop + " repeat forever");
  }
}
