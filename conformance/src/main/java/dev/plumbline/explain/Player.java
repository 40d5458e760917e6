package dev.plumbline.explain;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.plumbline.explain.Counterexample.Step;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;

/** A behaviour as one page that works offline: step forward and back, lanes, messages, source. */
public final class Player {
  private static final ObjectMapper MAPPER = new ObjectMapper();

  private Player() {}

  /** The definition of an action: its module, first line and text. */
  public record Place(String module, int line, String text) {}

  /**
   * The page.
   *
   * @param places where the actions of the behaviour are defined, by name; some may be missing
   */
  public static String html(Counterexample c, SpaceTime t, Map<String, Place> places) {
    ObjectNode b = MAPPER.createObjectNode();
    b.put("name", c.protocol() + "/" + c.check())
        .put("module", c.module())
        .put("verdict", c.verdict())
        .put("why", c.why());
    b.set("lanes", MAPPER.valueToTree(t.lanes()));
    b.set("arrows", MAPPER.valueToTree(t.arrows()));
    ObjectNode defined = b.putObject("places");
    c.steps().stream()
        .map(Step::action)
        .filter(places::containsKey)
        .forEach(a -> defined.set(a, MAPPER.valueToTree(places.get(a))));
    for (Step step : c.steps()) {
      ObjectNode s = b.withArray("steps").addObject();
      s.put("action", step.action()).put("call", c.call(step)).put("label", Svg.call(c, step));
      s.put("lane", step.number() == 0 ? "" : t.lane().get(step.number() - 1));
      s.set(
          "changes",
          MAPPER.valueToTree(step.number() == 0 ? List.of() : Columns.describe(c, step)));
      JsonNode before =
          step.number() == 0 ? step.state() : c.steps().get(step.number() - 1).state();
      s.set("changed", MAPPER.valueToTree(Values.changed(before, step.state())));
      ObjectNode state = s.putObject("state");
      c.state(step).properties().forEach(v -> state.put(v.getKey(), Values.text(v.getValue())));
    }
    return template().replace("@BEHAVIOUR@", b.toString().replace("<", "\\u003c"));
  }

  private static String template() {
    try (InputStream in = Player.class.getResourceAsStream("/explain/player.html")) {
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
