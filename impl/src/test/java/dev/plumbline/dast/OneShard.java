package dev.plumbline.dast;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

/** One region of one shard with replicas n1, n2 and so on; a second region has one node. */
final class OneShard implements Layout {
  static final long REMOTE_KEY = 100;
  private final List<String> nodes;
  private final List<String> all;

  OneShard(int replicas) {
    nodes = IntStream.rangeClosed(1, replicas).mapToObj(i -> "n" + i).toList();
    all = new ArrayList<>(nodes);
    all.add("m");
    all.add("other");
  }

  @Override
  public String shard(long key) {
    return key == REMOTE_KEY ? "t" : "s";
  }

  @Override
  public String shardOf(String node) {
    return node.equals("other") ? "t" : "s";
  }

  @Override
  public List<String> replicas(String shard) {
    return shard.equals("t") ? List.of("other") : nodes;
  }

  @Override
  public String region(String process) {
    return process.equals("other") ? "B" : "A";
  }

  @Override
  public String shardRegion(String shard) {
    return shard.equals("t") ? "B" : "A";
  }

  @Override
  public List<String> nodes(String region) {
    return region.equals("A") ? nodes : List.of("other");
  }

  @Override
  public String manager(String region) {
    return "m";
  }

  @Override
  public List<String> managers() {
    return List.of("m");
  }

  @Override
  public int processes() {
    return all.size();
  }

  @Override
  public long nid(String process) {
    return all.indexOf(process) + 1L;
  }
}
