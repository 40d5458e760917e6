package dev.plumbline.metric.sql.local;

import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Map;
import java.util.stream.Stream;

/**
 * PostgreSQL's own binaries from Maven Central as a process of this one. PostgreSQL refuses to run
 * as root; there it is started in a user namespace in which it is not.
 */
public final class EmbeddedPostgreSql implements AutoCloseable {
  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final int UNKNOWN_LENGTH = 65_535;

  private static final long POLL_MILLIS = 200;
  private static final int POLLS = 50;

  private final EmbeddedPostgres server;
  private final Path data;
  private final int connections;
  private final Map<String, String> settings;

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
    this.data = data;
    this.connections = connections;
    this.settings = Map.copyOf(settings);
    if (data.toAbsolutePath().toString().matches("(?s).*[\"$`].*")) {
      throw new SQLException(
          "the embedded PostgreSQL cannot have its data in "
              + data
              + ": a shell reads the path there, to which \" $ ` mean something. Name another"
              + " folder, or a server by its URL",
          "08001");
    }
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

  /**
   * Connections to a database of a server. One that has ended, as where its disk was full, is
   * started again when the next connection is wanted and there is room.
   */
  public static final class Kept implements LocalDatabase.Source {
    /** One that somebody else starts again, or starts with its own process, is back before. */
    private static final long PAUSE_NANOS = 3_000_000_000L;

    /** What a server needs to start: a segment of its log has 16 MiB. */
    private static final long ROOM = 64L << 20;

    private final String database;
    private EmbeddedPostgreSql server;

    /** Since when it is known to be down, or was tried in vain; null if it was there last. */
    private Long down;

    public Kept(EmbeddedPostgreSql server, String database) {
      this.server = server;
      this.database = database;
    }

    private synchronized EmbeddedPostgreSql server() {
      return server;
    }

    @Override
    public Connection open() throws SQLException {
      EmbeddedPostgreSql now = server();
      try {
        Connection c = now.connect(database);
        back();
        return c;
      } catch (SQLException e) {
        return again(now, e).connect(database);
      }
    }

    private synchronized void back() {
      down = null;
    }

    /** A server that was started since, or is now. */
    private synchronized EmbeddedPostgreSql again(EmbeddedPostgreSql old, SQLException why)
        throws SQLException {
      if (server != old) {
        return server;
      }
      long now = System.nanoTime();
      down = down == null ? Long.valueOf(now) : down;
      try {
        boolean room = old.data.toFile().getUsableSpace() > ROOM;
        if (!room || now - down < PAUSE_NANOS || inUse(old.data)) {
          throw why;
        }
        down = now;
        // It has a lock on the folder.
        old.close();
        awaitEndOfOld(old.data);
        server = new EmbeddedPostgreSql(old.data, old.connections, old.settings);
        return server;
      } catch (IOException e) {
        why.addSuppressed(e);
        throw why;
      }
    }

    /** Ends the server. */
    public synchronized void close() throws IOException {
      server.close();
    }
  }

  /**
   * The database of a server that was killed ends shortly after it. What it left to say that it
   * runs goes then: its process may have ended and be there as long as nobody has asked how, and a
   * new one would take it for one that runs.
   */
  public static void awaitEndOfOld(Path data) throws IOException {
    try {
      for (int i = 0; i < POLLS && inUse(data); i++) {
        Thread.sleep(POLL_MILLIS);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    if (!inUse(data)) {
      Files.deleteIfExists(data.resolve("postmaster.pid"));
    }
  }

  /** Whether a process is at home in a folder, as all of a database's are. */
  private static boolean inUse(Path data) throws IOException {
    if (Files.notExists(data)) {
      return false;
    }
    Path home = data.toRealPath();
    try (Stream<Path> all = Files.list(Path.of("/proc"))) {
      return all.map(p -> p.resolve("cwd")).anyMatch(cwd -> leadsTo(cwd, home));
    }
  }

  private static boolean leadsTo(Path link, Path target) {
    try {
      return Files.readSymbolicLink(link).equals(target);
    } catch (IOException e) {
      // It is no process's, or the process has ended meanwhile.
      return false;
    }
  }

  @Override
  public void close() throws IOException {
    server.close();
  }
}
