package dev.plumbline.metric.bugs;

import dev.plumbline.metric.MetricConfig;

/** Populate leaves what was committed locally and never logged. */
public final class NoRebuild extends Unrepaired {
  public NoRebuild() {
    super(
        "no-rebuild",
        MetricConfig.REBUILD,
        "populate leaves what was committed locally and never logged");
  }
}
