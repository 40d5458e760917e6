package dev.plumbline.metric.sql.bench;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Arrays;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/**
 * A port of loopback that leads to another one. What is sent either way arrives so much later, in
 * its order.
 */
final class SlowLink implements AutoCloseable {
  private static final int CHUNK = 16_384;

  /** More than this waits at its sender. */
  private static final int CHUNKS_UNDER_WAY = 1_000;

  private final ServerSocket listening;
  private final int to;
  private final long delayNanos;

  /** Bytes that are due at a time of {@link System#nanoTime}; none are the end. */
  private record Chunk(long due, byte[] bytes) {}

  /**
   * @param to the port at the other end
   * @param delayMicros one way
   */
  SlowLink(int to, long delayMicros) throws IOException {
    this.to = to;
    this.delayNanos = TimeUnit.MICROSECONDS.toNanos(delayMicros);
    listening = new ServerSocket(0, 0, InetAddress.getLoopbackAddress());
    thread("accept", this::accept);
  }

  int port() {
    return listening.getLocalPort();
  }

  private static void thread(String name, Runnable does) {
    Thread thread = new Thread(does, "slow-link-" + name);
    thread.setDaemon(true);
    thread.start();
  }

  private void accept() {
    try {
      while (true) {
        Socket near = listening.accept();
        Socket far = new Socket(InetAddress.getLoopbackAddress(), to);
        lead(near, far);
        lead(far, near);
      }
    } catch (IOException e) {
      // Closed, or nobody is at the other end: who comes is told so by the missing answer.
      close();
    }
  }

  private void lead(Socket from, Socket into) throws IOException {
    from.setTcpNoDelay(true);
    BlockingQueue<Chunk> underWay = new LinkedBlockingQueue<>(CHUNKS_UNDER_WAY);
    thread("read", () -> read(from, underWay));
    thread("write", () -> write(underWay, into));
  }

  private void read(Socket from, BlockingQueue<Chunk> underWay) {
    byte[] buffer = new byte[CHUNK];
    int length = 0;
    try {
      while (length >= 0) {
        try {
          InputStream in = from.getInputStream();
          length = in.read(buffer);
        } catch (IOException e) {
          // Its end is told as any other.
          length = -1;
        }
        underWay.put(
            new Chunk(System.nanoTime() + delayNanos, Arrays.copyOf(buffer, Math.max(0, length))));
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private static void write(BlockingQueue<Chunk> underWay, Socket into) {
    try (into) {
      OutputStream out = into.getOutputStream();
      for (Chunk c = underWay.take(); c.bytes().length > 0; c = underWay.take()) {
        TimeUnit.NANOSECONDS.sleep(c.due() - System.nanoTime());
        out.write(c.bytes());
      }
    } catch (IOException e) {
      // The other end is gone; its reader says so to the near one.
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  @Override
  public void close() {
    try {
      listening.close();
    } catch (IOException e) {
      // It takes nobody any more either way.
    }
  }
}
