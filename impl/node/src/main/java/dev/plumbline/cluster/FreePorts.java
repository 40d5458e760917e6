package dev.plumbline.cluster;

import dev.plumbline.node.NodeConfig;
import java.io.IOException;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Ports of loopback that were free; all different until this is closed. No other process that draws
 * ports gets one of them, as long as this one lives: a node may start late, or again.
 */
public final class FreePorts implements AutoCloseable {
  private static final PortBlocks OURS = new PortBlocks();

  private final PortBlocks blocks;
  private final List<ServerSocket> held = new ArrayList<>();

  /** Ports for this process and those that it starts. */
  public FreePorts() {
    this(OURS);
  }

  FreePorts(PortBlocks blocks) {
    this.blocks = blocks;
  }

  /**
   * A configuration for all nodes of a protocol, at such ports, with the trace in a folder.
   *
   * @param tls folder of the certificates, null for plain connections
   */
  public static NodeConfig config(
      String protocol, Map<String, Long> parameters, Path folder, Path tls) throws IOException {
    Map<String, NodeConfig.Address> nodes = new LinkedHashMap<>();
    try (FreePorts ports = new FreePorts()) {
      for (var owner : NodeConfig.owners(NodeConfig.of(protocol, parameters).topology()).values()) {
        nodes.put(owner.id(), new NodeConfig.Address("127.0.0.1", ports.next(), ports.next()));
      }
    }
    Path token = folder.resolve("faults.token");
    Certificates.token(token);
    return new NodeConfig(
        protocol,
        null,
        nodes,
        null,
        folder.resolve("trace").toString(),
        0,
        tls == null ? null : tls.toString(),
        System.nanoTime(),
        null,
        parameters,
        null,
        null,
        0,
        null,
        token.toString(),
        false,
        null,
        null,
        null,
        null);
  }

  /** Another one. */
  public int next() throws IOException {
    ServerSocket socket = blocks.next();
    held.add(socket);
    return socket.getLocalPort();
  }

  @Override
  public void close() throws IOException {
    for (ServerSocket socket : held) {
      socket.close();
    }
  }
}
