package dev.plumbline.metric;

import dev.plumbline.machine.Effects;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.function.BiFunction;

/**
 * The redo log as a process has read it (getQuorum), and its own entry. Only entries that another
 * one follows are read so: whoever followed them had their locks, and they do not change any more.
 */
final class RedoLogReader {
  private static final int MOST_KEPT = 1_000;

  private final Ownership ownership;
  private final StoreClient store;
  private final TreeMap<Uuid, Value> read = new TreeMap<>();
  private Uuid asked = Ownership.NO_ENTRY;

  RedoLogReader(Ownership ownership, StoreClient store) {
    this.ownership = ownership;
    this.store = store;
  }

  /** An entry that was read, or the process's own; null for one that was not read. */
  Value value(Uuid entry) {
    return entry.equals(ownership.mine) ? ownership.entry : read.get(entry);
  }

  /** The entry that a known one follows for a table; null for none but that of initialization. */
  Uuid before(Uuid entry, String table) {
    Uuid previous = value(entry).tables().get(table);
    return previous == null || previous.time() == 0 ? null : previous;
  }

  /**
   * Asks for an entry that the tables' ones follow and that was not read, if there is one.
   *
   * @param before what an entry follows for a table, as far as that is of interest; else null
   */
  boolean reads(SortedSet<String> tables, BiFunction<Uuid, String, Uuid> before, Effects effects) {
    for (String t : tables) {
      for (Uuid e = before.apply(ownership.mine, t); e != null; e = before.apply(e, t)) {
        if (reads(e, effects)) {
          return true;
        }
      }
    }
    return false;
  }

  /** Asks for an entry, if it is not known. */
  boolean reads(Uuid entry, Effects effects) {
    if (value(entry) != null) {
      return false;
    }
    asked = entry;
    store.read(MetricConfig.entryKey(entry), effects);
    return true;
  }

  /** What was asked for. */
  void came(StoreClient.Event event) {
    read.put(asked, event.value());
  }

  /** Forgets the oldest of what is too much. */
  void shorten() {
    while (read.size() > MOST_KEPT) {
      read.pollFirstEntry();
    }
  }
}
