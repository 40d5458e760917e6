package dev.plumbline.metric.sql.node;

import dev.plumbline.cluster.Cluster;
import dev.plumbline.cluster.ClusterPlan;
import dev.plumbline.cluster.ClusterState;
import dev.plumbline.cluster.Registry;
import dev.plumbline.cluster.RttProfiles;
import dev.plumbline.cluster.SqlServers;
import dev.plumbline.protocol.ProtocolSystem;
import dev.plumbline.protocol.Protocols;
import dev.plumbline.protocol.Settings;
import java.io.IOException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;

/** A cluster of processes on loopback, whose regions serve SQL. */
public final class TestCluster implements AutoCloseable {
  static final String PROTOCOL = "metric";

  private final Registry registry;
  private final Cluster cluster;
  private final SqlServers servers;
  private boolean down;

  /**
   * @param options what each server is told beyond where it is
   * @param databases JDBC URLs of databases that run already, by region
   */
  public TestCluster(Path folder, List<String> options, Map<String, String> databases)
      throws IOException {
    ProtocolSystem system = Protocols.named(PROTOCOL);
    Map<String, Long> parameters = new HashMap<>(system.processParameters());
    parameters.putAll(
        Map.of("leaseMicros", 500_000L, "heartbeatMicros", 100_000L, "patienceMicros", 1_000_000L));
    registry = new Registry(folder.resolve("registry"));
    cluster =
        Cluster.up(
            ClusterPlan.onLoopback(
                PROTOCOL,
                parameters,
                folder.resolve("cluster"),
                Path.of("target/node").toAbsolutePath(),
                registry,
                RttProfiles.named(
                    "lan",
                    PROTOCOL,
                    system
                        .topology(
                            new Settings(
                                system.clockBounds(), new TreeSet<>(), new TreeMap<>(parameters)))
                        .network())));
    servers =
        new SqlServers(Path.of(".."), system.sqlSide().orElseThrow(), cluster, options, databases);
  }

  Path folder() {
    return cluster.folder();
  }

  SqlServers servers() {
    return servers;
  }

  /** Starts the servers of some regions; returns each one's JDBC URL. */
  public Map<String, String> serve(List<String> regions) throws IOException {
    return servers.start(regions);
  }

  ClusterState state() throws IOException {
    return ClusterState.of(cluster.folder()).orElseThrow();
  }

  @Override
  public void close() throws IOException {
    if (!down) {
      down = true;
      state().down(cluster.folder(), registry);
    }
  }
}
