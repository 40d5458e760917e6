package dev.plumbline.dastconf;

import dev.plumbline.dast.DastMessage;
import dev.plumbline.dast.DastMessage.From;
import java.util.function.Predicate;

/**
 * A message on its way.
 *
 * @param from the nid of its sender
 * @param to the role of its receiver
 */
record Mail(int from, String to, DastMessage message) {

  /** The message without its sender's incarnation. */
  DastMessage body() {
    return message instanceof From m ? m.body() : message;
  }

  <M extends DastMessage> boolean is(Class<M> type, Predicate<M> which) {
    return type.isInstance(body()) && which.test(type.cast(body()));
  }

  /** Another message of the same incarnation. */
  Mail with(DastMessage other) {
    return new Mail(from, to, message instanceof From m ? new From(m.incarnation(), other) : other);
  }
}
