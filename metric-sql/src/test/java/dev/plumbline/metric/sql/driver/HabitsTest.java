package dev.plumbline.metric.sql.driver;

import static dev.plumbline.metric.sql.local.States.committing;
import static dev.plumbline.metric.sql.local.States.doing;
import static dev.plumbline.metric.sql.local.States.state;
import static dev.plumbline.metric.sql.local.States.warned;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.plumbline.metric.sql.local.Sql;
import dev.plumbline.metric.sql.site.Site;
import dev.plumbline.metric.sql.site.TestSites;
import java.sql.Array;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.SQLTimeoutException;
import java.sql.Savepoint;
import java.sql.Statement;
import java.sql.Types;
import java.time.Duration;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What pools, templates and mappers do with a connection. */
class HabitsTest {
  private static TestSites sites;
  private static String url;

  @BeforeAll
  static void start() throws SQLException {
    Site.Options patient =
        new Site.Options(Duration.ofSeconds(12), Duration.ofSeconds(60), Duration.ZERO, 60);
    sites = new TestSites(2, patient, p -> p);
    url = "jdbc:metric://127.0.0.1:" + sites.serve(0).port();
    sites.with(
        "create table item (id bigserial primary key, name text unique)",
        "create table note (id int primary key, n int)",
        "create table made (id uuid primary key default gen_random_uuid(), at timestamptz default timestamptz"
            + " '2024-02-29 12:00:00+00', tags int[] default '{1,2}', ok boolean default true, b bytea default"
            + " '\\x01', n int)",
        "create function warns(n int) returns int language plpgsql as $$ begin for i in 1..n loop"
            + " raise warning 'warned %', i; end loop; return n; end $$",
        "create schema other",
        "create table other.far (id int primary key)");
  }

  @AfterAll
  static void stop() {
    if (sites != null) {
      sites.close();
    }
  }

  private static Connection connect() throws SQLException {
    return DriverManager.getConnection(url);
  }

  private static Callable<?> leveling(Connection c, int level) {
    return () -> {
      c.setTransactionIsolation(level);
      return null;
    };
  }

  @Test
  void aTransactionThatIsOpenKeepsItsLevel() throws SQLException {
    try (Connection c = connect()) {
      c.setTransactionIsolation(Connection.TRANSACTION_READ_COMMITTED);
      c.setAutoCommit(false);
      Sql.run(c, "insert into note values (1, 1)");
      state(leveling(c, Connection.TRANSACTION_REPEATABLE_READ), "25001");
      // It is what is told of it.
      c.setTransactionIsolation(c.getTransactionIsolation());
      c.commit();
      c.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
    }
    assertThat(sites.ask(1, "select n from note where id = 1")).containsExactly("1");
  }

  /** Spring looks at what the database is when it is to translate an error. */
  @Test
  void theSchemaIsToldWhateverBecameOfTheTransaction() throws SQLException {
    try (Connection c = connect()) {
      c.setAutoCommit(false);
      Sql.run(c, "insert into note values (2, 1)");
      state(doing(c, "select 1 / 0"), "22012");
      assertThat(c.getMetaData().getDatabaseProductName()).isEqualTo("PostgreSQL");
      assertThat(c.getMetaData().getSQLKeywords()).isNotEmpty();
      try (ResultSet tables = c.getMetaData().getTables(null, "public", "note", null)) {
        assertThat(tables.next()).isTrue();
        assertThat(tables.getString("TABLE_NAME")).isEqualTo("note");
      }
      state(doing(c, "select 1"), "25P02");
      c.rollback();
      Sql.run(c, "insert into note values (2, 2)");
      c.commit();
    }
    assertThat(sites.ask(1, "select n from note where id = 2")).containsExactly("2");
  }

  /** Who has not heard that one of its statements was refused must not commit the rest. */
  @Test
  void aTransactionWithARefusedStatementHasFailed() throws SQLException {
    for (String refused : List.of("do $$ begin end $$", "create table t (n int)")) {
      try (Connection c = connect();
          Statement s = c.createStatement()) {
        c.setAutoCommit(false);
        Sql.run(c, "insert into note values (50, 1)");
        Savepoint before = c.setSavepoint();
        state(() -> s.execute(refused), "0A000");
        state(doing(c, "insert into note values (51, 1)"), "25P02");
        c.rollback(before);
        Sql.run(c, "insert into note values (52, 1)");
        state(() -> c.prepareStatement("do $$ begin end $$"), "0A000");
        state(doing(c, "insert into note values (53, 1)"), "25P02");
        state(committing(c), "25P02");
        assertThat(Sql.strings(c, "select id from note where id between 50 and 59")).isEmpty();
        c.rollback();
        // Liquibase goes on without.
        Sql.run(c, "insert into note values (57, 1)");
        state(() -> s.execute("set search_path to other"), "0A000");
        state(() -> c.prepareStatement("set search_path to other"), "0A000");
        Sql.run(c, "delete from note where id = 57");
        c.rollback();
        // It is the first one.
        state(() -> s.execute(refused), "0A000");
        state(doing(c, "insert into note values (54, 1)"), "25P02");
        c.rollback();
        state(() -> c.prepareStatement("select n + 'x' from note"), "22P02");
        state(doing(c, "insert into note values (55, 1)"), "25P02");
        c.rollback();
        c.setAutoCommit(true);
        state(() -> s.execute(refused), "0A000");
        Sql.run(c, "insert into note values (56, 1)", "delete from note where id = 56");
      }
    }
  }

  @Test
  void whatAStatementWasWarnedOfIsTold() throws SQLException {
    try (Connection c = connect();
        Statement s = c.createStatement();
        Statement other = c.createStatement();
        PreparedStatement p = c.prepareStatement("select warns(?)")) {
      assertThat(warned(s)).isEmpty();
      s.execute("select warns(2), 'é'");
      assertThat(warned(s)).containsExactly("warned 1", "warned 2");
      assertThat(s.getWarnings().getSQLState()).isEqualTo("01000");
      assertThat(warned(other)).isEmpty();
      s.clearWarnings();
      assertThat(warned(s)).isEmpty();
      p.setInt(1, 1);
      assertThat(p.executeQuery().next()).isTrue();
      assertThat(warned(p)).containsExactly("warned 1");
      s.execute("select 1");
      assertThat(warned(p)).isEmpty();
      assertThat(warned(s)).isEmpty();
    }
  }

  /** The database's text, whether a statement was prepared or not. */
  @Test
  void textsAreTheDatabasesOwn() throws SQLException {
    String query =
        "select array[1, 2], array['a', null], 60::float8, 1e22::float8, time with time zone '12:00+05',"
            + " 'a'::bpchar, max('a'::char(3)), 'a'::\"char\", point '(1, 2)', interval '1 day 2 hours', 12.50, timestamptz '2024-01-01 00:00+00', null::int";
    try (Connection c = connect();
        Connection d = sites.database(0);
        Statement s = c.createStatement();
        Statement plain = d.createStatement();
        PreparedStatement p = c.prepareStatement(query)) {
      try (ResultSet texts = plain.executeQuery(query);
          ResultSet now = s.executeQuery(query);
          ResultSet prepared = p.executeQuery()) {
        assertThat(texts.next() && now.next() && prepared.next()).isTrue();
        for (int i = 1; i <= texts.getMetaData().getColumnCount(); i++) {
          assertThat(now.getString(i)).isEqualTo(texts.getString(i));
          assertThat(prepared.getString(i)).isEqualTo(texts.getString(i));
          assertThat(now.getMetaData().getColumnType(i))
              .isIn(texts.getMetaData().getColumnType(i), Types.VARCHAR);
        }
      }
    }
  }

  /** Texts and binary values are cut where a program asks for that, and nothing else is. */
  @Test
  void longValuesAreCut() throws SQLException {
    try (Connection c = connect();
        Statement s = c.createStatement();
        PreparedStatement p = c.prepareStatement("select 'xyz', ?::int")) {
      s.setMaxFieldSize(4);
      assertThat(s.getMaxFieldSize()).isEqualTo(4);
      ResultSet rows =
          s.executeQuery(
              "select 'abcdef', 'a\u00e4\u00e4\u00e4'::varchar(9), 'x\ud83d\ude00', '\\x0102030405'::bytea, 123456, 1234.56::numeric, null::text, 'abc'"
                  + " from generate_series(1, 2)");
      for (int i = 0; i < 2; i++) {
        assertThat(rows.next()).isTrue();
        assertThat(rows.getString(1)).isEqualTo("abcd");
        assertThat(rows.getObject(2)).isEqualTo("a\u00e4");
        assertThat(rows.getString(3)).isEqualTo("x");
        assertThat(rows.getBytes(4)).containsExactly(1, 2, 3, 4);
        assertThat(rows.getInt(5)).isEqualTo(123456);
        assertThat(rows.getString(6)).isEqualTo("1234.56");
        assertThat(rows.getString(7)).isNull();
        assertThat(rows.getString(8)).isEqualTo("abc");
        assertThat(rows.isLast()).isEqualTo(i == 1);
        assertThat(rows.getString(1)).isEqualTo("abcd");
      }
      p.setMaxFieldSize(1);
      p.setInt(1, 77);
      rows = p.executeQuery();
      p.setMaxFieldSize(0);
      assertThat(rows.next()).isTrue();
      assertThat(rows.getString(1) + rows.getString(2)).isEqualTo("x77");
      state(
          () -> {
            p.setMaxFieldSize(-1);
            return null;
          },
          "22023");
    }
  }

  @Test
  void theLastRowIsKnown() throws SQLException {
    try (Connection c = connect();
        Statement s = c.createStatement();
        ResultSet rows = s.executeQuery("select i, 'x' || i as t from generate_series(1, 3) i")) {
      assertThat(rows.isLast()).isFalse();
      List<String> seen = new ArrayList<>();
      while (rows.next()) {
        boolean last = rows.isLast();
        seen.add(rows.getInt(1) + rows.getString("t") + last + rows.isLast() + rows.getRow());
      }
      assertThat(seen).containsExactly("1x1falsefalse1", "2x2falsefalse2", "3x3truetrue3");
      assertThat(rows.isLast()).isFalse();
      assertThat(rows.isAfterLast()).isTrue();
    }
  }

  @Test
  void aBatchTellsItsKeys() throws SQLException {
    try (Connection c = connect();
        PreparedStatement s =
            c.prepareStatement("insert into item (name) values (?)", new String[] {"id"})) {
      for (boolean autoCommit : new boolean[] {true, false}) {
        c.setAutoCommit(autoCommit);
        for (String name : List.of("a", "b", "c")) {
          s.setString(1, name + autoCommit);
          s.addBatch();
        }
        assertThat(s.executeBatch()).containsExactly(1, 1, 1);
        List<Long> keys = new ArrayList<>();
        try (ResultSet found = s.getGeneratedKeys()) {
          while (found.next()) {
            keys.add(found.getLong("id"));
          }
        }
        assertThat(keys).hasSize(3).doesNotHaveDuplicates();
        assertThat(
                Sql.strings(
                    c, "select name from item where id = ? and name like 'b%'", keys.get(1)))
            .containsExactly("b" + autoCommit);
      }
      c.commit();
      c.setAutoCommit(true);
      for (String name : List.of("d", "e", "d")) {
        s.setString(1, name);
        s.addBatch();
      }
      DriverTest.failsWhole(s);
      assertThat(c.getAutoCommit()).isTrue();
      assertThat(sites.ask(1, "select count(*) from item where name in ('d', 'e')"))
          .containsExactly("0");
      // Nothing is left of the batch that failed.
      s.setString(1, "f");
      s.addBatch();
      assertThat(s.executeBatch()).containsExactly(1);
    }
    assertThat(sites.ask(1, "select name from item order by id"))
        .containsExactly("atrue", "btrue", "ctrue", "afalse", "bfalse", "cfalse", "f");
  }

  /** As with the database's own driver: mappers ask for the class of their field. */
  @Test
  void aKeyIsReadAsAnyValue() throws SQLException {
    try (Connection c = connect();
        PreparedStatement s =
            c.prepareStatement("insert into made (n) values (1)", Statement.RETURN_GENERATED_KEYS);
        Statement plain = c.createStatement()) {
      assertThat(s.executeLargeUpdate()).isEqualTo(1);
      assertThat(s.getLargeUpdateCount()).isEqualTo(1);
      try (ResultSet keys = s.getGeneratedKeys()) {
        assertThat(keys.getStatement()).isSameAs(s);
        // What runs meanwhile is another matter.
        s.executeUpdate();
        assertThat(keys.isBeforeFirst() && keys.next() && keys.isLast()).isTrue();
        assertThat(keys.getObject(1, UUID.class)).isEqualTo(keys.getObject("id"));
        assertThat(keys.getObject("at", OffsetDateTime.class))
            .isEqualTo(OffsetDateTime.parse("2024-02-29T12:00:00Z"));
        assertThat((Object[]) keys.getObject("tags", Array.class).getArray()).containsExactly(1, 2);
        assertThat(keys.getString("ok")).isEqualTo("t");
        assertThat(keys.getString("b")).isEqualTo("\\x01");
        assertThat(keys.getObject("n", Integer.class)).isEqualTo(1);
        state(() -> keys.getInt(7), "42703");
        state(() -> keys.getInt("none"), "42703");
        assertThat(keys.next() || keys.isClosed()).isFalse();
      }
      assertThat(plain.isCloseOnCompletion()).isFalse();
      plain.closeOnCompletion();
      assertThat(plain.isCloseOnCompletion()).isTrue();
    }
  }

  /** PostgreSQL takes it back, and the client would go on to say the other one. */
  @Test
  void theSchemaThatIsSetOutlivesARollback() throws SQLException {
    try (Connection c = connect();
        Statement s = c.createStatement()) {
      c.setAutoCommit(false);
      s.execute("select 1 from note");
      c.setSchema("other");
      c.rollback();
      s.execute("delete from far where id = 100");
      c.setSchema("public");
      Savepoint before = c.setSavepoint();
      c.setSchema("other");
      c.rollback(before);
      s.execute("delete from far where id = 100");
      state(doing(c, "select 1 / 0"), "22012");
      c.rollback();
      s.execute("delete from far where id = 100");
      assertThat(c.getSchema()).isEqualTo("other");
      c.commit();
    }
  }

  /** Avatica's client tells the schema again, with whatever else is set. */
  @Test
  void theSearchPathStaysWhole() throws SQLException {
    try (Connection d = sites.database(0)) {
      Sql.run(
          d,
          "do $$ begin execute format('alter database %I set search_path = public, other', current_database()); end $$");
    }
    try (Connection c = connect()) {
      c.setAutoCommit(false);
      assertThat(c.getSchema()).isEqualTo("public");
      Sql.run(c, "insert into far values (1)");
      c.commit();
      c.setAutoCommit(true);
      Sql.run(c, "insert into far values (2)");
      c.setSchema("other");
      state(doing(c, "insert into note values (30, 1)"), "42P01");
      Sql.run(c, "insert into far values (3)");
    }
    assertThat(sites.ask(1, "select count(*) from other.far")).containsExactly("3");
  }

  @Test
  void whatAConnectionIsToldItKnows() throws SQLException {
    try (Connection c = connect()) {
      c.setClientInfo("ApplicationName", "shop");
      assertThat(c.getClientInfo("ApplicationName")).isEqualTo("shop");
      assertThat(c.getClientInfo()).hasSize(1);
      state(leveling(c, Connection.TRANSACTION_NONE), "0A000");
      try (PreparedStatement s = c.prepareStatement("update note set n = ?")) {
        assertThat(s.getMetaData()).isNull();
      }
    }
  }

  /** A pool asks so whether a connection lives. */
  @Test
  void anAnswerThatDoesNotComeInTimeIsNone() throws Exception {
    try (Connection c = connect();
        Statement s = c.createStatement()) {
      c.setNetworkTimeout(Runnable::run, 20_000);
      assertThat(c.getNetworkTimeout()).isEqualTo(20_000);
      assertThat(c.isValid(20)).isTrue();
      c.setNetworkTimeout(Runnable::run, 300);
      long since = System.nanoTime();
      state(() -> s.executeQuery("select pg_sleep(20)"), "08007");
      assertThat(TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - since)).isLessThan(9_000);
    } catch (SQLException e) {
      // It cannot be closed while the site is at work for it.
      assertThat(e.getSQLState()).startsWith("08");
    }
  }

  private static void demandStopped(Callable<?> work, boolean inTime) {
    assertThatThrownBy(work::call)
        .isInstanceOfSatisfying(
            SQLException.class,
            e -> {
              assertThat(e.getSQLState()).as(e.toString()).isEqualTo("57014");
              assertThat(e instanceof SQLTimeoutException).isEqualTo(inTime);
            });
  }

  @Test
  void aStatementEndsWhenItsTimeIsOver() throws Exception {
    try (Connection c = connect();
        Statement s = c.createStatement()) {
      s.setQueryTimeout(1);
      assertThat(s.getQueryTimeout()).isEqualTo(1);
      Sql.run(c, "insert into note values (13, 1)");
      demandStopped(() -> s.execute("update note set n = 9 where pg_sleep(20) is not null"), true);
      // Nothing is held.
      sites.run(1, "insert into note values (10, 1)");
      c.setAutoCommit(false);
      Sql.run(c, "insert into note values (11, 1)");
      try (PreparedStatement p = c.prepareStatement("select pg_sleep(20)")) {
        p.setQueryTimeout(1);
        demandStopped(p::executeQuery, true);
      }
      state(doing(c, "select 1"), "25P02");
      c.rollback();
      Sql.run(c, "insert into note values (12, 1)");
      c.commit();
    }
    assertThat(sites.ask(1, "select id from note where id in (10, 11, 12) order by id"))
        .containsExactly("10", "12");
  }

  @Test
  void aStatementThatWaitsForTablesEndsWhenItsTimeIsOver() throws Exception {
    for (int holder : new int[] {0, 1}) {
      try (Connection held = sites.connect(holder);
          Connection c = connect();
          Statement s = c.createStatement()) {
        Sql.run(c, "select count(*) from note");
        held.setAutoCommit(false);
        Sql.run(held, "insert into note values (" + (20 + holder) + ", 1)");
        s.setQueryTimeout(1);
        long since = System.nanoTime();
        c.setAutoCommit(false);
        demandStopped(() -> s.executeUpdate("delete from note where id in (20, 21)"), true);
        assertThat(TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - since)).isLessThan(9_000);
        // What follows must not pass for the rest of a transaction that is gone.
        state(doing(c, "insert into note values (22, 1)"), "57014");
        c.rollback();
        held.commit();
        s.setQueryTimeout(0);
        assertThat(s.executeUpdate("delete from note where id in (20, 21)")).isEqualTo(1);
        c.commit();
      }
    }
  }

  @Test
  void whoWaitsForTablesEndsWithTheConnection() throws Exception {
    ExecutorService thread = Executors.newSingleThreadExecutor();
    try (Connection held = sites.connect(0);
        Connection c = connect();
        Statement s = c.createStatement()) {
      held.setAutoCommit(false);
      Sql.run(held, "insert into note values (40, 1)");
      Future<Integer> run = thread.submit(() -> s.executeUpdate("delete from note where id = 40"));
      Thread.sleep(500);
      long since = System.nanoTime();
      c.abort(Runnable::run);
      assertThatThrownBy(() -> result(run)).isInstanceOf(SQLException.class);
      assertThat(TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - since)).isLessThan(9_000);
      held.commit();
    } finally {
      thread.shutdownNow();
    }
    assertThat(sites.ask(1, "select count(*) from note where id = 40")).containsExactly("1");
  }

  @Test
  void aStatementIsCancelled() throws Exception {
    ExecutorService thread = Executors.newSingleThreadExecutor();
    try (Connection c = connect();
        Statement s = c.createStatement();
        Statement other = c.createStatement()) {
      s.cancel();
      Future<Boolean> run = thread.submit(() -> s.execute("select pg_sleep(30)"));
      Thread.sleep(400);
      // It is none that runs.
      other.cancel();
      Thread.sleep(200);
      assertThat(run.isDone()).isFalse();
      s.cancel();
      demandStopped(() -> result(run), false);
      assertThat(Sql.strings(c, "select 1")).containsExactly("1");
    } finally {
      thread.shutdownNow();
    }
  }

  /** Who asks is not to wait for what another thread runs. */
  @Tag("slow")
  @Test
  void aConnectionThatDoesNotAnswerInTimeIsNotValid() throws Exception {
    ExecutorService thread = Executors.newSingleThreadExecutor();
    try (Connection c = connect();
        Statement s = c.createStatement()) {
      state(() -> c.isValid(-1), "22023");
      assertThat(c.isValid(20)).isTrue();
      Future<Boolean> run = thread.submit(() -> s.execute("select pg_sleep(30)"));
      Thread.sleep(500);
      assertThat(c.isValid(1)).isFalse();
      assertThat(run.isDone()).isFalse();
      s.cancel();
      demandStopped(() -> result(run), false);
      assertThat(c.isValid(20)).isTrue();
    } finally {
      thread.shutdownNow();
    }
  }

  private static Object result(Future<?> run) throws Exception {
    try {
      return run.get(10, TimeUnit.SECONDS);
    } catch (java.util.concurrent.ExecutionException e) {
      throw (SQLException) e.getCause();
    }
  }
}
