package dev.plumbline.sim;

import java.util.List;

/**
 * What a client is asked to run. The operations happen in order; a transaction sees its own writes.
 *
 * @param kind how it runs
 * @param ops its operations; reads only unless {@code READ_WRITE}
 * @param stalenessMicros for {@code REPLICA_SNAPSHOT}: how far before the newest timestamp that the
 *     client knows it shall read, microseconds
 */
public record Transaction(Kind kind, List<MicroOp> ops, long stalenessMicros) {

  /** How a transaction runs. */
  public enum Kind {
    /** Interactive: each operation is asked for after the one before was answered. */
    READ_WRITE,
    /** Reads at the primaries. */
    READ_ONLY,
    /** Linearizable reads at a replica. */
    REPLICA_LINEARIZABLE,
    /** Reads at a replica, at a timestamp that the client names. */
    REPLICA_SNAPSHOT
  }

  public Transaction {
    ops = List.copyOf(ops);
  }
}
