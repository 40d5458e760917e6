package dev.plumbline.client;

import dev.plumbline.cluster.Certificates;
import dev.plumbline.cluster.FreePorts;
import dev.plumbline.node.Host;
import dev.plumbline.node.NodeConfig;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;

/** A protocol with all its roles in this process, on loopback. */
final class InProcess implements AutoCloseable {
  private final Map<String, Host> nodes = new TreeMap<>();
  private final Path folder;
  private final NodeConfig config;

  InProcess(Path folder, String protocol, Map<String, Long> parameters, boolean tls)
      throws IOException {
    this.folder = folder;
    Path certificates = folder.resolve("tls");
    config = FreePorts.config(protocol, parameters, folder, tls ? certificates : null);
    if (tls) {
      Certificates.make(
          certificates,
          Stream.concat(config.nodes().keySet().stream(), Stream.of("client")).toList());
    }
    for (String id : config.nodes().keySet()) {
      start(id);
    }
  }

  NodeConfig config() {
    return config;
  }

  void start(String id) throws IOException {
    Host node =
        new Host(List.of(config.as(id, folder.resolve("data").resolve(id).toString(), Map.of())));
    nodes.put(id, node);
    Thread thread =
        new Thread(
            () -> {
              try {
                node.run();
              } catch (IOException e) {
                throw new IllegalStateException(e);
              }
            },
            id);
    thread.setDaemon(true);
    thread.start();
  }

  void stop(String id) {
    nodes.remove(id).close();
  }

  void restart(String id) throws IOException {
    stop(id);
    start(id);
  }

  @Override
  public void close() {
    nodes.values().forEach(Host::close);
  }
}
