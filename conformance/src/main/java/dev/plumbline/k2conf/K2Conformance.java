package dev.plumbline.k2conf;

import dev.plumbline.bind.BoundProtocol;
import dev.plumbline.sim.k2.K2System;

/** K2's side of conformance. */
public final class K2Conformance extends BoundProtocol {
  public K2Conformance() {
    super(
        new K2System(),
        TimestampBatchingBinding::new,
        EpochCutBinding::new,
        MvtoBinding::new,
        EpochVisibilityBinding::new);
  }

  @Override
  public String mainModule() {
    return "Mvto";
  }
}
