package dev.plumbline.metric.bugs;

import dev.plumbline.metric.MetricProcess;
import dev.plumbline.metric.StoreReplica;

/** Machines that lack a repair. */
abstract class Unrepaired extends MetricBug {
  private final String repair;

  Unrepaired(String name, String repair, String description) {
    super(name, description);
    this.repair = repair;
  }

  @Override
  protected final MetricProcess process(MetricProcess.Parts parts) {
    return new MetricProcess(parts.without(repair));
  }

  @Override
  protected final StoreReplica replica(StoreReplica correct) {
    return new StoreReplica(correct.config().without(repair), correct.name());
  }
}
