package dev.plumbline.sql.metric.node;

import dev.plumbline.node.NodeConfig;
import dev.plumbline.sql.metric.local.EmbeddedPostgreSql;
import dev.plumbline.sql.metric.local.LocalDatabase;
import dev.plumbline.sql.metric.local.PostgreSql;
import dev.plumbline.sql.metric.log.NodeProcess;
import dev.plumbline.sql.metric.site.MetricServer;
import dev.plumbline.sql.metric.site.Site;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.List;

/**
 * The JDBC server of one site of a cluster, with an embedded PostgreSQL, or another server by its
 * URL. It ends when the cluster does.
 */
public final class SiteMain {
  /** What the cluster writes down while it is up. */
  private static final String UP = "cluster.json";

  private static final String PROCESS = "metric-process";
  private static final int CONNECTIONS = 100;
  private static final long POLL_MILLIS = 200;
  private static final String DATABASE = "site";

  private SiteMain() {}

  /**
   * Serves until the cluster is down.
   *
   * @param arguments the cluster's folder, the region, the port (0 for any), and a JDBC URL of a
   *     PostgreSQL, if it is not to be the embedded one
   */
  public static void main(String... arguments) throws IOException, SQLException {
    if (arguments.length < 3 || arguments.length > 4) {
      System.err.println("usage: SiteMain FOLDER REGION PORT [JDBC-URL]");
      System.exit(2);
    }
    Path folder = Path.of(arguments[0]);
    String region = arguments[1];
    NodeConfig config = NodeConfig.read(folder.resolve("conf/client.yaml"));
    List<String> processes = config.topology().rolesOf(PROCESS, region);
    if (processes.isEmpty()) {
      System.err.println("there is no region " + region + " with a Metric process");
      System.exit(2);
    }
    LocalDatabase local =
        new LocalDatabase(
            new PostgreSql(),
            arguments.length == 4
                ? () -> DriverManager.getConnection(arguments[3])
                : embedded(folder.resolve("data").resolve("sql-" + region)));
    NodeLinks links = new NodeLinks(config, "client", processes.get(0));
    NodeProcess process =
        new NodeProcess(links, Site.Options.USUAL.patience(), Site.Options.USUAL.lease());
    Site site = new Site(region, local, process, Site.Options.USUAL);
    MetricServer server = new MetricServer(site, Integer.parseInt(arguments[2]));
    Path url = folder.resolve("out").resolve("sql-" + region + ".url");
    Path made = url.resolveSibling(url.getFileName() + ".new");
    Files.writeString(made, "jdbc:metric://127.0.0.1:" + server.port() + "\n");
    Files.move(made, url, StandardCopyOption.REPLACE_EXISTING, StandardCopyOption.ATOMIC_MOVE);
    awaitEnd(folder);
    server.close();
    site.close();
    links.close();
    System.exit(0);
  }

  private static void awaitEnd(Path folder) {
    try {
      while (Files.exists(folder.resolve(UP))) {
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
    EmbeddedPostgreSql server = new EmbeddedPostgreSql(data, CONNECTIONS);
    guard(data);
    if (fresh) {
      server.create(DATABASE);
    }
    return () -> server.connect(DATABASE);
  }

  /** The database of a server that was killed ends shortly after it. */
  private static void awaitEndOfOld(Path data) throws IOException {
    Path mark = data.resolve("postmaster.pid");
    for (int i = 0; i < 50 && Files.exists(mark); i++) {
      long pid = Long.parseLong(Files.readAllLines(mark).get(0).trim());
      boolean runs =
          ProcessHandle.of(pid)
              .flatMap(p -> p.info().commandLine())
              .orElse("")
              .contains("postgres");
      if (!runs) {
        return;
      }
      try {
        Thread.sleep(POLL_MILLIS);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        return;
      }
    }
  }

  /** Ends the database at once when this process is gone, however that came about. */
  private static void guard(Path data) throws IOException {
    // Its input ends with this process, which writes nothing to it.
    String script = "cat >/dev/null; [ -f \"$0\" ] && kill -QUIT $(head -n 1 \"$0\")";
    Process guard =
        new ProcessBuilder("sh", "-c", script, data.resolve("postmaster.pid").toString())
            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
            .redirectError(ProcessBuilder.Redirect.DISCARD)
            .start();
    if (!guard.isAlive()) {
      throw new IOException("the database's guard does not run");
    }
  }
}
