package dev.plumbline.attack;

import dev.plumbline.client.Outcome;
import dev.plumbline.client.PlumbClient;
import dev.plumbline.client.Session;
import dev.plumbline.cluster.AdminPort;
import dev.plumbline.cluster.Certificates;
import dev.plumbline.cluster.Cluster;
import dev.plumbline.cluster.MachineLoad;
import dev.plumbline.cluster.Registry;
import dev.plumbline.cluster.RttProfiles;
import dev.plumbline.node.NodeConfig;
import dev.plumbline.sim.MicroOp;
import dev.plumbline.sim.ProtocolSystem;
import dev.plumbline.sim.Protocols;
import dev.plumbline.sim.Transaction;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** A cluster of processes on loopback, with TLS, and a client of it that keeps account. */
final class LiveTarget implements Target, AutoCloseable {
  private static final long FIRST_KEY = 1_000_003;
  private static final int KEYS = 6;
  private static final int PATIENCE = 60;

  private final Path folder;
  private final Cluster cluster;
  private final Cluster.State state;
  private final Registry registry;
  private final PlumbClient client;
  private final Map<Long, List<Long>> written = new TreeMap<>();
  private long next;

  /** Starts a cluster in a folder, which is the cluster's alone. */
  LiveTarget(String protocol, Path folder, Path cache) throws IOException {
    this.folder = folder;
    registry = Registry.here(cache);
    ProtocolSystem system = Protocols.named(protocol);
    Map<String, Long> parameters = system.clusterParameters();
    Cluster.Plan plan =
        new Cluster.Plan(
            protocol,
            parameters,
            null,
            folder,
            cache,
            registry,
            null,
            null,
            RttProfiles.named(
                "lan", protocol, NodeConfig.of(protocol, parameters).topology().network()),
            true,
            false,
            true,
            null,
            null,
            null);
    cluster = Cluster.up(plan);
    state = Cluster.state(folder).orElseThrow();
    Certificates.make(strangers(), List.of(Cluster.CLIENT));
    client = new PlumbClient(cluster.config(), Cluster.CLIENT);
  }

  @Override
  public NodeConfig config() {
    return cluster.config();
  }

  @Override
  public Path strangers() {
    return folder.resolve("strangers");
  }

  @Override
  public List<String> dead() {
    return state.processes().entrySet().stream()
        .filter(process -> !process.getValue().alive())
        .map(Map.Entry::getKey)
        .toList();
  }

  @Override
  public long mostMib() throws IOException {
    long most = 0;
    for (Cluster.Proc process : state.processes().values()) {
      for (String line : Files.readAllLines(Path.of("/proc/" + process.pid() + "/status"))) {
        if (line.startsWith("VmHWM:")) {
          most = Math.max(most, Long.parseLong(line.replaceAll("[^0-9]", "")) / 1024);
        }
      }
    }
    return most;
  }

  @Override
  public long count(String series) throws IOException {
    long sum = 0;
    for (String node : config().nodes().keySet()) {
      sum += count(node, series);
    }
    return sum;
  }

  private long count(String node, String series) throws IOException {
    IOException last = null;
    for (int i = 0; i < 3; i++) {
      try {
        return AdminPort.metrics(config(), node)
            .lines()
            .filter(line -> line.startsWith(series))
            .mapToLong(line -> Long.parseLong(line.substring(line.lastIndexOf(' ') + 1)))
            .sum();
      } catch (IOException e) {
        last = e;
      }
    }
    throw last;
  }

  /** Appends to a list, with a new connection, and reads all that was ever appended. */
  @Override
  public String clientStuck() {
    try (MachineLoad load = MachineLoad.sampled()) {
      String last;
      do {
        long key = FIRST_KEY + next % KEYS;
        long value = ++next;
        try (Session session = client.session((int) next, Duration.ofSeconds(3))) {
          Outcome outcome = session.run(of(MicroOp.append(key, value)));
          if (outcome instanceof Outcome.Committed) {
            written.computeIfAbsent(key, k -> new ArrayList<>()).add(value);
            return missing(session, key, load);
          }
          last = outcome.toString();
        }
      } while (load.patience() <= PATIENCE);
      return "no transaction committed in " + PATIENCE + " s of a processor: " + last;
    }
  }

  private String missing(Session session, long key, MachineLoad load) {
    do {
      if (session.run(of(MicroOp.read(key))) instanceof Outcome.Committed read) {
        List<?> found = (List<?>) read.ops().get(0).value();
        return found != null && found.containsAll(written.get(key))
            ? ""
            : "of " + written.get(key) + " only " + found + " is there";
      }
    } while (load.patience() <= PATIENCE);
    return "no read committed in " + PATIENCE + " s of a processor";
  }

  private static Transaction of(MicroOp op) {
    return new Transaction(Transaction.Kind.READ_WRITE, List.of(op), 0);
  }

  @Override
  public void close() throws IOException {
    client.close();
    Cluster.down(folder, state, registry);
  }
}
