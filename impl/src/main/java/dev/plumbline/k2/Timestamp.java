package dev.plumbline.k2;

import java.util.Comparator;
import java.util.List;

/**
 * A transaction's place in the serial order (K2, section 4.3).
 *
 * @param micros microseconds of reference time
 * @param oracle the oracle server whose answer the batch was made from
 * @param coordinator who issued it; 0 as published
 * @param incarnation the issuer's fencing epoch; 0 as published
 */
public record Timestamp(long micros, long oracle, long coordinator, long incarnation)
    implements Comparable<Timestamp> {

  /** Below every timestamp that is issued: the place of initial values. */
  public static final Timestamp ZERO = new Timestamp(0, 0, 0, 0);

  private static final Comparator<Timestamp> ORDER =
      Comparator.comparingLong(Timestamp::micros)
          .thenComparingLong(Timestamp::oracle)
          .thenComparingLong(Timestamp::coordinator)
          .thenComparingLong(Timestamp::incarnation);

  @Override
  public int compareTo(Timestamp other) {
    return ORDER.compare(this, other);
  }

  /** Whether this comes before another. */
  public boolean before(Timestamp other) {
    return compareTo(other) < 0;
  }

  /** The later of two. */
  public Timestamp max(Timestamp other) {
    return before(other) ? other : this;
  }

  /** The components, in the order of comparison. */
  public List<Long> parts() {
    return List.of(micros, oracle, coordinator, incarnation);
  }
}
