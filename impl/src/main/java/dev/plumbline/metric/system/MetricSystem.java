package dev.plumbline.metric.system;

import dev.plumbline.machine.Machine;
import dev.plumbline.metric.MetricConfig;
import dev.plumbline.metric.MetricMessage;
import dev.plumbline.metric.MetricProcess;
import dev.plumbline.metric.MetricRequest;
import dev.plumbline.metric.MetricResponse;
import dev.plumbline.protocol.ClientDriver;
import dev.plumbline.protocol.ClockBounds;
import dev.plumbline.protocol.MicroOp;
import dev.plumbline.protocol.NodeSpec;
import dev.plumbline.protocol.ProtocolSystem;
import dev.plumbline.protocol.Settings;
import dev.plumbline.protocol.Topology;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.LongStream;

/**
 * Metric at the paper's three sites.
 *
 * <p>Parameters: {@code tables} (how many; a key belongs to one), {@code queries} (1: a transaction
 * is one query; 2: it has several), {@code operations} (how many one of several has, 1 if nothing
 * is said), {@code leaseMicros}, {@code heartbeatMicros}, {@code resendMicros}, {@code
 * patienceMicros}, {@code alpha}, {@code led} (1: sites lead the transactions, which then claim no
 * place), {@code places} (1: processes have good clocks, and say where a transaction stands in the
 * serial order), {@code cassandra} (1: the store is a Cassandra, which processes reach by
 * themselves).
 *
 * <p>The store takes a lock away whenever a lease is over by the lock service's own clock, so no
 * clock has to agree with another (section 3.3 bounds none). A process's place in the serial order,
 * which only judges read, is a reading of a good clock.
 */
public final class MetricSystem implements ProtocolSystem {
  private static final int TABLES = 4;
  private static final int MOST_TABLES = 1_000;

  /** Short, so that a run has many locks taken from processes that work. */
  private static final long LEASE_MICROS = 100_000;

  private static final long HEARTBEAT_MICROS = 60_000;
  private static final long RESEND_MICROS = 200_000;
  private static final long PATIENCE_MICROS = 1_500_000;
  private static final long ALPHA = 10;

  /** As many operations in a query as a transaction has. */
  static final int ALL = Integer.MAX_VALUE;

  /** Whether the store is a Cassandra. */
  private static final String CASSANDRA = "cassandra";

  /** How long a process waits for a word of a simulated site. */
  private static final long LEADER_MICROS = 400_000;

  @Override
  public String name() {
    return "metric";
  }

  @Override
  public ClockBounds clockBounds() {
    return new ClockBounds(0, 200);
  }

  @Override
  public Set<String> publishedBehaviours() {
    return new TreeSet<>(MetricConfig.BEHAVIOURS);
  }

  @Override
  public Set<String> parameters() {
    return Set.of(
        "tables",
        "queries",
        "operations",
        "leaseMicros",
        "heartbeatMicros",
        "resendMicros",
        "patienceMicros",
        "alpha",
        "led",
        "places",
        CASSANDRA);
  }

  @Override
  public Set<Class<?>> requests(String kind) {
    return kind.equals(MetricDeployment.PROCESS)
        ? Set.of(MetricRequest.class.getPermittedSubclasses())
        : Set.of();
  }

  @Override
  public Set<Class<?>> responses() {
    return Set.of(MetricResponse.class.getPermittedSubclasses());
  }

  @Override
  public Set<Class<?>> messages(String from, String to) {
    return switch (from + " to " + to) {
      case "metric-process to lock-service" ->
          Set.of(
              MetricMessage.Acquire.class, MetricMessage.Release.class, MetricMessage.Renew.class);
      case "lock-service to metric-process" ->
          Set.of(
              MetricMessage.Granted.class,
              MetricMessage.Released.class,
              MetricMessage.Wanted.class,
              MetricMessage.Deadlock.class);
      case "metric-process to store-replica" ->
          Set.of(MetricMessage.Put.class, MetricMessage.Get.class);
      case "store-replica to metric-process" ->
          Set.of(
              MetricMessage.Stored.class, MetricMessage.Newest.class, MetricMessage.Refused.class);
      default -> Set.of();
    };
  }

  @Override
  public Topology topology(Settings settings) {
    return MetricDeployment.topology(settings.parameter("places", 1) != 0, outside(settings));
  }

  /**
   * Cassandra stands for the lock service and all replicas. A step of it is several round trips of
   * a lightweight transaction, and syncs. In the suites round trips are short, and a fault is over
   * after some seconds; a transaction that moves tables takes about one.
   */
  @Override
  public Optional<OutsideDatabase> outsideDatabase(Map<String, Long> given) {
    return given.getOrDefault(CASSANDRA, 0L) == 0
        ? Optional.empty()
        : Optional.of(
            new OutsideDatabase(
                Map.of(
                    "leaseMicros", 4_000_000L,
                    "heartbeatMicros", 500_000L,
                    "resendMicros", 200_000L,
                    "patienceMicros", 6_000_000L),
                Map.of(
                    "leaseMicros", 1_500_000L,
                    "heartbeatMicros", 300_000L,
                    "resendMicros", 200_000L,
                    "patienceMicros", 3_000_000L),
                6,
                5_000));
  }

  @Override
  public Set<String> storageKinds() {
    return Set.of(MetricDeployment.REPLICA);
  }

  /** A lease is to outlast a process that is slow for a moment; clocks may say anything. */
  @Override
  public Map<String, Long> processParameters() {
    return Map.of("places", 0L, "leaseMicros", 1_000_000L, "heartbeatMicros", 200_000L);
  }

  /** Processes share the machine's clock, and clients give up after a second. */
  @Override
  public Map<String, Long> clusterParameters() {
    return Map.of(
        "places", 1L,
        "leaseMicros", 400_000L,
        "heartbeatMicros", 100_000L,
        "resendMicros", 100_000L,
        "patienceMicros", 500_000L);
  }

  @Override
  public Optional<SqlSide> sqlSide() {
    return Optional.of(
        new SqlSide(
            "metric-sql",
            "dev.plumbline.metric.sql.node.SiteMain",
            "dev.plumbline.metric.sql.bench.BenchMain",
            "org.apache.calcite.avatica.remote.Driver",
            "jdbc:avatica:remote:url=%s://%s;serialization=protobuf",
            "initialization",
            "end initialization",
            List.of("jdbc:postgresql:", "jdbc:mariadb:"),
            List.of("lease=1000", "patience=4000"),
            // Longer than a transaction takes: who gives up loses its place in the queue.
            Map.of("patienceMicros", 1_500_000L),
            6));
  }

  /** A process runs one transaction at a time. */
  @Override
  public int clusterClients() {
    return 12;
  }

  /** A critical operation needs a quorum of the store (section 3.3), a lock its lock service. */
  @Override
  public boolean goesOn(String region, Set<String> reached, Settings settings) {
    Topology topology = topology(settings);
    int there = 0;
    boolean locks = false;
    for (String other : reached) {
      there += topology.rolesOf(MetricDeployment.REPLICA, other).size();
      locks |= !topology.rolesOf(MetricDeployment.LOCKS, other).isEmpty();
    }
    return locks && 2 * there > topology.rolesOf(MetricDeployment.REPLICA).size();
  }

  /** The tables of a run. */
  public List<String> tables(Settings settings) {
    return MetricDeployment.tables(settings.count("tables", TABLES, MOST_TABLES));
  }

  /** The tables of transactions that sites lead, which are no tables of whole ones. */
  private static List<String> ledTables(Settings settings) {
    return LongStream.rangeClosed(1, settings.count("tables", TABLES, MOST_TABLES))
        .mapToObj(n -> "led" + n)
        .toList();
  }

  /** Whether sites lead the transactions. */
  public boolean led(Settings settings) {
    return settings.parameter("led", 0) != 0;
  }

  /** Whether transactions have several queries. */
  public boolean severalQueries(Settings settings) {
    return inQuery(settings) < ALL;
  }

  /** Of a query, unless it is a whole transaction: one, or what {@code operations} says. */
  private int inQuery(Settings settings) {
    return settings.count("operations", settings.parameter("queries", 1) > 1 ? 1 : ALL, ALL);
  }

  /** Operations by queries, which have so many each, and the last what is left. */
  static List<List<MicroOp>> queries(List<MicroOp> ops, int inQuery) {
    List<List<MicroOp>> queries = new ArrayList<>();
    for (int at = 0; at < ops.size(); at += Math.min(inQuery, ops.size())) {
      queries.add(ops.subList(at, at + Math.min(inQuery, ops.size() - at)));
    }
    return queries;
  }

  /** The machines' configuration. */
  public MetricConfig config(Settings settings) {
    return new MetricConfig(
        tables(settings),
        settings.parameter("leaseMicros", LEASE_MICROS),
        settings.parameter("heartbeatMicros", HEARTBEAT_MICROS),
        settings.parameter("resendMicros", RESEND_MICROS),
        settings.parameter("patienceMicros", PATIENCE_MICROS),
        settings.parameter("alpha", ALPHA),
        List.copyOf(settings.asPublished()));
  }

  @Override
  public Machine machine(NodeSpec node, Topology topology, Settings settings) {
    return MetricMachines.machine(node, topology, config(settings));
  }

  @Override
  public ClientDriver client(
      long id, int place, String region, Topology topology, Settings settings) {
    List<String> near = new ArrayList<>(topology.rolesOf(MetricDeployment.PROCESS, region));
    topology.rolesOf(MetricDeployment.PROCESS).stream()
        .filter(p -> !near.contains(p))
        .forEach(near::add);
    return led(settings)
        ? new LeadingClient("c" + id, near, ledTables(settings), inQuery(settings), LEADER_MICROS)
        : new MetricClient("c" + id, near, tables(settings), inQuery(settings));
  }

  @Override
  public boolean busy(Map<String, Machine> machines) {
    return machines.values().stream()
        .anyMatch(m -> m instanceof MetricProcess process && MetricInvariants.busy(process));
  }

  @Override
  public List<String> violations(Map<String, Machine> machines, Settings settings) {
    return new MetricInvariants(machines).violations();
  }
}
