package dev.plumbline.k2.system;

import dev.plumbline.k2.Placement;
import dev.plumbline.protocol.NodeSpec;
import dev.plumbline.protocol.RttTable;
import dev.plumbline.protocol.Topology;
import java.util.ArrayList;
import java.util.List;

/**
 * The five regions of K2's Table 1. Each has an oracle server, a coordinator (the first has two), a
 * data node with a standby, and a replica of the data node of the region before it. A key's data
 * node is its number modulo five.
 */
final class K2Deployment implements Placement {
  static final String ORACLE = "oracle";
  static final String COORDINATOR = "coordinator";
  static final String DATA_NODE = "data-node";
  static final String REPLICA = "replica";

  /** An oracle gives about 60,000 timestamps a second (section 4.3). */
  private static final long ORACLE_MICROS = 16;

  private static final long STEP_MICROS = 20;
  private static final long SYNC_MICROS = 100;

  /** Table 1: three regions of the mainland's coast, Guiyang and Singapore. */
  private static final RttTable NETWORK =
      new RttTable(
          List.of("SH", "BJ", "GZ", "GY", "SG"),
          List.of(
              List.of(200L),
              List.of(27_300L, 200L),
              List.of(31_300L, 42_600L, 200L),
              List.of(29_200L, 38_500L, 28_000L, 200L),
              List.of(69_300L, 77_600L, 46_800L, 60_000L, 200L)));

  private final RttTable network = NETWORK;
  private final List<String> regions = network.regions();

  Topology topology() {
    List<NodeSpec> nodes = new ArrayList<>();
    for (String region : regions) {
      nodes.add(NodeSpec.of(oracle(region), ORACLE, region, ORACLE_MICROS, 0).withTrueTime());
    }
    for (String region : regions) {
      nodes.add(NodeSpec.of("c-" + region, COORDINATOR, region, STEP_MICROS, SYNC_MICROS));
    }
    String first = regions.get(0);
    nodes.add(NodeSpec.of("c-" + first + "2", COORDINATOR, first, STEP_MICROS, SYNC_MICROS));
    for (int i = 0; i < regions.size(); i++) {
      String region = regions.get(i);
      NodeSpec node = NodeSpec.of(dataNode(region), DATA_NODE, region, STEP_MICROS, SYNC_MICROS);
      nodes.add(node);
      nodes.add(node.standby(node.id() + "b", region));
      String next = regions.get((i + 1) % regions.size());
      nodes.add(NodeSpec.of(replica(region), REPLICA, next, STEP_MICROS, SYNC_MICROS));
    }
    return new Topology(nodes, network);
  }

  static String oracle(String region) {
    return "o-" + region;
  }

  private static String dataNode(String region) {
    return "dn-" + region;
  }

  private static String replica(String region) {
    return "rp-" + region;
  }

  /** The data node that a replica's role replays. */
  static String primaryOf(String replica) {
    return "dn-" + replica.substring("rp-".length());
  }

  private String region(long key) {
    return regions.get((int) Math.floorMod(key, (long) regions.size()));
  }

  @Override
  public String home(long key) {
    return dataNode(region(key));
  }

  @Override
  public String replica(long key) {
    return replica(region(key));
  }

  @Override
  public List<String> replicasOf(String home) {
    return List.of("rp-" + home.substring("dn-".length()));
  }
}
