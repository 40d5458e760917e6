package dev.plumbline.cluster;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.ArrayList;
import java.util.List;

/** Ports of loopback that were free; all different until this is closed. */
public final class FreePorts implements AutoCloseable {
  private final List<ServerSocket> held = new ArrayList<>();

  /** Another one. */
  public int next() throws IOException {
    ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
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
