package dev.plumbline.metric.bugs;

import dev.plumbline.metric.MetricConfig;

/** A read-only transaction is answered without a look at the lock. */
public final class UncheckedRead extends Unrepaired {
  public UncheckedRead() {
    super(
        "unchecked-read",
        MetricConfig.READ_CHECK,
        "a read-only transaction is answered without a look at the lock");
  }
}
