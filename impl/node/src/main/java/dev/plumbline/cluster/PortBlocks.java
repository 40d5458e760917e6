package dev.plumbline.cluster;

import java.io.IOException;
import java.net.BindException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Blocks of loopback's ports that one process has for itself: it listens at the first port of each
 * as long as it lives. They lie below those that the system gives to outgoing connections.
 */
final class PortBlocks {
  private static final int FIRST = 23_000;
  private static final int BLOCKS = 90;
  private static final int SIZE = 100;

  /** From then on ports are drawn again that were drawn before, if they are free. */
  private static final int MOST = 12;

  private final List<ServerSocket> guards = new ArrayList<>();
  private int drawn;

  /** A free port, held until the socket is closed. */
  synchronized ServerSocket next() throws IOException {
    for (int tries = 0; tries < MOST * SIZE; tries++) {
      int block = drawn / (SIZE - 1);
      if (block == guards.size()) {
        if (block == MOST) {
          drawn = 0;
          block = 0;
        } else {
          guards.add(guard());
        }
      }
      int port = guards.get(block).getLocalPort() + 1 + drawn % (SIZE - 1);
      drawn++;
      try {
        return listening(port);
      } catch (BindException e) {
        // In use: by a node of ours, or by a stranger.
        continue;
      }
    }
    throw new BindException("no port of loopback is free from " + FIRST + " on");
  }

  /** Whoever listens at its first port has a block. */
  private static ServerSocket guard() throws IOException {
    int begin = ThreadLocalRandom.current().nextInt(BLOCKS);
    BindException taken = null;
    for (int i = 0; i < BLOCKS; i++) {
      try {
        return listening(FIRST + (begin + i) % BLOCKS * SIZE);
      } catch (BindException e) {
        taken = e;
      }
    }
    throw taken;
  }

  private static ServerSocket listening(int port) throws IOException {
    return new ServerSocket(port, 1, InetAddress.getLoopbackAddress());
  }
}
