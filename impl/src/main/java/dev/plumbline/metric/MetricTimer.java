package dev.plumbline.metric;

import dev.plumbline.machine.Timer;

/** The machines' timers. */
public sealed interface MetricTimer extends Timer {

  /** The lease of a lock is over (section 3.3). */
  record Lease(String key, long reference) implements MetricTimer {}

  /** Whoever waits for a free lock may have it. */
  record Next(String key) implements MetricTimer {}

  /** Whatever was sent to the store and is not answered is sent again. */
  record Resend() implements MetricTimer {}

  /** The next heartbeat is due. */
  record Heartbeat() implements MetricTimer {}

  /** A lock was waited for too long (section 3.3). */
  record Patience() implements MetricTimer {}

  /** The process goes on by itself. */
  record Step() implements MetricTimer {}

  /** Nothing was heard of who leads a transaction for its lease. */
  record Silence() implements MetricTimer {}
}
