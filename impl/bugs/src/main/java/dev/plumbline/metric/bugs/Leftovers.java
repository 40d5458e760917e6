package dev.plumbline.metric.bugs;

import dev.plumbline.metric.MetricConfig;

/** A later commit appends what the local tx-queue has of an earlier one. */
public final class Leftovers extends Unrepaired {
  public Leftovers() {
    super(
        "leftovers",
        MetricConfig.DISCARD,
        "a later commit appends what the local tx-queue has of an earlier one");
  }
}
