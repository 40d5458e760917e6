package dev.plumbline.metric.bugs;

import dev.plumbline.metric.MetricConfig;

/** An append without an answer is reported as failed. */
public final class SureFailure extends Unrepaired {
  public SureFailure() {
    super(
        "sure-failure", MetricConfig.UNKNOWN, "an append without an answer is reported as failed");
  }
}
