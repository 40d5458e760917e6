package dev.plumbline.dast.system;

import dev.plumbline.dast.Layout;
import dev.plumbline.protocol.NodeSpec;
import dev.plumbline.protocol.RttTable;
import dev.plumbline.protocol.Settings;
import dev.plumbline.protocol.Topology;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * Regions as in section 6: 5 ms inside a region, 100 ms between two. Each has a manager and some
 * shards of some replicas. Pairs of neighbouring keys go to the shards in turn.
 */
final class DastDeployment implements Layout {
  static final String NODE = "node";
  static final String MANAGER = "manager";

  private static final int REPLICAS = 3;
  private static final int MOST_REPLICAS = 9;
  private static final long LOCAL_MICROS = 5_000;
  static final long REMOTE_MICROS = 100_000;

  /** Service time of one input: 50,000 a second and node. */
  private static final long STEP_MICROS = 20;

  /** Regions, and shards of each. */
  private static final int MOST = 100;

  /** Digits of the greatest nid: of 100 regions with a manager and 100 shards of 9 each. */
  private static final int NID_DIGITS = 5;

  private final List<String> regions = new ArrayList<>();
  private final List<String> shards = new ArrayList<>();
  private final Map<String, String> regionOf = new LinkedHashMap<>();
  private final Map<String, String> shardOf = new LinkedHashMap<>();
  private final Map<String, List<String>> replicas = new LinkedHashMap<>();
  private final Map<String, List<String>> nodesOf = new LinkedHashMap<>();
  private final Map<String, Long> nids = new LinkedHashMap<>();
  private final long remoteMicros;

  /** The deployment that a run's parameters name. */
  static DastDeployment of(Settings settings) {
    return new DastDeployment(
        settings.count("regions", 3, MOST),
        settings.count("shards", 2, MOST),
        replicas(settings),
        settings.latency("remoteMicros", REMOTE_MICROS));
  }

  /** How many a shard has: 2f+1. */
  static int replicas(Settings settings) {
    return settings.count("replicas", REPLICAS, MOST_REPLICAS);
  }

  DastDeployment(int regionCount, int shardsPerRegion) {
    this(regionCount, shardsPerRegion, REPLICAS, REMOTE_MICROS);
  }

  DastDeployment(int regionCount, int shardsPerRegion, int copies, long remoteMicros) {
    this.remoteMicros = remoteMicros;
    for (int r = 1; r <= regionCount; r++) {
      String region = "r" + r;
      regions.add(region);
      regionOf.put(manager(region), region);
      for (int s = 1; s <= shardsPerRegion; s++) {
        String shard = region + "s" + s;
        shards.add(shard);
        List<String> nodes = new ArrayList<>();
        for (int n = 1; n <= copies; n++) {
          String node = shard + "n" + n;
          nodes.add(node);
          regionOf.put(node, region);
          nodesOf.computeIfAbsent(region, name -> new ArrayList<>()).add(node);
          shardOf.put(node, shard);
        }
        replicas.put(shard, List.copyOf(nodes));
      }
    }
    regionOf.keySet().forEach(process -> nids.put(process, nids.size() + 1L));
  }

  /** The shard that a node replicates; a manager stands for itself. */
  static String shardName(NodeSpec node) {
    String role = node.role();
    return node.kind().equals(MANAGER) ? role : role.substring(0, role.lastIndexOf('n'));
  }

  Topology topology() {
    List<NodeSpec> nodes = new ArrayList<>();
    regionOf.forEach(
        (process, region) ->
            nodes.add(
                NodeSpec.of(
                    process,
                    shardOf.containsKey(process) ? NODE : MANAGER,
                    region,
                    STEP_MICROS,
                    0)));
    List<List<Long>> trips = new ArrayList<>();
    for (int i = 0; i < regions.size(); i++) {
      List<Long> row = new ArrayList<>(Collections.nCopies(i, remoteMicros));
      row.add(LOCAL_MICROS);
      trips.add(row);
    }
    return new Topology(nodes, new RttTable(regions, trips));
  }

  List<String> regions() {
    return regions;
  }

  List<String> shards() {
    return shards;
  }

  @Override
  public String shard(long key) {
    return shards.get((int) Math.floorMod(key / 2, (long) shards.size()));
  }

  @Override
  public String shardOf(String node) {
    return shardOf.get(node);
  }

  @Override
  public List<String> replicas(String shard) {
    return replicas.get(shard);
  }

  @Override
  public String region(String process) {
    return regionOf.get(process);
  }

  @Override
  public String shardRegion(String shard) {
    List<String> nodes = replicas.get(shard);
    if (nodes == null) {
      throw new IllegalArgumentException("there is no shard " + shard);
    }
    return regionOf.get(nodes.get(0));
  }

  @Override
  public List<String> nodes(String region) {
    return nodesOf.get(region);
  }

  @Override
  public String manager(String region) {
    return "m-" + region;
  }

  @Override
  public List<String> managers() {
    return regions.stream().map(this::manager).toList();
  }

  @Override
  public int processes() {
    return regionOf.size();
  }

  @Override
  public long nid(String process) {
    return nids.get(process);
  }

  @Override
  public String idAt(String node, String id) {
    return id + String.format(Locale.ROOT, "%0" + NID_DIGITS + "d", nid(node));
  }

  /** What the client calls a transaction of this id. */
  static String clients(String id) {
    return id.substring(0, Math.max(0, id.length() - NID_DIGITS));
  }
}
