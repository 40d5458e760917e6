package dev.plumbline.dast;

import java.util.List;

/** One region of one shard with three replicas, n1 to n3; a second region has one node. */
final class OneShard implements Layout {
  static final long REMOTE_KEY = 100;
  private static final List<String> NODES = List.of("n1", "n2", "n3");

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
    return shard.equals("t") ? List.of("other") : NODES;
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
    return region.equals("A") ? NODES : List.of("other");
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
    return 5;
  }

  @Override
  public long nid(String process) {
    return List.of("n1", "n2", "n3", "m", "other").indexOf(process) + 1L;
  }
}
