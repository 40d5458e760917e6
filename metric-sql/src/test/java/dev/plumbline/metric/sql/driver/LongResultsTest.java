package dev.plumbline.metric.sql.driver;

import static dev.plumbline.metric.sql.local.States.doing;
import static dev.plumbline.metric.sql.local.States.state;
import static org.assertj.core.api.Assertions.assertThat;

import dev.plumbline.metric.sql.local.Sql;
import dev.plumbline.metric.sql.site.MetricServer;
import dev.plumbline.metric.sql.site.TestSites;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Results that are longer than a frame, or than the server's memory. */
class LongResultsTest {
  private static final String ROWS = "select i, 'x' || i as t from generate_series(1, 250) i";

  /** Some 8 MB: the server keeps them in a file. */
  private static final String MANY =
      "select i, repeat(chr(97 + i % 26), 1000) from generate_series(1, 8000) i";

  private static TestSites sites;
  private static MetricServer server;
  private static String url;

  @BeforeAll
  static void start() throws SQLException {
    sites = new TestSites(1);
    server = sites.serve(0);
    url = "jdbc:metric://127.0.0.1:" + server.port();
    sites.with(
        "create table t (id int primary key)",
        "create sequence s",
        "create function f(int) returns int language plpgsql as"
            + " $$ begin insert into t values ($1); return $1; end $$");
  }

  @AfterAll
  static void stop() {
    if (sites != null) {
      sites.close();
    }
  }

  private static long sum(ResultSet rows) throws SQLException {
    long sum = 0;
    while (rows.next()) {
      sum += rows.getInt(1);
    }
    return sum;
  }

  /**
   * To JDBC 0 is the driver's own choice; MySQL's programs ask for single rows by the least int.
   */
  @ParameterizedTest
  @ValueSource(ints = {0, 1, 7, 100, 1000, 2_000_000_000, Integer.MIN_VALUE})
  void allRowsComeWhateverTheFetchSize(int size) throws SQLException {
    for (String at : new String[] {url, server.avaticaUrl()}) {
      try (Connection c = DriverManager.getConnection(at);
          Statement s = c.createStatement();
          PreparedStatement p = c.prepareStatement(ROWS)) {
        s.setFetchSize(size);
        p.setFetchSize(size);
        assertThat(sum(s.executeQuery(ROWS))).isEqualTo(31_375);
        assertThat(sum(p.executeQuery())).isEqualTo(31_375);
        s.setMaxRows(120);
        p.setMaxRows(120);
        assertThat(sum(s.executeQuery(ROWS))).isEqualTo(7_260);
        assertThat(sum(p.executeQuery())).isEqualTo(at.equals(url) ? 7_260 : 31_375);
      }
    }
  }

  /** Rows are read while others are, behind a commit and a rollback, and not to their end. */
  @Test
  void rowsNeedNoTransaction() throws SQLException {
    for (String at : new String[] {url, server.avaticaUrl()}) {
      try (Connection c = DriverManager.getConnection(at);
          Statement one = c.createStatement();
          Statement two = c.createStatement()) {
        c.setAutoCommit(false);
        ResultSet first = one.executeQuery(MANY);
        ResultSet second = two.executeQuery(MANY);
        for (int i = 1; i <= 4_000; i++) {
          assertThat(first.next()).isTrue();
          assertThat(second.next()).isTrue();
          assertThat(first.getInt(1) + second.getInt(1)).isEqualTo(2 * i);
          if (i == 1_000) {
            c.commit();
          } else if (i == 2_000) {
            Sql.run(c, "delete from t");
            c.rollback();
          } else if (i == 3_000) {
            second.close();
            second = two.executeQuery(MANY + " offset 3000");
          }
        }
        assertThat(first.getString(2)).isEqualTo("w".repeat(1000));
        c.setAutoCommit(true);
        assertThat(sum(first)).isEqualTo(24_002_000);
        assertThat(sites.ask(0, "select count(*) from t")).hasSize(1);
      }
    }
  }

  @Test
  void aRowThatFailsUndoesAll() throws SQLException {
    String fails = "select f(i), 1 / (2000 - i) from generate_series(1, 2001) i";
    try (Connection c = DriverManager.getConnection(url)) {
      state(doing(c, fails), "22012");
      assertThat(sites.ask(0, "select count(*) from t")).containsExactly("0");
      c.setAutoCommit(false);
      Sql.run(c, "insert into t values (-1)", "savepoint a");
      state(doing(c, fails), "22012");
      Sql.run(c, "rollback to savepoint a");
      c.commit();
    }
    assertThat(sites.ask(0, "select id from t")).containsExactly("-1");
    sites.run(0, "delete from t");
  }

  /** What a query does beside its rows is done whether they are read or not. */
  @Test
  void whatAQueryDoesIsDone() throws SQLException {
    try (Connection c = DriverManager.getConnection(url);
        Statement s = c.createStatement()) {
      assertThat(s.executeQuery("select f(i) from generate_series(1, 500) i").next()).isTrue();
      assertThat(sites.ask(0, "select count(*) from t")).containsExactly("500");
      assertThat(s.executeQuery("delete from t returning id").next()).isTrue();
      assertThat(sites.ask(0, "select count(*) from t")).containsExactly("0");
    }
  }

  /** A word of it comes while the server works on rows, or while the database does. */
  @Test
  void aLongResultIsCancelled() throws Exception {
    try (Connection c = DriverManager.getConnection(url);
        Statement s = c.createStatement()) {
      for (int after : new int[] {700, 950, 1200}) {
        CompletableFuture<Void> other =
            CompletableFuture.runAsync(
                () -> {
                  try {
                    s.cancel();
                  } catch (SQLException e) {
                    throw new AssertionError(e);
                  }
                },
                CompletableFuture.delayedExecutor(after, TimeUnit.MILLISECONDS));
        state(() -> s.executeQuery("select i, 'x' from generate_series(1, 20000000) i"), "57014");
        other.get();
      }
      assertThat(sum(s.executeQuery(ROWS))).isEqualTo(31_375);
    }
  }

  /** A site in a process of little memory, and a client of it. */
  static final class Small {
    private Small() {}

    public static void main(String... none) throws Exception {
      try (TestSites site = new TestSites(1).with("create table t (id int)")) {
        MetricServer server = site.serve(0);
        String at = "jdbc:metric://127.0.0.1:" + server.port();
        for (boolean auto : new boolean[] {true, false}) {
          try (Connection c = DriverManager.getConnection(at);
              Statement s = c.createStatement()) {
            c.setAutoCommit(auto);
            s.setFetchSize(2_000);
            System.out.println(
                sum(
                    s.executeQuery(
                        "select i, repeat(chr(97 + i % 26), 2000) from generate_series(1, 60000) i")));
          }
        }
        try (Connection c = DriverManager.getConnection(at);
            Statement s = c.createStatement()) {
          s.setFetchSize(2_000);
          System.out.println(
              sum(s.executeQuery("select i, repeat('x', 300000) from generate_series(1, 300) i")));
        }
        Set<String> times = new TreeSet<>();
        try (Connection c = DriverManager.getConnection(server.avaticaUrl());
            Statement s = c.createStatement();
            ResultSet rows =
                s.executeQuery(
                    "select timestamp '2024-05-06 07:08:09', date '2024-05-06', time '07:08:09', array[i]"
                        + " from generate_series(1, 250) i")) {
          for (int i = 1; rows.next(); i++) {
            times.add(rows.getTimestamp(1) + " " + rows.getDate(2) + " " + rows.getTime(3));
            assertThat((Object[]) rows.getArray(4).getArray()).containsExactly(i);
          }
        }
        System.out.println(times);
      }
    }
  }

  /**
   * 100 MB go through a process of 96, in short rows and in long ones. Avatica's own would read
   * each frame but the first in another time zone.
   */
  @Test
  void aResultMayBeLongerThanTheMemory() throws Exception {
    Process small =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-Duser.timezone=America/New_York",
                "-Xmx96m",
                "-cp",
                System.getProperty(
                    "surefire.test.class.path", System.getProperty("java.class.path")),
                Small.class.getName())
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .start();
    try {
      assertThat(new String(small.getInputStream().readAllBytes(), StandardCharsets.UTF_8))
          .isEqualTo(
              "1800030000\n1800030000\n45150\n[2024-05-06 07:08:09.0 2024-05-06 07:08:09]\n");
    } finally {
      small.destroy();
    }
  }
}
