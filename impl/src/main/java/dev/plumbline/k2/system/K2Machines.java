package dev.plumbline.k2.system;

import dev.plumbline.k2.Coordinator;
import dev.plumbline.k2.DataNode;
import dev.plumbline.k2.K2Config;
import dev.plumbline.k2.Oracle;
import dev.plumbline.k2.Placement;
import dev.plumbline.k2.Recorder;
import dev.plumbline.k2.Replica;
import dev.plumbline.k2.TimestampSource;
import dev.plumbline.machine.Machine;
import dev.plumbline.protocol.NodeSpec;
import dev.plumbline.protocol.Topology;
import java.util.List;

/** Makes the machines of the deployment; a variant of K2 overrides the parts that differ. */
public class K2Machines {
  private static final Placement PLACEMENT = new K2Deployment();

  /** The machine of a node. */
  public final Machine machine(NodeSpec node, Topology topology, K2Config config) {
    long number = List.copyOf(topology.roles().keySet()).indexOf(node.role()) + 1L;
    return switch (node.kind()) {
      case K2Deployment.ORACLE -> new Oracle(number);
      case K2Deployment.COORDINATOR ->
          coordinator(config, PLACEMENT, node.role(), timestamps(config, node, number));
      case K2Deployment.DATA_NODE ->
          dataNode(
              config,
              PLACEMENT,
              node.role(),
              timestamps(config, node, number),
              recorder(config, node.role()));
      case K2Deployment.REPLICA -> replica(config, PLACEMENT, K2Deployment.primaryOf(node.role()));
      default -> throw new IllegalArgumentException("K2 has no " + node.kind());
    };
  }

  private TimestampSource timestamps(K2Config config, NodeSpec node, long number) {
    return timestamps(config, node.role(), number, K2Deployment.oracle(node.region()));
  }

  protected TimestampSource timestamps(K2Config config, String owner, long number, String oracle) {
    return new TimestampSource(config, owner, number, oracle);
  }

  protected Coordinator coordinator(
      K2Config config, Placement placement, String role, TimestampSource timestamps) {
    return new Coordinator(config, placement, role, timestamps);
  }

  protected DataNode dataNode(
      K2Config config,
      Placement placement,
      String role,
      TimestampSource timestamps,
      Recorder recorder) {
    return new DataNode(config, placement, role, timestamps, recorder);
  }

  protected Recorder recorder(K2Config config, String role) {
    return new Recorder(config, role);
  }

  protected Replica replica(K2Config config, Placement placement, String primary) {
    return new Replica(config, placement, primary);
  }
}
