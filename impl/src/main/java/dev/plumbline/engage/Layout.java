package dev.plumbline.engage;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * Who there is, how the brokers' tree connects them (section III-B), and which cloudlets replicate
 * what (section III-A). An object belongs to the partition that its name begins with, up to a
 * slash.
 *
 * @param cloudlets in the order of the entries of clocks
 * @param brokers the inner nodes of the tree
 * @param neighbours of each node in the tree
 * @param partitions the cloudlets that replicate each
 */
public record Layout(
    List<String> cloudlets,
    List<String> brokers,
    SortedMap<String, List<String>> neighbours,
    SortedMap<String, List<String>> partitions) {
  /** No cloudlet ever makes as many; the sum of a clock's entries stays a number. */
  private static final long MOST_UPDATES = 1L << 48;

  /** The end of the name of a broker that a cloudlet gets beside it. */
  public static final String OWN_BROKER = "-broker";

  /** Links that are no tree. */
  public static final class Circle extends IllegalArgumentException {
    private static final long serialVersionUID = 1L;
    private final transient List<String> link;

    Circle(List<String> link, List<String> path) {
      super(
          "the link between "
              + link.get(0)
              + " and "
              + link.get(1)
              + " closes a circle: "
              + String.join(" - ", path)
              + " - "
              + link.get(0)
              + "; remove one of these links");
      this.link = link;
    }

    /** The link that closes it. */
    public List<String> link() {
      return link;
    }
  }

  /** A name that a cloudlet's own broker would get. */
  public static final class Taken extends IllegalArgumentException {
    private static final long serialVersionUID = 1L;
    private final String node;

    Taken(String node, String cloudlet) {
      super(
          "node "
              + node
              + " has the name of the broker that "
              + cloudlet
              + " gets for its links; rename it");
      this.node = node;
    }

    /** Who has it. */
    public String node() {
      return node;
    }
  }

  /**
   * Connects cloudlets and brokers. A cloudlet with several links (an inner node, III-B) gets a
   * broker beside it that has them, and so does one of two that are linked to each other alone.
   *
   * @param links pairs of names
   * @throws Circle if the links are no tree
   * @throws Taken if a node has the name that a cloudlet's own broker would get
   * @throws IllegalArgumentException if a node has no link, or a name is unknown
   */
  public static Layout of(
      List<String> cloudlets,
      List<String> brokers,
      List<List<String>> links,
      Map<String, List<String>> partitions) {
    List<String> inner = new ArrayList<>(brokers);
    SortedMap<String, List<String>> neighbours = new TreeMap<>();
    for (String node : all(cloudlets, inner)) {
      if (neighbours.put(node, new ArrayList<>()) != null) {
        throw new IllegalArgumentException("two nodes are called " + node);
      }
    }
    Map<String, String> group = new TreeMap<>();
    neighbours.keySet().forEach(node -> group.put(node, node));
    for (List<String> link : links) {
      String a = known(link.get(0), neighbours, "link " + link);
      String b = known(link.get(1), neighbours, "link " + link);
      if (root(group, a).equals(root(group, b))) {
        throw new Circle(link, path(neighbours, a, b));
      }
      group.put(root(group, a), root(group, b));
      neighbours.get(a).add(b);
      neighbours.get(b).add(a);
    }
    for (String node : neighbours.keySet()) {
      if (!root(group, node).equals(root(group, cloudlets.get(0)))) {
        throw new IllegalArgumentException(
            "no links connect " + node + " with " + cloudlets.get(0) + "; add one");
      }
    }
    if (links.isEmpty()) {
      throw new IllegalArgumentException(
          cloudlets.get(0) + " has no link; add a broker and a link to it");
    }
    for (String cloudlet : cloudlets) {
      List<String> here = neighbours.get(cloudlet);
      boolean pair = cloudlets.contains(here.get(0)) && neighbours.get(here.get(0)).size() == 1;
      if (here.size() > 1 || pair) {
        String own = cloudlet + OWN_BROKER;
        if (neighbours.containsKey(own)) {
          throw new Taken(own, cloudlet);
        }
        inner.add(own);
        for (String other : here) {
          Collections.replaceAll(neighbours.get(other), cloudlet, own);
        }
        neighbours.put(own, new ArrayList<>(here));
        neighbours.get(own).add(cloudlet);
        neighbours.put(cloudlet, List.of(own));
      }
    }
    for (Map.Entry<String, List<String>> partition : partitions.entrySet()) {
      if (partition.getValue().isEmpty()) {
        throw new IllegalArgumentException(
            "partition " + partition.getKey() + " has no cloudlet; name one at least");
      }
      for (String cloudlet : partition.getValue()) {
        if (!cloudlets.contains(cloudlet)) {
          throw unknown(cloudlet, cloudlets, "partition " + partition.getKey());
        }
      }
    }
    return new Layout(
        List.copyOf(cloudlets),
        List.copyOf(inner),
        Collections.unmodifiableSortedMap(neighbours),
        Collections.unmodifiableSortedMap(new TreeMap<>(partitions)));
  }

  private static List<String> all(List<String> cloudlets, List<String> brokers) {
    List<String> all = new ArrayList<>(cloudlets);
    all.addAll(brokers);
    return all;
  }

  private static String known(String name, Map<String, List<String>> nodes, String where) {
    if (!nodes.containsKey(name)) {
      throw unknown(name, List.copyOf(nodes.keySet()), where);
    }
    return name;
  }

  private static IllegalArgumentException unknown(String name, List<String> names, String where) {
    return new IllegalArgumentException(
        where + ": there is no " + name + "; there are " + String.join(", ", names));
  }

  private static String root(Map<String, String> group, String node) {
    String at = node;
    while (!group.get(at).equals(at)) {
      at = group.get(at);
    }
    return at;
  }

  private static List<String> path(Map<String, List<String>> neighbours, String from, String to) {
    if (from.equals(to)) {
      return List.of(from);
    }
    for (String next : neighbours.get(from)) {
      if (beyond(neighbours, from, next).contains(to)) {
        List<String> path = new ArrayList<>(List.of(from));
        path.addAll(path(neighbours, next, to));
        return path;
      }
    }
    return List.of();
  }

  private static SortedSet<String> beyond(
      Map<String, List<String>> neighbours, String from, String to) {
    SortedSet<String> found = new TreeSet<>(List.of(to));
    for (String next : neighbours.get(to)) {
      if (!next.equals(from)) {
        found.addAll(beyond(neighbours, to, next));
      }
    }
    return found;
  }

  /** The nodes on the far side of a link. */
  SortedSet<String> beyond(String from, String to) {
    return beyond(neighbours, from, to);
  }

  /** The broker of a cloudlet. */
  public String uplink(String cloudlet) {
    return neighbours.get(cloudlet).get(0);
  }

  /** A cloudlet's place in clocks, -1 if there is none of that name. */
  public int index(String cloudlet) {
    return cloudlets.indexOf(cloudlet);
  }

  /** The partition of an object. */
  public static String partition(String object) {
    int slash = object.indexOf('/');
    return slash < 0 ? object : object.substring(0, slash);
  }

  /** The cloudlets that replicate an object; none if there is no such partition. */
  public List<String> replicas(String object) {
    return partitions.getOrDefault(partition(object), List.of());
  }

  VectorClock zero() {
    return VectorClock.zero(cloudlets.size());
  }

  /** Whether a clock has an entry for each cloudlet and no impossible one. */
  boolean fits(VectorClock clock) {
    return clock.entries().size() == cloudlets.size()
        && clock.entries().stream().allMatch(entry -> entry >= 0 && entry <= MOST_UPDATES);
  }

  /** The same of a token's clocks, and whether they have a seal for each cloudlet. */
  boolean fits(EngageRequest.Token token) {
    return fits(token.read())
        && fits(token.write())
        && fits(token.tag())
        && token.seals().size() == cloudlets.size();
  }

  SealedClock sealedZero() {
    return SealedClock.zero(cloudlets.size());
  }

  /** A clock as the specification has it. */
  public Map<String, Long> words(VectorClock clock) {
    Map<String, Long> words = new TreeMap<>();
    for (int i = 0; i < cloudlets.size(); i++) {
      words.put(cloudlets.get(i), clock.at(i));
    }
    return words;
  }
}
