package dev.plumbline.node;

import java.time.Instant;

/**
 * The monotonic clock and the wall clock at one moment.
 *
 * @param monotonic nanoseconds
 * @param wall microseconds since 1970
 */
public record ClockPair(long monotonic, long wall) {
  private static final long MILLION = 1_000_000;
  private static final long TOGETHER_NANOS = 5_000;
  private static final int TRIES = 1_000;

  /** Reads both: again if this thread lost its processor in between. */
  public static ClockPair now() {
    long least = Long.MAX_VALUE;
    ClockPair best = null;
    for (int i = 0; i < TRIES && least > TOGETHER_NANOS; i++) {
      long before = System.nanoTime();
      Instant wall = Instant.now();
      long took = System.nanoTime() - before;
      if (took < least) {
        least = took;
        best =
            new ClockPair(
                before + took / 2, wall.getEpochSecond() * MILLION + wall.getNano() / 1000);
      }
    }
    return best;
  }
}
