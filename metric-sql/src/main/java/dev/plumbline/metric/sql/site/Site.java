package dev.plumbline.metric.sql.site;

import dev.plumbline.metric.Position;
import dev.plumbline.metric.sql.local.Initialization;
import dev.plumbline.metric.sql.local.LocalDatabase;
import dev.plumbline.metric.sql.log.MetricProcess;
import dev.plumbline.metric.sql.log.MetricProcess.Lacking;
import dev.plumbline.metric.sql.log.MetricProcess.Logged;
import dev.plumbline.metric.sql.log.Nack;
import dev.plumbline.metric.sql.tables.Catalog;
import dev.plumbline.metric.sql.tables.Plan;
import dev.plumbline.metric.sql.tables.Statements;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLNonTransientConnectionException;
import java.sql.SQLTransactionRollbackException;
import java.time.Duration;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/** One site: its local database, its Metric process, and the sessions of its applications. */
public final class Site implements AutoCloseable {

  /**
   * What a site is run with.
   *
   * @param patience how long a statement waits for tables
   * @param lease how long a transaction keeps its tables without a statement
   * @param background how often tables that others changed are brought forward; zero for never
   * @param connections how many local connections there may be
   */
  public record Options(Duration patience, Duration lease, Duration background, int connections) {
    /** What serves most. */
    public static final Options USUAL =
        new Options(Duration.ofSeconds(10), Duration.ofSeconds(30), Duration.ofMillis(500), 80);
  }

  private static final int REMEMBERED = 1000;
  private static final long AGAIN_MILLIS = 300;

  /** Leases after which a client without a transaction has gone, if others need its connection. */
  private static final int FORGOTTEN = 10;

  /** A longer statement is not remembered: a thousand of 1 MiB would fill the memory. */
  private static final int LONGEST_REMEMBERED = 1 << 14;

  private final String name;
  private final LocalDatabase local;
  private final MetricProcess process;
  private final Options options;
  private final Turn turn;
  private final Semaphore connections;
  private final Set<Session> sessions = ConcurrentHashMap.newKeySet();
  private final AtomicLong next = new AtomicLong();

  /** What the log says last of each sequence, as far as it was read or written here. */
  private final Map<String, String> counted = new ConcurrentHashMap<>();

  private final Map<String, Plan> plans = remembered();

  private final Map<String, Footprint> footprints = remembered();

  private final ScheduledExecutorService clock =
      Executors.newSingleThreadScheduledExecutor(
          task -> {
            Thread thread = new Thread(task, "metric-site");
            thread.setDaemon(true);
            return thread;
          });

  /** Ends statements whose time is over. */
  private final ScheduledThreadPoolExecutor stops =
      new ScheduledThreadPoolExecutor(
          1,
          task -> {
            Thread thread = new Thread(task, "metric-timeouts");
            thread.setDaemon(true);
            return thread;
          });

  private volatile Catalog catalog;
  private long round;

  public Site(String name, LocalDatabase local, MetricProcess process, Options options) {
    this.name = name + "-" + Long.toString(System.currentTimeMillis(), 36);
    this.local = local;
    this.process = process;
    this.options = options;
    turn = new Turn(options.patience);
    connections = new Semaphore(options.connections);
    stops.setRemoveOnCancelPolicy(true);
    long tick = Math.max(10, options.lease.toMillis() / 4);
    every(tick, this::expire);
    if (!options.background.isZero()) {
      every(options.background.toMillis(), this::bringForward);
    }
  }

  private static <V> Map<String, V> remembered() {
    return Collections.synchronizedMap(
        new LinkedHashMap<>(16, 0.75f, true) {
          private static final long serialVersionUID = 1;

          @Override
          protected boolean removeEldestEntry(Map.Entry<String, V> eldest) {
            return size() > REMEMBERED;
          }
        });
  }

  /** Does something again and again; a round that fails is no reason not to try the next. */
  private void every(long millis, Runnable task) {
    Runnable round =
        () -> {
          try {
            task.run();
          } catch (RuntimeException | Error e) {
            System.getLogger(Site.class.getName())
                .log(System.Logger.Level.WARNING, "a round failed", e);
          }
        };
    ScheduledFuture<?> rounds =
        clock.scheduleWithFixedDelay(round, millis, millis, TimeUnit.MILLISECONDS);
    if (rounds.isCancelled()) {
      throw new IllegalStateException("the site is closed");
    }
  }

  /** A connection for an application. */
  public Connection connect() {
    return serve(false, null);
  }

  /** A connection that makes the schema and its first rows, for all sites. */
  public Connection initialize() {
    return serve(true, null);
  }

  /**
   * A connection of one of the two kinds.
   *
   * @param view what its results are kept for whom they are served as; null if they are not kept
   */
  Connection serve(boolean initialization, Session.View view) {
    return new Session(this, initialization, view).connection();
  }

  public LocalDatabase local() {
    return local;
  }

  MetricProcess process() {
    return process;
  }

  Options options() {
    return options;
  }

  void add(Session session) {
    sessions.add(session);
  }

  void remove(Session session) {
    sessions.remove(session);
  }

  Connection openLocal() throws SQLException {
    if (!connections.tryAcquire() && !(endForgotten() && connections.tryAcquire())) {
      throw new SQLNonTransientConnectionException(
          "site "
              + name
              + " has its "
              + options.connections
              + " connections in use; close some, or raise the limit",
          "53300");
    }
    try {
      return local.connect();
    } catch (SQLException e) {
      connections.release();
      throw new SQLNonTransientConnectionException(
          "the local database of site " + name + " cannot be reached: " + e.getMessage(),
          "08001",
          e);
    }
  }

  /** Ends a session of which nothing was heard for many leases, if there is one. */
  private boolean endForgotten() {
    long since = System.nanoTime() - FORGOTTEN * options.lease.toNanos();
    return sessions.stream().anyMatch(s -> s.endForgotten(since));
  }

  void closeLocal(Connection c) {
    connections.release();
    try {
      c.close();
    } catch (SQLException e) {
      // It is gone already.
    }
  }

  String transaction() {
    return name + "-" + next.incrementAndGet();
  }

  Plan plan(String sql, List<String> searchPath) throws SQLException {
    String key = searchPath + " " + sql;
    Plan plan = plans.get(key);
    if (plan == null) {
      plan = Statements.plan(catalog(), searchPath, sql);
      if (sql.length() <= LONGEST_REMEMBERED) {
        plans.put(key, plan);
      }
    }
    return plan;
  }

  Catalog catalog() {
    return catalog;
  }

  /**
   * Refuses service until initialization has ended, here too; also in a database that stopped and
   * may have lost what initialization made.
   */
  void ready() throws SQLException {
    local.opening();
    if (catalog != null && ended()) {
      return;
    }
    String transaction = transaction();
    try {
      own(transaction, Set.of(Initialization.TABLE));
      if (!ended()) {
        throw new SQLException(
            "initialization has not ended: make the schema on a connection with initialization=true, and end it there by"
                + " the statement END INITIALIZATION",
            "55000");
      }
      try (Connection c = local.connect()) {
        Catalog known = local.dialect().catalog(c);
        c.commit();
        catalog = known;
      }
    } finally {
      release(transaction);
    }
  }

  boolean ended() {
    return !local.positions(Set.of(Initialization.ENDED)).containsValue(Position.NONE);
  }

  /** It is the transaction's turn at this site, the tables are the site's, and up to date. */
  void own(String transaction, Set<String> tables) throws SQLException {
    turn.take(transaction);
    try {
      if (tables.contains(Initialization.TABLE)) {
        logPending();
      }
      process.own(transaction, tables);
      bring(transaction, tables);
    } catch (Nack nack) {
      throw failed(nack);
    }
  }

  /**
   * The same for initialization, of which there may be several transactions at this site at once:
   * the database keeps them apart, and each has the site to itself only here and while it commits.
   */
  void ownInitialization(String transaction) throws SQLException {
    try {
      own(transaction, Set.of(Initialization.TABLE));
    } finally {
      release(transaction);
    }
  }

  /**
   * To commit a transaction of initialization: entries stand in the log as they were committed
   * here.
   */
  void lockInitialization(String transaction) throws SQLException {
    Set<String> all = Set.of(Initialization.TABLE);
    turn.take(transaction);
    try {
      logPending();
      process.own(transaction, all);
      local.opening();
      for (Logged logged : process.since(transaction, local.positions(all)).records()) {
        if (logged.entry().length > 0) {
          throw new SQLTransactionRollbackException(
              "another site has changed the schema or its first rows since", "40001");
        }
      }
    } catch (Nack nack) {
      throw failed(nack);
    }
  }

  /** What initialization has committed here comes to the log, if that lacks it. */
  private void logPending() throws SQLException, Nack {
    byte[] entry = local.pending();
    if (entry == null) {
      return;
    }
    Set<String> all = Set.of(Initialization.TABLE);
    String again = transaction();
    try {
      process.own(again, all);
      Position at = null;
      for (Logged logged : process.since(again, local.positions(all)).records()) {
        if (at == null && logged.entry().length > 0) {
          at = logged.tables().get(Initialization.TABLE);
          if (!Arrays.equals(logged.entry(), entry)) {
            throw new SQLException(
                "another site has gone on with initialization, and this one's database has what the log does not: start"
                    + " with an empty one",
                "55000");
          }
        }
      }
      local.clear(LocalDatabase.PENDING, all, at == null ? process.append(again, all, entry) : at);
    } finally {
      process.release(again);
    }
  }

  private void bring(String transaction, Set<String> tables) throws SQLException, Nack {
    boolean more = true;
    while (more) {
      long opening = local.opening();
      Lacking lacking = process.since(transaction, local.positions(tables));
      counted.putAll(local.populate(opening, lacking.records()));
      more = lacking.more();
    }
  }

  /** Who waits for the transaction's turn or tables waits no more. */
  void stop(String transaction) {
    turn.stop(transaction);
    process.stop(transaction);
  }

  /** Does something after so many seconds, and again, until that is taken back. */
  Future<?> after(int seconds, Runnable task) {
    return stops.scheduleWithFixedDelay(
        task, seconds * 1_000L, AGAIN_MILLIS, TimeUnit.MILLISECONDS);
  }

  /** Which tables transactions have that begin with a statement. */
  Footprint footprint(String first) {
    return first.length() <= LONGEST_REMEMBERED
        ? footprints.computeIfAbsent(first, f -> new Footprint())
        : new Footprint();
  }

  /** The transaction is at work. */
  void keep(String transaction) {
    if (turn.is(transaction)) {
      process.keep(transaction);
    }
  }

  void release(String transaction) {
    process.release(transaction);
    turn.over(transaction);
  }

  static SQLException failed(Nack nack) {
    return switch (nack.kind()) {
      case LOST -> new SQLTransactionRollbackException(nack.getMessage(), "40001", nack);
      case AWAY ->
          new SQLNonTransientConnectionException(
              "nothing of this transaction was committed: " + nack.getMessage(), "08006", nack);
      case REFUSED -> new SQLException(nack.getMessage(), "58000", nack);
      case UNKNOWN ->
          new SQLNonTransientConnectionException(
              "it is not known whether the transaction was committed: " + nack.getMessage(),
              "08007",
              nack);
    };
  }

  /**
   * Those of the sequences whose state is not known to be what the log says last. What the database
   * has is no such knowledge: an open transaction may have drawn a value that the log lacks.
   */
  Map<String, String> counters(Connection c, Set<String> sequences) throws SQLException {
    Map<String, String> changed = new TreeMap<>(local.dialect().counters(c, sequences));
    changed.entrySet().removeIf(e -> e.getValue().equals(counted.get(e.getKey())));
    return changed;
  }

  void counted(Map<String, String> states) {
    counted.putAll(states);
  }

  private void expire() {
    for (Session session : sessions) {
      session.tick();
    }
  }

  /**
   * Brings the next table forward that other sites have changed, so that who comes to own it finds
   * little to do. One at a time: the Metric process reads for nobody else meanwhile.
   */
  void bringForward() {
    if (catalog == null) {
      return;
    }
    Set<String> all = catalog.tables();
    all.addAll(catalog.sequences());
    String table = all.stream().sorted().skip(round++ % all.size()).findFirst().orElseThrow();
    String transaction = transaction();
    if (!turn.tryTake(transaction)) {
      return;
    }
    try {
      long opening = local.opening();
      counted.putAll(
          local.populate(opening, process.since(local.positions(Set.of(table))).records()));
    } catch (SQLException | Nack e) {
      // The next round, or the next owner, tries again and says what is wrong.
    } finally {
      turn.over(transaction);
    }
  }

  @Override
  public void close() {
    clock.shutdownNow();
    stops.shutdownNow();
    for (Session session : sessions) {
      session.end();
    }
    process.close();
    local.close();
  }
}
