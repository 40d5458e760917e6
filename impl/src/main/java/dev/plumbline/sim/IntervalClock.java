package dev.plumbline.sim;

/** A node's own clock: arbitrary origin, a rate near 1 that changes piecewise. Exact arithmetic. */
final class IntervalClock {
  private static final long MILLION = 1_000_000;

  private long since;
  private long scaledAtSince;
  private long rate = MILLION;

  IntervalClock(long originMicros) {
    scaledAtSince = originMicros * MILLION;
  }

  /** The reading at reference time {@code now}, whole microseconds, rounded down. */
  long read(long now) {
    return Math.floorDiv(scaledAtSince + (now - since) * rate, MILLION);
  }

  /** From now on the clock runs at 1 + ppm / 10⁶. */
  void drift(long now, long ppm) {
    if (ppm <= -MILLION) {
      throw new IllegalArgumentException("a clock cannot run at a rate of " + ppm + " ppm off");
    }
    scaledAtSince += (now - since) * rate;
    since = now;
    rate = MILLION + ppm;
  }

  /** A new origin, as after a restart. */
  void reset(long now, long originMicros) {
    since = now;
    scaledAtSince = originMicros * MILLION;
  }

  /** The first reference time from now on at which the reading is at least {@code reading}. */
  long whenReads(long now, long reading) {
    long missing = reading * MILLION - (scaledAtSince + (now - since) * rate);
    return missing <= 0 ? now : now + -Math.floorDiv(-missing, rate);
  }
}
