package dev.plumbline.metric.sql.local;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Three MariaDB servers for commands that take {@code --sql-url}, for as long as a file with these
 * options is there. Its name keeps it out of a run of all tests.
 */
@Tag("slow")
class MariaDbServers {
  private static final Path OPTIONS = Path.of("target", "mariadb", "options.txt");
  private static final long LONGEST_MILLIS = 3_600_000;

  @Test
  void serve() throws Exception {
    // An earlier one's, that was killed.
    Files.deleteIfExists(OPTIONS);
    List<String> options = new ArrayList<>();
    for (String region : List.of("S1", "S2", "S3")) {
      String url = TestMariaDb.url();
      try (Connection c = DriverManager.getConnection(url)) {
        assertThat(Sql.string(c, "select version()")).contains("MariaDB");
      }
      options.add("--sql-url " + region + "=" + url);
    }
    Files.writeString(OPTIONS, String.join(" ", options) + "\n");
    long end = System.currentTimeMillis() + LONGEST_MILLIS;
    while (Files.exists(OPTIONS) && System.currentTimeMillis() < end) {
      Thread.sleep(500);
    }
    Files.deleteIfExists(OPTIONS);
  }
}
