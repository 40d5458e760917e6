package dev.plumbline.engage.bugs;

import dev.plumbline.engage.EngageConfig;
import dev.plumbline.engage.EngageRequest;
import dev.plumbline.engage.Layout;
import dev.plumbline.engage.TreeCloudlet;
import dev.plumbline.engage.VectorClock;

/** A write is tagged without what its client read and wrote before. */
public final class BareWrite extends EngageBug {
  public BareWrite() {
    super("bare-write", "a write is tagged without what its client read and wrote before");
  }

  @Override
  protected TreeCloudlet cloudlet(EngageConfig config, Layout layout, String name) {
    return new TreeCloudlet(config, layout, name) {
      @Override
      protected VectorClock past(EngageRequest request) {
        return object(request.object()).clock();
      }
    };
  }
}
