package dev.plumbline.engage.bugs;

import dev.plumbline.engage.EngageConfig;

/** A client keeps one entry of its update's tag. */
public final class LostTag extends Unrepaired {
  public LostTag() {
    super("lost-tag", EngageConfig.KEEP_TAG, "a client keeps one entry of its update's tag");
  }
}
