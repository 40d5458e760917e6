package dev.plumbline.engage.bugs;

import dev.plumbline.bugs.NamedBug;
import dev.plumbline.engage.Broker;
import dev.plumbline.engage.EngageConfig;
import dev.plumbline.engage.Layout;
import dev.plumbline.engage.TreeCloudlet;
import dev.plumbline.machine.Machine;
import dev.plumbline.protocol.NodeSpec;
import dev.plumbline.protocol.Settings;
import dev.plumbline.protocol.Topology;

/** A bug of ENGAGE: makes a cloudlet or a broker that differs from the correct one. */
abstract class EngageBug extends NamedBug {
  EngageBug(String name, String description) {
    super("engage", name, description);
  }

  @Override
  public final Machine machine(
      NodeSpec node, Topology topology, Settings settings, Machine correct) {
    if (correct instanceof TreeCloudlet cloudlet) {
      return cloudlet(cloudlet.config(), cloudlet.layout(), cloudlet.name());
    }
    return correct instanceof Broker broker
        ? broker(broker.config(), broker.layout(), broker.name())
        : correct;
  }

  /** A cloudlet. */
  protected TreeCloudlet cloudlet(EngageConfig config, Layout layout, String name) {
    return new TreeCloudlet(config, layout, name);
  }

  /** A broker. */
  protected Broker broker(EngageConfig config, Layout layout, String name) {
    return new Broker(config, layout, name);
  }
}
