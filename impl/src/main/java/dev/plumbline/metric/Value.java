package dev.plumbline.metric;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * What a key of the store holds: of a table's key the latest entry alone (repair {@code
 * directory}); of an entry its table-set, each table with the entry that it follows there (repair
 * {@code previous}), and its tx-queue.
 */
public record Value(Uuid latest, SortedMap<String, Uuid> tables, List<Redo> queue) {
  /** Of a key that was never written. */
  public static final Value NONE = new Value(new Uuid(-1, 0), new TreeMap<>(), List.of());

  public Value {
    tables = Collections.unmodifiableSortedMap(new TreeMap<>(tables));
    queue = List.copyOf(queue);
  }

  /** A table's key. */
  static Value latest(Uuid entry) {
    return new Value(entry, new TreeMap<>(), List.of());
  }

  /** The same entry with one more table. */
  Value with(String table, Uuid follows) {
    SortedMap<String, Uuid> more = new TreeMap<>(tables);
    more.put(table, follows);
    return new Value(latest, more, queue);
  }

  /** The same entry with more in its tx-queue. */
  Value with(List<Redo> appended) {
    List<Redo> longer = new ArrayList<>(queue);
    longer.addAll(appended);
    return new Value(latest, tables, longer);
  }

  /** How many bytes its tx-queue takes in a message at most, about. */
  long bytes() {
    return queue.stream().mapToLong(Redo::bytes).sum();
  }
}
