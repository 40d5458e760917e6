package dev.plumbline.graph;

import dev.plumbline.history.History;
import dev.plumbline.history.Op;
import java.util.Optional;
import java.util.Set;

/** Which transactions the events of a run's log are about, and which is an operation's. */
public interface LoggedTransactions {

  /**
   * The names of the transactions that an event is about.
   *
   * @param event its place in the log, from 0
   */
  Set<String> of(int event);

  /** The names that the log has for what an operation did; empty where the log does not tell. */
  Set<String> of(History history, Op end);

  /** What the names are of. */
  default String word() {
    return "transaction";
  }

  /** What an operation needs so that the log tells, as a remedy. */
  String needs();

  /** The first operation of a history that has one of these names. */
  default Optional<Op> operation(History history, Set<String> names) {
    return history.ops().stream()
        .filter(op -> op.type() != Op.Type.INVOKE && !op.nemesis())
        .filter(op -> of(history, op).stream().anyMatch(names::contains))
        .findFirst();
  }
}
