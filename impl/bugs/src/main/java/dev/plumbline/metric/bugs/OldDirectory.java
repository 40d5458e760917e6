package dev.plumbline.metric.bugs;

import dev.plumbline.metric.MetricProcess;
import dev.plumbline.metric.Uuid;

/** A table's key goes on naming its first entry. */
public final class OldDirectory extends MetricBug {
  public OldDirectory() {
    super("old-directory", "a table's key goes on naming its first entry");
  }

  @Override
  protected MetricProcess process(MetricProcess.Parts parts) {
    return new MetricProcess(parts) {
      @Override
      protected Uuid latest(Uuid made) {
        return new Uuid(0, 1);
      }
    };
  }
}
