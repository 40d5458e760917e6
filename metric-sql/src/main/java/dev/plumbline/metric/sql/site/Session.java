package dev.plumbline.metric.sql.site;

import dev.plumbline.metric.Position;
import dev.plumbline.metric.sql.driver.Wire;
import dev.plumbline.metric.sql.local.Dialect;
import dev.plumbline.metric.sql.local.Initialization;
import dev.plumbline.metric.sql.local.LocalDatabase;
import dev.plumbline.metric.sql.local.Sql;
import dev.plumbline.metric.sql.log.MetricProcess;
import dev.plumbline.metric.sql.log.Nack;
import dev.plumbline.metric.sql.log.RedoEntry;
import dev.plumbline.metric.sql.log.RedoEntry.Change;
import dev.plumbline.metric.sql.log.RedoEntry.Counter;
import dev.plumbline.metric.sql.log.RedoEntry.Ddl;
import dev.plumbline.metric.sql.log.RedoEntry.Part;
import dev.plumbline.metric.sql.tables.Catalog;
import dev.plumbline.metric.sql.tables.Catalog.Mode;
import dev.plumbline.metric.sql.tables.Catalog.Use;
import dev.plumbline.metric.sql.tables.Lexer;
import dev.plumbline.metric.sql.tables.Plan;
import dev.plumbline.metric.sql.tables.Refused;
import dev.plumbline.metric.sql.tables.Statements;
import java.sql.BatchUpdateException;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.sql.SQLNonTransientConnectionException;
import java.sql.SQLTransactionRollbackException;
import java.sql.SQLWarning;
import java.sql.Savepoint;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.Future;
import java.util.concurrent.locks.ReentrantLock;

/**
 * A connection of an application. Each statement's tables are owned and brought up to date before
 * it runs on the local database; a commit is the local commit, then the append to the redo log.
 */
final class Session {

  /** What is done with a statement once its tables are owned. */
  @FunctionalInterface
  interface Work<T> {
    T run() throws SQLException;
  }

  /** What MariaDB creates and alters. */
  private static final Set<String> OBJECTS =
      Set.of(
          "event",
          "table",
          "view",
          "trigger",
          "function",
          "procedure",
          "package",
          "sequence",
          "index",
          "database",
          "schema",
          "server",
          "user",
          "role");

  /** What may stand between CREATE and what it creates, before TABLE and its like. */
  private static final Set<String> BEFORE_WHAT =
      Set.of("or", "replace", "global", "local", "temp", "temporary");

  /** What may stand between ALTER and the name of a table. */
  private static final Set<String> BEFORE_NAME =
      Set.of("online", "ignore", "table", "if", "exists", "only");

  /** What may follow the default of a column. */
  private static final Set<String> AFTER_DEFAULT =
      Set.of(
          "after",
          "check",
          "collate",
          "comment",
          "constraint",
          "first",
          "invisible",
          "not",
          "on",
          "primary",
          "references",
          "unique");

  /** Statements before which MariaDB commits, beside those that change the schema. */
  private static final Set<String> COMMITTING =
      Set.of(
          "cache",
          "check",
          "flush",
          "install",
          "optimize",
          "repair",
          "reset",
          "uninstall",
          "unlock");

  /** What numbers the rows that are there when such a column is added. */
  private static final Set<String> NUMBERS =
      Set.of(
          "auto_increment",
          "bigserial",
          "identity",
          "serial",
          "serial2",
          "serial4",
          "serial8",
          "smallserial");

  /** The statement was stopped before its end. */
  private static final String STOPPED = "57014";

  /** What databases say of a statement that was cancelled. */
  private static final Set<String> CANCELLED = Set.of(STOPPED, "70100");

  /** Of PostgreSQL: the transaction has failed, and nothing is asked in it. */
  private static final String FAILED = "25P02";

  /** What is told of a result to whom it is served. */
  @FunctionalInterface
  interface View {
    ResultSet of(ResultSet rows) throws SQLException;
  }

  private final Site site;
  private final Dialect dialect;
  private final boolean initialization;

  /** Null where the database's own results are what is read. */
  private final View view;

  /** Results that may not have been read to their end. */
  private final Set<ResultSet> kept = new HashSet<>();

  private final ReentrantLock busy = new ReentrantLock();
  private final Connection connection;
  private Connection real;

  /** Is asked of the schema while the transaction has failed. */
  private Connection aside;

  private List<String> searchPath;
  private boolean autoCommit = true;
  private boolean readOnly;

  /** The level that was asked for, which Avatica's client tells again with all else that is set. */
  private int level = Connection.TRANSACTION_SERIALIZABLE;

  private boolean closed;

  /** Why it is closed, if nothing was heard of it. */
  private String forgotten = "";

  /** When something was last asked of it. */
  private long asked = System.nanoTime();

  private SQLException expired;
  private volatile Statement running;

  /** What the last statement was warned of: the database knows until the next one alone. */
  private SQLWarning warnings;

  private Statement warned;
  private int timeout;

  /** Is held while a statement is stopped, so that none that follows is. */
  private final Object stopping = new Object();

  /** Whether a statement has come that may not be stopped yet, and is to be once it may. */
  private boolean coming;

  private boolean early;

  /** The statement that may be stopped from another thread. */
  private Stop stop;

  /** A statement of a transaction, whether it waits for tables, and why it was stopped. */
  private static final class Stop {
    private final String transaction;
    private boolean waits;
    private String why;
    private Future<?> again;

    private Stop(String transaction) {
      this.transaction = transaction;
    }
  }

  // The open transaction.
  private String transaction;

  /** To the schema that was set in it last. */
  private Move moved;

  /** The mark in the tx-queue of a commit that has begun, else null. */
  private String underWay;

  private final Set<String> owned = new HashSet<>();
  private final Set<String> used = new HashSet<>();
  private String first;
  private final Set<String> sequences = new TreeSet<>();
  private volatile long heard;

  Session(Site site, boolean initialization, View view) {
    this.site = site;
    this.initialization = initialization;
    this.view = view;
    dialect = site.local().dialect();
    connection = Wrapped.connection(this);
    site.add(this);
  }

  Connection connection() {
    return connection;
  }

  Lexer.Rules rules() {
    return dialect.rules();
  }

  /** The local connection, opened at the first need. */
  Connection real() throws SQLException {
    if (closed && expired != null) {
      String why = expired.getMessage();
      expired = null;
      throw new SQLNonTransientConnectionException(
          "the local database went away, and the connection is closed; " + why, "08006");
    }
    if (closed) {
      throw new SQLNonTransientConnectionException("the connection is closed" + forgotten, "08003");
    }
    if (real == null) {
      real = site.openLocal();
      if (readOnly) {
        real.setReadOnly(true);
      }
    }
    return real;
  }

  /** A new statement: of a result that is kept the database is asked for some rows at a time. */
  Statement made(Statement statement) throws SQLException {
    if (view != null) {
      statement.setFetchSize(Kept.ROWS);
    }
    return statement;
  }

  /** The rows of a statement that has run, which need it no more; null if they are not kept. */
  ResultSet keep(Statement statement) throws SQLException {
    ResultSet rows = view == null ? null : (ResultSet) Wrapped.result(statement.getResultSet());
    if (rows == null) {
      return null;
    }
    ResultSet some = Wrapped.proxy(ResultSet.class, new Kept(rows, view.of(rows)));
    kept.add(some);
    return some;
  }

  /** Takes what a statement that has just run was warned of. */
  void warned(Statement statement) throws SQLException {
    warned = statement;
    warnings = statement.getWarnings();
  }

  /** What the last statement was warned of, if that is the one that is meant; null means any. */
  SQLWarning warnings(Statement statement) {
    return statement == null || statement == warned ? warnings : null;
  }

  void clearWarnings(Statement statement) {
    if (statement == null || statement == warned) {
      warnings = null;
    }
  }

  void drop(ResultSet rows) throws SQLException {
    if (kept.remove(rows)) {
      rows.close();
    }
  }

  /** What a session does apart from statements, one at a time with the watch over leases. */
  <T> T alone(Work<T> work) throws SQLException {
    busy.lock();
    asked = System.nanoTime();
    try {
      return work.run();
    } catch (SQLException e) {
      throw torn(e) && !closed ? wentAway(e) : e;
    } catch (RuntimeException | Error e) {
      if (e instanceof RuntimeException bug && underWay == null) {
        throw bug;
      }
      throw brokeOff(e);
    } finally {
      busy.unlock();
    }
  }

  /**
   * Refuses at once what would be refused when it runs; the database that describes it has the
   * schema.
   */
  void prepare(String sql, Set<List<String>> paths) throws SQLException {
    if (!initialization) {
      Connection c = real();
      ready();
      look(c, paths);
      try {
        site.plan(sql, searchPath);
      } catch (Refused e) {
        throw sets(sql) ? e : failing(e);
      }
    }
  }

  /** A setting that is refused changes nothing that is committed: some programs go on without. */
  private boolean sets(String sql) {
    try {
      List<Lexer.Token> tokens = Lexer.tokens(dialect.rules(), sql);
      return !tokens.isEmpty() && (tokens.get(0).is("set") || tokens.get(0).is("reset"));
    } catch (Refused e) {
      return false;
    }
  }

  /** What is to become of the transaction in which a statement fails: the database says. */
  <E extends SQLException> E failing(E e) {
    if (!autoCommit && !closed && !lost(e)) {
      try {
        Connection c = real();
        begin(c);
        dialect.fail(c);
      } catch (SQLException also) {
        e.addSuppressed(also);
      }
    }
    return e;
  }

  /** Finds out where names are looked for now, which is one more place for a statement. */
  private void look(Connection c, Set<List<String>> paths) throws SQLException {
    if (searchPath == null) {
      searchPath = dialect.searchPath(c);
    }
    paths.add(searchPath);
  }

  /**
   * What the database says of a statement outside a transaction is no part of the next one, if it
   * fails too.
   */
  <T> T described(Work<T> work) throws SQLException {
    try {
      return work.run();
    } finally {
      if (transaction == null && real != null) {
        real.rollback();
      }
    }
  }

  /** The same; within a transaction PostgreSQL goes on from before it failed. */
  <T> T tried(Work<T> work) throws SQLException {
    if (transaction == null || dialect.rules() != Lexer.Rules.POSTGRESQL) {
      return described(work);
    }
    Savepoint before = real().setSavepoint();
    try {
      T said = work.run();
      real.releaseSavepoint(before);
      return said;
    } catch (SQLException e) {
      if (!torn(e)) {
        real.rollback(before);
      }
      throw e;
    }
  }

  /** A question for the database behind a connection. */
  @FunctionalInterface
  interface Question<T> {
    T to(Connection c) throws SQLException;
  }

  /**
   * What the database says of its schema, once it is that of all sites. It has nothing to do with
   * the transaction: neither may fail for the other.
   */
  <T> T schema(Question<T> question) throws SQLException {
    return alone(
        () -> {
          Connection c = real();
          if (!initialization && transaction == null) {
            ready();
          }
          try {
            return tried(() -> question.to(c));
          } catch (SQLException e) {
            if (!FAILED.equals(e.getSQLState())) {
              throw e;
            }
            if (aside == null) {
              aside = site.openLocal();
            }
            T said = question.to(aside);
            aside.rollback();
            return said;
          }
        });
  }

  /**
   * Runs a statement; {@code nothing} is its result if there is nothing to run. The paths are those
   * under which the database may have prepared it: MariaDB keeps to the first.
   */
  <T> T run(List<String> statements, Set<List<String>> paths, T nothing, Work<T> work)
      throws SQLException {
    return alone(
        () -> {
          comes(true);
          try {
            return heard(statements, paths, nothing, work);
          } catch (Refused e) {
            throw sets(statements.get(0)) ? e : failing(e);
          } finally {
            comes(false);
            heard = System.nanoTime();
          }
        });
  }

  private <T> T heard(List<String> statements, Set<List<String>> paths, T nothing, Work<T> work)
      throws SQLException {
    clearWarnings(null);
    if (expired != null && !closed) {
      throw again(expired);
    }
    Connection c = real();
    if (!initialization && transaction == null) {
      ready();
    }
    heard = System.nanoTime();
    Set<String> tables = new TreeSet<>();
    Set<String> written = new TreeSet<>();
    Plan.Kind kind = Plan.Kind.NOTHING;
    look(c, paths);
    for (String sql : statements) {
      for (List<String> path : paths) {
        Plan plan = initialization ? initial(sql) : site.plan(sql, path);
        kind = plan.kind();
        tables.addAll(plan.tables());
        written.addAll(plan.written());
      }
      if (statements.size() > 1 && kind != Plan.Kind.STATEMENT) {
        throw new Refused(Refused.UNSUPPORTED, "a batch is for changes of rows", sql);
      }
    }
    switch (kind) {
      case NOTHING -> {
        return nothing;
      }
      case COMMIT -> {
        commit();
        return nothing;
      }
      case ROLLBACK -> {
        rollback();
        return nothing;
      }
      default -> {
        if (kind == Plan.Kind.SAVEPOINT) {
          savepoints();
        }
        return run(statements, kind, tables, written, work);
      }
    }
  }

  private <T> T run(
      List<String> statements,
      Plan.Kind kind,
      Set<String> tables,
      Set<String> written,
      Work<T> work)
      throws SQLException {
    String sql = statements.get(0);
    if (kind == Plan.Kind.DDL && !initialization) {
      throw new Refused(
          Refused.UNSUPPORTED,
          "it changes the schema, which is for initialization (initialization=true)",
          sql);
    }
    Connection c = real();
    Future<?> alarm = null;
    try {
      begin(c);
      alarm = mayBeStopped();
      used.addAll(tables);
      if (!tables.isEmpty() && !owned.containsAll(tables)) {
        if (initialization) {
          site.ownInitialization(transaction);
          // Another site may have ended it, which this one learns with the table.
          demandInitialization(kind, sql);
        } else {
          if (owned.isEmpty()) {
            first = sql;
            tables.addAll(site.footprint(sql).tables());
          }
          own(tables);
        }
        owned.addAll(tables);
      }
      for (String table : written) {
        if (!initialization && site.catalog().type(table) == Catalog.Type.SEQUENCE) {
          sequences.add(table);
        }
      }
      String context = null;
      if (kind == Plan.Kind.DDL) {
        demandEqualRows(sql);
        context = dialect.context(c);
      }
      T result = work.run();
      runsOn(alarm);
      if (kind == Plan.Kind.SAVEPOINT) {
        // PostgreSQL's search path is what it was at the savepoint.
        searchPath = null;
        moveAgain(c);
      }
      if (kind == Plan.Kind.DDL) {
        dialect.capture(c);
        site.local().note(c, new Ddl(context, sql));
      } else {
        verify(c, sql);
      }
      if (autoCommit || (kind == Plan.Kind.DDL && dialect.committedBySchema())) {
        commit();
      }
      return result;
    } catch (SQLException failed) {
      SQLException e = told(failed);
      runsOn(alarm);
      if (lost(e)) {
        throw wentAway(e);
      }
      if (autoCommit) {
        abandon();
        if (e instanceof BatchUpdateException batch) {
          throw rolledBack(batch);
        }
      } else if (e instanceof SQLTransactionRollbackException || e.getCause() instanceof Nack) {
        // What follows must not pass for the rest of a transaction that is gone.
        abandon();
        expired = e;
      } else if (transaction != null && !(e instanceof BatchUpdateException)) {
        undone(c, e);
      }
      throw e;
    } finally {
      runsOn(alarm);
    }
  }

  /** The database has undone a statement, and what could not be captured of it. */
  private void undone(Connection c, SQLException e) {
    try {
      dialect.begin(c, transaction);
    } catch (SQLException again) {
      e.addSuppressed(again);
    }
  }

  private void own(Set<String> tables) throws SQLException {
    waits(true);
    site.own(transaction, tables);
    waits(false);
  }

  private void waits(boolean on) throws SQLException {
    synchronized (stopping) {
      stop.waits = on;
      if (stop.why != null) {
        throw new SQLTransactionRollbackException(stop.why, STOPPED);
      }
    }
  }

  /** What was stopped before the database has it, does not get there. */
  private void begins() throws SQLException {
    synchronized (stopping) {
      if (stop != null && stop.why != null) {
        throw new SQLException(stop.why, STOPPED);
      }
    }
  }

  /** A statement is here, and may not be stopped yet; or it is not here any more. */
  private void comes(boolean now) {
    synchronized (stopping) {
      coming = now;
      early = false;
    }
  }

  /** From here on the statement may be stopped, and is when its time is over. */
  private Future<?> mayBeStopped() {
    Stop now = new Stop(transaction);
    synchronized (stopping) {
      stop = now;
      if (early) {
        cancel();
      }
    }
    int seconds = timeout;
    return seconds == 0
        ? null
        : site.after(seconds, () -> stop(now, Wire.TOO_LONG + seconds + " s"));
  }

  /** What the connection does from here on is not stopped. */
  private void runsOn(Future<?> alarm) {
    synchronized (stopping) {
      if (stop != null && stop.again != null) {
        stop.again.cancel(false);
      }
      stop = null;
    }
    if (alarm != null) {
      alarm.cancel(false);
    }
  }

  /**
   * Stops the statement that is at work, or whose tables are looked for, and again until it has
   * ended: while its rows are read here the database is at nothing that could be stopped.
   */
  void cancel() {
    synchronized (stopping) {
      Stop now = stop;
      if (now == null) {
        early = coming;
      } else if (now.again == null) {
        now.again = site.after(0, () -> stop(now, "the statement was cancelled"));
      }
    }
  }

  /** Stops a statement if it is still at work, from any thread. */
  private void stop(Stop which, String why) {
    synchronized (stopping) {
      if (stop == null || stop != which) {
        return;
      }
      stop.why = stop.why == null ? why : stop.why;
      Statement statement = running;
      if (stop.waits) {
        site.stop(stop.transaction);
      } else if (statement != null) {
        try {
          dialect.cancel(statement);
        } catch (SQLException e) {
          // It goes on to its end.
        }
      }
    }
  }

  /** What is said of a statement that failed, if that is since it was stopped. */
  private SQLException told(SQLException e) {
    synchronized (stopping) {
      if (stop == null || stop.why == null) {
        return e;
      } else if (stop.waits) {
        return new SQLTransactionRollbackException(stop.why, STOPPED, e);
      } else if (!CANCELLED.contains(String.valueOf(e.getSQLState()))) {
        return e;
      } else if (e instanceof BatchUpdateException batch) {
        return new BatchUpdateException(
            stop.why, STOPPED, e.getErrorCode(), batch.getUpdateCounts(), e);
      }
      return new SQLException(stop.why, STOPPED, e.getErrorCode(), e);
    }
  }

  void timeout(int seconds) {
    timeout = seconds;
  }

  /** Nothing is left of a batch that was a transaction of its own, whatever a database counted. */
  private static BatchUpdateException rolledBack(BatchUpdateException e) {
    int[] none = new int[e.getUpdateCounts().length];
    Arrays.fill(none, Statement.EXECUTE_FAILED);
    return new BatchUpdateException(e.getMessage(), e.getSQLState(), e.getErrorCode(), none, e);
  }

  private void ready() throws SQLException {
    try {
      site.ready();
    } catch (SQLException e) {
      if (lost(e)) {
        throw wentAway(e);
      }
      throw e;
    }
  }

  private SQLException wentAway(SQLException e) {
    if (torn(e)) {
      return brokeOff(e.getCause());
    }
    broken();
    return new SQLNonTransientConnectionException(
        "the local database went away; nothing of this transaction was committed, and the connection is closed: "
            + e.getMessage(),
        "08006",
        e);
  }

  /** Whether the transaction was committed is known if that was not yet under way. */
  private SQLException brokeOff(Throwable e) {
    String begun = underWay;
    if (begun != null) {
      site.local().forget(begun);
    }
    broken();
    return new SQLNonTransientConnectionException(
        (begun == null
                ? "nothing of this transaction was committed"
                : "it is not known whether the transaction was committed")
            + ", and the connection is closed: the server broke off ("
            + e
            + ")",
        begun == null ? "53200" : "08007",
        e);
  }

  /**
   * Whether something broke off amid what it did, as where memory runs out: nobody knows what a
   * connection to the database would answer next.
   */
  private static boolean torn(SQLException e) {
    return e.getCause() instanceof Error;
  }

  private static boolean lost(SQLException e) {
    String state = e.getSQLState();
    return torn(e)
        || state != null
            && !(e.getCause() instanceof Nack)
            && (state.startsWith("57P") || (state.startsWith("08") && !state.equals("08007")));
  }

  /** In initialization every statement has the one table that stands for all. */
  private Plan initial(String sql) throws SQLException {
    List<Lexer.Token> tokens = Lexer.tokens(dialect.rules(), sql);
    boolean body =
        tokens.stream()
            .limit(8)
            .anyMatch(t -> t.is("trigger") || t.is("function") || t.is("procedure"));
    if (!body || !tokens.get(0).is("create")) {
      tokens = Lexer.statement(dialect.rules(), sql);
    }
    String first = tokens.isEmpty() ? "" : tokens.get(0).text().toLowerCase(Locale.ROOT);
    if (first.equals("end") && tokens.size() == 2 && tokens.get(1).is("initialization")) {
      endInitialization();
      return new Plan(Plan.Kind.NOTHING, Set.of());
    }
    if (tokens.stream().anyMatch(t -> own(t, first.equals("create")))) {
      throw Refused.own(sql);
    }
    if (dialect.rules() == Lexer.Rules.MARIADB) {
      // A statement of initialization may call what is made here, and is not looked at then.
      int last = first.equals("create") ? tokens.size() : first.equals("update") ? 1 : 0;
      for (int i = 0; i < last; i++) {
        if (Catalog.ignores(tokens, i)) {
          throw new Refused(Refused.UNSUPPORTED, Catalog.UPDATE_IGNORE, sql);
        }
      }
    }
    if (event(tokens)) {
      throw new Refused(
          Refused.UNSUPPORTED,
          "each site's own scheduler would run the event, past Metric; have one application run it",
          sql);
    }
    if (first.equals("create") && temporary(tokens)) {
      throw new Refused(
          Refused.UNSUPPORTED,
          "what is temporary here would stay at the other sites, and hide what has its name; make another one, and drop it",
          sql);
    }
    if (dialect.rules() == Lexer.Rules.MARIADB && first.equals("set")) {
      set(tokens, sql);
    }
    if (dialect.committedBySchema() && first.equals("lock")) {
      throw new Refused(
          Refused.UNSUPPORTED,
          "what changes could not be written down then; initialization needs no LOCK TABLES",
          sql);
    }
    if (dialect.committedBySchema() && commits(tokens)) {
      // The database would, and what is rolled back afterwards would stay here alone.
      commit();
    }
    if (Set.of("do", "call", "copy", "execute").contains(first)) {
      throw new Refused(
          Refused.UNSUPPORTED,
          "in initialization the other sites could not repeat what "
              + first.toUpperCase(Locale.ROOT)
              + " does",
          sql);
    }
    boolean makes =
        Set.of("create", "alter", "drop", "comment", "grant", "revoke", "rename").contains(first)
            || (first.equals("truncate") && dialect.committedBySchema());
    if ((makes
            && tokens.get(0).is("create")
            && tokens.stream().limit(4).anyMatch(t -> t.is("table"))
            && makesRows(tokens))
        || (tokens.stream().anyMatch(t -> t.is("into")) && first.equals("select"))) {
      throw new Refused(
          Refused.UNSUPPORTED,
          "a table that is made with rows is made in two steps: CREATE TABLE, then INSERT … SELECT",
          sql);
    }
    Plan.Kind kind =
        switch (first) {
          case "commit", "end" -> Plan.Kind.COMMIT;
          case "rollback", "abort" ->
              tokens.size() > 1 && tokens.stream().anyMatch(t -> t.is("to"))
                  ? Plan.Kind.SAVEPOINT
                  : Plan.Kind.ROLLBACK;
          case "savepoint", "release" -> Plan.Kind.SAVEPOINT;
          case "begin", "start" ->
              throw new Refused(
                  Refused.UNSUPPORTED, "a transaction begins by setAutoCommit(false)", sql);
          case "" -> Plan.Kind.NOTHING;
          default -> makes ? Plan.Kind.DDL : Plan.Kind.STATEMENT;
        };
    demandInitialization(kind, sql);
    return new Plan(kind, Set.of(new Use(Initialization.TABLE, Mode.WRITE)));
  }

  /** The name of Metric's own schema; with what it makes in others, a name that begins with it. */
  private static boolean own(Lexer.Token t, boolean all) {
    String name = t.name() ? t.text().toLowerCase(Locale.ROOT) : "";
    return all ? name.startsWith(Dialect.PRIVATE) : name.equals(Dialect.PRIVATE);
  }

  private static boolean temporary(List<Lexer.Token> tokens) {
    return tokens.stream()
            .skip(1)
            .takeWhile(t -> BEFORE_WHAT.contains(t.text().toLowerCase(Locale.ROOT)))
            .anyMatch(t -> t.is("temp") || t.is("temporary"))
        || tokens.stream().anyMatch(t -> t.name() && t.text().equals("pg_temp"));
  }

  /** MariaDB commits before it, and it changes no schema. */
  private static boolean commits(List<Lexer.Token> tokens) {
    String first = tokens.isEmpty() ? "" : tokens.get(0).text().toLowerCase(Locale.ROOT);
    return COMMITTING.contains(first)
        || (Set.of("analyze", "load").contains(first)
            && tokens.stream().limit(3).anyMatch(t -> t.is("table") || t.is("index")));
  }

  /** CREATE or ALTER EVENT, of MariaDB. PostgreSQL's event triggers are triggers. */
  private boolean event(List<Lexer.Token> tokens) {
    if (dialect.rules() != Lexer.Rules.MARIADB
        || tokens.isEmpty()
        || !(tokens.get(0).is("create") || tokens.get(0).is("alter"))) {
      return false;
    }
    return tokens.stream()
        .skip(1)
        .dropWhile(t -> !OBJECTS.contains(t.text().toLowerCase(Locale.ROOT)))
        .limit(1)
        .anyMatch(t -> t.is("event"));
  }

  /** What else MariaDB's SET sets is looked at when the schema is changed. */
  private static void set(List<Lexer.Token> tokens, String sql) throws Refused {
    for (Lexer.Token t : tokens) {
      if (t.text().equalsIgnoreCase("autocommit")) {
        throw new Refused(
            Refused.UNSUPPORTED, "autocommit is set by setAutoCommit(true) or (false)", sql);
      }
      if (t.is("global")
          || (t.kind() == Lexer.Kind.VARIABLE
              && sql.regionMatches(true, t.at(), "@@global", 0, 8))) {
        throw new Refused(
            Refused.UNSUPPORTED,
            "it sets something for the whole server, and for that of this site alone",
            sql);
      }
    }
  }

  private void demandInitialization(Plan.Kind kind, String sql) throws Refused {
    if (kind == Plan.Kind.DDL && site.ended()) {
      throw new Refused(
          Refused.UNSUPPORTED, "initialization has ended, and the schema stays as it is", sql);
    }
  }

  private static boolean makesRows(List<Lexer.Token> tokens) {
    int depth = 0;
    for (int i = 0; i + 1 < tokens.size(); i++) {
      depth += tokens.get(i).mark('(') ? 1 : tokens.get(i).mark(')') ? -1 : 0;
      Lexer.Token after = tokens.get(i + 1);
      if (depth == 0
          && tokens.get(i).is("as")
          && (after.is("select")
              || after.is("with")
              || after.is("table")
              || after.is("values")
              || after.mark('('))) {
        return true;
      }
    }
    return false;
  }

  /**
   * Refuses to add a column whose default is another one at each site, to a table that has rows:
   * these would get it.
   */
  private void demandEqualRows(String sql) throws SQLException {
    List<Lexer.Token> tokens = Lexer.tokens(dialect.rules(), sql);
    int at = 1;
    while (at < tokens.size()
        && BEFORE_NAME.contains(tokens.get(at).text().toLowerCase(Locale.ROOT))) {
      at++;
    }
    int end = at;
    while (end + 2 < tokens.size() && tokens.get(end + 1).mark('.')) {
      end += 2;
    }
    if (!tokens.get(0).is("alter")
        || !tokens.subList(1, at).stream().anyMatch(t -> t.is("table"))
        || end + 1 >= tokens.size()) {
      return;
    }
    String call = null;
    int depth = 0;
    boolean adds = false;
    for (int i = end + 1; i < tokens.size() && call == null; i++) {
      Lexer.Token t = tokens.get(i);
      depth += t.mark('(') ? 1 : t.mark(')') ? -1 : 0;
      boolean begins = i == end + 1 || (depth == 0 && tokens.get(i - 1).mark(','));
      adds = begins ? t.is("add") : adds;
      call = !adds ? null : t.is("default") ? call(tokens, i + 1) : numbers(tokens, i);
    }
    if (call == null) {
      return;
    }
    String table = sql.substring(tokens.get(at).at(), tokens.get(end + 1).at());
    // Rows are numbered in the order in which they are kept, which only MariaDB's keys decide.
    boolean keyed = dialect.rules() == Lexer.Rules.MARIADB && NUMBERS.contains(call);
    boolean rows;
    try {
      rows =
          tried(
                  () ->
                      keyed
                              && Sql.string(
                                      real(),
                                      "show keys from " + table + " where key_name = 'PRIMARY'")
                                  != null
                          ? null
                          : Sql.string(real(), "select 1 from " + table + " limit 1"))
              != null;
    } catch (SQLException e) {
      // There is no such table, as the database will say.
      return;
    }
    if (rows) {
      throw new Refused(
          Refused.UNSUPPORTED,
          "the table has rows, and at each site they would get another value of "
              + call
              + "; add the column without it, UPDATE the rows, and alter the column then",
          sql);
    }
  }

  /** What numbers the rows of a table by itself, if that is what stands there. */
  private static String numbers(List<Lexer.Token> tokens, int at) {
    Lexer.Token t = tokens.get(at);
    String word = t.text().toLowerCase(Locale.ROOT);
    if (t.kind() != Lexer.Kind.WORD || !NUMBERS.contains(word)) {
      return null;
    }
    Lexer.Token before = tokens.get(at - 1);
    Lexer.Token after = at + 1 < tokens.size() ? tokens.get(at + 1) : t;
    boolean numbers =
        switch (word) {
          case "identity" -> before.is("as");
          case "auto_increment" -> !beforeColumn(before);
          // A type, or MariaDB's SERIAL DEFAULT VALUE.
          default ->
              after.is("default")
                  || (before.name() && beforeColumn(tokens.get(at - 2)) && !after.mark('('));
        };
    return numbers ? word : null;
  }

  /** What stands before the name of a column that is added. */
  private static boolean beforeColumn(Lexer.Token t) {
    return t.is("add") || t.is("column") || t.is("exists") || t.mark('(') || t.mark(',');
  }

  /** What a default calls, if it is no constant. */
  private static String call(List<Lexer.Token> tokens, int from) {
    int depth = 0;
    for (int i = from; i < tokens.size(); i++) {
      Lexer.Token t = tokens.get(i);
      depth += t.mark('(') ? 1 : t.mark(')') ? -1 : 0;
      String word = t.text().toLowerCase(Locale.ROOT);
      if (depth < 0 || (depth == 0 && (t.mark(',') || AFTER_DEFAULT.contains(word)))) {
        return null;
      }
      boolean type = tokens.get(i - 1).text().equals("::");
      boolean calls = t.name() && i + 1 < tokens.size() && tokens.get(i + 1).mark('(') && !type;
      boolean next = t.is("next") && i + 1 < tokens.size() && tokens.get(i + 1).is("value");
      if (calls || next || (t.name() && Statements.VALUES.contains(word))) {
        return word;
      }
    }
    return null;
  }

  private void endInitialization() throws SQLException {
    commit();
    Connection c = real();
    begin(c);
    try {
      site.own(transaction, Set.of(Initialization.TABLE));
      if (site.ended()) {
        throw new SQLException("initialization has ended already", "55000");
      }
      dialect.capture(c);
      dialect.demand(c);
      List<Part> end = new ArrayList<>();
      end.add(new RedoEntry.End(dialect.contents(c)));
      dialect
          .counters(c, dialect.catalog(c).sequences())
          .forEach((name, state) -> end.add(new Counter(name, state)));
      site.local().commit(c, "none");
      byte[] entry = new RedoEntry(transaction, end).encode();
      Position position = site.process().append(transaction, Set.of(Initialization.TABLE), entry);
      site.local().clear("none", Set.of(Initialization.TABLE, Initialization.ENDED), position);
    } catch (Nack nack) {
      throw Site.failed(nack);
    } finally {
      c.rollback();
      ended();
    }
  }

  private void begin(Connection c) throws SQLException {
    if (transaction == null) {
      // What was asked of the catalog in between began a transaction of the database's own.
      c.rollback();
      transaction = site.transaction();
      dialect.begin(c, transaction);
    }
  }

  private String tag(Connection c) throws SQLException {
    String tag = dialect.tag(c);
    return tag == null ? "none" : tag;
  }

  /**
   * What the database says was touched must be owned: a second way of finding the tables, and no
   * guess.
   */
  private void verify(Connection c, String sql) throws SQLException {
    Set<String> touched = dialect.touched(c);
    if (initialization) {
      return;
    }
    touched.removeAll(owned);
    touched.removeIf(t -> site.catalog().type(t) == null);
    if (!touched.isEmpty()) {
      throw new SQLTransactionRollbackException(
          new Refused(
                  Refused.UNSUPPORTED, "it used " + touched + ", which were not found in it", sql)
              .getMessage(),
          Refused.UNSUPPORTED);
    }
  }

  boolean autoCommit() {
    return autoCommit;
  }

  void autoCommit(boolean on) throws SQLException {
    if (on && !autoCommit) {
      commit();
    }
    autoCommit = on;
  }

  void readOnly(boolean on) throws SQLException {
    if (on == readOnly) {
      return;
    }
    if (transaction != null) {
      throw new SQLException(
          "setReadOnly("
              + on
              + ") is for between transactions, and one is open; commit or roll back first",
          "25001");
    }
    readOnly = on;
    if (real != null) {
      real.rollback();
      real.setReadOnly(on);
    }
  }

  boolean readOnly() {
    return readOnly;
  }

  /** Every transaction is serializable, whatever is asked for; one that is open has its level. */
  void isolation(int level) throws SQLException {
    if (level != Connection.TRANSACTION_SERIALIZABLE
        && level != Connection.TRANSACTION_REPEATABLE_READ
        && level != Connection.TRANSACTION_READ_COMMITTED
        && level != Connection.TRANSACTION_READ_UNCOMMITTED) {
      throw unsupported("every transaction is serializable; there is no level " + level);
    }
    if (transaction != null
        && level != this.level
        && level != Connection.TRANSACTION_SERIALIZABLE) {
      throw new SQLException(
          "setTransactionIsolation() is for between transactions, and one is open; commit or roll back first",
          "25001");
    }
    this.level = level;
  }

  /** What may change where the database looks for a name that has no schema. */
  @FunctionalInterface
  interface Move {
    void on(Connection c) throws SQLException;
  }

  void place(Move move) throws SQLException {
    Connection c = real();
    move.on(c);
    if (transaction == null) {
      // What the next transaction begins with is a rollback.
      c.commit();
    }
    searchPath = null;
  }

  /**
   * PostgreSQL takes back what a transaction has set when that, or a part of it, is rolled back. A
   * client that is served goes on with what it has set, and does not send it again.
   */
  void moveTo(Move move) throws SQLException {
    place(move);
    moved = transaction == null || view == null ? null : move;
  }

  void rollback(Savepoint to) throws SQLException {
    real().rollback(to);
    searchPath = null;
    moveAgain(real());
  }

  private void moveAgain(Connection c) throws SQLException {
    if (moved != null) {
      moved.on(c);
    }
  }

  void savepoints() throws SQLException {
    if (autoCommit) {
      throw new SQLException("a savepoint needs autocommit off", "25P01");
    }
    if (expired != null) {
      throw again(expired);
    }
    begin(real());
  }

  void commit() throws SQLException {
    if (expired != null) {
      SQLException e = expired;
      expired = null;
      throw again(e);
    }
    if (transaction == null) {
      return;
    }
    Connection c = real();
    List<Part> parts;
    String tag;
    Map<String, String> counters;
    try {
      dialect.settle(c);
      verify(c, "COMMIT");
      tag = tag(c);
      if (initialization) {
        site.lockInitialization(transaction);
        parts = site.local().take(c, tag);
      } else {
        parts = new ArrayList<>(site.local().changes(c, tag));
      }
      counters = site.counters(c, initialization ? Set.of() : sequences);
    } catch (SQLException e) {
      if (lost(e)) {
        throw wentAway(e);
      }
      abandon();
      throw e;
    }
    finish(c, tag, parts, counters);
  }

  private void finish(Connection c, String tag, List<Part> parts, Map<String, String> counters)
      throws SQLException {
    counters.forEach((name, state) -> parts.add(new Counter(name, state)));
    if (parts.isEmpty()) {
      try {
        if (!owned.isEmpty()) {
          site.process().confirm(transaction);
        }
        c.commit();
        ended();
      } catch (Nack nack) {
        abandon();
        throw Site.failed(nack);
      } catch (SQLException e) {
        if (lost(e)) {
          throw wentAway(e);
        }
        broken();
        throw e;
      }
      return;
    }
    Set<String> changed = new TreeSet<>();
    for (Part part : parts) {
      if (initialization) {
        changed.add(Initialization.TABLE);
      } else if (part instanceof Change change) {
        changed.add(change.table());
      } else if (part instanceof Counter counter) {
        changed.add(counter.name());
      }
    }
    RedoEntry redo = new RedoEntry(transaction, parts);
    byte[] entry = redo.fits() ? redo.encode() : null;
    if (entry == null || entry.length > MetricProcess.LONGEST) {
      abandon();
      throw LocalDatabase.tooLong();
    }
    String mark = initialization ? LocalDatabase.PENDING : tag;
    try {
      if (initialization) {
        site.local().pend(c, entry);
      }
      underWay = mark;
      site.local().commit(c, mark);
    } catch (SQLException e) {
      if (lost(e)) {
        throw wentAway(e);
      }
      broken();
      throw new SQLTransactionRollbackException(
          "the local database did not commit, and nothing was: " + e.getMessage(), "40000", e);
    }
    try {
      Position position = site.process().append(transaction, changed, entry);
      site.counted(counters);
      try {
        site.local().clear(mark, changed, position);
      } catch (SQLException e) {
        // It is in the log, and comes back from there.
        site.local().forget(mark);
      }
      ended();
    } catch (Nack nack) {
      site.local().forget(mark);
      ended();
      throw Site.failed(nack);
    }
  }

  void rollback() throws SQLException {
    expired = null;
    if (transaction == null) {
      return;
    }
    Connection c = real();
    try {
      c.rollback();
      searchPath = null;
      moveAgain(c);
      c.commit();
      if (!sequences.isEmpty()) {
        // Values that a sequence has given are not given again, at whatever site.
        Map<String, String> counters = site.counters(c, sequences);
        if (!counters.isEmpty()) {
          finish(c, "none", new ArrayList<>(), counters);
        }
      }
    } catch (SQLException e) {
      if (lost(e)) {
        broken();
      }
    } finally {
      ended();
    }
  }

  /** Rolls back, whatever that says. */
  private void abandon() {
    try {
      rollback();
    } catch (SQLException e) {
      broken();
    } catch (Error e) {
      broken();
      throw e;
    }
  }

  private void ended() {
    if (transaction != null) {
      if (!initialization && !owned.isEmpty()) {
        site.footprint(first).add(used);
      }
      site.release(transaction);
    }
    transaction = null;
    moved = null;
    underWay = null;
    used.clear();
    owned.clear();
    sequences.clear();
  }

  private void broken() {
    ended();
    for (Connection c : new Connection[] {real, aside}) {
      if (c != null) {
        site.closeLocal(c);
      }
    }
    real = null;
    aside = null;
    closed = true;
    site.remove(this);
  }

  private static SQLException again(SQLException e) {
    return new SQLTransactionRollbackException(e.getMessage(), e.getSQLState(), e);
  }

  /**
   * Ends a transaction that has had its tables longer than the lease, and keeps one alive that is
   * at work.
   */
  void tick() {
    String current = transaction;
    if (current == null) {
      return;
    }
    site.keep(current);
    if (!busy.tryLock()) {
      return;
    }
    try {
      long idle = (System.nanoTime() - heard) / 1_000_000;
      if (transaction != null && idle > site.options().lease().toMillis()) {
        abandon();
        expired =
            new SQLTransactionRollbackException(
                "the transaction was rolled back: it had its tables for "
                    + idle
                    + " ms without a statement, and the lease is "
                    + site.options().lease().toMillis()
                    + " ms",
                "25P03");
      }
    } finally {
      busy.unlock();
    }
  }

  boolean closed() {
    return closed;
  }

  /** Ends it if its client has asked for nothing since then, and may have gone. */
  boolean endForgotten(long since) {
    if (view == null || !busy.tryLock()) {
      return false;
    }
    try {
      if (real == null || transaction != null || asked - since > 0) {
        return false;
      }
      long seconds = (System.nanoTime() - asked) / 1_000_000_000;
      forgotten =
          ": nothing was heard of it for " + seconds + " s, and another client needed its place";
      broken();
      return true;
    } finally {
      busy.unlock();
    }
  }

  boolean valid(int seconds) throws SQLException {
    return !closed && real().isValid(seconds);
  }

  private void close() {
    busy.lock();
    try {
      if (!closed) {
        abandon();
        broken();
      }
      for (ResultSet rows : kept) {
        rows.close();
      }
      kept.clear();
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    } finally {
      busy.unlock();
    }
  }

  /** The same work, which ends if the session is closed meanwhile. */
  <T> Work<T> stoppable(Statement statement, Work<T> work) {
    return () -> {
      running = statement;
      try {
        begins();
        return work.run();
      } finally {
        running = null;
      }
    };
  }

  /** Closes it from any thread: its statement, if it is at one, fails. */
  void end() {
    Connection c = real;
    if (c != null && !busy.tryLock()) {
      // The database would go on with it, and keep its locks.
      synchronized (stopping) {
        stop(stop, "the connection was closed");
      }
      try {
        c.abort(Runnable::run);
      } catch (SQLException e) {
        // It is gone already.
      }
    } else if (c != null) {
      busy.unlock();
    }
    close();
  }

  static SQLException unsupported(String what) {
    return new SQLFeatureNotSupportedException(what, Refused.UNSUPPORTED);
  }

  static void plain(int concurrency) throws SQLException {
    if (concurrency != ResultSet.CONCUR_READ_ONLY) {
      throw unsupported("rows are updated by statements, not by a ResultSet");
    }
  }
}
