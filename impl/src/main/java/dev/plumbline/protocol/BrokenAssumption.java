package dev.plumbline.protocol;

/** Assumptions about clocks that {@code --break} violates, in runs that must be caught. */
public enum BrokenAssumption {
  /** TrueTime intervals miss the reference time. */
  ORACLE_BOUND("oracle-bound"),
  /** Interval clocks run far faster or slower than the drift bound allows. */
  DRIFT("drift");

  private final String option;

  BrokenAssumption(String option) {
    this.option = option;
  }

  /** Finds the assumption of that name. */
  public static BrokenAssumption parse(String name) {
    for (BrokenAssumption assumption : values()) {
      if (assumption.option.equals(name)) {
        return assumption;
      }
    }
    throw new IllegalArgumentException(
        "no assumption \"" + name + "\"; there are oracle-bound, drift");
  }

  @Override
  public String toString() {
    return option;
  }
}
