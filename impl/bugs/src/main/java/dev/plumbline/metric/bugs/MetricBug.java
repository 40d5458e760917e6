package dev.plumbline.metric.bugs;

import dev.plumbline.bugs.NamedBug;
import dev.plumbline.machine.Machine;
import dev.plumbline.metric.LockService;
import dev.plumbline.metric.MetricProcess;
import dev.plumbline.metric.StoreReplica;
import dev.plumbline.protocol.NodeSpec;
import dev.plumbline.protocol.Settings;
import dev.plumbline.protocol.Topology;

/**
 * A bug of Metric: makes a process, a lock service or a replica that differs from the correct one.
 */
abstract class MetricBug extends NamedBug {
  MetricBug(String name, String description) {
    super("metric", name, description);
  }

  @Override
  public final Machine machine(
      NodeSpec node, Topology topology, Settings settings, Machine correct) {
    if (correct instanceof MetricProcess process) {
      return process(process.parts());
    } else if (correct instanceof LockService locks) {
      return locks(locks);
    }
    return correct instanceof StoreReplica replica ? replica(replica) : correct;
  }

  /** A Metric process. */
  protected MetricProcess process(MetricProcess.Parts parts) {
    return new MetricProcess(parts);
  }

  /** A lock service in place of a correct one. */
  protected LockService locks(LockService correct) {
    return correct;
  }

  /** A replica in place of a correct one. */
  protected StoreReplica replica(StoreReplica correct) {
    return correct;
  }
}
