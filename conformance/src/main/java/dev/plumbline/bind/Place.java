package dev.plumbline.bind;

import dev.plumbline.graph.Outbox;
import dev.plumbline.machine.ClockReading;
import dev.plumbline.machine.Input;
import dev.plumbline.machine.Machine;
import dev.plumbline.machine.Timer;
import dev.plumbline.protocol.NodeSpec;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** A participant of a model: its machine, its durable log, and what its last steps gave. */
public class Place {
  /** What the model calls it. */
  public final Object name;

  public final NodeSpec spec;
  public final List<Record> durable = new ArrayList<>();
  public final Map<Timer, Long> delays = new HashMap<>();
  public final Outbox out;

  /** The first answer to each request. */
  public final Map<Long, Record> answers = new HashMap<>();

  /** Null before its first start and once it is lost. */
  public Machine machine;

  /** How often it was started. */
  public long starts;

  /** Its world's timers that the action at hand fired although machines had not set them. */
  List<String> unset;

  /** Counts the changes of a group's places. */
  long[] changes = new long[1];

  /** What that count was at its own last change. */
  long changed;

  /**
   * @param spec null for one that has no machine
   */
  protected Place(Object name, NodeSpec spec) {
    this.name = name;
    this.spec = spec;
    this.out =
        new Outbox(spec == null ? "" : spec.role()) {
          @Override
          public void persist(Record record) {
            durable.add(record);
          }

          @Override
          public void reply(long requestId, Record response) {
            super.reply(requestId, response);
            answers.putIfAbsent(requestId, response);
          }

          @Override
          public void setTimer(Timer timer, long delayMicros) {
            super.setTimer(timer, delayMicros);
            delays.put(timer, delayMicros);
          }
        };
  }

  /** Starts a machine on the log that is there. */
  public final void start(Machine started, ClockReading clock) {
    starts++;
    machine = started;
    delays.clear();
    out.timers.clear();
    give(new Input.Start(starts, List.copyOf(durable)), clock);
  }

  /** Gives the machine an input. A timer that it has not set has to change nothing. */
  public final void give(Input input, ClockReading clock) {
    changed();
    if (input instanceof Input.TimerFired fired && !out.timers.remove(fired.timer())) {
      if (unset == null) {
        throw new IllegalStateException("the world of " + name + " has to watch its timers");
      }
      unset.add(name + "'s " + fired.timer());
    }
    machine.handle(input, clock, out);
  }

  /**
   * Delivers what a machine sent.
   *
   * @throws IllegalStateException if it was sent to another
   */
  public final void deliver(Outbox.Sent sent, ClockReading clock) {
    if (!sent.to().equals(spec.role())) {
      throw new IllegalStateException(
          "%s sent %s to %s, not to %s"
              .formatted(sent.from(), sent.message(), sent.to(), spec.role()));
    }
    give(new Input.Deliver(sent.from(), sent.message()), clock);
  }

  public final void fire(Timer timer, ClockReading clock) {
    give(new Input.TimerFired(timer), clock);
  }

  /** Fires a timer if the machine has set it. */
  public final void fireIfSet(Timer timer, ClockReading clock) {
    if (out.timers.contains(timer)) {
      fire(timer, clock);
    }
  }

  /** Hands a client's request over; answers are not told apart. */
  public final void ask(Record request, ClockReading clock) {
    give(new Input.ClientRequest(1, request), clock);
  }

  /** Something of it, or kept beside it, may be different. */
  public final void changed() {
    changed = ++changes[0];
  }
}
