package dev.plumbline.engage.bugs;

import dev.plumbline.engage.EngageConfig;
import dev.plumbline.engage.EngageRequest;
import dev.plumbline.engage.Layout;
import dev.plumbline.engage.TreeCloudlet;

/** A cloudlet serves requests without waiting for what they depend on. */
public final class Unsafe extends EngageBug {
  public Unsafe() {
    super("unsafe", "a cloudlet serves requests without waiting for what they depend on");
  }

  @Override
  protected TreeCloudlet cloudlet(EngageConfig config, Layout layout, String name) {
    return new TreeCloudlet(config, layout, name) {
      @Override
      protected boolean safe(EngageRequest request) {
        return true;
      }
    };
  }
}
