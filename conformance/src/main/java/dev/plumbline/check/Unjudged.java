package dev.plumbline.check;

/**
 * Something else than what was asked kept a run from a verdict: this machine (a killed process, too
 * little memory, a full disk), or the time allowed.
 */
public final class Unjudged extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final boolean late;

  /** This machine did. */
  public Unjudged(String message) {
    this(message, false);
  }

  private Unjudged(String message, boolean late) {
    super(message);
    this.late = late;
  }

  /** The time allowed was over first. */
  public static Unjudged late(String message) {
    return new Unjudged(message, true);
  }

  /** Whether the time allowed was over first. */
  public boolean late() {
    return late;
  }
}
