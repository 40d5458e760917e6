package dev.plumbline.k2.bugs;

import dev.plumbline.k2.DataNode;
import dev.plumbline.k2.K2Config;
import dev.plumbline.k2.Placement;
import dev.plumbline.k2.Recorder;
import dev.plumbline.k2.TimestampSource;
import dev.plumbline.k2.Txn;
import dev.plumbline.k2.Version;

/** A data node shows a write intent as a version before the decision. */
public final class EarlyFinalize extends K2Bug {
  public EarlyFinalize() {
    super("early-finalize", "a data node shows a write intent as a version before the decision");
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
      protected boolean readable(Version version, Txn reader) {
        return true;
      }
    };
  }
}
