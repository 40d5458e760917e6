package dev.plumbline.metric.bugs;

import dev.plumbline.metric.MetricProcess;
import java.util.SortedSet;

/** One of a query's tables is taken for all. */
public final class HastyOwner extends MetricBug {
  public HastyOwner() {
    super("hasty-owner", "one of a query's tables is taken for all");
  }

  @Override
  protected MetricProcess process(MetricProcess.Parts parts) {
    return new MetricProcess(parts) {
      @Override
      protected boolean owns(SortedSet<String> tables) {
        return tables.stream().anyMatch(via()::containsKey);
      }
    };
  }
}
