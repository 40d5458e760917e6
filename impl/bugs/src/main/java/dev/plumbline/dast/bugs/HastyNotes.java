package dev.plumbline.dast.bugs;

import dev.plumbline.dast.DastMessage.Clock;
import dev.plumbline.dast.DastMessage.Note;
import dev.plumbline.machine.Message;

/** A clock message tells of a prepared transaction as if it were committed. */
public final class HastyNotes extends DastBug {
  public HastyNotes() {
    super("hasty-notes", "clock messages tell of prepared transactions as committed ones");
  }

  @Override
  Message altered(Message message) {
    return message instanceof Clock clock
        ? new Clock(
            clock.ts(),
            clock.holds(),
            clock.notes().stream()
                .map(note -> new Note(note.txn(), true, note.at(), note.coordinator()))
                .toList())
        : message;
  }
}
