package dev.plumbline.dast;

import dev.plumbline.machine.SpecAction;

/**
 * A dclock (section 3.2, Algorithm 1, lines 4 to 9): follows the node's wall clock and the other
 * clocks of its region, but stands still below the head of {@code waitQ} and then counts fractions.
 *
 * <p>Every reading is above the one before, also if the wall clock steps back.
 */
public final class StretchableClock {
  /** No CRT waits. */
  public static final long FREE = Long.MAX_VALUE;

  private final long nid;
  private final boolean climb;
  private long offset;
  private Timestamp last;

  /**
   * @param nid unique over all processes of all regions
   * @param climb repair {@code Climb}: a clock whose wall is past the head goes up to just below
   *     it; as published it stays at its last reading, below CRTs that are due before the head
   */
  public StretchableClock(long nid, boolean climb) {
    this.nid = nid;
    this.climb = climb;
    last = new Timestamp(0, 0, nid);
  }

  /** The newest reading. */
  public Timestamp last() {
    return last;
  }

  /** How far the clock is ahead of the node's own, microseconds. */
  public long offset() {
    return offset;
  }

  /**
   * Algorithm 1, lines 4 to 9.
   *
   * @param wallMicros the node's own clock, of any origin
   * @param head the time that the reading must stay below
   */
  @SpecAction("StretchableClock.CreateTs")
  public Timestamp create(long wallMicros, long head) {
    long wall = wallMicros + offset;
    long time = wall < head ? wall : climb ? head - 1 : last.time();
    Timestamp candidate = new Timestamp(time, 0, nid);
    last = last.before(candidate) ? candidate : new Timestamp(last.time(), last.frac() + 1, nid);
    return last;
  }

  /** Calibration (sections 4.2, 4.3): the wall clock is taken to be past {@code time}. */
  @SpecAction({"StretchableClock.Calibrate", "StretchableClock.CalibrateRemote"})
  public void calibrate(long wallMicros, long time) {
    offset = Math.max(offset, time + 1 - wallMicros);
  }

  /** Repair {@code Follow}: the next reading is above {@code seen}, unless {@code head} forbids. */
  public void follow(Timestamp seen, long head) {
    if (last.before(seen) && seen.time() < head) {
      last = new Timestamp(seen.time(), seen.frac() + 1, nid);
    }
  }
}
