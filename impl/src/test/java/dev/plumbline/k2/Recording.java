package dev.plumbline.k2;

import dev.plumbline.machine.ClockReading;
import dev.plumbline.machine.Effects;
import dev.plumbline.machine.Input;
import dev.plumbline.machine.Machine;
import dev.plumbline.machine.Message;
import dev.plumbline.machine.Timer;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** A machine under test with a clock that stands still, and what its last step did. */
final class Recording implements Effects {
  record Sent(String to, Message message) {}

  record Traced(String action, Map<String, ?> args) {}

  private final Machine machine;
  private long local = 1_000_000;
  private long upMicros = Long.MAX_VALUE;
  private long requests;

  final List<Sent> sent = new ArrayList<>();
  final List<Record> replies = new ArrayList<>();
  final List<Record> persisted = new ArrayList<>();
  final List<Traced> traced = new ArrayList<>();
  final Map<Timer, Long> timers = new LinkedHashMap<>();

  /** Whether there is a log. */
  boolean tracing = true;

  Recording(Machine machine) {
    this.machine = machine;
  }

  /** The machine, started for the first time. */
  static Recording started(Machine machine) {
    return new Recording(machine).start(1, List.of());
  }

  Recording start(long epoch, List<Record> durable) {
    return give(new Input.Start(epoch, durable));
  }

  Recording deliver(String from, Message message) {
    return give(new Input.Deliver(from, message));
  }

  Recording ask(K2Request request) {
    return give(new Input.ClientRequest(++requests, (Record) request));
  }

  Recording ask(String client, K2Request request) {
    return give(new Input.ClientRequest(++requests, (Record) request, client));
  }

  Recording fire(Timer timer) {
    timers.remove(timer);
    return give(new Input.TimerFired(timer));
  }

  Recording after(long micros) {
    local += micros;
    return this;
  }

  /** Gives the node a TrueTime clock whose interval ends here. */
  Recording upTo(long micros) {
    upMicros = micros;
    return this;
  }

  private Recording give(Input input) {
    sent.clear();
    replies.clear();
    persisted.clear();
    traced.clear();
    machine.handle(
        input,
        upMicros == Long.MAX_VALUE
            ? ClockReading.local(local)
            : new ClockReading(local, 0, upMicros),
        this);
    return this;
  }

  /** What the last step sent to a role. */
  List<Message> sentTo(String role) {
    return sent.stream().filter(s -> s.to().equals(role)).map(Sent::message).toList();
  }

  List<String> actions() {
    return traced.stream().map(Traced::action).toList();
  }

  @Override
  public void send(String to, Message message) {
    sent.add(new Sent(to, message));
  }

  @Override
  public void setTimer(Timer timer, long delayMicros) {
    timers.put(timer, delayMicros);
  }

  @Override
  public void cancelTimer(Timer timer) {
    timers.remove(timer);
  }

  @Override
  public void reply(long requestId, Record response) {
    replies.add(response);
  }

  @Override
  public void persist(Record record) {
    persisted.add(record);
  }

  @Override
  public boolean tracing() {
    return tracing;
  }

  @Override
  public void trace(String action, Map<String, ?> args, Map<String, ?> state) {
    traced.add(new Traced(action, args));
  }
}
