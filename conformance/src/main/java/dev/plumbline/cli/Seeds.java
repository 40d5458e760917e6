package dev.plumbline.cli;

import java.util.stream.LongStream;

/** Seeds that follow each other. */
final class Seeds {
  private Seeds() {}

  /**
   * @throws IllegalArgumentException if there is none, or the last would be too large a number
   */
  static LongStream from(long seed, int seeds) {
    if (seeds < 1) {
      throw new IllegalArgumentException("--seeds is " + seeds + "; at least 1 is needed");
    } else if (seed > Long.MAX_VALUE - seeds) {
      throw new IllegalArgumentException(
          "--seed " + seed + " is too large for --seeds " + seeds + "; give a smaller one");
    }
    return LongStream.range(seed, seed + seeds);
  }
}
