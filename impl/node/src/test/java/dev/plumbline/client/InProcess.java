package dev.plumbline.client;

import dev.plumbline.cluster.Certificates;
import dev.plumbline.cluster.FreePorts;
import dev.plumbline.node.Host;
import dev.plumbline.node.NodeConfig;
import java.io.IOException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
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
    NodeConfig bare = config(protocol, null, parameters, null);
    Map<String, NodeConfig.Address> addresses = new LinkedHashMap<>();
    try (FreePorts ports = new FreePorts()) {
      for (var owner : NodeConfig.owners(bare.topology()).values()) {
        addresses.put(owner.id(), new NodeConfig.Address("127.0.0.1", ports.next(), ports.next()));
      }
    }
    Path certificates = folder.resolve("tls");
    if (tls) {
      Certificates.make(
          certificates, Stream.concat(addresses.keySet().stream(), Stream.of("client")).toList());
    }
    config = config(protocol, addresses, parameters, tls ? certificates.toString() : null);
    for (String id : addresses.keySet()) {
      start(id);
    }
  }

  private NodeConfig config(
      String protocol,
      Map<String, NodeConfig.Address> addresses,
      Map<String, Long> parameters,
      String tls) {
    return new NodeConfig(
        protocol,
        null,
        addresses,
        null,
        folder.resolve("trace").toString(),
        0,
        tls,
        System.nanoTime(),
        parameters,
        null,
        true,
        false,
        null,
        null);
  }

  NodeConfig config() {
    return config;
  }

  private void start(String id) throws IOException {
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

  void restart(String id) throws IOException {
    nodes.get(id).close();
    start(id);
  }

  @Override
  public void close() {
    nodes.values().forEach(Host::close);
  }
}
