package dev.plumbline.cluster;

import dev.plumbline.sim.RttTable;
import java.util.ArrayList;
import java.util.List;

/** Round trips by name. */
public final class RttProfiles {
  /** The names. */
  public static final List<String> NAMES = List.of("k2", "lan");

  private static final long LAN_MICROS = 200;
  private static final long ALL = 100;

  private RttProfiles() {}

  /**
   * The round trips of a profile between these regions: {@code k2} is Table 1 of the K2 paper, and
   * in {@code lan} every round trip is 200 µs.
   */
  public static RttTable named(String name, List<String> regions) {
    return switch (name) {
      case "k2" -> RttTable.k2();
      case "lan" -> scaled(uniform(regions), ALL);
      default ->
          throw new IllegalArgumentException(
              "no RTT profile \"" + name + "\"; there are " + String.join(", ", NAMES));
    };
  }

  private static RttTable uniform(List<String> regions) {
    List<List<Long>> rows = new ArrayList<>();
    for (int i = 0; i < regions.size(); i++) {
      rows.add(java.util.Collections.nCopies(i + 1, LAN_MICROS));
    }
    return new RttTable(regions, rows);
  }

  /** So many percent of each round trip. */
  public static RttTable scaled(RttTable table, long percent) {
    return new RttTable(
        table.regions(),
        table.micros().stream()
            .map(row -> row.stream().map(micros -> micros * percent / ALL).toList())
            .toList());
  }
}
