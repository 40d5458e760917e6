package dev.plumbline.mutate;

import dev.plumbline.protocol.ClientDriver;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.function.Predicate;

/** A client that asks other things beside its transaction. */
abstract class RudeDriver implements ClientDriver {
  final ClientDriver polite;

  /** What the last request of the transaction was. */
  Record last;

  private final List<String> complaints;
  private final Deque<Aside> asides = new ArrayDeque<>();

  /** The aside that waits for its answer, and where the transaction goes then. */
  private Aside asked;

  private Next after;

  /** A question beside the transaction, and what its answer must be. */
  private record Aside(Call call, Predicate<Record> expected) {}

  /**
   * @param polite runs the transaction
   * @param complaints takes what is answered wrongly
   */
  RudeDriver(ClientDriver polite, List<String> complaints) {
    this.polite = polite;
    this.complaints = complaints;
  }

  /** What an answer to the transaction leads to: {@link #then}. */
  abstract Next next(Record response);

  /** Asks this before the transaction goes on. */
  final void aside(String role, Record request, Predicate<Record> expected) {
    asides.add(new Aside(new Call(role, request), expected));
  }

  final void complain(String what) {
    complaints.add(what);
  }

  /** After the asides, if there are any. */
  final Next then(Next next) {
    asked = asides.poll();
    if (asked != null) {
      after = next;
      return asked.call();
    }
    if (next instanceof Call call) {
      last = call.request();
    }
    return next;
  }

  @Override
  public final List<Long> asked() {
    return polite.asked();
  }

  @Override
  public final Next answered(Record response) {
    if (asked == null) {
      return next(response);
    }
    if (!asked.expected().test(response)) {
      complain(asked.call().request() + " was answered " + response);
    }
    return then(after);
  }

  @Override
  public final Outcome timedOut() {
    return polite.timedOut();
  }
}
