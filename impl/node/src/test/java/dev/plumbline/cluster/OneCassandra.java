package dev.plumbline.cluster;

import dev.plumbline.node.NodeConfig;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** A Cassandra of a test's own. */
public final class OneCassandra implements AutoCloseable {
  private static final Path ROOT = Path.of("../..").toAbsolutePath().normalize();

  private final Path folder;
  private final int clients;
  private final int storage;
  private final Path output;
  private Process process;

  /** Starts it; returns once it serves. */
  public OneCassandra(Path folder) throws IOException {
    this.folder = folder;
    output = Files.createDirectories(folder).resolve("out.log");
    try (FreePorts ports = new FreePorts()) {
      clients = ports.next();
      storage = ports.next();
    }
    start();
  }

  private void start() throws IOException {
    Files.deleteIfExists(output);
    process =
        new ProcessBuilder(
                CassandraServers.command(
                    CassandraServers.classPath(ROOT), folder, clients, storage))
            .redirectErrorStream(true)
            .redirectOutput(output.toFile())
            .start();
    CassandraServers.await(process, output);
  }

  /** SIGKILL, and another process on the same files. */
  public void killAndStart() throws IOException, InterruptedException {
    process.destroyForcibly().waitFor();
    start();
  }

  public NodeConfig.Cassandra keyspace(String name, String cluster, int replicas) {
    return new NodeConfig.Cassandra(
        List.of(CassandraServers.address(clients)), name, cluster, replicas);
  }

  @Override
  public void close() throws InterruptedException {
    process.destroy();
    if (!process.waitFor(20, TimeUnit.SECONDS)) {
      process.destroyForcibly().waitFor();
    }
  }
}
