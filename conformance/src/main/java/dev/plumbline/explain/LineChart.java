package dev.plumbline.explain;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * A line chart as SVG: one line a series, both axes from zero.
 *
 * @param series points (x, y) by name, in the order of drawing
 */
public record LineChart(
    String title, String xLabel, String yLabel, Map<String, List<double[]>> series) {
  private static final int WIDTH = 720;
  private static final int HEIGHT = 420;
  private static final int LEFT = 72;
  private static final int RIGHT = 24;
  private static final int TOP = 48;
  private static final int BOTTOM = 96;
  private static final int TICKS = 5;
  private static final List<String> COLOURS =
      List.of("#2f6db3", "#7fb2e5", "#c22f2f", "#e8998d", "#1a7f4b", "#8cc9a8");

  /** The whole document. */
  public String svg() {
    double right = nice(most(0));
    double top = nice(most(1));
    StringBuilder s = new StringBuilder();
    s.append(
        format(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" viewBox=\"0 0 %d %d\""
                + " font-family=\"DejaVu Sans, Helvetica, sans-serif\" font-size=\"13\""
                + " fill=\"#1c2430\">%n<rect width=\"100%%\" height=\"100%%\" fill=\"#ffffff\"/>%n",
            WIDTH, HEIGHT, WIDTH, HEIGHT));
    text(s, LEFT, 26, "start", title, " font-weight=\"bold\" font-size=\"15\"");
    for (int i = 0; i <= TICKS; i++) {
      double y = y(top * i / TICKS, top);
      double x = x(right * i / TICKS, right);
      s.append(format("<path d=\"M%d %.1fH%d\" stroke=\"#d9dee5\"/>%n", LEFT, y, WIDTH - RIGHT));
      text(s, LEFT - 8, y + 4, "end", number(top * i / TICKS), "");
      text(s, x, HEIGHT - BOTTOM + 20, "middle", number(right * i / TICKS), "");
    }
    text(s, (LEFT + WIDTH - RIGHT) / 2.0, HEIGHT - BOTTOM + 42, "middle", xLabel, "");
    text(s, LEFT - 8, TOP - 14, "end", yLabel, "");
    int n = 0;
    for (Map.Entry<String, List<double[]>> line : series.entrySet()) {
      String colour = COLOURS.get(n % COLOURS.size());
      List<String> points = new ArrayList<>();
      for (double[] p : line.getValue()) {
        points.add(format("%.1f,%.1f", x(p[0], right), y(p[1], top)));
        s.append(
            format(
                "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"3\" fill=\"%s\"/>%n",
                x(p[0], right), y(p[1], top), colour));
      }
      s.append(
          format(
              "<polyline points=\"%s\" fill=\"none\" stroke=\"%s\" stroke-width=\"2\"/>%n",
              String.join(" ", points), colour));
      int column = LEFT + n % 4 * 160;
      int row = HEIGHT - 28 + n / 4 * 18;
      s.append(
          format(
              "<rect x=\"%d\" y=\"%d\" width=\"12\" height=\"12\" fill=\"%s\"/>%n",
              column, row - 10, colour));
      text(s, column + 18, row, "start", line.getKey(), "");
      n++;
    }
    return s.append("</svg>\n").toString();
  }

  private double most(int axis) {
    return series.values().stream().flatMap(List::stream).mapToDouble(p -> p[axis]).max().orElse(1);
  }

  /** The next of 1, 1.5, 2, 2.5, 5 times a power of ten. */
  private static double nice(double value) {
    double power = Math.pow(10, Math.floor(Math.log10(Math.max(value, 1e-9))));
    for (double step : new double[] {1, 1.5, 2, 2.5, 5, 10}) {
      if (value <= step * power) {
        return step * power;
      }
    }
    return 10 * power;
  }

  private static double x(double value, double most) {
    return LEFT + value / most * (WIDTH - LEFT - RIGHT);
  }

  private static double y(double value, double most) {
    return HEIGHT - BOTTOM - value / most * (HEIGHT - TOP - BOTTOM);
  }

  private static String number(double value) {
    return value == Math.rint(value)
        ? String.format(Locale.ROOT, "%,.0f", value)
        : String.format(Locale.ROOT, "%.1f", value);
  }

  private static void text(
      StringBuilder s, double x, double y, String anchor, String text, String more) {
    s.append(
        format(
            "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\"%s>%s</text>%n",
            x, y, anchor, more, text.replace("&", "&amp;").replace("<", "&lt;")));
  }

  private static String format(String pattern, Object... values) {
    return String.format(Locale.ROOT, pattern, values);
  }
}
