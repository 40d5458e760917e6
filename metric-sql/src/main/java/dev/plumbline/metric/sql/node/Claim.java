package dev.plumbline.metric.sql.node;

import dev.plumbline.metric.sql.local.Dialect;
import dev.plumbline.metric.sql.local.Sql;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.SQLNonTransientConnectionException;

/**
 * Holds a database for one JDBC server: a lock that the database keeps for a connection of its own.
 * Where that connection ends, it is made and the lock taken anew; meanwhile another may take it.
 */
final class Claim {
  private static final int TRIES = 50;
  private static final long TRY_MILLIS = 200;
  private static final long LOOK_MILLIS = 10_000;
  private static final int ANSWER_SECONDS = 5;

  private final String url;
  private final String query;
  private Connection connection;

  /**
   * Takes it.
   *
   * @throws SQLException if another has it, and keeps it for ten seconds
   */
  Claim(String url) throws SQLException, InterruptedException {
    this.url = url;
    query = Dialect.of(url).claim();
    connection = DriverManager.getConnection(url);
    for (int i = 1; !take(); i++) {
      if (i == TRIES) {
        connection.close();
        throw new SQLNonTransientConnectionException(
            "another JDBC server has this database; give each region one of its own", "55006");
      }
      // One that was killed may still seem to be there.
      Thread.sleep(TRY_MILLIS);
    }
  }

  private boolean take() throws SQLException {
    return "1".equals(Sql.string(connection, query));
  }

  /** Keeps it, for as long as the process lives, and tells when another has taken it. */
  void keep(Runnable lost) {
    Thread thread = new Thread(() -> look(lost), "claim");
    thread.setDaemon(true);
    thread.start();
  }

  private void look(Runnable lost) {
    try {
      while (true) {
        Thread.sleep(LOOK_MILLIS);
        if (!holds()) {
          lost.run();
          return;
        }
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** False if another has it; a database that is gone is nobody's. */
  private boolean holds() {
    try {
      if (!connection.isValid(ANSWER_SECONDS)) {
        connection.close();
        connection = DriverManager.getConnection(url);
        return take();
      }
    } catch (SQLException | RuntimeException | Error e) {
      // Asked again: who looks no more would not notice another.
    }
    return true;
  }
}
