package dev.plumbline.metric.sql.site;

import dev.plumbline.metric.sql.local.Dialect;
import dev.plumbline.metric.sql.local.LocalDatabase;
import dev.plumbline.metric.sql.local.MariaDb;
import dev.plumbline.metric.sql.local.PostgreSql;
import dev.plumbline.metric.sql.local.Sql;
import dev.plumbline.metric.sql.local.TestMariaDb;
import dev.plumbline.metric.sql.local.TestPostgres;
import dev.plumbline.metric.sql.log.Machines;
import dev.plumbline.metric.sql.log.MetricProcess;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;

/** Sites in this JVM, each with a database of its own, over Metric's machines. */
public final class TestSites implements AutoCloseable {
  public static final Site.Options QUICK =
      new Site.Options(Duration.ofSeconds(3), Duration.ofSeconds(20), Duration.ZERO, 60);

  /** Makes an empty database. */
  private interface Making {
    Empty make() throws SQLException;
  }

  /** An empty database. */
  private record Empty(Dialect dialect, LocalDatabase.Source source) {}

  private final List<LocalDatabase.Source> databases = new ArrayList<>();
  private final List<Site> sites = new ArrayList<>();
  private final List<MetricServer> servers =
      java.util.Collections.synchronizedList(new ArrayList<>());
  private final Machines machines;

  public TestSites(int n) throws SQLException {
    this(n, QUICK, p -> p);
  }

  public TestSites(int n, Site.Options options, UnaryOperator<MetricProcess> process)
      throws SQLException {
    this(n, options, process, TestSites::postgreSql);
  }

  private TestSites(
      int n, Site.Options options, UnaryOperator<MetricProcess> process, Making making)
      throws SQLException {
    machines = new Machines(n);
    for (int i = 0; i < n; i++) {
      Empty empty = making.make();
      databases.add(empty.source());
      LocalDatabase local = new LocalDatabase(empty.dialect(), empty.source());
      MetricProcess real = machines.process(i, options.patience(), options.lease());
      sites.add(new Site("site" + i, local, process.apply(real), options));
    }
  }

  /**
   * On a database by its name: {@code postgresql}, or {@code mariadb}, where each site has a server
   * of its own, whose binaries are those of slow tests.
   */
  public static TestSites on(String database, int n, Site.Options options) throws SQLException {
    return new TestSites(
        n,
        options,
        p -> p,
        database.equals("mariadb") ? TestSites::mariaDb : TestSites::postgreSql);
  }

  private static Empty postgreSql() throws SQLException {
    String database = TestPostgres.database();
    return new Empty(new PostgreSql(), () -> TestPostgres.server().connect(database));
  }

  /** On databases of PostgreSQL, each with an owner of its own name who is no superuser. */
  static TestSites ofPlainUsers(int n) throws SQLException {
    return new TestSites(n, QUICK, p -> p, TestSites::plain);
  }

  private static Empty plain() throws SQLException {
    String name = TestPostgres.database();
    try (Connection c = TestPostgres.server().connect(name)) {
      Sql.run(
          c,
          "create role " + name + " login",
          "alter database " + name + " owner to " + name,
          "grant set on parameter session_replication_role to " + name);
    }
    String url = TestPostgres.server().url(name).replaceFirst("user=[^&]*", "user=" + name);
    return new Empty(new PostgreSql(), () -> DriverManager.getConnection(url));
  }

  private static Empty mariaDb() throws SQLException {
    String url = TestMariaDb.url();
    return new Empty(new MariaDb(), () -> DriverManager.getConnection(url));
  }

  /** Makes a schema for all sites. */
  public TestSites with(String... statements) throws SQLException {
    try (Connection c = sites.get(0).initialize()) {
      Sql.run(c, statements);
      Sql.run(c, "end initialization");
    }
    return this;
  }

  public Site site(int i) {
    return sites.get(i);
  }

  public Machines machines() {
    return machines;
  }

  public Connection connect(int i) {
    return sites.get(i).connect();
  }

  /** A connection to a site's database past Metric. */
  public Connection database(int i) throws SQLException {
    return databases.get(i).open();
  }

  public MetricServer serve(int i) throws SQLException {
    MetricServer server = new MetricServer(sites.get(i), 0);
    servers.add(server);
    return server;
  }

  /** What a query says at a site, by a transaction of its own. */
  public List<String> ask(int i, String sql) throws SQLException {
    try (Connection c = connect(i)) {
      return Sql.strings(c, sql);
    }
  }

  public void run(int i, String... statements) throws SQLException {
    try (Connection c = connect(i)) {
      Sql.run(c, statements);
    }
  }

  @Override
  public void close() {
    servers.forEach(MetricServer::close);
    sites.forEach(Site::close);
    machines.close();
    if (!machines.failures().isEmpty()) {
      throw new AssertionError("a machine failed", machines.failures().get(0));
    }
  }
}
