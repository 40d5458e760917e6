package dev.plumbline.sim;

/** Says whether what a run gave is right. */
public interface Judge {

  /** The name in tables, such as {@code witness}. */
  String name();

  /** Whether runs of a workload, by its name, have anything that it judges. */
  default boolean judges(String workload) {
    return true;
  }

  /** Judges one run. Runs are judged on several threads at once. */
  Ruling judge(RunResult result);

  /** A verdict. */
  enum Verdict {
    HOLDS,
    FAILS,
    /** The judge cannot tell; the detail says why. */
    UNKNOWN,
    /** The judge does not apply to this run; the detail says why. */
    NOT_RUN
  }

  /**
   * What a judge found.
   *
   * @param detail empty if it holds
   */
  record Ruling(String judge, Verdict verdict, String detail) {}
}
