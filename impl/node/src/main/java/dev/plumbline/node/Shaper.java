package dev.plumbline.node;

import dev.plumbline.protocol.Bandwidth;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.LongConsumer;

/**
 * Holds messages back as the links to their receivers are said to: for the way, and for their turn
 * where links carry so much and no more. What a receiver's link carries is kept by each of its
 * senders for itself, since none knows of the others.
 */
// What is scheduled cannot fail, and is never waited for.
@SuppressWarnings("FutureReturnValueIgnored")
final class Shaper {
  private static final int QUEUE = 100_000;

  /** Stands for this node's own link among those of others. */
  private static final String UP = "";

  private final Map<String, Long> delayMicros;
  private final long upMbps;
  private final Map<String, Long> downMbps;
  private final Map<String, Double> freeFrom = new HashMap<>();
  private final ScheduledExecutorService loop;
  private final Metrics metrics;
  private final AtomicInteger waiting = new AtomicInteger();
  private volatile long slowMicros;

  /**
   * @param delayMicros what is added before sending to a node; nothing for nodes not named
   * @param upMbps what this node's link carries away; 0 for no limit
   * @param downMbps what the links of others carry to them; no limit for those not named
   * @param loop hands over what has waited
   */
  Shaper(
      Map<String, Long> delayMicros,
      long upMbps,
      Map<String, Long> downMbps,
      ScheduledExecutorService loop,
      Metrics metrics) {
    this.delayMicros = Map.copyOf(delayMicros);
    this.upMbps = upMbps;
    this.downMbps = Map.copyOf(downMbps);
    this.loop = loop;
    this.metrics = metrics;
    metrics.gauge("plumb_queue_length{queue=\"shaper\"}", waiting::get);
  }

  /** Makes every link slower by this much. */
  void slow(long micros) {
    slowMicros = micros;
  }

  /**
   * Hands over now, or once the link's delay is over, with the microseconds that the link itself
   * takes. For one thread.
   */
  void send(String to, int bytes, LongConsumer handOver) {
    long own = delayMicros.getOrDefault(to, 0L) + turn(to, bytes, System.nanoTime() / 1_000);
    long micros = own + slowMicros;
    if (micros == 0) {
      handOver.accept(own);
    } else if (waiting.get() >= QUEUE) {
      metrics.counter("plumb_dropped_total", "queue", "shaper").increment();
    } else {
      waiting.incrementAndGet();
      loop.schedule(
          () -> {
            waiting.decrementAndGet();
            handOver.accept(own);
          },
          micros,
          TimeUnit.MICROSECONDS);
    }
  }

  /** How long a message waits for links that carry so much and no more, microseconds. */
  long turn(String to, int bytes, long now) {
    double left = booked(UP, now, Bandwidth.micros(bytes, upMbps));
    double there = booked(to, left, Bandwidth.micros(bytes, downMbps.getOrDefault(to, 0L)));
    return Math.round(there - now);
  }

  private double booked(String link, double from, double takes) {
    if (takes == 0) {
      return from;
    }
    double until = Math.max(from, freeFrom.getOrDefault(link, 0.0)) + takes;
    freeFrom.put(link, until);
    return until;
  }
}
