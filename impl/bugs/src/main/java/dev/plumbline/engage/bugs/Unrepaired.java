package dev.plumbline.engage.bugs;

import dev.plumbline.engage.Broker;
import dev.plumbline.engage.EngageConfig;
import dev.plumbline.engage.Layout;
import dev.plumbline.engage.TreeCloudlet;

/** Machines that lack a repair. */
abstract class Unrepaired extends EngageBug {
  private final String repair;

  Unrepaired(String name, String repair, String description) {
    super(name, description);
    this.repair = repair;
  }

  @Override
  protected final TreeCloudlet cloudlet(EngageConfig config, Layout layout, String name) {
    return new TreeCloudlet(config.without(repair), layout, name);
  }

  @Override
  protected final Broker broker(EngageConfig config, Layout layout, String name) {
    return new Broker(config.without(repair), layout, name);
  }
}
