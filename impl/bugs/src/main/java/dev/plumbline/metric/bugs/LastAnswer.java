package dev.plumbline.metric.bugs;

import dev.plumbline.metric.MetricProcess;
import dev.plumbline.metric.Stamp;
import dev.plumbline.metric.StoreClient;

/** A quorum read returns what the last replica said. */
public final class LastAnswer extends MetricBug {
  public LastAnswer() {
    super("last-answer", "a quorum read returns what the last replica said");
  }

  @Override
  protected MetricProcess process(MetricProcess.Parts parts) {
    return new MetricProcess(
        parts,
        new StoreClient(parts) {
          @Override
          protected boolean better(Stamp arrived, Stamp best) {
            return true;
          }
        });
  }
}
