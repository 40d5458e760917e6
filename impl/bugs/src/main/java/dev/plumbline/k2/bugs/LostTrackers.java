package dev.plumbline.k2.bugs;

import dev.plumbline.k2.DataNode;
import dev.plumbline.k2.K2Config;
import dev.plumbline.k2.Placement;
import dev.plumbline.k2.Recorder;
import dev.plumbline.k2.Timestamp;
import dev.plumbline.k2.TimestampSource;
import dev.plumbline.machine.Effects;

/** A data node that takes over serves at once, with empty read trackers. */
public final class LostTrackers extends K2Bug {
  public LostTrackers() {
    super("lost-trackers", "a data node that takes over serves at once, with empty read trackers");
  }

  @Override
  protected DataNode dataNode(
      K2Config config,
      Placement placement,
      String role,
      TimestampSource timestamps,
      Recorder recorder) {
    return new DataNode(config, placement, role, timestamps, recorder) {
      @Override
      protected void awaitOldLease(Effects effects) {
        recoverDataNode(Timestamp.ZERO, effects);
      }
    };
  }
}
