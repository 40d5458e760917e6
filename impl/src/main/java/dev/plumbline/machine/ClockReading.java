package dev.plumbline.machine;

/**
 * What a node's clocks show when a step starts.
 *
 * <p>The interval clock counts time within the stated drift bound; its origin means nothing and is
 * lost in a crash. Readings are whole microseconds, rounded down, so two readings that differ by d
 * are more than d - 1 apart. A node with a TrueTime clock also sees an interval that contains the
 * reference time and is at most twice the stated uncertainty wide; its ends may step back.
 * Elsewhere that interval is unbounded.
 *
 * @param localMicros the interval clock, microseconds
 * @param lowMicros the earliest that the reference time can be, microseconds
 * @param upMicros the latest that the reference time can be, microseconds
 */
public record ClockReading(long localMicros, long lowMicros, long upMicros) {

  /** The reading of a node without a TrueTime clock. */
  public static ClockReading local(long localMicros) {
    return new ClockReading(localMicros, Long.MIN_VALUE, Long.MAX_VALUE);
  }

  /** Whether this node has a TrueTime clock. */
  public boolean hasTrueTime() {
    return lowMicros != Long.MIN_VALUE;
  }
}
