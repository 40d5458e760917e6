package dev.plumbline.bind;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.plumbline.graph.SpecAdapter;
import dev.plumbline.graph.Values;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The machines of a model twice, which take every step both, each in its own way. A variable is
 * what it is in both; where they are not alike it is no value of the model.
 */
public final class BothWays implements SpecAdapter {
  private final String oneWay;
  private final String otherWay;
  private final World one;
  private final World other;
  private final JsonNode[] inOne;
  private final JsonNode[] inOther;

  /**
   * @param oneWay what a variable's value in the first is called, where they are not alike
   */
  public BothWays(String oneWay, World one, String otherWay, World other) {
    this.oneWay = oneWay;
    this.otherWay = otherWay;
    this.one = one;
    this.other = other;
    inOne = new JsonNode[one.variables().length];
    inOther = new JsonNode[inOne.length];
  }

  @Override
  public String[] variables() {
    String[] all = one.variables();
    if (!Arrays.equals(all, other.variables())) {
      throw new IllegalStateException(oneWay + " and " + otherWay + " have other variables");
    }
    return all;
  }

  @Override
  public Set<String> given() {
    return one.given();
  }

  @Override
  public void reset(ObjectNode initial) {
    one.reset(initial);
    other.reset(initial);
  }

  @Override
  public void apply(String action, ObjectNode parameters, ObjectNode before) {
    one.apply(action, parameters, before);
    other.apply(action, parameters, before);
  }

  @Override
  public JsonNode project(int variable) {
    JsonNode a = one.project(variable);
    JsonNode b = other.project(variable);
    if (a != inOne[variable] || b != inOther[variable]) {
      if (!a.equals(b)) {
        return Values.F.objectNode().<ObjectNode>set(oneWay, a).set(otherWay, b);
      }
      inOne[variable] = a;
      inOther[variable] = b;
    }
    return a;
  }

  @Override
  public Map<String, String> ghosts() {
    return one.ghosts();
  }

  /** As {@link World#stale}, of both. */
  List<String> stale() {
    List<String> all = new ArrayList<>(one.stale());
    all.addAll(other.stale());
    return all;
  }
}
