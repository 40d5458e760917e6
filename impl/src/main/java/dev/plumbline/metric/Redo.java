package dev.plumbline.metric;

import java.util.List;
import java.util.SortedSet;
import java.util.TreeSet;

/**
 * What a transaction leaves in a tx-queue: the rows that it modified, and, with the repair {@code
 * dedupe}, who asked and what was answered.
 *
 * @param place in the serial order of all transactions, for those who judge it
 */
public record Redo(RequestId id, List<Change> changes, List<List<Long>> results, List<Long> place) {

  public Redo {
    changes = List.copyOf(changes);
    results = List.copyOf(results);
    place = List.copyOf(place);
  }

  /** How many bytes it takes in a message at most, about. */
  long bytes() {
    long bytes = 0;
    for (Change c : changes) {
      bytes += bytes(c.row(), c.value());
    }
    for (List<Long> result : results) {
      bytes += bytes("", result);
    }
    return bytes;
  }

  /** The same of a row: a character may be escaped. */
  static long bytes(String row, List<Long> value) {
    return 100 + 6L * row.length() + 21L * value.size();
  }

  /** The tables that it modified. */
  SortedSet<String> tables() {
    SortedSet<String> tables = new TreeSet<>();
    changes.forEach(c -> tables.add(c.table()));
    return tables;
  }
}
