package dev.plumbline.rig;

import java.io.BufferedOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.TimeUnit;

/**
 * Sends to one node, in order, no earlier than the link's delay. What a broken connection or a full
 * queue swallows is lost, as the machines expect of a network.
 */
final class RigLink {
  private static final int QUEUE = 20_000;
  private static final int CONNECT_MILLIS = 1_000;
  private static final long LONGEST_PAUSE_MILLIS = 500;

  private record Due(long queued, long nanos, byte[] frame) {}

  private final ArrayBlockingQueue<Due> queue = new ArrayBlockingQueue<>(QUEUE);
  private final RigConfig.Address to;
  private final long delayNanos;
  private volatile long slowNanos;
  private volatile long lastDelayNanos;
  private Socket socket;
  private DataOutputStream out;

  RigLink(String from, RigConfig.Address to, long delayMicros) {
    this.to = to;
    this.delayNanos = delayMicros * 1000;
    Thread sender = new Thread(this::work, from + " to " + to.port());
    sender.setDaemon(true);
    sender.start();
  }

  void slow(long micros) {
    slowNanos = micros * 1000;
  }

  /** How long the frame written last had waited, microseconds. */
  long lastDelayMicros() {
    return lastDelayNanos / 1000;
  }

  void send(byte[] frame) {
    long now = System.nanoTime();
    Due due = new Due(now, now + delayNanos + slowNanos, frame);
    if (!queue.offer(due)) {
      queue.poll();
      queue.offer(due);
    }
  }

  private void work() {
    long pause = 10;
    try {
      while (true) {
        Due next = queue.take();
        long wait = next.nanos - System.nanoTime();
        if (wait > 0) {
          TimeUnit.NANOSECONDS.sleep(wait);
        }
        try {
          if (socket == null) {
            connect();
          }
          Wire.write(out, next.frame);
          lastDelayNanos = System.nanoTime() - next.queued;
          pause = 10;
        } catch (IOException e) {
          disconnect();
          TimeUnit.MILLISECONDS.sleep(pause);
          pause = Math.min(LONGEST_PAUSE_MILLIS, pause * 2);
        }
      }
    } catch (InterruptedException e) {
      disconnect();
    }
  }

  private void connect() throws IOException {
    Socket fresh = new Socket();
    fresh.setTcpNoDelay(true);
    fresh.connect(new InetSocketAddress(to.host(), to.port()), CONNECT_MILLIS);
    socket = fresh;
    out = new DataOutputStream(new BufferedOutputStream(fresh.getOutputStream()));
  }

  private void disconnect() {
    try (Socket closing = socket) {
      socket = null;
    } catch (IOException e) {
      socket = null;
    }
  }
}
