package dev.plumbline.metric.sql.log;

/** The Metric process did not do what was asked. */
public final class Nack extends Exception {
  private static final long serialVersionUID = 1;

  /** What is known of the outcome. */
  public enum Kind {
    /** Nothing was done: the tables are not to be had, or were taken away. */
    LOST,
    /** Nothing was done: the Metric process does not answer. */
    AWAY,
    /** Nothing was done: what was asked makes no sense, or is too much. */
    REFUSED,
    /** It may have been done, or may be done yet (METRIC-F11). */
    UNKNOWN
  }

  private final Kind kind;

  public Nack(Kind kind, String message) {
    super(message);
    this.kind = kind;
  }

  public Kind kind() {
    return kind;
  }
}
