package dev.plumbline.cluster;

import dev.plumbline.node.CassandraSession;
import dev.plumbline.node.CassandraStore;
import dev.plumbline.node.ClockPair;
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
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.ThreadLocalRandom;
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
  static final String CASSANDRA = "cassandra";
  private static final String MARK = ".plumbline-cluster";

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

  private Cluster(
      ClusterPlan plan, Path folder, NodeConfig asked, Networks networks, Launch launch) {
    this.folder = folder;
    this.networks = networks;
    this.launch = launch;
    protocol = plan.protocol();
    skew = plan.skew();
    registry = plan.registry();
    Topology topology = asked.topology();
    processes = shared(Protocols.named(protocol), topology, asked.settings(), plan.alone());
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
   * @throws IllegalArgumentException if the protocol's parameters make no sense, the folder holds
   *     files and was never a cluster's, or the network cannot be taken
   */
  public static Cluster prepare(ClusterPlan plan) throws IOException {
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
    asked.demandMachines();
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
      cluster = new Cluster(plan, folder, asked, networks, launch);
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

  private static Networks networks(ClusterPlan plan, Topology topology) throws IOException {
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

  private synchronized void make(ClusterPlan plan, Topology topology, byte[] deployment)
      throws IOException {
    boolean netem = false;
    if (networks != null) {
      networks.up();
      if (remote()) {
        // A host serves one cluster: what a dead run left there would keep its addresses.
        for (String region : networks.regions()) {
          Commands.must(networks.inside(region, ClusterState.endNodes("")));
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

  private static Map<String, Long> parameters(ClusterPlan plan) {
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
    Map<String, ClusterState.Proc> running = new TreeMap<>();
    launched.forEach((name, p) -> running.put(name, ClusterState.Proc.of(p.pid())));
    ClusterState state =
        new ClusterState(
            protocol,
            ClusterState.Proc.of(ProcessHandle.current().pid()),
            finished,
            delays,
            networks,
            List.copyOf(mounts),
            running,
            processes);
    registry.save(folder, state);
    Registry.write(ClusterState.file(folder), state);
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
    ClusterState.end(
        launched.values().stream().map(Process::toHandle).toList(), ProcessHandle::destroyForcibly);
    new ClusterState(protocol, null, false, delays, networks, mounts, Map.of(), processes)
        .clear(folder);
    Files.deleteIfExists(ClusterState.file(folder));
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
      ProtocolSystem protocol, Topology topology, Settings settings, boolean alone) {
    Map<String, List<NodeSpec>> processes = new TreeMap<>();
    for (NodeSpec node : NodeConfig.owners(topology).values()) {
      int number = 1;
      String name = alone ? node.id() : node.region();
      while (processes.containsKey(name)
          && !protocol.mayCrash(node, Set.copyOf(processes.get(name)), settings)) {
        number++;
        name = node.region() + "-" + number;
      }
      processes.computeIfAbsent(name, n -> new ArrayList<>()).add(node);
    }
    Map<String, List<String>> names = new TreeMap<>();
    processes.forEach((name, all) -> names.put(name, all.stream().map(NodeSpec::id).toList()));
    return names;
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
            hosted.stream()
                .map(node -> ClusterState.conf(folder, node).toString())
                .toArray(String[]::new)));
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
    return ClusterState.conf(folder, node);
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
          ClusterState.pause();
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

  /** What is started beside the nodes, which serve by then. */
  public interface Beside {
    /** Starts it. */
    void start(Cluster cluster) throws IOException;
  }

  /** Starts a cluster that outlives this process. */
  public static Cluster up(ClusterPlan plan) throws IOException {
    return up(plan, cluster -> {});
  }

  /** The same with more; until all of it is there, it ends with this process. */
  public static Cluster up(ClusterPlan plan, Beside beside) throws IOException {
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

  /** Where the nodes of a folder's cluster listen. */
  public static NodeConfig clientConfig(Path folder) {
    return NodeConfig.read(folder.resolve("conf").resolve(CLIENT + ".yaml"));
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
