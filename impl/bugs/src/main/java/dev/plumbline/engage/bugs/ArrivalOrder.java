package dev.plumbline.engage.bugs;

import dev.plumbline.engage.EngageConfig;

/** Updates of an object are applied in the order of their arrival. */
public final class ArrivalOrder extends Unrepaired {
  public ArrivalOrder() {
    super(
        "arrival-order",
        EngageConfig.TOTAL_ORDER,
        "updates of an object are applied in the order of their arrival");
  }
}
