package dev.plumbline.k2.bugs;

import dev.plumbline.k2.K2Config;
import dev.plumbline.k2.K2Message;
import dev.plumbline.k2.Recorder;
import dev.plumbline.k2.Status;
import dev.plumbline.machine.Effects;

/** A recorder answers that a pending transaction is aborted. */
public final class HastyPush extends K2Bug {
  public HastyPush() {
    super("hasty-push", "a recorder answers that a pending transaction is aborted");
  }

  @Override
  protected Recorder recorder(K2Config config, String role) {
    return new Recorder(config, role) {
      @Override
      protected void handlePush(String from, K2Message.Push push, Effects effects) {
        if (status(push.txn().id()) == Status.PENDING) {
          effects.send(from, new K2Message.PushReply(push.txn(), push.key(), false, 0));
        } else {
          super.handlePush(from, push, effects);
        }
      }
    };
  }
}
