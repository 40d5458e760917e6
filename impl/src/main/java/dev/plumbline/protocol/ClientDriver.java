package dev.plumbline.protocol;

import dev.plumbline.history.Visit;
import java.util.List;
import java.util.Optional;

/**
 * The client's side of a protocol: runs one transaction after the other by requests and responses.
 * Deterministic; thrown away after a transaction whose outcome is unknown, unless it goes on.
 */
public interface ClientDriver {

  /** Starts a transaction: the first request. */
  Call begin(Transaction transaction);

  /**
   * The timestamp that the transaction just begun asks for; only called for {@code
   * REPLICA_SNAPSHOT}. It is to see every transaction up to and including it, and no other.
   */
  default List<Long> asked() {
    throw new UnsupportedOperationException("this protocol has no reads at a named timestamp");
  }

  /** Who asks where for the operation just begun; null where there are no sessions. */
  default Visit visit() {
    return null;
  }

  /** Whether it goes on after an operation whose outcome is unknown; else it is thrown away. */
  default boolean goesOn() {
    return false;
  }

  /** The response to the last call: the next request, or the outcome. */
  Next answered(Record response);

  /**
   * After the time for a response is over: the request that asks for the outcome of the transaction
   * begun, if that is safe however often it is asked. Its response goes to {@link #answered}.
   */
  default Optional<Call> again() {
    return Optional.empty();
  }

  /** No response came in time. UNKNOWN unless it is certain that nothing was or will be written. */
  Outcome timedOut();

  /** What a client does next. */
  sealed interface Next {}

  /** Asks the owner of a role, which gets it as {@code Input.ClientRequest}. */
  record Call(String role, Record request) implements Next {}

  /**
   * How a transaction ended.
   *
   * @param kind the end
   * @param ops COMMITTED: the operations with the values read and written; otherwise as far as
   *     known
   * @param timestamp the place in the serial order that the system claims, compared element by
   *     element; empty if aborted, unknown, or a snapshot read. UNKNOWN: its place should it have
   *     committed, if the client learned it
   * @param error why not committed; empty when committed
   */
  record Outcome(Kind kind, List<MicroOp> ops, List<Long> timestamp, String error) implements Next {

    /** The ends a transaction can have. */
    public enum Kind {
      COMMITTED,
      /** Nothing was or will be written. */
      ABORTED,
      UNKNOWN
    }

    public static Outcome committed(List<MicroOp> ops, List<Long> timestamp) {
      return new Outcome(Kind.COMMITTED, ops, timestamp, "");
    }

    public static Outcome aborted(Transaction transaction, String error) {
      return new Outcome(Kind.ABORTED, transaction.ops(), List.of(), error);
    }

    /** Its reads stay open: they count only if it took effect. */
    public static Outcome unknown(List<MicroOp> ops, List<Long> timestamp, String error) {
      return new Outcome(
          Kind.UNKNOWN,
          ops.stream()
              .map(op -> op.kind() == MicroOp.Kind.READ ? MicroOp.read(op.key()) : op)
              .toList(),
          timestamp,
          error);
    }
  }
}
