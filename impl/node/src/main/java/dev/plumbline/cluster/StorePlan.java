package dev.plumbline.cluster;

import dev.plumbline.node.CassandraStore;
import dev.plumbline.node.NodeConfig;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * Where the nodes of a cluster keep their logs, when it is Cassandra: one that runs already, or
 * processes of the cluster's own. Where nodes reach a database by themselves ({@link
 * dev.plumbline.node.Outside}), it is that database: one for all of them, of which each region has
 * a node if it is the cluster's own.
 *
 * @param at where one runs already; empty for the cluster's own
 * @param keyspace that is asked for; null for one of the cluster's own
 * @param root folder of the repository, which says what Cassandra's processes need
 * @param shared whether the cluster's own is one for all regions, which is on loopback
 */
public record StorePlan(List<String> at, String keyspace, Path root, boolean shared) {
  private static final String ROCKS = "rocksdb";
  private static final String CASSANDRA = "cassandra";
  private static final String PREFIX = "plumbline_";

  /**
   * Reads {@code rocksdb}, {@code cassandra} or {@code cassandra=HOST:PORT,…[/KEYSPACE]}; null is
   * RocksDB, and stands for it.
   *
   * @throws IllegalArgumentException if it is none of these
   */
  public static StorePlan parse(String text, Path root) {
    if (text == null || text.equals(ROCKS)) {
      return null;
    } else if (text.equals(CASSANDRA)) {
      return new StorePlan(List.of(), null, root, false);
    } else if (!text.startsWith(CASSANDRA + "=")) {
      throw new IllegalArgumentException(
          "--store takes rocksdb, cassandra or cassandra=HOST:PORT[,...][/KEYSPACE], not " + text);
    }
    String[] parts = text.substring(CASSANDRA.length() + 1).split("/", 2);
    StorePlan plan =
        new StorePlan(
            List.of(parts[0].split(",", -1)), parts.length == 1 ? null : parts[1], root, false);
    try {
      if (plan.at().contains("")) {
        throw new IllegalArgumentException("no address: give HOST:PORT");
      }
      plan.place("any");
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException("--store " + text + ": " + e.getMessage(), e);
    }
    return plan;
  }

  /** The same with one Cassandra for all regions. */
  public StorePlan forAll() {
    return new StorePlan(at, keyspace, root, true);
  }

  /** Whether the cluster has Cassandra processes of its own. */
  boolean own() {
    return at.isEmpty();
  }

  /**
   * Refuses regions that are not where this process is and cannot have this. Other hosts have each
   * a Cassandra of their own at the addresses, which are on loopback.
   *
   * @param remote whether they are other hosts
   */
  void demandReach(boolean remote) {
    if (!own() && !remote) {
      throw new IllegalArgumentException(
          "--store: Cassandra at "
              + String.join(",", at)
              + " is not reached from a region's own"
              + " network; add --loopback");
    } else if (own() && remote) {
      throw new IllegalArgumentException(
          "--store cassandra: not on other hosts; start one on each, and say where on its loopback:"
              + " --store cassandra=127.0.0.1:PORT");
    }
  }

  /**
   * Refuses what cannot be the database that nodes of all regions reach by themselves.
   *
   * @param plan null for none
   * @param networks where the regions are; null if all have this process's loopback
   */
  static void demandOutside(StorePlan plan, Networks networks) {
    if (networks != null && networks.remote()) {
      throw new IllegalArgumentException(
          "with these parameters regions reach one Cassandra, by plain connections, which do not"
              + " leave this machine; leave out --hosts");
    } else if (plan == null) {
      throw new IllegalArgumentException(
          "with these parameters nodes reach a Cassandra by themselves: add --store cassandra, or"
              + " --store cassandra=HOST:PORT");
    } else if (networks != null) {
      plan.demandReach(false);
    }
  }

  private NodeConfig.Cassandra place(String cluster) {
    return place(cluster, 0);
  }

  private NodeConfig.Cassandra place(String cluster, int replicas) {
    String name = keyspace == null ? PREFIX + cluster : keyspace;
    return new NodeConfig.Cassandra(at, name, cluster, replicas, null).checked();
  }

  /** What nodes on hosts are told, each of which has its own: they make the keyspace themselves. */
  NodeConfig.Cassandra onHosts(String cluster) {
    return place(cluster, 1);
  }

  /**
   * Takes a keyspace of a Cassandra that runs already; what nodes are told.
   *
   * @throws IllegalArgumentException if it is another cluster's
   */
  NodeConfig.Cassandra taken(String cluster) throws IOException {
    NodeConfig.Cassandra place = place(cluster);
    CassandraStore.prepare(place, 1);
    return place;
  }

  /** What nodes are told that have a Cassandra of their own there. */
  static NodeConfig.Cassandra own(String address, String cluster) {
    return new NodeConfig.Cassandra(List.of(address), PREFIX + cluster, cluster, 1, null);
  }

  /**
   * What a region's nodes are told that have one node of the cluster's own ring near them.
   *
   * @param addresses of all of the ring, by region
   * @throws IllegalArgumentException if it is not to be reached by plain connections
   */
  static NodeConfig.Cassandra ring(Map<String, String> addresses, String region, String cluster) {
    List<String> nearFirst = new ArrayList<>(addresses.values());
    nearFirst.remove(addresses.get(region));
    nearFirst.add(0, addresses.get(region));
    return new NodeConfig.Cassandra(nearFirst, PREFIX + cluster, cluster, 0, region).checked();
  }
}
