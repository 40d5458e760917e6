package dev.plumbline.dast.figures;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.plumbline.dast.system.DastSystem;
import dev.plumbline.dast.system.Payments;
import dev.plumbline.dast.system.TpcA;
import dev.plumbline.dast.system.TpccLoad;
import dev.plumbline.explain.FigureSheet;
import dev.plumbline.explain.LineChart;
import dev.plumbline.protocol.Fault;
import dev.plumbline.protocol.Settings;
import dev.plumbline.sim.LoadRun;
import dev.plumbline.sim.LoadRun.Sample;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Predicate;

/**
 * DAST's performance in virtual time, in the shape of the paper's Figures 6 to 10: payments (Figure
 * 7: TPC-A) over regions 100 ms apart, 5 ms inside, three replicas a shard, 20 µs of service a
 * message; and TPC-C in the mix of its Table 2.
 */
public final class DastFigures extends FigureSheet {
  private static final DastSystem DAST = new DastSystem();
  private static final long SECOND = 1_000_000;
  private static final long WARM = SECOND;
  private static final double FLAT = 1.10;
  private static final double SCALED = 9;

  /** From this share of CRTs on, in per cent, four seconds have too few IRTs for a percentile. */
  private static final int RARE = 99;

  @Override
  public String protocol() {
    return DAST.name();
  }

  @Override
  public String description() {
    return "latency and throughput in virtual time in the shape of the paper's Figures 6 to 10";
  }

  @Override
  protected Map<String, Figure> figures() {
    Map<String, Figure> figures = new LinkedHashMap<>();
    figures.put("6", this::ratios);
    figures.put("waits", this::waits);
    figures.put("7", this::conflicts);
    figures.put("8", this::regions);
    figures.put("9a", this::jumps);
    figures.put("9b", this::jitter);
    figures.put("10a", this::skew);
    figures.put("10b", this::asymmetry);
    figures.put("tpcc", this::tpcc);
    return figures;
  }

  /** Figure 6. */
  private void ratios() throws IOException {
    Series lines = new Series();
    List<Double> tails = new ArrayList<>();
    say("CRT ratio (Figure 6): 4 regions, 2 shards each, 20 clients a region");
    for (int percent : List.of(1, 10, 20, 40, 60, 80, 99)) {
      Settings settings = settings(Map.of("regions", 4L));
      int seconds = percent < RARE ? 4 : 60;
      List<Sample> samples = run(settings, List.of(), 20, WARM + seconds * SECOND, percent * 10);
      lines.add(percent, samples, any());
      double tail = millis(samples, DastFigures::irt, 99);
      tails.add(tail);
      say("  " + percent + "% CRTs: " + summary(samples, seconds));
      report()
          .withArray("ratios")
          .addObject()
          .put("percent", percent)
          .setAll(figures(samples, seconds));
    }
    why("40% CRTs, none with a dependency", Map.of("regions", 4L, "byNamePercent", 0L), 20);
    why("40% CRTs, one client a region", Map.of("regions", 4L), 1);
    lines.paper("paper's Table 4: CRT", 40, 379.3);
    lines.paper("with dependency", 40, 446.8);
    chart("dast-figure-6", "Latency by share of CRTs", "CRTs, %", lines);
    double spread = most(tails) / least(tails);
    shape("irtFlat", "IRT p99 from 1% to 99% CRTs: largest over smallest", spread, spread <= FLAT);
  }

  /** Figure 6's point at 40% with one thing changed. */
  private void why(String what, Map<String, Long> parameters, int clients) {
    List<Sample> samples = run(settings(parameters), List.of(), clients, 5 * SECOND, 400);
    say("  " + what + ": " + summary(samples, 4));
    report().withArray("why").addObject().put("what", what).setAll(figures(samples, 4));
  }

  /** Figure 6's point at 40%, by clients: how many values a region gets through waiting for. */
  private void waits() throws IOException {
    int regions = 4;
    int seconds = 8;
    Map<String, List<double[]>> lines = new LinkedHashMap<>();
    say("CRTs that wait for a value: 4 regions, 2 shards each, 40% CRTs");
    for (long trip : List.of(100L, 25L)) {
      for (int clients : List.of(1, 5, 10, 20, 40)) {
        Settings settings =
            settings(Map.of("regions", (long) regions, "remoteMicros", trip * 1000));
        List<Sample> samples = run(settings, List.of(), clients, WARM + seconds * SECOND, 400);
        double waited =
            samples.stream().filter(s -> s.kind().equals(Payments.DEPENDENT)).count()
                / (double) (seconds * regions);
        lines
            .computeIfAbsent("round trip " + trip + " ms", n -> new ArrayList<>())
            .add(new double[] {clients, waited});
        say(
            "  round trip %d ms, %d clients a region: %.1f a second and region; %s",
            trip, clients, waited, summary(samples, seconds));
        report()
            .withArray("waits")
            .addObject()
            .put("tripMillis", trip)
            .put("clients", clients)
            .put("waitedPerSecondAndRegion", waited)
            .setAll(figures(samples, seconds));
      }
    }
    chart(
        "dast-waits",
        new LineChart(
            "CRTs that wait for a value, a second and region", "clients a region", "CRT/s", lines));
  }

  /** Figure 7. */
  private void conflicts() throws IOException {
    Series lines = new Series();
    List<Double> tails = new ArrayList<>();
    List<Double> rates = new ArrayList<>();
    say("TPC-A by Zipf exponent (Figure 7): 4 regions, 2 shards each, 20 clients a region");
    for (double exponent : List.of(0.5, 0.75, 1.0)) {
      Settings settings = settings(Map.of("regions", 4L));
      TpcA source = new TpcA(settings, exponent);
      List<Sample> samples =
          warm(LoadRun.of(DAST, settings, seed(), List.of(), 20, 5 * SECOND, source));
      lines.add(exponent, samples, any());
      tails.add(millis(samples, DastFigures::irt, 99));
      rates.add(rate(samples, 5 * SECOND));
      say("  exponent " + exponent + ": " + summary(samples, 4));
      report()
          .withArray("conflicts")
          .addObject()
          .put("exponent", exponent)
          .setAll(figures(samples, 4));
    }
    chart("dast-figure-7", "TPC-A: latency by conflict rate", "Zipf exponent", lines);
    double spread = Math.max(most(tails) / least(tails), most(rates) / least(rates));
    shape(
        "conflictsFlat",
        "IRT p99 and throughput over exponents: largest over smallest",
        spread,
        spread <= FLAT);
  }

  /** Figure 8. */
  private void regions() throws IOException {
    List<double[]> throughput = new ArrayList<>();
    say("regions (Figure 8): 1 shard each, 5 clients a region, 10% CRTs");
    for (int count : List.of(10, 25, 50, 100)) {
      Settings settings = settings(Map.of("regions", (long) count, "shards", 1L));
      List<Sample> samples = run(settings, List.of(), 5, 8 * SECOND, 100);
      throughput.add(new double[] {count, rate(samples, 8 * SECOND)});
      say("  " + count + " regions: " + summary(samples, 7));
      report().withArray("regions").addObject().put("count", count).setAll(figures(samples, 7));
    }
    chart(
        "dast-figure-8",
        new LineChart(
            "Throughput by number of regions",
            "regions",
            "txn/s",
            Map.of("committed", throughput)));
    double factor = throughput.get(throughput.size() - 1)[1] / throughput.get(0)[1];
    shape("scales", "throughput of 100 regions over that of 10", factor, factor >= SCALED);
  }

  /** Figure 9b. */
  private void jitter() throws IOException {
    Series lines = new Series();
    say("RTT of 100 ± x ms (Figure 9b): 2 regions, 10% CRTs");
    for (int x : List.of(0, 10, 20, 30, 40, 50)) {
      Settings settings = settings(Map.of("regions", 2L, "remoteMicros", (100L - x) * 1000));
      List<Fault> faults =
          between((from, to) -> new Fault.Reorder(1, 6 * SECOND, from, to, x * 1000L));
      List<Sample> samples = run(settings, faults, 20, 6 * SECOND, 100);
      lines.add(x, samples, any());
      say("  x = " + x + ": " + summary(samples, 5));
      report().withArray("jitter").addObject().put("x", x).setAll(figures(samples, 5));
    }
    chart("dast-figure-9b", "Latency with round trips of 100 ± x ms", "x, ms", lines);
  }

  /** Figure 9a: 100, 150, 100, 50, 100 ms, two seconds each. */
  private void jumps() throws IOException {
    List<Fault> faults = new ArrayList<>();
    List<Integer> trips = List.of(100, 150, 100, 50, 100);
    for (int i = 0; i < trips.size(); i++) {
      long from = i == 0 ? 1 : 2 * i * SECOND;
      long until = 2 * (i + 1) * SECOND;
      long more = (trips.get(i) - 50) * 500L;
      faults.addAll(between((a, b) -> new Fault.Delay(from, until, a, b, more)));
    }
    Settings settings = settings(Map.of("regions", 2L, "remoteMicros", 50_000L));
    List<Sample> samples = run(settings, faults, 20, 10 * SECOND, 100);
    timeline(
        "dast-figure-9a", "Round trip 100, 150, 100, 50, 100 ms, changed every 2 s", samples, 10);
    say("RTT jumps (Figure 9a): " + summary(samples, 9));
    report().set("jumps", figures(samples, 9));
  }

  /** Figure 10a: the second manager's clock goes 200 ms ahead after four seconds. */
  private void skew() throws IOException {
    long from = 4 * SECOND;
    List<Fault> faults =
        List.of(
            new Fault.Drift(from, "m-r2", 9_000_000), new Fault.Drift(from + 22_222, "m-r2", 0));
    Settings settings = settings(Map.of("regions", 2L));
    List<Sample> samples = run(settings, faults, 20, 10 * SECOND, 100);
    timeline("dast-figure-10a", "A manager's clock goes 200 ms ahead at 4 s", samples, 10);
    List<Sample> before = samples.stream().filter(s -> s.atMicros() < from).toList();
    List<Sample> after =
        samples.stream().filter(s -> s.atMicros() >= from && s.atMicros() < from + SECOND).toList();
    say("clock skew (Figure 10a): before " + summary(before, 3));
    say("  in the second after: " + summary(after, 1));
    report()
        .putObject("skew")
        .<ObjectNode>set("before", figures(before, 3))
        .set("after", figures(after, 1));
  }

  /**
   * Figure 10b: all clocks of the second region are 200 ms ahead, and of a round trip of 100 ms one
   * way takes longer than the other.
   */
  private void asymmetry() throws IOException {
    Series lines = new Series();
    List<Double> tails = new ArrayList<>();
    TreeMap<Integer, Double> crts = new TreeMap<>();
    say("skew of 200 ms, one way of x ms of 100 (Figure 10b): 2 regions, 10% CRTs");
    for (int there : List.of(10, 30, 50, 70, 90)) {
      Settings settings = settings(Map.of("regions", 2L, "remoteMicros", 20_000L));
      long until = 6 * SECOND;
      List<Fault> faults = new ArrayList<>();
      faults.add(new Fault.Delay(1, until, "r1", "r2", (there - 10) * 1_000L));
      faults.add(new Fault.Delay(1, until, "r2", "r1", (90 - there) * 1_000L));
      List<String> fast = new ArrayList<>(DAST.layout(settings).nodes("r2"));
      fast.add(DAST.layout(settings).manager("r2"));
      for (String node : fast) {
        faults.add(new Fault.Drift(1, node, 9_000_000));
        faults.add(new Fault.Drift(22_223, node, 0));
      }
      List<Sample> samples = run(settings, faults, 20, until, 100);
      lines.add(there, samples, any());
      tails.add(millis(samples, DastFigures::irt, 99));
      crts.put(there, millis(samples, s -> !irt(s), 50));
      say("  x = " + there + ": " + summary(samples, 5));
      report().withArray("asymmetry").addObject().put("x", there).setAll(figures(samples, 5));
    }
    chart(
        "dast-figure-10b",
        "Clocks 200 ms apart, round trip 100 ms",
        "from the slow clocks' region to the fast one's, ms",
        lines);
    double spread = most(tails) / least(tails);
    shape("asymmetryIrtFlat", "IRT p99 over x: largest over smallest", spread, spread <= FLAT);
    double grown = Math.min(crts.get(10), crts.get(90)) / crts.get(50);
    shape(
        "asymmetryCrt",
        "CRT p50 of the most uneven ways over that of even ones, the smaller",
        grown,
        grown > 1);
  }

  /** TPC-C in the mix of the paper's Table 2: the latency of each transaction. */
  private void tpcc() {
    say("TPC-C, default mix (Table 2): 4 regions, 2 warehouses each, 20 clients a region");
    Settings settings = settings(Map.of("regions", 4L));
    List<Sample> samples =
        warm(LoadRun.of(DAST, settings, seed(), List.of(), 20, 5 * SECOND, new TpccLoad(settings)));
    ObjectNode figures = figures(samples, 4, TpccLoad.KINDS);
    report().set("tpcc", figures);
    say("  %,d txn/s", samples.size() / 4);
    for (String kind : TpccLoad.KINDS) {
      say(
          "  %s: p50 %.1f p99 %.1f ms, %d of them",
          kind,
          figures.path(kind).path("p50Millis").asDouble(),
          figures.path(kind).path("p99Millis").asDouble(),
          figures.path(kind).path("count").asLong());
    }
  }

  private interface Between {
    Fault fault(String from, String to);
  }

  private static List<Fault> between(Between kind) {
    return List.of(kind.fault("r1", "r2"), kind.fault("r2", "r1"));
  }

  private static Settings settings(Map<String, Long> parameters) {
    TreeMap<String, Long> all = new TreeMap<>(parameters);
    all.put("tellMicros", 5_000L);
    return new Settings(DAST.clockBounds(), new TreeSet<>(), all);
  }

  private List<Sample> run(
      Settings settings, List<Fault> faults, int clients, long until, int crossPerMille) {
    Payments source = new Payments(settings, crossPerMille);
    return warm(LoadRun.of(DAST, settings, seed(), faults, clients, until, source));
  }

  private static List<Sample> warm(List<Sample> samples) {
    return samples.stream().filter(s -> s.atMicros() >= WARM).toList();
  }

  private static boolean irt(Sample sample) {
    return sample.kind().equals(Payments.IRT);
  }

  private static Predicate<Sample> any() {
    return s -> true;
  }

  /** A percentile of latency, milliseconds; 0 without samples. */
  private static double millis(List<Sample> samples, Predicate<Sample> which, int percentile) {
    long[] sorted =
        samples.stream().filter(which).mapToLong(Sample::latencyMicros).sorted().toArray();
    return sorted.length == 0 ? 0 : sorted[(sorted.length - 1) * percentile / 100] / 1000.0;
  }

  private static double rate(List<Sample> samples, long until) {
    return samples.size() / ((until - WARM) / (double) SECOND);
  }

  private static ObjectNode figures(List<Sample> samples, int seconds) {
    return figures(samples, seconds, List.of(Payments.IRT, Payments.CRT, Payments.DEPENDENT));
  }

  private static ObjectNode figures(List<Sample> samples, int seconds, List<String> kinds) {
    ObjectNode o = object();
    o.put("transactionsPerSecond", samples.size() / seconds);
    for (String kind : kinds) {
      Predicate<Sample> which = s -> s.kind().equals(kind);
      o.putObject(kind)
          .put("p50Millis", millis(samples, which, 50))
          .put("p99Millis", millis(samples, which, 99))
          .put("count", samples.stream().filter(which).count());
    }
    return o;
  }

  private static String summary(List<Sample> samples, int seconds) {
    StringBuilder s =
        new StringBuilder(String.format(Locale.ROOT, "%,d txn/s", samples.size() / seconds));
    for (String kind : List.of(Payments.IRT, Payments.CRT, Payments.DEPENDENT)) {
      Predicate<Sample> which = x -> x.kind().equals(kind);
      s.append(
          String.format(
              Locale.ROOT,
              ", %s p50 %.1f p99 %.1f ms",
              kind,
              millis(samples, which, 50),
              millis(samples, which, 99)));
    }
    return s.toString();
  }

  private void shape(String key, String what, double value, boolean as) {
    shape(report(), key, what, value, as);
  }

  /** Percentiles of both kinds of transaction, by x. */
  private static final class Series {
    final Map<String, List<double[]>> lines = new LinkedHashMap<>();

    void add(double x, List<Sample> samples, Predicate<Sample> which) {
      List<Sample> chosen = samples.stream().filter(which).toList();
      add("IRT p50", x, millis(chosen, DastFigures::irt, 50));
      add("IRT p99", x, millis(chosen, DastFigures::irt, 99));
      add("CRT p50", x, millis(chosen, s -> !irt(s), 50));
      add("CRT p99", x, millis(chosen, s -> !irt(s), 99));
    }

    /** A number of the paper's text. */
    void paper(String name, double x, double y) {
      add(name, x, y);
    }

    private void add(String name, double x, double y) {
      lines.computeIfAbsent(name, n -> new ArrayList<>()).add(new double[] {x, y});
    }
  }

  private void timeline(String name, String title, List<Sample> samples, int seconds)
      throws IOException {
    Series lines = new Series();
    for (long half = 2; half < 2L * seconds; half++) {
      long from = half * SECOND / 2;
      lines.add(half / 2.0, samples, s -> s.atMicros() >= from && s.atMicros() < from + SECOND / 2);
    }
    chart(name, title, "time, s", lines);
  }

  private void chart(String name, String title, String x, Series lines) throws IOException {
    chart(name, new LineChart(title, x, "ms", lines.lines));
  }
}
