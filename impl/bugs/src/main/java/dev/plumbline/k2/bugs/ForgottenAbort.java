package dev.plumbline.k2.bugs;

import dev.plumbline.k2.K2Config;
import dev.plumbline.k2.K2Record;
import dev.plumbline.k2.Recorder;
import dev.plumbline.k2.Status;
import dev.plumbline.machine.Effects;

/** A recorder does not persist that it aborted. */
public final class ForgottenAbort extends K2Bug {
  public ForgottenAbort() {
    super("forgotten-abort", "a recorder does not persist that it aborted");
  }

  @Override
  protected Recorder recorder(K2Config config, String role) {
    return new Recorder(config, role) {
      @Override
      protected void persist(K2Record.Recorded recorded, Effects effects) {
        if (recorded.status() != Status.ABORTED) {
          super.persist(recorded, effects);
        }
      }
    };
  }
}
