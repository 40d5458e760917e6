package dev.plumbline.explain;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.plumbline.graph.Figures;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/** Figures with text, a JSON report, pictures, and shapes that they should have. */
public abstract class FigureSheet implements Figures {
  private static final ObjectMapper JSON = new ObjectMapper();

  private Path folder;
  private PrintWriter shown;
  private long seed;
  private ObjectNode report;
  private boolean deviates;
  private final Map<String, String> drawn = new LinkedHashMap<>();
  private final StringBuilder text = new StringBuilder();

  /** Measures, and says and draws what it measured. */
  @FunctionalInterface
  protected interface Figure {
    void draw() throws IOException;
  }

  /** By name, in their order. */
  protected abstract Map<String, Figure> figures();

  @Override
  public final List<String> names() {
    return List.copyOf(figures().keySet());
  }

  @Override
  public final int draw(Path into, PrintWriter out, long first, Set<String> wanted)
      throws IOException {
    folder = into;
    seed = first;
    report = JSON.createObjectNode();
    deviates = false;
    drawn.clear();
    Files.createDirectories(folder);
    shown = out;
    try {
      for (Map.Entry<String, Figure> figure : figures().entrySet()) {
        if (wanted.isEmpty() || wanted.contains(figure.getKey())) {
          text.setLength(0);
          figure.getValue().draw();
          drawn.put(figure.getKey(), text.toString());
          shown.flush();
        }
      }
    } finally {
      end();
    }
    return deviates ? 1 : 0;
  }

  /** Gives back what measuring needed. */
  protected void end() {}

  @Override
  public final Map<String, String> drawn() {
    return Map.copyOf(drawn);
  }

  protected final long seed() {
    return seed;
  }

  @Override
  public final ObjectNode report() {
    return report;
  }

  protected static ObjectNode object() {
    return JSON.createObjectNode();
  }

  /** A line of text. */
  protected final void say(String line) {
    shown.println(line);
    text.append(line).append('\n');
  }

  /** A line of text with values. */
  protected final void say(String format, Object... values) {
    say(String.format(Locale.ROOT, format, values));
  }

  /** A shape that the paper shows. */
  protected final void shape(ObjectNode in, String key, String what, double value, boolean as) {
    in.putObject(key).put("value", value).put("asThePaper", as);
    deviates |= !as;
    say("  %s: %,.2f, %s", what, value, as ? "as in the paper" : "DEVIATES from the paper");
  }

  /**
   * A shape that the paper shows and that is known to be missed. That it is not missed any more is
   * as wrong as a shape that is.
   *
   * @param why the cause, a sentence's end
   */
  protected final void missed(
      ObjectNode in, String key, String what, double value, boolean as, String why) {
    in.putObject(key).put("value", value).put("asThePaper", as).put("because", why);
    deviates |= as;
    say(
        "  %s: %,.2f, %s",
        what,
        value,
        as
            ? "AS IN THE PAPER, though it is said to deviate because " + why
            : "deviates from the paper, because " + why);
  }

  /** Draws a picture. */
  protected final void chart(String name, LineChart chart) throws IOException {
    Files.writeString(folder.resolve(name + ".svg"), chart.svg());
    drawn.put(name + ".svg", chart.svg());
  }

  /** Adds a point to a line. */
  protected static void add(Map<String, List<double[]>> lines, String name, double x, double y) {
    lines.computeIfAbsent(name, n -> new ArrayList<>()).add(new double[] {x, y});
  }

  protected static double most(List<Double> values) {
    return values.stream().mapToDouble(v -> v).max().orElseThrow();
  }

  protected static double least(List<Double> values) {
    return values.stream().mapToDouble(v -> v).min().orElseThrow();
  }
}
