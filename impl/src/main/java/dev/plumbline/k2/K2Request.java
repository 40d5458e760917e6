package dev.plumbline.k2;

import java.util.List;

/** What clients ask of coordinators. */
public sealed interface K2Request {

  /** How a transaction runs. */
  enum Mode {
    /** At the primaries. */
    PRIMARY,
    /** Linearizable reads at replicas. */
    LINEARIZABLE,
    /** Reads at replicas, at a timestamp that the client names. */
    SNAPSHOT
  }

  /** {@code at} counts for {@code SNAPSHOT} only. */
  record Begin(Mode mode, Timestamp at) implements K2Request {}

  record Get(String txn, long key) implements K2Request {}

  /**
   * At most one a key, though it may be asked for again; the client keeps what it overwrites
   * itself. Another one ends the transaction.
   */
  record Put(String txn, long key, List<Long> value) implements K2Request {}

  record Commit(String txn) implements K2Request {}

  record Abort(String txn) implements K2Request {}
}
