package dev.plumbline.k2;

/** What a transaction record says (K2, section 5.2); no record is no status. */
public enum Status {
  PENDING("pending"),
  COMMITTED("committed"),
  ABORTED("aborted");

  private final String name;

  Status(String name) {
    this.name = name;
  }

  /** Whether it never changes again. */
  public boolean decided() {
    return this != PENDING;
  }

  /** The specification's word. */
  @Override
  public String toString() {
    return name;
  }
}
