package dev.plumbline.engage.bugs;

import dev.plumbline.engage.Broker;
import dev.plumbline.engage.EngageConfig;
import dev.plumbline.engage.Layout;
import dev.plumbline.engage.VectorClock;
import java.util.Collections;

/** A broker drops the flush that should ride on a notification. */
public final class LostRider extends EngageBug {
  public LostRider() {
    super("lost-rider", "a broker drops the flush that should ride on a notification");
  }

  @Override
  protected Broker broker(EngageConfig config, Layout layout, String name) {
    return new Broker(config, layout, name) {
      @Override
      protected VectorClock rides(VectorClock pending) {
        return new VectorClock(Collections.nCopies(layout.cloudlets().size(), 0L));
      }
    };
  }
}
