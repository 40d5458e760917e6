package dev.plumbline.k2.bugs;

import dev.plumbline.k2.K2Config;
import dev.plumbline.k2.K2Message;
import dev.plumbline.k2.Recorder;
import dev.plumbline.k2.Status;
import dev.plumbline.machine.Effects;

/** A recorder commits what it has aborted. */
public final class CommitAfterAbort extends K2Bug {
  public CommitAfterAbort() {
    super("commit-after-abort", "a recorder commits what it has aborted");
  }

  @Override
  protected Recorder recorder(K2Config config, String role) {
    return new Recorder(config, role) {
      @Override
      protected void handleCommit(K2Message.Commit commit, Effects effects) {
        if (status(commit.txn().id()) == Status.ABORTED) {
          decide(commit.txn(), Status.COMMITTED, commit.epoch(), effects);
        }
        super.handleCommit(commit, effects);
      }
    };
  }
}
