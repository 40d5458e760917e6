package dev.plumbline.dast.bugs;

import dev.plumbline.dast.DastMessage.Clock;
import dev.plumbline.dast.Timestamp;
import dev.plumbline.machine.Message;

/** A node tells a clock that is 100 ms ahead of its own: it may still stamp below it. */
public final class ClockAhead extends DastBug {
  private static final long MICROS = 100_000;

  public ClockAhead() {
    super("clock-ahead", "a node tells its region a clock 100 ms ahead of its own");
  }

  @Override
  Message altered(Message message) {
    return message instanceof Clock clock
        ? new Clock(
            new Timestamp(clock.ts().time() + MICROS, clock.ts().frac(), clock.ts().nid()),
            clock.holds(),
            clock.notes())
        : message;
  }
}
