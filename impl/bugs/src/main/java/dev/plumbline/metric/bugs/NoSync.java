package dev.plumbline.metric.bugs;

import dev.plumbline.metric.MetricConfig;

/** After a forced release nobody writes the newest value back. */
public final class NoSync extends Unrepaired {
  public NoSync() {
    super(
        "no-sync", MetricConfig.SYNC, "after a forced release nobody writes the newest value back");
  }
}
