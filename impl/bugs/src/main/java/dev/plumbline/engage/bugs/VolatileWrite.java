package dev.plumbline.engage.bugs;

import dev.plumbline.engage.EngageConfig;
import dev.plumbline.engage.Layout;
import dev.plumbline.engage.TreeCloudlet;
import dev.plumbline.engage.Update;
import dev.plumbline.machine.Effects;

/** A cloudlet acknowledges a write that it has not persisted. */
public final class VolatileWrite extends EngageBug {
  public VolatileWrite() {
    super("volatile-write", "a cloudlet acknowledges a write that it has not persisted");
  }

  @Override
  protected TreeCloudlet cloudlet(EngageConfig config, Layout layout, String name) {
    return new TreeCloudlet(config, layout, name) {
      @Override
      protected void keep(Update update, Effects effects) {}
    };
  }
}
