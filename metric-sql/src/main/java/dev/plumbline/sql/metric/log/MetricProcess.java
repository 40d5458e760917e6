package dev.plumbline.sql.metric.log;

import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The Metric process of one site, as the SQL side needs it. A table is any string that all sites
 * agree on.
 */
public interface MetricProcess {

  /**
   * An entry of the redo log: where it stands, whose tables it changes, and the encoded {@link
   * RedoEntry}.
   */
  @SuppressWarnings("ArrayRecordComponent") // Entries are compared by their position.
  record Logged(long position, Set<String> tables, byte[] entry) {}

  /**
   * Makes this process the owner of the tables for a transaction, which keeps those it has. After
   * it {@link #since} misses no entry of theirs. Refused if the transaction lost a table that it
   * had (METRIC-F13), or if the tables are not to be had in time.
   */
  void own(String transaction, Set<String> tables) throws Nack;

  /**
   * Entries after each table's position, oldest first. For a table that is not owned the last ones
   * may be missing.
   */
  List<Logged> since(Map<String, Long> positions) throws Nack;

  /**
   * Appends what a transaction changed, if it still owns all its tables: the commit point. Returns
   * the position.
   */
  long append(String transaction, Set<String> changed, byte[] entry) throws Nack;

  /**
   * Refused if the transaction no longer owns all its tables: how a read-only transaction ends
   * (METRIC-F7).
   */
  void confirm(String transaction) throws Nack;

  /** The transaction needs its tables no longer. */
  void release(String transaction);
}
