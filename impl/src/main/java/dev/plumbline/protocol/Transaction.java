package dev.plumbline.protocol;

import dev.plumbline.history.Guarantee;
import java.util.List;
import java.util.Set;

/**
 * What a client is asked to run. The operations happen in order; a transaction sees its own writes.
 *
 * @param kind how it runs
 * @param ops its operations; reads only unless {@code READ_WRITE}
 * @param stalenessMicros for {@code REPLICA_SNAPSHOT}: how far before the newest timestamp that the
 *     client knows it shall read, microseconds
 * @param choice what a client of a store with session guarantees chooses for its one operation;
 *     else {@link Choice#NONE}
 */
public record Transaction(Kind kind, List<MicroOp> ops, long stalenessMicros, Choice choice) {

  /** A transaction of a store without sessions. */
  public Transaction(Kind kind, List<MicroOp> ops, long stalenessMicros) {
    this(kind, ops, stalenessMicros, Choice.NONE);
  }

  /** One operation of a session. */
  public static Transaction of(MicroOp op, Choice choice) {
    Kind kind = op.kind() == MicroOp.Kind.READ ? Kind.READ_ONLY : Kind.READ_WRITE;
    return new Transaction(kind, List.of(op), 0, choice);
  }

  /**
   * What the client of a session chooses for an operation.
   *
   * @param asks the guarantees that it asks for
   * @param place 0: the replica that it prefers; n: the n-th replica of the object, counted round
   * @param last whether everything was healed and has settled
   */
  public record Choice(Set<Guarantee> asks, int place, boolean last) {
    static final Choice NONE = new Choice(Set.of(), 0, false);

    public Choice {
      asks = Set.copyOf(asks);
    }
  }

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
