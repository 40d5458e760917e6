package dev.plumbline.cluster;

import dev.plumbline.node.NodeConfig;
import dev.plumbline.node.NodeRuntime;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Runs a whole small cluster in one process for a moment, so that it loads what nodes load. */
final class Rehearsal {
  private static final long MILLIS = 1_500;

  private Rehearsal() {}

  public static void main(String[] args) {
    try {
      rehearse(Files.createTempDirectory(Path.of(args[0]), "rehearsal"));
      System.exit(0);
    } catch (Exception e) {
      e.printStackTrace();
      Runtime.getRuntime().halt(1);
    }
  }

  private static void rehearse(Path folder) throws IOException, InterruptedException {
    NodeConfig config = config("k2", folder);
    Certificates.make(Path.of(config.tls()), config.nodes().keySet());
    List<NodeRuntime> nodes = new ArrayList<>();
    for (String id : config.nodes().keySet()) {
      Path file = folder.resolve(id + ".yaml");
      config.as(id, folder.resolve("data").resolve(id).toString(), Map.of()).write(file);
      NodeRuntime node = new NodeRuntime(NodeConfig.read(file));
      nodes.add(node);
      Thread thread = new Thread(() -> run(node), id);
      thread.setDaemon(true);
      thread.start();
    }
    Thread.sleep(MILLIS);
    nodes.forEach(NodeRuntime::close);
    Cluster.delete(folder);
  }

  private static void run(NodeRuntime node) {
    try {
      node.run();
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
  }

  private static NodeConfig config(String protocol, Path folder) throws IOException {
    NodeConfig empty =
        new NodeConfig(
            protocol, null, null, null, null, 0, null, null, null, null, false, false, null, null);
    Map<String, NodeConfig.Address> nodes = new LinkedHashMap<>();
    try (FreePorts ports = new FreePorts()) {
      for (var owner : NodeConfig.owners(empty.topology()).values()) {
        nodes.put(owner.id(), new NodeConfig.Address("127.0.0.1", ports.next(), ports.next()));
      }
    }
    return new NodeConfig(
        protocol,
        null,
        nodes,
        null,
        folder.resolve("trace").toString(),
        0,
        folder.resolve("tls").toString(),
        System.nanoTime(),
        null,
        null,
        true,
        false,
        null,
        null);
  }
}
