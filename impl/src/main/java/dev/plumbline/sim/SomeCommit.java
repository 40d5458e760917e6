package dev.plumbline.sim;

/** Cannot tell where nothing that clients asked for committed: other judges saw next to nothing. */
public final class SomeCommit implements Judge {

  @Override
  public String name() {
    return "clients commit";
  }

  @Override
  public Ruling judge(RunResult result) {
    return result.stats().clientsCommitted() > 0
        ? new Ruling(name(), Verdict.HOLDS, "")
        : new Ruling(
            name(),
            Verdict.UNKNOWN,
            "nothing that clients asked for committed, so a history without a fault says nothing");
  }
}
