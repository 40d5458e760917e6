package dev.plumbline.metric.sql.local;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Comparator;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
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

  /** In a folder of its own under target; those of JVMs that have ended go. */
  private static EmbeddedPostgreSql start() {
    Path all = Path.of("target", "postgresql").toAbsolutePath();
    try {
      Files.createDirectories(all);
      // Two JVMs run tests at once.
      try (FileChannel lock =
              FileChannel.open(
                  Path.of("target", "postgresql.lock"),
                  StandardOpenOption.CREATE,
                  StandardOpenOption.WRITE);
          FileLock held = lock.lock();
          Stream<Path> folders = Files.list(all)) {
        for (Path folder : folders.filter(TestPostgres::ended).toList()) {
          delete(folder);
        }
      }
      return new EmbeddedPostgreSql(all.resolve("p" + ProcessHandle.current().pid()), 200);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (SQLException e) {
      missing = e.getMessage();
      return null;
    }
  }

  private static boolean ended(Path folder) {
    return ProcessHandle.of(Long.parseLong(folder.getFileName().toString().substring(1))).isEmpty();
  }

  static void delete(Path folder) throws IOException {
    try (Stream<Path> files = Files.walk(folder)) {
      for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.deleteIfExists(file);
      }
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
