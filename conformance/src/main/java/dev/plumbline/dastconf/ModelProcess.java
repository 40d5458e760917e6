package dev.plumbline.dastconf;

import dev.plumbline.dast.DastMessage;
import dev.plumbline.dast.DastMessage.Clock;
import dev.plumbline.dast.DastMessage.Pong;
import dev.plumbline.dast.DastMessage.Result;
import dev.plumbline.dast.DastTimer;
import dev.plumbline.dast.StretchableClock;
import dev.plumbline.dast.Timestamp;
import dev.plumbline.graph.Memento;
import dev.plumbline.machine.ClockReading;
import dev.plumbline.machine.Input;
import dev.plumbline.machine.Machine;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import java.util.function.UnaryOperator;

/** A node or manager of a model, whose wall clock shows what a step needs. */
abstract class ModelProcess {
  /** A wall clock for steps that read none: calibration changes nothing. */
  static final long LATE = 1L << 40;

  /** A timestamp that moves no clock. */
  static final Timestamp NEVER = new Timestamp(-LATE, 0, 0);

  final int nid;
  private final Machine machine;
  private final StepEffects out;
  private final TreeMap<String, Long> roundTrips = new TreeMap<>();

  /**
   * @param machine what runs, perhaps with a bug
   * @param out gets what it sends
   */
  ModelProcess(int nid, Machine machine, StepEffects out) {
    this.nid = nid;
    this.machine = machine;
    this.out = out;
  }

  abstract StretchableClock clock();

  void run(Input input, long wall) {
    machine.handle(input, ClockReading.local(wall), out.of(nid));
  }

  /**
   * The clock messages that it sends at {@code time}. The clock reading that goes with a newest
   * timestamp that is told once more, which specifications leave out, is put back.
   */
  List<Mail> tell(long time) {
    StretchableClock clock = clock();
    boolean again = time == clock.last().time();
    Memento reading = Memento.of(clock);
    run(new Input.TimerFired(new DastTimer.Tell()), time - clock.offset());
    Timestamp made = clock.last();
    if (again) {
      reading.restore();
    }
    Timestamp now = clock.last();
    List<Mail> told = new ArrayList<>();
    for (Mail m : out.messages) {
      if (m.body() instanceof Clock c) {
        told.add(m.with(new Clock(c.ts().equals(made) ? now : c.ts(), c.holds(), c.notes())));
      }
    }
    out.clear();
    return told;
  }

  /** Whether it executes a transaction, reading its clock before that only. */
  boolean execute(int t, long time) {
    StretchableClock clock = clock();
    if (time != clock.last().time()) {
      run(new Input.TimerFired(new DastTimer.Resend()), time);
    }
    out.clear();
    Timestamp now = clock.last();
    run(new Input.TimerFired(new DastPlace.Execute()), time);
    return out.sent(Result.class, r -> r.txn().equals(String.valueOf(t)))
        && clock.last().equals(now);
  }

  /**
   * Pongs until a manager's moving average is {@code rtt}.
   *
   * @param sent how the other manager sends a pong
   */
  void estimate(String other, long rtt, UnaryOperator<DastMessage> sent) {
    Long old = roundTrips.get(other);
    while (old == null || old != rtt) {
      long measured = old == null ? rtt : Math.max(0, 8 * rtt - 7 * old);
      Pong pong = new Pong(LATE - measured, Timestamp.ZERO);
      run(new Input.Deliver(other, sent.apply(pong)), LATE);
      old = old == null ? measured : (7 * old + measured) / 8;
    }
    roundTrips.put(other, rtt);
  }
}
