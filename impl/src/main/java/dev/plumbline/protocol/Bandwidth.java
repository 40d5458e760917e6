package dev.plumbline.protocol;

/**
 * What a node's link to the network carries, in megabits a second; 0: no limit.
 *
 * @param downMbps what the node can receive
 * @param upMbps what it can send
 */
public record Bandwidth(long downMbps, long upMbps) {
  /** No limits. */
  public static final Bandwidth UNLIMITED = new Bandwidth(0, 0);

  public Bandwidth {
    if (downMbps < 0 || upMbps < 0) {
      throw new IllegalArgumentException("a limit of bandwidth is 1 Mbps at least, or 0 for none");
    }
  }

  /** How long so many bytes take, microseconds; at once where there is no limit. */
  public static double micros(long bytes, long mbps) {
    return mbps == 0 ? 0 : 8.0 * bytes / mbps;
  }
}
