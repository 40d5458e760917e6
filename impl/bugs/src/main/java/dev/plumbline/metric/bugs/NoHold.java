package dev.plumbline.metric.bugs;

import dev.plumbline.metric.MetricConfig;

/** A later query lets go of the tables in use. */
public final class NoHold extends Unrepaired {
  public NoHold() {
    super("no-hold", MetricConfig.HOLD, "a later query lets go of the tables in use");
  }
}
