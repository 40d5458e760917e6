package dev.plumbline.protocol;

import java.util.List;

/**
 * Round-trip times between regions.
 *
 * @param regions names
 * @param micros {@code micros[i][j]} for i ≥ j: round trip between region i and j, microseconds
 */
public record RttTable(List<String> regions, List<List<Long>> micros) {

  public RttTable {
    regions = List.copyOf(regions);
    micros = micros.stream().map(List::copyOf).toList();
    for (int i = 0; i < regions.size(); i++) {
      if (micros.size() != regions.size() || micros.get(i).size() != i + 1) {
        throw new IllegalArgumentException("row " + i + " of a round-trip table needs " + (i + 1));
      }
    }
  }

  /** One region with the given round trip. */
  public static RttTable single(String region, long rttMicros) {
    return new RttTable(List.of(region), List.of(List.of(rttMicros)));
  }

  /** A region's place in {@link #regions}. */
  public int index(String region) {
    int index = regions.indexOf(region);
    if (index < 0) {
      throw new IllegalArgumentException(
          "no region " + region + "; the table has " + String.join(", ", regions));
    }
    return index;
  }

  /** The round trip between two regions by index, microseconds. */
  public long rttMicros(int a, int b) {
    return micros.get(Math.max(a, b)).get(Math.min(a, b));
  }
}
