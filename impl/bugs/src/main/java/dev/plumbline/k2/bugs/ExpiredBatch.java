package dev.plumbline.k2.bugs;

import dev.plumbline.k2.K2Config;
import dev.plumbline.k2.TimestampSource;
import dev.plumbline.machine.ClockReading;

/** A batch is used after its TTL, until it is used up. */
public final class ExpiredBatch extends K2Bug {
  public ExpiredBatch() {
    super("expired-batch", "a batch is used after its TTL, until it is used up");
  }

  @Override
  protected TimestampSource timestamps(K2Config config, String owner, long number, String oracle) {
    return new TimestampSource(config, owner, number, oracle) {
      @Override
      public boolean usable(ClockReading clock) {
        return super.usable(batch() == null ? clock : ClockReading.local(batch().local()));
      }
    };
  }
}
