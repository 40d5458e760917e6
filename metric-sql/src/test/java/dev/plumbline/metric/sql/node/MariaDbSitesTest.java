package dev.plumbline.metric.sql.node;

import static dev.plumbline.metric.sql.local.States.closing;
import static dev.plumbline.metric.sql.local.States.doing;
import static dev.plumbline.metric.sql.local.States.state;
import static org.assertj.core.api.Assertions.assertThat;

import dev.plumbline.metric.sql.local.Sql;
import dev.plumbline.metric.sql.local.TestMariaDb;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A cluster of processes over MariaDB servers that run already, which outlive it. */
@Tag("slow")
class MariaDbSitesTest {
  private static final List<String> REGIONS = List.of("S1", "S2", "S3");
  private static final String SUM = "select sum(balance) from account";

  @TempDir Path folder;

  private static List<String> ask(String url, String sql) throws Exception {
    try (Connection c = DriverManager.getConnection(url)) {
      return Sql.strings(c, sql);
    }
  }

  @Test
  void aSiteTakesTheDialectOfItsUrl() throws Exception {
    Map<String, String> databases = new HashMap<>();
    for (String region : REGIONS) {
      databases.put(region, TestMariaDb.url());
    }
    try (TestCluster cluster =
        new TestCluster(folder, List.of("lease=2000", "patience=8000"), databases)) {
      Map<String, String> urls = cluster.serve(REGIONS);
      try (Connection c = DriverManager.getConnection(urls.get("S1") + "?initialization=true")) {
        Sql.run(
            c,
            "create table account (id int primary key, balance int not null)",
            "insert into account values (1, 100), (2, 100)",
            "end initialization");
      }
      for (String region : REGIONS) {
        try (Connection c = DriverManager.getConnection(urls.get(region))) {
          assertThat(c.getMetaData().getDatabaseProductName()).isEqualTo("MariaDB");
          c.setAutoCommit(false);
          Sql.run(
              c,
              "update account set balance = balance - 10 where id = 1",
              "update account set balance = balance + 11 where id = 2");
          try (PreparedStatement s =
              c.prepareStatement("select count(*) from account where id = ?")) {
            s.setInt(1, 2);
            ResultSet rows = s.executeQuery();
            assertThat(rows.next() && rows.getInt(1) == 1).as("with a parameter").isTrue();
          }
          c.commit();
        }
      }
      Connection killed = DriverManager.getConnection(urls.get("S2"));
      killed.setAutoCommit(false);
      Sql.run(killed, "update account set balance = 0");
      ProcessHandle server =
          ProcessHandle.of(cluster.state().processes().get("sql-S2").pid()).orElseThrow();
      assertThat(server.destroyForcibly()).isTrue();
      server.onExit().join();
      state(doing(killed, SUM), "08006");
      state(closing(killed), "08006");
      // Its database is nobody's to end.
      assertThat(ask(databases.get("S2"), "select 1")).containsExactly("1");
      cluster.servers().await("S2", cluster.servers().launch("S2"));
      for (String region : REGIONS) {
        assertThat(ask(urls.get(region), SUM)).as(region).containsExactly("203");
      }
    }
    assertThat(ask(databases.get("S3"), SUM)).containsExactly("203");
  }
}
