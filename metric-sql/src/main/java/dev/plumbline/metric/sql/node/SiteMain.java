package dev.plumbline.metric.sql.node;

import dev.plumbline.cluster.Certificates;
import dev.plumbline.cluster.Cluster;
import dev.plumbline.cluster.ClusterState;
import dev.plumbline.cluster.SqlServers;
import dev.plumbline.metric.sql.local.Dialect;
import dev.plumbline.metric.sql.local.EmbeddedPostgreSql;
import dev.plumbline.metric.sql.local.LocalDatabase;
import dev.plumbline.metric.sql.local.PostgreSql;
import dev.plumbline.metric.sql.log.NodeProcess;
import dev.plumbline.metric.sql.site.MetricServer;
import dev.plumbline.metric.sql.site.Site;
import dev.plumbline.node.ConfigException;
import dev.plumbline.node.KeyStores;
import dev.plumbline.node.NodeConfig;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
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
import java.util.concurrent.CompletableFuture;

/**
 * The JDBC server of one site. In a cluster of {@code ./plumb cluster up} it has an embedded
 * PostgreSQL, or another server by its URL, and ends when the cluster does. By a client's
 * configuration it has a database by its URL, and ends by SIGTERM or SIGINT.
 */
public final class SiteMain {
  private static final Set<String> OPTIONS =
      Set.of("url", "lease", "patience", "name", SqlServers.TLS, SqlServers.PARENT);
  private static final String PROCESS = "metric-process";
  private static final int BAD_USAGE = 2;
  private static final int ENVIRONMENT = 3;
  private static final int CONNECTIONS = 100;
  private static final long POLL_MILLIS = 200;
  private static final String DATABASE = "site";

  private SiteMain() {}

  /**
   * Serves until the cluster is down, or it is told to stop.
   *
   * @param arguments the cluster's folder, or a client's configuration file; the region; where to
   *     listen, {@code HOST:PORT}, or a port of loopback (0 for any); and options: {@code url=}
   *     with a JDBC URL of a PostgreSQL or MariaDB, if it is not to be the embedded PostgreSQL of a
   *     cluster, {@code lease=} and {@code patience=} in milliseconds, {@code name=} of the
   *     certificate that is shown to nodes, {@code tls=} of the one that is shown to JDBC's
   *     clients, {@code parent=} with a process that this one ends with
   */
  public static void main(String... arguments) {
    try {
      serve(arguments);
    } catch (ConfigException e) {
      end(BAD_USAGE, e.describe());
    } catch (IllegalArgumentException e) {
      end(BAD_USAGE, e.getMessage());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (IOException | SQLException | RuntimeException e) {
      end(ENVIRONMENT, e.getMessage() == null ? e.toString() : e.getMessage());
    }
  }

  private static void end(int code, String why) {
    System.err.println("plumb: " + why);
    Runtime.getRuntime().halt(code);
  }

  private static void serve(String... arguments)
      throws IOException, SQLException, InterruptedException {
    Map<String, String> named = new HashMap<>();
    for (String option :
        Arrays.asList(arguments).subList(Math.min(3, arguments.length), arguments.length)) {
      named.put(option.replaceFirst("=.*", ""), option.replaceFirst("[^=]*=?", ""));
    }
    if (arguments.length < 3 || !OPTIONS.containsAll(named.keySet())) {
      throw new IllegalArgumentException(
          "usage: SiteMain FOLDER|CONFIG REGION [HOST:]PORT [url=JDBC-URL] [lease=MILLIS]"
              + " [patience=MILLIS] [name=NAME] [tls=NAME] [parent=PID]");
    }
    Path place = Path.of(arguments[0]);
    String region = arguments[1];
    boolean ofCluster = Files.isDirectory(place);
    NodeConfig config = NodeConfig.read(ofCluster ? place.resolve("conf/client.yaml") : place);
    List<String> processes = config.topology().rolesOf(PROCESS, region);
    if (processes.isEmpty()) {
      throw new IllegalArgumentException(
          "there is no region "
              + region
              + " with a Metric process; there are "
              + String.join(", ", config.topology().regions()));
    }
    InetSocketAddress at = address(arguments[2]);
    MetricServer.Keys keys =
        named.containsKey(SqlServers.TLS) ? keys(config, named.get(SqlServers.TLS)) : null;
    String database = named.getOrDefault("url", ofCluster ? null : System.getenv(SqlServers.URL));
    if (database == null && !ofCluster) {
      throw new IllegalArgumentException(
          "the JDBC URL of the site's database is missing: name it with --sql-url, or in "
              + SqlServers.URL);
    }
    LocalDatabase local =
        database == null
            ? new LocalDatabase(new PostgreSql(), embedded(SqlServers.data(place, region)))
            : own(database);
    NodeLinks links =
        new NodeLinks(config, named.getOrDefault("name", Cluster.CLIENT), processes.get(0));
    Site.Options usual = Site.Options.USUAL;
    Site.Options options =
        new Site.Options(
            millis(named.get("patience"), usual.patience()),
            millis(named.get("lease"), usual.lease()),
            usual.background(),
            usual.connections());
    NodeProcess process = new NodeProcess(links, options.patience(), options.lease());
    Site site = new Site(region, local, process, options);
    MetricServer server = new MetricServer(site, at, keys);
    Runnable close =
        () -> {
          server.close();
          site.close();
          links.close();
        };
    String url = "jdbc:metric://" + at.getHostString() + ":" + server.port();
    if (ofCluster) {
      ClusterState.Proc owner = ClusterState.of(place).orElseThrow().owner();
      Path file = SqlServers.url(place, region);
      Path made = file.resolveSibling(file.getFileName() + ".new");
      Files.writeString(made, (keys == null ? url : url + clients(Path.of(config.tls()))) + "\n");
      Files.move(made, file, StandardCopyOption.REPLACE_EXISTING, StandardCopyOption.ATOMIC_MOVE);
      awaitEnd(place, owner);
      close.run();
      System.exit(0);
    } else {
      Runtime.getRuntime()
          .addShutdownHook(
              new Thread(
                  () -> {
                    close.run();
                    Runtime.getRuntime().halt(0);
                  }));
      Optional.ofNullable(named.get(SqlServers.PARENT)).ifPresent(SiteMain::endWith);
      System.out.println("SQL at " + region + ": " + url);
      server.join();
    }
  }

  /** Ends when the process that started it has ended. */
  @SuppressWarnings("FutureReturnValueIgnored")
  private static void endWith(String pid) {
    ProcessHandle.of(Long.parseLong(pid))
        .map(ProcessHandle::onExit)
        .orElseGet(() -> CompletableFuture.completedFuture(null))
        .thenRun(() -> System.exit(0));
  }

  /** HOST:PORT, or a port of loopback. */
  private static InetSocketAddress address(String text) {
    int colon = text.lastIndexOf(':');
    String host = colon < 0 ? "127.0.0.1" : text.substring(0, colon);
    try {
      InetSocketAddress at =
          new InetSocketAddress(host, Integer.parseInt(text.substring(colon + 1)));
      if (!at.isUnresolved()) {
        return at;
      }
    } catch (IllegalArgumentException e) {
      // Said below.
    }
    throw new IllegalArgumentException(text + " is no address to listen at; say HOST:PORT");
  }

  private static MetricServer.Keys keys(NodeConfig config, String name) throws IOException {
    if (config.tls() == null) {
      throw new IllegalArgumentException(
          "there are no certificates: the configuration has no key \"tls\"");
    }
    Path folder = Path.of(config.tls());
    return new MetricServer.Keys(
        KeyStores.own(folder, name), KeyStores.PASSWORD, KeyStores.authority(folder));
  }

  /** What the URL of a client in a cluster names: its own file there. */
  private static String clients(Path folder) throws IOException {
    String file =
        URLEncoder.encode(
            Certificates.store(folder, Cluster.CLIENT).toAbsolutePath().toString(),
            StandardCharsets.UTF_8);
    String password = KeyStores.PASSWORD;
    return "?truststore=%s&truststore_password=%s&keystore=%s&keystore_password=%s&key_password=%s"
        .formatted(file, password, file, password, password);
  }

  /** A database by its URL, which no other site's server may have. */
  private static LocalDatabase own(String url) throws SQLException, InterruptedException {
    new Claim(url)
        .keep(() -> end(ENVIRONMENT, "another JDBC server has taken this one's database"));
    return new LocalDatabase(Dialect.of(url), () -> DriverManager.getConnection(url));
  }

  private static Duration millis(String text, Duration usual) {
    return text == null ? usual : Duration.ofMillis(Long.parseLong(text));
  }

  /** Another cluster in the same folder is not this one: it has another owner. */
  private static void awaitEnd(Path folder, ClusterState.Proc owner) throws IOException {
    try {
      while (ClusterState.of(folder).map(ClusterState::owner).equals(Optional.of(owner))) {
        Thread.sleep(POLL_MILLIS);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private static LocalDatabase.Source embedded(Path data) throws IOException, SQLException {
    boolean fresh = Files.notExists(data.resolve("PG_VERSION"));
    EmbeddedPostgreSql.awaitEndOfOld(data);
    Files.createDirectories(data);
    EmbeddedPostgreSql.guard(data);
    EmbeddedPostgreSql server = new EmbeddedPostgreSql(data, CONNECTIONS);
    if (fresh) {
      server.create(DATABASE);
    }
    return new EmbeddedPostgreSql.Kept(server, DATABASE);
  }
}
