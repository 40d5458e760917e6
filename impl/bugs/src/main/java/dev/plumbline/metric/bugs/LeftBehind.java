package dev.plumbline.metric.bugs;

import dev.plumbline.metric.MetricConfig;

/** Tables that stay in an older entry are kept through it. */
public final class LeftBehind extends Unrepaired {
  public LeftBehind() {
    super(
        "left-behind",
        MetricConfig.SINGLE,
        "tables that stay in an older entry are kept through it");
  }
}
