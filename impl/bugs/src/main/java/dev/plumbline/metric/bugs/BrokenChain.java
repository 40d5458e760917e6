package dev.plumbline.metric.bugs;

import dev.plumbline.metric.MetricProcess;
import dev.plumbline.metric.Uuid;

/** A new entry says that it follows none. */
public final class BrokenChain extends MetricBug {
  public BrokenChain() {
    super("broken-chain", "a new entry says that it follows none");
  }

  @Override
  protected MetricProcess process(MetricProcess.Parts parts) {
    return new MetricProcess(parts) {
      @Override
      protected Uuid follows(Uuid latest) {
        return new Uuid(0, 1);
      }
    };
  }
}
