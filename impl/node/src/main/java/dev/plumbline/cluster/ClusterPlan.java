package dev.plumbline.cluster;

import dev.plumbline.protocol.RttTable;
import java.nio.file.Path;
import java.util.Map;

/**
 * What to start.
 *
 * @param protocol its name on the command line
 * @param parameters the protocol's
 * @param deployment file that says who is where; null for the protocol's own deployment
 * @param folder for all that the cluster writes
 * @param cache for what makes nodes start quickly
 * @param registry where what is made is written down first
 * @param where the regions' networks, null for loopback
 * @param skew library that skews a process's wall clock, which TrueTime is then read off; or null
 * @param rtt round trips between regions
 * @param tls whether to use TLS on loopback as well
 * @param alone whether every node is a process of its own
 * @param traced whether nodes log their steps, for {@code ./plumb trace}
 * @param testing whether nodes take faults, and end with this process
 * @param bug a seeded bug, or null
 * @param bugs jar or folder that holds it, or null
 * @param store where nodes keep their logs, or the database that they reach by themselves; null for
 *     RocksDB
 */
public record ClusterPlan(
    String protocol,
    Map<String, Long> parameters,
    Path deployment,
    Path folder,
    Path cache,
    Registry registry,
    Networks.Where where,
    String skew,
    RttTable rtt,
    boolean tls,
    boolean alone,
    boolean traced,
    boolean testing,
    String bug,
    String bugs,
    StorePlan store) {

  /** Of the protocol's own deployment on loopback, for as long as this process lives. */
  public static ClusterPlan onLoopback(
      String protocol,
      Map<String, Long> parameters,
      Path folder,
      Path cache,
      Registry registry,
      RttTable rtt) {
    return new ClusterPlan(
        protocol,
        parameters,
        null,
        folder,
        cache,
        registry,
        null,
        null,
        rtt,
        false,
        false,
        true,
        true,
        null,
        null,
        null);
  }

  /** The same with TLS. */
  public ClusterPlan withTls() {
    return with(true, store);
  }

  /** The same with logs in a Cassandra. */
  public ClusterPlan withStore(StorePlan other) {
    return with(tls, other);
  }

  private ClusterPlan with(boolean encrypted, StorePlan kept) {
    return new ClusterPlan(
        protocol,
        parameters,
        deployment,
        folder,
        cache,
        registry,
        where,
        skew,
        rtt,
        encrypted,
        alone,
        traced,
        testing,
        bug,
        bugs,
        kept);
  }
}
