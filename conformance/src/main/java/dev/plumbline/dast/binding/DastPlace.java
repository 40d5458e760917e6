package dev.plumbline.dast.binding;

import dev.plumbline.bind.Place;
import dev.plumbline.dast.DastMessage;
import dev.plumbline.dast.DastMessage.Clock;
import dev.plumbline.dast.DastMessage.From;
import dev.plumbline.dast.DastMessage.Pong;
import dev.plumbline.dast.DastMessage.Result;
import dev.plumbline.dast.DastRequest;
import dev.plumbline.dast.DastTimer;
import dev.plumbline.dast.Replica;
import dev.plumbline.dast.StretchableClock;
import dev.plumbline.dast.Timestamp;
import dev.plumbline.dast.Txn;
import dev.plumbline.graph.Memento;
import dev.plumbline.graph.Outbox.Sent;
import dev.plumbline.machine.ClockReading;
import dev.plumbline.machine.Effects;
import dev.plumbline.machine.Input;
import dev.plumbline.machine.Machine;
import dev.plumbline.machine.Message;
import dev.plumbline.machine.Timer;
import dev.plumbline.protocol.NodeSpec;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.BooleanSupplier;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;

/** A node or manager of a model, whose wall clock shows what a step needs. */
abstract class DastPlace extends Place {
  /** A wall clock for steps that read none: calibration changes nothing. */
  static final long LATE = 1L << 40;

  /** A timestamp that moves no clock. */
  static final Timestamp NEVER = new Timestamp(-LATE, 0, 0);

  /** What a node is asked for that takes one step at a time. */
  private record Execute() implements Timer {}

  final int nid;
  private final TreeMap<String, Long> roundTrips = new TreeMap<>();

  DastPlace(int nid, NodeSpec spec) {
    super(nid, spec);
    this.nid = nid;
  }

  abstract StretchableClock clock();

  /** Steps of a replica one by one, instead of all that it does at once. */
  static Replica oneByOne(Replica whole, Machine step, Execution next) {
    return new Replica() {
      @Override
      public Map<Long, List<Long>> store() {
        return whole.store();
      }

      @Override
      public void handle(Input input, ClockReading clock, Effects effects) {
        if (input instanceof Input.TimerFired fired && fired.timer() instanceof Execute) {
          next.take(clock.localMicros(), effects);
        } else {
          step.handle(input, clock, effects);
        }
      }
    };
  }

  interface Execution {
    void take(long wall, Effects effects);
  }

  final void run(Input input, long wall) {
    give(input, ClockReading.local(wall));
  }

  final void deliver(String from, Message message, long wall) {
    run(new Input.Deliver(from, message), wall);
  }

  final void submit(int t, Txn txn, long wall) {
    run(new Input.ClientRequest(t, new DastRequest(txn)), wall);
  }

  /** A step that is as if it had not been, unless it is what it should be; true if it is. */
  final boolean only(BooleanSupplier step) {
    Memento snapshot = Memento.of(this);
    boolean holds = step.getAsBoolean();
    if (!holds) {
      snapshot.restore();
      changed();
    }
    return holds;
  }

  /**
   * The clock messages that it sends at {@code time}. The clock reading that goes with a newest
   * timestamp that is told once more, which specifications leave out, is put back.
   */
  final List<Sent> tell(long time) {
    StretchableClock clock = clock();
    boolean again = time == clock.last().time();
    Memento reading = Memento.of(clock);
    run(new Input.TimerFired(new DastTimer.Tell()), time - clock.offset());
    Timestamp made = clock.last();
    if (again) {
      reading.restore();
    }
    Timestamp now = clock.last();
    List<Sent> told = new ArrayList<>();
    for (Sent sent : out.take()) {
      if (body(sent) instanceof Clock c) {
        told.add(with(sent, new Clock(c.ts().equals(made) ? now : c.ts(), c.holds(), c.notes())));
      }
    }
    return told;
  }

  /** Whether it executes a transaction, reading its clock before that only. */
  final boolean execute(int t, long time) {
    StretchableClock clock = clock();
    if (time != clock.last().time()) {
      run(new Input.TimerFired(new DastTimer.Resend()), time);
    }
    out.sent.clear();
    Timestamp now = clock.last();
    out.timers.add(new Execute());
    run(new Input.TimerFired(new Execute()), time);
    return sent(Result.class, r -> r.txn().equals(String.valueOf(t))) && clock.last().equals(now);
  }

  /**
   * Pongs until a manager's moving average is {@code rtt}.
   *
   * @param sent how the other manager sends a pong
   */
  final void estimate(String other, long rtt, UnaryOperator<DastMessage> sent) {
    Long old = roundTrips.get(other);
    while (old == null || old != rtt) {
      long measured = old == null ? rtt : Math.max(0, 8 * rtt - 7 * old);
      deliver(other, sent.apply(new Pong(LATE - measured, Timestamp.ZERO)), LATE);
      old = old == null ? measured : (7 * old + measured) / 8;
    }
    roundTrips.put(other, rtt);
  }

  /** Whether this step sent such a message. */
  final <M extends DastMessage> boolean sent(Class<M> type, Predicate<M> which) {
    return out.sent.stream().anyMatch(s -> is(s, type, which));
  }

  /** A message without its sender's incarnation. */
  static DastMessage body(Sent sent) {
    return sent.message() instanceof From m ? m.body() : (DastMessage) sent.message();
  }

  static <M extends DastMessage> boolean is(Sent sent, Class<M> type, Predicate<M> which) {
    return type.isInstance(body(sent)) && which.test(type.cast(body(sent)));
  }

  /** Another message of the same incarnation. */
  static Sent with(Sent sent, DastMessage other) {
    DastMessage message =
        sent.message() instanceof From m ? new From(m.incarnation(), other) : other;
    return new Sent(sent.from(), sent.to(), message);
  }
}
