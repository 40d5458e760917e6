package dev.plumbline.metric;

import java.util.Collections;
import java.util.List;
import java.util.SortedSet;
import java.util.TreeSet;

/**
 * What a transaction leaves in a tx-queue: the rows that it modified, and, with the repair {@code
 * dedupe}, who asked and what was answered.
 *
 * @param place in the serial order of all transactions, for those who judge it
 * @param tables those that it modified
 * @param text what a transaction left that its site led, in the site's own form; else empty
 */
public record Redo(
    RequestId id,
    List<Change> changes,
    List<List<Long>> results,
    List<Long> place,
    SortedSet<String> tables,
    String text) {

  public Redo {
    changes = List.copyOf(changes);
    results = List.copyOf(results);
    place = List.copyOf(place);
    tables = Collections.unmodifiableSortedSet(new TreeSet<>(tables));
  }

  /** How many bytes it takes in a message at most, about. */
  long bytes() {
    long bytes = text.length();
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

  /** Of a whole transaction. */
  static Redo rows(RequestId id, List<Change> changes, List<List<Long>> results, List<Long> place) {
    SortedSet<String> tables = new TreeSet<>();
    changes.forEach(c -> tables.add(c.table()));
    return new Redo(id, changes, results, place, tables, "");
  }

  /** Of a transaction that its site led. */
  static Redo text(RequestId id, SortedSet<String> tables, String text) {
    return new Redo(id, List.of(), List.of(), List.of(), tables, text);
  }
}
