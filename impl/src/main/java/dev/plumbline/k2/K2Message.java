package dev.plumbline.k2;

import dev.plumbline.machine.Message;
import java.util.List;

/** The messages between participants. Lists are values of keys: a list, or a register as one. */
public sealed interface K2Message extends Message {

  /** Asks an oracle for a timestamp; {@code id} is unique for the sender's role. */
  record BatchRequest(long id) implements K2Message {}

  /** The upper end of the oracle's interval when it handled request {@code id}. */
  record BatchReply(long id, long oracle, long up) implements K2Message {}

  record Read(Txn txn, long key) implements K2Message {}

  record ReadReply(String txn, long key, String writer, List<Long> value) implements K2Message {}

  /** Writes a key; {@code first} is the first key that the transaction wrote. */
  record Write(Txn txn, long key, long first, List<Long> value) implements K2Message {}

  /** {@code epoch} is the node's when the intent was created. */
  record WriteReply(String txn, long key, boolean ok, long epoch) implements K2Message {}

  /** {@code epoch} is the highest that the writes were answered with. */
  record Commit(Txn txn, long first, long epoch) implements K2Message {}

  record Abort(Txn txn, long first) implements K2Message {}

  /** {@code epoch} is the commit epoch, 0 if aborted. */
  record Decision(String txn, boolean committed, long epoch) implements K2Message {}

  record Finalize(Txn txn, long key, boolean committed, long epoch) implements K2Message {}

  record FinalizeAck(String txn, long key) implements K2Message {}

  /** PUSHWS: asks the recorder for the decision on {@code txn}, which wrote {@code key}. */
  record Push(Txn txn, long key, long first) implements K2Message {}

  record PushReply(Txn txn, long key, boolean committed, long epoch) implements K2Message {}

  /** A coordinator's sign of life to the recorders of its transactions. */
  record Heartbeat(long incarnation) implements K2Message {}

  /** A data node's log from entry {@code from} on, for a replica. */
  record LogEntries(long from, List<K2Record> entries) implements K2Message {}

  /** The replica has replayed all entries before {@code next}. */
  record LogAck(long next) implements K2Message {}

  /** A read at a replica, at a timestamp. */
  record ReplicaRead(String txn, Timestamp at, long key) implements K2Message {}

  record ReplicaReadReply(String txn, long key, String writer, List<Long> value)
      implements K2Message {}
}
