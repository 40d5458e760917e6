package dev.plumbline.machine;

import java.util.List;

/** What a {@link Machine} can be given. */
public sealed interface Input {

  /** What a log calls it where no message is handled: start, timer or request; else empty. */
  default String cause() {
    if (this instanceof Start) {
      return "start";
    }
    if (this instanceof TimerFired) {
      return "timer";
    }
    return this instanceof ClientRequest ? "request" : "";
  }

  /**
   * The first input of every instance: the role's log was opened.
   *
   * @param epoch the opening's fencing epoch: 1 for the first, higher for each later one
   * @param durable the records of all earlier openings, in the order they were persisted
   */
  record Start(long epoch, List<Record> durable) implements Input {}

  /** A message arrived, possibly again; {@code from} is the sender's role. */
  record Deliver(String from, Message message) implements Input {}

  /** A timer that this instance set came due. */
  record TimerFired(Timer timer) implements Input {}

  /**
   * A client asks for something; answered by {@link Effects#reply}, at once or later.
   *
   * @param client whose connection it came on: no other client can guess or take this name
   */
  record ClientRequest(long requestId, Record request, String client) implements Input {

    /** Of a client that needs no telling from others. */
    public ClientRequest(long requestId, Record request) {
      this(requestId, request, "");
    }
  }
}
