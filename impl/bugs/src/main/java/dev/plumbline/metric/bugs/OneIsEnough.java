package dev.plumbline.metric.bugs;

import dev.plumbline.metric.MetricProcess;
import dev.plumbline.metric.StoreClient;

/** One replica's answer is taken for a quorum's. */
public final class OneIsEnough extends MetricBug {
  public OneIsEnough() {
    super("one-is-enough", "one replica's answer is taken for a quorum's");
  }

  @Override
  protected MetricProcess process(MetricProcess.Parts parts) {
    return new MetricProcess(
        parts,
        new StoreClient(parts) {
          @Override
          protected boolean enough(int answers, int all) {
            return true;
          }
        });
  }
}
