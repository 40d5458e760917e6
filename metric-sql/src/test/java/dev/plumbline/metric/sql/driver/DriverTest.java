package dev.plumbline.metric.sql.driver;

import static dev.plumbline.metric.sql.local.States.closing;
import static dev.plumbline.metric.sql.local.States.committing;
import static dev.plumbline.metric.sql.local.States.doing;
import static dev.plumbline.metric.sql.local.States.state;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpServer;
import dev.plumbline.metric.sql.local.Sql;
import dev.plumbline.metric.sql.site.MetricServer;
import dev.plumbline.metric.sql.site.TestSites;
import java.io.IOException;
import java.math.BigDecimal;
import java.net.HttpURLConnection;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.sql.BatchUpdateException;
import java.sql.CallableStatement;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.sql.Savepoint;
import java.sql.Statement;
import java.sql.Timestamp;
import java.sql.Types;
import java.util.ArrayList;
import java.util.Calendar;
import java.util.List;
import java.util.TimeZone;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** An application that knows a URL and JDBC alone. */
class DriverTest {
  private static TestSites sites;
  private static String url;

  @BeforeAll
  static void start() throws SQLException {
    sites = new TestSites(2);
    MetricServer first = sites.serve(0);
    url = "jdbc:metric://127.0.0.1:" + first.port();
    try (Connection c = DriverManager.getConnection(url + "?initialization=true")) {
      Sql.run(
          c,
          "create table item (id bigserial primary key, name text, price numeric(10, 2), at timestamp, b bytea, u uuid, j jsonb,"
              + " ok boolean, d date, f double precision, tags text[])",
          "create table plain (id int primary key, n int)",
          "end initialization");
    }
    sites.serve(1);
  }

  @AfterAll
  static void stop() {
    if (sites != null) {
      sites.close();
    }
  }

  /** By itself Avatica's client asks a site 25 things at a time: the commit would be the next. */
  @Test
  void aCommitDoesNotWaitForThoseWhoWaitForIt() throws Exception {
    ExecutorService threads = Executors.newFixedThreadPool(30);
    try (Connection holder = DriverManager.getConnection(url)) {
      holder.setAutoCommit(false);
      Sql.run(holder, "insert into plain values (77, 0)");
      CountDownLatch connected = new CountDownLatch(30);
      List<Future<Integer>> others = new ArrayList<>();
      for (int i = 0; i < 30; i++) {
        others.add(
            threads.submit(
                () -> {
                  try (Connection c = DriverManager.getConnection(url);
                      Statement s = c.createStatement()) {
                    connected.countDown();
                    return s.executeUpdate("update plain set n = n + 1 where id = 77");
                  }
                }));
      }
      assertThat(connected.await(60, TimeUnit.SECONDS)).isTrue();
      Thread.sleep(300);
      holder.commit();
      for (Future<Integer> other : others) {
        assertThat(other.get()).isEqualTo(1);
      }
    } finally {
      threads.shutdown();
    }
  }

  @Test
  void valuesGoThereAndBack() throws SQLException {
    try (Connection c = DriverManager.getConnection(url)) {
      try (PreparedStatement s =
          c.prepareStatement(
              "insert into item (name, price, at, b, u, j, ok, d, f) values (?, ?, ?, ?, ?::uuid, ?::jsonb, ?, ?, ?)",
              Statement.RETURN_GENERATED_KEYS)) {
        s.setString(1, "Ünï🐘");
        s.setBigDecimal(2, new BigDecimal("12.30"));
        s.setTimestamp(3, Timestamp.valueOf("2024-02-29 12:34:56.789"));
        s.setBytes(4, new byte[] {0, 1, -1});
        s.setString(5, "00000000-0000-0007-0000-000000000009");
        s.setString(6, "{\"a\": 1}");
        s.setBoolean(7, true);
        s.setDate(8, java.sql.Date.valueOf("2024-02-29"));
        s.setDouble(9, 0.1);
        assertThat(s.executeUpdate()).isEqualTo(1);
        try (ResultSet keys = s.getGeneratedKeys()) {
          assertThat(keys.next()).isTrue();
          assertThat(keys.getLong(1)).isPositive();
        }
        for (int i = 1; i <= 9; i++) {
          s.setNull(i, Types.NULL);
        }
        assertThat(s.executeUpdate()).isEqualTo(1);
      }
      try (Statement s = c.createStatement();
          ResultSet rows =
              s.executeQuery("select * from item where name is not null order by id")) {
        assertThat(rows.next()).isTrue();
        assertThat(rows.getString("name")).isEqualTo("Ünï🐘");
        assertThat(rows.getBigDecimal("price")).isEqualByComparingTo("12.30");
        assertThat(rows.getTimestamp("at")).isEqualTo(Timestamp.valueOf("2024-02-29 12:34:56.789"));
        assertThat(rows.getBytes("b")).containsExactly(0, 1, -1);
        assertThat(rows.getString("u")).isEqualTo("00000000-0000-0007-0000-000000000009");
        assertThat(rows.getString("j")).isEqualTo("{\"a\": 1}");
        assertThat(rows.getBoolean("ok")).isTrue();
        assertThat(rows.getDate("d")).isEqualTo(java.sql.Date.valueOf("2024-02-29"));
        assertThat(rows.getDouble("f")).isEqualTo(0.1);
        assertThat(rows.getArray("tags")).isNull();
        assertThat(rows.next()).isFalse();
      }
      assertThat(
              sites.ask(
                  1,
                  "select name || price || at || b::text || ok || f from item where name is not null"))
          .containsExactly("Ünï🐘12.302024-02-29 12:34:56.789\\x0001fftrue0.1");
      assertThat(sites.ask(1, "select count(*) from item where name is null and f is null"))
          .containsExactly("1");
    }
  }

  @Test
  void transactionsAndSavepoints() throws SQLException {
    try (Connection c = DriverManager.getConnection(url)) {
      c.setAutoCommit(false);
      Sql.run(c, "insert into plain values (10, 1)");
      Savepoint a = c.setSavepoint();
      Sql.run(c, "insert into plain values (11, 1)");
      Savepoint b = c.setSavepoint("my \"name");
      Sql.run(c, "insert into plain values (12, 1)");
      c.rollback(b);
      c.releaseSavepoint(b);
      state(doing(c, "insert into plain values (10, 1)"), "23505");
      state(doing(c, "select 1"), "25P02");
      c.rollback(a);
      Sql.run(c, "insert into plain values (13, 1)");
      c.commit();
      assertThat(sites.ask(1, "select id from plain where id between 10 and 19 order by id"))
          .containsExactly("10", "13");
      Sql.run(c, "delete from plain where id between 10 and 19");
      c.rollback();
      assertThat(sites.ask(1, "select count(*) from plain where id between 10 and 19"))
          .containsExactly("2");
    }
  }

  /** Avatica's client keeps it to itself until a statement is made. */
  @Test
  void whatIsSetOnAConnectionHoldsAtOnce() throws SQLException {
    String mine = "select n from plain where id = 7060";
    try (Connection c = DriverManager.getConnection(url);
        Statement s = c.createStatement();
        PreparedStatement set = c.prepareStatement("update plain set n = ? where id = 7060")) {
      s.executeUpdate("insert into plain values (7060, 0)");
      c.setAutoCommit(false);
      set(set, 1);
      c.rollback();
      set(set, 2);
      c.setAutoCommit(true);
      assertThat(sites.ask(1, mine)).containsExactly("2");
      set(set, 3);
      assertThat(sites.ask(1, mine)).containsExactly("3");
      c.setReadOnly(true);
      state(() -> set(set, 4), "25006");
      c.setReadOnly(false);
      c.setAutoCommit(false);
      s.addBatch("delete from plain where id = 7060");
      s.executeBatch();
      state(
          () -> {
            c.setReadOnly(true);
            return null;
          },
          "25001");
      c.rollback();
      s.executeUpdate("update plain set n = n + 2 where id = 7060");
    }
    assertThat(sites.ask(1, mine)).containsExactly("3");
  }

  private static int set(PreparedStatement s, int n) throws SQLException {
    s.setInt(1, n);
    return s.executeUpdate();
  }

  /** What holds is what held before. */
  @Test
  void whatCouldNotBeSetIsNotSetLater() throws SQLException {
    try (Connection c = DriverManager.getConnection(url)) {
      c.setAutoCommit(false);
      Sql.run(c, "insert into plain values (7061, 0)");
      state(doing(c, "insert into plain values (7061, 0)"), "23505");
      state(
          () -> {
            c.setAutoCommit(true);
            return null;
          },
          "25P02");
      assertThat(c.getAutoCommit()).isFalse();
      c.rollback();
      Sql.run(c, "insert into plain values (7061, 1)");
      c.rollback();
      assertThat(sites.ask(1, "select n from plain where id = 7061")).isEmpty();
    }
  }

  @Test
  void batchesAndKeysByName() throws SQLException {
    try (Connection c = DriverManager.getConnection(url)) {
      try (PreparedStatement s = c.prepareStatement("insert into plain values (?, ?)")) {
        for (int i = 20; i < 25; i++) {
          s.setInt(1, i);
          s.setInt(2, i);
          s.addBatch();
        }
        assertThat(s.executeBatch()).containsExactly(1, 1, 1, 1, 1);
      }
      try (Statement s = c.createStatement()) {
        assertThat(
                s.executeUpdate(
                    "insert into item (name) values ('x') -- last", new String[] {"id", "name"}))
            .isEqualTo(1);
        try (ResultSet keys = s.getGeneratedKeys()) {
          assertThat(keys.next()).isTrue();
          assertThat(keys.getLong("id")).isPositive();
        }
        assertThat(
                s.executeUpdate(
                    "delete from item where name = 'x'", Statement.RETURN_GENERATED_KEYS))
            .isEqualTo(1);
        assertThat(
                s.executeUpdate(
                    "update plain set n = 0 where id = 20", Statement.NO_GENERATED_KEYS))
            .isEqualTo(1);
      }
      assertThat(sites.ask(1, "select count(*) from plain where id between 20 and 29"))
          .containsExactly("5");
    }
  }

  /** A batch of three, of which one has a key that is there. */
  static void failsWhole(PreparedStatement s) {
    assertThatThrownBy(s::executeBatch)
        .isInstanceOfSatisfying(
            BatchUpdateException.class,
            e -> {
              assertThat(e.getSQLState()).isEqualTo("23505");
              assertThat(e.getUpdateCounts()).hasSize(3).containsOnly(Statement.EXECUTE_FAILED);
              assertThat(e.getMessage()).doesNotContain("update counts");
            });
  }

  @Test
  void aBatchThatFailsTellsWhatItDid() throws SQLException {
    try (Connection c = DriverManager.getConnection(url);
        PreparedStatement s = c.prepareStatement("insert into plain values (?, 1)")) {
      for (int id : new int[] {70, 71, 70}) {
        s.setInt(1, id);
        s.addBatch();
      }
      failsWhole(s);
      assertThat(sites.ask(1, "select count(*) from plain where id in (70, 71)"))
          .containsExactly("0");
    }
  }

  /** RETURNING stands only where rows are changed. */
  @Test
  void keysAreAskedForWhereThereCanBeSome() throws SQLException {
    try (Connection c = DriverManager.getConnection(url);
        Statement s = c.createStatement()) {
      for (String sql :
          List.of(
              "with x as (select 1 as a) select * from x",
              "with recursive x as (select 1), y as (table x) (select 1)",
              "select 1")) {
        assertThat(s.execute(sql, Statement.RETURN_GENERATED_KEYS)).isTrue();
        assertThat(s.getGeneratedKeys().next()).isFalse();
      }
      assertThat(
              s.executeUpdate(
                  "with x as (select 75 as id) insert into plain select id, 1 from x",
                  new String[] {"id"}))
          .isEqualTo(1);
      try (ResultSet keys = s.getGeneratedKeys()) {
        assertThat(keys.next()).isTrue();
        assertThat(keys.getInt(1)).isEqualTo(75);
      }
    }
  }

  @Test
  void anEmptyStatementDoesNothing() throws SQLException {
    try (Connection c = DriverManager.getConnection(url);
        Statement s = c.createStatement();
        PreparedStatement p = c.prepareStatement("")) {
      assertThat(s.execute("")).isFalse();
      assertThat(p.execute()).isFalse();
    }
  }

  /** Our driver knows of rows before it runs what was prepared. */
  @Test
  void rowsAreNoCountAndACountIsNoRows() throws SQLException {
    String plain = url.replace("jdbc:metric://", "jdbc:avatica:remote:url=http://");
    for (String each : List.of(url, plain + ";serialization=protobuf")) {
      try (Connection c = DriverManager.getConnection(each)) {
        for (String sql :
            List.of(
                "select n from plain",
                "insert into plain values (50, 1) on conflict (id) do update set n = 2 returning id")) {
          try (PreparedStatement s = c.prepareStatement(sql)) {
            for (Callable<?> update :
                List.<Callable<?>>of(s::executeUpdate, s::executeLargeUpdate)) {
              assertThatThrownBy(update::call)
                  .isInstanceOf(SQLException.class)
                  .hasMessageContaining("returns rows: use executeQuery()")
                  .hasMessageNotContaining("NullPointer");
              state(update, "0100E");
            }
          }
        }
        assertThat(Sql.strings(c, "select count(*) from plain where id = 50"))
            .containsExactly(each.equals(url) ? "0" : "1");
        Sql.run(c, "delete from plain where id = 50");
      }
    }
    try (Connection c = DriverManager.getConnection(url);
        PreparedStatement s = c.prepareStatement("delete from plain where id = 50")) {
      state(s::executeQuery, "02000");
      assertThat(s.executeUpdate()).isZero();
      assertThat(s.execute()).isFalse();
    }
  }

  @Test
  void aConnectionIsValidWhoseTransactionHasFailed() throws SQLException {
    Connection c = DriverManager.getConnection(url);
    c.setAutoCommit(false);
    state(doing(c, "select 1 / 0"), "22012");
    assertThat(c.isValid(1)).isTrue();
    c.rollback();
    c.close();
    assertThat(c.isValid(1)).isFalse();
  }

  /**
   * Without their types PostgreSQL says of such statements that it does not know what they mean.
   */
  @Test
  void parametersTellWhatAStatementMeans() throws SQLException {
    try (Connection c = DriverManager.getConnection(url)) {
      Sql.run(c, "insert into item (name) values ('known')");
      for (boolean auto : new boolean[] {true, false}) {
        c.setAutoCommit(auto);
        Sql.run(c, "insert into plain values (" + (auto ? 91 : 92) + ", 0)");
        try (PreparedStatement s =
            c.prepareStatement("select count(*) from item where (? is null or name = ?)")) {
          s.setNull(1, Types.VARCHAR);
          s.setString(2, "other");
          assertThat(one(s)).isNotEqualTo(0L);
          s.setString(1, "known");
          s.setString(2, "known");
          assertThat(one(s)).isEqualTo(1L);
        }
        try (PreparedStatement s = c.prepareStatement("select concat(?, 'x'), to_json(?)")) {
          s.setInt(1, 3);
          s.setString(2, "a");
          assertThat(one(s)).isEqualTo("3x");
        }
        try (PreparedStatement s =
            c.prepareStatement("select sum(e) from unnest(?) e where e > 1")) {
          s.setArray(1, c.createArrayOf("int4", new Object[] {1, 2, 3}));
          assertThat(one(s)).isEqualTo(5L);
        }
        // What was open before the statement was described still is.
        assertThat(Sql.strings(c, "select count(*) from plain where id in (91, 92)"))
            .containsExactly(auto ? "1" : "2");
        if (!auto) {
          c.commit();
        }
        state(() -> c.prepareStatement("select wrong from item where id = ?"), "42703");
        if (!auto) {
          c.rollback();
        }
      }
      c.setAutoCommit(true);
      Sql.run(c, "delete from plain where id in (91, 92)", "delete from item");
    }
  }

  private static Object one(PreparedStatement s) throws SQLException {
    try (ResultSet rows = s.executeQuery()) {
      assertThat(rows.next()).isTrue();
      return rows.getObject(1);
    }
  }

  @Test
  void aMomentInATextIsShort() throws SQLException {
    try (Connection c = DriverManager.getConnection(url);
        PreparedStatement s = c.prepareStatement("select ? || 'x'")) {
      s.setTimestamp(
          1,
          Timestamp.valueOf("2024-01-01 00:00:00.5"),
          Calendar.getInstance(TimeZone.getTimeZone("UTC")));
      assertThat(String.valueOf(one(s))).endsWith(":00.5+00x");
    }
  }

  @Test
  void whereAResultSetIsAndHowFarItGoes() throws SQLException {
    try (Connection c = DriverManager.getConnection(url);
        Statement s = c.createStatement();
        PreparedStatement p =
            c.prepareStatement("select g, '-0'::float8 from generate_series(1, ?) g")) {
      try (ResultSet none = s.executeQuery("select 1 where false")) {
        assertThat(none.isBeforeFirst()).isFalse();
        assertThat(none.next()).isFalse();
        assertThat(none.isAfterLast()).isFalse();
      }
      p.setInt(1, 300);
      p.setMaxRows(2);
      try (ResultSet rows = p.executeQuery()) {
        assertThat(rows.isBeforeFirst()).isTrue();
        state(() -> rows.getInt(1), "24000");
        assertThat(rows.next()).isTrue();
        assertThat(rows.isFirst()).isTrue();
        assertThat(rows.getInt(1)).isEqualTo(1);
        assertThat(rows.getDouble(2)).isEqualTo(-0.0);
        assertThat(rows.next()).isTrue();
        assertThat(rows.getRow()).isEqualTo(2);
        assertThat(rows.next()).isFalse();
        assertThat(rows.isAfterLast()).isTrue();
        state(() -> rows.getInt(1), "24000");
      }
      p.setMaxRows(0);
      int n = 0;
      try (ResultSet rows = p.executeQuery()) {
        while (rows.next()) {
          n++;
        }
        assertThat(rows.getMetaData().getTableName(1)).isEmpty();
      }
      assertThat(n).isEqualTo(300);
    }
  }

  @Test
  void countsAndRowsOfPlainStatements() throws SQLException {
    try (Connection c = DriverManager.getConnection(url);
        Statement s = c.createStatement()) {
      state(() -> s.executeUpdate("select 1"), "0100E");
      state(() -> s.executeQuery("update plain set n = 1 where false"), "02000");
      assertThat(s.execute("insert into plain values (93, 1)", Statement.RETURN_GENERATED_KEYS))
          .isFalse();
      assertThat(s.getResultSet()).isNull();
      assertThat(s.getUpdateCount()).isEqualTo(1);
      assertThat(s.execute("delete from plain where id = 93 returning id")).isTrue();
      assertThat(s.getMoreResults()).isFalse();
      assertThat(s.getResultSet()).isNull();
      assertThat(s.getUpdateCount()).isEqualTo(-1);
    }
  }

  /** As pools ask before each use: what is for between transactions is asked for next. */
  @Test
  void whoAsksWhetherItIsValidBeginsNothing() throws SQLException {
    try (Connection c = DriverManager.getConnection(url)) {
      c.setAutoCommit(false);
      assertThat(c.isValid(1)).isTrue();
      c.setReadOnly(true);
      state(doing(c, "insert into plain values (94, 1)"), "25006");
      c.rollback();
      c.setReadOnly(false);
    }
  }

  /** A site that is asked for it would end the transaction. */
  @Test
  void aReleasedSavepointIsNotAskedFor() throws SQLException {
    try (Connection c = DriverManager.getConnection(url)) {
      c.setAutoCommit(false);
      Savepoint gone = c.setSavepoint();
      c.releaseSavepoint(gone);
      state(
          () -> {
            c.rollback(gone);
            return null;
          },
          "3B000");
      assertThat(Sql.strings(c, "select 1")).containsExactly("1");
      c.rollback();
    }
  }

  /** Nobody waits for the end of what is given up, and it is no success. */
  @Test
  void whatRunsOnAConnectionEndsWithIt() throws Exception {
    ExecutorService thread = Executors.newSingleThreadExecutor();
    try (Connection c = DriverManager.getConnection(url)) {
      c.setAutoCommit(false);
      Sql.run(c, "insert into plain values (95, 1)");
      Future<Callable<?>> slept =
          thread.submit(
              () -> {
                try {
                  Sql.strings(c, "select pg_sleep(20)");
                  return () -> null;
                } catch (SQLException e) {
                  return () -> {
                    throw e;
                  };
                }
              });
      Thread.sleep(1000);
      c.abort(Runnable::run);
      assertThatThrownBy(slept.get(10, TimeUnit.SECONDS)::call).isInstanceOf(SQLException.class);
      assertThat(c.isClosed()).isTrue();
      state(c::createStatement, "08003");
    } finally {
      thread.shutdown();
    }
    try (Connection c = DriverManager.getConnection(url)) {
      assertThat(Sql.strings(c, "select id from plain where id = 95")).isEmpty();
    }
  }

  @Test
  void aTextIsReadAsANumber() throws SQLException {
    try (Connection c = DriverManager.getConnection(url);
        Statement s = c.createStatement();
        ResultSet rows =
            s.executeQuery("select '12'::text as a, '1e3'::text, 'x'::text, '300'::text")) {
      assertThat(rows.next()).isTrue();
      assertThat(rows.getLong("a")).isEqualTo(12);
      assertThat(rows.getBigDecimal(2)).isEqualByComparingTo("1000");
      state(() -> rows.getInt(3), "22018");
      state(() -> rows.getByte(4), "22003");
    }
  }

  @Test
  void aStatementIsPreparedAtASiteThatHasNotSeenTheSchema() throws SQLException {
    try (TestSites two = new TestSites(2).with("create table t (id int)");
        Connection c =
            DriverManager.getConnection("jdbc:metric://127.0.0.1:" + two.serve(1).port())) {
      state(() -> c.prepareStatement("select * from other"), "42P01");
      state(() -> c.prepareStatement("select wrong from t"), "42703");
      assertThatThrownBy(() -> c.prepareStatement("select wrong from t"))
          .hasMessageStartingWith("ERROR: column \"wrong\" does not exist");
      assertThatThrownBy(() -> c.prepareStatement("select lo_get(1) from t"))
          .hasMessageStartingWith("Metric refuses this statement: the function lo_get")
          .hasMessageEndingWith("Statement: select lo_get(1) from t");
      try (PreparedStatement s = c.prepareStatement("select * from t where id = ?")) {
        s.setInt(1, 1);
        assertThat(s.executeQuery().next()).isFalse();
      }
    }
  }

  @Test
  void avaticasOwnUrlServesToo() throws SQLException {
    String port = url.substring(url.lastIndexOf(':') + 1);
    try (Connection c =
        DriverManager.getConnection(
            "jdbc:avatica:remote:url=http://127.0.0.1:" + port + ";serialization=protobuf")) {
      Sql.run(c, "insert into plain values (30, 1)");
      assertThat(sites.ask(1, "select id from plain where id = 30")).containsExactly("30");
      assertThat(c.getMetaData().getDefaultTransactionIsolation())
          .isEqualTo(Connection.TRANSACTION_SERIALIZABLE);
    }
  }

  /** As schema tools ask. Avatica's client answers most of it by itself: that there is nothing. */
  @Test
  void keysAndIndexesAreThoseOfTheDatabase() throws SQLException {
    try (TestSites one = new TestSites(1);
        Connection c =
            DriverManager.getConnection("jdbc:metric://127.0.0.1:" + one.serve(0).port())) {
      one.with(
          "create table parent (id int primary key, name text unique)",
          "create table child (id int primary key, p int references parent)",
          "create function f(a int) returns int language sql immutable as 'select 1'");
      DatabaseMetaData said = c.getMetaData();
      assertThat(column(said.getPrimaryKeys(null, "public", "parent"), "COLUMN_NAME"))
          .containsExactly("id");
      assertThat(column(said.getImportedKeys(null, null, "child"), "PKTABLE_NAME"))
          .containsExactly("parent");
      assertThat(column(said.getExportedKeys(null, null, "parent"), "FKCOLUMN_NAME"))
          .containsExactly("p");
      assertThat(
              column(said.getCrossReference(null, null, "parent", null, null, "child"), "PK_NAME"))
          .containsExactly("parent_pkey");
      assertThat(column(said.getIndexInfo(null, null, "parent", true, false), "INDEX_NAME"))
          .containsExactly("parent_name_key", "parent_pkey");
      assertThat(
              column(
                  said.getBestRowIdentifier(
                      null, null, "parent", DatabaseMetaData.bestRowSession, false),
                  "COLUMN_NAME"))
          .containsExactly("id");
      assertThat(column(said.getFunctions(null, "public", "f"), "FUNCTION_NAME"))
          .containsExactly("f");
      assertThat(column(said.getTables(null, "public", "%", new String[] {"TABLE"}), "TABLE_NAME"))
          .contains("child", "parent");
      assertThat(column(said.getTables(null, "public", "%", new String[0]), "TABLE_NAME"))
          .isEmpty();
      assertThat(column(said.getUDTs(null, null, "%", new int[] {Types.STRUCT}), "TYPE_NAME"))
          .isNotNull();
      try (ResultSet columns = said.getColumns(null, "public", "child", "p")) {
        assertThat(columns.next()).isTrue();
        assertThat(columns.getInt("DATA_TYPE")).isEqualTo(Types.INTEGER);
        assertThat(columns.getObject("COLUMN_DEF")).isNull();
        assertThat(columns.getMetaData().getColumnLabel(4)).isEqualTo("COLUMN_NAME");
        assertThat(columns.next()).isFalse();
      }
      try (Statement s = c.createStatement()) {
        assertThat(s.executeQuery("select 1").next()).isTrue();
      }
    }
  }

  /** Liquibase asks for the schema so. */
  @Test
  void aStatementThatIsNoCallMayBePreparedAsOne() throws SQLException {
    try (Connection c = DriverManager.getConnection(url);
        CallableStatement s = c.prepareCall("select current_schema(), ?::int")) {
      s.setInt(1, 7);
      try (ResultSet rows = s.executeQuery()) {
        assertThat(rows.next()).isTrue();
        assertThat(rows.getString(1)).isEqualTo("public");
        assertThat(rows.getInt(2)).isEqualTo(7);
      }
      state(() -> s.getInt(1), "0A000");
      state(() -> c.prepareCall(" { call f() }"), "0A000");
      state(() -> c.prepareCall("CALL f()"), "0A000");
    }
  }

  @Test
  void whatTheDatabaseCanDoIsItsOwnWord() throws SQLException {
    try (Connection c = DriverManager.getConnection(url);
        Connection past = sites.database(0)) {
      DatabaseMetaData ours = c.getMetaData();
      DatabaseMetaData theirs = past.getMetaData();
      assertThat(ours.isReadOnly()).isFalse();
      assertThat(ours.supportsSelectForUpdate()).isTrue();
      assertThat(ours.getIdentifierQuoteString()).isEqualTo("\"");
      assertThat(ours.nullsAreSortedHigh()).isEqualTo(theirs.nullsAreSortedHigh());
      assertThat(ours.getMaxTableNameLength()).isEqualTo(theirs.getMaxTableNameLength());
      assertThat(ours.getDatabaseProductVersion()).isEqualTo(theirs.getDatabaseProductVersion());
      assertThat(ours.getDatabaseMajorVersion()).isEqualTo(theirs.getDatabaseMajorVersion());
      assertThat(ours.getSQLKeywords()).isEqualTo(theirs.getSQLKeywords());
      assertThat(ours.getURL()).isEqualTo(url);
      assertThat(ours.getDriverName()).contains("Metric");
      assertThat(ours.getDriverMinorVersion()).isEqualTo(new MetricDriver().getMinorVersion());
      assertThat(ours.supportsStoredProcedures()).isFalse();
    }
  }

  private static List<String> column(ResultSet rows, String name) throws SQLException {
    List<String> values = new ArrayList<>();
    try (rows) {
      while (rows.next()) {
        values.add(rows.getString(name));
      }
    }
    return values;
  }

  /** Such a client sends no properties that stand in its URL; a user it can name. */
  @Test
  void aPlainClientInitializesByItsUser() throws SQLException {
    try (TestSites one = new TestSites(1);
        Connection c =
            DriverManager.getConnection(one.serve(0).avaticaUrl(), "initialization", "")) {
      Sql.run(c, "create table t (id int)", "end initialization");
      assertThat(one.ask(0, "select count(*) from t")).containsExactly("0");
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "jdbc:metric:",
        "jdbc:metric://",
        "jdbc:metric://host",
        "jdbc:metric://127.0.0.1:99999999",
        "jdbc:metric://127.0.0.1:1",
        "jdbc:metric://127.0.0.1:1,127.0.0.1:2",
        "jdbc:metric://127.0.0.1:1?x",
        "jdbc:metric://no.such.host.invalid:1"
      })
  void aWrongUrl(String wrong) {
    state(() -> DriverManager.getConnection(wrong), "08001");
  }

  @Test
  void theNextSiteIsTried() throws SQLException {
    try (Connection c = DriverManager.getConnection(url.replace("//", "//127.0.0.1:1,"))) {
      assertThat(c.isValid(1)).isTrue();
    }
  }

  @Test
  void whatIsNotSupportedSaysSo() throws SQLException {
    try (Connection c = DriverManager.getConnection(url)) {
      List<Callable<?>> all =
          List.of(
              () ->
                  c.createStatement(ResultSet.TYPE_SCROLL_INSENSITIVE, ResultSet.CONCUR_READ_ONLY),
              () ->
                  c.prepareStatement(
                      "select 1", ResultSet.TYPE_FORWARD_ONLY, ResultSet.CONCUR_UPDATABLE),
              () -> c.prepareCall("{call x()}"),
              () -> c.prepareStatement("insert into plain values (1, 1)", new int[] {1}),
              c::createBlob,
              c::createSQLXML,
              doing(c, "create table x (id int)"),
              doing(c, "select * from plain; delete from plain"));
      for (Callable<?> one : all) {
        assertThatThrownBy(one::call).isInstanceOf(SQLFeatureNotSupportedException.class);
      }
      state(doing(c, "select * from nothing"), "42P01");
      state(doing(c, "select 1 / 0"), "22012");
      state(
          () -> {
            c.commit();
            return null;
          },
          "25P01");
      assertThat(c.getTransactionIsolation()).isEqualTo(Connection.TRANSACTION_SERIALIZABLE);
      assertThat(c.getMetaData().getDatabaseProductName()).isEqualTo("PostgreSQL");
    }
  }

  @Test
  void aStatementOfAMebibyte() throws SQLException {
    StringBuilder sql = new StringBuilder("insert into plain values (40, length('");
    while (sql.length() < 1 << 20) {
      sql.append("0123456789abcdef");
    }
    try (Connection c = DriverManager.getConnection(url)) {
      Sql.run(c, sql + "'))");
      assertThat(Integer.parseInt(sites.ask(1, "select n from plain where id = 40").get(0)))
          .isGreaterThan(1 << 19);
    }
  }

  @Test
  void aStatementThatIsTooLongIsNotRead() throws SQLException {
    try (Connection c = DriverManager.getConnection(url)) {
      c.setAutoCommit(false);
      Sql.run(c, "insert into plain values (41, 1)");
      state(doing(c, "select '" + "x".repeat(33 << 20) + "'"), "54000");
      c.commit();
      assertThat(sites.ask(1, "select n from plain where id = 41")).containsExactly("1");
    }
  }

  /** Nobody is told what the server is made of. */
  @Test
  void aRequestThatIsNoneIsAnsweredInOneLine() throws IOException {
    byte[] unknown = new byte[200];
    List<byte[]> bodies =
        List.of(
            new byte[0],
            "not protobuf".getBytes(StandardCharsets.UTF_8),
            unknown,
            "{\"request\": \"openConnection\"}".getBytes(StandardCharsets.UTF_8));
    for (byte[] body : bodies) {
      HttpURLConnection http =
          (HttpURLConnection)
              URI.create(url.replace("jdbc:metric:", "http:")).toURL().openConnection();
      http.setRequestMethod("POST");
      http.setDoOutput(true);
      http.getOutputStream().write(body);
      assertThat(http.getResponseCode()).isEqualTo(400);
      String said = new String(http.getErrorStream().readAllBytes(), StandardCharsets.UTF_8);
      assertThat(said).isEqualTo("this is no request of Avatica's in protobuf\n");
    }
  }

  /** Refused by name and SQLSTATE, in a message that can be read, and the connection serves on. */
  @ParameterizedTest
  @CsvSource({
    "'select * from ', x, '', 42P01",
    "'select * from plain where ', 'and ', '', 54001",
    "select n from plain where id = 1, ' + 1', '', 54001",
    "'select ', (, 1, 54001",
    "'select ''', x, '', 42601"
  })
  void aWrongStatementOfAMebibyte(String head, String again, String tail, String state)
      throws SQLException {
    String sql = head + again.repeat((1 << 20) / again.length()) + tail;
    try (Connection c = DriverManager.getConnection(url)) {
      state(doing(c, sql), state);
      assertThatThrownBy(() -> Sql.run(c, sql))
          .satisfies(e -> assertThat(e.getMessage()).hasSizeLessThan(2_000));
      assertThat(Sql.strings(c, "select count(*) from plain where id < 0")).containsExactly("0");
    }
  }

  @Test
  void aServerThatEndsLosesNothingInSilence() throws SQLException {
    try (TestSites two = new TestSites(2).with("create table t (id int)")) {
      MetricServer server = two.serve(0);
      int port = server.port();
      Connection c = DriverManager.getConnection("jdbc:metric://127.0.0.1:" + port);
      c.setAutoCommit(false);
      Sql.run(c, "insert into t values (1)");
      server.close();
      state(doing(c, "insert into t values (2)"), "08006");
      try (MetricServer again = new MetricServer(two.site(0), port)) {
        // The same port, and no memory of the transaction: it must not pass for committed.
        state(doing(c, "insert into t values (3)"), "08003");
        state(committing(c), "08003");
        assertThat(again.port()).isEqualTo(port);
      }
      state(closing(c), "08006");
    }
  }

  /** Avatica's client would take the second half of a transaction for all of it. */
  @Test
  void noClientConnectsAgainInSilence() throws SQLException {
    try (TestSites one = new TestSites(1).with("create table t (id int)")) {
      MetricServer server = one.serve(0);
      int port = server.port();
      String plain = server.avaticaUrl() + ";transparent_reconnection=true";
      Connection c = DriverManager.getConnection(plain);
      c.setAutoCommit(false);
      Sql.run(c, "insert into t values (1)");
      server.close();
      try (MetricServer again = new MetricServer(one.site(0), port)) {
        assertThat(again.port()).isEqualTo(port);
        assertThatThrownBy(() -> Sql.run(c, "insert into t values (2)"))
            .hasStackTraceContaining("08003");
        assertThatThrownBy(c::commit).hasStackTraceContaining("08003");
      }
      assertThatThrownBy(c::close).hasStackTraceContaining("refused");
    }
  }

  /** Sends what comes on to a server; answers get lost once this is wanted. */
  private static final class Deaf implements AutoCloseable {
    private final ServerSocket here = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    private final int there;
    private volatile boolean deaf;
    private volatile boolean once;

    Deaf(int there) throws IOException {
      this.there = there;
      thread(this::accept);
    }

    private static void thread(Runnable work) {
      Thread thread = new Thread(work, "deaf");
      thread.setDaemon(true);
      thread.start();
    }

    private void accept() {
      try {
        while (true) {
          Socket client = here.accept();
          Socket server = new Socket(InetAddress.getLoopbackAddress(), there);
          thread(() -> copy(client, server, false));
          thread(() -> copy(server, client, true));
        }
      } catch (IOException e) {
        // It is closed.
      }
    }

    private void copy(Socket from, Socket to, boolean answers) {
      byte[] some = new byte[8192];
      try (from;
          to) {
        for (int n = from.getInputStream().read(some);
            n >= 0;
            n = from.getInputStream().read(some)) {
          if (answers && deaf) {
            if (once) {
              deaf = false;
            } else {
              here.close();
            }
            return;
          }
          to.getOutputStream().write(some, 0, n);
        }
      } catch (IOException e) {
        // One of the two has ended.
      }
    }

    String url() {
      return "jdbc:metric://127.0.0.1:" + here.getLocalPort();
    }

    @Override
    public void close() throws IOException {
      here.close();
    }
  }

  /** METRIC-F11 holds for the last mile, too: what was committed is not said to be rolled back. */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void aCommitWhoseAnswerIsLostIsUnknown(boolean autoCommit) throws Exception {
    String port = url.substring(url.lastIndexOf(':') + 1);
    int id = autoCommit ? 60 : 61;
    try (Deaf deaf = new Deaf(Integer.parseInt(port))) {
      Connection c = DriverManager.getConnection(deaf.url());
      c.setAutoCommit(autoCommit);
      PreparedStatement s = c.prepareStatement("insert into plain values (?, 1)");
      s.setInt(1, id);
      if (autoCommit) {
        deaf.deaf = true;
        state(s::executeUpdate, "08007");
      } else {
        assertThat(s.executeUpdate()).isEqualTo(1);
        deaf.deaf = true;
        state(committing(c), "08007");
      }
      // From now on the connection is gone.
      state(committing(c), "08003");
      assertThat(sites.ask(1, "select id from plain where id = " + id)).containsExactly("" + id);
      state(closing(c), "08006");
    }
  }

  /** A connection was cut, and the site is there: it must not hear the same thing twice. */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void whatWasNotAnsweredIsNotDoneTwice(boolean autoCommit) throws Exception {
    String port = url.substring(url.lastIndexOf(':') + 1);
    sites.run(1, "insert into plain values (7070, 0)");
    try (Deaf deaf = new Deaf(Integer.parseInt(port))) {
      deaf.once = true;
      Connection c = DriverManager.getConnection(deaf.url());
      c.setAutoCommit(autoCommit);
      try (Statement s = c.createStatement()) {
        deaf.deaf = true;
        state(
            () -> s.executeUpdate("update plain set n = n + 1 where id = 7070"),
            autoCommit ? "08007" : "08006");
        state(committing(c), "08003");
      }
      c.close();
      assertThat(sites.ask(1, "select n from plain where id = 7070"))
          .containsExactly(autoCommit ? "1" : "0");
    } finally {
      sites.run(1, "delete from plain where id = 7070");
    }
  }

  /** Where a proxy answers for the site, it is not known what the site did. */
  @Test
  void anAnswerThatIsNotTheSitesIsNone() throws Exception {
    URI site = URI.create(url.replace("jdbc:metric", "http"));
    AtomicBoolean broken = new AtomicBoolean();
    HttpServer proxy =
        HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    proxy.createContext(
        "/",
        exchange -> {
          HttpURLConnection there = (HttpURLConnection) site.toURL().openConnection();
          there.setDoOutput(true);
          exchange.getRequestBody().transferTo(there.getOutputStream());
          byte[] answer = there.getInputStream().readAllBytes();
          exchange.sendResponseHeaders(broken.get() ? 502 : 200, answer.length);
          exchange.getResponseBody().write(answer);
          exchange.close();
        });
    proxy.start();
    try {
      Connection c =
          DriverManager.getConnection("jdbc:metric://127.0.0.1:" + proxy.getAddress().getPort());
      c.setAutoCommit(false);
      Sql.run(c, "insert into plain values (63, 1)");
      broken.set(true);
      state(committing(c), "08007");
      assertThat(sites.ask(1, "select n from plain where id = 63")).containsExactly("1");
    } finally {
      proxy.stop(0);
    }
  }

  @Test
  void aStatementWhoseAnswerIsLostIsRolledBack() throws Exception {
    String port = url.substring(url.lastIndexOf(':') + 1);
    try (Deaf deaf = new Deaf(Integer.parseInt(port))) {
      Connection c = DriverManager.getConnection(deaf.url());
      c.setAutoCommit(false);
      deaf.deaf = true;
      state(doing(c, "insert into plain values (62, 1)"), "08006");
      state(committing(c), "08003");
      state(closing(c), "08006");
    }
  }

  @Tag("slow")
  @Test
  void aThousandConnections() throws SQLException {
    List<Connection> open = new ArrayList<>();
    int served = 0;
    for (int i = 0; i < 1000; i++) {
      Connection c = DriverManager.getConnection(url);
      open.add(c);
      try {
        Sql.run(c, "select 1");
        served++;
      } catch (SQLException e) {
        assertThat(e.getSQLState()).as(e.getMessage()).isEqualTo("53300");
      }
    }
    assertThat(served).isBetween(20, 60);
    for (Connection c : open) {
      c.close();
    }
    try (Connection c = DriverManager.getConnection(url)) {
      Sql.run(c, "select * from plain");
    }
  }
}
