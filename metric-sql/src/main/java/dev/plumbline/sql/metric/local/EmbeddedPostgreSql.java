package dev.plumbline.sql.metric.local;

import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;

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
    try {
      server =
          EmbeddedPostgres.builder()
              .setDataDirectory(data)
              .setCleanDataDirectory(false)
              .setServerConfig("max_connections", Integer.toString(connections))
              .setServerConfig("listen_addresses", "127.0.0.1")
              .setLocaleConfig("locale", "C.UTF-8")
              .setLocaleConfig("encoding", "UTF8")
              .setPGStartupWait(PATIENCE)
              .start();
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

  @Override
  public void close() throws IOException {
    server.close();
  }
}
