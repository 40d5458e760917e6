package dev.plumbline.node;

import java.util.Map;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/** Holds messages back as the links to their receivers are said to. */
// What is scheduled cannot fail, and is never waited for.
@SuppressWarnings("FutureReturnValueIgnored")
final class Shaper {
  private static final int QUEUE = 100_000;

  private final Map<String, Long> delayMicros;
  private final ScheduledExecutorService loop;
  private final Metrics metrics;
  private final AtomicInteger waiting = new AtomicInteger();
  private volatile long slowMicros;

  /**
   * @param delayMicros what is added before sending to a node; nothing for nodes not named
   * @param loop hands over what has waited
   */
  Shaper(Map<String, Long> delayMicros, ScheduledExecutorService loop, Metrics metrics) {
    this.delayMicros = Map.copyOf(delayMicros);
    this.loop = loop;
    this.metrics = metrics;
    metrics.gauge("plumb_queue_length{queue=\"shaper\"}", waiting::get);
  }

  /** Makes every link slower by this much. */
  void slow(long micros) {
    slowMicros = micros;
  }

  /** Hands over now, or once the link's delay is over. */
  void send(String to, Runnable handOver) {
    long micros = delayMicros.getOrDefault(to, 0L) + slowMicros;
    if (micros == 0) {
      handOver.run();
    } else if (waiting.get() >= QUEUE) {
      metrics.counter("plumb_dropped_total", "queue", "shaper").increment();
    } else {
      waiting.incrementAndGet();
      loop.schedule(
          () -> {
            waiting.decrementAndGet();
            handOver.run();
          },
          micros,
          TimeUnit.MICROSECONDS);
    }
  }
}
