package dev.plumbline.dast.bugs;

import dev.plumbline.dast.DastMessage.Clock;
import dev.plumbline.machine.Message;
import java.util.List;

/** Clock messages do not tell of transactions: a lost prepare is not noticed in time. */
public final class NoNotes extends DastBug {
  public NoNotes() {
    super("no-notes", "clock messages do not tell of the transactions below them");
  }

  @Override
  Message altered(Message message) {
    return message instanceof Clock clock
        ? new Clock(clock.ts(), clock.holds(), List.of())
        : message;
  }
}
