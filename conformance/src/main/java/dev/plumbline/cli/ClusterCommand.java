package dev.plumbline.cli;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.plumbline.check.ToolCommand;
import dev.plumbline.cluster.AdminPort;
import dev.plumbline.cluster.Cluster;
import dev.plumbline.cluster.ClusterPlan;
import dev.plumbline.cluster.ClusterState;
import dev.plumbline.cluster.Networks;
import dev.plumbline.cluster.Registry;
import dev.plumbline.cluster.RttProfiles;
import dev.plumbline.cluster.SqlServers;
import dev.plumbline.node.NodeConfig;
import dev.plumbline.protocol.ProtocolSystem;
import dev.plumbline.protocol.Topology;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code ./plumb cluster}: the processes of one cluster on this machine. */
@Command(
    name = "cluster",
    mixinStandardHelpOptions = true,
    description = {
      "up starts an empty cluster: a region is a network namespace where there is root, else all is"
          + " on loopback, and its nodes share a process as far as they may all be down at once."
          + " status says what runs. down ends the processes that up started, and only these; the"
          + " files stay. sweep takes away what runs left that were ended half-way (processes,"
          + " namespaces, mounts), and clusters all of whose processes are gone.",
      "Links are delayed by tc netem where the kernel has it, else by the transport's own shaper."
    },
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      "0:done; status: every process serves",
      "1:status: some process does not serve",
      "2:bad usage, or nothing (or already something) is up",
      "3:the environment lacks something"
    })
public final class ClusterCommand implements Callable<Integer> {
  private static final ObjectMapper JSON = new ObjectMapper();

  enum Action {
    up,
    status,
    down,
    sweep
  }

  @Spec private CommandSpec spec;

  @Parameters(index = "0", paramLabel = "ACTION", description = "up, status, down, sweep")
  private Action action;

  @Parameters(
      index = "1",
      arity = "0..1",
      paramLabel = "PROTOCOL",
      completionCandidates = ProtocolNames.class,
      description = ProtocolNames.HELP + "; not for sweep")
  private String protocol;

  @Option(
      names = "--nodes",
      paramLabel = "N",
      description = "regions; as many as the protocol's deployment has")
  private Integer regions;

  @Option(
      names = "--profile",
      paramLabel = "NAME",
      description =
          "round trips between regions: PROTOCOL (those of its paper, the default) or lan"
              + " (200 microseconds)")
  private String profile;

  @Option(names = "--set", paramLabel = "NAME=N", description = "protocol parameters")
  private Map<String, Long> parameters = Map.of();

  @Option(
      names = "--deployment",
      paramLabel = "FILE",
      description = "who is where, for a protocol that takes it (docs/node.md)")
  private Path deployment;

  @Option(names = "--loopback", description = "on loopback even where there is root")
  private boolean loopback;

  @Option(
      names = "--network",
      paramLabel = "A.B.C.D/N",
      description = "addresses for the namespaces (a part of a documentation network, unused here)")
  private String network;

  @Option(
      names = "--tls",
      description =
          "TLS on loopback too, for nodes and JDBC servers; elsewhere there is always TLS")
  private boolean tls;

  @Option(
      names = "--no-trace",
      description = "nodes write no logs of their steps for ./plumb trace, which nothing deletes")
  private boolean untraced;

  @Option(names = "--alone", description = "every node is a process of its own")
  private boolean alone;

  @Option(
      names = "--dir",
      paramLabel = "FOLDER",
      description = "where all of it is kept (target/cluster/PROTOCOL of the repository)")
  private Path dir;

  @Option(
      names = "--sql",
      description = "with up: a JDBC server in each region too, for a protocol that has one")
  private boolean sql;

  @Mixin private DatabaseOption databases = new DatabaseOption();

  @Mixin private StoreOption store = new StoreOption();

  @Option(names = "--json", description = "one JSON object instead of text")
  private boolean json;

  @Override
  public Integer call() throws IOException {
    Registry registry = Registry.here(cache());
    if (action == Action.sweep) {
      return sweep(registry);
    } else if (protocol == null) {
      throw new ParameterException(
          spec.commandLine(), "name the protocol: " + String.join(", ", new ProtocolNames()));
    }
    Topology topology = topology();
    Path folder = folder(protocol, dir);
    try {
      if (action == Action.up) {
        registry.sweep(false);
      }
      Optional<ClusterState> state = ClusterState.of(folder);
      if (state.isEmpty()) {
        state = registry.running(folder);
      }
      return switch (action) {
        case up -> up(topology, folder, state, registry);
        case status -> status(folder, present(folder, state));
        case down -> down(folder, present(folder, state), registry);
        case sweep -> throw new IllegalStateException("done above");
      };
    } catch (IllegalArgumentException e) {
      throw new ParameterException(spec.commandLine(), e.getMessage(), e);
    } catch (FileSystemException e) {
      throw e;
    } catch (IOException e) {
      err("plumb: " + e.getMessage());
      return 3;
    }
  }

  /** Where a protocol's cluster is kept. */
  static Path folder(String protocol, Path dir) {
    Path named =
        dir == null
            ? Places.root().resolve("target/cluster").resolve(protocol)
            : Places.fromCaller(dir);
    return named.toAbsolutePath().normalize();
  }

  /** A network's addresses are those of namespaces, and on loopback there are none. */
  static void demandOne(boolean loopback, String network) {
    if (loopback && network != null) {
      throw new IllegalArgumentException(
          "--loopback has no namespaces that --network could give addresses to; leave one out");
    }
  }

  private Topology topology() {
    try {
      Topology topology = NodeConfig.of(protocol, parameters, deployed()).topology();
      RttProfiles.named(profile(), protocol, topology.network());
      Networks.demand(network, topology.regions().size());
      demandOne(loopback, network);
      if (regions != null && regions != topology.regions().size()) {
        throw new IllegalArgumentException(
            "--nodes "
                + regions
                + ": the deployment of "
                + protocol
                + " has "
                + topology.regions().size()
                + " regions");
      }
      return topology;
    } catch (IllegalArgumentException e) {
      throw new ParameterException(spec.commandLine(), e.getMessage(), e);
    }
  }

  private String deployed() {
    return deployment == null ? null : Places.fromCaller(deployment).toString();
  }

  private String profile() {
    return profile == null ? protocol : profile;
  }

  private ClusterState present(Path folder, Optional<ClusterState> state) {
    ClusterState there =
        state.orElseThrow(
            () ->
                new ParameterException(
                    spec.commandLine(), "no cluster is up in " + folder + "; start one with up"));
    String other = there.protocol();
    if (!other.equals(protocol)) {
      throw new ParameterException(
          spec.commandLine(),
          "a cluster of %s, not of %s, is up in %s; name %s, or another --dir"
              .formatted(other, protocol, folder, other));
    }
    return there;
  }

  private static Path cache() {
    return Places.root().toAbsolutePath().resolve(".plumb/node");
  }

  private int sweep(Registry registry) {
    try {
      List<String> swept = registry.sweep(true);
      ObjectNode o = JSON.createObjectNode();
      swept.forEach(o.withArray("swept")::add);
      print(
          o,
          swept.isEmpty()
              ? "nothing was left by a run that has ended"
              : "swept " + String.join(System.lineSeparator() + "swept ", swept));
      return 0;
    } catch (IOException e) {
      err("plumb: " + e.getMessage());
      return 3;
    }
  }

  private int up(Topology topology, Path folder, Optional<ClusterState> before, Registry registry)
      throws IOException {
    if (before.isPresent()) {
      throw new ParameterException(
          spec.commandLine(), "a cluster is up in " + folder + "; end it with down");
    }
    Optional<ProtocolSystem.SqlSide> side =
        sql ? Optional.of(SqlCommand.side("--sql", protocol)) : Optional.empty();
    Map<String, String> given = databases.urls(side.orElse(null), topology.regions());
    long begin = System.nanoTime();
    Map<String, String> urls = new TreeMap<>();
    Cluster cluster =
        Cluster.up(
            new ClusterPlan(
                protocol,
                parameters,
                deployment == null ? null : Places.fromCaller(deployment),
                folder,
                cache(),
                registry,
                !loopback && Networks.available() ? Networks.namespaces(network) : null,
                null,
                RttProfiles.named(profile(), protocol, topology.network()),
                tls,
                alone,
                !untraced,
                false,
                null,
                null,
                store.plan()),
            nodes -> {
              if (side.isPresent()) {
                urls.putAll(
                    new SqlServers(
                            Places.root(),
                            side.get(),
                            nodes,
                            tls ? List.of(SqlServers.TLS + "=" + Cluster.CLIENT) : List.of(),
                            given)
                        .start(topology.regions()));
              }
            });
    double seconds = (System.nanoTime() - begin) / 1e9;
    ObjectNode o = JSON.createObjectNode();
    o.put("protocol", protocol).put("folder", folder.toString()).put("profile", profile());
    o.put("processes", cluster.processes().size())
        .put("nodes", cluster.nodes().size())
        .put("delays", cluster.delays());
    o.put("networks", cluster.networks() == null ? "loopback" : "namespaces");
    o.put("tls", cluster.config().tls() != null).put("seconds", seconds);
    o.put("clientConfig", folder.resolve("conf/client.yaml").toString());
    urls.forEach(o.withObject("/sql")::put);
    StringBuilder served = new StringBuilder();
    urls.forEach((region, url) -> served.append(String.format("%nSQL at %s: %s", region, url)));
    if (sql) {
      served.append(
          String.format("%na shell: %s", shell(protocol, topology.regions().get(0), dir)));
    }
    print(
        o,
        String.format(
                Locale.ROOT,
                "%s: %d nodes in %d processes %s, %s, up in %.1f s%nround trips: %s, by %s%nclients: %s",
                protocol,
                cluster.nodes().size(),
                cluster.processes().size(),
                cluster.networks() == null
                    ? "on loopback"
                    : "in " + topology.regions().size() + " network namespaces",
                cluster.config().tls() == null ? "no TLS" : "mutual TLS",
                seconds,
                profile(),
                cluster.delays(),
                folder.resolve("conf/client.yaml"))
            + served);
    return 0;
  }

  /** The command that opens a shell at a region's server. */
  static String shell(String protocol, String region, Path dir) {
    List<String> words = new ArrayList<>(List.of("sql", protocol, region));
    if (dir != null) {
      words.addAll(List.of("--dir", dir.toString()));
    }
    return ToolCommand.line(words);
  }

  private int status(Path folder, ClusterState state) {
    if (!Files.isDirectory(folder)) {
      return astray(folder, state);
    }
    NodeConfig config = Cluster.clientConfig(folder);
    ObjectNode all = JSON.createObjectNode().put("protocol", state.protocol());
    all.put("delays", state.delays());
    ObjectNode nodes = all.putObject("nodes");
    StringBuilder text =
        new StringBuilder(
            String.format(
                "%-8s %-8s %8s %-9s %6s %s%n",
                "node", "process", "pid", "state", "epoch", "admin port"));
    boolean healthy = true;
    for (Map.Entry<String, List<String>> process : state.nodes().entrySet()) {
      ClusterState.Proc proc = state.processes().get(process.getKey());
      for (String node : process.getValue()) {
        NodeConfig.Address at = config.nodes().get(node);
        boolean alive = proc != null && proc.alive();
        String how = alive ? "silent" : "gone";
        long epoch = 0;
        if (alive) {
          try {
            epoch = AdminPort.health(config, node).path("epoch").asLong();
            how = "serving";
          } catch (IOException e) {
            how = "silent";
          }
        }
        healthy &= how.equals("serving");
        String admin = at.host() + ":" + at.admin();
        nodes
            .putObject(node)
            .put("process", process.getKey())
            .put("pid", proc == null ? 0 : proc.pid())
            .put("state", how)
            .put("epoch", epoch)
            .put("admin", admin);
        text.append(
            String.format(
                "%-8s %-8s %8d %-9s %6d %s%n",
                node, process.getKey(), proc == null ? 0 : proc.pid(), how, epoch, admin));
      }
    }
    for (Map.Entry<String, ClusterState.Proc> process : state.processes().entrySet()) {
      if (!state.nodes().containsKey(process.getKey())) {
        boolean alive = process.getValue().alive();
        healthy &= alive;
        String how = alive ? "running" : "gone";
        long pid = process.getValue().pid();
        all.withObject("/beside").putObject(process.getKey()).put("pid", pid).put("state", how);
        text.append(String.format("%-8s %-8s %8d %-9s%n", "-", process.getKey(), pid, how));
      }
    }
    print(all.put("healthy", healthy), text.toString().stripTrailing());
    return healthy ? 0 : 1;
  }

  /** Nobody can ask its nodes: where they are and who may ask is in the folder. */
  private int astray(Path folder, ClusterState state) {
    long running = state.processes().values().stream().filter(ClusterState.Proc::alive).count();
    ObjectNode o = JSON.createObjectNode().put("protocol", protocol).put("running", running);
    print(
        o.put("healthy", false),
        running + " processes run, and " + folder + " is gone; down ends them");
    return 1;
  }

  private int down(Path folder, ClusterState state, Registry registry) throws IOException {
    int ended = state.down(folder, registry);
    ObjectNode o = JSON.createObjectNode().put("protocol", protocol).put("ended", ended);
    print(
        o,
        ended
            + " processes ended; "
            + (Files.isDirectory(folder) ? "files are left in " + folder : folder + " is gone"));
    return 0;
  }

  private void print(ObjectNode o, String text) {
    PrintWriter out = spec.commandLine().getOut();
    out.println(json ? o.toPrettyString() : text);
    out.flush();
  }

  private void err(String line) {
    spec.commandLine().getErr().println(line);
    spec.commandLine().getErr().flush();
  }
}
