package dev.plumbline.cluster;

import dev.plumbline.node.Host;
import dev.plumbline.node.NodeConfig;
import dev.plumbline.protocol.ProtocolSystem;
import dev.plumbline.protocol.Protocols;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * Runs a whole cluster of each protocol in one process for a moment, so that it loads what nodes
 * load.
 */
final class Rehearsal {
  private static final String ALL = "all.yaml";
  private static final long MILLIS = 1_500;

  private Rehearsal() {}

  public static void main(String[] args) {
    try {
      rehearse(Path.of(args[0]));
      System.exit(0);
    } catch (Exception e) {
      e.printStackTrace();
      Runtime.getRuntime().halt(1);
    }
  }

  private static void rehearse(Path folder) throws IOException, InterruptedException {
    for (ProtocolSystem protocol : Protocols.all()) {
      rehearseOne(folder.resolve(protocol.name()));
    }
  }

  private static void rehearseOne(Path folder) throws IOException, InterruptedException {
    List<NodeConfig> nodes = new ArrayList<>();
    for (String id : NodeConfig.read(folder.resolve(ALL)).nodes().keySet()) {
      nodes.add(NodeConfig.read(folder.resolve(id + ".yaml")));
    }
    // Two processes' worth, so that there are messages on connections and inside.
    int half = nodes.size() / 2;
    try (Host one = new Host(nodes.subList(0, half));
        Host other = new Host(nodes.subList(half, nodes.size()))) {
      for (Host host : List.of(one, other)) {
        Thread thread = new Thread(() -> run(host));
        thread.setDaemon(true);
        thread.start();
      }
      Thread.sleep(MILLIS);
    }
  }

  /**
   * Writes the configurations of every protocol's cluster, each in a folder of its own; their
   * certificates are still missing.
   */
  static List<NodeConfig> prepare(Path folder) throws IOException {
    List<NodeConfig> all = new ArrayList<>();
    for (ProtocolSystem protocol : Protocols.all()) {
      all.add(
          prepareOne(protocol.name(), Files.createDirectories(folder.resolve(protocol.name()))));
    }
    return all;
  }

  private static NodeConfig prepareOne(String protocol, Path folder) throws IOException {
    NodeConfig config = FreePorts.config(protocol, null, folder, folder.resolve("tls"));
    config.write(folder.resolve(ALL));
    for (String id : config.nodes().keySet()) {
      config
          .as(id, folder.resolve("data").resolve(id).toString(), Map.of())
          .write(folder.resolve(id + ".yaml"));
    }
    return config;
  }

  private static void run(Host host) {
    try {
      host.run();
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
  }
}
