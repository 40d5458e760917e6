package dev.plumbline.dast;

import dev.plumbline.machine.Effects;
import dev.plumbline.machine.Message;
import dev.plumbline.machine.Timer;
import java.util.Map;

/** Effects whose messages name their sender's incarnation. */
record Stamped(Effects effects, long incarnation) implements Effects {
  @Override
  public void send(String to, Message message) {
    effects.send(to, new DastMessage.From(incarnation, (DastMessage) message));
  }

  @Override
  public void setTimer(Timer timer, long delayMicros) {
    effects.setTimer(timer, delayMicros);
  }

  @Override
  public void cancelTimer(Timer timer) {
    effects.cancelTimer(timer);
  }

  @Override
  public void reply(long requestId, Record response) {
    effects.reply(requestId, response);
  }

  @Override
  public void persist(Record record) {
    effects.persist(record);
  }

  @Override
  public boolean tracing() {
    return effects.tracing();
  }

  @Override
  public void trace(String action, Map<String, ?> args, Map<String, ?> state) {
    effects.trace(action, args, state);
  }
}
