package dev.plumbline.metric.binding;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.plumbline.graph.SpecAdapter;
import dev.plumbline.graph.Values;
import java.util.Map;
import java.util.Set;

/**
 * The machines of a model twice, which take every step both: with transactions that come whole, and
 * with such that sites lead. A variable is what it is in both; where they are not alike it is no
 * value of the model.
 */
final class BothWays implements SpecAdapter {
  private final SpecAdapter whole;
  private final SpecAdapter led;
  private final JsonNode[] inWhole;
  private final JsonNode[] inLed;

  BothWays(SpecAdapter whole, SpecAdapter led) {
    this.whole = whole;
    this.led = led;
    inWhole = new JsonNode[whole.variables().length];
    inLed = new JsonNode[inWhole.length];
  }

  @Override
  public String[] variables() {
    led.variables();
    return whole.variables();
  }

  @Override
  public Set<String> given() {
    return whole.given();
  }

  @Override
  public void reset(ObjectNode initial) {
    whole.reset(initial);
    led.reset(initial);
  }

  @Override
  public void apply(String action, ObjectNode parameters, ObjectNode before) {
    whole.apply(action, parameters, before);
    led.apply(action, parameters, before);
  }

  @Override
  public JsonNode project(int variable) {
    JsonNode a = whole.project(variable);
    JsonNode b = led.project(variable);
    if (a != inWhole[variable] || b != inLed[variable]) {
      if (!a.equals(b)) {
        return Values.F.objectNode().<ObjectNode>set("whole", a).set("led", b);
      }
      inWhole[variable] = a;
      inLed[variable] = b;
    }
    return a;
  }

  @Override
  public Map<String, String> ghosts() {
    return whole.ghosts();
  }
}
