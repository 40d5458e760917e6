package dev.plumbline.metric.system;

import dev.plumbline.machine.Machine;
import dev.plumbline.metric.LockService;
import dev.plumbline.metric.MetricConfig;
import dev.plumbline.metric.MetricProcess;
import dev.plumbline.metric.StoreReplica;
import dev.plumbline.protocol.NodeSpec;
import dev.plumbline.protocol.Topology;
import java.util.List;
import java.util.Optional;

/** Makes the machines of the deployment. */
final class MetricMachines {
  private MetricMachines() {}

  static Machine machine(NodeSpec node, Topology topology, MetricConfig config) {
    List<String> replicas = topology.rolesOf(MetricDeployment.REPLICA);
    boolean outside = replicas.isEmpty();
    return switch (node.kind()) {
      case MetricDeployment.LOCKS -> new LockService(config);
      case MetricDeployment.REPLICA -> new StoreReplica(config, node.role());
      case MetricDeployment.PROCESS ->
          new MetricProcess(
              new MetricProcess.Parts(
                  config,
                  node.role(),
                  MetricDeployment.site(node.role()),
                  outside ? MetricDeployment.OUTSIDE : MetricDeployment.LOCK_ROLE,
                  outside ? List.of(MetricDeployment.OUTSIDE) : replicas,
                  Optional.empty()));
      default -> throw new IllegalArgumentException("Metric has no " + node.kind());
    };
  }
}
