package dev.plumbline.k2.bugs;

import dev.plumbline.k2.Coordinator;
import dev.plumbline.k2.K2Config;
import dev.plumbline.k2.Placement;
import dev.plumbline.k2.TimestampSource;
import dev.plumbline.k2.Transaction;
import dev.plumbline.machine.ClockReading;

/** A coordinator does not wait for the uncertainty of its timestamp to pass. */
public final class NoCommitWait extends K2Bug {
  public NoCommitWait() {
    super(
        "no-commit-wait",
        "a coordinator does not wait for the uncertainty of its timestamp to pass");
  }

  @Override
  protected Coordinator coordinator(
      K2Config config, Placement placement, String role, TimestampSource timestamps) {
    return new Coordinator(config, placement, role, timestamps) {
      @Override
      protected long commitWaitLeft(Transaction t, ClockReading clock) {
        return 0;
      }
    };
  }
}
