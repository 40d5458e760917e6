package dev.plumbline.k2.bugs;

import dev.plumbline.k2.DataNode;
import dev.plumbline.k2.K2Config;
import dev.plumbline.k2.K2Message;
import dev.plumbline.k2.Placement;
import dev.plumbline.k2.Recorder;
import dev.plumbline.k2.TimestampSource;

/** A data node accepts a write that a later reader has already missed. */
public final class UncheckedWrite extends K2Bug {
  public UncheckedWrite() {
    super("unchecked-write", "a data node accepts a write that a later reader has already missed");
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
      protected boolean refuses(K2Message.Write write) {
        return false;
      }
    };
  }
}
