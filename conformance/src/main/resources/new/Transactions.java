package ${package};

import java.util.List;

/** What clients ask for and get. */
public final class Transactions {
  private Transactions() {}

  /** What an operation does. */
  public enum Kind {
    READ,
    WRITE,
    /** Adds an element to a list. */
    APPEND,
    /** Adds to a number. */
    ADD
  }

  /** An operation on a key; a read has the value 0. */
  public record Operation(Kind kind, long key, long value) {}

  /** A value: a number, a list of numbers, or nothing yet. */
  public record Value(boolean list, List<Long> content) {
    static final Value NONE = new Value(false, List.of());
  }

  /** Asks for a transaction; asking again for the same one runs nothing twice. */
  public record Ask(String t, List<Operation> operations) {}

  /** The transaction is stored: its place in the log, and a value for each operation. */
  public record Answer(long place, List<Value> values) {}
}
