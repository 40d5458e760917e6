package dev.plumbline.sql.metric.log;

/** The Metric process did not do what was asked. */
public final class Nack extends Exception {
  private static final long serialVersionUID = 1;

  /** What is known of the outcome. */
  public enum Kind {
    /** Nothing was done: others hold the tables, or the store cannot be reached. */
    BUSY,
    /** Nothing was done: the tables were taken away. */
    LOST,
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
