package dev.plumbline.attack;

import dev.plumbline.client.Outcome;
import dev.plumbline.client.PlumbClient;
import dev.plumbline.client.Session;
import dev.plumbline.cluster.AdminPort;
import dev.plumbline.cluster.Certificates;
import dev.plumbline.cluster.Cluster;
import dev.plumbline.cluster.ClusterPlan;
import dev.plumbline.cluster.ClusterState;
import dev.plumbline.cluster.KeptNumbers;
import dev.plumbline.cluster.MachineLoad;
import dev.plumbline.cluster.Registry;
import dev.plumbline.cluster.RttProfiles;
import dev.plumbline.cluster.StorePlan;
import dev.plumbline.node.NodeConfig;
import dev.plumbline.protocol.ProtocolSystem;
import dev.plumbline.protocol.Protocols;
import dev.plumbline.protocol.Transaction;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/** A cluster of processes on loopback, with TLS, and a client of it that keeps account. */
final class LiveTarget implements Target, AutoCloseable {
  private static final long FIRST_KEY = 1_000_003;
  private static final int KEYS = 6;

  /** How many numbers are asked for again. */
  private static final int LATEST = 20;

  private static final int PATIENCE = 60;

  private final Path folder;
  private final Cluster cluster;
  private final ClusterState state;
  private final Registry registry;
  private final ProtocolSystem system;
  private final PlumbClient client;
  private final KeptNumbers numbers;
  private final Map<Integer, List<Long>> written = new TreeMap<>();
  private long next;

  /** Starts a cluster in a folder, which is the cluster's alone. */
  LiveTarget(String protocol, Path folder, Path cache, StorePlan store) throws IOException {
    this.folder = folder;
    numbers = new KeptNumbers(protocol, KEYS);
    registry = Registry.here(cache);
    system = Protocols.named(protocol);
    Map<String, Long> parameters = system.clusterParameters();
    ClusterPlan plan =
        ClusterPlan.onLoopback(
                protocol,
                parameters,
                folder,
                cache,
                registry,
                RttProfiles.named(
                    "lan", protocol, NodeConfig.of(protocol, parameters).topology().network()))
            .withTls()
            .withStore(store);
    cluster = Cluster.up(plan);
    state = ClusterState.of(folder).orElseThrow();
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
    for (String name : cluster.processes().keySet()) {
      long pid = state.processes().get(name).pid();
      for (String line : Files.readAllLines(Path.of("/proc/" + pid + "/status"))) {
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

  /** Writes a number, with a new connection, and reads the latest that were written there. */
  @Override
  public String clientStuck() {
    try (MachineLoad load = MachineLoad.sampled()) {
      String last;
      do {
        long number = ++next;
        int place = (int) (number % KEYS);
        try (Session session = client.session(place, Duration.ofSeconds(3))) {
          Outcome outcome = session.run(numbers.write(FIRST_KEY, number));
          if (outcome instanceof Outcome.Committed) {
            List<Long> here = written.computeIfAbsent(place, p -> new ArrayList<>());
            here.add(number);
            String missing =
                missing(
                    session, here.subList(Math.max(0, here.size() - LATEST), here.size()), load);
            return missing.isEmpty() ? missingElsewhere(session, number) : missing;
          }
          last = outcome.toString();
        }
      } while (load.patience() <= PATIENCE);
      return "no transaction committed in " + PATIENCE + " s of a processor: " + last;
    }
  }

  /** Where replicas converge, whatever is written comes to each of them. */
  private String missingElsewhere(Session session, long number) {
    if (!system.model().ofOperations()) {
      return "";
    }
    List<Long> key = List.of(FIRST_KEY + numbers.key(number));
    for (Transaction read : system.lastReads(key, cluster.config().settings())) {
      try {
        if (!MachineLoad.within(
            PATIENCE,
            () ->
                session.run(read) instanceof Outcome.Committed found
                    && KeptNumbers.holds(found.ops().get(0).value(), number))) {
          return number + " is not at every replica in " + PATIENCE + " s of a processor";
        }
      } catch (IOException e) {
        return e.toString();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        return "interrupted";
      }
    }
    return "";
  }

  private String missing(Session session, List<Long> latest, MachineLoad load) {
    Map<Long, Set<Long>> keys = new TreeMap<>();
    latest.forEach(n -> keys.computeIfAbsent(numbers.key(n), k -> new LinkedHashSet<>()).add(n));
    for (Map.Entry<Long, Set<Long>> key : keys.entrySet()) {
      Outcome outcome;
      do {
        outcome = session.run(KeptNumbers.read(FIRST_KEY + key.getKey()));
        if (load.patience() > PATIENCE) {
          return "no read committed in " + PATIENCE + " s of a processor";
        }
      } while (!(outcome instanceof Outcome.Committed));
      Object found = ((Outcome.Committed) outcome).ops().get(0).value();
      if (!key.getValue().stream().allMatch(n -> KeptNumbers.holds(found, n))) {
        return "of " + key.getValue() + " only " + found + " is there";
      }
    }
    return "";
  }

  @Override
  public void close() throws IOException {
    client.close();
    state.down(folder, registry);
  }
}
