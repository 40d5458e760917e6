package dev.plumbline.protocol;

/**
 * A node: a single server that handles its inputs one after the other.
 *
 * @param id unique name; also the name of its trace
 * @param role the role that it plays or stands by for; nodes of one role share one durable log, and
 *     the first listed starts as owner while the others wait for a failover
 * @param kind what the protocol builds for it, such as {@code data-node}
 * @param region a region of the topology
 * @param trueTime whether it has a TrueTime clock
 * @param stepMicros service time of one input, microseconds
 * @param syncMicros additional time of a step that persists anything, microseconds
 */
public record NodeSpec(
    String id,
    String role,
    String kind,
    String region,
    boolean trueTime,
    long stepMicros,
    long syncMicros) {

  public NodeSpec {
    if (stepMicros < 1 || syncMicros < 0) {
      throw new IllegalArgumentException(
          "node " + id + " needs a service time of at least 1 µs, and a sync time of at least 0");
    }
  }

  /** A node that plays a role of its own name. */
  public static NodeSpec of(
      String id, String kind, String region, long stepMicros, long syncMicros) {
    return new NodeSpec(id, id, kind, region, false, stepMicros, syncMicros);
  }

  /** The same node with a TrueTime clock. */
  public NodeSpec withTrueTime() {
    return new NodeSpec(id, role, kind, region, true, stepMicros, syncMicros);
  }

  /** A second node of the same kind that can take this one's role over. */
  public NodeSpec standby(String standbyId, String standbyRegion) {
    return new NodeSpec(standbyId, role, kind, standbyRegion, trueTime, stepMicros, syncMicros);
  }
}
