package dev.plumbline.metric.sql.site;

import static dev.plumbline.metric.sql.local.States.doing;
import static dev.plumbline.metric.sql.local.States.state;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.plumbline.metric.Position;
import dev.plumbline.metric.sql.local.Sql;
import dev.plumbline.metric.sql.log.ForwardingProcess;
import dev.plumbline.metric.sql.log.MetricProcess;
import dev.plumbline.metric.sql.log.Nack;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.sql.Savepoint;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Transactions of applications at sites in one JVM. */
class SiteTest {
  private static final String[] SCHEMA = {
    "create table account (id int primary key, balance int not null)",
    "create table note (id bigint generated always as identity primary key, text text)",
    "insert into account select i, 100 from generate_series(1, 4) i",
  };

  @Test
  void aCommitIsSeenAtEverySite() throws SQLException {
    try (TestSites sites = new TestSites(3).with(SCHEMA)) {
      sites.run(
          1, "update account set balance = 7 where id = 1", "insert into note (text) values ('a')");
      assertThat(sites.ask(2, "select balance from account order by id"))
          .containsExactly("7", "100", "100", "100");
      sites.run(2, "insert into note (text) values ('b')", "delete from account where id = 4");
      assertThat(sites.ask(0, "select id || text from note order by id"))
          .containsExactly("1a", "2b");
      assertThat(sites.ask(0, "select count(*) from account")).containsExactly("3");
      assertThat(sites.machines().entries()).isGreaterThan(2);
    }
  }

  @Test
  void whatAViewDrawsIsDrawnOnce() throws SQLException {
    try (TestSites sites =
        new TestSites(2)
            .with("create sequence ids", "create view drawn as select nextval('ids') as id")) {
      for (int i = 1; i < 7; i++) {
        assertThat(sites.ask(i % 2, "select id from drawn")).containsExactly("" + i);
      }
    }
  }

  @Test
  void anEntryOfTwoTablesWaitsForEarlierOnesOfTheOther() throws SQLException {
    try (TestSites sites =
        new TestSites(2)
            .with("create table a (n int)", "create table b (n int)", "insert into b values (0)")) {
      sites.run(0, "insert into b values (1)", "delete from b where n = 0");
      try (Connection c = sites.connect(0)) {
        c.setAutoCommit(false);
        Sql.run(c, "insert into a values (2)", "insert into b values (2)");
        c.commit();
      }
      assertThat(sites.ask(1, "select n from a")).containsExactly("2");
      assertThat(sites.ask(1, "select n from b order by n")).containsExactly("1", "2");
    }
  }

  @Test
  void whatAnotherSiteHasEndedIsNotGoneOnWith() throws SQLException {
    try (TestSites sites = new TestSites(2).with(SCHEMA);
        Connection c = sites.site(1).initialize()) {
      assertThatThrownBy(() -> Sql.run(c, "create table late (n int)"))
          .isInstanceOf(SQLException.class)
          .hasMessageContaining("initialization has ended");
      state(() -> sites.ask(0, "select n from late"), "42P01");
    }
  }

  @Test
  void aRollbackLeavesNothingAnywhere() throws SQLException {
    try (TestSites sites = new TestSites(2).with(SCHEMA);
        Connection c = sites.connect(0)) {
      c.setAutoCommit(false);
      Sql.run(c, "update account set balance = 0", "insert into note (text) values ('gone')");
      c.rollback();
      Sql.run(c, "update account set balance = 1 where id = 1");
      Savepoint savepoint = c.setSavepoint();
      Sql.run(c, "update account set balance = 2 where id = 2");
      c.rollback(savepoint);
      Sql.run(c, "savepoint x", "delete from account", "rollback to x");
      c.commit();
      assertThat(sites.ask(1, "select balance from account order by id"))
          .containsExactly("1", "100", "100", "100");
      assertThat(sites.ask(1, "select count(*) from note")).containsExactly("0");
      // A sequence gives no value twice, not even one that was rolled back.
      sites.run(1, "insert into note (text) values ('next')");
      assertThat(sites.ask(0, "select id from note")).containsExactly("2");
    }
  }

  /** A value that a transaction drew whose end never came, before the site began anew. */
  @Test
  void whatTheDatabaseHasIsNotTakenForWhatTheLogSays() throws SQLException {
    try (TestSites sites = new TestSites(2).with(SCHEMA)) {
      try (Connection past = sites.database(0)) {
        assertThat(Sql.string(past, "select nextval('note_id_seq')")).isEqualTo("1");
      }
      assertThat(sites.ask(0, "select setval('note_id_seq', 1)")).containsExactly("1");
      sites.run(1, "insert into note (text) values ('x')");
      assertThat(sites.ask(0, "select id from note")).containsExactly("2");
    }
  }

  @Test
  void transactionsOfTwoSitesAreSerializable() throws Exception {
    try (TestSites sites = new TestSites(2).with(SCHEMA)) {
      ExecutorService threads = Executors.newFixedThreadPool(4);
      List<Future<Integer>> running =
          threads.invokeAll(
              List.of(0, 1, 0, 1).stream()
                  .map(i -> (Callable<Integer>) () -> transfers(sites, i))
                  .toList());
      int done = 0;
      for (Future<Integer> r : running) {
        done += r.get();
      }
      threads.shutdown();
      assertThat(done).isGreaterThan(20);
      for (int i = 0; i < 2; i++) {
        assertThat(sites.ask(i, "select sum(balance) from account")).containsExactly("400");
        assertThat(sites.ask(i, "select count(*) from note")).containsExactly(String.valueOf(done));
      }
    }
  }

  private static int transfers(TestSites sites, int site) throws SQLException {
    Random random = new Random(site);
    int done = 0;
    try (Connection c = sites.connect(site)) {
      c.setAutoCommit(false);
      for (int i = 0; i < 15; i++) {
        try {
          int from = 1 + random.nextInt(4);
          int balance =
              Integer.parseInt(Sql.string(c, "select balance from account where id = ?", from));
          int to =
              Integer.parseInt(
                  Sql.string(c, "select balance from account where id = ?", from % 4 + 1));
          Sql.update(c, "update account set balance = ? where id = ?", balance - 1, from);
          Sql.update(c, "update account set balance = ? where id = ?", to + 1, from % 4 + 1);
          Sql.run(c, "insert into note (text) values ('x')");
          c.commit();
          done++;
        } catch (SQLException e) {
          assertThat(e.getSQLState()).as(e.getMessage()).isEqualTo("40001");
          c.rollback();
        }
      }
    }
    return done;
  }

  /** Ends a transaction with a statement; whether that was refused, and all that followed too. */
  private static boolean gaveWay(Connection c, String statement) throws SQLException {
    try {
      Sql.run(c, statement);
      c.commit();
      return false;
    } catch (SQLException e) {
      assertThat(e.getSQLState()).as(e.getMessage()).isEqualTo("40001");
      state(doing(c, statement), "40001");
      c.rollback();
      return true;
    }
  }

  @Test
  void writeSkewIsNot() throws Exception {
    try (TestSites sites =
            new TestSites(2)
                .with(
                    "create table x (n int)",
                    "create table y (n int)",
                    "insert into x values (1)",
                    "insert into y values (1)");
        Connection a = sites.connect(0);
        Connection b = sites.connect(1)) {
      a.setAutoCommit(false);
      b.setAutoCommit(false);
      assertThat(Sql.string(a, "select n from x")).isEqualTo("1");
      assertThat(Sql.string(b, "select n from y")).isEqualTo("1");
      ExecutorService thread = Executors.newSingleThreadExecutor();
      Future<Boolean> other = thread.submit(() -> gaveWay(b, "update x set n = 0"));
      boolean first = gaveWay(a, "update y set n = 0");
      assertThat(other.get() || first).isTrue();
      thread.shutdown();
      assertThat(sites.ask(0, "select x.n + y.n from x, y").get(0)).isIn("1", "2");
    }
  }

  @Test
  void aSiteRunsOneTransactionAtATime() throws Exception {
    Site.Options brief =
        new Site.Options(Duration.ofMillis(300), Duration.ofSeconds(9), Duration.ZERO, 20);
    try (TestSites sites =
            new TestSites(1, brief, p -> p)
                .with("create table x (n int)", "create table y (n int)");
        Connection a = sites.connect(0);
        Connection b = sites.connect(0)) {
      a.setAutoCommit(false);
      b.setAutoCommit(false);
      Sql.run(a, "insert into x values (1)");
      state(doing(b, "select * from y"), "40001");
      b.rollback();
      ExecutorService thread = Executors.newSingleThreadExecutor();
      Future<?> other = thread.submit(doing(b, "select * from y"));
      a.commit();
      other.get();
      thread.shutdown();
      b.commit();
      assertThat(sites.ask(0, "select n from x")).containsExactly("1");
    }
  }

  @Test
  void theSchemaIsMadeOnceAndEverywhere() throws SQLException {
    try (TestSites sites = new TestSites(2)) {
      state(() -> sites.ask(0, "select 1"), "55000");
      try (Connection c = sites.site(1).initialize()) {
        c.setAutoCommit(false);
        Sql.run(
            c,
            "create schema s",
            "set search_path = s, public",
            "create table early (id int primary key, t text)",
            "insert into early values (1, 'one'), (2, 'two')",
            "alter table early add column n int default 5",
            "update early set n = 6 where id = 2",
            "create sequence ids start 50");
        c.commit();
        for (String refused :
            List.of(
                "create table copied as select * from early",
                "select * into copied from early",
                "do $$ begin end $$")) {
          state(doing(c, refused), "0A000");
          state(doing(c, "end initialization"), "25P02");
        }
        Sql.run(c, "end initialization");
        state(doing(c, "create table later (id int)"), "0A000");
        c.rollback();
        state(doing(c, "end initialization"), "55000");
      }
      assertThat(sites.ask(0, "select t || n from s.early order by id"))
          .containsExactly("one5", "two6");
      assertThat(sites.ask(0, "select nextval('s.ids')")).containsExactly("50");
      assertThat(sites.ask(1, "select nextval('s.ids')")).containsExactly("51");
      state(
          () -> {
            sites.run(0, "create table late (id int)");
            return null;
          },
          "0A000");
      state(
          () -> {
            sites.run(0, "truncate s.nothing");
            return null;
          },
          "42P01");
    }
  }

  @Test
  void aSiteWithOtherContentsDoesNotServe() throws SQLException {
    try (TestSites sites = new TestSites(2)) {
      try (Connection c = sites.database(1)) {
        Sql.run(c, "create table account (id int primary key, balance bigint)");
      }
      try (Connection c = sites.site(0).initialize()) {
        Sql.run(
            c,
            "create table early (id uuid default gen_random_uuid(), n int)",
            "end initialization");
      }
      assertThatThrownBy(() -> sites.ask(1, "select 1"))
          .isInstanceOf(SQLException.class)
          .hasMessageContaining("account");
    }
  }

  @Test
  void keysBatchesAndResultSets() throws SQLException {
    try (TestSites sites = new TestSites(2).with(SCHEMA);
        Connection c = sites.connect(0)) {
      try (PreparedStatement s =
          c.prepareStatement(
              "insert into note (text) values (?)", Statement.RETURN_GENERATED_KEYS)) {
        s.setString(1, "k");
        assertThat(s.executeUpdate()).isEqualTo(1);
        try (ResultSet keys = s.getGeneratedKeys()) {
          assertThat(keys.next()).isTrue();
          assertThat(keys.getLong(1)).isEqualTo(1);
        }
        for (int i = 0; i < 3; i++) {
          s.setString(1, "b" + i);
          s.addBatch();
        }
        assertThat(s.executeBatch()).containsExactly(1, 1, 1);
      }
      try (Statement s =
          c.createStatement(ResultSet.TYPE_SCROLL_INSENSITIVE, ResultSet.CONCUR_READ_ONLY)) {
        s.addBatch("update account set balance = 1 where id = 1");
        s.addBatch("delete from note where text = 'k'");
        assertThat(s.executeBatch()).containsExactly(1, 1);
        s.addBatch("drop table note");
        state(s::executeBatch, "0A000");
        ResultSet rows = s.executeQuery("select id from account order by id");
        assertThat(rows.absolute(3)).isTrue();
        assertThat(rows.previous()).isTrue();
        assertThat(rows.getInt(1)).isEqualTo(2);
      }
      assertThat(sites.ask(1, "select text from note order by id"))
          .containsExactly("b0", "b1", "b2");
      assertThatThrownBy(
              () -> c.createStatement(ResultSet.TYPE_FORWARD_ONLY, ResultSet.CONCUR_UPDATABLE))
          .isInstanceOf(SQLFeatureNotSupportedException.class);
      assertThatThrownBy(() -> c.prepareCall("{call x()}"))
          .isInstanceOf(SQLFeatureNotSupportedException.class);
      assertThatThrownBy(() -> c.unwrap(org.postgresql.PGConnection.class))
          .isInstanceOf(SQLFeatureNotSupportedException.class);
      assertThatThrownBy(() -> c.setTransactionIsolation(Connection.TRANSACTION_NONE))
          .isInstanceOf(SQLException.class);
      c.setTransactionIsolation(Connection.TRANSACTION_READ_COMMITTED);
      assertThat(c.getTransactionIsolation()).isEqualTo(Connection.TRANSACTION_SERIALIZABLE);
      c.setReadOnly(true);
      state(doing(c, "delete from note"), "25006");
      c.setReadOnly(false);
      state(
          () -> {
            c.commit();
            return null;
          },
          "25P01");
      state(() -> c.setSavepoint(), "25P01");
      state(doing(c, "savepoint x"), "25P01");
      state(doing(c, "selec"), "0A000");
      state(doing(c, "select * from account where id = 'x'"), "22P02");
      state(doing(c, "insert into account values (1, 2)"), "23505");
    }
  }

  /** What had to wait for its turn in vain is added again by who tries again. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void ofABatchThatDidNotRunNothingIsLeft(boolean served) throws SQLException {
    Site.Options brief =
        new Site.Options(Duration.ofMillis(300), Duration.ofSeconds(9), Duration.ZERO, 20);
    try (TestSites sites = new TestSites(2, brief, p -> p).with(SCHEMA);
        MetricServer server = sites.serve(0);
        Connection other = sites.connect(0);
        Connection c =
            served
                ? DriverManager.getConnection("jdbc:metric://127.0.0.1:" + server.port())
                : sites.connect(0);
        Statement s = c.createStatement();
        PreparedStatement prepared =
            c.prepareStatement("update account set balance = balance + ? where id = 1")) {
      c.setAutoCommit(false);
      s.addBatch("delete from account where id = 3");
      s.addBatch("drop table note");
      state(s::executeBatch, "0A000");
      c.rollback();
      s.addBatch("commit");
      assertThat(s.executeBatch()).containsExactly(0);
      s.addBatch("update account set balance = 7 where id = 2");
      assertThat(s.executeBatch()).containsExactly(1);
      c.commit();
      other.setAutoCommit(false);
      Sql.run(other, "select * from note");
      for (int tries = 0; tries < 2; tries++) {
        prepared.setInt(1, 5);
        prepared.addBatch();
        if (tries == 0) {
          state(prepared::executeBatch, "40001");
          c.rollback();
          other.rollback();
        } else {
          assertThat(prepared.executeBatch()).containsExactly(1);
          c.commit();
        }
      }
      for (int i = 0; i < 2; i++) {
        assertThat(sites.ask(i, "select balance from account order by id"))
            .containsExactly("105", "7", "100", "100");
        assertThat(sites.ask(i, "select id from note")).isEmpty();
      }
    }
  }

  /** PostgreSQL keeps it, and leaves it out where it writes the value. */
  @Test
  void xmlKeepsItsDeclaration() throws SQLException {
    String xml = "<?xml version=\"1.0\" encoding=\"UTF-8\"?><a b=\"c,d\"/>";
    try (TestSites sites =
        new TestSites(2)
            .with(
                "create domain doc as xml",
                "create domain letter as doc",
                "create table t (\"the id\" int primary key, x xml, d doc, n int, g int generated always as (n + 1))",
                "create table many (id int primary key, x xml[], l letter)",
                "create table bare (x xml)",
                "alter table t drop column n cascade",
                "alter table t add column n int")) {
      sites.run(
          0,
          "insert into t values (1, '" + xml + "', '" + xml + "', 5), (2, null, null, null)",
          "insert into bare values ('<a b=\"c,d\"/>'), ('" + xml + "'), ('<a/>')");
      for (int i = 0; i < 2; i++) {
        assertThat(sites.ask(i, "select x::text || d::text || n from t where \"the id\" = 1"))
            .containsExactly(xml + xml + "5");
      }
      sites.run(0, "insert into many values (1, array[null, '" + xml + "'::xml], '" + xml + "')");
      sites.run(1, "update many set id = 2");
      for (int i = 0; i < 2; i++) {
        assertThat(
                sites.ask(
                    i, "select coalesce(x[1]::text, 'none') || x[2]::text || l::text from many"))
            .containsExactly("none" + xml + xml);
      }
      sites.run(1, "update t set n = 6", "delete from t where \"the id\" = 2");
      assertThat(sites.ask(0, "select x::text || n from t")).containsExactly(xml + "6");
      sites.run(0, "delete from bare where x::text = '" + xml + "'", "truncate t");
      assertThat(sites.ask(1, "select x::text from bare"))
          .containsExactlyInAnyOrder("<a/>", "<a b=\"c,d\"/>");
      assertThat(sites.ask(1, "select x::text from t")).isEmpty();
    }
  }

  /** A database may read the word in an array as a text. */
  @Test
  void nothingInAnArrayIsNoText() throws SQLException {
    try (TestSites sites = new TestSites(2)) {
      for (int i = 0; i < 2; i++) {
        try (Connection c = sites.database(i)) {
          String name = Sql.string(c, "select current_database()");
          Sql.run(c, "alter database " + name + " set array_nulls = off");
          Sql.run(
              c,
              "select pg_terminate_backend(pid) from pg_stat_activity where datname = '"
                  + name
                  + "' and pid <> pg_backend_pid()");
        }
      }
      sites.with("create table t (id int primary key, a text[])");
      sites.run(0, "insert into t values (1, array[null, 'NULL', 'a'])");
      assertThat(sites.ask(1, "select (a[1] is null)::text || a[2] from t"))
          .containsExactly("trueNULL");
    }
  }

  @Test
  void aKeyMayIncludeOtherColumns() throws SQLException {
    try (TestSites sites =
        new TestSites(2)
            .with("create table t (id int, v text, j json, primary key (id) include (v, j))")) {
      sites.run(0, "insert into t values (1, null, '1'), (2, 'b', '2')", "update t set v = id");
      assertThat(sites.ask(1, "select v from t order by id")).containsExactly("1", "2");
      sites.run(1, "delete from t where id = 2");
      assertThat(sites.ask(0, "select v from t")).containsExactly("1");
    }
  }

  @Test
  void readOnlyAsItIsLeavesTheTransactionAlone() throws SQLException {
    try (TestSites sites = new TestSites(2).with(SCHEMA);
        Connection c = sites.connect(0)) {
      c.setAutoCommit(false);
      Sql.run(c, "insert into account values (5, 5)");
      c.setReadOnly(false);
      state(
          () -> {
            c.setReadOnly(true);
            return null;
          },
          "25001");
      assertThat(c.isReadOnly()).isFalse();
      Sql.run(c, "insert into account values (6, 6)");
      c.commit();
      assertThat(sites.ask(1, "select id from account where id > 4 order by id"))
          .containsExactly("5", "6");
    }
  }

  @Test
  void theSchemaLasts() throws SQLException {
    try (TestSites sites =
            new TestSites(2)
                .with("create schema s", "create table t (n int)", "create table s.t (n int)");
        Connection c = sites.connect(0)) {
      c.setSchema("s");
      Sql.run(c, "insert into t values (1)");
      assertThat(c.getSchema()).isEqualTo("s");
      assertThat(sites.ask(1, "select n from s.t")).containsExactly("1");
      assertThat(sites.ask(1, "select n from public.t")).isEmpty();
    }
  }

  @Test
  void aLongStatementIsNotRemembered() throws SQLException {
    try (TestSites sites = new TestSites(1).with(SCHEMA)) {
      Site site = sites.site(0);
      String brief = "select * from account";
      String full = brief + " -- " + "x".repeat(1 << 20);
      List<String> path = List.of("public");
      assertThat(sites.ask(0, full)).hasSize(4);
      assertThat(site.plan(brief, path)).isSameAs(site.plan(brief, path));
      assertThat(site.plan(full, path)).isNotSameAs(site.plan(full, path));
      assertThat(site.footprint(brief)).isSameAs(site.footprint(brief));
      assertThat(site.footprint(full)).isNotSameAs(site.footprint(full));
    }
  }

  @Test
  void theSchemaIsThatOfTheSavepointAgain() throws SQLException {
    try (TestSites sites =
            new TestSites(1)
                .with(
                    "create schema s",
                    "create table t (n int)",
                    "create table s.t (n int)",
                    "insert into s.t values (7)");
        Connection c = sites.connect(0)) {
      c.setAutoCommit(false);
      Savepoint savepoint = c.setSavepoint();
      c.setSchema("s");
      assertThat(Sql.strings(c, "select n from t")).containsExactly("7");
      c.rollback(savepoint);
      assertThat(Sql.strings(c, "select n from t")).isEmpty();
      Sql.run(c, "savepoint x");
      c.setSchema("s");
      assertThat(Sql.strings(c, "select n from t")).containsExactly("7");
      Sql.run(c, "rollback to x");
      Sql.run(c, "insert into t values (1)");
      c.commit();
      assertThat(sites.ask(0, "select n from public.t")).containsExactly("1");
    }
  }

  @Test
  void whoDiesHoldingTablesHoldsThemNoLongerThanTheLease() throws Exception {
    Site.Options brief =
        new Site.Options(Duration.ofSeconds(5), Duration.ofMillis(400), Duration.ZERO, 20);
    try (TestSites sites = new TestSites(2, brief, p -> p).with(SCHEMA);
        Connection dead = sites.connect(0)) {
      dead.setAutoCommit(false);
      Sql.run(dead, "update account set balance = 0");
      long start = System.nanoTime();
      assertThat(sites.ask(0, "select sum(balance) from account")).containsExactly("400");
      assertThat(sites.ask(1, "select sum(balance) from account")).containsExactly("400");
      assertThat((System.nanoTime() - start) / 1_000_000).isBetween(200L, 2_500L);
      state(doing(dead, "update account set balance = 1"), "25P03");
      state(
          () -> {
            dead.commit();
            return null;
          },
          "25P03");
      Sql.run(dead, "select 1");
      // A long statement is no dead application.
      dead.rollback();
      Sql.run(
          dead,
          "update account set balance = balance + 1 where id = 1",
          "select pg_sleep(1.2) from account where id = 1",
          "update account set balance = balance + 1 where id = 1");
      dead.commit();
      assertThat(sites.ask(1, "select balance from account where id = 1")).containsExactly("102");
    }
  }

  /** A process that does as it is told, once. */
  private static MetricProcess failing(MetricProcess p, AtomicReference<String> how) {
    return new ForwardingProcess(p) {
      @Override
      public Position append(String transaction, Set<String> changed, byte[] entry) throws Nack {
        switch (String.valueOf(how.getAndSet(null))) {
          case "refused" -> throw new Nack(Nack.Kind.LOST, "preempted");
          case "sent" -> {
            super.append(transaction, changed, entry);
            throw new Nack(Nack.Kind.UNKNOWN, "no answer");
          }
          case "not sent" -> throw new Nack(Nack.Kind.UNKNOWN, "no answer");
          default -> {
            return super.append(transaction, changed, entry);
          }
        }
      }

      @Override
      public void confirm(String transaction) throws Nack {
        if ("preempted".equals(how.get())) {
          how.set(null);
          throw new Nack(Nack.Kind.LOST, "preempted");
        }
        super.confirm(transaction);
      }
    };
  }

  @Test
  void tablesThatSuchTransactionsUseNowAndThenAreOwnedFirst() throws SQLException {
    List<Set<String>> asked = new CopyOnWriteArrayList<>();
    UnaryOperator<MetricProcess> noting =
        p ->
            new ForwardingProcess(p) {
              @Override
              public void own(String transaction, Set<String> tables) throws Nack {
                asked.add(Set.copyOf(tables));
                super.own(transaction, tables);
              }
            };
    String first = "select balance from account where id = 1";
    String rest = "insert into note (text) values ('a')";
    try (TestSites sites = new TestSites(1, TestSites.QUICK, noting).with(SCHEMA);
        Connection c = sites.connect(0)) {
      c.setAutoCommit(false);
      for (String statement : List.of(rest, first)) {
        Sql.run(c, first, statement);
        c.commit();
      }
      asked.clear();
      Sql.run(c, first, rest);
      c.commit();
      assertThat(asked).singleElement().satisfies(t -> assertThat(t).hasSizeGreaterThan(1));
      for (int i = 0; i < 8; i++) {
        Sql.run(c, first);
        c.commit();
      }
      asked.clear();
      Sql.run(c, first);
      c.commit();
      assertThat(asked).containsExactly(Set.of("\"public\".\"account\""));
    }
  }

  @Test
  void whatTheLogRefusedIsNowhereAndWhatItTookIsEverywhere() throws SQLException {
    AtomicReference<String> how = new AtomicReference<>();
    try (TestSites sites = new TestSites(2, TestSites.QUICK, p -> failing(p, how)).with(SCHEMA);
        Connection c = sites.connect(0)) {
      how.set("refused");
      state(doing(c, "update account set balance = 1 where id = 1"), "40001");
      how.set("not sent");
      state(doing(c, "update account set balance = 2 where id = 2"), "08007");
      how.set("sent");
      state(doing(c, "update account set balance = 3 where id = 3"), "08007");
      how.set("preempted");
      state(doing(c, "select * from account"), "40001");
      for (int i = 0; i < 2; i++) {
        assertThat(sites.ask(i, "select balance from account order by id"))
            .containsExactly("100", "100", "3", "100");
      }
      try (Connection past = sites.database(0)) {
        assertThat(Sql.string(past, "select count(*) from plumb_metric.tx_queue")).isEqualTo("0");
      }
    }
  }

  @Test
  void aDatabaseThatStopsMidTransaction() throws SQLException {
    try (TestSites sites = new TestSites(2).with(SCHEMA);
        Connection c = sites.connect(0)) {
      c.setAutoCommit(false);
      Sql.run(c, "update account set balance = 0");
      try (Connection past = sites.database(0)) {
        Sql.run(
            past,
            "select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()");
      }
      state(doing(c, "select * from account"), "08006");
      state(doing(c, "select * from account"), "08003");
      assertThat(c.isValid(1)).isFalse();
      assertThat(sites.ask(1, "select sum(balance) from account")).containsExactly("400");
      sites.run(0, "update account set balance = 5 where id = 1");
      assertThat(sites.ask(1, "select balance from account where id = 1")).containsExactly("5");
    }
  }

  /** A client that is killed does not close its connection, and no site hears of its end. */
  @Test
  void clientsThatWentLeaveTheirPlaceToOthers() throws Exception {
    try (TestSites sites =
        new TestSites(
                1,
                new Site.Options(Duration.ofSeconds(5), Duration.ofSeconds(1), Duration.ZERO, 3),
                p -> p)
            .with(SCHEMA)) {
      String url = "jdbc:metric://127.0.0.1:" + sites.serve(0).port();
      List<Connection> open = new ArrayList<>();
      for (int i = 0; i < 3; i++) {
        open.add(DriverManager.getConnection(url));
        Sql.run(open.get(i), "select 1");
      }
      Connection alive = open.remove(1);
      Connection next = DriverManager.getConnection(url);
      long end = System.nanoTime() + 60_000_000_000L;
      boolean served = false;
      while (!served && System.nanoTime() < end) {
        assertThat(alive.isValid(5)).isTrue();
        try {
          Sql.run(next, "update account set balance = 1");
          served = true;
        } catch (SQLException e) {
          assertThat(e.getSQLState()).isEqualTo("53300");
          Thread.sleep(200);
        }
      }
      assertThat(served).isTrue();
      Sql.run(alive, "select 1");
      List<Connection> ended = new ArrayList<>();
      for (Connection c : open) {
        if (!c.isValid(5)) {
          ended.add(c);
        }
      }
      assertThat(ended).hasSize(1);
      state(doing(ended.get(0), "select 1"), "08003");
    }
  }

  @Test
  void moreConnectionsThanThereMayBe() throws SQLException {
    try (TestSites sites =
        new TestSites(
                1,
                new Site.Options(Duration.ofSeconds(1), Duration.ofSeconds(9), Duration.ZERO, 10),
                p -> p)
            .with(SCHEMA)) {
      int refused = 0;
      List<Connection> open = new ArrayList<>();
      for (int i = 0; i < 1000; i++) {
        Connection c = sites.connect(0);
        open.add(c);
        try {
          Sql.run(c, "select * from account");
        } catch (SQLException e) {
          assertThat(e.getSQLState()).isEqualTo("53300");
          refused++;
        }
      }
      assertThat(refused).isEqualTo(990);
      for (Connection c : open) {
        c.close();
      }
      assertThat(sites.ask(0, "select count(*) from account")).containsExactly("4");
    }
  }

  @Test
  void aTableThatWasNotFoundIsRefusedAfterAll() throws SQLException {
    try (TestSites sites = new TestSites(1).with(SCHEMA)) {
      // A function that is made behind Metric's back: the catalog that was read does not know it.
      sites.run(0, "select 1");
      try (Connection past = sites.database(0)) {
        Sql.run(
            past,
            "create function account(int) returns bigint language sql as 'select sum(balance) from account'");
      }
      assertThatThrownBy(() -> sites.ask(0, "select account(1)"))
          .isInstanceOf(SQLException.class)
          .hasMessageContaining("were not found in it")
          .hasMessageContaining("account");
    }
  }

  @Test
  void captureThatIsSwitchedOffIsSeenAfterAll() throws SQLException {
    try (TestSites sites = new TestSites(2).with(SCHEMA);
        Connection c = sites.connect(0)) {
      sites.run(0, "select 1");
      try (Connection past = sites.database(0)) {
        Sql.run(
            past,
            "create function sly() returns text language sql as"
                + " $$ select set_config('session_replication_role', 'replica', false) $$",
            "create function sly(role text) returns text language sql as"
                + " $$ select set_config('session_replication_role', role, true) $$",
            "create function slyer(i int) returns void language sql as $$ select sly('replica'); update account set"
                + " balance = 0 where id = i; select sly('origin') $$");
      }
      state(doing(c, "select sly()"), "0A000");
      // Capture does not ask for it.
      Sql.run(c, "select slyer(id) from account where id = 1");
      assertThat(sites.ask(1, "select balance from account where id = 1")).containsExactly("0");
      Sql.run(c, "insert into account values (5, 5)");
      assertThat(sites.ask(1, "select balance from account where id = 5")).containsExactly("5");
    }
  }

  /** It is its connection's or transaction's own, and other sites have what it led to. */
  @Test
  void triggersReadASettingOfTheApplication() throws SQLException {
    try (TestSites sites =
            new TestSites(2)
                .with(
                    "create table t (id int primary key)",
                    "create table seen (id int primary key, who text)",
                    "create function sees() returns trigger language plpgsql as $$ begin insert into seen values (new.id,"
                        + " current_setting('app.who', true)); return null; end $$",
                    "create trigger sees after insert on t for each row execute function sees()");
        Connection c = sites.connect(0);
        PreparedStatement s = c.prepareStatement("select set_config('app.who', ?, true)")) {
      Sql.run(c, "set app.who = 'ann'", "insert into t values (1)");
      c.setAutoCommit(false);
      s.setString(1, "bob");
      s.executeQuery().close();
      Sql.run(c, "insert into t values (2)");
      c.commit();
      Sql.run(c, "insert into t values (3)", "set app.who = 'cy'");
      c.rollback();
      Sql.run(c, "insert into t values (4)");
      c.commit();
      Sql.run(c, "reset app.who", "insert into t values (5)");
      c.commit();
      for (int i = 0; i < 2; i++) {
        assertThat(sites.ask(i, "select concat(id, who) from seen order by id"))
            .containsExactly("1ann", "2bob", "4ann", "5");
      }
    }
  }

  @Test
  void whatIsDeferredIsCheckedBeforeTheCommit() throws SQLException {
    try (TestSites sites =
            new TestSites(2)
                .with(
                    "create table p (id int primary key)",
                    "create table k (id int references p deferrable)");
        Connection c = sites.connect(0)) {
      c.setAutoCommit(false);
      Sql.run(c, "set constraints all deferred", "insert into k values (1)");
      Sql.run(c, "insert into p values (1)");
      c.commit();
      assertThat(sites.ask(1, "select k.id from k join p using (id)")).containsExactly("1");
      Sql.run(c, "set constraints all deferred", "insert into k values (2)");
      state(
          () -> {
            c.commit();
            return null;
          },
          "23503");
      assertThat(sites.ask(1, "select count(*) from k")).containsExactly("1");
    }
  }

  @Test
  void populationInTheBackgroundLeavesLittleToTheNextOwner() throws Exception {
    Site.Options options =
        new Site.Options(Duration.ofSeconds(3), Duration.ofSeconds(20), Duration.ofMillis(20), 20);
    try (TestSites sites = new TestSites(3, options, p -> p).with(SCHEMA)) {
      sites.ask(1, "select 1 from account");
      sites.run(0, "update account set balance = 9", "insert into note (text) values ('x')");
      // What the next owner's entry follows does not change any more.
      sites.ask(2, "select 1 from account, note");
      long end = System.nanoTime() + 9_000_000_000L;
      try (Connection past = sites.database(1)) {
        String seen = "";
        while (!seen.equals("36 1") && System.nanoTime() < end) {
          Thread.sleep(20);
          seen =
              Sql.string(
                  past, "select (select sum(balance) from account) || ' ' || count(*) from note");
        }
        assertThat(seen).isEqualTo("36 1");
        // The checkpoint is in the database itself.
        assertThat(
                Sql.string(
                    past, "select position from plumb_metric.pointers where tbl like '%account%'"))
            .endsWith(".1/1");
      }
    }
  }
}
