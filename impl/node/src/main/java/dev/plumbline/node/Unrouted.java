package dev.plumbline.node;

import java.net.InetAddress;
import java.util.List;

/**
 * Networks for documentation and for benchmarks. No router carries them between machines, so the
 * network namespaces of a cluster on one machine have addresses there.
 */
public final class Unrouted {
  /** Networks with a prefix of 24 bits. */
  public static final List<String> NETWORKS =
      List.of("198.51.100.0/24", "203.0.113.0/24", "192.0.2.0/24", "198.18.0.0/24");

  private static final String END = "0/24";

  private Unrouted() {}

  /** Whether an address lies in one of them. */
  static boolean holds(InetAddress address) {
    return NETWORKS.stream()
        .map(network -> network.substring(0, network.length() - END.length()))
        .anyMatch(address.getHostAddress()::startsWith);
  }
}
