package dev.plumbline.engage.figures;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.plumbline.engage.EngageConfig;
import dev.plumbline.engage.system.EngageBench;
import dev.plumbline.engage.system.EngageBench.Measured;
import dev.plumbline.engage.system.EngageBench.Point;
import dev.plumbline.engage.system.EngageBench.Store;
import dev.plumbline.explain.FigureSheet;
import dev.plumbline.explain.LineChart;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/**
 * ENGAGE's performance in virtual time, in the shape of the paper's Figures 4, 5, 6 and 8, beside
 * stores that are like Bayou and Saturn; and what each repair costs.
 */
public final class EngageFigures extends FigureSheet {
  private static final List<Long> TIMEOUTS = List.of(1L, 5L, 10L, 50L, 100L, 200L);
  private static final List<Long> THINKS = List.of(5L, 10L, 20L, 50L, 100L);
  private static final long MILLI = 1_000;

  private static final double FEWER = 1_000;

  /** The largest over the smallest, of what does not change. */
  private static final double FLAT = 1.10;

  /** Measures a point with a seed. */
  interface Measuring {
    Measured of(Point point, long seed);
  }

  private final Measuring measuring;
  private final Map<Point, Measured> known = new LinkedHashMap<>();

  public EngageFigures() {
    this(EngageBench::run);
  }

  /** Another way to measure. */
  EngageFigures(Measuring measuring) {
    this.measuring = measuring;
  }

  /** A placement of the paper. */
  private enum Placement {
    LOCALITY(1, "locality-driven"),
    UNIFORM(2, "uniform");

    final long setting;
    final String text;

    Placement(long setting, String text) {
      this.setting = setting;
      this.text = text;
    }

    String word() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  @Override
  public String protocol() {
    return "engage";
  }

  @Override
  public String description() {
    return "signalling, latency and visibility in virtual time in the shape of the paper's Figures"
        + " 4, 5, 6 and 8";
  }

  private interface Placed {
    void draw(Placement placement) throws IOException;
  }

  private static Figure both(Placed figure) {
    return () -> {
      for (Placement placement : Placement.values()) {
        figure.draw(placement);
      }
    };
  }

  @Override
  protected Map<String, Figure> figures() {
    known.clear();
    Map<String, Figure> figures = new LinkedHashMap<>();
    figures.put("4", both(this::signalling));
    figures.put("5a", () -> remote(Placement.LOCALITY));
    figures.put("5b", () -> remote(Placement.UNIFORM));
    figures.put("6a", () -> visibility(Placement.LOCALITY));
    figures.put("6b", () -> visibility(Placement.UNIFORM));
    figures.put("8a", both(this::guarantees));
    figures.put("8b", both(this::writes));
    figures.put("repairs", both(this::repairs));
    return figures;
  }

  private Measured measured(Point point) {
    return known.computeIfAbsent(point, p -> measuring.of(p, seed()));
  }

  /** Figure 4. */
  private void signalling(Placement placement) throws IOException {
    title("control messages a second by timeout (Figure 4)", placement);
    Map<String, List<double[]>> lines = new LinkedHashMap<>();
    double fewer = 0;
    for (long timeout : TIMEOUTS) {
      Measured ours = measured(at(Store.ENGAGE, placement).flush(timeout * MILLI));
      Measured theirs = measured(at(Store.BAYOU, placement).flush(timeout * MILLI));
      double engage = ours.control();
      double bayou = theirs.control();
      row("4", placement, "timeoutMillis", timeout)
          .put("engagePerSecond", engage)
          .put("engageFlushes", ours.flushes())
          .put("bayouPerSecond", bayou)
          .put("bayouFlushes", theirs.flushes());
      say("  timeout %d ms: ENGAGE %,.2f, Bayou %,.0f", timeout, engage, bayou);
      add(lines, "ENGAGE", timeout, Math.log10(1 + engage));
      add(lines, "Bayou", timeout, Math.log10(1 + bayou));
      if (timeout == 100) {
        // What was not seen once is taken to have been seen once.
        fewer = theirs.flushes() / (double) Math.max(1, ours.flushes());
      }
    }
    chart(
        "engage-figure-4-" + placement.word(),
        new LineChart(
            "Control messages a second, log10(1 + n), " + placement.text,
            "timeout, ms",
            "log10",
            lines));
    shape(
        placement,
        "fewerFlushes",
        "Bayou's control messages over ENGAGE's at 100 ms, at least",
        fewer,
        fewer >= FEWER);
  }

  /** Figure 5. */
  private void remote(Placement placement) throws IOException {
    title("latency of remote operations by think time (Figure 5)", placement);
    Map<String, List<double[]>> lines = new LinkedHashMap<>();
    Map<String, List<Double>> values = new TreeMap<>();
    for (long think : THINKS) {
      Map<String, Measured> all = new LinkedHashMap<>();
      all.put("ENGAGE", measured(at(Store.ENGAGE, placement).think(think * MILLI)));
      for (long timeout : List.of(1L, 100L, 200L)) {
        Point bayou = at(Store.BAYOU, placement).think(think * MILLI).flush(timeout * MILLI);
        all.put("Bayou, " + timeout + " ms", measured(bayou));
      }
      all.put("Saturn", measured(at(Store.SATURN, placement).think(think * MILLI)));
      ObjectNode row = row("5", placement, "thinkMillis", think);
      StringBuilder text = new StringBuilder("  think time " + think + " ms:");
      all.forEach(
          (name, m) -> {
            double millis = m.remote() / MILLI;
            row.putObject(name).put("remoteMillis", millis).put("operations", m.remotes());
            text.append(String.format(Locale.ROOT, " %s %.1f ms;", name, millis));
            add(lines, name, think, millis);
            values.computeIfAbsent(name, n -> new ArrayList<>()).add(millis);
          });
      say(text.toString());
    }
    chart(
        "engage-figure-5-" + placement.word(),
        new LineChart("Remote operations, " + placement.text, "think time, ms", "ms", lines));
    double falls = first(values.get("ENGAGE")) / last(values.get("ENGAGE"));
    shape(
        placement,
        "fallsWithThinkTime",
        "ENGAGE's remote latency at the shortest think time over that at the longest",
        falls,
        falls > 1);
    double constant = most(values.get("Saturn")) / least(values.get("Saturn"));
    shape(
        placement,
        "saturnConstant",
        "Saturn's remote latency over think times: largest over smallest",
        constant,
        constant <= FLAT);
    double slow = last(values.get("Saturn")) / last(values.get("ENGAGE"));
    shape(
        placement,
        "saturnSlower",
        "Saturn's remote latency at the longest think time over ENGAGE's",
        slow,
        slow > 1);
  }

  /** Figure 6. */
  private void visibility(Placement placement) throws IOException {
    title("visibility by timeout (Figure 6)", placement);
    Map<String, List<double[]>> lines = new LinkedHashMap<>();
    Map<Store, List<Double>> values = new TreeMap<>();
    for (long timeout : TIMEOUTS) {
      ObjectNode row = row("6", placement, "timeoutMillis", timeout);
      StringBuilder text = new StringBuilder("  timeout " + timeout + " ms:");
      for (Store store : Store.values()) {
        Measured m = measured(at(store, placement).flush(timeout * MILLI));
        double millis = m.visible() / MILLI;
        String name = name(store);
        row.putObject(name).put("visibleMillis", millis).put("updates", m.updates());
        text.append(String.format(Locale.ROOT, " %s %.1f ms;", name, millis));
        add(lines, name, timeout, millis);
        values.computeIfAbsent(store, s -> new ArrayList<>()).add(millis);
      }
      say(text.toString());
    }
    chart(
        "engage-figure-6-" + placement.word(),
        new LineChart("Visibility, " + placement.text, "timeout, ms", "ms", lines));
    double flat = most(values.get(Store.ENGAGE)) / least(values.get(Store.ENGAGE));
    shape(
        placement,
        "visibilityFlat",
        "ENGAGE's visibility over timeouts: largest over smallest",
        flat,
        flat <= FLAT);
    if (placement == Placement.LOCALITY) {
      double rises = last(values.get(Store.BAYOU)) / first(values.get(Store.BAYOU));
      shape(
          placement,
          "bayouRises",
          "Bayou's visibility at the longest timeout over that at the shortest",
          rises,
          rises > FLAT);
    }
  }

  private static Map<String, List<String>> choices() {
    Map<String, List<String>> choices = new LinkedHashMap<>();
    choices.put("WFR, MR", List.of("WFR", "MR"));
    choices.put("MW, RYW", List.of("MW", "RYW"));
    choices.put("all four", EngageBench.CAUSAL);
    return choices;
  }

  /** Figure 8a. */
  private void guarantees(Placement placement) throws IOException {
    title("latency of remote operations by guarantee and think time (Figure 8a)", placement);
    Map<String, List<Double>> byThink =
        byGuarantee(
            "8a",
            placement,
            "thinkMillis",
            List.of(5L, 20L, 100L),
            (store, asks, think) -> at(store, placement).asking(asks).think(think * MILLI));
    double flat = most(byThink.get("ENGAGE WFR, MR")) / least(byThink.get("ENGAGE WFR, MR"));
    shape(
        placement,
        "readGuaranteesFlat",
        "ENGAGE's latency with WFR and MR over think times: largest over smallest",
        flat,
        flat <= FLAT);
    double weaker = first(byThink.get("ENGAGE all four")) / first(byThink.get("ENGAGE WFR, MR"));
    shape(
        placement,
        "weakerIsFaster",
        "ENGAGE's latency with all four over that with WFR and MR, at the shortest think time",
        weaker,
        weaker >= 1);
  }

  /** Figure 8b. */
  private void writes(Placement placement) throws IOException {
    title("latency of remote operations by guarantee and share of writes (Figure 8b)", placement);
    byGuarantee(
        "8b",
        placement,
        "writePercent",
        List.of(10L, 50L, 90L),
        (store, asks, writes) ->
            at(store, placement).think(5 * MILLI).asking(asks).writes(writes.intValue()));
  }

  private interface Choice {
    Point at(Store store, List<String> asks, Long x);
  }

  private Map<String, List<Double>> byGuarantee(
      String figure, Placement placement, String axis, List<Long> xs, Choice choice)
      throws IOException {
    Map<String, List<double[]>> lines = new LinkedHashMap<>();
    Map<String, List<Double>> values = new TreeMap<>();
    for (long x : xs) {
      ObjectNode row = row(figure, placement, axis, x);
      StringBuilder text = new StringBuilder("  " + x + ":");
      for (Store store : List.of(Store.ENGAGE, Store.BAYOU)) {
        choices()
            .forEach(
                (asked, asks) -> {
                  double millis = measured(choice.at(store, asks, x)).remote() / MILLI;
                  String name = name(store) + " " + asked;
                  row.put(name, millis);
                  text.append(String.format(Locale.ROOT, " %s %.1f ms;", name, millis));
                  add(lines, name, x, millis);
                  values.computeIfAbsent(name, n -> new ArrayList<>()).add(millis);
                });
      }
      say(text.toString());
    }
    chart(
        "engage-figure-" + figure + "-" + placement.word(),
        new LineChart(
            "Remote operations by guarantee, " + placement.text,
            axis.equals("thinkMillis") ? "think time, ms" : "writes, %",
            "ms",
            lines));
    return values;
  }

  /** What each repair costs: everything repaired, beside one repair less. */
  private void repairs(Placement placement) {
    title("what each repair costs: without it", placement);
    Map<String, List<String>> versions = new LinkedHashMap<>();
    versions.put("all repairs", List.of());
    for (String repair : EngageConfig.REPAIRS) {
      versions.put("without " + repair, List.of(repair));
    }
    versions.forEach(
        (name, without) -> {
          Measured m = measured(at(Store.ENGAGE, placement).without(without));
          row("repairs", placement, "version", name)
              .put("messagesPerOperation", m.messages() / m.operations())
              .put("bytesPerOperation", m.bytes() / m.operations())
              .put("recordsPerOperation", m.records() / m.operations())
              .put("localMillis", m.local() / MILLI)
              .put("remoteMillis", m.remote() / MILLI)
              .put("visibleMillis", m.visible() / MILLI);
          say(
              "  %-24s an operation: %.2f messages, %,.0f bytes, %.2f records; local %.2f ms,"
                  + " remote %.1f ms, visible %.1f ms",
              name,
              m.messages() / m.operations(),
              m.bytes() / m.operations(),
              m.records() / m.operations(),
              m.local() / MILLI,
              m.remote() / MILLI,
              m.visible() / MILLI);
        });
  }

  private static Point at(Store store, Placement placement) {
    return Point.of(store, placement.setting);
  }

  private static String name(Store store) {
    return store == Store.ENGAGE
        ? "ENGAGE"
        : store.name().charAt(0) + store.name().substring(1).toLowerCase(Locale.ROOT);
  }

  private void title(String what, Placement placement) {
    say(placement.text + ": " + what);
  }

  private ObjectNode row(String figure, Placement placement, String axis, long x) {
    return report().withObject("/" + figure).withArray(placement.word()).addObject().put(axis, x);
  }

  private ObjectNode row(String figure, Placement placement, String axis, String x) {
    return report().withObject("/" + figure).withArray(placement.word()).addObject().put(axis, x);
  }

  private void shape(Placement placement, String key, String what, double value, boolean as) {
    shape(report().withObject("/shapes").withObject("/" + placement.word()), key, what, value, as);
  }

  private static double first(List<Double> values) {
    return values.get(0);
  }

  private static double last(List<Double> values) {
    return values.get(values.size() - 1);
  }
}
