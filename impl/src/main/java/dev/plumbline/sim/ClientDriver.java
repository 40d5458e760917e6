package dev.plumbline.sim;

import java.util.List;

/**
 * The client's side of a protocol: runs one transaction after the other by requests and responses.
 * Deterministic; after a transaction whose outcome is unknown the driver is thrown away.
 */
public interface ClientDriver {

  /** Starts a transaction: the first request. */
  Call begin(Transaction transaction);

  /** The response to the last call: the next request, or the outcome. */
  Next answered(Record response);

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
   * @param ops COMMITTED: the operations with the values read and written; otherwise as asked
   * @param timestamp COMMITTED: the place in the serial order that the system claims, compared
   *     element by element; otherwise empty
   * @param asked {@code REPLICA_SNAPSHOT}: the timestamp asked for; otherwise empty
   * @param error why not committed; empty when committed
   */
  record Outcome(Kind kind, List<MicroOp> ops, List<Long> timestamp, List<Long> asked, String error)
      implements Next {

    /** The ends a transaction can have. */
    public enum Kind {
      COMMITTED,
      /** Nothing was or will be written. */
      ABORTED,
      UNKNOWN
    }

    public static Outcome committed(List<MicroOp> ops, List<Long> timestamp) {
      return new Outcome(Kind.COMMITTED, ops, timestamp, List.of(), "");
    }

    public static Outcome aborted(Transaction transaction, String error) {
      return new Outcome(Kind.ABORTED, transaction.ops(), List.of(), List.of(), error);
    }

    public static Outcome unknown(Transaction transaction, String error) {
      return new Outcome(Kind.UNKNOWN, transaction.ops(), List.of(), List.of(), error);
    }

    /** The same outcome of a read at a timestamp that the client asked for. */
    public Outcome askedAt(List<Long> timestampAsked) {
      return new Outcome(kind, ops, timestamp, timestampAsked, error);
    }
  }
}
