package dev.plumbline.metric.sql.local;

import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Map;

/**
 * PostgreSQL's own binaries from Maven Central as a process of this one. PostgreSQL refuses to run
 * as root; there it is started in a user namespace in which it is not.
 */
public final class EmbeddedPostgreSql implements AutoCloseable {
  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final int UNKNOWN_LENGTH = 65_535;

  private final EmbeddedPostgres server;

  /** With its data in a folder, which is made if it is not there; what it holds stays. */
  public EmbeddedPostgreSql(Path data, int connections) throws SQLException {
    this(data, connections, Map.of());
  }

  /**
   * The same.
   *
   * @param settings of the server, which go before those in its folder and the embedded server's
   *     own; it answers a commit before the disk has it, unless told not to
   */
  public EmbeddedPostgreSql(Path data, int connections, Map<String, String> settings)
      throws SQLException {
    try {
      EmbeddedPostgres.Builder builder =
          EmbeddedPostgres.builder()
              .setDataDirectory(data)
              .setCleanDataDirectory(false)
              .setServerConfig("max_connections", Integer.toString(connections))
              .setServerConfig("listen_addresses", "127.0.0.1")
              .setLocaleConfig("locale", "C.UTF-8")
              .setLocaleConfig("encoding", "UTF8")
              .setPGStartupWait(PATIENCE);
      settings.forEach(builder::setServerConfig);
      server = builder.start();
    } catch (IOException | IllegalStateException e) {
      throw new SQLException(
          "the embedded PostgreSQL in "
              + data
              + " does not start: "
              + e.getMessage()
              + "; as root it needs user namespaces (unshare -U). Or name a server by its URL",
          "08001",
          e);
    }
  }

  /** Makes a database in it. */
  public void create(String database) throws SQLException {
    try (Connection c = connect("postgres")) {
      Sql.run(c, "create database " + database);
    }
  }

  public Connection connect(String database) throws SQLException {
    return DriverManager.getConnection(url(database));
  }

  /** Columns of no set length say one that shells can add up: the driver's own is the greatest. */
  public String url(String database) {
    return server.getJdbcUrl("postgres", database) + "&unknownLength=" + UNKNOWN_LENGTH;
  }

  /** Where it listens, on loopback. */
  public int port() {
    return server.getPort();
  }

  /** Ends the database at once when this process is gone, however that came about. */
  public static void guard(Path data) throws IOException {
    // Its input ends with this process, which writes nothing to it. A database's process is at home
    // in its folder: what a number in an old file names may be another's by now.
    String script =
        "cat >/dev/null; p=$(head -n 1 \"$0/postmaster.pid\")"
            + " && [ \"$(readlink /proc/$p/cwd)\" = \"$0\" ] && kill -QUIT $p";
    Process guard =
        new ProcessBuilder("sh", "-c", script, data.toRealPath().toString())
            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
            .redirectError(ProcessBuilder.Redirect.DISCARD)
            .start();
    if (!guard.isAlive()) {
      throw new IOException("the database's guard does not run");
    }
  }

  @Override
  public void close() throws IOException {
    server.close();
  }
}
