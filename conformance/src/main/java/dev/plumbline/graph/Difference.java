package dev.plumbline.graph;

import java.util.ArrayList;
import java.util.List;

/**
 * The first place where machines and specification differ.
 *
 * @param where such as {@code behaviour 7, step 3}
 * @param label the action
 * @param refused whether the action had to be refused
 * @param variables each variable that differs, with both values
 * @param path the actions up to here
 */
public record Difference(
    String where, String label, boolean refused, List<Variable> variables, List<String> path) {

  /** What the specification has, and what the machines. */
  public record Variable(String name, String expected, String got) {}

  /** The difference, readable. */
  public List<String> lines() {
    List<String> out = new ArrayList<>();
    out.add(where + ": " + label + (refused ? " must change nothing" : ""));
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
