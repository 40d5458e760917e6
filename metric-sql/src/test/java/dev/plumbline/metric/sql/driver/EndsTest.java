package dev.plumbline.metric.sql.driver;

import static dev.plumbline.metric.sql.local.States.committing;
import static dev.plumbline.metric.sql.local.States.doing;
import static dev.plumbline.metric.sql.local.States.state;
import static org.assertj.core.api.Assertions.assertThat;

import dev.plumbline.metric.Position;
import dev.plumbline.metric.sql.local.EmbeddedPostgreSql;
import dev.plumbline.metric.sql.local.LocalDatabase;
import dev.plumbline.metric.sql.local.PostgreSql;
import dev.plumbline.metric.sql.local.Sql;
import dev.plumbline.metric.sql.local.TestPostgres;
import dev.plumbline.metric.sql.log.ForwardingProcess;
import dev.plumbline.metric.sql.log.Machines;
import dev.plumbline.metric.sql.log.MetricProcess;
import dev.plumbline.metric.sql.log.Nack;
import dev.plumbline.metric.sql.site.MetricServer;
import dev.plumbline.metric.sql.site.Site;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * What ends in the middle of a transaction, as applications see it that know a URL and JDBC alone:
 * the first site's local database, and an application itself. Either way nothing is lost, and
 * nothing is held beyond the lease.
 */
class EndsTest {
  private static final Duration LEASE = Duration.ofMillis(800);

  /** The site looks four times a lease, and this machine may have much else to do. */
  private static final long MARGIN_MILLIS = 2_500;

  private static final long AT_ONCE_MILLIS = 1_000;
  private static final String SUM = "select sum(balance) from account";

  @TempDir static Path folder;

  private static final AtomicReference<EmbeddedPostgreSql> DATABASE = new AtomicReference<>();

  /** What happens once when the first site's next entry is on its way to the log. */
  private static final AtomicReference<Callable<Nack>> ON_APPEND = new AtomicReference<>();

  /** What happens once before a connection to the first site's database commits. */
  private static final AtomicReference<Runnable> ON_COMMIT = new AtomicReference<>();

  /** What happens once before a statement of the first site's database. */
  private static final AtomicReference<Runnable> ON_STATEMENT = new AtomicReference<>();

  private static Machines machines;
  private static Site first;
  private static Site second;
  private static MetricServer here;
  private static MetricServer there;

  @BeforeAll
  static void start() throws SQLException {
    String other = TestPostgres.database();
    DATABASE.set(new EmbeddedPostgreSql(folder.resolve("data"), 30));
    DATABASE.get().create("site");
    machines = new Machines(2);
    first = site(0, () -> watched(DATABASE.get().connect("site")));
    second = site(1, () -> TestPostgres.server().connect(other));
    here = new MetricServer(first, 0);
    there = new MetricServer(second, 0);
    try (Connection c = DriverManager.getConnection(url(here) + "?initialization=true")) {
      Sql.run(
          c,
          "create table account (id int primary key, balance int not null)",
          "end initialization");
    }
  }

  private static Connection watched(Connection real) {
    return watched(Connection.class, real);
  }

  private static <T> T watched(Class<T> type, T real) {
    return type.cast(
        Proxy.newProxyInstance(
            EndsTest.class.getClassLoader(),
            new Class<?>[] {type},
            (self, method, arguments) -> {
              Runnable now =
                  method.getName().equals("commit")
                      ? ON_COMMIT.getAndSet(null)
                      : method.getName().startsWith("execute")
                          ? ON_STATEMENT.getAndSet(null)
                          : null;
              if (now != null) {
                now.run();
              }
              try {
                Object result = method.invoke(real, arguments);
                return method.getName().equals("prepareStatement")
                    ? watched(PreparedStatement.class, (PreparedStatement) result)
                    : method.getName().equals("createStatement")
                        ? watched(Statement.class, (Statement) result)
                        : result;
              } catch (InvocationTargetException e) {
                throw e.getCause();
              }
            }));
  }

  private static Site site(int i, LocalDatabase.Source source) throws SQLException {
    Site.Options options = new Site.Options(Duration.ofSeconds(8), LEASE, Duration.ZERO, 20);
    MetricProcess process = machines.process(i, options.patience(), LEASE);
    return new Site(
        "site" + i,
        new LocalDatabase(new PostgreSql(), source),
        i > 0
            ? process
            : new ForwardingProcess(process) {
              @Override
              public Position append(String transaction, Set<String> changed, byte[] entry)
                  throws Nack {
                Callable<Nack> now = ON_APPEND.getAndSet(null);
                Nack refused = now == null ? null : done(now);
                if (refused != null) {
                  throw refused;
                }
                return super.append(transaction, changed, entry);
              }
            },
        options);
  }

  private static Nack done(Callable<Nack> work) {
    try {
      return work.call();
    } catch (Exception e) {
      throw new IllegalStateException(e);
    }
  }

  @AfterAll
  static void stop() throws IOException {
    for (MetricServer server : new MetricServer[] {here, there}) {
      if (server != null) {
        server.close();
      }
    }
    for (Site site : new Site[] {first, second}) {
      if (site != null) {
        site.close();
      }
    }
    if (machines != null) {
      machines.close();
      assertThat(machines.failures()).isEmpty();
    }
    if (DATABASE.get() != null) {
      DATABASE.get().close();
    }
  }

  @BeforeEach
  void fourAccounts() throws IOException, SQLException {
    if (!serves()) {
      startDatabase();
    }
    try (Connection c = connect(there)) {
      c.setAutoCommit(false);
      Sql.run(
          c,
          "delete from account",
          "insert into account values (1, 100), (2, 100), (3, 100), (4, 100)");
      c.commit();
    }
  }

  private static String url(MetricServer server) {
    return "jdbc:metric://127.0.0.1:" + server.port();
  }

  private static Connection connect(MetricServer server) throws SQLException {
    return DriverManager.getConnection(url(server));
  }

  private static List<String> ask(MetricServer server, String sql) throws SQLException {
    try (Connection c = connect(server)) {
      return Sql.strings(c, sql);
    }
  }

  private static void run(MetricServer server, String sql) throws SQLException {
    try (Connection c = connect(server)) {
      Sql.run(c, sql);
    }
  }

  /** As if its machine had lost power: no process of it ends in order. */
  private static void stopDatabase() {
    try {
      Path mark = folder.resolve("data").resolve("postmaster.pid");
      long pid = Long.parseLong(Files.readAllLines(mark).get(0).strip());
      int said = new ProcessBuilder("kill", "-QUIT", Long.toString(pid)).start().waitFor();
      assertThat(said).isZero();
      while (serves()) {
        Thread.sleep(10);
      }
      // Its process may have ended and be there as long as nobody has asked how.
      Files.deleteIfExists(mark);
    } catch (IOException e) {
      throw new IllegalStateException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private static boolean serves() {
    try (Connection c = DATABASE.get().connect("site")) {
      return true;
    } catch (SQLException e) {
      return false;
    }
  }

  private static void startDatabase() throws IOException, SQLException {
    // It has a lock on the folder.
    DATABASE.get().close();
    DATABASE.set(new EmbeddedPostgreSql(folder.resolve("data"), 30));
  }

  private static long millis(Callable<?> work) throws Exception {
    long start = System.nanoTime();
    work.call();
    return (System.nanoTime() - start) / 1_000_000;
  }

  /** The other site has the tables at once, and the first one when its database is back. */
  private static void goesOn(String before) throws Exception {
    assertThat(
            millis(
                () -> {
                  assertThat(ask(there, SUM)).containsExactly(before);
                  run(there, "update account set balance = balance + 5 where id = 1");
                  return null;
                }))
        .isLessThan(AT_ONCE_MILLIS);
    state(() -> ask(here, SUM), "08001");
    startDatabase();
    String after = Integer.toString(Integer.parseInt(before) + 5);
    assertThat(ask(here, SUM)).containsExactly(after);
    run(here, "update account set balance = balance + 1 where id = 2");
    assertThat(ask(there, SUM)).containsExactly(Integer.toString(Integer.parseInt(before) + 6));
    try (Connection past = DATABASE.get().connect("site")) {
      assertThat(Sql.strings(past, "select tx from plumb_metric.tx_queue")).isEmpty();
    }
  }

  @Test
  void aDatabaseThatStopsBetweenStatements() throws Exception {
    Connection c = connect(here);
    c.setAutoCommit(false);
    Sql.run(c, "update account set balance = 0");
    stopDatabase();
    state(doing(c, "update account set balance = 1"), "08006");
    state(committing(c), "08003");
    c.close();
    goesOn("400");
  }

  @Test
  void aDatabaseThatStopsBeforeTheCommit() throws Exception {
    Connection writer = connect(here);
    writer.setAutoCommit(false);
    Sql.run(writer, "update account set balance = 0");
    stopDatabase();
    state(committing(writer), "08006");
    state(committing(writer), "08003");
    writer.close();
    goesOn("400");

    Connection reader = connect(here);
    reader.setAutoCommit(false);
    assertThat(Sql.strings(reader, SUM)).containsExactly("406");
    stopDatabase();
    state(committing(reader), "08006");
    reader.close();
    goesOn("406");
  }

  @Test
  void aDatabaseThatStopsInTheLocalCommit() throws Exception {
    Connection writer = connect(here);
    writer.setAutoCommit(false);
    Sql.run(writer, "update account set balance = 0");
    ON_COMMIT.set(EndsTest::stopDatabase);
    state(committing(writer), "08006");
    assertThat(ON_COMMIT.get()).isNull();
    state(doing(writer, SUM), "08003");
    writer.close();
    goesOn("400");

    Connection reader = connect(here);
    reader.setAutoCommit(false);
    assertThat(Sql.strings(reader, SUM)).containsExactly("406");
    ON_COMMIT.set(EndsTest::stopDatabase);
    state(committing(reader), "08006");
    reader.close();
    goesOn("406");
  }

  /** Nobody is told, for the application says nothing more; the lease is over all the same. */
  @Test
  void aDatabaseThatStopsWhileAnApplicationIsSilent() throws Exception {
    Connection c = connect(here);
    c.setAutoCommit(false);
    Sql.run(c, "update account set balance = 0");
    stopDatabase();
    assertThat(millis(() -> assertThat(ask(there, SUM)).containsExactly("400")))
        .isLessThan(LEASE.toMillis() + MARGIN_MILLIS);
    state(committing(c), "08006");
    state(committing(c), "08003");
    c.close();
    goesOn("400");
  }

  /** What the log has is committed, and counts once when the database is back. */
  @Test
  void aDatabaseThatStopsOnTheWayToTheLog() throws Exception {
    Connection c = connect(here);
    c.setAutoCommit(false);
    Sql.run(c, "update account set balance = balance + 10");
    ON_APPEND.set(
        () -> {
          stopDatabase();
          return null;
        });
    c.commit();
    assertThat(ON_APPEND.get()).isNull();
    state(doing(c, SUM), "08006");
    c.close();
    goesOn("440");
  }

  /** It is undone in a database that has it committed, and that nobody could tell meanwhile. */
  @Test
  void aDatabaseThatStopsBeforeTheLogRefuses() throws Exception {
    Connection c = connect(here);
    c.setAutoCommit(false);
    Sql.run(c, "update account set balance = balance + 10");
    ON_APPEND.set(
        () -> {
          stopDatabase();
          return new Nack(Nack.Kind.LOST, "preempted");
        });
    state(committing(c), "40001");
    assertThat(ON_APPEND.get()).isNull();
    c.close();
    goesOn("400");
  }

  private static Runnable outOfMemory() {
    return () -> {
      throw new OutOfMemoryError("made by a test");
    };
  }

  /** What the database has left to say of it would be taken for the answer to what comes next. */
  @Test
  void aStatementThatTheServerHasNoMemoryFor() throws Exception {
    for (boolean auto : new boolean[] {false, true}) {
      try (Connection c = connect(here)) {
        Sql.run(c, "select 1");
        c.setAutoCommit(auto);
        Sql.run(c, "update account set balance = balance + 0");
        ON_STATEMENT.set(outOfMemory());
        state(doing(c, "update account set balance = 0"), "53200");
        assertThat(ON_STATEMENT.get()).isNull();
        state(doing(c, SUM), "08003");
      }
      assertThat(ask(here, SUM)).containsExactly("400");
      assertThat(ask(there, SUM)).containsExactly("400");
    }
  }

  /** Nobody knows what of it is in the log: it is undone here, and what is there comes back. */
  @Test
  void aCommitThatTheServerHasNoMemoryFor() throws Exception {
    for (AtomicReference<Runnable> when : List.of(ON_COMMIT, ON_STATEMENT)) {
      try (Connection c = connect(here)) {
        c.setAutoCommit(false);
        Sql.run(c, "update account set balance = 0");
        when.set(outOfMemory());
        state(committing(c), when == ON_COMMIT ? "08007" : "53200");
        state(doing(c, SUM), "08003");
      }
      assertThat(ask(here, SUM)).containsExactly("400");
      assertThat(ask(there, SUM)).containsExactly("400");
    }
    try (Connection c = connect(here)) {
      c.setAutoCommit(false);
      Sql.run(c, "update account set balance = 0");
      ON_APPEND.set(
          () -> {
            throw new OutOfMemoryError("made by a test");
          });
      state(committing(c), "08007");
    }
    assertThat(ask(here, SUM)).containsExactly("400");
    assertThat(ask(there, SUM)).containsExactly("400");
  }

  /** What fails on the site's own connection fails nothing after it. */
  @Test
  void positionsThatTheServerHasNoMemoryFor() throws Exception {
    run(there, "update account set balance = balance + 1");
    ON_STATEMENT.set(outOfMemory());
    state(() -> ask(here, SUM), "53200");
    assertThat(ask(here, SUM)).containsExactly("404");
  }

  /** An application: it begins a transaction, says so, and never ends it. */
  static final class Holder {
    private Holder() {}

    public static void main(String... url) throws Exception {
      Connection c = DriverManager.getConnection(url[0]);
      c.setAutoCommit(false);
      Sql.run(
          c,
          "update account set balance = balance - 100 where id = 1",
          "update account set balance = balance + 100 where id = 2");
      System.out.println("holds");
      Thread.sleep(600_000);
    }
  }

  /** Both sites' applications get its tables when the lease is over, and not half of its work. */
  @Test
  void anApplicationThatIsKilledHoldingTables() throws Exception {
    Process application =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-cp",
                System.getProperty(
                    "surefire.test.class.path", System.getProperty("java.class.path")),
                Holder.class.getName(),
                url(here))
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .start();
    try (BufferedReader said =
        new BufferedReader(
            new InputStreamReader(application.getInputStream(), StandardCharsets.UTF_8))) {
      assertThat(said.readLine()).isEqualTo("holds");
      application.destroyForcibly().waitFor();
    }
    for (MetricServer server : List.of(there, here)) {
      assertThat(
              millis(
                  () ->
                      assertThat(ask(server, "select balance from account order by id"))
                          .containsExactly("100", "100", "100", "100")))
          .isBetween(server == there ? LEASE.toMillis() / 2 : 0L, LEASE.toMillis() + MARGIN_MILLIS);
    }
  }
}
