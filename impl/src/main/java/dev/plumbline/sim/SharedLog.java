package dev.plumbline.sim;

import java.util.ArrayList;
import java.util.List;

/** A role's durable log in storage that outlives nodes, with the privilege to append fenced. */
final class SharedLog {
  private final List<Record> records = new ArrayList<>();
  private long epoch;

  /** Opens the log: refuses all appends of earlier openings. Returns the fencing epoch. */
  long open() {
    return ++epoch;
  }

  /** Appends all records, or none if the log was opened again since. */
  boolean append(long openedAs, List<Record> appended) {
    if (openedAs != epoch) {
      return false;
    }
    records.addAll(appended);
    return true;
  }

  List<Record> records() {
    return List.copyOf(records);
  }
}
