package dev.plumbline.dast;

import dev.plumbline.dast.DastMessage.AskOutput;
import dev.plumbline.dast.DastMessage.Note;
import dev.plumbline.dast.DastMessage.Output;
import dev.plumbline.dast.DastMessage.Result;
import dev.plumbline.machine.Effects;
import dev.plumbline.machine.SpecAction;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;

/** A replica of one shard: readyQ, its own part of waitQ, and execution in timestamp order. */
final class Participant {
  /** What is known of a transaction that is not executed. */
  private static final class Known {
    final Txn txn;
    final String coordinator;
    final boolean crt;
    final Map<String, Long> inputs = new LinkedHashMap<>();
    boolean committed;
    Timestamp at;

    /** Whether a change of the view, or a checkpoint, brought it: the clock may have passed it. */
    boolean brought;

    Known(Txn txn, String coordinator, boolean crt, Timestamp at) {
      this.txn = txn;
      this.coordinator = coordinator;
      this.crt = crt;
      this.at = at;
    }

    boolean ready() {
      return committed || !crt;
    }

    int compareTo(Known other) {
      int order = at.compareTo(other.at);
      return order != 0 ? order : Txn.NUMBERS.compare(txn.id(), other.txn.id());
    }
  }

  /** An executed transaction, for those who ask again. */
  private record Executed(Result result, Output output, Note note, boolean crt) {}

  private final Layout layout;
  private final Procedures procedures;
  private final String self;
  private final String shard;
  private final Region region;
  private final TreeMap<String, Known> pending = new TreeMap<>();
  private final TreeMap<String, Executed> executed = new TreeMap<>();
  private final TreeMap<String, Map<String, Long>> early = new TreeMap<>();
  private final TreeMap<Long, List<Long>> store = new TreeMap<>();
  private final TreeSet<String> aborted = new TreeSet<>();
  private Timestamp upTo = Timestamp.ZERO;

  Participant(Layout layout, Procedures procedures, String self, Region region) {
    this.layout = layout;
    this.procedures = procedures;
    this.self = self;
    this.region = region;
    shard = layout.shardOf(self);
  }

  boolean executed(String txn) {
    return executed.containsKey(txn) || aborted.contains(txn);
  }

  /** Algorithm 3, line 17; nothing is left of the transaction, and nothing will be taken of it. */
  void abort(String txn) {
    if (!executed.containsKey(txn)) {
      pending.remove(txn);
      early.remove(txn);
      aborted.add(txn);
    }
  }

  /** What is known of the transactions of some coordinators: IRTs, or CRTs. */
  List<Note> coordinatedBy(List<String> coordinators, boolean crts) {
    List<Note> notes = new ArrayList<>();
    for (Known known : pending.values()) {
      if (known.crt == crts && coordinators.contains(known.coordinator)) {
        notes.add(new Note(known.txn, known.committed, known.at, known.coordinator));
      }
    }
    for (Executed done : executed.values()) {
      if (done.crt() == crts && coordinators.contains(done.note().coordinator())) {
        notes.add(done.note());
      }
    }
    return notes;
  }

  Note knownOf(String txn) {
    Known known = pending.get(txn);
    Executed done = executed.get(txn);
    return done != null
        ? done.note()
        : known != null ? new Note(known.txn, known.committed, known.at, known.coordinator) : null;
  }

  Map<String, Long> inputsOf(String txn) {
    Known known = pending.get(txn);
    return known != null ? known.inputs : early.getOrDefault(txn, Map.of());
  }

  /** CRTs that are prepared and not committed. */
  List<Note> prepared() {
    return waiting().stream().filter(note -> !note.committed()).toList();
  }

  /** CRTs that are not executed. */
  List<Note> waiting() {
    return pending.values().stream()
        .filter(known -> known.crt)
        .map(known -> new Note(known.txn, known.committed, known.at, known.coordinator))
        .toList();
  }

  /** A CRT that other members have prepared enters waitQ at its time, even if that is over. */
  void takePart(Note note) {
    if (!executed(note.txn().id()) && !pending.containsKey(note.txn().id())) {
      Known known = known(note.txn(), note.coordinator(), true, note.at());
      known.brought = true;
      pending.put(note.txn().id(), known);
    }
  }

  /** A checkpoint for another replica; the rest is the membership's. */
  Checkpoint checkpoint(View view, List<Note> fates, List<Note> kept) {
    List<Checkpoint.Done> done = new ArrayList<>();
    executed
        .values()
        .forEach(e -> done.add(new Checkpoint.Done(e.result(), e.output(), e.note(), e.crt())));
    List<Checkpoint.Waiting> waiting = new ArrayList<>();
    for (Known known : pending.values()) {
      Note note = new Note(known.txn, known.committed, known.at, known.coordinator);
      waiting.add(new Checkpoint.Waiting(note, known.crt, new TreeMap<>(known.inputs)));
    }
    return new Checkpoint(
        view, new TreeMap<>(store), done, waiting, upTo, fates, kept, List.copyOf(aborted));
  }

  /** Starts from a checkpoint. */
  void install(Checkpoint checkpoint) {
    store.putAll(checkpoint.store());
    upTo = checkpoint.upTo();
    aborted.addAll(checkpoint.aborted());
    for (Checkpoint.Done done : checkpoint.executed()) {
      executed.put(
          done.note().txn().id(),
          new Executed(done.result(), done.output(), done.note(), done.crt()));
    }
    for (Checkpoint.Waiting waiting : checkpoint.pending()) {
      Note note = waiting.note();
      Known known = new Known(note.txn(), note.coordinator(), waiting.crt(), note.at());
      known.committed = note.committed();
      known.brought = waiting.crt();
      known.inputs.putAll(waiting.inputs());
      pending.put(note.txn().id(), known);
    }
  }

  /** The values of the keys, for checks at the end of a run. */
  Map<Long, List<Long>> store() {
    return store;
  }

  /** The CRTs that hold this node's clock, by the time that it stays below. */
  Map<String, Long> holds() {
    Map<String, Long> holds = new LinkedHashMap<>();
    for (Known known : pending.values()) {
      if (known.crt && (!known.committed || !missing(known).isEmpty())) {
        holds.put(known.txn.id(), known.at.time());
      }
    }
    return holds;
  }

  /** An IRT enters readyQ. */
  void prepareIrt(Txn txn, String coordinator, Timestamp ts) {
    if (!executed(txn.id()) && !pending.containsKey(txn.id())) {
      pending.put(txn.id(), known(txn, coordinator, false, ts));
    }
  }

  /** A CRT enters waitQ; returns the timestamp that the clock stays below, or null if too late. */
  Timestamp prepareCrt(Txn txn, String coordinator, Timestamp at) {
    if (executed(txn.id())) {
      return null;
    }
    Known known = pending.get(txn.id());
    if (known == null) {
      known = known(txn, coordinator, true, at);
      pending.put(txn.id(), known);
    }
    return known.committed ? null : known.at;
  }

  /** A transaction's timestamp is final; false if that was known. */
  boolean commit(Txn txn, String coordinator, boolean crt, Timestamp ts) {
    if (executed(txn.id())) {
      return false;
    }
    Known known = pending.computeIfAbsent(txn.id(), id -> known(txn, coordinator, crt, ts));
    if (known.committed) {
      return false;
    }
    known.committed = true;
    known.at = ts;
    return true;
  }

  private Known known(Txn txn, String coordinator, boolean crt, Timestamp at) {
    Known known = new Known(txn, coordinator, crt, at);
    Map<String, Long> values = early.remove(txn.id());
    if (values != null) {
      known.inputs.putAll(values);
    }
    return known;
  }

  /** Values of another shard arrived; false if nothing waits for them. */
  boolean input(Output output) {
    if (executed(output.txn())) {
      return false;
    }
    Known known = pending.get(output.txn());
    (known == null
            ? early.computeIfAbsent(output.txn(), id -> new LinkedHashMap<>())
            : known.inputs)
        .putAll(output.values());
    return true;
  }

  private Map<String, String> missing(Known known) {
    Map<String, String> givers = known.txn.inputs(procedures, shard);
    givers.keySet().removeAll(known.inputs.keySet());
    return givers;
  }

  /** Asks for values that a committed transaction misses. */
  void askAgain(Effects effects) {
    for (Known known : pending.values()) {
      if (known.committed) {
        missing(known).values().stream()
            .distinct()
            .flatMap(giver -> layout.replicas(giver).stream())
            .forEach(replica -> effects.send(replica, new AskOutput(known.txn.id())));
      }
    }
  }

  void outputAgain(String to, String txn, Effects effects) {
    Executed done = executed.get(txn);
    if (done != null) {
      effects.send(to, done.output());
    }
  }

  void resultAgain(String to, String txn, Effects effects) {
    Executed done = executed.get(txn);
    if (done != null) {
      effects.send(to, done.result());
    }
  }

  /** Executes the first transaction if it is due (Algorithm 1, lines 21 to 27). */
  boolean executeNext(long wall, Effects effects) {
    Known first = first();
    if (first == null || !first.committed || !missing(first).isEmpty()) {
      return false;
    }
    if (!first.at.before(region.clock.last())) {
      region.now(wall, holds(), effects);
    }
    if (!first.at.before(region.clock.last()) || !region.passed(first.at)) {
      return false;
    }
    execute(first, effects);
    return true;
  }

  /** The first that may be executed; nothing may before a CRT that was brought. */
  private Known first() {
    return pending.values().stream()
        .filter(known -> known.ready() || known.brought)
        .min(Known::compareTo)
        .orElse(null);
  }

  @SpecAction("TwoPhaseAnticipation.Execute")
  private void execute(Known known, Effects effects) {
    Txn txn = known.txn;
    Txn.Part part = txn.parts().get(shard);
    Piece piece = procedures.named(txn.procedure()).piece(part.piece());
    Piece.Effect effect =
        piece.body().run(key -> store.getOrDefault(key, List.of()), part.steps(), known.inputs);
    store.putAll(effect.writes());
    Map<Integer, List<Long>> seen = new LinkedHashMap<>();
    for (int i = 0; i < part.steps().size(); i++) {
      seen.put(part.steps().get(i).index(), effect.seen().get(i));
    }
    Result result = new Result(txn.id(), shard, effect.applied(), seen);
    Output output = new Output(txn.id(), shard, effect.outputs());
    pending.remove(txn.id());
    Note note = new Note(txn, true, known.at, known.coordinator);
    executed.put(txn.id(), new Executed(result, output, note, known.crt));
    upTo = upTo.max(known.at);
    for (String other : txn.parts().keySet()) {
      if (txn.inputs(procedures, other).containsValue(shard)) {
        layout.replicas(other).forEach(replica -> effects.send(replica, output));
      }
    }
    effects.send(known.coordinator, result);
    if (effects.tracing()) {
      effects.trace(
          "TwoPhaseAnticipation.Execute",
          Map.of("n", self, "t", txn.id(), "now", region.clock.last().parts()),
          Map.of("at", known.at.parts(), "wrote", effect.applied()));
    }
  }
}
