package dev.plumbline.dast;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * A transaction: a procedure and what it asks of each shard.
 *
 * @param id unique decimal number; a client that asks again uses the same
 * @param procedure a registered one
 * @param parts by shard
 */
public record Txn(String id, String procedure, Map<String, Part> parts) {
  /** Ids as numbers: the order of transactions at equal timestamps (repair {@code TieBreak}). */
  static final Comparator<String> NUMBERS =
      Comparator.comparingInt(String::length).thenComparing(Comparator.naturalOrder());

  /**
   * One shard's share.
   *
   * @param piece of the procedure
   */
  public record Part(String piece, List<Step> steps) {}

  /** The transaction that a node coordinates where a client asks it for this one. */
  Txn at(String node, Layout layout) {
    return new Txn(layout.idAt(node, id), procedure, parts);
  }

  /** The regions of its shards, each once. */
  List<String> regions(Layout layout) {
    return parts.keySet().stream().map(layout::shardRegion).distinct().toList();
  }

  /** All replicas of its shards. */
  List<String> participants(Layout layout) {
    List<String> nodes = new ArrayList<>();
    parts.keySet().forEach(shard -> nodes.addAll(layout.replicas(shard)));
    return nodes;
  }

  /** The shard whose piece gives a value. */
  String giver(Procedures procedures, String value) {
    String piece = procedures.named(procedure).giver(value).name();
    return parts.entrySet().stream()
        .filter(part -> part.getValue().piece().equals(piece))
        .map(Map.Entry::getKey)
        .findFirst()
        .orElseThrow(
            () ->
                new IllegalArgumentException(
                    id + " has no piece " + piece + ", which gives " + value));
  }

  /** The values that a shard's piece needs, and the shards that give them. */
  Map<String, String> inputs(Procedures procedures, String shard) {
    Map<String, String> givers = new LinkedHashMap<>();
    for (String value : procedures.named(procedure).piece(parts.get(shard).piece()).inputs()) {
      givers.put(value, giver(procedures, value));
    }
    return givers;
  }
}
