package dev.plumbline.k2;

import java.util.List;

/** What data nodes and replicas persist. */
public sealed interface K2Record {

  /** A write intent (section 5.2), with the node's epoch when it was created. */
  record Intent(Txn txn, long key, long first, long epoch, List<Long> value) implements K2Record {}

  /** The decision on a transaction reached its intent on a key. */
  record Resolved(Txn txn, long key, boolean committed, long epoch) implements K2Record {}

  /** The node ended an epoch, and all before it. */
  record EpochCut(long epoch) implements K2Record {}

  /** A transaction record; {@code epoch} is the commit epoch. */
  record Recorded(Txn txn, Status status, long epoch) implements K2Record {}

  /** The lease goes on: an append that is refused once another node has taken over. */
  record LeaseRenewed() implements K2Record {}

  /** A replica replayed these entries. */
  record Replayed(List<K2Record> entries) implements K2Record {}
}
