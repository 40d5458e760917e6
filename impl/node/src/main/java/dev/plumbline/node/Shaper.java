package dev.plumbline.node;

import dev.plumbline.protocol.Bandwidth;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
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

  /** Bytes of the messages that wait, the last one counted apart. */
  private static final long QUEUE_BYTES = 16 << 20;

  /** Stands for this node's own link among those of others. */
  private static final String UP = "";

  private final Map<String, Long> delayMicros;
  private final long upMbps;
  private final Map<String, Long> downMbps;
  private final Map<String, Double> freeFrom = new HashMap<>();
  private final ScheduledExecutorService loop;
  private final Metrics metrics;
  private final AtomicInteger waiting = new AtomicInteger();
  private final AtomicLong waitingBytes = new AtomicLong();
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
    long now = System.nanoTime() / 1_000;
    Turn turn = next(to, bytes, now);
    long own = delayMicros.getOrDefault(to, 0L) + turn.after(now);
    long micros = own + slowMicros;
    if (micros == 0) {
      book(to, turn);
      handOver.accept(own);
    } else if (waiting.get() >= QUEUE || waitingBytes.get() >= QUEUE_BYTES) {
      // It takes no time of a link.
      metrics.counter("plumb_dropped_total", "queue", "shaper").increment();
    } else {
      book(to, turn);
      waiting.incrementAndGet();
      waitingBytes.addAndGet(bytes);
      loop.schedule(
          () -> {
            waiting.decrementAndGet();
            waitingBytes.addAndGet(-bytes);
            handOver.accept(own);
          },
          micros,
          TimeUnit.MICROSECONDS);
    }
  }

  /** How long a message waits for links that carry so much and no more, microseconds. */
  long turn(String to, int bytes, long now) {
    Turn turn = next(to, bytes, now);
    book(to, turn);
    return turn.after(now);
  }

  /** When a message has left its sender's link, and its receiver's. */
  private record Turn(double left, double there) {
    long after(long now) {
      return Math.round(there - now);
    }
  }

  private Turn next(String to, int bytes, long now) {
    double left = until(UP, now, Bandwidth.micros(bytes, upMbps));
    return new Turn(left, until(to, left, Bandwidth.micros(bytes, downMbps.getOrDefault(to, 0L))));
  }

  private double until(String link, double from, double takes) {
    return takes == 0 ? from : Math.max(from, freeFrom.getOrDefault(link, 0.0)) + takes;
  }

  private void book(String to, Turn turn) {
    freeFrom.merge(UP, turn.left, Math::max);
    freeFrom.merge(to, turn.there, Math::max);
  }
}
