package dev.plumbline.engage.system;

import dev.plumbline.engage.Layout;
import dev.plumbline.protocol.Bandwidth;
import dev.plumbline.protocol.NodeSpec;
import dev.plumbline.protocol.RttTable;
import dev.plumbline.protocol.Settings;
import dev.plumbline.protocol.Topology;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Who is where. A site has a cloudlet, a broker, or both, and the clients that prefer it.
 *
 * @param layout tree and placement
 * @param sites of the nodes
 * @param network between sites
 * @param limits of what the links of some sites carry
 */
record EngageDeployment(
    Layout layout, Map<String, String> sites, RttTable network, Map<String, Bandwidth> limits) {
  static final String CLOUDLET = "cloudlet";
  static final String BROKER = "broker";

  /** A small tree for tests. */
  static final long SMALL = 0;

  /** The paper's locality-driven placement (Fig. 3a). */
  static final long LOCALITY = 1;

  /** The paper's uniform placement (Fig. 3b). */
  static final long UNIFORM = 2;

  private static final long STEP_MICROS = 20;
  private static final long SYNC_MICROS = 100;
  static final long INSIDE_MICROS = 200;

  /** One way from an edge node to its region's datacenter (IV-A). */
  private static final long EDGE_MICROS = 10_000;

  /** One way between neighbouring datacenters; the paper's figure of it is not in its text. */
  private static final long REMOTE_MICROS = 20_000;

  /** What an edge node's link carries in the paper (IV-A): 1 Gbps down, 500 Mbps up. */
  private static final Bandwidth EDGE_LIMIT = new Bandwidth(1_000, 500);

  static EngageDeployment of(Settings settings) {
    if (!settings.deployment().isEmpty()) {
      return DeploymentText.read(settings.deployment());
    }
    long setting = settings.parameter("setting", SMALL);
    long remote = settings.latency("remoteMicros", REMOTE_MICROS);
    if (setting == SMALL) {
      return small(remote);
    } else if (setting == LOCALITY) {
      return paper(remote, locality());
    } else if (setting == UNIFORM) {
      return paper(remote, uniform());
    }
    throw new IllegalArgumentException(
        "setting is 0 (small), 1 (locality-driven) or 2 (uniform), not " + setting);
  }

  /** Five cloudlets at three brokers in a row; c3 has no link but to its broker's site. */
  private static EngageDeployment small(long remote) {
    Layout layout =
        Layout.of(
            List.of("c1", "c2", "c3", "c4", "c5"),
            List.of("b1", "b2", "b3"),
            List.of(
                List.of("c1", "b1"),
                List.of("c2", "b1"),
                List.of("c3", "b2"),
                List.of("c4", "b3"),
                List.of("c5", "b3"),
                List.of("b1", "b2"),
                List.of("b2", "b3")),
            new TreeMap<>(
                Map.of(
                    "A",
                    List.of("c1", "c3"),
                    "B",
                    List.of("c2", "c3", "c4"),
                    "C",
                    List.of("c1", "c4", "c5"),
                    "D",
                    List.of("c2", "c5"))));
    Map<String, String> sites = new LinkedHashMap<>();
    sites.put("b1", "r1");
    sites.put("c1", "r1");
    sites.put("c2", "r1");
    sites.put("b2", "r2");
    sites.put("c3", "r2");
    sites.put("b3", "r3");
    sites.put("c4", "r3");
    sites.put("c5", "r3");
    RttTable network =
        new RttTable(
            List.of("r1", "r2", "r3"),
            List.of(
                List.of(INSIDE_MICROS),
                List.of(2 * remote, INSIDE_MICROS),
                List.of(4 * remote, 2 * remote, INSIDE_MICROS)));
    return new EngageDeployment(layout, sites, network, Map.of());
  }

  /** Four datacenters in a row, 1 to 4, with three edge nodes each, 5 to 16 (Fig. 3). */
  private static EngageDeployment paper(long remote, Map<String, List<String>> partitions) {
    List<String> cloudlets = new ArrayList<>();
    List<String> brokers = new ArrayList<>();
    List<List<String>> links = new ArrayList<>();
    Map<String, String> sites = new LinkedHashMap<>();
    List<String> names = new ArrayList<>();
    for (int n = 1; n <= 16; n++) {
      cloudlets.add("c" + n);
      names.add("s" + n);
      sites.put("c" + n, "s" + n);
      links.add(List.of("c" + n, "b" + region(n)));
    }
    for (int r = 1; r <= 4; r++) {
      brokers.add("b" + r);
      sites.put("b" + r, "s" + r);
      if (r > 1) {
        links.add(List.of("b" + (r - 1), "b" + r));
      }
    }
    Map<String, Bandwidth> limits = new TreeMap<>();
    for (int n = 5; n <= 16; n++) {
      limits.put("s" + n, EDGE_LIMIT);
    }
    List<List<Long>> trips = new ArrayList<>();
    for (int a = 1; a <= 16; a++) {
      List<Long> row = new ArrayList<>();
      for (int b = 1; b < a; b++) {
        long edges = (a > 4 ? EDGE_MICROS : 0) + (b > 4 ? EDGE_MICROS : 0);
        row.add(2 * (edges + remote * Math.abs(region(a) - region(b))));
      }
      row.add(INSIDE_MICROS);
      trips.add(row);
    }
    return new EngageDeployment(
        Layout.of(cloudlets, brokers, links, partitions),
        sites,
        new RttTable(names, trips),
        limits);
  }

  private static int region(int cloudlet) {
    return cloudlet <= 4 ? cloudlet : (cloudlet - 5) / 3 + 1;
  }

  /** Each partition at every replica of two neighbouring regions. */
  private static Map<String, List<String>> locality() {
    Map<String, List<String>> partitions = new TreeMap<>();
    for (int p = 0; p < 3; p++) {
      List<String> here = new ArrayList<>();
      for (int n = 1; n <= 16; n++) {
        if (region(n) == p + 1 || region(n) == p + 2) {
          here.add("c" + n);
        }
      }
      partitions.put(String.valueOf((char) ('A' + p)), here);
    }
    return partitions;
  }

  /** Each partition at its region's datacenter and two edge nodes, and at one of another region. */
  private static Map<String, List<String>> uniform() {
    return new TreeMap<>(
        Map.of(
            "A", List.of("c1", "c5", "c6", "c8"),
            "B", List.of("c2", "c9", "c10", "c11"),
            "C", List.of("c3", "c12", "c13", "c14"),
            "D", List.of("c4", "c15", "c16", "c7")));
  }

  /** The nodes; without brokers where cloudlets send each other everything. */
  Topology topology(boolean mesh) {
    List<NodeSpec> nodes = new ArrayList<>();
    if (!mesh) {
      layout
          .brokers()
          .forEach(b -> nodes.add(NodeSpec.of(b, BROKER, sites.get(b), STEP_MICROS, SYNC_MICROS)));
    }
    layout
        .cloudlets()
        .forEach(c -> nodes.add(NodeSpec.of(c, CLOUDLET, sites.get(c), STEP_MICROS, SYNC_MICROS)));
    return new Topology(nodes, network);
  }

  /** What a site's link carries. */
  Bandwidth limit(String site) {
    return limits.getOrDefault(site, Bandwidth.UNLIMITED);
  }

  /** The object that a key is. */
  String object(long key) {
    List<String> partitions = List.copyOf(layout.partitions().keySet());
    return partitions.get((int) Math.floorMod(key, (long) partitions.size())) + "/" + key;
  }

  /** The cloudlet that a site's clients prefer: one there, else the nearest. */
  String preferred(String site, int place) {
    List<String> here = layout.cloudlets().stream().filter(c -> sites.get(c).equals(site)).toList();
    return here.isEmpty() ? nearest(site, layout.cloudlets()) : here.get(place % here.size());
  }

  /** The nearest of some cloudlets. */
  String nearest(String site, List<String> some) {
    return some.stream().min(Comparator.comparing(c -> rttMicros(site, c))).orElseThrow();
  }

  /** How far a site is from a cloudlet. */
  long rttMicros(String site, String cloudlet) {
    return network.rttMicros(network.index(site), network.index(sites.get(cloudlet)));
  }
}
