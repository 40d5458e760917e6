package dev.plumbline.engage.system;

import dev.plumbline.engage.Broker;
import dev.plumbline.engage.EngageConfig;
import dev.plumbline.engage.Layout;
import dev.plumbline.engage.MeshCloudlet;
import dev.plumbline.engage.TreeCloudlet;
import dev.plumbline.machine.Machine;
import dev.plumbline.protocol.NodeSpec;

/** Makes the machines of a deployment; a variant of ENGAGE overrides the parts that differ. */
public class EngageMachines {

  /** The machine of a node. */
  public final Machine machine(NodeSpec node, Layout layout, EngageConfig config, boolean mesh) {
    if (node.kind().equals(EngageDeployment.BROKER)) {
      return broker(config, layout, node.role());
    }
    return mesh
        ? new MeshCloudlet(config, layout, node.role())
        : cloudlet(config, layout, node.role());
  }

  protected Broker broker(EngageConfig config, Layout layout, String name) {
    return new Broker(config, layout, name);
  }

  protected TreeCloudlet cloudlet(EngageConfig config, Layout layout, String name) {
    return new TreeCloudlet(config, layout, name);
  }
}
