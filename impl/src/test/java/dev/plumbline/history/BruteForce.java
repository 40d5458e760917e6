package dev.plumbline.history;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Tries every order of a small history's transactions, with and without each indeterminate one. Up
 * to about seven transactions.
 */
final class BruteForce {
  private final List<ObservedTransaction> candidates;
  private final boolean claimedOrder;
  private final Model model;

  private BruteForce(List<ObservedTransaction> candidates, boolean claimedOrder, Model model) {
    this.candidates = candidates;
    this.claimedOrder = claimedOrder;
    this.model = model;
  }

  /**
   * Whether some serial order explains the history.
   *
   * @param claimedOrder only orders that agree with the claimed timestamps
   * @param model strict-serializable: only orders that agree with real time, snapshot reads
   *     excepted; strong-session-serializable: with that of each process; else serializable
   */
  static boolean explains(History history, boolean claimedOrder, Model model) {
    var transactions = ObservedTransaction.of(history).stream().filter(t -> !t.failed()).toList();
    return new BruteForce(transactions, claimedOrder, model)
        .extend(new ArrayList<>(), new HashMap<>());
  }

  private boolean extend(List<ObservedTransaction> order, Map<Object, Object> state) {
    if (candidates.stream().filter(ObservedTransaction::ok).allMatch(order::contains)) {
      return true;
    }
    for (ObservedTransaction next : candidates) {
      if (order.contains(next)
          || order.stream().anyMatch(earlier -> !mayPrecede(earlier, next))
          || (claimedOrder && splitsSnapshots(order, next))) {
        continue;
      }
      var after = new HashMap<>(state);
      if (apply(next, after)) {
        order.add(next);
        if (extend(order, after)) {
          return true;
        }
        order.remove(order.size() - 1);
      }
    }
    return false;
  }

  /** Whether something was written since another snapshot of the same timestamp: they are one. */
  private static boolean splitsSnapshots(
      List<ObservedTransaction> order, ObservedTransaction next) {
    boolean written = false;
    for (int i = order.size() - 1; next.snapshot() && i >= 0; i--) {
      ObservedTransaction earlier = order.get(i);
      if (written && earlier.snapshot() && earlier.at().equals(next.at())) {
        return true;
      }
      written |= !earlier.readOnly();
    }
    return false;
  }

  private boolean mayPrecede(ObservedTransaction first, ObservedTransaction second) {
    boolean bound =
        model.realTime()
            || (model.sessions() && first.invoke().process() == second.invoke().process());
    if (bound && !first.snapshot() && !second.snapshot() && second.before(first)) {
      return false;
    }
    if (!claimedOrder || place(first) == null || place(second) == null) {
      return true;
    }
    int order = place(first).compareTo(place(second));
    if (order == 0) {
      order = rank(first) - rank(second);
    }
    return order < 0 || (order == 0 && rank(first) > 0);
  }

  private static ClaimedTimestamp place(ObservedTransaction transaction) {
    return transaction.snapshot() ? transaction.at() : transaction.ts();
  }

  private static int rank(ObservedTransaction transaction) {
    return transaction.snapshot() ? 2 : transaction.readOnly() ? 1 : 0;
  }

  private static boolean apply(ObservedTransaction transaction, Map<Object, Object> state) {
    for (ObservedMicroOp op : transaction.value()) {
      if (op instanceof ObservedMicroOp.Append append) {
        var list = new ArrayList<Object>((List<?>) state.getOrDefault(op.key(), List.of()));
        list.add(append.value());
        state.put(op.key(), list);
      } else if (op instanceof ObservedMicroOp.Write write) {
        state.put(op.key(), write.value());
      } else if (op instanceof ObservedMicroOp.Read read && transaction.ok()) {
        Object now = state.get(op.key());
        Object shown =
            read.result() instanceof List<?> list && list.isEmpty() ? null : read.result();
        if (now == null ? shown != null : !now.equals(shown)) {
          return false;
        }
      }
    }
    return true;
  }
}
