package dev.plumbline.dast;

import dev.plumbline.dast.DastMessage.Note;
import dev.plumbline.dast.DastMessage.Output;
import dev.plumbline.dast.DastMessage.Result;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;

/**
 * What a replica hands to a new one of its shard (Algorithm 4).
 *
 * @param view the view that it is in
 * @param store the values of the keys
 * @param executed in no order
 * @param pending what is known and not executed
 * @param upTo the last timestamp executed
 * @param fates how transactions of removed coordinators ended
 * @param kept what coordinators of the shard asked it to keep
 * @param aborted CRTs that were aborted
 */
public record Checkpoint(
    View view,
    Map<Long, List<Long>> store,
    List<Done> executed,
    List<Waiting> pending,
    Timestamp upTo,
    List<Note> fates,
    List<Note> kept,
    List<String> aborted) {

  /** An executed transaction. */
  public record Done(Result result, Output output, Note note, boolean crt) {}

  /** One that is not executed, with the values that arrived. */
  public record Waiting(Note note, boolean crt, Map<String, Long> inputs) {}

  private static Checkpoint empty(View view, Timestamp upTo) {
    return new Checkpoint(
        view,
        new TreeMap<>(),
        new ArrayList<>(),
        new ArrayList<>(),
        upTo,
        new ArrayList<>(),
        new ArrayList<>(),
        new ArrayList<>());
  }

  /**
   * The same in parts, one at least.
   *
   * @param bytes what the text of a part has at most, estimated with care; what is longer by itself
   *     is a part of its own
   */
  public List<Checkpoint> parts(long bytes) {
    Filling parts = new Filling(empty(view, upTo), bytes);
    store.forEach((key, values) -> parts.add(of(values), part -> part.store.put(key, values)));
    executed.forEach(done -> parts.add(of(done), part -> part.executed.add(done)));
    pending.forEach(
        waiting ->
            parts.add(
                of(waiting.note()) + of(waiting.inputs()), part -> part.pending.add(waiting)));
    fates.forEach(note -> parts.add(of(note), part -> part.fates.add(note)));
    kept.forEach(note -> parts.add(of(note), part -> part.kept.add(note)));
    aborted.forEach(id -> parts.add(NUMBER, part -> part.aborted.add(id)));
    return parts.parts;
  }

  /** What {@link #parts} gave, in one again. */
  static Checkpoint joined(List<Checkpoint> parts) {
    Checkpoint all = empty(parts.get(0).view, parts.get(0).upTo);
    for (Checkpoint part : parts) {
      all.store.putAll(part.store);
      all.executed.addAll(part.executed);
      all.pending.addAll(part.pending);
      all.fates.addAll(part.fates);
      all.kept.addAll(part.kept);
      all.aborted.addAll(part.aborted);
    }
    return all;
  }

  /** Parts, the last of which has room. */
  private static final class Filling {
    final List<Checkpoint> parts = new ArrayList<>();
    final long bytes;
    long filled;

    Filling(Checkpoint first, long bytes) {
      parts.add(first);
      this.bytes = bytes;
    }

    void add(long length, Consumer<Checkpoint> to) {
      Checkpoint last = parts.get(parts.size() - 1);
      if (filled > 0 && filled + length > bytes) {
        last = empty(last.view, last.upTo);
        parts.add(last);
        filled = 0;
      }
      filled += length;
      to.accept(last);
    }
  }

  /** Bytes that a number takes at most, with what parts it from the next one. */
  private static final long NUMBER = 23;

  /** Bytes of what a record names, but for lists of numbers; a text in it is no longer than 60. */
  private static final long RECORD = 256;

  private static long of(List<Long> values) {
    return NUMBER * (1 + values.size());
  }

  private static long of(Map<String, Long> values) {
    return RECORD * values.size();
  }

  private static long of(Note note) {
    long bytes = 2 * RECORD;
    for (Txn.Part part : note.txn().parts().values()) {
      bytes += RECORD * (1 + part.steps().size());
    }
    return bytes;
  }

  private static long of(Done done) {
    long bytes = 2 * RECORD + of(done.output().values()) + of(done.note());
    for (List<Long> values : done.result().seen().values()) {
      bytes += NUMBER + of(values);
    }
    return bytes;
  }

  /** Whether it is of the same view and goes less far. */
  boolean before(Checkpoint other) {
    return view.number() == other.view.number() && upTo.before(other.upTo);
  }

  /** What was executed, in the order of execution. */
  List<Note> inOrder() {
    return executed.stream()
        .map(Done::note)
        .sorted(Comparator.comparing(Note::at).thenComparing(note -> note.txn().id(), Txn.NUMBERS))
        .toList();
  }
}
