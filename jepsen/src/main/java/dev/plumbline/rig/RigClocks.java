package dev.plumbline.rig;

import dev.plumbline.machine.ClockReading;

/**
 * A node's clocks over the reference clock: an interval clock that may drift, and the TrueTime
 * interval of an oracle. Thread-safe.
 */
final class RigClocks {
  private static final long MILLION = 1_000_000;

  private final boolean trueTime;
  private final long initialHalf;
  private long since;
  private long readSince;
  private long ppm;
  private long shift;
  private long half;
  private long strobeMicros;

  RigClocks(boolean trueTime, long epsilonMicros, long now, long origin) {
    this.trueTime = trueTime;
    this.initialHalf = epsilonMicros / 2;
    this.half = initialHalf;
    since = now;
    readSince = origin;
  }

  synchronized long local(long now) {
    return readSince + (now - since) + Math.floorDiv((now - since) * ppm, MILLION);
  }

  synchronized ClockReading read(long now) {
    long local = local(now);
    if (!trueTime) {
      return ClockReading.local(local);
    }
    long shifted = now + shift(now);
    return new ClockReading(local, shifted - half, shifted + half);
  }

  synchronized long shift(long now) {
    return strobeMicros > 0 && (now / strobeMicros) % 2 == 1 ? -shift : shift;
  }

  /** Microseconds from {@code now} until the interval clock reads {@code due}; not below 0. */
  synchronized long until(long due, long now) {
    long missing = due - local(now);
    return missing <= 0 ? 0 : missing * MILLION / (MILLION + ppm) + 1;
  }

  synchronized void drift(long now, long newPpm) {
    readSince = local(now);
    since = now;
    ppm = newPpm;
  }

  /** Moves the TrueTime interval, and makes it this wide to each side; strobes if asked to. */
  synchronized void shift(long micros, long newHalf, long strobe) {
    shift = micros;
    half = newHalf < 0 ? initialHalf : newHalf;
    strobeMicros = strobe;
  }
}
