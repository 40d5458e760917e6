package dev.plumbline.metric.bugs;

import dev.plumbline.metric.MetricConfig;

/** A process takes back a table in use that was taken over. */
public final class NotedByNobody extends Unrepaired {
  public NotedByNobody() {
    super(
        "noted-by-nobody",
        MetricConfig.UNBROKEN,
        "a process takes back a table in use that was taken over");
  }
}
