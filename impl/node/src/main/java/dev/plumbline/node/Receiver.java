package dev.plumbline.node;

import dev.plumbline.machine.Message;

/** Gets what {@link Transport} lets in. Called by a network thread; must not block. */
interface Receiver {

  /**
   * A node's message.
   *
   * @param node the sender
   * @param number the sender's number for it
   * @param bytes how long it was
   */
  void message(String node, long number, Message message, int bytes);

  /** A node's {@link Frame.Type#PROBE}; says nothing to who filters nothing. */
  default void probe(String node) {}

  /**
   * A client's request, answered through {@code replies}.
   *
   * @param client the connection that it came on
   */
  void request(long number, Record request, int bytes, String client, Replies replies);

  /** A way back to a client. */
  interface Replies {
    void answer(long number, Record response);
  }
}
