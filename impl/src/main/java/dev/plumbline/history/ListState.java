package dev.plumbline.history;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Lists in the witness checker's replay.
 *
 * <p>An indeterminate transaction without a timestamp whose append was seen is placed right before
 * the first transaction that needs it: one that read its value, or one whose own append stands
 * after it in the list. Everything that must precede it precedes that place too, if there is any
 * place at all, so the latest place is as good as every other.
 */
final class ListState implements WitnessChecker.State {
  private final Map<Object, Map<Long, ObservedTransaction>> writers;
  private final List<ObservedTransaction> placed;
  private final Map<Object, List<Long>> longest = new HashMap<>();
  private final Map<Object, List<Long>> lists = new HashMap<>();
  private final Map<Object, Map<Long, Integer>> positions = new HashMap<>();
  private final Set<ObservedTransaction> done = Collections.newSetFromMap(new IdentityHashMap<>());

  ListState(
      List<ObservedTransaction> all,
      Map<Object, Map<Long, ObservedTransaction>> writers,
      List<ObservedTransaction> placed) {
    this.writers = writers;
    this.placed = placed;
    for (ObservedTransaction transaction : all) {
      if (transaction.ok()) {
        for (ObservedMicroOp op : transaction.value()) {
          if (op instanceof ObservedMicroOp.Read read) {
            longest.merge(
                read.key(), read.list(), (one, two) -> one.size() >= two.size() ? one : two);
          }
        }
      }
    }
    longest.forEach(
        (key, list) -> {
          var places = new HashMap<Long, Integer>();
          for (int i = 0; i < list.size(); i++) {
            places.putIfAbsent(list.get(i), i);
          }
          positions.put(key, places);
        });
  }

  @Override
  public void prepare(ObservedTransaction transaction) {
    var own = new HashMap<Object, Integer>();
    for (ObservedMicroOp op : transaction.value()) {
      if (op instanceof ObservedMicroOp.Append append) {
        own.merge(append.key(), 1, Integer::sum);
        before(append);
      } else if (transaction.ok() && op instanceof ObservedMicroOp.Read read) {
        int visible = read.list().size() - own.getOrDefault(read.key(), 0);
        fill(read.key(), read.list(), visible);
      }
    }
  }

  /** Places what must stand before an append in its list. */
  private void before(ObservedMicroOp.Append append) {
    Integer end = positions.getOrDefault(append.key(), Map.of()).get(append.value());
    if (end != null) {
      fill(append.key(), longest.get(append.key()), end);
    }
  }

  /** Places unplaced transactions as long as they are what comes next in the list. */
  private void fill(Object key, List<Long> order, int end) {
    List<Long> list = lists.computeIfAbsent(key, k -> new ArrayList<>());
    while (list.size() < end) {
      ObservedTransaction writer = writers.getOrDefault(key, Map.of()).get(order.get(list.size()));
      if (writer == null || !writer.unknown() || writer.ts() != null || !done.add(writer)) {
        return;
      }
      for (ObservedMicroOp op : writer.value()) {
        if (op instanceof ObservedMicroOp.Append append) {
          before(append);
        }
      }
      placed.add(writer);
      for (ObservedMicroOp op : writer.value()) {
        if (op instanceof ObservedMicroOp.Append) {
          write(writer, op);
        }
      }
    }
  }

  @Override
  public boolean matches(ObservedMicroOp.Read read) {
    return lists.getOrDefault(read.key(), List.of()).equals(read.list());
  }

  @Override
  public void write(ObservedTransaction transaction, ObservedMicroOp write) {
    lists
        .computeIfAbsent(write.key(), key -> new ArrayList<>())
        .add(((ObservedMicroOp.Append) write).value());
  }

  @Override
  public Object expected(Object key) {
    return lists.getOrDefault(key, List.of());
  }

  @Override
  public boolean guessed(Object key) {
    return false;
  }

  @Override
  public boolean guessed(ObservedTransaction transaction) {
    return false;
  }

  @Override
  public boolean leftOut(ObservedTransaction transaction) {
    return false;
  }
}
