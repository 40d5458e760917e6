package dev.plumbline.engage.system;

import dev.plumbline.history.Guarantee;
import dev.plumbline.history.History;
import dev.plumbline.history.Judgement;
import dev.plumbline.history.Judgement.Anomaly;
import dev.plumbline.history.ObservedMicroOp;
import dev.plumbline.history.ObservedTransaction;
import dev.plumbline.history.Visit;
import dev.plumbline.protocol.HistoryChecker;
import dev.plumbline.protocol.Settings;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Counters, without a look at the places that writes claim. A counter is a key that one session
 * alone writes, with ever larger numbers and asking for monotonic writes, up to the first write of
 * which it knows no outcome. A session that asks for monotonic reads never sees one go back, its
 * owner that asks for read-your-writes sees its last number at least, and once everything has
 * settled every replica shows the last number, or the unknown one after it.
 */
final class CounterChecker implements HistoryChecker {

  /** What is known of a key that may be a counter. */
  private static final class Counter {
    final String owner;
    long asked;
    long acknowledged;
    boolean unknown;
    boolean none;

    Counter(String owner) {
      this.owner = owner;
    }

    void write(ObservedTransaction t, long value) {
      Visit visit = t.invoke().visit();
      none |=
          unknown
              || !visit.session().equals(owner)
              || !visit.asked().contains(Guarantee.MONOTONIC_WRITES)
              || value <= asked;
      asked = value;
      if (t.ok()) {
        acknowledged = value;
      } else {
        unknown = true;
      }
    }
  }

  @Override
  public String name() {
    return "counters";
  }

  @Override
  public Judgement check(History history, Settings settings) {
    List<ObservedTransaction> all =
        ObservedTransaction.of(history).stream()
            .filter(t -> t.completion() != null && !t.failed() && t.invoke().visit() != null)
            .toList();
    Map<Object, Counter> counters = counters(all);
    List<Anomaly> wrong = counters.isEmpty() ? List.of() : wrong(all, counters);
    return new Judgement(
        name(),
        "counters that never go back",
        counters.isEmpty()
            ? Judgement.Outcome.NOT_RUN
            : wrong.isEmpty() ? Judgement.Outcome.VALID : Judgement.Outcome.INVALID,
        counters.isEmpty() ? "no key is a counter" : counters.size() + " counters",
        wrong.stream().limit(Judgement.SHOWN).toList(),
        wrong.size());
  }

  private static Map<Object, Counter> counters(List<ObservedTransaction> all) {
    Map<Object, Counter> counters = new TreeMap<>();
    for (ObservedTransaction t : all) {
      if (t.value().get(0) instanceof ObservedMicroOp.Write w) {
        String owner = t.invoke().visit().session();
        counters.computeIfAbsent(w.key(), k -> new Counter(owner)).write(t, w.value());
      }
    }
    counters.values().removeIf(counter -> counter.none);
    return counters;
  }

  private static List<Anomaly> wrong(List<ObservedTransaction> all, Map<Object, Counter> counters) {
    List<Anomaly> wrong = new ArrayList<>();
    Map<List<Object>, ObservedTransaction> shown = new HashMap<>();
    Map<Object, ObservedTransaction> written = new HashMap<>();
    for (ObservedTransaction t : all) {
      ObservedMicroOp op = t.value().get(0);
      Counter counter = counters.get(op.key());
      Visit visit = t.invoke().visit();
      if (counter == null || !t.ok()) {
        continue;
      }
      if (op instanceof ObservedMicroOp.Write) {
        written.put(op.key(), t);
        continue;
      }
      if (visit.last()) {
        if (number(t) < counter.acknowledged || number(t) > counter.asked) {
          wrong.add(anomaly("settled", t, written.get(op.key()), "its last number"));
        }
        continue;
      }
      List<Object> seen = List.of(visit.session(), op.key());
      if (visit.asked().contains(Guarantee.MONOTONIC_READS)) {
        compare(wrong, "went back", t, shown.get(seen), "what its session was shown before");
      }
      if (visit.asked().contains(Guarantee.READ_YOUR_WRITES)
          && visit.session().equals(counter.owner)) {
        compare(wrong, "own number", t, written.get(op.key()), "its session's own number");
      }
      if (shown.get(seen) == null || number(t) > number(shown.get(seen))) {
        shown.put(seen, t);
      }
    }
    return wrong;
  }

  private static void compare(
      List<Anomaly> wrong,
      String kind,
      ObservedTransaction read,
      ObservedTransaction earlier,
      String what) {
    if (earlier != null && number(read) < number(earlier)) {
      wrong.add(anomaly(kind, read, earlier, what));
    }
  }

  private static Anomaly anomaly(
      String kind, ObservedTransaction read, ObservedTransaction earlier, String what) {
    List<Long> operations = new ArrayList<>();
    if (earlier != null) {
      operations.add(earlier.completion().index());
    }
    operations.add(read.completion().index());
    return new Anomaly(
        kind,
        "operation %d shows %d in counter %s at %s; %s is %d"
            .formatted(
                read.completion().index(),
                number(read),
                read.value().get(0).key(),
                read.invoke().visit().node(),
                what,
                earlier == null ? 0 : number(earlier)),
        operations);
  }

  /** The number that an operation wrote or was shown; 0 for a counter that was never written. */
  private static long number(ObservedTransaction t) {
    ObservedMicroOp op = t.value().get(0);
    Object value =
        op instanceof ObservedMicroOp.Write w ? w.value() : ((ObservedMicroOp.Read) op).result();
    return value == null ? 0 : (Long) value;
  }
}
