package dev.plumbline.metric.bugs;

import dev.plumbline.metric.MetricConfig;

/** Writes are ordered by the processes' clocks. */
public final class ClockStamps extends Unrepaired {
  public ClockStamps() {
    super("clock-stamps", MetricConfig.REF_STAMP, "writes are ordered by the processes' clocks");
  }
}
