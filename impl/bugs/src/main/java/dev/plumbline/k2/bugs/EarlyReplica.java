package dev.plumbline.k2.bugs;

import dev.plumbline.k2.K2Config;
import dev.plumbline.k2.Placement;
import dev.plumbline.k2.Replica;

/** A replica serves a view before its cut is replayed. */
public final class EarlyReplica extends K2Bug {
  public EarlyReplica() {
    super("early-replica", "a replica serves a view before its cut is replayed");
  }

  @Override
  protected Replica replica(K2Config config, Placement placement, String primary) {
    return new Replica(config, placement, primary) {
      @Override
      protected boolean replayed(long epoch) {
        return true;
      }
    };
  }
}
