package dev.plumbline.metric;

/**
 * How far a table has the redo log: the first {@code length} records of an entry, and all of those
 * that this one follows. Positions have no order of their own, as the sites' clocks have none.
 */
public record Position(Uuid entry, int length) {
  /** Of a table that has nothing of the log yet. */
  public static final Position NONE = new Position(new Uuid(0, 0), 0);

  /** What {@link #toString} has written. */
  public static Position of(String text) {
    String[] parts = text.split("[./]", -1);
    if (parts.length != 3) {
      throw new IllegalArgumentException("no position in the redo log: " + text);
    }
    return new Position(
        new Uuid(Long.parseLong(parts[0]), Long.parseLong(parts[1])), Integer.parseInt(parts[2]));
  }

  @Override
  public String toString() {
    return entry + "/" + length;
  }
}
