package dev.plumbline.k2.system;

import dev.plumbline.protocol.ClockBounds;

/**
 * K2 with clocks so bad, and batches so long, that they outweigh message latency: what depends on
 * the commit wait, the TTL or its margin shows within few seeds. Tests run it; commands do not
 * offer it.
 */
public final class K2Stress extends K2System {
  @Override
  public String name() {
    return "k2-stress";
  }

  @Override
  public ClockBounds clockBounds() {
    return new ClockBounds(10_000, 100_000);
  }

  @Override
  protected long ttlMicros() {
    return 200_000;
  }

  @Override
  protected long stepMicros() {
    return 1_000;
  }
}
