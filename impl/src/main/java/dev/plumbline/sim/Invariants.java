package dev.plumbline.sim;

/** Fails a run in which the simulator itself found something wrong. */
public final class Invariants implements Judge {

  @Override
  public String name() {
    return "invariants";
  }

  @Override
  public Ruling judge(RunResult result) {
    return result.violations().isEmpty()
        ? new Ruling(name(), Verdict.HOLDS, "")
        : new Ruling(name(), Verdict.FAILS, String.join("\n", result.violations()));
  }
}
