package dev.plumbline.dast;

import dev.plumbline.machine.Effects;
import dev.plumbline.machine.ForwardingEffects;
import dev.plumbline.machine.Message;

/** Effects whose messages name their sender's incarnation. */
final class Stamped extends ForwardingEffects {
  private final long incarnation;

  Stamped(Effects effects, long incarnation) {
    super(effects);
    this.incarnation = incarnation;
  }

  @Override
  public void send(String to, Message message) {
    super.send(to, new DastMessage.From(incarnation, (DastMessage) message));
  }
}
