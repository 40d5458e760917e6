package dev.plumbline.engage.bugs;

import dev.plumbline.engage.EngageConfig;

/** What is lost on a link is not sent again. */
public final class NoResend extends Unrepaired {
  public NoResend() {
    super("no-resend", EngageConfig.RESEND, "what is lost on a link is not sent again");
  }
}
