package dev.plumbline.metric.system;

import dev.plumbline.machine.ClockReading;
import dev.plumbline.machine.Effects;
import dev.plumbline.machine.ForwardingEffects;
import dev.plumbline.machine.Input;
import dev.plumbline.machine.Machine;
import dev.plumbline.machine.Message;
import dev.plumbline.metric.MetricProcess;
import dev.plumbline.metric.MetricRequest;
import dev.plumbline.metric.MetricResponse;
import dev.plumbline.metric.Phase;
import dev.plumbline.metric.PlainDatabase;
import dev.plumbline.metric.Query;
import dev.plumbline.metric.RequestId;
import dev.plumbline.metric.Statement;
import dev.plumbline.protocol.ClientDriver;
import dev.plumbline.protocol.ClockBounds;
import dev.plumbline.protocol.Fault;
import dev.plumbline.protocol.NodeSpec;
import dev.plumbline.protocol.ProtocolSystem;
import dev.plumbline.protocol.Settings;
import dev.plumbline.protocol.Topology;
import dev.plumbline.sim.LoadRun;
import dev.plumbline.sim.LoadRun.Asked;
import dev.plumbline.sim.LoadRun.Sample;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * The paper's evaluation in virtual time (section 7): Metric beside one database at the first site,
 * alone or with standbys that it writes to synchronously, on the same network and load. A database
 * takes no time here but what a node takes for an input and for making it durable, so what is
 * measured is what crosses sites.
 */
public final class MetricBench {
  private static final MetricSystem METRIC = new MetricSystem();
  private static final long SECOND = 1_000_000;

  /** Before anything is measured, microseconds. */
  public static final long WARM = SECOND;

  /** When measuring ends, microseconds. */
  public static final long END = 11 * SECOND;

  private static final long NEVER = 3_600 * SECOND;
  static final String DATABASE = "db";
  static final String STANDBY = "standby";

  /** Parameters with which nothing is taken from a process that works. */
  public static final Map<String, Long> CALM =
      Map.of(
          "leaseMicros",
          SECOND,
          "heartbeatMicros",
          SECOND / 4,
          "resendMicros",
          SECOND,
          "patienceMicros",
          10 * SECOND);

  /** What is measured. */
  public enum Store {
    METRIC,
    /** One database at the first site. */
    SINGLE,
    /** The same with a standby at each other site; a commit waits for one of them. */
    SYNCHRONOUS
  }

  /**
   * A point of a figure.
   *
   * @param shared whether all sites use one table; else each has its own
   * @param clients at each site, each with one transaction at a time and no pause
   * @param rows that a transaction changes, or reads
   * @param reads whether transactions only read
   * @param alpha transactions after which a process gives its tables back
   * @param asPublished repairs that are switched off
   */
  public record Point(
      Store store,
      boolean shared,
      int clients,
      int rows,
      boolean reads,
      long alpha,
      List<String> asPublished) {

    /** One client a site that updates ten rows of its own table, which it keeps. */
    public static Point of(Store store) {
      return new Point(store, false, 1, 10, false, NEVER, List.of());
    }

    public Point clients(int number) {
      return new Point(store, shared, number, rows, reads, alpha, asPublished);
    }

    public Point rows(int number) {
      return new Point(store, shared, clients, number, reads, alpha, asPublished);
    }

    public Point reading() {
      return new Point(store, shared, clients, rows, true, alpha, asPublished);
    }

    public Point sharing(long transactions) {
      return new Point(store, true, clients, rows, reads, transactions, asPublished);
    }

    public Point without(List<String> repairs) {
      return new Point(store, shared, clients, rows, reads, alpha, repairs);
    }
  }

  /**
   * What a point gave.
   *
   * @param latencies of committed transactions by site, microseconds, ascending
   * @param nacks attempts that were not committed
   * @param phases microseconds a transaction, by what Metric's processes were at
   * @param messages between nodes a transaction
   * @param moves how often own() was gone through
   */
  public record Measured(
      Map<String, List<Long>> latencies,
      long nacks,
      Map<Phase, Double> phases,
      double messages,
      long moves) {

    /** Committed, a second, at all sites. */
    public double rate() {
      return latencies.keySet().stream().mapToDouble(this::rate).sum();
    }

    /** Committed, a second, at a site. */
    public double rate(String site) {
      return latencies.get(site).size() / ((END - WARM) / (double) SECOND);
    }

    /** A percentile of a site's latency, milliseconds; NaN without transactions. */
    public double millis(String site, int percentile) {
      return millis(latencies.get(site), percentile);
    }

    /** A percentile of all latencies, every site as weighty; milliseconds, NaN without any. */
    public double millis(int percentile) {
      List<Long> all = new ArrayList<>();
      for (List<Long> site : latencies.values()) {
        for (int each = 0; each <= 100 && !site.isEmpty(); each++) {
          all.add(site.get((site.size() - 1) * each / 100));
        }
      }
      Collections.sort(all);
      return millis(all, percentile);
    }

    /** The mean of the sites' means, milliseconds; NaN where a site has none. */
    public double meanMillis() {
      return latencies.values().stream()
              .mapToDouble(site -> site.stream().mapToLong(l -> l).average().orElse(Double.NaN))
              .average()
              .orElse(Double.NaN)
          / 1e3;
    }

    private static double millis(List<Long> sorted, int percentile) {
      return sorted.isEmpty()
          ? Double.NaN
          : sorted.get((sorted.size() - 1) * percentile / 100) / 1e3;
    }

    /** What some phases took, milliseconds a transaction. */
    public double spent(Phase from, Phase to) {
      return phases.entrySet().stream()
              .filter(p -> p.getKey().compareTo(from) >= 0 && p.getKey().compareTo(to) <= 0)
              .mapToDouble(Map.Entry::getValue)
              .sum()
          / 1e3;
    }
  }

  /**
   * What it took another process to go on with a table, milliseconds.
   *
   * @param own own()
   * @param populate the database has what the log has
   * @param whole until its first transaction is committed
   */
  public record Takeover(double own, double populate, double whole) {}

  private final Point point;
  private final Settings settings;
  private final Map<String, Map<Phase, Long>> spent = new HashMap<>();
  private long from = WARM;
  private long messages;
  private long moves;

  private MetricBench(Point point) {
    this.point = point;
    Map<String, Long> parameters = new TreeMap<>(CALM);
    parameters.put("alpha", point.alpha());
    settings =
        new Settings(
            METRIC.clockBounds(), new TreeSet<>(point.asPublished()), new TreeMap<>(parameters));
  }

  /** The sites, in the paper's order. */
  public static List<String> sites() {
    return MetricDeployment.topology(true, false).regions();
  }

  /** A round trip between a site and the nearest other, milliseconds: with it there is a quorum. */
  public static double quorumMillis(String site) {
    Topology topology = MetricDeployment.topology(true, false);
    int here = topology.network().index(site);
    return sites().stream()
            .filter(other -> !other.equals(site))
            .mapToLong(other -> topology.network().rttMicros(here, topology.network().index(other)))
            .min()
            .orElseThrow()
        / 1e3;
  }

  /** Measures ten seconds after one of warming up. */
  public static Measured run(Point point, long seed) {
    MetricBench bench = new MetricBench(point);
    Load load = bench.new Load();
    List<Sample> samples =
        LoadRun.of(bench.system(), bench.settings, seed, List.of(), point.clients(), END, load);
    Map<String, List<Long>> latencies = new TreeMap<>();
    sites().forEach(site -> latencies.put(site, new ArrayList<>()));
    samples.stream()
        .filter(s -> s.atMicros() >= WARM)
        .forEach(s -> latencies.get(s.kind()).add(s.latencyMicros()));
    latencies.values().forEach(Collections::sort);
    double committed = Math.max(1, latencies.values().stream().mapToInt(List::size).sum());
    Map<Phase, Double> phases = new EnumMap<>(Phase.class);
    bench.spent.values().stream()
        .flatMap(site -> site.entrySet().stream())
        .forEach(p -> phases.merge(p.getKey(), p.getValue() / committed, Double::sum));
    return new Measured(latencies, load.nacks, phases, bench.messages / committed, bench.moves);
  }

  /**
   * Section 7.2's failover: the first site commits transactions of ten rows, then the second wants
   * the same table.
   *
   * @param alive whether the first site's process lives; else it crashed, and its lease is over
   */
  public static Takeover takeover(
      int transactions, boolean alive, List<String> without, long seed) {
    MetricBench bench = new MetricBench(Point.of(Store.METRIC).without(without));
    Handover load = bench.new Handover(transactions);
    bench.from = Handover.TURN;
    List<Fault> faults =
        alive ? List.of() : List.of(new Fault.Crash(Handover.TURN, Handover.END, "m-S1"));
    List<Sample> samples =
        LoadRun.of(bench.system(), bench.settings, seed, faults, 1, Handover.END, load);
    long before = samples.stream().filter(s -> s.kind().equals(Handover.BEFORE)).count();
    List<Sample> taken = samples.stream().filter(s -> s.kind().equals(Handover.TAKEN)).toList();
    if (before != transactions || taken.size() != 1 || load.nacks > 0) {
      throw new IllegalStateException(
          before + " transactions, then " + taken.size() + ", nacks " + load.nacks);
    }
    Map<Phase, Double> phases = new EnumMap<>(Phase.class);
    bench.spent.get("m-S2").forEach((phase, micros) -> phases.put(phase, (double) micros));
    Measured second = new Measured(Map.of(), 0, phases, 0, 0);
    return new Takeover(
        second.spent(Phase.QUERY, Phase.POINTING),
        second.spent(Phase.READ, Phase.POPULATE),
        taken.get(0).latencyMicros() / 1e3);
  }

  // ---- nodes -----------------------------------------------------------------------------------

  private ProtocolSystem system() {
    return new ProtocolSystem() {
      @Override
      public String name() {
        return METRIC.name();
      }

      @Override
      public ClockBounds clockBounds() {
        return METRIC.clockBounds();
      }

      @Override
      public Topology topology(Settings given) {
        return point.store() == Store.METRIC
            ? METRIC.topology(given)
            : MetricDeployment.databases(point.store() == Store.SYNCHRONOUS);
      }

      @Override
      public Machine machine(NodeSpec node, Topology topology, Settings given) {
        return switch (node.kind()) {
          case DATABASE -> new PlainDatabase(topology.rolesOf(STANDBY));
          case STANDBY -> new PlainDatabase.Standby();
          default -> new Watched(node.id(), METRIC.machine(node, topology, given));
        };
      }

      @Override
      public ClientDriver client(
          long id, int place, String region, Topology topology, Settings given) {
        throw new UnsupportedOperationException("clients are this bench's own");
      }
    };
  }

  /** A machine whose phases and messages are counted. No clock drifts here. */
  private final class Watched implements Machine {
    private final String node;
    private final Machine real;
    private long origin = -1;
    private long since;

    Watched(String node, Machine real) {
      this.node = node;
      this.real = real;
    }

    @Override
    public void handle(Input input, ClockReading clock, Effects effects) {
      origin = origin < 0 ? clock.localMicros() : origin;
      long now = clock.localMicros() - origin;
      Phase before = phase();
      real.handle(
          input,
          clock,
          new ForwardingEffects(effects) {
            @Override
            public void send(String to, Message message) {
              messages += now >= from ? 1 : 0;
              super.send(to, message);
            }
          });
      if (phase() != before) {
        if (now >= from) {
          spent
              .computeIfAbsent(node, n -> new EnumMap<>(Phase.class))
              .merge(before, now - Math.max(since, from), Long::sum);
          moves += before == Phase.CREATE ? 1 : 0;
        }
        since = now;
      }
    }

    private Phase phase() {
      return real instanceof MetricProcess process ? process.phase() : Phase.IDLE;
    }
  }

  // ---- clients ---------------------------------------------------------------------------------

  private class Load implements LoadRun.Source {
    private final Map<Integer, Asked> asked = new HashMap<>();
    private final Map<Integer, Long> numbers = new HashMap<>();
    long nacks;

    @Override
    public Asked next(String region, int client, SplittableRandom random) {
      String table = point.shared() ? "T1" : "T" + (1 + sites().indexOf(region));
      return ask(region, client, table, region);
    }

    final Asked ask(String region, int client, String table, String kind) {
      List<Statement> statements = new ArrayList<>();
      for (int row = 1; row <= point.rows(); row++) {
        statements.add(
            point.reads()
                ? new Statement(Statement.Kind.READ, table, "k" + row, 0)
                : new Statement(Statement.Kind.ADD, table, "k" + row, 1));
      }
      RequestId id = new RequestId("c" + client, numbers.merge(client, 1L, Long::sum));
      Record request = new MetricRequest.Transact(id, List.of(new Query(statements)));
      String role = point.store() == Store.METRIC ? "m-" + region : DATABASE;
      Asked next = new Asked(new ClientDriver.Call(role, request), kind);
      asked.put(client, next);
      return next;
    }

    /** After a nack the same is asked again. */
    @Override
    public Asked answered(int client, Record response) {
      if (response instanceof MetricResponse.Done) {
        return null;
      }
      nacks++;
      return asked.get(client);
    }
  }

  /** The first site works on a table, then the second does; the third has nothing to do with it. */
  private final class Handover extends Load {
    static final String BEFORE = "before";
    static final String TAKEN = "taken";
    static final String OTHER = "other";

    /** The first site has done all long before. */
    static final long TURN = 60 * SECOND;

    static final long END = 90 * SECOND;

    private final int transactions;
    private final Map<Integer, Integer> done = new HashMap<>();
    private String region;

    Handover(int transactions) {
      this.transactions = transactions;
    }

    @Override
    public Asked next(String at, int client, SplittableRandom random) {
      return switch (sites().indexOf(at)) {
        case 0 -> ask(at, client, "T1", BEFORE);
        case 1 ->
            done.containsKey(client) ? ask(at, client, "T1", TAKEN) : ask(at, client, "T2", OTHER);
        default -> ask(at, client, "T3", OTHER);
      };
    }

    @Override
    public Asked answered(int client, Record response) {
      Asked again = super.answered(client, response);
      if (again == null) {
        done.merge(client, 1, Integer::sum);
        region = sites().get(client);
      }
      return again;
    }

    @Override
    public long thinkMicros(SplittableRandom random) {
      return switch (sites().indexOf(region)) {
        case 0 -> done.get(0) < transactions ? 0 : NEVER;
        case 1 -> done.get(1) == 1 ? TURN + SECOND / 2 : NEVER;
        default -> NEVER;
      };
    }
  }
}
