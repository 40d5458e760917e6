package dev.plumbline.dast;

import java.util.List;

/**
 * Which process plays which part. All answers are constant. Shards' names come from clients: one
 * that there is not is an {@link IllegalArgumentException}.
 */
public interface Layout {

  /** The shard of a key. */
  String shard(long key);

  /** The shard that a node replicates. */
  String shardOf(String node);

  /** The replicas of a shard: 2f+1 nodes of one region. */
  List<String> replicas(String shard);

  /** The region of a node or manager. */
  String region(String process);

  /** The region of a shard. */
  String shardRegion(String shard);

  /** All nodes of a region. */
  List<String> nodes(String region);

  /** The manager of a region. */
  String manager(String region);

  /** All managers, by region. */
  List<String> managers();

  /** How many nodes and managers there are. */
  int processes();

  /** The number of a process, from 1 to {@link #processes}; unique. */
  long nid(String process);

  /**
   * The id of a transaction that a client calls {@code id} and asks a node for. Where clients may
   * call two transactions of two nodes alike, these have two ids, in the order of the clients' own.
   */
  default String idAt(String node, String id) {
    return id;
  }
}
