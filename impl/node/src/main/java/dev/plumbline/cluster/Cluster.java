package dev.plumbline.cluster;

import com.fasterxml.jackson.databind.ObjectMapper;
import dev.plumbline.node.NodeConfig;
import dev.plumbline.node.NodeMain;
import dev.plumbline.sim.NodeSpec;
import dev.plumbline.sim.RttTable;
import dev.plumbline.sim.Topology;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * A cluster of node processes, one for each role, in a folder: {@code conf/NODE.yaml}, {@code
 * data/NODE}, {@code trace}, {@code out/NODE.log}, {@code tls}, and {@code cluster.json}, which
 * says what runs. A region is a network namespace, or everything is on loopback.
 */
public final class Cluster {
  /** The name in the certificate that clients use. */
  public static final String CLIENT = "client";

  private static final ObjectMapper JSON = new ObjectMapper();
  private static final int FIRST_PORT = 21_300;
  private static final int FIRST_ADMIN_PORT = 22_300;
  private static final long START_SECONDS = 120;
  private static final long STOP_SECONDS = 10;
  private static final long POLL_MILLIS = 20;

  /**
   * What to start.
   *
   * @param protocol such as k2
   * @param parameters the protocol's
   * @param folder for all that the cluster writes
   * @param cache for what makes nodes start quickly
   * @param namespacesTag tag of the network namespaces, null for loopback
   * @param rtt round trips between regions
   * @param tls whether to use TLS on loopback as well
   * @param testing whether nodes take faults, and end with this process
   * @param bug a seeded bug, or null
   * @param bugs jar or folder that holds it, or null
   */
  public record Plan(
      String protocol,
      Map<String, Long> parameters,
      Path folder,
      Path cache,
      String namespacesTag,
      RttTable rtt,
      boolean tls,
      boolean testing,
      String bug,
      String bugs) {}

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

  /** What {@code cluster.json} holds; {@code networks} is null on loopback. */
  public record State(
      String protocol, String delays, Networks networks, Map<String, Proc> processes) {}

  private final Path folder;
  private final NodeConfig config;
  private final Map<String, NodeSpec> nodes;
  private final Networks networks;
  private final String delays;
  private final Launch launch;

  private Cluster(Path folder, NodeConfig config, Networks networks, String delays, Launch launch) {
    this.folder = folder;
    this.config = config;
    this.networks = networks;
    this.delays = delays;
    this.launch = launch;
    nodes = new TreeMap<>();
    NodeConfig.owners(config.topology()).values().forEach(n -> nodes.put(n.id(), n));
  }

  /** The configuration that all nodes share, for clients. */
  public NodeConfig config() {
    return config;
  }

  /** The nodes that run, by name. */
  public Map<String, NodeSpec> nodes() {
    return nodes;
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
   * Makes networks, certificates and configurations for an empty cluster; starts no process. What
   * an earlier cluster left in the folder is deleted.
   */
  public static Cluster prepare(Plan plan) throws IOException {
    Path folder = Files.createDirectories(plan.folder()).toAbsolutePath();
    for (String old : List.of("conf", "data", "trace", "out", "tls")) {
      delete(folder.resolve(old));
    }
    NodeConfig bare =
        new NodeConfig(
            plan.protocol(),
            null,
            null,
            null,
            null,
            0,
            null,
            null,
            plan.parameters(),
            null,
            false,
            false,
            null,
            null);
    Topology topology = bare.topology();
    Networks networks =
        plan.namespacesTag() == null
            ? null
            : Networks.planned(plan.namespacesTag(), topology.regions());
    Launch launch = Launch.prepare(plan.cache());
    boolean netem = false;
    try {
      if (networks != null) {
        networks.up();
        netem = networks.netem();
        if (netem) {
          networks.delay(plan.rtt());
        }
      }
      Map<String, NodeConfig.Address> addresses = new LinkedHashMap<>();
      for (NodeSpec node : NodeConfig.owners(topology).values()) {
        int number = addresses.size();
        addresses.put(
            node.id(),
            new NodeConfig.Address(
                networks == null ? "127.0.0.1" : networks.address(node.region()),
                FIRST_PORT + number,
                FIRST_ADMIN_PORT + number));
      }
      String tls = networks == null && !plan.tls() ? null : folder.resolve("tls").toString();
      NodeConfig config =
          new NodeConfig(
              plan.protocol(),
              null,
              addresses,
              null,
              folder.resolve("trace").toString(),
              0,
              tls,
              System.nanoTime(),
              plan.parameters(),
              null,
              plan.testing(),
              plan.testing(),
              plan.bug(),
              plan.bugs());
      if (tls != null) {
        Certificates.make(
            Path.of(tls), Stream.concat(addresses.keySet().stream(), Stream.of(CLIENT)).toList());
      }
      Cluster cluster =
          new Cluster(
              folder, config, networks, netem ? "tc netem" : "the transport's shaper", launch);
      cluster.configure(netem ? null : plan.rtt());
      return cluster;
    } catch (IOException | RuntimeException e) {
      if (networks != null) {
        networks.down();
      }
      throw e;
    }
  }

  private void configure(RttTable shaped) throws IOException {
    Path conf = Files.createDirectories(folder.resolve("conf"));
    Files.createDirectories(folder.resolve("out"));
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
          .as(node.id(), data(node.id()).toString(), delayMicros)
          .write(conf.resolve(node.id() + ".yaml"));
    }
    config.write(conf.resolve(CLIENT + ".yaml"));
  }

  /** Starts a node's process; it may not serve yet. */
  public Process launch(String node) throws IOException {
    List<String> command = new ArrayList<>();
    if (networks != null) {
      command.addAll(networks.inside(nodes.get(node).region(), List.of()));
      command.addAll(List.of("setpriv", "--bounding-set", "-sys_time", "--inh-caps", "-sys_time"));
    }
    command.add("setsid");
    Path conf = folder.resolve("conf").resolve(node + ".yaml");
    command.addAll(launch.command(NodeMain.class, conf.toString()));
    return new ProcessBuilder(command)
        .redirectErrorStream(true)
        .redirectOutput(
            ProcessBuilder.Redirect.appendTo(folder.resolve("out").resolve(node + ".log").toFile()))
        .redirectInput(ProcessBuilder.Redirect.from(new java.io.File("/dev/null")))
        .start();
  }

  /**
   * Waits until nodes serve.
   *
   * @throws IOException naming the first that ended or does not answer in time, and its output
   */
  public void await(Map<String, Process> processes) throws IOException {
    long deadline = System.nanoTime() + START_SECONDS * 1_000_000_000;
    for (Map.Entry<String, Process> entry : processes.entrySet()) {
      String id = entry.getKey();
      Path log = folder.resolve("out").resolve(id + ".log");
      while (!serves(id)) {
        if (!entry.getValue().isAlive()) {
          throw new IOException(id + " ended; see " + log);
        } else if (System.nanoTime() > deadline) {
          throw new IOException(id + " does not answer; see " + log);
        }
        pause();
      }
    }
  }

  private boolean serves(String id) {
    try {
      return !AdminPort.health(config.nodes().get(id)).isEmpty();
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

  /** Starts a cluster that outlives this process. */
  public static Cluster up(Plan plan) throws IOException {
    Cluster cluster = prepare(plan);
    Map<String, Process> processes = new TreeMap<>();
    try {
      for (String id : cluster.nodes.keySet()) {
        processes.put(id, cluster.launch(id));
      }
      Map<String, Proc> running = new TreeMap<>();
      processes.forEach((id, p) -> running.put(id, Proc.of(p.pid())));
      State state = new State(plan.protocol(), cluster.delays, cluster.networks, running);
      JSON.writerWithDefaultPrettyPrinter().writeValue(stateFile(cluster.folder).toFile(), state);
      cluster.await(processes);
      return cluster;
    } catch (IOException e) {
      for (Process process : processes.values()) {
        process.destroyForcibly();
      }
      if (cluster.networks != null) {
        cluster.networks.down();
      }
      Files.deleteIfExists(stateFile(cluster.folder));
      throw e;
    }
  }

  private static Path stateFile(Path folder) {
    return folder.resolve("cluster.json");
  }

  /** What runs in a folder, if a cluster was started there. */
  public static Optional<State> state(Path folder) throws IOException {
    Path file = stateFile(folder);
    return Files.exists(file)
        ? Optional.of(JSON.readValue(file.toFile(), State.class))
        : Optional.empty();
  }

  /** Where the nodes of a folder's cluster listen. */
  public static NodeConfig clientConfig(Path folder) {
    return NodeConfig.read(folder.resolve("conf").resolve(CLIENT + ".yaml"));
  }

  /**
   * Ends a folder's cluster: asks its processes to stop, ends those that do not, and takes its
   * networks away. Its files stay. Returns how many processes there were.
   */
  public static int down(Path folder, State state) throws IOException {
    List<ProcessHandle> running = new ArrayList<>();
    for (Proc proc : state.processes().values()) {
      if (proc.alive()) {
        ProcessHandle.of(proc.pid()).ifPresent(running::add);
      }
    }
    running.forEach(ProcessHandle::destroy);
    long deadline = System.nanoTime() + STOP_SECONDS * 1_000_000_000;
    while (running.stream().anyMatch(ProcessHandle::isAlive) && System.nanoTime() < deadline) {
      pause();
    }
    running.forEach(ProcessHandle::destroyForcibly);
    if (state.networks() != null) {
      state.networks().down();
    }
    Files.delete(stateFile(folder));
    return running.size();
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
