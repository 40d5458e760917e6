package dev.plumbline.metric.sql.log;

import dev.plumbline.metric.Position;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The Metric process of one site, as the SQL side needs it. A table is any string that all sites
 * agree on. It runs one transaction at a time.
 */
public interface MetricProcess extends AutoCloseable {
  /** The longest entry that the redo log takes. */
  int LONGEST = 3 << 19;

  /**
   * A record of the redo log.
   *
   * @param tables those that lack it, and where they are with it
   * @param entry the encoded {@link RedoEntry}; empty where only positions move
   */
  @SuppressWarnings("ArrayRecordComponent") // Nobody compares two.
  record Logged(Map<String, Position> tables, byte[] entry) {}

  /**
   * What tables lack, oldest first.
   *
   * @param more whether there is more than this
   */
  record Lacking(List<Logged> records, boolean more) {}

  /**
   * Makes this process the owner of the tables for a transaction, which keeps those it has. After
   * it {@link #since} misses nothing of theirs. Refused if the transaction lost a table that it had
   * (METRIC-F13), or if the tables are not to be had in time.
   */
  void own(String transaction, Set<String> tables) throws Nack;

  /** What the redo log has after positions of tables that the transaction owns. */
  Lacking since(String transaction, Map<String, Position> positions) throws Nack;

  /** The same outside of transactions, where the last may be missing. */
  Lacking since(Map<String, Position> positions) throws Nack;

  /**
   * Appends what a transaction changed, if it still owns all its tables: the commit point. Returns
   * where the changed tables are then.
   */
  Position append(String transaction, Set<String> changed, byte[] entry) throws Nack;

  /**
   * Refused if the transaction no longer owns all its tables: how a read-only transaction ends
   * (METRIC-F7).
   */
  void confirm(String transaction) throws Nack;

  /** Who waits in {@link #own} for the transaction's tables does not any more, from any thread. */
  default void stop(String transaction) {}

  /** The transaction is at work: it is not to be given up. */
  void keep(String transaction);

  /** The transaction needs its tables no longer. */
  void release(String transaction);

  @Override
  void close();
}
