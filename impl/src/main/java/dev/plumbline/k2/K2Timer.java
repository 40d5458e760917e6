package dev.plumbline.k2;

import dev.plumbline.machine.Timer;

/** The timers of K2's machines. */
public sealed interface K2Timer extends Timer {

  /** A timestamp can be assigned, or a batch has to be asked for (again). */
  record NextTimestamp() implements K2Timer {}

  /** Something of a transaction was not answered in time. */
  record Resend(String txn) implements K2Timer {}

  /** The commit wait is over, or the last write was acknowledged. */
  record Proceed(String txn) implements K2Timer {}

  /** The client has been silent for too long. */
  record Patience(String txn) implements K2Timer {}

  record SendHeartbeats() implements K2Timer {}

  /** The coordinator of a pending transaction has perhaps been silent for too long. */
  record Suspect(String txn) implements K2Timer {}

  record RenewLease() implements K2Timer {}

  /** The old owner's lease, and then a commit wait, are over. */
  record Recover() implements K2Timer {}

  /** The epoch's end may have come. */
  record EpochDue() implements K2Timer {}

  /** The uncertainty of an epoch's timestamp is over. */
  record EpochOver() implements K2Timer {}

  /** Replicas may have missed entries. */
  record ShipLog() implements K2Timer {}

  /** Entries after a cut wait to be replayed. */
  record ReplayNext() implements K2Timer {}

  /** A read at a replica may be answered now. */
  record Attempt(String txn, long key) implements K2Timer {}
}
