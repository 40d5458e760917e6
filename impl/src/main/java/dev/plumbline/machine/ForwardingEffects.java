package dev.plumbline.machine;

import java.util.Map;

/** Passes everything on; a variant overrides what it changes. */
public abstract class ForwardingEffects implements Effects {
  private final Effects real;

  protected ForwardingEffects(Effects real) {
    this.real = real;
  }

  @Override
  public void send(String to, Message message) {
    real.send(to, message);
  }

  @Override
  public final void setTimer(Timer timer, long delayMicros) {
    real.setTimer(timer, delayMicros);
  }

  @Override
  public final void cancelTimer(Timer timer) {
    real.cancelTimer(timer);
  }

  @Override
  public final void reply(long requestId, Record response) {
    real.reply(requestId, response);
  }

  @Override
  public void persist(Record record) {
    real.persist(record);
  }

  @Override
  public final boolean tracing() {
    return real.tracing();
  }

  @Override
  public final void trace(String action, Map<String, ?> args, Map<String, ?> state) {
    real.trace(action, args, state);
  }
}
