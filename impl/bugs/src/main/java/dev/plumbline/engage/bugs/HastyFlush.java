package dev.plumbline.engage.bugs;

import dev.plumbline.engage.EngageConfig;

/** A flush raises the clock over updates that still wait. */
public final class HastyFlush extends Unrepaired {
  public HastyFlush() {
    super(
        "hasty-flush",
        EngageConfig.HOLD_FLUSH,
        "a flush raises the clock over updates that still wait");
  }
}
