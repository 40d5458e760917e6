package dev.plumbline.metric.bugs;

import dev.plumbline.metric.MetricProcess;
import dev.plumbline.metric.Uuid;

/** A site that leads is not told what stands in the latest entry of its tables. */
public final class NotForward extends MetricBug {
  public NotForward() {
    super("not-forward", "a site that leads is not told what stands in its tables' latest entry");
  }

  @Override
  protected MetricProcess process(MetricProcess.Parts parts) {
    return new MetricProcess(parts) {
      @Override
      protected Uuid reach(String table) {
        return entry().tables().get(table);
      }
    };
  }
}
