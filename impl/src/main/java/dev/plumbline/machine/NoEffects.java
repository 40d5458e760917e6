package dev.plumbline.machine;

import java.util.Map;

/** Drops everything; a variant overrides what it keeps. */
public class NoEffects implements Effects {

  @Override
  public void send(String to, Message message) {}

  @Override
  public void setTimer(Timer timer, long delayMicros) {}

  @Override
  public void cancelTimer(Timer timer) {}

  @Override
  public void reply(long requestId, Record response) {}

  @Override
  public void persist(Record record) {}

  @Override
  public boolean tracing() {
    return false;
  }

  @Override
  public void trace(String action, Map<String, ?> args, Map<String, ?> state) {}
}
