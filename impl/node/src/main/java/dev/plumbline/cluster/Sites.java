package dev.plumbline.cluster;

import dev.plumbline.protocol.NodeSpec;
import dev.plumbline.protocol.ProtocolSystem;
import java.io.IOException;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/** The SQL servers of a cluster that is damaged, with their databases and clients. */
final class Sites {
  private final SqlServers servers;
  private final SqlNumbers.Access access;
  private final Path folder;
  private final List<String> regions;
  private final Map<String, Process> running = new TreeMap<>();
  private final Map<String, String> urls = new TreeMap<>();
  private final Set<String> killed = new HashSet<>();

  private Sites(SqlServers servers, SqlNumbers.Access access, Path folder, List<String> regions) {
    this.servers = servers;
    this.access = access;
    this.folder = folder;
    this.regions = regions;
  }

  /** Starts one in each region, and makes the tables. */
  static Sites start(Path root, ProtocolSystem.SqlSide side, Cluster cluster) throws IOException {
    Sites sites =
        new Sites(
            new SqlServers(root, side, cluster, side.suite(), Map.of()),
            SqlNumbers.Access.of(root, side),
            cluster.folder(),
            cluster.nodes().values().stream().map(NodeSpec::region).distinct().sorted().toList());
    for (String region : sites.regions) {
      sites.running.put(region, sites.servers.launch(region));
    }
    for (String region : sites.regions) {
      sites.urls.put(region, sites.servers.await(region, sites.running.get(region)));
    }
    try {
      sites.access.make(sites.urls.get(sites.regions.get(0)));
    } catch (SQLException e) {
      throw new IOException("the tables cannot be made: " + e.getMessage(), e);
    }
    return sites;
  }

  List<String> regions() {
    return regions;
  }

  /** Clients that write at one region and read at the next. */
  Acknowledged clients(String protocol) {
    return new Acknowledged(
        protocol,
        (number, numbers) -> new SqlNumbers(access, url(number), url(number + 1), numbers));
  }

  private String url(int number) {
    return urls.get(regions.get(number % regions.size()));
  }

  /** Ends a server, or a database, on the spot. */
  void kill(String process) throws IOException, InterruptedException {
    for (String region : regions) {
      if (process.equals(SqlServers.process(region))) {
        killed.add(region);
        running.get(region).destroyForcibly().waitFor();
      } else if (process.equals(SqlServers.database(region))) {
        killed.add(region);
        ProcessHandle.of(SqlServers.databasePid(folder, region))
            .ifPresent(ProcessHandle::destroyForcibly);
      }
    }
  }

  /**
   * Starts the servers again that were killed, or whose databases were.
   *
   * @param wrong is told those that ended by themselves, or do not serve
   */
  void restart(List<String> wrong) throws IOException, InterruptedException {
    List<String> gone = new ArrayList<>();
    for (String region : regions) {
      boolean alive = running.get(region).isAlive();
      if (!alive && !killed.contains(region)) {
        wrong.add(SqlServers.process(region) + " ended by itself");
      }
      if (!alive || killed.contains(region)) {
        running.get(region).destroyForcibly().waitFor();
        gone.add(region);
      }
    }
    killed.clear();
    for (String region : gone) {
      running.put(region, servers.launch(region));
    }
    for (String region : gone) {
      try {
        servers.await(region, running.get(region));
      } catch (IOException e) {
        wrong.add(e.getMessage());
      }
    }
  }
}
