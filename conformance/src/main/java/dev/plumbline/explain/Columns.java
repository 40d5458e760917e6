package dev.plumbline.explain;

import dev.plumbline.explain.Counterexample.Step;
import java.util.ArrayList;
import java.util.List;

/** A behaviour as text: in columns for the terminal, and as a Markdown table. */
public final class Columns {
  private static final int NARROWEST = 60;

  private Columns() {}

  /** Three columns (step, action, what changed) wrapped at {@code width} characters. */
  public static String terminal(Counterexample c, int width) {
    int all = Math.max(NARROWEST, width);
    int action = c.steps().stream().mapToInt(s -> c.call(s).length()).max().orElse(6);
    action = Math.max(8, Math.min(action, all / 5 * 2));
    int rest = all - 6 - action - 2;
    StringBuilder s = new StringBuilder();
    s.append(c.protocol())
        .append('/')
        .append(c.check())
        .append(" (")
        .append(c.module())
        .append("): ");
    s.append(c.verdict()).append('\n');
    if (!c.why().isEmpty()) {
      s.append(c.why()).append('\n');
    }
    s.append('\n').append(row("step", "action", "what changed", action));
    for (Step step : c.steps()) {
      List<String> left = wrap(c.call(step), action);
      List<String> right = new ArrayList<>();
      describe(c, step).forEach(line -> right.addAll(wrap(line, rest)));
      for (int i = 0; i < Math.max(left.size(), right.size()); i++) {
        s.append(
            row(
                i == 0 ? String.valueOf(step.number()) : "",
                i < left.size() ? left.get(i) : "",
                i < right.size() ? right.get(i) : "",
                action));
      }
    }
    return s.append('\n').append(c.verdict()).append('\n').toString();
  }

  /**
   * A table that a findings page can hold, its initial state folded; {@code picture} is the path of
   * the diagram or empty.
   */
  public static String markdown(Counterexample c, String picture) {
    StringBuilder s = new StringBuilder();
    s.append("Check `")
        .append(c.check())
        .append("` (`")
        .append(c.module())
        .append("`): ")
        .append(c.verdict())
        .append(".\n\n");
    if (!picture.isEmpty()) {
      s.append("![").append(c.verdict()).append("](").append(picture).append(")\n\n");
    }
    s.append("| step | action | what changed |\n|---:|---|---|\n");
    for (Step step : c.steps()) {
      s.append("| ").append(step.number()).append(" | ").append(code(c.call(step))).append(" | ");
      String changes = String.join("<br>", describe(c, step).stream().map(Columns::code).toList());
      s.append(
              step.number() == 0
                  ? "<details><summary>initial state</summary>" + changes + "</details>"
                  : changes)
          .append(" |\n");
    }
    return s.toString();
  }

  private static String code(String text) {
    return "`" + text.replace("|", "\\|").replace("`", "'") + "`";
  }

  /** The whole of the initial state; afterwards the differences. */
  static List<String> describe(Counterexample c, Step step) {
    if (step.number() == 0) {
      List<String> lines = new ArrayList<>();
      c.state(step)
          .properties()
          .forEach(v -> lines.add(v.getKey() + ": " + ValueText.text(v.getValue())));
      return lines;
    }
    List<String> lines =
        ValueText.changes(c.state(c.steps().get(step.number() - 1)), c.state(step));
    if (c.loop() >= 0 && step.number() == c.steps().size() - 1 && !c.stutters()) {
      lines = new ArrayList<>(lines);
      lines.add("(the state of step " + c.loop() + " again)");
    }
    return lines.isEmpty() ? List.of("(nothing)") : lines;
  }

  private static String row(String step, String action, String changed, int width) {
    return ("%4s  %-" + width + "s  %s").formatted(step, action, changed).stripTrailing() + "\n";
  }

  /** Breaks at spaces where it can; continuation lines are indented by two. */
  static List<String> wrap(String text, int width) {
    List<String> lines = new ArrayList<>();
    String left = text;
    while (left.length() > width) {
      int cut = left.lastIndexOf(' ', width);
      if (cut < width / 3) {
        cut = width;
      }
      lines.add(left.substring(0, cut).stripTrailing());
      left = "  " + left.substring(cut).stripLeading();
    }
    lines.add(left);
    return lines;
  }
}
