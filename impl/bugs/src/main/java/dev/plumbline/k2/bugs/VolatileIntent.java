package dev.plumbline.k2.bugs;

import dev.plumbline.k2.DataNode;
import dev.plumbline.k2.K2Config;
import dev.plumbline.k2.K2Record;
import dev.plumbline.k2.Placement;
import dev.plumbline.k2.Recorder;
import dev.plumbline.k2.TimestampSource;
import dev.plumbline.machine.Effects;

/** A data node acknowledges a write that it has not persisted. */
public final class VolatileIntent extends K2Bug {
  public VolatileIntent() {
    super("volatile-intent", "a data node acknowledges a write that it has not persisted");
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
      protected void persist(K2Record record, Effects effects) {
        if (!(record instanceof K2Record.Intent)) {
          super.persist(record, effects);
        }
      }
    };
  }
}
