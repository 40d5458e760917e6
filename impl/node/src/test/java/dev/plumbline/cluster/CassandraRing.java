package dev.plumbline.cluster;

import dev.plumbline.node.CassandraStore;
import dev.plumbline.node.NodeConfig;
import java.io.IOException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Three Cassandras of a test's own, which are one ring. */
public final class CassandraRing implements AutoCloseable {
  public static final List<String> REGIONS = List.of("S1", "S2", "S3");

  private static final String CLUSTER = "test";

  private final Map<String, CassandraProcess> processes = new LinkedHashMap<>();

  /** Starts them at once; returns once they serve and the keyspace is there. */
  public CassandraRing(Path folder) throws IOException {
    Map<String, CassandraServers.Place> places = new LinkedHashMap<>();
    try (FreePorts ports = new FreePorts()) {
      for (String region : REGIONS) {
        places.put(region, new CassandraServers.Place("127.0.0.1", ports.next(), ports.next()));
      }
    }
    for (Map.Entry<String, CassandraServers.Member> each :
        CassandraServers.ring("test", places).entrySet()) {
      processes.put(
          each.getKey(), new CassandraProcess(folder.resolve(each.getKey()), each.getValue()));
    }
    for (CassandraProcess process : processes.values()) {
      process.start();
    }
    for (CassandraProcess process : processes.values()) {
      process.await();
    }
    CassandraStore.prepare(near(REGIONS.get(0)), REGIONS.size());
  }

  /** What a node of a region is told. */
  public NodeConfig.Cassandra near(String region) {
    Map<String, String> addresses = new LinkedHashMap<>();
    processes.forEach((name, process) -> addresses.put(name, process.address()));
    return StorePlan.ring(addresses, region, CLUSTER);
  }

  /** SIGKILL. */
  public void kill(String region) throws InterruptedException {
    processes.get(region).kill();
  }

  /** Starts one again, on its files; returns once it serves. */
  public void start(String region) throws IOException {
    processes.get(region).start();
    processes.get(region).await();
  }

  @Override
  public void close() throws InterruptedException {
    for (CassandraProcess process : processes.values()) {
      process.close();
    }
  }
}
