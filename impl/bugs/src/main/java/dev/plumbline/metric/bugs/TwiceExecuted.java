package dev.plumbline.metric.bugs;

import dev.plumbline.metric.MetricConfig;

/** A request that is in the redo log is executed again. */
public final class TwiceExecuted extends Unrepaired {
  public TwiceExecuted() {
    super(
        "twice-executed",
        MetricConfig.DEDUPE,
        "a request that is in the redo log is executed again");
  }
}
