package dev.plumbline.history;

import dev.plumbline.history.Judgement.Anomaly;
import dev.plumbline.history.Judgement.Outcome;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * Judges a history by the serial order that the system claims: replays the transactions in that
 * order from the empty state and compares every read.
 *
 * <p>The order is by {@code ts}; at equal timestamps the read-write transaction stands before the
 * read-only ones, and a snapshot read stands after everything up to and including the timestamp it
 * asked for; those at one timestamp must see the same. Two read-write transactions at one timestamp
 * are an anomaly.
 *
 * <dl>
 *   <dt>valid
 *   <dd>a proof: the claimed order is a serial order that explains every result, and (strict) that
 *       respects real time except for snapshot reads.
 *   <dt>invalid
 *   <dd>the claimed order is wrong. Another order may still explain the history; that is for the
 *       black-box checkers.
 *   <dt>unknown
 *   <dd>a completed transaction claims no place, or an indeterminate one matters and its place
 *       cannot be told.
 * </dl>
 *
 * <p>An indeterminate transaction that nobody saw is left out, which never hides anything: no read
 * depends on it. One that was seen stands at its {@code ts}; without {@code ts} it is placed as
 * late as the reads allow. For lists that choice is the best there is, for registers it is a guess,
 * so that a mismatch on a key that it wrote is unknown rather than invalid. In a bank values
 * repeat, and whether an indeterminate transfer happened is told from the balances read next.
 *
 * <p>Cost: one sort, then time linear in the size of the history.
 */
public final class WitnessChecker {
  private final Model model;
  private final DataModel workload;
  private final List<ObservedTransaction> all;
  private final State state;
  private final Map<Object, Map<Long, ObservedTransaction>> writers = new HashMap<>();
  private final Set<ObservedTransaction> seen = Collections.newSetFromMap(new IdentityHashMap<>());
  private final List<ObservedTransaction> placed = new ArrayList<>();
  private final TreeMap<Long, Anomaly> anomalies = new TreeMap<>();
  private final Set<Object> unplacedKeys = new HashSet<>();
  private final Set<Long> objected = new HashSet<>();
  private String doubt = "";

  /** What the transactions wrote so far in the replay, and how reads compare with it. */
  interface State {
    /** Makes room for what a transaction needs before it, such as unplaced transactions it saw. */
    void prepare(ObservedTransaction transaction);

    /** What a read shows at this point. */
    boolean matches(ObservedMicroOp.Read read);

    /** Performs a write of a transaction. */
    void write(ObservedTransaction transaction, ObservedMicroOp write);

    /** What the key holds, for messages. */
    Object expected(Object key);

    /** Whether a mismatch at this key may be due to a guess. */
    boolean guessed(Object key);

    /** Whether the place of this transaction was guessed. */
    boolean guessed(ObservedTransaction transaction);

    /** Whether this indeterminate transaction need not have happened after all. */
    boolean leftOut(ObservedTransaction transaction);
  }

  private WitnessChecker(History history, DataModel workload, Model model) {
    this.model = model;
    this.workload = workload;
    this.all = ObservedTransaction.of(history);
    this.state =
        workload == DataModel.LIST_APPEND
            ? new ListState(all, writers, placed)
            : new RegisterState(writers, placed, workload == DataModel.BANK);
  }

  /**
   * Judges a history that {@link HistoryValidator} accepted.
   *
   * @param model strict-serializable, serializable or snapshot-reads; a valid serializable order is
   *     also accepted as proof of a weaker model, a wrong one then proves nothing
   */
  public static Judgement check(History history, DataModel workload, Model model) {
    return new WitnessChecker(history, workload, model).run();
  }

  private Judgement run() {
    String subject = model.word() + ", in the claimed order";
    if (all.stream().noneMatch(t -> t.ts() != null || t.snapshot())) {
      return Judgement.notRun("witness", subject, "the history claims no serial order (ts)");
    }
    if (model == Model.SNAPSHOT_READS && all.stream().noneMatch(t -> t.snapshot() && t.ok())) {
      return Judgement.notRun("witness", subject, "no snapshot read completed");
    }
    index();
    List<ObservedTransaction> order = order();
    for (int i = 0; i < order.size(); i++) {
      prepareSnapshots(order, i);
      replay(order.get(i));
    }
    sharedPlaces(order);
    if (model.realTime()) {
      realTime(false);
    } else if (model.sessions()) {
      realTime(true);
    }
    Outcome outcome = Outcome.VALID;
    if (!objected.isEmpty()) {
      outcome = Outcome.INVALID;
    } else if (!doubt.isEmpty()) {
      outcome = Outcome.UNKNOWN;
    }
    boolean weaker = model.ordinal() > Model.STRONG_SESSION_SERIALIZABLE.ordinal();
    if (outcome == Outcome.INVALID && weaker && model != Model.SNAPSHOT_READS) {
      outcome = Outcome.UNKNOWN;
      doubt = "the claimed order is not a serial order, which " + model.word() + " does not ask";
    }
    return new Judgement(
        "witness",
        subject,
        outcome,
        doubt,
        anomalies.values().stream().limit(Judgement.SHOWN).toList(),
        objected.size());
  }

  /** Who wrote what, and which writes were seen by a completed transaction. */
  private void index() {
    for (ObservedTransaction transaction : all) {
      for (ObservedMicroOp op : transaction.value()) {
        Long value = written(op);
        if (value != null) {
          writers.computeIfAbsent(op.key(), key -> new HashMap<>()).put(value, transaction);
        }
      }
    }
    if (workload == DataModel.BANK) {
      return;
    }
    for (ObservedTransaction reader : all) {
      if (reader.ok()) {
        for (ObservedMicroOp op : reader.value()) {
          if (op instanceof ObservedMicroOp.Read read && read.result() != null) {
            saw(reader, read);
          }
        }
      }
    }
  }

  private void saw(ObservedTransaction reader, ObservedMicroOp.Read read) {
    Map<Long, ObservedTransaction> known = writers.getOrDefault(read.key(), Map.of());
    for (Long value : values(read)) {
      ObservedTransaction writer = known.get(value);
      if (writer != null && writer.failed() && counts(reader)) {
        object(
            "aborted read",
            describe(reader)
                + " read key "
                + OpFields.edn(read.key())
                + " as "
                + brief(read.result())
                + ", but "
                + value
                + " was written by "
                + describe(writer)
                + ", which failed",
            List.of(reader, writer));
      } else if (writer != null && writer.unknown()) {
        seen.add(writer);
      }
    }
  }

  static List<Long> values(ObservedMicroOp.Read read) {
    return read.result() instanceof Long single ? List.of(single) : read.list();
  }

  static Long written(ObservedMicroOp op) {
    if (op instanceof ObservedMicroOp.Append append) {
      return append.value();
    }
    return op instanceof ObservedMicroOp.Write write ? write.value() : null;
  }

  /** The transactions with a place, in the claimed order. */
  private List<ObservedTransaction> order() {
    var order = new ArrayList<ObservedTransaction>();
    for (ObservedTransaction transaction : all) {
      boolean mayCount =
          transaction.unknown()
              && !transaction.readOnly()
              && (workload == DataModel.BANK || seen.contains(transaction));
      if (transaction.ok() && place(transaction) == null) {
        if (!transaction.readOnly() || counts(transaction)) {
          doubt(describe(transaction) + " completed but claims no place in the serial order (ts)");
        }
        for (ObservedMicroOp op : transaction.value()) {
          if (written(op) != null) {
            unplacedKeys.add(op.key());
          }
        }
        if (state instanceof RegisterState registers) {
          registers.unplaceable(transaction);
        }
      } else if ((transaction.ok() || mayCount) && place(transaction) != null) {
        order.add(transaction);
      } else if (mayCount && state instanceof RegisterState registers) {
        registers.unplaceable(transaction);
      }
    }
    order.sort(
        Comparator.comparing(WitnessChecker::place)
            .thenComparing(t -> t.snapshot() ? 2 : t.readOnly() ? 1 : 0)
            .thenComparing(t -> t.invoke().index()));
    return order;
  }

  /** Two that write claim one place; asked after the replay, which tells what took effect. */
  private void sharedPlaces(List<ObservedTransaction> order) {
    ObservedTransaction first = null;
    for (ObservedTransaction second : order) {
      if (second.readOnly() || !counts(second) || state.leftOut(second)) {
        continue;
      }
      if (first != null && place(first).equals(place(second))) {
        String text =
            describe(first) + " and " + describe(second) + " both write and claim the same place";
        if (state.guessed(first) || state.guessed(second)) {
          doubt(text + "; whether both took effect is a guess");
        } else {
          object("shared place", text, List.of(first, second));
        }
      }
      first = second;
    }
  }

  private static ClaimedTimestamp place(ObservedTransaction transaction) {
    return transaction.snapshot() ? transaction.at() : transaction.ts();
  }

  /** Whether an objection to this transaction is one to the model. */
  private boolean counts(ObservedTransaction transaction) {
    return model != Model.SNAPSHOT_READS || transaction.snapshot();
  }

  /**
   * At the first of several snapshot reads at one timestamp: makes room for what any of them saw.
   * They read one state, so nothing may come between them.
   */
  private void prepareSnapshots(List<ObservedTransaction> order, int first) {
    ObservedTransaction snapshot = order.get(first);
    boolean begins =
        snapshot.snapshot()
            && (first == 0
                || !order.get(first - 1).snapshot()
                || !place(order.get(first - 1)).equals(place(snapshot)));
    for (int i = first;
        begins && i < order.size() && place(order.get(i)).equals(place(snapshot));
        i++) {
      state.prepare(order.get(i));
    }
  }

  private void replay(ObservedTransaction transaction) {
    state.prepare(transaction);
    if (!transaction.snapshot()) {
      placed.add(transaction);
    }
    for (ObservedMicroOp op : transaction.value()) {
      if (!(op instanceof ObservedMicroOp.Read read)) {
        state.write(transaction, op);
      } else if (transaction.ok() && !state.matches(read)) {
        mismatch(transaction, read);
      }
    }
  }

  private void mismatch(ObservedTransaction reader, ObservedMicroOp.Read read) {
    if (!counts(reader)) {
      return;
    }
    Object expected = state.expected(read.key());
    String text =
        describe(reader)
            + " read key "
            + OpFields.edn(read.key())
            + " as "
            + brief(read.result())
            + ", but at its place in the claimed order the key holds "
            + brief(expected);
    if (state.guessed(read.key()) || unplacedKeys.contains(read.key())) {
      doubt(text + "; a transaction whose place is not known wrote this key");
      return;
    }
    var concerned = new ArrayList<ObservedTransaction>(List.of(reader));
    Map<Long, ObservedTransaction> known = writers.getOrDefault(read.key(), Map.of());
    Long culprit = firstDifference(read, expected);
    if (culprit != null && known.containsKey(culprit) && workload != DataModel.BANK) {
      ObservedTransaction writer = known.get(culprit);
      concerned.add(writer);
      text += " (" + culprit + " was written by " + describe(writer) + ")";
    }
    object(kind(reader, read, expected), text, concerned);
  }

  private static Long firstDifference(ObservedMicroOp.Read read, Object expected) {
    if (!(expected instanceof List<?> state)) {
      return read.result() != null ? (Long) read.result() : (Long) expected;
    }
    List<Long> found = read.list();
    for (int i = 0; i < Math.max(found.size(), state.size()); i++) {
      if (i >= found.size()) {
        return (Long) state.get(i);
      }
      if (i >= state.size() || !found.get(i).equals(state.get(i))) {
        return found.get(i);
      }
    }
    return null;
  }

  private static String kind(
      ObservedTransaction reader, ObservedMicroOp.Read read, Object expected) {
    if (reader.snapshot()) {
      return "wrong snapshot";
    }
    if (expected instanceof List<?> state) {
      List<Long> found = read.list();
      if (found.size() < state.size() && state.subList(0, found.size()).equals(found)) {
        return "stale read";
      }
      if (found.size() > state.size() && found.subList(0, state.size()).equals(state)) {
        return "read of what is not there yet";
      }
    }
    return "wrong read";
  }

  /**
   * Objects where the order puts a transaction before one that had ended when it began.
   *
   * @param sessions compare only transactions of one process
   */
  private void realTime(boolean sessions) {
    var earliest = new HashMap<Long, ObservedTransaction>();
    for (int i = placed.size() - 1; i >= 0; i--) {
      ObservedTransaction transaction = placed.get(i);
      if (state.leftOut(transaction)) {
        continue;
      }
      long group = sessions ? transaction.invoke().process() : 0;
      ObservedTransaction later = earliest.get(group);
      if (later != null && later.before(transaction)) {
        String text =
            describe(later)
                + " had ended before "
                + describe(transaction)
                + " began, but the claimed order puts it after";
        if (state.guessed(transaction)) {
          doubt(text + "; the place is a guess");
        } else {
          object("real-time inversion", text, List.of(transaction, later));
        }
      }
      if (!transaction.unknown()
          && (later == null || transaction.completion().index() < later.completion().index())) {
        earliest.put(group, transaction);
      }
    }
  }

  private void doubt(String reason) {
    if (doubt.isEmpty()) {
      doubt = reason;
    }
  }

  private void object(String kind, String text, List<ObservedTransaction> concerned) {
    objected.add(concerned.get(0).completion().index());
    var operations = new LinkedHashSet<Long>();
    concerned.forEach(transaction -> operations.add(transaction.completion().index()));
    anomalies.putIfAbsent(
        concerned.get(0).completion().index(), new Anomaly(kind, text, List.copyOf(operations)));
    if (anomalies.size() > Judgement.SHOWN) {
      anomalies.pollLastEntry();
    }
  }

  private static String describe(ObservedTransaction transaction) {
    Op op = transaction.completion();
    String place =
        place(transaction) == null
            ? ""
            : (transaction.snapshot() ? ", snapshot at " : ", ts ") + place(transaction);
    return "operation " + op.index() + " (process " + op.process() + place + ")";
  }

  /** A value in a message; of a long list the end, where the differences are. */
  private static String brief(Object value) {
    if (value instanceof List<?> list && list.size() > 12) {
      return "["
          + (list.size() - 10)
          + " more … "
          + OpFields.edn(list.subList(list.size() - 10, list.size())).substring(1);
    }
    return OpFields.edn(value);
  }
}
