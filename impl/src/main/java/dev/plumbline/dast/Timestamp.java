package dev.plumbline.dast;

import java.util.Comparator;
import java.util.List;

/**
 * A reading of a stretchable clock (section 3.2), compared by time, fraction, node: the order of
 * the repair {@code FreezeTime}, since a stretched clock only counts its fraction.
 *
 * @param time microseconds
 * @param frac how often a stretched clock was read
 * @param nid the process that made it
 */
public record Timestamp(long time, long frac, long nid) implements Comparable<Timestamp> {
  /** Below every reading. */
  public static final Timestamp ZERO = new Timestamp(0, 0, 0);

  private static final Comparator<Timestamp> ORDER =
      Comparator.comparingLong(Timestamp::time)
          .thenComparingLong(Timestamp::frac)
          .thenComparingLong(Timestamp::nid);

  @Override
  public int compareTo(Timestamp other) {
    return ORDER.compare(this, other);
  }

  public boolean before(Timestamp other) {
    return compareTo(other) < 0;
  }

  /** The later of both. */
  public Timestamp max(Timestamp other) {
    return before(other) ? other : this;
  }

  /** The triple in the order of comparison. */
  public List<Long> parts() {
    return List.of(time, frac, nid);
  }
}
