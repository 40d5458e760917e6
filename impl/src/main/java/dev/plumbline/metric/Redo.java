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

  /** The tables that it modified. */
  SortedSet<String> tables() {
    SortedSet<String> tables = new TreeSet<>();
    changes.forEach(c -> tables.add(c.table()));
    return tables;
  }
}
