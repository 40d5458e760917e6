package dev.plumbline.metric.sql.driver;

/** What our driver and the server say to each other beside what Avatica carries by itself. */
public final class Wire {
  /** The property of a connection that names the client's time zone: our driver alone sends it. */
  public static final String ZONE = "zone";

  /** Stands before the update counts of a batch in the message of its failure. */
  public static final String COUNTS = "; update counts: ";

  /**
   * The first element of an array that is sent as a parameter: the other ones are a text and what
   * the database does not need to read it, and the text has no type.
   */
  public static final String UNTYPED = "untyped";

  /** The first element of an array that is sent as a parameter: a type and elements follow. */
  public static final String ARRAY = "array";

  private Wire() {}
}
