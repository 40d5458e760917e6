package dev.plumbline.k2.bugs;

import dev.plumbline.k2.Coordinator;
import dev.plumbline.k2.K2Config;
import dev.plumbline.k2.Placement;
import dev.plumbline.k2.TimestampSource;
import dev.plumbline.k2.Transaction;

/** A coordinator finalizes with another epoch than its recorder decided on. */
public final class WrongEpoch extends K2Bug {
  public WrongEpoch() {
    super("wrong-epoch", "a coordinator finalizes with another epoch than its recorder decided on");
  }

  @Override
  protected Coordinator coordinator(
      K2Config config, Placement placement, String role, TimestampSource timestamps) {
    return new Coordinator(config, placement, role, timestamps) {
      @Override
      protected long finalEpoch(Transaction t) {
        return super.finalEpoch(t) + 1;
      }
    };
  }
}
