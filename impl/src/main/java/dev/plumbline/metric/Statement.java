package dev.plumbline.metric;

import java.util.ArrayList;
import java.util.List;

/**
 * A statement on one row, for the local database that a test or a simulator has. A row is a list of
 * numbers, empty while it does not exist; its first number tells what it is.
 *
 * @param value what is written, appended or added; nothing to a read
 */
public record Statement(Kind kind, String table, String row, long value) {
  /** What a row with one number begins with. */
  public static final long REGISTER = 0;

  /** What a row with a list begins with. */
  public static final long LIST = 1;

  /** What a statement does to its row. */
  public enum Kind {
    READ,
    /** Replaces the row by one number. */
    WRITE,
    /** Makes a list longer. */
    APPEND,
    /** Adds to the number that is there. */
    ADD
  }

  /**
   * The row after the statement, if this is what was there.
   *
   * @throws LocalDatabase.Refused if it does not suit that
   */
  List<Long> after(List<Long> before) {
    return switch (kind) {
      case READ -> before;
      case WRITE -> List.of(REGISTER, value);
      case ADD -> {
        demand(REGISTER, before, "a list");
        try {
          yield List.of(REGISTER, Math.addExact(before.isEmpty() ? 0 : before.get(1), value));
        } catch (ArithmeticException e) {
          throw new LocalDatabase.Refused("row " + row + " of " + table + " would overflow");
        }
      }
      case APPEND -> {
        demand(LIST, before, "a number");
        List<Long> list = new ArrayList<>(before.isEmpty() ? List.of(LIST) : before);
        list.add(value);
        yield List.copyOf(list);
      }
    };
  }

  private void demand(long wanted, List<Long> before, String other) {
    if (!before.isEmpty() && before.get(0) != wanted) {
      throw new LocalDatabase.Refused("row " + row + " of " + table + " is " + other);
    }
  }
}
