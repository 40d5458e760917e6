package dev.plumbline.metric;

import dev.plumbline.machine.Effects;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;

/** A local database in memory; what it keeps are records in its process's log. */
public class MemoryDatabase implements LocalDatabase {
  private static final long MOST_BYTES = 1 << 20;

  private final SortedMap<String, Table> tables = new TreeMap<>();
  private final SortedMap<String, SortedMap<Long, Redo>> answers = new TreeMap<>();
  private final List<Redo> queue = new ArrayList<>();
  private SortedMap<String, SortedMap<String, List<Long>>> open;
  private long bytes;

  private static final class Table {
    final SortedMap<String, List<Long>> rows = new TreeMap<>();
    RequestId writer = RequestId.NONE;
    Uuid entry;
    int length;

    void apply(Change change, RequestId by) {
      if (change.value().isEmpty()) {
        rows.remove(change.row());
      } else {
        rows.put(change.row(), change.value());
      }
      writer = by;
    }
  }

  private Table table(String name) {
    return tables.computeIfAbsent(name, n -> new Table());
  }

  /** Takes back what an earlier life of the process persisted. */
  void recall(Record record) {
    if (record instanceof MetricRecord.Committed committed) {
      committed(committed.redo());
    } else if (record instanceof MetricRecord.Cleared cleared) {
      cleared(cleared.entry(), cleared.length());
    } else if (record instanceof MetricRecord.Discarded) {
      discarded();
    } else if (record instanceof MetricRecord.Populated populated) {
      populated(populated);
    }
  }

  @Override
  public void begin() {
    open = new TreeMap<>();
    bytes = 0;
  }

  @Override
  public List<Long> execute(Statement statement) {
    SortedMap<String, List<Long>> changed = open.getOrDefault(statement.table(), new TreeMap<>());
    List<Long> before = changed.get(statement.row());
    if (before == null) {
      before = table(statement.table()).rows.getOrDefault(statement.row(), List.of());
    }
    List<Long> after = statement.after(before);
    // What it reads is told, and what it writes stands in the redo log as well.
    bytes += 2 * Redo.bytes(statement.row(), after);
    if (bytes > MOST_BYTES) {
      throw new Refused("a transaction reads and writes " + MOST_BYTES + " bytes at most");
    }
    if (statement.kind() != Statement.Kind.READ) {
      changed.put(statement.row(), after);
      open.put(statement.table(), changed);
    }
    return after;
  }

  @Override
  public boolean modified() {
    return open != null && !open.isEmpty();
  }

  @Override
  public void rollback() {
    open = null;
  }

  @Override
  public void commit(RequestId id, List<List<Long>> results, List<Long> place, Effects effects) {
    List<Change> changes = new ArrayList<>();
    open.forEach(
        (table, rows) -> rows.forEach((row, value) -> changes.add(new Change(table, row, value))));
    open = null;
    Redo redo = Redo.rows(id, changes, results, place);
    committed(redo);
    effects.persist(new MetricRecord.Committed(redo));
  }

  private void committed(Redo redo) {
    redo.changes().forEach(c -> table(c.table()).apply(c, redo.id()));
    queue.add(redo);
  }

  @Override
  public List<Redo> queue() {
    return List.copyOf(queue);
  }

  @Override
  public void clear(Uuid entry, int length, Effects effects) {
    cleared(entry, length);
    effects.persist(new MetricRecord.Cleared(entry, length));
  }

  private void cleared(Uuid entry, int length) {
    for (Redo redo : queue) {
      answer(redo);
      for (String name : redo.tables()) {
        Table table = table(name);
        table.entry = entry;
        table.length = length;
      }
    }
    queue.clear();
  }

  private void answer(Redo redo) {
    answers.computeIfAbsent(redo.id().client(), c -> new TreeMap<>()).put(redo.id().number(), redo);
  }

  @Override
  public void discard(long epoch, Effects effects) {
    if (!queue.isEmpty()) {
      discarded();
      effects.persist(new MetricRecord.Discarded(epoch));
    }
  }

  private void discarded() {
    SortedSet<String> changed = new TreeSet<>();
    queue.forEach(redo -> changed.addAll(redo.tables()));
    changed.forEach(name -> table(name).entry = null);
    queue.clear();
  }

  @Override
  public Optional<Position> position(String table) {
    Table t = table(table);
    boolean behind = queue.stream().anyMatch(redo -> redo.tables().contains(table));
    return t.entry == null || behind
        ? Optional.empty()
        : Optional.of(new Position(t.entry, t.length));
  }

  @Override
  public void populate(String table, boolean anew, List<Redo> redo, Position at, Effects effects) {
    MetricRecord.Populated record =
        new MetricRecord.Populated(table, anew, redo, at.entry(), at.length());
    populated(record);
    effects.persist(record);
  }

  private void populated(MetricRecord.Populated populated) {
    Table table = table(populated.table());
    if (populated.anew()) {
      table.rows.clear();
      table.writer = RequestId.NONE;
    }
    for (Redo redo : populated.redo()) {
      answer(redo);
      redo.changes().stream()
          .filter(c -> c.table().equals(populated.table()))
          .forEach(c -> table.apply(c, redo.id()));
    }
    table.entry = populated.entry();
    table.length = populated.length();
  }

  @Override
  public Optional<Redo> answered(RequestId id) {
    SortedMap<Long, Redo> of = answers.get(id.client());
    return of == null ? Optional.empty() : Optional.ofNullable(of.get(id.number()));
  }

  /** All rows of a table. */
  public SortedMap<String, List<Long>> rows(String table) {
    return new TreeMap<>(table(table).rows);
  }

  @Override
  public RequestId writer(String table) {
    return table(table).writer;
  }
}
