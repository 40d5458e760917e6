package dev.plumbline.dast;

import java.util.Map;
import java.util.TreeMap;

/**
 * A region's view (section 4.4).
 *
 * @param number how many changes there were before it
 * @param members nodes that take part, each by its incarnation
 * @param manager the manager's incarnation
 */
public record View(long number, Map<String, Long> members, long manager) {

  /**
   * The incarnation of a node that never failed. The first of each epoch is a multiple of it: in
   * one epoch a node is removed less often.
   */
  public static final long FIRST = 1_000_000;

  /** Everybody in the first incarnation. */
  static View first(Layout layout, String region) {
    Map<String, Long> members = new TreeMap<>();
    layout.nodes(region).forEach(node -> members.put(node, FIRST));
    return new View(0, members, 1);
  }

  boolean has(String node, long incarnation) {
    return members.getOrDefault(node, 0L) == incarnation;
  }
}
