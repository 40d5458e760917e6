package dev.plumbline.metric.sql.node;

import dev.plumbline.cluster.Cluster;
import dev.plumbline.cluster.SqlServers;
import dev.plumbline.metric.sql.local.Dialect;
import dev.plumbline.metric.sql.local.EmbeddedPostgreSql;
import dev.plumbline.metric.sql.local.LocalDatabase;
import dev.plumbline.metric.sql.local.PostgreSql;
import dev.plumbline.metric.sql.log.NodeProcess;
import dev.plumbline.metric.sql.site.MetricServer;
import dev.plumbline.metric.sql.site.Site;
import dev.plumbline.node.NodeConfig;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/**
 * The JDBC server of one site of a cluster, with an embedded PostgreSQL, or another server by its
 * URL. It ends when the cluster does.
 */
public final class SiteMain {
  private static final Set<String> OPTIONS = Set.of("url", "lease", "patience");
  private static final String PROCESS = "metric-process";
  private static final int CONNECTIONS = 100;
  private static final long POLL_MILLIS = 200;
  private static final String DATABASE = "site";

  private SiteMain() {}

  /**
   * Serves until the cluster is down.
   *
   * @param arguments the cluster's folder, the region, the port (0 for any), and options: {@code
   *     url=} with a JDBC URL of a PostgreSQL or MariaDB, if it is not to be the embedded
   *     PostgreSQL, {@code lease=} and {@code patience=} in milliseconds
   */
  public static void main(String... arguments) throws IOException, SQLException {
    Map<String, String> named = new HashMap<>();
    for (String option :
        Arrays.asList(arguments).subList(Math.min(3, arguments.length), arguments.length)) {
      named.put(option.replaceFirst("=.*", ""), option.replaceFirst("[^=]*=?", ""));
    }
    if (arguments.length < 3 || !OPTIONS.containsAll(named.keySet())) {
      System.err.println(
          "usage: SiteMain FOLDER REGION PORT [url=JDBC-URL] [lease=MILLIS] [patience=MILLIS]");
      System.exit(2);
    }
    Path folder = Path.of(arguments[0]);
    String region = arguments[1];
    Cluster.Proc owner = Cluster.state(folder).orElseThrow().owner();
    NodeConfig config = NodeConfig.read(folder.resolve("conf/client.yaml"));
    List<String> processes = config.topology().rolesOf(PROCESS, region);
    if (processes.isEmpty()) {
      System.err.println("there is no region " + region + " with a Metric process");
      System.exit(2);
    }
    String database = named.get("url");
    LocalDatabase local =
        database == null
            ? new LocalDatabase(new PostgreSql(), embedded(SqlServers.data(folder, region)))
            : new LocalDatabase(Dialect.of(database), () -> DriverManager.getConnection(database));
    NodeLinks links = new NodeLinks(config, Cluster.CLIENT, processes.get(0));
    Site.Options usual = Site.Options.USUAL;
    Site.Options options =
        new Site.Options(
            millis(named.get("patience"), usual.patience()),
            millis(named.get("lease"), usual.lease()),
            usual.background(),
            usual.connections());
    NodeProcess process = new NodeProcess(links, options.patience(), options.lease());
    Site site = new Site(region, local, process, options);
    MetricServer server = new MetricServer(site, Integer.parseInt(arguments[2]));
    Path url = SqlServers.url(folder, region);
    Path made = url.resolveSibling(url.getFileName() + ".new");
    Files.writeString(made, "jdbc:metric://127.0.0.1:" + server.port() + "\n");
    Files.move(made, url, StandardCopyOption.REPLACE_EXISTING, StandardCopyOption.ATOMIC_MOVE);
    awaitEnd(folder, owner);
    server.close();
    site.close();
    links.close();
    System.exit(0);
  }

  private static Duration millis(String text, Duration usual) {
    return text == null ? usual : Duration.ofMillis(Long.parseLong(text));
  }

  /** Another cluster in the same folder is not this one: it has another owner. */
  private static void awaitEnd(Path folder, Cluster.Proc owner) throws IOException {
    try {
      while (Cluster.state(folder).map(Cluster.State::owner).equals(Optional.of(owner))) {
        Thread.sleep(POLL_MILLIS);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private static LocalDatabase.Source embedded(Path data) throws IOException, SQLException {
    boolean fresh = Files.notExists(data.resolve("PG_VERSION"));
    awaitEndOfOld(data);
    Files.createDirectories(data);
    EmbeddedPostgreSql.guard(data);
    EmbeddedPostgreSql server = new EmbeddedPostgreSql(data, CONNECTIONS);
    if (fresh) {
      server.create(DATABASE);
    }
    return () -> server.connect(DATABASE);
  }

  /**
   * The database of a server that was killed ends shortly after it. What it left to say that it
   * runs goes then: its process may have ended and be there as long as nobody has asked how, and a
   * new one would take it for one that runs.
   */
  private static void awaitEndOfOld(Path data) throws IOException {
    try {
      for (int i = 0; i < 50 && inUse(data); i++) {
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
}
