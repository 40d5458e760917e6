package dev.plumbline.metric.figures;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.plumbline.explain.FigureSheet;
import dev.plumbline.explain.LineChart;
import dev.plumbline.metric.MetricConfig;
import dev.plumbline.metric.Phase;
import dev.plumbline.metric.system.MetricBench;
import dev.plumbline.metric.system.MetricBench.Measured;
import dev.plumbline.metric.system.MetricBench.Point;
import dev.plumbline.metric.system.MetricBench.Store;
import dev.plumbline.metric.system.MetricBench.Takeover;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/**
 * Metric's performance in virtual time, in the shape of the paper's section 7, beside one database
 * at the first site, alone and with synchronous standbys; and what each repair costs.
 */
public class MetricFigures extends FigureSheet {
  private static final int MEDIAN = 50;

  /** A commit over one quorum round trip: what else a site does takes little. */
  private static final double NEAR = 1.2;

  /** Section 7.2: what a commit of 50 rows took on average, milliseconds. */
  private static final double PAPER_COMMIT = 45.2;

  /** Section 7.2, milliseconds. */
  private static final double PAPER_OWN = 460;

  /** Section 7.2, milliseconds. */
  private static final double PAPER_POPULATE = 3_000;

  private static final int CROWD = 12;

  /** Measures points with a seed. */
  interface Measuring extends AutoCloseable {
    Measured of(Point point, long seed);

    Takeover takeover(int transactions, boolean alive, List<String> without, long seed);

    @Override
    default void close() {}
  }

  /** Section 7.2, milliseconds by rows: what finding tables, executing and committing took. */
  private static final Map<Integer, Double> PAPER_WHOLE = Map.of(10, 34.66, 50, 52.88);

  /** Transactions after which a process gives its tables back, where all sites use one. */
  private static final List<Long> ALPHAS = List.of(1L, 10L, 50L);

  private final Measuring measuring;
  private final boolean processes;
  private final Map<Point, Measured> known = new LinkedHashMap<>();

  public MetricFigures() {
    this(
        new Measuring() {
          @Override
          public Measured of(Point point, long seed) {
            return MetricBench.run(point, seed);
          }

          @Override
          public Takeover takeover(int transactions, boolean alive, List<String> without, long n) {
            return MetricBench.takeover(transactions, alive, without, n);
          }
        },
        false);
  }

  /**
   * Another way to measure.
   *
   * @param processes whether it has processes and databases: real time, no phases, no crash, all
   *     repairs
   */
  MetricFigures(Measuring measuring, boolean processes) {
    this.measuring = measuring;
    this.processes = processes;
  }

  @Override
  public final boolean processes() {
    return processes;
  }

  @Override
  public String protocol() {
    return "metric";
  }

  @Override
  public String description() {
    return "latency, transfer of tables and throughput "
        + (processes ? "of processes and their databases" : "in virtual time")
        + " in the shape of the paper's section 7";
  }

  @Override
  protected Map<String, Figure> figures() {
    known.clear();
    Map<String, Figure> figures = new LinkedHashMap<>();
    figures.put("4a", this::latency);
    if (!processes) {
      figures.put("4b", this::breakdown);
    }
    figures.put("failover", processes ? this::handover : this::failover);
    figures.put("6", this::disjoint);
    figures.put("8", this::shared);
    if (!processes) {
      figures.put("repairs", this::repairs);
    }
    return figures;
  }

  @Override
  protected void end() {
    measuring.close();
  }

  private String picture(String figure) {
    return sheet() + "-figure-" + figure;
  }

  private Measured measured(Point point) {
    return known.computeIfAbsent(point, p -> measuring.of(p, seed()));
  }

  private static String name(Store store) {
    return switch (store) {
      case METRIC -> "Metric";
      case SINGLE -> "one database at S1";
      case SYNCHRONOUS -> "the same with standbys";
    };
  }

  private void shape(String key, String what, double value, boolean as) {
    shape(report().withObject("/shapes"), key, what, value, as);
  }

  /** Figure 4(a). */
  private void latency() throws IOException {
    say("latency of an update, one client a site, each with its own table (Figure 4a)");
    Map<String, List<double[]>> lines = new LinkedHashMap<>();
    for (int rows : List.of(10, 50)) {
      for (Store store : Store.values()) {
        Measured m = measured(Point.of(store).rows(rows));
        ObjectNode row =
            report().withArray("4a").addObject().put("store", name(store)).put("rows", rows);
        StringBuilder text = new StringBuilder("  " + rows + " rows, " + name(store) + ":");
        for (String site : MetricBench.sites()) {
          row.put(site + "Millis", m.millis(site, MEDIAN));
          text.append(String.format(Locale.ROOT, " %s %.1f ms;", site, m.millis(site, MEDIAN)));
        }
        say(text.toString());
        if (rows == 10) {
          for (int percentile = 5; percentile <= 95; percentile += 5) {
            add(lines, name(store), percentile, m.millis(percentile));
          }
        }
      }
    }
    chart(
        picture("4a"),
        new LineChart(
            "Latency of an update of 10 rows, all sites alike", "percentile", "ms", lines));
    Measured ours = measured(Point.of(Store.METRIC));
    Measured routed = measured(Point.of(Store.SYNCHRONOUS));
    if (processes) {
      new TreeMap<>(PAPER_WHOLE).forEach(this::whole);
    } else {
      nearTheQuorum(ours);
    }
    double far =
        MetricBench.sites().stream()
            .skip(1)
            .mapToDouble(s -> ours.millis(s, MEDIAN) / routed.millis(s, MEDIAN))
            .max()
            .orElseThrow();
    shape(
        "fasterThanRouted",
        "Metric's median over that with standbys at the first site, S2 and S3, the larger",
        far,
        far < 1);
    String first = MetricBench.sites().get(0);
    double near1 = routed.millis(first, MEDIAN) / ours.millis(first, MEDIAN);
    shape(
        "noFasterAtTheMaster",
        "the median with standbys over Metric's at the first site",
        near1,
        near1 <= 1);
  }

  private void nearTheQuorum(Measured ours) {
    double near =
        MetricBench.sites().stream()
            .mapToDouble(s -> ours.millis(s, MEDIAN) / MetricBench.quorumMillis(s))
            .max()
            .orElseThrow();
    shape(
        "nearTheQuorum",
        "Metric's median over one quorum round trip, the site with the largest",
        near,
        near <= NEAR);
  }

  /** A transaction as a whole: local work counts too, and depends on the machine. */
  private void whole(int rows, double paper) {
    double mean = measured(Point.of(Store.METRIC).rows(rows)).meanMillis();
    report().withObject("/mean").put(Integer.toString(rows), mean);
    say(
        "  mean of all sites', %d rows: %.1f ms; the paper's parts add up to %.1f",
        rows, mean, paper);
  }

  /** Figure 4(b). */
  private void breakdown() {
    say("what an update of 10 rows is made of, mean of all sites' (Figure 4b)");
    Measured m = measured(Point.of(Store.METRIC));
    Map<String, Double> parts = new LinkedHashMap<>();
    parts.put("own", m.spent(Phase.QUERY, Phase.POINTING));
    parts.put("populate", m.spent(Phase.READ, Phase.POPULATE));
    parts.put("execute", m.spent(Phase.EXECUTE, Phase.EXECUTE));
    parts.put("commit", m.spent(Phase.LOCAL_COMMIT, Phase.APPENDING));
    ObjectNode row = report().withObject("/4b");
    parts.forEach(
        (part, millis) -> {
          row.put(part + "Millis", millis);
          say("  %s: %.2f ms", part, millis);
        });
    shape(
        "commitAsThePaper",
        "commit, ms; the paper has 31.88 for 10 rows and 45.2 for 50, at most",
        parts.get("commit"),
        parts.get("commit") <= PAPER_COMMIT);
  }

  /** Section 7.2, "Failover". */
  private void failover() {
    say("another site's process goes on with a table after 100 updates of 10 rows (section 7.2)");
    List<Takeover> all = new ArrayList<>();
    for (boolean alive : List.of(true, false)) {
      Takeover t = measuring.takeover(100, alive, List.of(), seed());
      all.add(t);
      String which = alive ? "the holder lives" : "the holder crashed and its lease is over";
      report()
          .withArray("failover")
          .addObject()
          .put("holder", alive ? "alive" : "crashed")
          .put("ownMillis", t.own())
          .put("populateMillis", t.populate())
          .put("wholeMillis", t.whole());
      say(
          "  %s: own() %.0f ms, populate %.0f ms, the first transaction %.0f ms",
          which, t.own(), t.populate(), t.whole());
    }
    double own = all.stream().mapToDouble(Takeover::own).max().orElseThrow();
    shape("ownAsThePaper", "own(), ms; the paper has 460, at most", own, own <= PAPER_OWN);
    double populate = all.stream().mapToDouble(Takeover::populate).max().orElseThrow();
    shape(
        "populateAsThePaper",
        "populate, ms; the paper has 3,000, at most",
        populate,
        populate <= PAPER_POPULATE);
  }

  /** The same while the holder lives, as an application sees it. */
  private void handover() {
    say("another site's application goes on with a table after 100 updates of 10 rows (7.2)");
    double whole = measuring.takeover(100, true, List.of(), seed()).whole();
    report().put("handoverMillis", whole);
    shape(
        "handoverAsThePaper",
        "the first transaction, ms; the paper has 460 for own() and 3,000 for populate, at most",
        whole,
        whole <= PAPER_OWN + PAPER_POPULATE);
  }

  /** In the shape of Figure 6. */
  private void disjoint() throws IOException {
    say("updates a second by clients a site, each site with its own table (as in Figure 6)");
    for (String site : MetricBench.sites()) {
      Map<String, List<double[]>> lines = new LinkedHashMap<>();
      for (int clients : List.of(1, 4, CROWD)) {
        StringBuilder text = new StringBuilder("  " + site + ", clients: " + clients + ";");
        ObjectNode row =
            report().withArray("6").addObject().put("site", site).put("clients", clients);
        for (Store store : Store.values()) {
          double rate = measured(Point.of(store).clients(clients)).rate(site);
          row.put(name(store), rate);
          text.append(String.format(Locale.ROOT, " %s %,.1f;", name(store), rate));
          if (store != Store.SINGLE || !site.equals(MetricBench.sites().get(0))) {
            add(lines, name(store), clients, rate);
          }
        }
        say(text.toString());
      }
      chart(
          picture("6-" + site.toLowerCase(Locale.ROOT)),
          new LineChart("Updates a second at " + site, "clients a site", "1/s", lines));
    }
    double one = gain(1);
    shape(
        "moreThanRouted",
        "Metric's updates a second over those with standbys at S1, one client, the less of S2 and"
            + " S3",
        one,
        one > 1);
    double crowd = gain(CROWD);
    missed(
        report().withObject("/shapes"),
        "moreThanRoutedByCrowds",
        "the same, " + CROWD + " clients a site; the paper has 3.5 to 5.2 with TPC-C",
        crowd,
        crowd > 1,
        "a process runs one transaction at a time (section 3.2), and a database here any number");
  }

  private double gain(int clients) {
    Measured ours = measured(Point.of(Store.METRIC).clients(clients));
    Measured routed = measured(Point.of(Store.SYNCHRONOUS).clients(clients));
    return MetricBench.sites().stream()
        .skip(1)
        .mapToDouble(s -> ours.rate(s) / routed.rate(s))
        .min()
        .orElseThrow();
  }

  /** In the shape of Figure 8. */
  private void shared() throws IOException {
    say("updates a second of one table that all sites use, by α (as in Figure 8)");
    Map<String, List<double[]>> lines = new LinkedHashMap<>();
    double best = 0;
    for (int clients : List.of(1, 4)) {
      for (long alpha : processes ? ALPHAS.subList(1, 2) : ALPHAS) {
        Measured m = measured(Point.of(Store.METRIC).clients(clients).sharing(alpha));
        report()
            .withArray("8")
            .addObject()
            .put("clients", clients)
            .put("alpha", alpha)
            .put("rate", m.rate())
            .put("moves", m.moves())
            .put("nacks", m.nacks())
            .put("medianMillis", m.millis(MEDIAN))
            .put("p99Millis", m.millis(99));
        String moves =
            processes
                ? ""
                : String.format(Locale.ROOT, " own() %d times, %d nacks;", m.moves(), m.nacks());
        say(
            "  clients a site: %d, α = %d: %.1f;%s p50 %.0f ms, p99 %.0f ms",
            clients, alpha, m.rate(), moves, m.millis(MEDIAN), m.millis(99));
        add(lines, clients + " a site", alpha, m.rate());
        best = Math.max(best, clients == 1 ? m.rate() : 0);
      }
    }
    if (!processes) {
      chart(
          picture("8"),
          new LineChart(
              "Updates a second of one shared table, by clients a site", "α", "1/s", lines));
    }
    double routed = measured(Point.of(Store.SYNCHRONOUS).sharing(1)).rate();
    shape(
        "sharedTablesCost",
        "Metric's updates a second of a shared table over those with standbys, one client a site",
        best / routed,
        best < routed);
  }

  /** What each repair costs: everything repaired, beside one repair less. */
  private void repairs() {
    say("what each repair costs: without it");
    Map<String, List<String>> versions = new LinkedHashMap<>();
    versions.put("all repairs", List.of());
    MetricConfig.BEHAVIOURS.forEach(repair -> versions.put("without " + repair, List.of(repair)));
    versions.forEach(
        (name, without) -> {
          Point point = Point.of(Store.METRIC).without(without);
          Measured update = measured(point);
          Measured read = measured(point.reading());
          Takeover t = measuring.takeover(100, false, without, seed());
          String first = MetricBench.sites().get(0);
          report()
              .withArray("repairs")
              .addObject()
              .put("version", name)
              .put("updateMillis", update.millis(first, MEDIAN))
              .put("updateMessages", update.messages())
              .put("readMillis", read.millis(first, MEDIAN))
              .put("ownMillis", t.own())
              .put("populateMillis", t.populate())
              .put("takeoverMillis", t.whole());
          say(
              "  %-19s at S1 an update %.1f ms, %.1f messages, a read-only transaction %.1f ms;"
                  + " after a crash own() %.0f ms, populate %.0f ms, the first transaction %.0f ms",
              name,
              update.millis(first, MEDIAN),
              update.messages(),
              read.millis(first, MEDIAN),
              t.own(),
              t.populate(),
              t.whole());
        });
  }
}
