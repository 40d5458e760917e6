package dev.plumbline.metric.sql.local;

import dev.plumbline.metric.sql.log.RedoEntry.Ddl;
import dev.plumbline.metric.sql.tables.Catalog;
import dev.plumbline.metric.sql.tables.Lexer;
import dev.plumbline.metric.sql.tables.Refused;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.sql.SQLNonTransientConnectionException;
import java.sql.Statement;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * One kind of local database. Names of tables and sequences are quoted and have their schema, so
 * that they are the same at all sites and stand in SQL as they are.
 */
public interface Dialect {
  /** The schema that holds Metric's own tables. No statement of an application may name it. */
  String PRIVATE = "plumb_metric";

  /** The dialect of the database at a JDBC URL. */
  static Dialect of(String url) throws SQLException {
    if (url.startsWith("jdbc:postgresql:")) {
      return new PostgreSql();
    } else if (url.startsWith("jdbc:mariadb:")) {
      return new MariaDb();
    }
    throw new SQLNonTransientConnectionException(
        "no dialect for "
            + url.replaceFirst("[?].*", "?...")
            + "; a local database's URL begins with jdbc:postgresql: or jdbc:mariadb:",
        "08001");
  }

  /** How this kind of database reads SQL. */
  Lexer.Rules rules();

  /**
   * A query that tells whether its connection is the one that has this database for itself, 1 or 0.
   * It has it until it ends.
   */
  String claim();

  /**
   * Makes Metric's own tables, where they are missing, and refuses a database that cannot serve.
   */
  void prepare(Connection c) throws SQLException;

  /** Settings of a connection on which an application's statements run. */
  void session(Connection c) throws SQLException;

  /** Puts triggers on the tables where they are missing, off, or of another name's table. */
  void capture(Connection c) throws SQLException;

  /** Refuses a schema that sites could not keep the same. */
  void demand(Connection c) throws SQLException;

  /** Throws that, with the names, if there are any. */
  static void refuse(List<String> names, String why) throws SQLException {
    if (!names.isEmpty()) {
      throw new SQLFeatureNotSupportedException(
          "Metric refuses " + String.join(", ", names) + ": " + why, Refused.UNSUPPORTED);
    }
  }

  /** What the catalog knows of tables and what they depend on. */
  Catalog catalog(Connection c) throws SQLException;

  /** Schemas in which a name without one is looked up, in that order. */
  List<String> searchPath(Connection c) throws SQLException;

  /** Before the first statement of a transaction, and behind one that failed in it. */
  default void begin(Connection c, String transaction) throws SQLException {}

  /** Ends what the statement's connection does, if the database is at something. */
  default void cancel(Statement running) throws SQLException {
    running.cancel();
  }

  /** Does to the connection's transaction what a statement that fails does to it. */
  default void fail(Connection c) {}

  /** A statement that changes the schema commits what was done before it, and itself. */
  default boolean committedBySchema() {
    return false;
  }

  /** Checks now what would be checked at the commit. */
  void settle(Connection c) throws SQLException;

  /** The tag of the connection's transaction in the local tx-queue. */
  String tag(Connection c) throws SQLException;

  /** That tag in SQL. */
  String tagged();

  /**
   * Tables and sequences that the database itself has locked for the open transaction, by name; an
   * empty set from a database that does not tell.
   */
  Set<String> touched(Connection c) throws SQLException;

  /** States of the sequences and of the tables with an identity column, of those named. */
  Map<String, String> counters(Connection c, Set<String> names) throws SQLException;

  /** Sets a state that {@link #counters} told. */
  void count(Connection c, String name, String state) throws SQLException;

  /** From here to the end of the transaction neither triggers nor foreign keys act. */
  void quiet(Connection c) throws SQLException;

  /** Ends what {@link #quiet} began, where the end of the transaction does not. */
  void loud(Connection c) throws SQLException;

  void delete(Connection c, String table, List<String> rows) throws SQLException;

  void insert(Connection c, String table, List<String> rows) throws SQLException;

  /** The context in which the connection would read a statement's names and values. */
  String context(Connection c) throws SQLException;

  /** Runs a statement of initialization in its context. */
  void run(Connection c, Ddl ddl) throws SQLException;

  /** A digest of the tables, their columns and rows: the same at all sites after initialization. */
  String contents(Connection c) throws SQLException;
}
