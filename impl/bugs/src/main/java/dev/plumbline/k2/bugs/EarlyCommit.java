package dev.plumbline.k2.bugs;

import dev.plumbline.k2.Coordinator;
import dev.plumbline.k2.K2Config;
import dev.plumbline.k2.Placement;
import dev.plumbline.k2.TimestampSource;
import dev.plumbline.k2.Transaction;

/** A coordinator commits before its writes are acknowledged. */
public final class EarlyCommit extends K2Bug {
  public EarlyCommit() {
    super("early-commit", "a coordinator commits before its writes are acknowledged");
  }

  @Override
  protected Coordinator coordinator(
      K2Config config, Placement placement, String role, TimestampSource timestamps) {
    return new Coordinator(config, placement, role, timestamps) {
      @Override
      protected boolean acknowledged(Transaction t) {
        return true;
      }
    };
  }
}
