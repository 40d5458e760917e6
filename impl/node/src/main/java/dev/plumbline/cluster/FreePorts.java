package dev.plumbline.cluster;

import dev.plumbline.node.NodeConfig;
import java.io.IOException;
import java.net.BindException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Ports of loopback that were free; all different until this is closed. They lie below those that
 * the system gives to outgoing connections, one of which could take a port again before it is used.
 */
public final class FreePorts implements AutoCloseable {
  private static final int FIRST = 23_000;
  private static final int LAST = 32_000;
  private static final int ATTEMPTS = 100;

  private final List<ServerSocket> held = new ArrayList<>();

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
    BindException taken = null;
    for (int i = 0; i < ATTEMPTS; i++) {
      int port = ThreadLocalRandom.current().nextInt(FIRST, LAST);
      try {
        held.add(new ServerSocket(port, 1, InetAddress.getLoopbackAddress()));
        return port;
      } catch (BindException e) {
        taken = e;
      }
    }
    throw taken;
  }

  @Override
  public void close() throws IOException {
    for (ServerSocket socket : held) {
      socket.close();
    }
  }
}
