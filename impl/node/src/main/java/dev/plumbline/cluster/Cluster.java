package dev.plumbline.cluster;

import dev.plumbline.node.CassandraSession;
import dev.plumbline.node.CassandraStore;
import dev.plumbline.node.ClockPair;
import dev.plumbline.node.ConfigException;
import dev.plumbline.node.NodeConfig;
import dev.plumbline.node.NodeMain;
import dev.plumbline.protocol.NodeSpec;
import dev.plumbline.protocol.ProtocolSystem;
import dev.plumbline.protocol.Protocols;
import dev.plumbline.protocol.RttTable;
import dev.plumbline.protocol.Settings;
import dev.plumbline.protocol.Topology;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * A cluster of processes with one node or several, in a folder: {@code conf/NODE.yaml}, {@code
 * data/NODE}, {@code trace}, {@code out/PROCESS.log}, {@code tls}, and {@code cluster.json}, which
 * says what runs, and the mark {@code .plumbline-cluster}. A region is a network namespace, or
 * everything is on loopback.
 */
public final class Cluster {
  /** The name in the certificate that clients use. */
  public static final String CLIENT = "client";

  private static final int FIRST_PORT = 21_300;
  private static final int FIRST_ADMIN_PORT = 22_300;
  private static final int CASSANDRA_PORT = 9_042;
  private static final int CASSANDRA_STORAGE = 7_000;
  private static final long MOST_CLUSTERS = 1L << 53;
  private static final long START_SECONDS = 120;
  private static final long STOP_SECONDS = 10;
  private static final long POLL_MILLIS = 20;
  private static final String CASSANDRA = "cassandra";
  private static final String MARK = ".plumbline-cluster";
  private static final Path PROCESSES = Path.of("/proc");

  /**
   * What to start.
   *
   * @param protocol its name on the command line
   * @param parameters the protocol's
   * @param deployment file that says who is where; null for the protocol's own deployment
   * @param folder for all that the cluster writes
   * @param cache for what makes nodes start quickly
   * @param registry where what is made is written down first
   * @param where the regions' networks, null for loopback
   * @param skew library that skews a process's wall clock, which TrueTime is then read off; or null
   * @param rtt round trips between regions
   * @param tls whether to use TLS on loopback as well
   * @param alone whether every node is a process of its own
   * @param traced whether nodes log their steps, for {@code ./plumb trace}
   * @param testing whether nodes take faults, and end with this process
   * @param bug a seeded bug, or null
   * @param bugs jar or folder that holds it, or null
   * @param store where nodes keep their logs, or the database that they reach by themselves; null
   *     for RocksDB
   */
  public record Plan(
      String protocol,
      Map<String, Long> parameters,
      Path deployment,
      Path folder,
      Path cache,
      Registry registry,
      Networks.Where where,
      String skew,
      RttTable rtt,
      boolean tls,
      boolean alone,
      boolean traced,
      boolean testing,
      String bug,
      String bugs,
      StorePlan store) {

    /** Of the protocol's own deployment on loopback, for as long as this process lives. */
    public static Plan onLoopback(
        String protocol,
        Map<String, Long> parameters,
        Path folder,
        Path cache,
        Registry registry,
        RttTable rtt) {
      return new Plan(
          protocol,
          parameters,
          null,
          folder,
          cache,
          registry,
          null,
          null,
          rtt,
          false,
          false,
          true,
          true,
          null,
          null,
          null);
    }

    /** The same with TLS. */
    public Plan withTls() {
      return new Plan(
          protocol,
          parameters,
          deployment,
          folder,
          cache,
          registry,
          where,
          skew,
          rtt,
          true,
          alone,
          traced,
          testing,
          bug,
          bugs,
          store);
    }

    /** The same with logs in a Cassandra. */
    public Plan withStore(StorePlan other) {
      return new Plan(
          protocol,
          parameters,
          deployment,
          folder,
          cache,
          registry,
          where,
          skew,
          rtt,
          tls,
          alone,
          traced,
          testing,
          bug,
          bugs,
          other);
    }
  }

  /** A process, by its id and the kernel's clock tick at its start. */
  public record Proc(long pid, long started) {
    static Proc of(long pid) {
      return new Proc(pid, startTick(pid));
    }

    /** Whether it is this very process that runs. */
    public boolean alive() {
      return started != 0 && startTick(pid) == started;
    }
  }

  /**
   * What {@code cluster.json} holds, from before anything is made until all is taken away.
   *
   * @param owner the process that starts the cluster
   * @param finished whether the cluster outlives its owner
   * @param networks null on loopback
   * @param mounts file systems that were mounted for it
   * @param processes those that were started, with those that run no node
   * @param nodes each process's nodes
   */
  public record State(
      String protocol,
      Proc owner,
      boolean finished,
      String delays,
      Networks networks,
      List<String> mounts,
      Map<String, Proc> processes,
      Map<String, List<String>> nodes) {
    public State {
      Objects.requireNonNull(protocol, "protocol");
      Objects.requireNonNull(mounts, "mounts");
      Objects.requireNonNull(processes, "processes");
      Objects.requireNonNull(nodes, "nodes");
    }
  }

  private final Path folder;
  private final Registry registry;
  private final String protocol;
  private final Map<String, Process> launched = new TreeMap<>();
  private final Map<String, List<String>> databases = new TreeMap<>();
  private final Map<String, Long> said = new TreeMap<>();
  private final Map<String, NodeConfig.Cassandra> stores = new TreeMap<>();
  private final List<String> mounts = new ArrayList<>();
  private final Thread hook = new Thread(this::releaseAtEnd);
  private boolean released;
  private boolean finished;
  private final Map<String, NodeSpec> nodes;
  private final Map<String, List<String>> processes;
  private final Networks networks;
  private final Launch launch;
  private final String skew;
  private NodeConfig config;
  private String delays = "";

  private Cluster(Plan plan, Path folder, Topology topology, Networks networks, Launch launch) {
    this.folder = folder;
    this.networks = networks;
    this.launch = launch;
    protocol = plan.protocol();
    skew = plan.skew();
    registry = plan.registry();
    processes = shared(Protocols.named(plan.protocol()), topology, plan.alone());
    nodes = new TreeMap<>();
    NodeConfig.owners(topology).values().forEach(n -> nodes.put(n.id(), n));
  }

  /** The configuration that all nodes share, for clients. */
  public NodeConfig config() {
    return config;
  }

  /** The nodes that run, by name. */
  public Map<String, NodeSpec> nodes() {
    return nodes;
  }

  /** The nodes of each process, by its name: that of its only node, or of its region. */
  public Map<String, List<String>> processes() {
    return processes;
  }

  /** Null on loopback. */
  public Networks networks() {
    return networks;
  }

  /** What delays the links: {@code tc netem} or {@code the transport's shaper}. */
  public String delays() {
    return delays;
  }

  /** Where a node keeps its durable log. */
  public Path data(String node) {
    return folder.resolve("data").resolve(node);
  }

  /**
   * Makes networks, certificates and configurations for an empty cluster, and starts Cassandra if
   * it is to have some of its own; starts no node. What an earlier cluster left in the folder is
   * deleted. All of it is taken away by {@link #release}, or when this process ends.
   *
   * @throws IllegalArgumentException if the folder holds files and was never a cluster's, or the
   *     network cannot be taken
   */
  public static Cluster prepare(Plan plan) throws IOException {
    Path folder = plan.folder().toAbsolutePath().normalize();
    plan.registry().sweep(false);
    // What it is made from may lie in the folder that is about to be emptied.
    byte[] deployment = plan.deployment() == null ? null : Files.readAllBytes(plan.deployment());
    NodeConfig asked =
        NodeConfig.of(
            plan.protocol(),
            plan.parameters(),
            plan.deployment() == null ? null : plan.deployment().toString());
    Topology topology = asked.topology();
    Networks networks = networks(plan, topology);
    if (Protocols.named(plan.protocol()).outside(asked.settings())) {
      StorePlan.demandOutside(plan.store(), networks);
    } else if (plan.store() != null && networks != null) {
      plan.store().demandReach(networks.remote());
    }
    demandOurs(folder);
    Launch launch = Launch.prepare(plan.cache());
    Cluster cluster;
    try (Registry.Turn turn = plan.registry().turn()) {
      if (plan.registry().lives(folder)) {
        throw new IllegalArgumentException("a cluster is up in " + folder + "; end it with down");
      }
      // Others may have started since.
      networks = networks(plan, topology);
      claim(folder);
      cluster = new Cluster(plan, folder, topology, networks, launch);
      cluster.save();
    }
    Runtime.getRuntime().addShutdownHook(cluster.hook);
    try {
      cluster.make(plan, topology, deployment);
      return cluster;
    } catch (IOException | RuntimeException e) {
      cluster.release();
      throw e;
    }
  }

  private static Networks networks(Plan plan, Topology topology) throws IOException {
    if (plan.where() == null) {
      return null;
    }
    Networks networks = plan.where().plan(topology.regions(), plan.registry().networks());
    // What another has made would be taken away with this one.
    networks.demandNone();
    return networks;
  }

  /** Refuses a folder with files that no cluster made. */
  private static void demandOurs(Path folder) throws IOException {
    if (Files.exists(folder) && !Files.exists(folder.resolve(MARK))) {
      try (Stream<Path> files = Files.list(folder)) {
        if (files.findAny().isPresent()) {
          throw new IllegalArgumentException(
              folder + " holds files and no cluster made them; name an empty folder");
        }
      }
    }
  }

  /** Takes a folder, and deletes what an earlier cluster left there. */
  private static void claim(Path folder) throws IOException {
    Path mark = folder.resolve(MARK);
    Files.createDirectories(folder);
    if (!Files.exists(mark)) {
      Files.createFile(mark);
    }
    for (String old : List.of("conf", "data", "trace", "out", "tls", CASSANDRA)) {
      delete(folder.resolve(old));
    }
  }

  private synchronized void make(Plan plan, Topology topology, byte[] deployment)
      throws IOException {
    boolean netem = false;
    if (networks != null) {
      networks.up();
      if (remote()) {
        // A host serves one cluster: what a dead run left there would keep its addresses.
        for (String region : networks.regions()) {
          Commands.must(networks.inside(region, endNodes("")));
        }
      }
      netem = !networks.remote() && networks.netem();
      if (netem) {
        networks.delay(plan.rtt());
      }
    }
    delays = netem ? "tc netem" : "the transport's shaper";
    Map<String, NodeConfig.Address> addresses = new LinkedHashMap<>();
    try (FreePorts ports = new FreePorts()) {
      for (NodeSpec node : NodeConfig.owners(topology).values()) {
        int number = addresses.size();
        addresses.put(
            node.id(),
            networks == null
                ? new NodeConfig.Address("127.0.0.1", ports.next(), ports.next())
                : new NodeConfig.Address(
                    networks.address(node.region()),
                    FIRST_PORT + number,
                    FIRST_ADMIN_PORT + number));
      }
    }
    Path token = folder.resolve("faults.token");
    if (plan.testing()) {
      Certificates.token(token);
    }
    String tls = networks == null && !plan.tls() ? null : folder.resolve("tls").toString();
    ClockPair origin = ClockPair.now();
    config =
        new NodeConfig(
            plan.protocol(),
            null,
            addresses,
            null,
            plan.traced() ? folder.resolve("trace").toString() : null,
            0,
            tls,
            origin.monotonic(),
            skew == null ? null : origin.wall(),
            parameters(plan),
            kept(deployment),
            null,
            0,
            null,
            plan.testing() ? token.toString() : null,
            false,
            plan.testing() && !remote() ? ProcessHandle.current().pid() : null,
            plan.bug(),
            plan.bugs(),
            null);
    if (tls != null) {
      Certificates.make(
          Path.of(tls), Stream.concat(addresses.keySet().stream(), Stream.of(CLIENT)).toList());
    }
    if (plan.store() != null) {
      stores.putAll(stores(plan.store()));
    }
    configure(netem ? null : plan.rtt());
  }

  /** Where the nodes of each region keep their logs in Cassandra, which serves by then. */
  private Map<String, NodeConfig.Cassandra> stores(StorePlan store) throws IOException {
    String cluster = Long.toHexString(ThreadLocalRandom.current().nextLong(1, MOST_CLUSTERS));
    Set<String> regions =
        nodes.values().stream()
            .map(NodeSpec::region)
            .collect(Collectors.toCollection(TreeSet::new));
    Map<String, NodeConfig.Cassandra> places = new TreeMap<>();
    if (!store.own()) {
      NodeConfig.Cassandra place = remote() ? store.onHosts(cluster) : store.taken(cluster);
      regions.forEach(region -> places.put(region, place));
      return places;
    }
    boolean ring = !store.shared() && Protocols.named(protocol).outside(config.settings());
    Map<String, CassandraServers.Member> members =
        ring ? ring(regions, cluster) : apart(store.shared() ? Set.of(first(regions)) : regions);
    String classPath = CassandraServers.classPath(store.root());
    Files.createDirectories(folder.resolve("out"));
    for (Map.Entry<String, CassandraServers.Member> each : members.entrySet()) {
      String region = each.getKey();
      List<String> command = new ArrayList<>(ring ? skewed(database(region)) : List.of());
      Path own = folder.resolve(CASSANDRA).resolve(region);
      command.addAll(CassandraServers.command(classPath, own, each.getValue()));
      databases.put(database(region), placed(region, command));
      startDatabase(database(region));
    }
    Map<String, String> addresses = new LinkedHashMap<>();
    members.forEach((region, member) -> addresses.put(region, member.address()));
    for (String region : regions) {
      String at = addresses.getOrDefault(region, addresses.get(first(regions)));
      places.put(
          region, ring ? StorePlan.ring(addresses, region, cluster) : StorePlan.own(at, cluster));
    }
    for (String name : databases.keySet()) {
      awaitDatabase(name);
    }
    if (ring || store.shared()) {
      // Several processes that make the same tables at once are in each other's way.
      CassandraStore.prepare(places.get(first(regions)), members.size());
    }
    return places;
  }

  private static String first(Set<String> regions) {
    return regions.iterator().next();
  }

  /** Nodes of Cassandra that each are by themselves, on loopback. */
  private static Map<String, CassandraServers.Member> apart(Set<String> regions)
      throws IOException {
    Map<String, CassandraServers.Member> members = new LinkedHashMap<>();
    try (FreePorts ports = new FreePorts()) {
      for (String region : regions) {
        members.put(region, CassandraServers.Member.alone(ports.next(), ports.next()));
      }
    }
    return members;
  }

  /** Nodes of Cassandra that are one ring, where the regions are. */
  private Map<String, CassandraServers.Member> ring(Set<String> regions, String cluster)
      throws IOException {
    Map<String, CassandraServers.Place> places = new LinkedHashMap<>();
    try (FreePorts ports = new FreePorts()) {
      for (String region : regions) {
        places.put(
            region,
            networks == null
                ? new CassandraServers.Place("127.0.0.1", ports.next(), ports.next())
                : new CassandraServers.Place(
                    networks.address(region), CASSANDRA_PORT, CASSANDRA_STORAGE));
      }
    }
    return CassandraServers.ring(cluster, places);
  }

  /** The process of Cassandra that is a region's, if the cluster has such of its own. */
  public static String database(String region) {
    return CASSANDRA + "-" + region;
  }

  /** The processes of Cassandra that are the cluster's own. */
  public Set<String> databases() {
    return databases.keySet();
  }

  /** Starts one, again if it was there before; it may not serve yet. */
  public synchronized Process startDatabase(String name) throws IOException {
    if (released) {
      throw new IOException("the cluster in " + folder + " has been ended");
    }
    said.put(name, Files.exists(output(name)) ? Files.size(output(name)) : 0);
    Process server = run(name, databases.get(name));
    launched.put(name, server);
    save();
    return server;
  }

  /** The process of that name, or the last that was. */
  public synchronized Process running(String name) {
    return launched.get(name);
  }

  /** Waits until one serves. */
  public void awaitDatabase(String name) throws IOException {
    CassandraServers.await(launched.get(name), output(name), said.get(name));
  }

  /**
   * Reads the wall clock of a region's own Cassandra.
   *
   * @throws IOException if it does not answer
   */
  public CassandraSession.Ahead databaseClock(String region) throws IOException {
    return CassandraSession.ahead(stores.get(region));
  }

  /** Ends one on the spot. */
  void killDatabase(String name) throws InterruptedException {
    launched.get(name).destroyForcibly().waitFor();
  }

  private static Map<String, Long> parameters(Plan plan) {
    long number = ThreadLocalRandom.current().nextLong(1, MOST_CLUSTERS);
    Map<String, Long> all = new TreeMap<>(Protocols.named(plan.protocol()).identity(number));
    all.putAll(plan.parameters());
    return all;
  }

  /** Keeps the deployment's text, so that the cluster goes on with what it began with. */
  private String kept(byte[] deployment) throws IOException {
    if (deployment == null) {
      return null;
    }
    Path copy = Files.createDirectories(folder.resolve("conf")).resolve("deployment.txt");
    return Files.write(copy, deployment).toString();
  }

  private boolean remote() {
    return networks != null && networks.remote();
  }

  /** Writes down what there is, before it is made. */
  private void save() throws IOException {
    Map<String, Proc> running = new TreeMap<>();
    launched.forEach((name, p) -> running.put(name, Proc.of(p.pid())));
    State state =
        new State(
            protocol,
            Proc.of(ProcessHandle.current().pid()),
            finished,
            delays,
            networks,
            List.copyOf(mounts),
            running,
            processes);
    registry.save(folder, state);
    Registry.write(stateFile(folder), state);
  }

  /** Mounts a small file system as a node's data folder; needs root. */
  public synchronized void mount(String node, int mib) throws IOException {
    Path at = Files.createDirectories(data(node));
    mounts.add(at.toString());
    save();
    Commands.must(
        List.of("mount", "-t", "tmpfs", "-o", "size=" + mib + "m", "tmpfs", at.toString()));
  }

  private void releaseAtEnd() {
    try {
      release();
    } catch (IOException e) {
      System.err.println("plumb: " + e.getMessage() + "; ./plumb cluster sweep takes it away");
    }
  }

  /** Ends the processes, and takes away networks and mounts; the files stay. */
  public synchronized void release() throws IOException {
    if (released) {
      return;
    }
    released = true;
    end(launched.values().stream().map(Process::toHandle).toList(), ProcessHandle::destroyForcibly);
    clear(folder, new State(protocol, null, false, delays, networks, mounts, Map.of(), processes));
    Files.deleteIfExists(stateFile(folder));
    registry.forget(folder);
    forgetHook();
  }

  private void forgetHook() {
    try {
      Runtime.getRuntime().removeShutdownHook(hook);
    } catch (IllegalStateException e) {
      // This process ends, by this very hook.
      return;
    }
  }

  /** Which nodes share a process: those of a region that may all be down at once. */
  static Map<String, List<String>> shared(
      ProtocolSystem protocol, Topology topology, boolean alone) {
    Map<String, List<NodeSpec>> processes = new TreeMap<>();
    for (NodeSpec node : NodeConfig.owners(topology).values()) {
      int number = 1;
      String name = alone ? node.id() : node.region();
      while (processes.containsKey(name) && !mayAllBeDown(protocol, processes.get(name), node)) {
        number++;
        name = node.region() + "-" + number;
      }
      processes.computeIfAbsent(name, n -> new ArrayList<>()).add(node);
    }
    Map<String, List<String>> names = new TreeMap<>();
    processes.forEach((name, all) -> names.put(name, all.stream().map(NodeSpec::id).toList()));
    return names;
  }

  private static boolean mayAllBeDown(
      ProtocolSystem protocol, List<NodeSpec> some, NodeSpec another) {
    return protocol.mayCrash(another, Set.copyOf(some));
  }

  private void configure(RttTable shaped) throws IOException {
    Path conf = Files.createDirectories(folder.resolve("conf"));
    Files.createDirectories(folder.resolve("out"));
    ProtocolSystem system = Protocols.named(protocol);
    Settings settings = config.settings();
    Map<String, Long> downMbps = new TreeMap<>();
    for (NodeSpec node : nodes.values()) {
      long down = system.bandwidth(node, settings).downMbps();
      if (down > 0) {
        downMbps.put(node.id(), down);
      }
    }
    for (NodeSpec node : nodes.values()) {
      Map<String, Long> delayMicros = new TreeMap<>();
      if (shaped != null) {
        for (NodeSpec other : nodes.values()) {
          long rtt = shaped.rttMicros(shaped.index(node.region()), shaped.index(other.region()));
          if (!other.equals(node) && rtt / 2 > 0) {
            delayMicros.put(other.id(), rtt / 2);
          }
        }
      }
      config
          .as(
              node.id(),
              data(node.id()).toString(),
              delayMicros,
              system.bandwidth(node, settings).upMbps(),
              downMbps)
          .on(stores.get(node.region()))
          .write(conf.resolve(node.id() + ".yaml"));
    }
    config.write(conf.resolve(CLIENT + ".yaml"));
  }

  /** Starts a process; its nodes may not serve yet. */
  public synchronized Process launch(String process) throws IOException {
    if (released) {
      throw new IOException("the cluster in " + folder + " has been ended");
    }
    Process started = start(process);
    launched.put(process, started);
    return started;
  }

  private Process start(String process) throws IOException {
    List<String> hosted = processes.get(process);
    List<String> command = skewed(process);
    command.addAll(
        launch.command(
            NodeMain.class,
            hosted.stream().map(node -> conf(folder, node).toString()).toArray(String[]::new)));
    return run(process, placed(nodes.get(hosted.get(0)).region(), command));
  }

  /** What a command begins with whose process's wall clock can be skewed, if any can. */
  private List<String> skewed(String process) throws IOException {
    List<String> command = new ArrayList<>();
    if (skew != null) {
      Path file = skew(process);
      WallClock.skew(file, 0, 0);
      command.addAll(List.of("env", "LD_PRELOAD=" + skew, "PLUMB_SKEW_FILE=" + file));
    }
    return command;
  }

  private Process run(String process, List<String> command) throws IOException {
    return new ProcessBuilder(command)
        .redirectErrorStream(true)
        .redirectOutput(ProcessBuilder.Redirect.appendTo(output(process).toFile()))
        .redirectInput(ProcessBuilder.Redirect.from(new java.io.File("/dev/null")))
        .start();
  }

  /** Starts a process of this machine that runs no node; it ends with the cluster. */
  public synchronized Process beside(String process, List<String> command) throws IOException {
    if (released) {
      throw new IOException("the cluster in " + folder + " has been ended");
    }
    List<String> apart = new ArrayList<>(List.of("setsid"));
    apart.addAll(command);
    Process started = run(process, apart);
    launched.put(process, started);
    save();
    return started;
  }

  /** Where the cluster keeps all that it writes. */
  public Path folder() {
    return folder;
  }

  /** A command as it runs where a region is, without any privilege. */
  private List<String> placed(String region, List<String> command) {
    List<String> whole = new ArrayList<>(unprivileged());
    // A process of another host is in no group of this one's.
    whole.addAll(remote() ? List.of() : List.of("setsid"));
    whole.addAll(command);
    return networks == null ? whole : networks.inside(region, whole);
  }

  /**
   * What keeps a process from any privilege: a node needs none. Whoever may not drop them has none.
   */
  private static List<String> unprivileged() {
    for (List<String> command :
        List.of(
            List.of("setpriv", "--bounding-set", "-all", "--inh-caps", "-all", "--no-new-privs"),
            List.of("setpriv", "--no-new-privs"))) {
      if (Commands.succeeds(Stream.concat(command.stream(), Stream.of("true")).toList())) {
        return command;
      }
    }
    return List.of();
  }

  /** What skews a process's wall clock, where there is a library for it; see {@link WallClock}. */
  public Path skew(String process) {
    return folder.resolve("out").resolve(process + ".skew");
  }

  /** A node's configuration. */
  Path conf(String node) {
    return conf(folder, node);
  }

  Path output(String process) {
    return folder.resolve("out").resolve(process + ".log");
  }

  /** The last that a process said, in parentheses; empty if it said nothing. */
  private String last(String process) {
    try (Stream<String> lines = Files.lines(output(process))) {
      return lines
          .filter(line -> !line.isBlank())
          .reduce((before, line) -> line)
          .map(line -> " (" + line.strip() + ")")
          .orElse("");
    } catch (IOException | UncheckedIOException e) {
      return "";
    }
  }

  /**
   * Waits until the nodes of processes serve.
   *
   * @throws IOException naming the first that ended or does not answer in time, and its output
   */
  public void await(Map<String, Process> started) throws IOException {
    long deadline = System.nanoTime() + START_SECONDS * 1_000_000_000;
    for (Map.Entry<String, Process> entry : started.entrySet()) {
      String process = entry.getKey();
      for (String node : processes.get(process)) {
        while (!serves(node)) {
          if (!entry.getValue().isAlive()) {
            throw new IOException(process + " ended" + last(process) + "; see " + output(process));
          } else if (System.nanoTime() > deadline) {
            throw new IOException(node + " does not answer; see " + output(process));
          }
          pause();
        }
      }
    }
  }

  boolean serves(String id) {
    try {
      return !AdminPort.health(config, id).isEmpty();
    } catch (IOException e) {
      return false;
    }
  }

  private static void pause() throws IOException {
    try {
      Thread.sleep(POLL_MILLIS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted", e);
    }
  }

  /** What is started beside the nodes, which serve by then. */
  public interface Beside {
    /** Starts it. */
    void start(Cluster cluster) throws IOException;
  }

  /** Starts a cluster that outlives this process. */
  public static Cluster up(Plan plan) throws IOException {
    return up(plan, cluster -> {});
  }

  /** The same with more; until all of it is there, it ends with this process. */
  public static Cluster up(Plan plan, Beside beside) throws IOException {
    Cluster cluster = prepare(plan);
    try {
      Map<String, Process> started = new TreeMap<>();
      for (String name : cluster.processes.keySet()) {
        started.put(name, cluster.launch(name));
        cluster.save();
      }
      cluster.await(started);
      beside.start(cluster);
      cluster.outlive();
      return cluster;
    } catch (IOException | RuntimeException e) {
      cluster.release();
      throw e;
    }
  }

  private synchronized void outlive() throws IOException {
    if (!released) {
      finished = true;
      save();
      forgetHook();
    }
  }

  static Path stateFile(Path folder) {
    return folder.resolve("cluster.json");
  }

  /**
   * What runs in a folder, if a cluster was started there.
   *
   * @throws ConfigException if {@code cluster.json} does not say
   */
  public static Optional<State> state(Path folder) throws IOException {
    Path file = stateFile(folder);
    return Files.exists(file) ? Registry.read(file, State.class) : Optional.empty();
  }

  /** Where the nodes of a folder's cluster listen. */
  public static NodeConfig clientConfig(Path folder) {
    return NodeConfig.read(folder.resolve("conf").resolve(CLIENT + ".yaml"));
  }

  /**
   * Ends a folder's cluster: asks its processes to stop, ends those that do not, and takes its
   * networks and mounts away. Its files stay. Returns how many processes there were.
   */
  public static int down(Path folder, State state, Registry registry) throws IOException {
    List<ProcessHandle> running = running(folder, state);
    // Cassandra last: nodes may still be writing to it.
    for (boolean last : List.of(false, true)) {
      List<ProcessHandle> some = running.stream().filter(p -> last == cassandra(state, p)).toList();
      end(some, ProcessHandle::destroy);
    }
    clear(folder, state);
    Files.deleteIfExists(stateFile(folder));
    registry.forget(folder);
    return running.size();
  }

  /**
   * Ends what is left of a cluster, at once. Returns how many processes there were.
   *
   * @throws IOException if a mount or a process is still there
   */
  static int clear(Path folder, State state) throws IOException {
    List<ProcessHandle> running = running(folder, state);
    end(running, ProcessHandle::destroyForcibly);
    List<Long> left = running.stream().map(ProcessHandle::pid).filter(Cluster::runs).toList();
    if (!left.isEmpty()) {
      throw new IOException("processes of " + folder + " do not end: " + left);
    }
    if (state.networks() != null && state.networks().remote()) {
      for (String region : state.networks().regions()) {
        Commands.run(state.networks().inside(region, endNodes(folder.toString())));
      }
    }
    for (String mount : state.mounts()) {
      if (Commands.succeeds(List.of("mountpoint", "-q", mount))) {
        unmount(mount);
      }
    }
    if (state.networks() != null) {
      state.networks().down();
    }
    return running.size();
  }

  /** Waits a while for files that a process which ends has not closed yet. */
  static void unmount(String mount) throws IOException {
    List<String> command = List.of("umount", mount);
    long deadline = System.nanoTime() + STOP_SECONDS * 1_000_000_000;
    while (!Commands.succeeds(command)) {
      if (System.nanoTime() > deadline) {
        Commands.must(command);
        return;
      }
      pause();
    }
  }

  /**
   * What ends, on a host, the processes that run nodes; it does not find itself.
   *
   * @param folder whose nodes; empty for any
   */
  static List<String> endNodes(String folder) {
    String main = NodeMain.class.getName();
    String script =
        "for p in /proc/[0-9]*; do tr '\\0' '\\n' <$p/cmdline 2>/dev/null | grep -qx '[%s]%s'"
            + " && grep -qaF -- \"$0/conf/\" $p/cmdline && kill -KILL ${p##*/}; done; true";
    return List.of("sh", "-c", script.formatted(main.substring(0, 1), main.substring(1)), folder);
  }

  private static boolean cassandra(State state, ProcessHandle process) {
    return state.processes().entrySet().stream()
        .anyMatch(
            p -> p.getValue().pid() == process.pid() && p.getKey().startsWith(CASSANDRA + "-"));
  }

  /**
   * Ends processes, and waits a while for them and for what they started: the guard of a server's
   * database goes a moment after the server, and would end the database of the next one.
   */
  private static void end(List<ProcessHandle> processes, Consumer<ProcessHandle> how)
      throws IOException {
    List<ProcessHandle> theirs = processes.stream().flatMap(ProcessHandle::descendants).toList();
    processes.forEach(how);
    gone(processes);
    gone(theirs);
  }

  /** Waits a while for processes to end. */
  private static void gone(List<ProcessHandle> processes) throws IOException {
    long deadline = System.nanoTime() + STOP_SECONDS * 1_000_000_000;
    while (processes.stream().map(ProcessHandle::pid).anyMatch(Cluster::runs)
        && System.nanoTime() < deadline) {
      pause();
    }
  }

  /** Whether there is such a process, and not only what its parent has not asked about yet. */
  private static boolean runs(long pid) {
    return startTick(pid) != 0;
  }

  /** The processes written down, and those that are of this folder without being so. */
  private static List<ProcessHandle> running(Path folder, State state) throws IOException {
    Set<Long> pids = new TreeSet<>();
    state.processes().values().stream().filter(Proc::alive).forEach(p -> pids.add(p.pid()));
    Set<String> configurations = new TreeSet<>();
    for (List<String> hosted : state.nodes().values()) {
      hosted.forEach(node -> configurations.add(conf(folder, node).toString()));
    }
    try (Stream<Path> all = Files.list(PROCESSES)) {
      for (Path process : all.filter(p -> p.getFileName().toString().matches("\\d+")).toList()) {
        List<String> arguments = arguments(process);
        boolean node =
            arguments.contains(NodeMain.class.getName())
                && arguments.stream().anyMatch(configurations::contains);
        if (node || CassandraServers.within(arguments, folder.resolve(CASSANDRA))) {
          pids.add(Long.parseLong(process.getFileName().toString()));
        }
      }
    }
    return pids.stream().flatMap(pid -> ProcessHandle.of(pid).stream()).toList();
  }

  private static List<String> arguments(Path process) {
    try {
      return List.of(Files.readString(process.resolve("cmdline")).split("\0", -1));
    } catch (IOException e) {
      return List.of();
    }
  }

  private static Path conf(Path folder, String node) {
    return folder.resolve("conf").resolve(node + ".yaml");
  }

  /** When a process started, in the kernel's clock ticks; 0 if there is none. */
  private static long startTick(long pid) {
    try {
      String stat = Files.readString(Path.of("/proc/" + pid + "/stat"));
      String[] fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ", -1);
      return fields[0].equals("Z") ? 0 : Long.parseLong(fields[19]);
    } catch (IOException e) {
      return 0;
    }
  }

  static void delete(Path path) throws IOException {
    if (Files.exists(path)) {
      try (Stream<Path> all = Files.walk(path)) {
        for (Path each : all.sorted(Comparator.reverseOrder()).toList()) {
          Files.delete(each);
        }
      }
    }
  }
}
