package dev.plumbline.node;

import java.util.Map;
import java.util.concurrent.DelayQueue;
import java.util.concurrent.Delayed;
import java.util.concurrent.TimeUnit;

/** Holds frames back as the links to their receivers are said to. */
final class Shaper implements AutoCloseable {
  private static final int QUEUE = 100_000;

  private record Due(Link link, Frame frame, long since, long nanos) implements Delayed {
    @Override
    public long getDelay(TimeUnit unit) {
      return unit.convert(nanos - System.nanoTime(), TimeUnit.NANOSECONDS);
    }

    @Override
    public int compareTo(Delayed other) {
      return Long.compare(nanos - ((Due) other).nanos, 0);
    }
  }

  private final DelayQueue<Due> queue = new DelayQueue<>();
  private final Map<String, Long> delayMicros;
  private final Metrics metrics;
  private final Thread thread;
  private volatile long slowMicros;

  /**
   * @param delayMicros what is added before sending to a node; nothing for nodes not named
   */
  Shaper(Map<String, Long> delayMicros, Metrics metrics) {
    this.delayMicros = Map.copyOf(delayMicros);
    this.metrics = metrics;
    metrics.gauge("plumb_queue_length{queue=\"shaper\"}", queue::size);
    thread = new Thread(this::work, "shaper");
    thread.setDaemon(true);
    thread.start();
  }

  /** Makes every link slower by this much. */
  void slow(long micros) {
    slowMicros = micros;
  }

  void send(String to, Link link, Frame frame) {
    long now = System.nanoTime();
    long nanos = (delayMicros.getOrDefault(to, 0L) + slowMicros) * 1000;
    if (nanos == 0) {
      link.send(frame, now);
    } else if (queue.size() >= QUEUE) {
      metrics.counter("plumb_dropped_total", "queue", "shaper").increment();
    } else {
      queue.add(new Due(link, frame, now, now + nanos));
    }
  }

  private void work() {
    try {
      while (true) {
        Due due = queue.take();
        due.link.send(due.frame, due.since);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  @Override
  public void close() {
    thread.interrupt();
  }
}
