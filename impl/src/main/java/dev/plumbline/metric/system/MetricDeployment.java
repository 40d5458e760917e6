package dev.plumbline.metric.system;

import dev.plumbline.protocol.NodeSpec;
import dev.plumbline.protocol.RttTable;
import dev.plumbline.protocol.Topology;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.LongStream;

/**
 * The paper's three sites in the United States (section 7.1). Each has a Metric process with its
 * database and a replica of the store. The lock service is at the first, and the others stand by.
 */
final class MetricDeployment {
  static final String LOCKS = "lock-service";
  static final String REPLICA = "store-replica";
  static final String PROCESS = "metric-process";

  /** The lock service's role. */
  static final String LOCK_ROLE = "locks";

  /** The role of a store that no node plays. */
  static final String OUTSIDE = "store";

  private static final long STEP_MICROS = 20;
  private static final long SYNC_MICROS = 100;

  private static final RttTable NETWORK =
      new RttTable(
          List.of("S1", "S2", "S3"),
          List.of(List.of(200L), List.of(53_800L, 200L), List.of(24_200L, 72_100L, 200L)));

  private MetricDeployment() {}

  /**
   * The nodes.
   *
   * @param places whether processes have good clocks, so that a run can tell the order of its
   *     transactions; nothing else needs them
   * @param outside whether no node plays the store
   */
  static Topology topology(boolean places, boolean outside) {
    List<NodeSpec> nodes = new ArrayList<>();
    if (!outside) {
      store(nodes);
    }
    for (String region : NETWORK.regions()) {
      NodeSpec process = NodeSpec.of("m-" + region, PROCESS, region, STEP_MICROS, SYNC_MICROS);
      nodes.add(places ? process.withTrueTime() : process);
    }
    return new Topology(nodes, NETWORK);
  }

  private static void store(List<NodeSpec> nodes) {
    NodeSpec locks = null;
    for (String region : NETWORK.regions()) {
      if (locks == null) {
        locks = NodeSpec.of(LOCK_ROLE, LOCKS, region, STEP_MICROS, SYNC_MICROS);
        nodes.add(locks);
      } else {
        nodes.add(locks.standby(LOCK_ROLE + "-" + region, region));
      }
    }
    for (String region : NETWORK.regions()) {
      nodes.add(NodeSpec.of("r-" + region, REPLICA, region, STEP_MICROS, SYNC_MICROS));
    }
  }

  /**
   * One database at the first site, without any of Metric.
   *
   * @param standbys whether each other site has a copy
   */
  static Topology databases(boolean standbys) {
    List<String> regions = NETWORK.regions();
    List<NodeSpec> nodes = new ArrayList<>();
    for (String region : standbys ? regions : regions.subList(0, 1)) {
      nodes.add(
          nodes.isEmpty()
              ? NodeSpec.of(
                  MetricBench.DATABASE, MetricBench.DATABASE, region, STEP_MICROS, SYNC_MICROS)
              : NodeSpec.of(
                  "standby-" + region, MetricBench.STANDBY, region, STEP_MICROS, SYNC_MICROS));
    }
    return new Topology(nodes, NETWORK);
  }

  /** A process's number, from 1 on. */
  static long site(String process) {
    return 1L + NETWORK.index(process.substring("m-".length()));
  }

  /** The tables, by the number that there are. */
  static List<String> tables(long count) {
    return LongStream.rangeClosed(1, count).mapToObj(n -> "T" + n).toList();
  }
}
