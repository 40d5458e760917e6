package dev.plumbline.explain;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.plumbline.check.Checks;
import dev.plumbline.check.Workspace;
import dev.plumbline.explain.Counterexample.Step;
import dev.plumbline.tlc.Modules;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

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
        .put("why", c.why())
        .put("bad", c.bad())
        .put("reached", c.witness())
        .put("right", c.right())
        .put("loop", c.loop());
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
      s.set("changed", MAPPER.valueToTree(ValueText.changed(before, step.state())));
      ObjectNode state = s.putObject("state");
      c.state(step).properties().forEach(v -> state.put(v.getKey(), ValueText.text(v.getValue())));
    }
    return html(b);
  }

  /**
   * The page of any steps: name, module, verdict, why, lanes, arrows, places and steps; where one
   * step is what it is about, its number as {@code bad}; where the last one leads back to another,
   * that one's as {@code loop}, and {@code right} where nothing is wrong.
   */
  static String html(ObjectNode behaviour) {
    return template().replace("@BEHAVIOUR@", behaviour.toString().replace("<", "\\u003c"));
  }

  /** Where the operators stand that a module defines or has from others, by name. */
  public static Map<String, Place> places(Workspace workspace, Checks protocol, String module)
      throws IOException {
    Path own = protocol.file().toAbsolutePath().getParent();
    List<Path> library = List.of(workspace.specs().resolve("common"));
    Path root = Modules.locate(module, own, library);
    Map<String, Place> places = new TreeMap<>();
    for (Modules.Operator o : Modules.parse(root, library).operators().values()) {
      Path file = Modules.locate(o.module(), own, library);
      if (file != null) {
        List<String> lines = Files.readAllLines(file, StandardCharsets.UTF_8);
        String text = String.join("\n", lines.subList(o.line() - 1, o.lastLine()));
        places.put(o.name(), new Place(o.module(), o.line(), text));
      }
    }
    return places;
  }

  private static String template() {
    try (InputStream in = Player.class.getResourceAsStream("/explain/player.html")) {
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
