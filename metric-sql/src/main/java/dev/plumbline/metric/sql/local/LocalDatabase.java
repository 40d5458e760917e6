package dev.plumbline.metric.sql.local;

import dev.plumbline.metric.Position;
import dev.plumbline.metric.sql.log.MetricProcess.Logged;
import dev.plumbline.metric.sql.log.RedoEntry;
import dev.plumbline.metric.sql.log.RedoEntry.Change;
import dev.plumbline.metric.sql.log.RedoEntry.Counter;
import dev.plumbline.metric.sql.log.RedoEntry.Ddl;
import dev.plumbline.metric.sql.log.RedoEntry.End;
import dev.plumbline.metric.sql.log.RedoEntry.Part;
import java.io.IOException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.SQLNonTransientConnectionException;
import java.util.ArrayList;
import java.util.Base64;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;

/**
 * A site's local database, and Metric's tables in it: the tx-queue, which triggers fill in the
 * transaction that they capture, and for each table the position in the redo log up to which it has
 * been brought.
 *
 * <p>A position is written in the transaction that brings the table there. So after a crash the
 * tables are where the positions say, but for transactions that were committed here and are still
 * in the tx-queue. Opening it undoes those by the rows that the queue keeps; what of them is in the
 * log comes back with the log (repairs rebuild and discard: METRIC-F8, METRIC-F9).
 */
public final class LocalDatabase {
  private static final String QUEUE = Dialect.PRIVATE + ".tx_queue";

  /** The tag of what initialization has committed here and what the log may lack. */
  public static final String PENDING = "#pending";

  /** How many rows of the queue are asked for at a time, before it is known how long they are. */
  private static final int ROWS = 10;

  private static final int MOST_ROWS = 1000;

  /** What is asked for at a time has so many characters, about. */
  private static final long SOME_CHARACTERS = 1 << 20;

  private static final String POINTERS = Dialect.PRIVATE + ".pointers";

  /** How a connection to the database is made. */
  @FunctionalInterface
  public interface Source {
    Connection open() throws SQLException;
  }

  private final Dialect dialect;
  private final Source source;
  private final Map<String, Position> positions = new ConcurrentHashMap<>();

  /** Transactions that are committed here and on their way to the log, and since which opening. */
  private final Map<String, Long> underWay = new ConcurrentHashMap<>();

  /** Transactions that are to be undone before anything else. */
  private final Set<String> stale = ConcurrentHashMap.newKeySet();

  private Connection own;

  /** How often it was opened. A database that stopped may have lost its last commits. */
  private volatile long openings;

  /** Opens it, and undoes what was committed here and not cleared. */
  public LocalDatabase(Dialect dialect, Source source) throws SQLException {
    this.dialect = dialect;
    this.source = source;
    synchronized (this) {
      open();
    }
  }

  public Dialect dialect() {
    return dialect;
  }

  /** A connection for an application's statements: no autocommit. */
  public Connection connect() throws SQLException {
    Connection c = source.open();
    try {
      dialect.session(c);
      c.setAutoCommit(false);
      return c;
    } catch (SQLException e) {
      c.close();
      throw e;
    }
  }

  private void open() throws SQLException {
    Connection c = source.open();
    try {
      c.setAutoCommit(true);
      dialect.prepare(c);
      dialect.session(c);
      c.setAutoCommit(false);
      own = c;
      undoLeftovers(c);
      stale.clear();
      positions.clear();
      Sql.each(
          own,
          "select tbl, position from " + POINTERS,
          row -> positions.put(row.getString(1), Position.of(row.getString(2))));
      own.commit();
      openings++;
    } catch (SQLException e) {
      own = null;
      c.close();
      throw e;
    }
  }

  /** Work on the connection of our own. */
  @FunctionalInterface
  private interface Work {
    void on(Connection c) throws SQLException;
  }

  /**
   * The number of the opening, which is another one if the database has stopped since. Positions
   * that were read before are not to be trusted then.
   */
  public synchronized long opening() throws SQLException {
    if (own == null || !own.isValid(5)) {
      if (own != null) {
        Connection dead = own;
        own = null;
        try {
          dead.close();
        } catch (SQLException e) {
          // It is dead already.
        }
      }
      open();
    }
    return openings;
  }

  private synchronized void inTransaction(long since, Work work) throws SQLException {
    if (opening() != since) {
      throw new SQLNonTransientConnectionException(
          "the local database has stopped since and is open again", "08006");
    }
    try {
      for (String tag : List.copyOf(stale)) {
        undo(own, tag);
        own.commit();
        stale.remove(tag);
      }
      work.on(own);
      own.commit();
    } catch (SQLException e) {
      try {
        own.rollback();
      } catch (SQLException again) {
        e.addSuppressed(again);
      }
      throw e;
    } catch (Error e) {
      // Amid an answer of the database, perhaps: what that connection says next is not to be read.
      close();
      throw e;
    }
  }

  /** Where each of the tables has been brought. */
  public Map<String, Position> positions(Collection<String> tables) {
    Map<String, Position> found = new TreeMap<>();
    tables.forEach(t -> found.put(t, positions.getOrDefault(t, Position.NONE)));
    return found;
  }

  /**
   * Brings tables forward. Of each entry those tables are changed that lack it; the new positions
   * are written in the same transaction, so that the next start begins there. Returns the states to
   * which counters were set.
   *
   * @param since the opening in which the positions were read that the entries follow
   */
  public synchronized Map<String, String> populate(long since, List<Logged> entries)
      throws SQLException {
    if (entries.isEmpty() && stale.isEmpty()) {
      return Map.of();
    }
    Map<String, Position> moved = new TreeMap<>();
    Map<String, String> states = new TreeMap<>();
    inTransaction(
        since,
        c -> {
          moved.clear();
          states.putAll(count(c, entries));
          for (Logged logged : entries) {
            apply(c, logged, moved);
            if (logged.tables().containsKey(Initialization.TABLE)) {
              // As where it was made: some of it, as an enum's new value, is of use after a commit.
              write(c, moved);
              c.commit();
              positions.putAll(moved);
            }
          }
          write(c, moved);
        });
    positions.putAll(moved);
    return states;
  }

  /**
   * Sets counters before anything else: MariaDB commits when it is told one, and one that is set
   * and whose rows are not there yet does no harm.
   */
  private Map<String, String> count(Connection c, List<Logged> entries) throws SQLException {
    Map<String, String> states = new TreeMap<>();
    for (Logged logged : entries) {
      if (!logged.tables().containsKey(Initialization.TABLE)) {
        for (Part part : parts(logged)) {
          if (part instanceof Counter counter && lacks(counter.name(), logged)) {
            states.put(counter.name(), counter.state());
          }
        }
      }
    }
    for (Map.Entry<String, String> state : states.entrySet()) {
      dialect.count(c, state.getKey(), state.getValue());
    }
    return states;
  }

  private boolean lacks(String table, Logged logged) {
    Position to = logged.tables().get(table);
    return to != null && !to.equals(positions.get(table));
  }

  private static List<Part> parts(Logged logged) throws SQLException {
    try {
      return logged.entry().length == 0 ? List.of() : RedoEntry.decode(logged.entry()).parts();
    } catch (IOException e) {
      throw new SQLException(
          "an entry of the redo log, for "
              + logged.tables().keySet()
              + ", cannot be read: "
              + e.getMessage(),
          "XX001",
          e);
    }
  }

  private void apply(Connection c, Logged logged, Map<String, Position> moved) throws SQLException {
    Set<String> behind = new TreeSet<>(logged.tables().keySet());
    behind.removeIf(t -> !lacks(t, logged));
    behind.forEach(t -> moved.put(t, logged.tables().get(t)));
    boolean whole = behind.contains(Initialization.TABLE);
    List<Part> parts = parts(logged);
    apply(c, parts, whole ? null : behind);
    if (whole && parts.stream().anyMatch(End.class::isInstance)) {
      moved.put(Initialization.ENDED, logged.tables().get(Initialization.TABLE));
    }
  }

  /** Applies an entry's parts to some tables, or to all if they are null. */
  private void apply(Connection c, List<Part> parts, Set<String> tables) throws SQLException {
    List<Change> changes = new ArrayList<>();
    List<Part> after = new ArrayList<>();
    for (Part part : parts) {
      if (part instanceof Change change) {
        if (tables == null || tables.contains(change.table())) {
          changes.add(change);
        }
      } else if (part instanceof Counter) {
        if (tables == null) {
          after.add(part);
        }
      } else if (part instanceof Ddl ddl) {
        change(c, changes);
        changes.clear();
        dialect.run(c, ddl);
        dialect.capture(c);
      } else {
        after.add(part);
      }
    }
    change(c, changes);
    for (Part part : after) {
      if (part instanceof Counter counter) {
        dialect.count(c, counter.name(), counter.state());
      } else if (part instanceof End end) {
        dialect.capture(c);
        String here = Initialization.like(end.contents(), dialect.contents(c));
        if (!here.equals(end.contents())) {
          throw new SQLException(
              "after initialization this site's database is not that of the site where it was done: "
                  + Initialization.difference(end.contents(), here),
              "55000");
        }
      }
    }
  }

  /**
   * The net effect of changes, in whatever order triggers told them: rows that go, then rows that
   * come.
   */
  private void change(Connection c, List<Change> changes) throws SQLException {
    Delta delta = new Delta();
    changes.forEach(delta::add);
    delta.go(c, dialect);
  }

  /**
   * What the tables of a transaction that is still open have changed to; it stays in the queue.
   *
   * @throws SQLException 54000 where that is more than an entry of the log holds, which is known
   *     before all of it was read
   */
  public List<Part> changes(Connection c, String tag) throws SQLException {
    try (RedoEntry.Growth growth = new RedoEntry.Growth()) {
      return queued(c, tag, growth);
    }
  }

  /** That an entry of the log does not hold a transaction. */
  public static SQLException tooLong() {
    return new SQLException(
        "the transaction changes more than an entry of the redo log holds", "54000");
  }

  /** Reads some rows at a time; all of them if there is no growth to look at. */
  private static List<Part> queued(Connection c, String tag, RedoEntry.Growth growth)
      throws SQLException {
    List<Part> changes = new ArrayList<>();
    try (PreparedStatement s =
        c.prepareStatement("select tbl, old, new from " + QUEUE + " where tx = ? order by n")) {
      s.setFetchSize(ROWS);
      s.setString(1, tag);
      try (ResultSet rows = s.executeQuery()) {
        long length = 0;
        while (rows.next()) {
          String before = rows.getString(2);
          String after = rows.getString(3);
          Part part =
              rows.getString(1).equals(Initialization.TABLE)
                  ? new Ddl(before, after)
                  : new Change(rows.getString(1), before, after);
          if (growth != null && !growth.fits(part)) {
            throw tooLong();
          }
          changes.add(part);
          length += 1L + (before == null ? 0 : before.length());
          length += after == null ? 0 : after.length();
          if (changes.size() % ROWS == 0) {
            long some = SOME_CHARACTERS * changes.size() / length;
            rows.setFetchSize((int) Math.max(1, Math.min(MOST_ROWS, some)));
          }
        }
      }
    }
    return changes;
  }

  /**
   * Puts a statement of initialization in the queue of its transaction, between the changes before
   * and after it; what is rolled back to a savepoint leaves with them.
   */
  public void note(Connection c, Ddl ddl) throws SQLException {
    Sql.update(
        c,
        "insert into " + QUEUE + " (tx, tbl, old, new) values (" + dialect.tagged() + ", ?, ?, ?)",
        Initialization.TABLE,
        ddl.context(),
        ddl.sql());
  }

  /** Takes what is in the queue of an open transaction of initialization. */
  public List<Part> take(Connection c, String tag) throws SQLException {
    List<Part> changes = changes(c, tag);
    empty(c, tag);
    return changes;
  }

  private static void empty(Connection c, String tag) throws SQLException {
    Sql.update(c, "delete from " + QUEUE + " where tx = ?", tag);
  }

  /**
   * Keeps the entry of a transaction of initialization with it: what changes the schema is not
   * undone, so it comes to the log in the end.
   */
  public void pend(Connection c, byte[] entry) throws SQLException {
    Sql.update(
        c,
        "insert into " + QUEUE + " (tx, tbl, new) values (?, ?, ?)",
        PENDING,
        Initialization.TABLE,
        Base64.getEncoder().encodeToString(entry));
  }

  /** The entry of initialization that the log may lack; null if there is none. */
  public synchronized byte[] pending() throws SQLException {
    opening();
    String kept = Sql.string(own, "select new from " + QUEUE + " where tx = ?", PENDING);
    own.commit();
    return kept == null ? null : Base64.getDecoder().decode(kept);
  }

  /** Commits a transaction here, which stays in the queue until it is cleared or forgotten. */
  public void commit(Connection c, String tag) throws SQLException {
    underWay.put(tag, openings);
    try {
      c.commit();
    } catch (SQLException e) {
      // It may be committed all the same.
      forget(tag);
      throw e;
    }
  }

  /**
   * The transaction is undone here before anything else happens; what of it is in the log comes
   * back with the log.
   */
  public void forget(String tag) {
    if (!tag.equals(PENDING)) {
      stale.add(tag);
    }
    underWay.remove(tag);
  }

  /**
   * The transaction is in the log: its rows leave the queue, and its tables are where the log is.
   * Not so if the database has stopped since it was committed here: it may have lost that.
   */
  public synchronized void clear(String tag, Collection<String> tables, Position position)
      throws SQLException {
    Map<String, Position> moved = new TreeMap<>();
    tables.forEach(t -> moved.put(t, position));
    try {
      inTransaction(
          underWay.getOrDefault(tag, openings),
          c -> {
            Sql.update(c, "delete from " + QUEUE + " where tx = ?", tag);
            write(c, moved);
          });
      positions.putAll(moved);
      underWay.remove(tag);
    } catch (SQLException e) {
      forget(tag);
      throw e;
    }
  }

  private static void write(Connection c, Map<String, Position> moved) throws SQLException {
    for (Map.Entry<String, Position> m : moved.entrySet()) {
      if (Sql.update(
              c,
              "update " + POINTERS + " set position = ? where tbl = ?",
              m.getValue().toString(),
              m.getKey())
          == 0) {
        Sql.update(
            c,
            "insert into " + POINTERS + " (tbl, position) values (?, ?)",
            m.getKey(),
            m.getValue().toString());
      }
    }
  }

  private void undo(Connection c, String tag) throws SQLException {
    Delta delta = new Delta();
    undo(c, tag, delta);
    delta.go(c, dialect);
  }

  private void undoLeftovers(Connection c) throws SQLException {
    Delta delta = new Delta();
    for (String tag : Sql.strings(c, "select distinct tx from " + QUEUE)) {
      if (underWay.containsKey(tag) || tag.equals(PENDING)) {
        continue;
      }
      undo(c, tag, delta);
    }
    delta.go(c, dialect);
  }

  private static void undo(Connection c, String tag, Delta delta) throws SQLException {
    for (Part part : queued(c, tag, null)) {
      delta.add(((Change) part).inverse());
    }
    empty(c, tag);
  }

  /** Ends the connection of our own; a later call opens it again. */
  public synchronized void close() {
    try {
      if (own != null) {
        own.close();
      }
    } catch (SQLException e) {
      // The database has gone first.
    }
    own = null;
  }
}
