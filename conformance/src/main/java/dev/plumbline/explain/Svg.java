package dev.plumbline.explain;

import dev.plumbline.explain.Counterexample.Step;
import dev.plumbline.explain.SpaceTime.Arrow;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * A space-time diagram: time runs down, one lane a process, one row a step, arrows for messages.
 */
public final class Svg {
  private static final int ROW = 44;
  private static final int LANE = 118;
  private static final int TOP = 92;
  private static final int FONT = 13;
  private static final double CHARACTER = 7.3;
  private static final int BEND = 12;
  private static final int CLEAR = 11;
  private static final int LONGEST_CALL = 46;
  private static final int LONGEST_CHANGE = 58;

  private Svg() {}

  /** The whole SVG document. */
  public static String draw(Counterexample c, SpaceTime t) {
    List<Step> steps = c.steps().subList(1, c.steps().size());
    int calls =
        steps.stream().mapToInt(s -> Math.min(LONGEST_CALL, call(c, s).length())).max().orElse(4);
    int left = (int) (44 + calls * CHARACTER + 24);
    int lanesWidth = Math.max(1, t.lanes().size()) * LANE;
    int right = left + lanesWidth + 12;
    int loopRoom = c.loop() >= 0 ? 70 : 0;
    int width = (int) (right + loopRoom + LONGEST_CHANGE * CHARACTER * 0.92 + 16);
    int height = TOP + Math.max(1, steps.size()) * ROW + 52;
    String colour = c.witness() ? "#1a7f4b" : "#c22f2f";
    StringBuilder s = new StringBuilder();
    s.append(
        ("<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" viewBox=\"0 0 %d %d\" "
                + "font-family=\"DejaVu Sans Mono, Menlo, Consolas, monospace\" font-size=\"%d\" fill=\"#1c2430\">\n")
            .formatted(width, height, width, height, FONT));
    s.append("<defs>")
        .append(marker("arrow", "#2f6db3"))
        .append(marker("back", "#7a5ea8"))
        .append("</defs>\n");
    s.append("<rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n");
    text(
        s,
        16,
        26,
        "start",
        "font-weight=\"bold\" font-size=\"15\"",
        c.protocol() + "/" + c.check() + ": " + c.verdict());
    Map<String, Integer> x = new HashMap<>();
    for (int i = 0; i < t.lanes().size(); i++) {
      x.put(t.lanes().get(i), left + LANE / 2 + i * LANE);
    }
    int bottom = TOP + Math.max(0, steps.size() - 1) * ROW + 24;
    bad(s, c, width, colour);
    for (Map.Entry<String, Integer> lane : x.entrySet()) {
      line(
          s,
          lane.getValue(),
          TOP - 24,
          lane.getValue(),
          bottom,
          "stroke=\"#c3cad4\" stroke-width=\"2\"");
      text(
          s,
          lane.getValue(),
          TOP - 34,
          "middle",
          "font-weight=\"bold\"",
          shorten(lane.getKey(), LANE / 8));
    }
    text(s, 40, TOP - 34, "end", "fill=\"#6b7686\"", "step");
    text(s, 56, TOP - 34, "start", "fill=\"#6b7686\"", "action");
    text(s, right + loopRoom, TOP - 34, "start", "fill=\"#6b7686\"", "what changed");
    for (Step step : steps) {
      int y = y(step.number());
      int at = x.get(t.lane().get(step.number() - 1));
      line(s, left - 18, y, at - 9, y, "stroke=\"#e3e7ec\" stroke-dasharray=\"2 4\"");
    }
    for (Arrow a : t.arrows()) {
      arrow(s, a, x, t);
    }
    for (Step step : steps) {
      step(s, c, step, x.get(t.lane().get(step.number() - 1)), right + loopRoom, colour);
    }
    loop(s, c, right);
    text(s, 56, bottom + 22, "start", "font-weight=\"bold\" fill=\"" + colour + "\"", c.verdict());
    return s.append("</svg>\n").toString();
  }

  private static int y(int step) {
    return TOP + (step - 1) * ROW;
  }

  private static void bad(StringBuilder s, Counterexample c, int width, String colour) {
    if (c.bad() > 0) {
      s.append(
          "<rect x=\"8\" y=\"%d\" width=\"%d\" height=\"%d\" rx=\"6\" fill=\"%s\" opacity=\"0.09\"/>\n"
              .formatted(y(c.bad()) - ROW / 2 + 2, width - 16, ROW - 4, colour));
    }
  }

  private static void step(
      StringBuilder s, Counterexample c, Step step, int at, int right, String colour) {
    int y = y(step.number());
    boolean bad = step.number() == c.bad();
    s.append(
        "<circle cx=\"%d\" cy=\"%d\" r=\"%d\" fill=\"%s\" stroke=\"#ffffff\" stroke-width=\"2\"/>\n"
            .formatted(at, y, bad ? 9 : 7, bad ? colour : "#33475f"));
    text(s, 40, y + 5, "end", "fill=\"#6b7686\"", String.valueOf(step.number()));
    text(
        s,
        56,
        y + 5,
        "start",
        bad ? "font-weight=\"bold\"" : "",
        "<title>" + xml(c.call(step)) + "</title>" + xml(shorten(call(c, step), LONGEST_CALL)),
        true);
    List<String> lines = new ArrayList<>(Columns.describe(c, step));
    lines.removeIf(l -> l.startsWith("(the state of step"));
    lines.sort(Comparator.comparing(l -> l.contains(": + ") || l.contains(": − ")));
    int shown = lines.size() > 2 ? 1 : lines.size();
    for (int i = 0; i < shown; i++) {
      text(
          s,
          right,
          y + (lines.size() == 1 ? 4 : i == 0 ? -3 : 12),
          "start",
          "font-size=\"11\" fill=\"#4a5563\"",
          shorten(lines.get(i), LONGEST_CHANGE));
    }
    if (lines.size() > 2) {
      text(
          s,
          right,
          y + 12,
          "start",
          "font-size=\"11\" fill=\"#8a94a3\"",
          "and " + (lines.size() - 1) + " more");
    }
  }

  private static void arrow(StringBuilder s, Arrow a, Map<String, Integer> x, SpaceTime t) {
    int x1 = x.get(t.lane().get(a.from() - 1));
    int x2 = x.get(t.lane().get(a.to() - 1));
    int y1 = y(a.from());
    int y2 = y(a.to());
    double mx;
    double my;
    if (x1 == x2) {
      int bend = Math.min(44, 22 + (a.to() - a.from()) * 4);
      s.append(
          "<path d=\"M%d %d C%d %d %d %d %d %d\" fill=\"none\" stroke=\"#2f6db3\" stroke-width=\"1.6\" marker-end=\"url(#arrow)\"/>\n"
              .formatted(x1 + 7, y1 + 4, x1 + bend, y1 + 14, x1 + bend, y2 - 14, x2 + 10, y2 - 4));
      mx = x1 + bend * 0.8;
      my = (y1 + y2) / 2.0;
    } else {
      Curve curve = around(a, x, t);
      s.append(
          "<path d=\"%s\" fill=\"none\" stroke=\"#2f6db3\" stroke-width=\"1.6\" marker-end=\"url(#arrow)\"/>\n"
              .formatted(curve.path()));
      double back = Math.min(0.5, 48 / Math.hypot(x2 - x1, y2 - y1));
      mx = curve.x(1 - back);
      my = curve.y(1 - back) - 5;
    }
    if (!a.label().isEmpty()) {
      text(
          s,
          (int) mx,
          (int) my,
          "middle",
          "font-size=\"11\" fill=\"#2f6db3\" stroke=\"#ffffff\" stroke-width=\"4\" paint-order=\"stroke\"",
          shorten(a.label(), 18));
    }
  }

  /** From a dot to a dot, bent until it runs through no dot of the steps between them. */
  static Curve around(Arrow a, Map<String, Integer> x, SpaceTime t) {
    int x1 = x.get(t.lane().get(a.from() - 1));
    int x2 = x.get(t.lane().get(a.to() - 1));
    Curve curve = new Curve(x1, y(a.from()), x2, y(a.to()), 0);
    for (int bend = BEND; bend <= LANE && runsThrough(curve, a, x, t); bend += BEND) {
      curve = new Curve(x1, y(a.from()), x2, y(a.to()), bend);
      if (runsThrough(curve, a, x, t)) {
        curve = new Curve(x1, y(a.from()), x2, y(a.to()), -bend);
      }
    }
    return curve;
  }

  private static boolean runsThrough(Curve c, Arrow a, Map<String, Integer> x, SpaceTime t) {
    for (int step = a.from() + 1; step < a.to(); step++) {
      for (double at = 0; at <= 1; at += 0.02) {
        double apart = Math.hypot(c.x(at) - x.get(t.lane().get(step - 1)), c.y(at) - y(step));
        if (apart < CLEAR) {
          return true;
        }
      }
    }
    return false;
  }

  /**
   * A quadratic curve between two points, whose middle is {@code bend} beside the straight line.
   */
  record Curve(int x1, int y1, int x2, int y2, int bend) {
    private double controlX() {
      return (x1 + x2) / 2.0 + 2 * bend * (y1 - y2) / Math.hypot(x2 - x1, y2 - y1);
    }

    private double controlY() {
      return (y1 + y2) / 2.0 + 2 * bend * (x2 - x1) / Math.hypot(x2 - x1, y2 - y1);
    }

    double x(double at) {
      return along(x1, controlX(), x2, at);
    }

    double y(double at) {
      return along(y1, controlY(), y2, at);
    }

    private static double along(double from, double control, double to, double at) {
      return (1 - at) * (1 - at) * from + 2 * at * (1 - at) * control + at * at * to;
    }

    /** As an SVG path, with room for the dots at its ends. */
    String path() {
      double out = Math.hypot(controlX() - x1, controlY() - y1);
      double in = Math.hypot(x2 - controlX(), y2 - controlY());
      return "M%d %d Q%d %d %d %d"
          .formatted(
              Math.round(x1 + 8 * (controlX() - x1) / out),
              Math.round(y1 + 8 * (controlY() - y1) / out),
              Math.round(controlX()),
              Math.round(controlY()),
              Math.round(x2 - 12 * (x2 - controlX()) / in),
              Math.round(y2 - 12 * (y2 - controlY()) / in));
    }
  }

  private static void loop(StringBuilder s, Counterexample c, int right) {
    if (c.loop() < 0) {
      return;
    }
    int x = right + 6;
    int from = y(Math.max(1, c.steps().size() - 1));
    if (c.stutters()) {
      text(s, x, from + 24, "start", "fill=\"#7a5ea8\" font-size=\"11\"", "stays here forever");
      return;
    }
    int to = c.loop() == 0 ? TOP - 22 : y(c.loop());
    s.append(
        "<path d=\"M%d %d H%d V%d H%d\" fill=\"none\" stroke=\"#7a5ea8\" stroke-width=\"1.8\" stroke-dasharray=\"6 4\" marker-end=\"url(#back)\"/>\n"
            .formatted(x, from, x + 24, to, x + 4));
    text(s, x + 30, (from + to) / 2 + 4, "start", "fill=\"#7a5ea8\" font-size=\"11\"", "again");
  }

  /** The action with the kinds of messages instead of their fields. */
  static String call(Counterexample c, Step s) {
    List<String> parts = new ArrayList<>();
    c.parameters(s)
        .properties()
        .forEach(
            p -> {
              String kind = p.getValue().isObject() ? ValueText.kind(p.getValue()) : "";
              parts.add(kind.isEmpty() ? p.getKey() + ": " + ValueText.text(p.getValue()) : kind);
            });
    return parts.isEmpty() ? s.action() : s.action() + "(" + String.join(", ", parts) + ")";
  }

  private static String marker(String id, String colour) {
    return "<marker id=\"%s\" viewBox=\"0 0 10 10\" refX=\"8\" refY=\"5\" markerWidth=\"8\" markerHeight=\"8\" orient=\"auto-start-reverse\"><path d=\"M0 0L10 5L0 10z\" fill=\"%s\"/></marker>"
        .formatted(id, colour);
  }

  private static void line(StringBuilder s, int x1, int y1, int x2, int y2, String style) {
    s.append(
        String.format(
            Locale.ROOT,
            "<line x1=\"%d\" y1=\"%d\" x2=\"%d\" y2=\"%d\" %s/>%n",
            x1,
            y1,
            x2,
            y2,
            style));
  }

  private static void text(
      StringBuilder s, int x, int y, String anchor, String style, String text) {
    text(s, x, y, anchor, style, xml(text), true);
  }

  private static void text(
      StringBuilder s, int x, int y, String anchor, String style, String markup, boolean escaped) {
    s.append(
        "<text x=\"%d\" y=\"%d\" text-anchor=\"%s\" %s>%s</text>\n"
            .formatted(x, y, anchor, style, escaped ? markup : xml(markup)));
  }

  private static String shorten(String text, int longest) {
    return text.length() <= longest ? text : text.substring(0, longest - 1) + "…";
  }

  private static String xml(String s) {
    return s.replace("&", "&amp;")
        .replace("<", "&lt;")
        .replace(">", "&gt;")
        .replace("\"", "&quot;");
  }
}
