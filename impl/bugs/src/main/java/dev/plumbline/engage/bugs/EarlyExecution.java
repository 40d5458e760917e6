package dev.plumbline.engage.bugs;

import dev.plumbline.engage.EngageConfig;
import dev.plumbline.engage.Layout;
import dev.plumbline.engage.TreeCloudlet;
import dev.plumbline.engage.Update;

/** An update is executed before what it depends on. */
public final class EarlyExecution extends EngageBug {
  public EarlyExecution() {
    super("early-execution", "an update is executed before what it depends on");
  }

  @Override
  protected TreeCloudlet cloudlet(EngageConfig config, Layout layout, String name) {
    return new TreeCloudlet(config, layout, name) {
      @Override
      protected boolean ready(Update update) {
        return true;
      }
    };
  }
}
