package dev.plumbline.node;

import dev.plumbline.machine.Effects;
import dev.plumbline.machine.Message;
import dev.plumbline.machine.Timer;
import dev.plumbline.trace.TraceWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Collects what a machine does in one step. */
final class Step implements Effects {
  /** A message and the role that it goes to. */
  record Outgoing(String to, Message message) {}

  /** A timer and when it is due on the interval clock, {@link #NEVER} to cancel it. */
  record Alarm(Timer timer, long due) {}

  record Reply(long requestId, Record response) {}

  final List<Outgoing> messages = new ArrayList<>();
  final List<Alarm> alarms = new ArrayList<>();
  final List<Reply> replies = new ArrayList<>();
  final List<Record> records = new ArrayList<>();

  /** No clock shows it. */
  static final long NEVER = Long.MAX_VALUE;

  private final List<TraceWriter.Action> actions = new ArrayList<>();
  private final long local;
  private final boolean tracing;

  /**
   * @param local the interval clock as the step starts, microseconds
   * @param tracing whether {@link #log} will be called
   */
  Step(long local, boolean tracing) {
    this.local = local;
    this.tracing = tracing;
  }

  /**
   * Writes the step's events.
   *
   * @param recv the message that it handled, or null
   * @param cause what else it began with ({@code Input.cause}); with neither it is the answer of a
   *     store outside, which has no number
   */
  void log(TraceWriter trace, long at, String recv, String cause, String sender, long firstSent) {
    String by = recv == null && cause.isEmpty() ? "store" : cause;
    trace.step(
        new TraceWriter.Step(
            at, local, recv, by, sender, firstSent, messages.size(), records.size()),
        actions);
  }

  @Override
  public void send(String to, Message message) {
    messages.add(new Outgoing(to, message));
  }

  @Override
  public void setTimer(Timer timer, long delayMicros) {
    long due = local + delayMicros + 1;
    alarms.add(new Alarm(timer, delayMicros > 0 && due < local ? NEVER - 1 : due));
  }

  @Override
  public void cancelTimer(Timer timer) {
    alarms.add(new Alarm(timer, NEVER));
  }

  @Override
  public void reply(long requestId, Record response) {
    replies.add(new Reply(requestId, response));
  }

  @Override
  public void persist(Record record) {
    records.add(record);
  }

  @Override
  public boolean tracing() {
    return tracing;
  }

  @Override
  public void trace(String action, Map<String, ?> args, Map<String, ?> state) {
    if (tracing) {
      actions.add(new TraceWriter.Action(action, args, state));
    }
  }
}
