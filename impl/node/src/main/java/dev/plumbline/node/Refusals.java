package dev.plumbline.node;

import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Counts all that is refused, and logs some of it: at most {@value #LINES} lines a second. */
final class Refusals {
  static final String COUNTER = "plumb_frames_refused_total";
  private static final Logger LOG = LoggerFactory.getLogger(Refusals.class);
  private static final int LINES = 10;
  private static final long SECOND = TimeUnit.SECONDS.toNanos(1);

  private final Metrics metrics;
  private long since = System.nanoTime();
  private int lines;
  private long unsaid;

  Refusals(Metrics metrics) {
    this.metrics = metrics;
    for (Refusal reason : Refusal.values()) {
      metrics.counter(COUNTER, "reason", reason.label());
    }
  }

  /**
   * @param whom a name and an address
   */
  void refused(Refusal reason, String whom, String why) {
    metrics.counter(COUNTER, "reason", reason.label()).increment();
    long left = unsaid(System.nanoTime());
    if (left == 0) {
      LOG.warn("refused {} from {}: {}", reason.label(), whom, why);
    } else if (left > 0) {
      LOG.warn("refused {} from {}: {} ({} more unsaid)", reason.label(), whom, why, left);
    }
  }

  /** How many lines were left out before the one that is due now; -1 if this one is left out. */
  synchronized long unsaid(long now) {
    if (now - since >= SECOND) {
      since = now;
      lines = 0;
    }
    if (lines >= LINES) {
      unsaid++;
      return -1;
    }
    lines++;
    long left = unsaid;
    unsaid = 0;
    return left;
  }
}
