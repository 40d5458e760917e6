package dev.plumbline.sim.metric;

import dev.plumbline.machine.Machine;
import dev.plumbline.metric.LockService;
import dev.plumbline.metric.MetricConfig;
import dev.plumbline.metric.MetricProcess;
import dev.plumbline.metric.StoreReplica;
import dev.plumbline.sim.NodeSpec;
import dev.plumbline.sim.Topology;
import java.util.Optional;

/** Makes the machines of the deployment. */
final class MetricMachines {
  private MetricMachines() {}

  static Machine machine(NodeSpec node, Topology topology, MetricConfig config) {
    return switch (node.kind()) {
      case MetricDeployment.LOCKS -> new LockService(config);
      case MetricDeployment.REPLICA -> new StoreReplica(config, node.role());
      case MetricDeployment.PROCESS ->
          new MetricProcess(
              new MetricProcess.Parts(
                  config,
                  node.role(),
                  MetricDeployment.site(node.role()),
                  MetricDeployment.LOCK_ROLE,
                  topology.rolesOf(MetricDeployment.REPLICA),
                  Optional.empty()));
      default -> throw new IllegalArgumentException("Metric has no " + node.kind());
    };
  }
}
