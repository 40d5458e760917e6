package dev.plumbline.metric.bugs;

import dev.plumbline.metric.MetricConfig;

/** Replicas serve a process whose lock another one has. */
public final class NoFence extends Unrepaired {
  public NoFence() {
    super("no-fence", MetricConfig.FENCE, "replicas serve a process whose lock another one has");
  }
}
