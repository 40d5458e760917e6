package dev.plumbline.engage.bugs;

import dev.plumbline.engage.EngageConfig;

/** News of an update raises all entries of its clock. */
public final class WholeClock extends Unrepaired {
  public WholeClock() {
    super(
        "whole-clock", EngageConfig.OWN_ENTRY, "news of an update raises all entries of its clock");
  }
}
