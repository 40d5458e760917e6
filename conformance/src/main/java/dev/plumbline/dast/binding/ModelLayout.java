package dev.plumbline.dast.binding;

import com.fasterxml.jackson.databind.JsonNode;
import dev.plumbline.dast.Layout;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * A model's deployment. Processes are called by their nid.
 *
 * @param regionOf the region of each node and manager
 * @param replicasOf the nodes of each shard
 */
record ModelLayout(SortedMap<Integer, String> regionOf, SortedMap<String, List<Integer>> replicasOf)
    implements Layout {

  /** As the model has it. */
  static ModelLayout of(JsonNode region, JsonNode replicas) {
    SortedMap<Integer, String> regionOf = new TreeMap<>();
    region
        .properties()
        .forEach(p -> regionOf.put(Integer.valueOf(p.getKey()), p.getValue().textValue()));
    SortedMap<String, List<Integer>> replicasOf = new TreeMap<>();
    for (Map.Entry<String, JsonNode> shard : replicas.properties()) {
      List<Integer> nodes = new ArrayList<>();
      shard.getValue().forEach(n -> nodes.add(n.intValue()));
      replicasOf.put(shard.getKey(), nodes);
    }
    return new ModelLayout(regionOf, replicasOf);
  }

  /** The processes that replicate a shard. */
  List<Integer> nodes() {
    return replicasOf.values().stream().flatMap(List::stream).sorted().toList();
  }

  /** All others. */
  List<Integer> managerNids() {
    return regionOf.keySet().stream().filter(p -> !nodes().contains(p)).toList();
  }

  /** The processes of a region but one. */
  List<Integer> peers(int process) {
    return regionOf.keySet().stream()
        .filter(p -> p != process && regionOf.get(p).equals(regionOf.get(process)))
        .toList();
  }

  /** The key that is a shard's. */
  int key(String shard) {
    return replicasOf.headMap(shard).size();
  }

  @Override
  public String shard(long key) {
    return new ArrayList<>(replicasOf.keySet()).get((int) key);
  }

  @Override
  public String shardOf(String node) {
    return replicasOf.keySet().stream()
        .filter(shard -> replicas(shard).contains(node))
        .findFirst()
        .orElseThrow();
  }

  @Override
  public List<String> replicas(String shard) {
    return replicasOf.get(shard).stream().map(String::valueOf).toList();
  }

  @Override
  public String region(String process) {
    return regionOf.get(Integer.valueOf(process));
  }

  @Override
  public String shardRegion(String shard) {
    return regionOf.get(replicasOf.get(shard).get(0));
  }

  @Override
  public List<String> nodes(String region) {
    return in(region, nodes());
  }

  @Override
  public String manager(String region) {
    return in(region, managerNids()).get(0);
  }

  private List<String> in(String region, List<Integer> processes) {
    return processes.stream()
        .filter(p -> regionOf.get(p).equals(region))
        .map(String::valueOf)
        .toList();
  }

  @Override
  public List<String> managers() {
    return managerNids().stream().map(String::valueOf).toList();
  }

  @Override
  public int processes() {
    return regionOf.size();
  }

  @Override
  public long nid(String process) {
    return Long.parseLong(process);
  }
}
