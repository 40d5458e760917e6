package dev.plumbline.dast;

import dev.plumbline.machine.Effects;
import dev.plumbline.machine.SpecAction;
import java.util.Map;

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

  /** {@link #create} as a step of a process. */
  Timestamp create(String process, long wallMicros, long head, Effects effects) {
    Timestamp ts = create(wallMicros, head);
    if (effects.tracing()) {
      effects.trace(
          "StretchableClock.CreateTs",
          Map.of("n", process, "head", head == FREE ? -1 : head, "ts", ts.parts()),
          Map.of());
    }
    return ts;
  }

  /** {@link #calibrate}, and {@link #follow} if so, as a step of a process. */
  void hear(
      String process,
      long wallMicros,
      Timestamp seen,
      boolean follows,
      long head,
      Effects effects) {
    long offsetBefore = offset;
    Timestamp before = last;
    calibrate(wallMicros, seen.time());
    if (follows) {
      follow(seen, head);
    }
    if (effects.tracing() && (offset != offsetBefore || !last.equals(before))) {
      effects.trace(
          "StretchableClock.Calibrate",
          Map.of("n", process, "head", head == FREE ? -1 : head, "seen", seen.parts()),
          Map.of("last", last.parts()));
    }
  }

  /** {@link #calibrate} by a message of another region, as a step of a process. */
  void hearRemote(String process, long wallMicros, long time, Effects effects) {
    long offsetBefore = offset;
    calibrate(wallMicros, time);
    if (effects.tracing() && offset != offsetBefore) {
      effects.trace("StretchableClock.CalibrateRemote", Map.of("n", process, "ts", time), Map.of());
    }
  }

  /** The next reading is above {@code at}. */
  void startAbove(Timestamp at, long wallMicros) {
    calibrate(wallMicros, at.time());
    Timestamp own = new Timestamp(at.time(), at.frac(), nid);
    last = last.max(own);
  }

  /** Repair {@code Follow}: the next reading is above {@code seen}, unless {@code head} forbids. */
  public void follow(Timestamp seen, long head) {
    if (last.before(seen) && seen.time() < head) {
      last = new Timestamp(seen.time(), seen.frac() + 1, nid);
    }
  }
}
