package dev.plumbline.history;

import java.util.Arrays;
import java.util.List;

/**
 * A place in the serial order that a system claims, such as (time, server, number). Compared
 * element by element; a prefix comes first.
 */
public record ClaimedTimestamp(List<Long> parts) implements Comparable<ClaimedTimestamp> {

  public ClaimedTimestamp {
    parts = List.copyOf(parts);
  }

  public static ClaimedTimestamp of(long... parts) {
    return new ClaimedTimestamp(Arrays.stream(parts).boxed().toList());
  }

  @Override
  public int compareTo(ClaimedTimestamp other) {
    int common = Math.min(parts.size(), other.parts.size());
    for (int i = 0; i < common; i++) {
      int order = Long.compare(parts.get(i), other.parts.get(i));
      if (order != 0) {
        return order;
      }
    }
    return Integer.compare(parts.size(), other.parts.size());
  }

  @Override
  public String toString() {
    return parts.toString();
  }
}
