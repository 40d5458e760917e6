package dev.plumbline.graph;

import com.fasterxml.jackson.databind.JsonNode;

/** Projects variables by name, and keeps the object of one that has the value that it had. */
public abstract class ProjectingAdapter implements SpecAdapter {
  private final String[] variables;
  private final JsonNode[] before;

  /**
   * @param variables the specification's
   */
  protected ProjectingAdapter(String... variables) {
    this.variables = variables.clone();
    this.before = new JsonNode[variables.length];
  }

  @Override
  public final String[] variables() {
    return variables.clone();
  }

  @Override
  public final JsonNode project(int variable) {
    JsonNode value = value(variables[variable]);
    if (value != null && !value.equals(before[variable])) {
      before[variable] = value;
    }
    return before[variable];
  }

  /** A variable's value; null where it is surely the same as when it was projected last. */
  protected abstract JsonNode value(String variable);
}
