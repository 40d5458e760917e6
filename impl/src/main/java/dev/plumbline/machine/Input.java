package dev.plumbline.machine;

/** What a {@link Machine} can be given. */
public sealed interface Input {

  /**
   * The machine (re)starts: {@code durable} is what the runtime recovered, in the order it was
   * persisted.
   */
  record Start(java.util.List<? extends Record> durable) implements Input {}

  /** A message arrived; {@code from} is the sender's node id. */
  record Deliver(String from, Message message) implements Input {}

  /** A timer that this machine set came due. */
  record TimerFired(Timer timer) implements Input {}

  /** A client attached to this node asks for something; answered by {@link Effects#reply}. */
  record ClientRequest(long requestId, Record request) implements Input {}
}
