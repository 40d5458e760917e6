package dev.plumbline.cli;

import dev.plumbline.protocol.ProtocolSystem;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import picocli.CommandLine.Option;

/** Databases that run already, for the SQL servers of a cluster. */
final class DatabaseOption {
  @Option(
      names = "--sql-url",
      paramLabel = "REGION=URL",
      description =
          "with --sql: the JDBC URL of a database that runs already and is empty (PostgreSQL or"
              + " MariaDB), for the server of a region, in place of one of its own; no fault touches"
              + " it")
  private Map<String, String> urls = Map.of();

  /**
   * By region.
   *
   * @param side what the SQL servers are; null if there are none
   * @throws IllegalArgumentException if there are none, or no such region, or they cannot use a
   *     database of that kind
   */
  Map<String, String> urls(ProtocolSystem.SqlSide side, List<String> regions) {
    if (side == null && !urls.isEmpty()) {
      throw new IllegalArgumentException("--sql-url: say --sql as well");
    }
    for (Map.Entry<String, String> url : urls.entrySet()) {
      if (!regions.contains(url.getKey())) {
        throw new IllegalArgumentException(
            "--sql-url: there is no region "
                + url.getKey()
                + "; there are "
                + String.join(", ", regions));
      } else if (side.databases().stream().noneMatch(url.getValue()::startsWith)) {
        throw new IllegalArgumentException(
            "--sql-url: "
                + shown(url.getValue())
                + " is no URL of a database that is taken here; such begin with "
                + String.join(" or ", side.databases()));
      }
    }
    return urls;
  }

  private static String shown(String url) {
    return url.replaceFirst("[?].*", "?...");
  }

  /** As options, without what follows a question mark, where passwords stand. */
  String text() {
    StringBuilder s = new StringBuilder();
    new TreeMap<>(urls)
        .forEach((region, url) -> s.append(" --sql-url ").append(region + "=" + shown(url)));
    return s.toString();
  }
}
