package dev.plumbline.metric.sql.bench;

import dev.plumbline.metric.sql.local.EmbeddedPostgreSql;
import dev.plumbline.metric.sql.local.Sql;
import dev.plumbline.protocol.RttTable;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * What sites are compared with: a PostgreSQL at the first site, and one more there with a standby
 * at each other site, one of which must have a commit before it is answered. Between sites all of
 * them are as far apart as the sites are.
 */
final class Databases implements AutoCloseable {
  private static final String DATABASE = "bench";
  private static final int CONNECTIONS = 100;

  /** A commit waits for the disk, and for a standby where there are some. */
  private static final Map<String, String> WAITING = Map.of("synchronous_commit", "on");

  private static final int WAIT_MILLIS = 100;
  private static final int WAITS = 300;

  private final Path folder;
  private final RttTable rtt;
  private final Deque<AutoCloseable> open = new ArrayDeque<>();
  private final Map<String, String> single;
  private final Map<String, String> replicated;

  /**
   * Starts them.
   *
   * @param folder empty, or not there yet
   * @param statements make and fill the tables
   */
  Databases(Path folder, RttTable rtt, List<String> statements) throws IOException, SQLException {
    this.folder = folder;
    this.rtt = rtt;
    single = urls(filled("single", statements));
    EmbeddedPostgreSql filled = filled("primary", statements);
    open.pop();
    filled.close();
    List<String> others = rtt.regions().subList(1, rtt.regions().size());
    for (String standby : others) {
      copy(folder.resolve("primary"), folder.resolve(standby));
    }
    set(
        "primary",
        "synchronous_standby_names = 'ANY 1 (\"" + String.join("\", \"", others) + "\")'");
    EmbeddedPostgreSql primary = started("primary");
    for (String standby : others) {
      Files.createFile(folder.resolve(standby).resolve("standby.signal"));
      set(
          standby,
          "primary_conninfo = 'host=127.0.0.1 user=postgres port="
              + link(primary, standby)
              + " application_name="
              + standby
              + "'");
      started(standby);
    }
    awaitStandbys(primary, others.size());
    replicated = urls(primary);
  }

  /** JDBC URLs for clients of each site. */
  Map<String, String> urls(boolean standbys) {
    return standbys ? replicated : single;
  }

  private EmbeddedPostgreSql filled(String name, List<String> statements)
      throws IOException, SQLException {
    EmbeddedPostgreSql server = started(name);
    server.create(DATABASE);
    try (Connection c = server.connect(DATABASE)) {
      Sql.run(c, statements.toArray(String[]::new));
    }
    return server;
  }

  private EmbeddedPostgreSql started(String name) throws IOException, SQLException {
    Path data = Files.createDirectories(folder.resolve(name));
    EmbeddedPostgreSql.guard(data);
    EmbeddedPostgreSql server = new EmbeddedPostgreSql(data, CONNECTIONS, WAITING);
    open.push(server);
    return server;
  }

  private void set(String name, String line) throws IOException {
    Files.writeString(
        folder.resolve(name).resolve("postgresql.auto.conf"),
        line + "\n",
        StandardOpenOption.CREATE,
        StandardOpenOption.APPEND);
  }

  /** A port that leads from a site to a server at the first one. */
  private int link(EmbeddedPostgreSql server, String site) throws IOException {
    SlowLink link = new SlowLink(server.port(), rtt.rttMicros(0, rtt.index(site)) / 2);
    open.push(link);
    return link.port();
  }

  private Map<String, String> urls(EmbeddedPostgreSql server) throws IOException {
    Map<String, String> urls = new LinkedHashMap<>();
    for (String site : rtt.regions()) {
      int port = site.equals(rtt.regions().get(0)) ? server.port() : link(server, site);
      urls.put(site, "jdbc:postgresql://127.0.0.1:" + port + "/" + DATABASE + "?user=postgres");
    }
    return urls;
  }

  private static void awaitStandbys(EmbeddedPostgreSql primary, int standbys)
      throws IOException, SQLException {
    String asked = "select count(*) from pg_stat_replication where state = 'streaming'";
    try (Connection c = primary.connect(DATABASE)) {
      for (int i = 0; Integer.parseInt(Sql.string(c, asked)) < standbys; i++) {
        if (i == WAITS) {
          throw new IOException(
              "of " + standbys + " standbys " + Sql.string(c, asked) + " follow the primary");
        }
        Thread.sleep(WAIT_MILLIS);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted", e);
    }
  }

  private static void copy(Path from, Path to) throws IOException {
    List<Path> all = new ArrayList<>();
    try (Stream<Path> files = Files.walk(from)) {
      files.forEach(all::add);
    }
    for (Path file : all) {
      Files.copy(file, to.resolve(from.relativize(file)), StandardCopyOption.COPY_ATTRIBUTES);
    }
  }

  @Override
  public void close() throws Exception {
    while (!open.isEmpty()) {
      open.pop().close();
    }
  }
}
