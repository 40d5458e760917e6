package dev.plumbline.engage.bugs;

import dev.plumbline.engage.EngageConfig;

/** A broker that starts again has forgotten its pending flushes. */
public final class ForgetfulBroker extends Unrepaired {
  public ForgetfulBroker() {
    super(
        "forgetful-broker",
        EngageConfig.DURABLE_BROKER,
        "a broker that starts again has forgotten its pending flushes");
  }
}
