package dev.plumbline.metric.sql.node;

import static dev.plumbline.metric.sql.local.States.closing;
import static dev.plumbline.metric.sql.local.States.committing;
import static dev.plumbline.metric.sql.local.States.doing;
import static dev.plumbline.metric.sql.local.States.state;
import static org.assertj.core.api.Assertions.assertThat;

import dev.plumbline.cluster.ClusterState;
import dev.plumbline.cluster.SqlServers;
import dev.plumbline.metric.sql.local.Sql;
import dev.plumbline.metric.sql.local.TestPostgres;
import dev.plumbline.protocol.Protocols;
import java.io.IOException;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A cluster whose sites serve SQL, all of it processes; each may end at any moment. On a machine
 * with much else to do it takes longer than the quick lane may.
 */
@Tag("slow")
class SitesTest {
  private static final List<String> REGIONS = List.of("S2", "S3");

  /** For what may happen on a machine with much else to do. */
  private static final long PATIENCE_SECONDS = 60;

  @TempDir static Path folder;

  private static TestCluster cluster;
  private static final Map<String, String> URLS = new HashMap<>();

  /** The database of S3, whose server has none of its own. */
  private static String named;

  @BeforeAll
  static void start() throws IOException, SQLException {
    // Whether there is a PostgreSQL here at all.
    assertThat(TestPostgres.server()).isNotNull();
    named = TestPostgres.database();
    cluster =
        new TestCluster(
            folder,
            List.of("lease=2000", "patience=4000"),
            Map.of("S3", TestPostgres.server().url(named)));
    URLS.putAll(cluster.serve(REGIONS));
    try (Connection c = connect("S2?initialization=true")) {
      Sql.run(
          c,
          "create table account (id int primary key, balance int not null)",
          "insert into account values (1, 100), (2, 100)",
          "end initialization");
    }
  }

  @AfterAll
  static void stop() throws IOException {
    if (cluster != null) {
      cluster.close();
    }
  }

  private static Connection connect(String region) throws SQLException {
    return DriverManager.getConnection(URLS.get(region.substring(0, 2)) + region.substring(2));
  }

  /** By Avatica's own driver, as an application has it that knows nothing of this project. */
  private static Connection plain(String region) throws SQLException {
    return DriverManager.getConnection(
        SqlServers.client(
            Protocols.named(TestCluster.PROTOCOL).sqlSide().orElseThrow(), URLS.get(region)));
  }

  /** What a query says, once it is answered; errors that ask for a second try are tried again. */
  private static List<String> ask(String region, String sql) throws Exception {
    long end = System.nanoTime() + PATIENCE_SECONDS * 1_000_000_000;
    while (true) {
      try (Connection c = connect(region)) {
        return Sql.strings(c, sql);
      } catch (SQLException e) {
        assertThat(e.getSQLState()).as(e.toString()).isIn("40001", "08001", "08006", "08007");
        if (System.nanoTime() > end) {
          throw e;
        }
        Thread.sleep(50);
      }
    }
  }

  /** Processes that have to do with the cluster's folder, by their command lines. */
  private static List<String> processes(String with) throws IOException {
    List<String> found = new ArrayList<>();
    try (Stream<Path> all = Files.list(Path.of("/proc"))) {
      for (Path p : all.filter(f -> f.getFileName().toString().matches("\\d+")).toList()) {
        try {
          String command = Files.readString(p.resolve("cmdline")).replace('\0', ' ');
          if (command.contains(folder.resolve("cluster").toString()) && command.contains(with)) {
            found.add(p.getFileName() + " " + command);
          }
        } catch (IOException e) {
          // It has ended meanwhile.
        }
      }
    }
    return found;
  }

  private static void awaitNone(String with) throws Exception {
    long end = System.nanoTime() + PATIENCE_SECONDS * 1_000_000_000;
    while (!processes(with).isEmpty() && System.nanoTime() < end) {
      Thread.sleep(20);
    }
    assertThat(processes(with)).isEmpty();
  }

  private static void kill(String process) throws Exception {
    ProcessHandle handle =
        ProcessHandle.of(cluster.state().processes().get(process).pid()).orElseThrow();
    assertThat(handle.destroyForcibly()).isTrue();
    handle.onExit().join();
  }

  private static void awaitService(String region) throws Exception {
    long end = System.nanoTime() + 60_000_000_000L;
    while (true) {
      try {
        assertThat(ask(region, "select 1")).containsExactly("1");
        return;
      } catch (SQLException e) {
        assertThat(e.getSQLState()).startsWith("08");
        assertThat(System.nanoTime()).isLessThan(end);
        Thread.sleep(500);
      }
    }
  }

  /** One test, for each step begins with what the last has left. */
  @Test
  void whatWasAcknowledgedOutlivesAServerADatabaseAndANode() throws Exception {
    try (Connection c = plain("S3")) {
      assertThat(Sql.strings(c, "select balance from account order by id"))
          .containsExactly("100", "100");
      Sql.run(c, "update account set balance = balance - 1 where id = 1");
    }
    Connection killed = connect("S2");
    Sql.run(killed, "update account set balance = balance + 1 where id = 2");
    killed.setAutoCommit(false);
    Sql.run(killed, "update account set balance = 0");

    kill("sql-S2");
    state(doing(killed, "select * from account"), "08006");
    state(committing(killed), "08003");
    state(() -> connect("S2"), "08001");
    state(closing(killed), "08006");
    assertThat(ask("S3", "select balance from account order by id")).containsExactly("99", "101");
    assertThat(SqlServers.data(cluster.folder(), "S3")).doesNotExist();
    try (Connection c = TestPostgres.server().connect(named)) {
      assertThat(Sql.strings(c, "select count(*) from account")).containsExactly("2");
    }
    awaitNone("data/sql-S2");

    assertThat(cluster.servers().await("S2", cluster.servers().launch("S2")))
        .isEqualTo(URLS.get("S2"));
    assertThat(ask("S2", "select balance from account order by id")).containsExactly("99", "101");

    // Its server starts it again.
    databaseOf("S2").destroyForcibly();
    state(
        () -> {
          try (Connection c = connect("S2")) {
            return Sql.strings(c, "select * from account");
          }
        },
        "08001");
    assertThat(ask("S3", "select sum(balance) from account")).containsExactly("200");
    awaitService("S2");
    assertThat(ask("S2", "select balance from account order by id")).containsExactly("99", "101");

    kill("S3");
    try (Connection c = connect("S3")) {
      state(doing(c, "update account set balance = 7"), "08006");
    }
    assertThat(ask("S2", "select balance from account order by id")).containsExactly("99", "101");

    serveByConfiguration();

    cluster.close();
    // At once: a cluster that is started in the same folder now finds nobody there.
    assertThat(processes("")).isEmpty();
    assertThat(ClusterState.of(cluster.folder())).isEmpty();
  }

  /** As on a machine of its own, which has a database and no folder of the cluster. */
  private static void serveByConfiguration() throws Exception {
    List<String> command =
        new ArrayList<>(
            SqlServers.command(
                Path.of(".."),
                Protocols.named(TestCluster.PROTOCOL).sqlSide().orElseThrow(),
                SiteMain.class.getName()));
    int port;
    try (ServerSocket free = new ServerSocket(0)) {
      port = free.getLocalPort();
    }
    String client = cluster.folder().resolve("conf/client.yaml").toString();
    command.addAll(List.of(client, "S1", "127.0.0.1:" + port));
    ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
    builder.environment().put(SqlServers.URL, TestPostgres.server().url(TestPostgres.database()));
    Process server = builder.start();
    String url = "jdbc:metric://127.0.0.1:" + port;
    assertThat(server.inputReader().readLine()).isEqualTo("SQL at S1: " + url);
    URLS.put("S1", url);
    assertThat(ask("S1", "select balance from account order by id")).containsExactly("99", "101");
    // Its database is nobody else's.
    command.set(command.indexOf("S1"), "S2");
    command.set(command.indexOf("127.0.0.1:" + port), "0");
    Process second = builder.start();
    assertThat(second.inputReader().readLine())
        .isEqualTo("plumb: another JDBC server has this database; give each region one of its own");
    assertThat(second.waitFor()).isEqualTo(3);
    server.destroy();
    assertThat(server.waitFor()).isZero();
  }

  private static ProcessHandle databaseOf(String region) throws IOException {
    return ProcessHandle.of(SqlServers.databasePid(cluster.folder(), region)).orElseThrow();
  }
}
