package dev.plumbline.graph;

import dev.plumbline.machine.Message;
import dev.plumbline.machine.NoEffects;
import dev.plumbline.machine.Timer;
import java.util.ArrayDeque;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/** What one machine sends, answers and arms, for an adapter to take from here. */
public class Outbox extends NoEffects {
  private final String role;
  public final ArrayDeque<Sent> sent = new ArrayDeque<>();
  public final ArrayDeque<Record> replies = new ArrayDeque<>();
  public final Set<Timer> timers = new LinkedHashSet<>();

  /** A message on its way. */
  public record Sent(String from, String to, Message message) {}

  /**
   * @param role the machine's
   */
  public Outbox(String role) {
    this.role = role;
  }

  /** Takes away what was sent so far. */
  public List<Sent> take() {
    List<Sent> all = List.copyOf(sent);
    sent.clear();
    return all;
  }

  @Override
  public void send(String to, Message message) {
    sent.add(new Sent(role, to, message));
  }

  @Override
  public void setTimer(Timer timer, long delayMicros) {
    timers.add(timer);
  }

  @Override
  public void cancelTimer(Timer timer) {
    timers.remove(timer);
  }

  @Override
  public void reply(long requestId, Record response) {
    replies.add(response);
  }
}
