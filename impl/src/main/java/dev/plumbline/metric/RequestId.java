package dev.plumbline.metric;

/**
 * Names a transaction however often it is sent: a client, which runs one at a time, and a number,
 * which grows.
 */
public record RequestId(String client, long number) {
  /** The writer of what nobody has written. */
  public static final RequestId NONE = new RequestId("", 0);

  @Override
  public String toString() {
    return equals(NONE) ? "" : client + "." + number;
  }
}
