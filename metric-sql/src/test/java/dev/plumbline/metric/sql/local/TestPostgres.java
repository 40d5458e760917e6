package dev.plumbline.metric.sql.local;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.concurrent.atomic.AtomicInteger;
import org.opentest4j.TestAbortedException;

/**
 * One embedded PostgreSQL for all tests of a JVM; each test makes databases of its own in it. Where
 * it does not start (no user namespaces for root, no binaries for this processor), tests are
 * skipped, with the reason.
 */
public final class TestPostgres {
  private static final AtomicInteger NEXT = new AtomicInteger();
  private static String missing = "";
  private static final EmbeddedPostgreSql SERVER = start();

  private TestPostgres() {}

  private static EmbeddedPostgreSql start() {
    try {
      return new EmbeddedPostgreSql(TestFolder.of("postgresql"), 200);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (SQLException e) {
      missing = e.getMessage();
      return null;
    }
  }

  /** Why there is none; empty where there is one. */
  static String missing() {
    return missing;
  }

  public static EmbeddedPostgreSql server() {
    if (SERVER == null) {
      throw new TestAbortedException(missing);
    }
    return SERVER;
  }

  /** The name of a new database. */
  public static String database() throws SQLException {
    String name = "d" + NEXT.incrementAndGet();
    server().create(name);
    try (Connection c = server().connect(name)) {
      // No test kills the server's machine.
      Sql.run(c, "alter database " + name + " set synchronous_commit = off");
    }
    return name;
  }

  /** A new database with Metric's tables. */
  public static LocalDatabase local() throws SQLException {
    String name = database();
    return new LocalDatabase(new PostgreSql(), () -> server().connect(name));
  }
}
