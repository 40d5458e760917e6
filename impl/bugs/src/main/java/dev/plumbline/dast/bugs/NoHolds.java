package dev.plumbline.dast.bugs;

import dev.plumbline.dast.DastMessage.Clock;
import dev.plumbline.machine.Message;
import java.util.Map;

/** Clock messages do not tell which CRTs the sender waits for: other clocks do not stretch. */
public final class NoHolds extends DastBug {
  public NoHolds() {
    super("no-holds", "clock messages do not tell which CRTs hold the sender's clock");
  }

  @Override
  Message altered(Message message) {
    return message instanceof Clock clock
        ? new Clock(clock.ts(), Map.of(), clock.notes())
        : message;
  }
}
