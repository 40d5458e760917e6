package dev.plumbline.metric.sql.tables;

import java.sql.SQLException;

/** A statement that Metric does not run, and why. */
public final class Refused extends SQLException {
  private static final long serialVersionUID = 1;

  /** SQLSTATE of a feature that is not supported. */
  public static final String UNSUPPORTED = "0A000";

  public static final String SYNTAX = "42601";
  public static final String NO_TABLE = "42P01";

  /** SQLSTATE of a statement that is too complex. */
  public static final String COMPLEX = "54001";

  private static final int SHOWN = 120;

  public Refused(String state, String why, String sql) {
    super("Metric refuses this statement: " + why + ". Statement: " + shorten(sql), state);
  }

  /** The statement names Metric's own schema. */
  public static Refused own(String sql) {
    return new Refused(UNSUPPORTED, "Metric's own tables are not for applications", sql);
  }

  static String shorten(String sql) {
    String line = sql.strip().replaceAll("\\s+", " ");
    return line.length() <= SHOWN
        ? line
        : line.substring(0, SHOWN) + "… (" + sql.length() + " characters)";
  }
}
