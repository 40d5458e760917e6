package dev.plumbline.engage.bugs;

import dev.plumbline.engage.EngageConfig;

/** A cloudlet that starts again has forgotten its clock and its queue. */
public final class ForgetfulCloudlet extends Unrepaired {
  public ForgetfulCloudlet() {
    super(
        "forgetful-cloudlet",
        EngageConfig.DURABLE_CLOUDLET,
        "a cloudlet that starts again has forgotten its clock and its queue");
  }
}
