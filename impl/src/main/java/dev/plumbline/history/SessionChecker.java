package dev.plumbline.history;

import dev.plumbline.history.Judgement.Anomaly;
import dev.plumbline.history.Judgement.Outcome;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;

/**
 * Which session guarantees a history of registers keeps, for each client, in time that grows with
 * the history's length times the number of keys, or of sessions with a read that lacks something of
 * its causal past, at worst.
 *
 * <p>Every write says its place in the order of writes ({@code :ts}); a read <em>shows</em> a write
 * if it returns its value or one with a later place. The definitions are those of the specification
 * module SessionHistory: a read that asks for read-your-writes (monotonic reads) shows what its
 * session wrote (was shown) before. A write that asks for monotonic writes (writes follow reads) is
 * shown to nobody without what its session wrote (was shown) before it: whoever reads it, and
 * afterwards another key at the same replica, is shown that too, and writes of one key have places
 * in that order. Causal: a read that asks for all four shows every write in its session's causal
 * past, asked for or not. Reads marked {@code :last} of one key must agree (convergence) and show
 * every write of it that was acknowledged or shown (no loss). Whatever was asked, a read returns no
 * write that failed or began after the read had ended, and no two writes of a key claim one place
 * (values and places).
 *
 * <p>Unknown writes bind nobody until they are shown. One without a place that was shown says that
 * its key is not empty, and is compared with no other write.
 */
public final class SessionChecker {
  private static final String CAUSAL = "causal";
  private static final String CONVERGENCE = "convergence";
  private static final String LOSS = "no loss";
  private static final String VALUES = "values and places";
  private static final String VISIBLE = "visible in causal order";

  /** With more keys than so many times the sessions it is quicker to look at each session. */
  private static final int KEYS_A_SESSION = 100;

  /** What is judged, in the order of the judgements. */
  public static final List<String> SUBJECTS =
      List.of(
          name(Guarantee.READ_YOUR_WRITES),
          name(Guarantee.MONOTONIC_READS),
          name(Guarantee.WRITES_FOLLOW_READS),
          name(Guarantee.MONOTONIC_WRITES),
          CAUSAL,
          CONVERGENCE,
          LOSS,
          VALUES);

  /** An operation of a session with what its invocation and completion say. */
  private record Operation(ObservedTransaction transaction, Visit visit, ObservedMicroOp micro) {
    long index() {
      return transaction.completion().index();
    }

    boolean asks(Guarantee guarantee) {
      return visit.asked().contains(guarantee);
    }
  }

  /**
   * A write. {@code rank} is its place among all, -1 if it has none; {@code written} and {@code
   * shown} are how many writes its session had made and been shown when it asked for it.
   */
  private static final class Update {
    final int number;
    final Operation operation;
    final Session session;
    final int key;
    final ClaimedTimestamp place;
    int rank = -1;
    int written;
    int shown;

    Update(int number, Operation operation, Session session, int key) {
      this.number = number;
      this.operation = operation;
      this.session = session;
      this.key = key;
      this.place = operation.transaction.completion().ts();
    }
  }

  /** Entries by number, all of which can be forgotten at once. */
  private static final class Entries<T> {
    private final List<T> entries;
    private final int[] rounds;
    private int round = 1;

    Entries(int size) {
      entries = new ArrayList<>(Collections.nCopies(size, null));
      rounds = new int[size];
    }

    T get(int number) {
      return rounds[number] == round ? entries.get(number) : null;
    }

    void put(int number, T entry) {
      entries.set(number, entry);
      rounds[number] = round;
    }

    void forget() {
      round++;
    }
  }

  /** For each key the write with the last place of those added, and on whose account it was. */
  private final class Newest {
    private final Entries<Update> updates = new Entries<>(keys.size());
    private final Entries<Update> because = new Entries<>(keys.size());

    void add(Update u, Update on) {
      Update known = updates.get(u.key);
      if (known == null || u.rank > known.rank) {
        updates.put(u.key, u);
        because.put(u.key, on);
      }
    }

    void forget() {
      updates.forget();
      because.forget();
    }
  }

  /** A client's session: what it did, wrote and was shown, in order, and its reads at each node. */
  private static final class Session {
    final int number;
    final List<Operation> operations = new ArrayList<>();
    final List<Update> writes = new ArrayList<>();
    final List<Update> reads = new ArrayList<>();
    final Map<String, List<Operation>> looks = new LinkedHashMap<>();

    Session(int number) {
      this.number = number;
    }
  }

  /** How much of what each session wrote, or was shown, has been taken. */
  private final class Taken {
    private final int[] counts = new int[sessions.size()];
    private final int[] rounds = new int[sessions.size()];
    private int round = 1;

    /** Takes so much of a session's list, and says how much of it was taken before. */
    int take(Session s, int length) {
      int before = rounds[s.number] == round ? counts[s.number] : 0;
      counts[s.number] = Math.max(before, length);
      rounds[s.number] = round;
      return before;
    }

    void forget() {
      round++;
    }
  }

  /**
   * The causal past of a session: of each of many most of a history, so each step has to cost
   * little.
   */
  private final class Past {
    private final int[] seen = new int[written];
    private final ArrayDeque<Update> open = new ArrayDeque<>();
    private final Taken writes = new Taken();
    private final Taken reads = new Taken();
    private final Newest newest = new Newest();
    private int round = 1;

    void add(Update update) {
      see(update);
      while (!open.isEmpty()) {
        Update next = open.pop();
        newest.add(next, next);
        Session s = next.session;
        for (int i = writes.take(s, next.written); i < next.written; i++) {
          see(s.writes.get(i));
        }
        for (int i = reads.take(s, next.shown); i < next.shown; i++) {
          see(s.reads.get(i));
        }
      }
    }

    private void see(Update update) {
      if (seen[update.number] != round) {
        seen[update.number] = round;
        open.push(update);
      }
    }

    void forget() {
      round++;
      writes.forget();
      reads.forget();
      newest.forget();
    }
  }

  /** What a session was shown at one replica obliges that replica to show it. */
  private final class Looks {
    private final Taken writes = new Taken();
    private final Taken reads = new Taken();
    private final Newest byWrites = new Newest();
    private final Newest byReads = new Newest();

    void add(Update shown) {
      Session s = shown.session;
      if (shown.operation.asks(Guarantee.MONOTONIC_WRITES)) {
        for (int i = writes.take(s, shown.written); i < shown.written; i++) {
          byWrites.add(s.writes.get(i), shown);
        }
      }
      if (shown.operation.asks(Guarantee.WRITES_FOLLOW_READS)) {
        for (int i = reads.take(s, shown.shown); i < shown.shown; i++) {
          byReads.add(s.reads.get(i), shown);
        }
      }
    }

    void forget() {
      writes.forget();
      reads.forget();
      byWrites.forget();
      byReads.forget();
    }
  }

  private final Map<String, Session> sessions = new LinkedHashMap<>();
  private final Map<Object, Integer> keys = new HashMap<>();
  private final Map<Object, Map<Long, Update>> updates = new HashMap<>();
  private final Map<String, List<Anomaly>> found = new LinkedHashMap<>();
  private final Map<String, Long> counts = new HashMap<>();
  private final Map<String, Boolean> asked = new LinkedHashMap<>();
  private final List<Operation> operations = new ArrayList<>();
  private final Map<ObservedMicroOp, Long> failed = new HashMap<>();
  private String doubt = "";
  private int written;

  private SessionChecker(History history, Set<Guarantee> always) {
    for (ObservedTransaction t : ObservedTransaction.of(history)) {
      Visit visit = t.invoke().visit();
      if (visit != null && t.failed()) {
        failed.put(t.value().get(0), t.completion().index());
      } else if (visit != null) {
        Set<Guarantee> guarantees = always == null ? visit.asked() : always;
        operations.add(
            new Operation(
                t,
                new Visit(visit.session(), visit.node(), guarantees, visit.last()),
                t.value().get(0)));
      }
    }
  }

  /**
   * Judges a validated history of registers.
   *
   * @param model {@link Model#SESSION_GUARANTEES} for what each operation asked for; {@link
   *     Model#CAUSAL} as if each asked for all
   * @return one judgement for each guarantee, for causal consistency, convergence and no loss
   */
  public static List<Judgement> check(History history, Model model) {
    var checker = new SessionChecker(history, model == Model.CAUSAL ? Guarantee.all() : null);
    checker.run();
    return checker.judgements();
  }

  /**
   * Judges whether writes become visible in an order that keeps causality, asked for or not
   * (SessionHistory's CausallyVisible). Of one key a write's place is behind those of its causal
   * past. Whoever reads it at a replica that did not make it, and afterwards another key there, is
   * shown of that key what lies in the write's causal past. No model but a protocol that promises
   * it asks for this.
   */
  public static Judgement visible(History history) {
    var checker = new SessionChecker(history, null);
    checker.begin(VISIBLE);
    checker.order();
    if (checker.doubt.isEmpty()) {
      checker.learn();
      checker.judgeVisible();
    }
    return checker.judgements().get(0);
  }

  private void run() {
    SUBJECTS.forEach(this::begin);
    List<Update> placed = order();
    values();
    shared(placed);
    if (doubt.isEmpty()) {
      learn();
      judge();
      last();
    } else {
      empty();
    }
    asked.put(VALUES, asked.containsValue(true));
  }

  /** The writes that say their place, in its order. */
  private List<Update> order() {
    List<Update> placed = new ArrayList<>();
    for (Operation o : operations) {
      Session s = sessions.computeIfAbsent(o.visit.session(), n -> new Session(sessions.size()));
      int key = keys.computeIfAbsent(o.micro.key(), k -> keys.size());
      if (o.micro instanceof ObservedMicroOp.Write w) {
        Update update = new Update(written++, o, s, key);
        updates.computeIfAbsent(w.key(), k -> new HashMap<>()).put(w.value(), update);
        if (update.place != null) {
          placed.add(update);
        } else if (o.transaction.ok()) {
          doubt = "the write of operation " + o.index() + " claims no place (ts)";
        }
      }
    }
    placed.sort(Comparator.comparing(u -> u.place));
    Update before = null;
    for (Update u : placed) {
      boolean shared = before != null && before.place.equals(u.place);
      u.rank = before == null ? 0 : shared ? before.rank : before.rank + 1;
      before = u;
    }
    return placed;
  }

  /** A read returns what somebody had begun to write, and what did not fail. */
  private void values() {
    for (Operation o : operations) {
      if (!o.transaction.ok()
          || !(o.micro instanceof ObservedMicroOp.Read read)
          || read.result() == null) {
        continue;
      }
      String reads = "operation %d reads %s, ".formatted(o.index(), OpFields.edn(read));
      Update source = update(o);
      if (source == null) {
        Long write = failed.get(new ObservedMicroOp.Write(read.key(), (Long) read.result()));
        String who = write == null ? "nobody wrote" : "operation " + write + " failed to write";
        report(VALUES, reads + "which " + who, o);
      } else if (o.transaction.before(source.operation.transaction)) {
        report(
            VALUES,
            reads + "which operation %d begins to write later".formatted(source.operation.index()),
            o,
            source.operation);
      }
    }
  }

  /** Whatever the order of updates, a key is not empty for who wrote it or saw it written. */
  private void empty() {
    Map<List<Object>, Operation> wrote = new HashMap<>();
    Map<List<Object>, Operation> saw = new HashMap<>();
    for (Operation o : operations) {
      List<Object> where = List.of(o.visit.session(), o.micro.key());
      if (!o.transaction.ok()) {
        continue;
      } else if (o.micro instanceof ObservedMicroOp.Write) {
        wrote.putIfAbsent(where, o);
      } else if (update(o) != null) {
        saw.putIfAbsent(where, o);
      } else if (((ObservedMicroOp.Read) o.micro).result() == null) {
        empty(Guarantee.READ_YOUR_WRITES, o, wrote.get(where), "wrote");
        empty(Guarantee.MONOTONIC_READS, o, saw.get(where), "read");
      }
    }
  }

  private void empty(Guarantee guarantee, Operation read, Operation before, String did) {
    if (before != null && read.asks(guarantee)) {
      String text =
          "operation %d reads nothing of %s, which operation %d of its session %s before"
              .formatted(read.index(), OpFields.edn(read.micro.key()), before.index(), did);
      report(name(guarantee), text, before, read);
    }
  }

  private void shared(List<Update> placed) {
    Map<Integer, Update> before = new HashMap<>();
    for (Update u : placed) {
      Update other = before.put(u.key, u);
      if (other != null && other.place.equals(u.place)) {
        report(
            VALUES,
            "operations %d and %d write key %s at the same place %s"
                .formatted(
                    other.operation.index(),
                    u.operation.index(),
                    OpFields.edn(u.operation.micro.key()),
                    u.place),
            other.operation,
            u.operation);
      }
    }
  }

  /** First what every session learnt, since a read may show what a slower client wrote. */
  private void learn() {
    for (Operation o : operations) {
      Session s = sessions.get(o.visit.session());
      Update update = update(o);
      boolean write = o.micro instanceof ObservedMicroOp.Write;
      if (write) {
        update.written = s.writes.size();
        update.shown = s.reads.size();
      }
      if (o.transaction.ok()) {
        s.operations.add(o);
        if (!write) {
          s.looks.computeIfAbsent(o.visit.node(), n -> new ArrayList<>()).add(o);
        }
        if (update != null) {
          (write ? s.writes : s.reads).add(update);
        }
      }
    }
  }

  /** The write that an operation made or was shown; null for a key never written. */
  private Update update(Operation o) {
    Object value =
        o.micro instanceof ObservedMicroOp.Write w
            ? w.value()
            : ((ObservedMicroOp.Read) o.micro).result();
    return value == null ? null : updates.getOrDefault(o.micro.key(), Map.of()).get((Long) value);
  }

  /** The sessions whose causal past has to be looked at, by number. */
  private boolean[] suspects() {
    var all = new boolean[sessions.size()];
    Arrays.fill(all, true);
    if (keys.isEmpty() || keys.size() / KEYS_A_SESSION > sessions.size()) {
      return all;
    }
    List<CausalScreen.Step> steps = new ArrayList<>();
    for (Operation o : operations) {
      Update update = update(o);
      if (o.micro instanceof ObservedMicroOp.Write) {
        steps.add(step(o.transaction.invoke(), CausalScreen.Kind.ASKS, o, update));
        if (o.transaction.ok()) {
          steps.add(step(o.transaction.completion(), CausalScreen.Kind.WROTE, o, update));
        }
      } else if (o.transaction.ok()) {
        if (update != null && o.transaction.before(update.operation.transaction)) {
          return all;
        }
        steps.add(step(o.transaction.completion(), CausalScreen.Kind.READ, o, update));
      }
    }
    return CausalScreen.suspects(steps, sessions.size(), keys.size(), written);
  }

  private CausalScreen.Step step(Op at, CausalScreen.Kind kind, Operation o, Update update) {
    return new CausalScreen.Step(
        at.index(),
        kind,
        sessions.get(o.visit.session()).number,
        keys.get(o.micro.key()),
        update == null ? -1 : update.number,
        update == null ? -1 : update.rank,
        kind == CausalScreen.Kind.READ && o.visit.asked().containsAll(Guarantee.all()));
  }

  /** One session after the other, with room for one. */
  private void judge() {
    boolean[] suspects = suspects();
    Newest wrote = new Newest();
    Newest shown = new Newest();
    Past past = new Past();
    Looks looks = new Looks();
    for (Session s : sessions.values()) {
      for (Operation o : s.operations) {
        Update update = update(o);
        if (o.micro instanceof ObservedMicroOp.Write) {
          place(o, wrote, update, Guarantee.MONOTONIC_WRITES, "it wrote");
          place(o, shown, update, Guarantee.WRITES_FOLLOW_READS, "it was shown");
          wrote.add(update, update);
        } else {
          judgeRead(o, wrote, shown, past, update);
          if (update != null) {
            shown.add(update, update);
          }
        }
        if (update != null && suspects[s.number]) {
          past.add(update);
        }
      }
      wrote.forget();
      shown.forget();
      past.forget();
      for (List<Operation> here : s.looks.values()) {
        here.forEach(read -> look(read, looks));
        looks.forget();
      }
    }
  }

  /** As {@link #judge}, whatever was asked. */
  private void judgeVisible() {
    Past past = new Past();
    for (Session s : sessions.values()) {
      for (Operation o : s.operations) {
        Update update = update(o);
        if (o.micro instanceof ObservedMicroOp.Write) {
          place(o, past.newest, update, VISIBLE, "has in its causal past");
        }
        if (update != null) {
          past.add(update);
        }
      }
      past.forget();
      for (List<Operation> here : s.looks.values()) {
        for (Operation read : here) {
          Update shown = update(read);
          if (shown != null && !shown.operation.visit.node().equals(read.visit.node())) {
            past.add(shown);
          }
          missing(
              VISIBLE,
              read,
              past.newest,
              shown,
              "is owed there, in the causal past of what it was shown from elsewhere");
        }
        past.forget();
      }
    }
  }

  /** Writes of one key stand in the order that a guarantee asks for. */
  private void place(Operation o, Newest before, Update update, Guarantee g, String how) {
    if (o.asks(g)) {
      place(o, before, update, name(g), how);
    }
  }

  private void place(Operation o, Newest before, Update update, String subject, String how) {
    asked.put(subject, true);
    Update earlier = before.updates.get(update.key);
    if (earlier != null && earlier.rank > update.rank) {
      report(
          subject,
          "session %s: the write of operation %d has place %s, before that of operation %d, which %s earlier (%s)"
              .formatted(
                  o.visit.session(),
                  o.index(),
                  update.place,
                  earlier.operation.index(),
                  how,
                  earlier.place),
          earlier.operation,
          o);
    }
  }

  private void judgeRead(Operation o, Newest wrote, Newest before, Past past, Update shown) {
    if (o.asks(Guarantee.READ_YOUR_WRITES)) {
      missing(name(Guarantee.READ_YOUR_WRITES), o, wrote, shown, "wrote before");
    }
    if (o.asks(Guarantee.MONOTONIC_READS)) {
      missing(name(Guarantee.MONOTONIC_READS), o, before, shown, "was shown before");
    }
    if (o.visit.asked().containsAll(Guarantee.all())) {
      missing(CAUSAL, o, past.newest, shown, "has in its causal past");
    }
  }

  private void look(Operation o, Looks looks) {
    Update shown = update(o);
    if (shown != null) {
      looks.add(shown);
    }
    owed(Guarantee.MONOTONIC_WRITES, o, looks.byWrites, shown);
    owed(Guarantee.WRITES_FOLLOW_READS, o, looks.byReads, shown);
  }

  private void owed(Guarantee g, Operation o, Newest owed, Update shown) {
    int key = keys.get(o.micro.key());
    if (lacks(owed.updates.get(key), shown)) {
      Update because = owed.because.get(key);
      missing(
          name(g),
          o,
          owed,
          shown,
          "is owed at %s since it was shown operation %d, whose session %s before"
              .formatted(
                  o.visit.node(),
                  because.operation.index(),
                  g == Guarantee.MONOTONIC_WRITES ? "wrote it" : "was shown it"));
    }
  }

  /** Whether being shown this leaves out what was wanted. */
  private static boolean lacks(Update wanted, Update shown) {
    return wanted != null && (shown == null || (shown.rank >= 0 && shown.rank < wanted.rank));
  }

  private void missing(String guarantee, Operation o, Newest owed, Update shown, String why) {
    asked.put(guarantee, true);
    Update wanted = owed.updates.get(keys.get(o.micro.key()));
    if (lacks(wanted, shown)) {
      report(
          guarantee,
          "session %s: operation %d reads %s at %s and is not shown operation %d (%s), which it %s"
              .formatted(
                  o.visit.session(),
                  o.index(),
                  OpFields.edn(o.micro),
                  o.visit.node(),
                  wanted.operation.index(),
                  OpFields.edn(wanted.operation.micro),
                  why),
          wanted.operation,
          o);
    }
  }

  /** Reads after everything has settled. */
  private void last() {
    Map<Object, Operation> first = new HashMap<>();
    Newest happened = new Newest();
    for (Operation o : operations) {
      Update update = update(o);
      if (o.transaction.ok() && update != null) {
        happened.add(update, update);
      }
    }
    for (Operation o : operations) {
      if (!o.visit.last()
          || !o.transaction.ok()
          || !(o.micro instanceof ObservedMicroOp.Read read)) {
        continue;
      }
      asked.put(CONVERGENCE, true);
      Operation other = first.putIfAbsent(read.key(), o);
      if (other != null
          && !Objects.equals(((ObservedMicroOp.Read) other.micro).result(), read.result())) {
        report(
            CONVERGENCE,
            "after everything settled operation %d reads %s at %s, operation %d %s at %s"
                .formatted(
                    other.index(),
                    OpFields.edn(other.micro),
                    other.visit.node(),
                    o.index(),
                    OpFields.edn(read),
                    o.visit.node()),
            other,
            o);
      }
      missing(LOSS, o, happened, update(o), "should find, being acknowledged or shown before");
    }
  }

  private static String name(Guarantee g) {
    return g.name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  private void begin(String guarantee) {
    found.put(guarantee, new ArrayList<>());
    counts.put(guarantee, 0L);
    asked.put(guarantee, false);
  }

  private void report(String guarantee, String text, Operation... pair) {
    counts.merge(guarantee, 1L, Long::sum);
    List<Anomaly> first = found.get(guarantee);
    first.add(new Anomaly(guarantee, text, Arrays.stream(pair).map(Operation::index).toList()));
    // Sessions are judged one after the other; what is told follows the history.
    first.sort(Comparator.comparing(anomaly -> Collections.max(anomaly.operations())));
    if (first.size() > Judgement.SHOWN) {
      first.remove(Judgement.SHOWN);
    }
  }

  private List<Judgement> judgements() {
    List<Judgement> all = new ArrayList<>();
    found.forEach(
        (guarantee, anomalies) -> {
          long count = counts.get(guarantee);
          Outcome outcome =
              count > 0
                  ? Outcome.INVALID
                  : !doubt.isEmpty()
                      ? Outcome.UNKNOWN
                      : asked.get(guarantee) ? Outcome.VALID : Outcome.NOT_RUN;
          String reason =
              !doubt.isEmpty()
                  ? outcome == Outcome.INVALID ? "" : doubt
                  : operations.isEmpty()
                      ? "no operation names its session"
                      : outcome != Outcome.NOT_RUN
                          ? ""
                          : guarantee.equals(CONVERGENCE) || guarantee.equals(LOSS)
                              ? "no read is marked as the last"
                              : "no operation asked for it";
          all.add(new Judgement("session", guarantee, outcome, reason, anomalies, count));
        });
    return all;
  }
}
