package dev.plumbline.dast.bugs;

import dev.plumbline.dast.DastMessage.CommitRemote;
import dev.plumbline.dast.Timestamp;
import dev.plumbline.machine.Message;

/** A coordinator commits a CRT one second earlier than the participants agreed to. */
public final class IgnoredVotes extends DastBug {
  private static final long MICROS = 1_000_000;

  public IgnoredVotes() {
    super("ignored-votes", "a CRT is committed a second below what its participants voted for");
  }

  @Override
  Message altered(Message message) {
    return message instanceof CommitRemote commit
        ? new CommitRemote(
            commit.txn(),
            new Timestamp(commit.ts().time() - MICROS, commit.ts().frac(), commit.ts().nid()),
            commit.now())
        : message;
  }
}
