package dev.plumbline.dast;

import dev.plumbline.dast.DastMessage.Note;
import dev.plumbline.dast.DastMessage.Output;
import dev.plumbline.dast.DastMessage.Result;
import java.util.Comparator;
import java.util.List;
import java.util.Map;

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

  /** What was executed, in the order of execution. */
  List<Note> inOrder() {
    return executed.stream()
        .map(Done::note)
        .sorted(Comparator.comparing(Note::at).thenComparing(note -> note.txn().id(), Txn.NUMBERS))
        .toList();
  }
}
