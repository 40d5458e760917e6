package dev.plumbline.dast.tpcc;

import dev.plumbline.dast.Piece;
import dev.plumbline.dast.Step;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.LongFunction;

/** The rows of one warehouse as a piece sees them, with its own writes. */
final class Rows {
  /** Marks a value as a list of numbers. */
  private static final long LIST = 1;

  private final LongFunction<List<Long>> store;
  private final Map<Long, List<Long>> writes = new LinkedHashMap<>();
  private final int warehouses;
  final int warehouse;

  Rows(LongFunction<List<Long>> store, long anyKey, int warehouses) {
    this.store = store;
    this.warehouses = warehouses;
    warehouse = Table.warehouse(anyKey, warehouses);
  }

  /** There is something else under the key of a row. */
  static final class NoRow extends RuntimeException {
    private static final long serialVersionUID = 1L;

    NoRow(String what) {
      super(what, null, false, false);
    }
  }

  /**
   * A copy of a row's columns.
   *
   * @throws NoRow if there is something else under its key
   */
  List<Long> get(Table table, long id) {
    long key = table.key(warehouse, warehouses, id);
    List<Long> value = writes.getOrDefault(key, store.apply(key));
    List<Long> columns = value.isEmpty() ? table.initial() : value.subList(1, value.size());
    if (!value.isEmpty() && value.get(0) != LIST || !table.holds(columns)) {
      throw new NoRow(table + " " + id);
    }
    return new ArrayList<>(columns);
  }

  void put(Table table, long id, List<Long> columns) {
    List<Long> value = new ArrayList<>(List.of(LIST));
    value.addAll(columns);
    writes.put(table.key(warehouse, warehouses, id), List.copyOf(value));
  }

  /** Adds to a column and returns the row. */
  List<Long> add(Table table, long id, int column, long more) {
    List<Long> row = get(table, id);
    row.set(column, row.get(column) + more);
    put(table, id, row);
    return row;
  }

  /** The piece's effect; what it found goes to its first step. */
  Piece.Effect done(List<Step> steps, List<Long> found, Map<String, Long> outputs) {
    List<Long> first = new ArrayList<>(List.of(LIST));
    first.addAll(found);
    List<List<Long>> seen = new ArrayList<>(Collections.nCopies(steps.size(), List.of()));
    seen.set(0, List.copyOf(first));
    return new Piece.Effect(true, seen, writes, outputs);
  }
}
