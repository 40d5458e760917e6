package dev.plumbline.node;

import dev.plumbline.machine.ClockReading;

/**
 * A node's clocks: the reference clock, which is the wall clock or, where processes share a
 * machine, its monotonic clock; an interval clock over the monotonic clock, which the suites may
 * let drift; and the TrueTime interval of an oracle over the reference clock, or over the wall
 * clock where it may be skewed, which they may shift. All in microseconds. Thread-safe.
 */
final class Clocks {
  private static final long MILLION = 1_000_000;

  private final Long origin;
  private final Long wallOrigin;
  private final boolean trueTime;
  private final long initialHalf;
  private long since;
  private long readSince;
  private long ppm;
  private long shift;
  private long half;
  private long strobeMicros;

  /**
   * @param trueTime whether it is an oracle's
   * @param epsilonMicros a TrueTime interval is at most twice this wide
   * @param origin the monotonic clock's reading that is the reference clock's zero, nanoseconds;
   *     null for the wall clock
   * @param wallOrigin what an undisturbed wall clock showed then, microseconds, where TrueTime is
   *     read off the wall clock; else null
   * @param since the monotonic clock as the interval clock starts
   * @param read what the interval clock shows then
   */
  Clocks(
      boolean trueTime, long epsilonMicros, Long origin, Long wallOrigin, long since, long read) {
    this.trueTime = trueTime;
    this.initialHalf = epsilonMicros / 2;
    this.half = initialHalf;
    this.origin = origin;
    this.wallOrigin = wallOrigin;
    this.since = since;
    readSince = read;
  }

  /** The monotonic clock. */
  static long monotonic() {
    return System.nanoTime() / 1000;
  }

  /** The reference clock, when the monotonic clock shows {@code now}. */
  long reference(long now) {
    return origin == null ? ClockPair.now().wall() : now - origin / 1000;
  }

  /** By how much the wall clock is off from the reference clock; 0 where nobody reads it. */
  long skew() {
    if (wallOrigin == null) {
      return 0;
    }
    ClockPair both = ClockPair.now();
    return both.wall() - wallOrigin - (both.monotonic() - origin) / 1000;
  }

  synchronized long local(long now) {
    return readSince + (now - since) + Math.floorDiv((now - since) * ppm, MILLION);
  }

  synchronized ClockReading read(long now) {
    long local = local(now);
    if (!trueTime) {
      return ClockReading.local(local);
    }
    long shifted = reference(now) + skew() + shift(now);
    return new ClockReading(local, shifted - half, shifted + half);
  }

  synchronized long shift(long now) {
    return strobeMicros > 0 && (now / strobeMicros) % 2 == 1 ? -shift : shift;
  }

  /** Microseconds from {@code now} until the interval clock reads {@code due}; not below 0. */
  synchronized long until(long due, long now) {
    long missing = due - local(now);
    if (missing <= 0) {
      return 0;
    }
    // What is too large for a long becomes the largest.
    return ppm == -MILLION
        ? Long.MAX_VALUE
        : (long) ((double) missing * MILLION / (MILLION + ppm) + 1);
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
