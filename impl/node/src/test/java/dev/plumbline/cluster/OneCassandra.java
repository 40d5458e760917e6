package dev.plumbline.cluster;

import dev.plumbline.node.NodeConfig;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/** A Cassandra of a test's own. */
public final class OneCassandra implements AutoCloseable {
  private final CassandraProcess process;

  /** Starts it; returns once it serves. */
  public OneCassandra(Path folder) throws IOException {
    try (FreePorts ports = new FreePorts()) {
      process =
          new CassandraProcess(folder, CassandraServers.Member.alone(ports.next(), ports.next()));
    }
    process.start();
    process.await();
  }

  /** SIGKILL, and another process on the same files. */
  public void killAndStart() throws IOException, InterruptedException {
    process.kill();
    process.start();
    process.await();
  }

  public NodeConfig.Cassandra keyspace(String name, String cluster, int replicas) {
    return new NodeConfig.Cassandra(List.of(process.address()), name, cluster, replicas, null);
  }

  @Override
  public void close() throws InterruptedException {
    process.close();
  }
}
