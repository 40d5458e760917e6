package dev.plumbline.protocol;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The nodes of a deployment and the network between their regions.
 *
 * @param nodes in the order of their first start
 * @param network round-trip times
 */
public record Topology(List<NodeSpec> nodes, RttTable network) {

  public Topology {
    nodes = List.copyOf(nodes);
    Set<String> ids = new LinkedHashSet<>();
    for (NodeSpec node : nodes) {
      if (!ids.add(node.id())) {
        throw new IllegalArgumentException("two nodes are called " + node.id());
      }
      network.index(node.region());
    }
  }

  /** The regions, in the network's order. */
  public List<String> regions() {
    return network.regions();
  }

  /** The nodes of each role, its first owner first, in the order of first mention. */
  public Map<String, List<NodeSpec>> roles() {
    Map<String, List<NodeSpec>> roles = new LinkedHashMap<>();
    for (NodeSpec node : nodes) {
      roles.computeIfAbsent(node.role(), role -> new ArrayList<>()).add(node);
    }
    return roles;
  }

  /** The roles whose first owner is of {@code kind}, in the order of first mention. */
  public List<String> rolesOf(String kind) {
    return roles().entrySet().stream()
        .filter(entry -> entry.getValue().get(0).kind().equals(kind))
        .map(Map.Entry::getKey)
        .toList();
  }

  /** The roles whose first owner is of {@code kind} and in {@code region}. */
  public List<String> rolesOf(String kind, String region) {
    return roles().entrySet().stream()
        .filter(entry -> entry.getValue().get(0).kind().equals(kind))
        .filter(entry -> entry.getValue().get(0).region().equals(region))
        .map(Map.Entry::getKey)
        .toList();
  }
}
