package dev.plumbline.engage.bugs;

import dev.plumbline.engage.EngageConfig;
import dev.plumbline.engage.Layout;
import dev.plumbline.engage.TreeCloudlet;
import dev.plumbline.engage.VectorClock;
import java.util.Collections;

/** A cloudlet tells clients that its clock covers theirs. */
public final class AlwaysAttached extends EngageBug {
  public AlwaysAttached() {
    super("always-attached", "a cloudlet tells clients that its clock covers theirs");
  }

  @Override
  protected TreeCloudlet cloudlet(EngageConfig config, Layout layout, String name) {
    return new TreeCloudlet(config, layout, name) {
      @Override
      protected VectorClock told() {
        return new VectorClock(
            Collections.nCopies(layout.cloudlets().size(), Long.MAX_VALUE / 1_000));
      }
    };
  }
}
