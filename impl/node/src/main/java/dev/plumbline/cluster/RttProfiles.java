package dev.plumbline.cluster;

import dev.plumbline.protocol.RttTable;
import java.util.ArrayList;
import java.util.List;

/** Round trips by name. */
public final class RttProfiles {
  private static final String LAN = "lan";
  private static final long LAN_MICROS = 200;
  private static final long ALL = 100;

  private RttProfiles() {}

  /**
   * The round trips of a profile: the protocol's own name stands for those of its paper, and in
   * {@code lan} every round trip is 200 µs.
   *
   * @param published the round trips of the protocol's deployment
   */
  public static RttTable named(String name, String protocol, RttTable published) {
    if (name.equals(protocol)) {
      return published;
    } else if (name.equals(LAN)) {
      return uniform(published.regions());
    }
    throw new IllegalArgumentException(
        "no RTT profile \"" + name + "\"; there are " + protocol + ", " + LAN);
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
