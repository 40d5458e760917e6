package dev.plumbline.engage.system;

import dev.plumbline.engage.Layout;
import dev.plumbline.protocol.Bandwidth;
import dev.plumbline.protocol.RttTable;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * A deployment as text. A line says one thing, {@code #} begins a remark:
 *
 * <pre>
 * cloudlet c1 at north
 * broker b1 at north
 * link c1 b1
 * partition A c1 c2
 * latency north south 20000      # one way, microseconds
 * limit north 1000 500           # what its link carries: Mbps down, Mbps up
 * </pre>
 *
 * <p>A pair of sites without a latency is as far apart as the shortest way over pairs that have
 * one.
 */
final class DeploymentText {
  private static final int MOST_NODES = 128;
  private static final String NAME = "[A-Za-z][A-Za-z0-9_-]{0,31}";

  /** Names that stand for something else, and for what. */
  private static final Map<String, String> RESERVED =
      Map.of(
          "none", "sessions that are at no cloudlet say so",
          "client", "it is the name in clients' certificates");

  private final List<String> cloudlets = new ArrayList<>();
  private final List<String> brokers = new ArrayList<>();
  private final List<List<String>> links = new ArrayList<>();
  private final Map<String, List<String>> partitions = new TreeMap<>();
  private final Map<String, String> sites = new LinkedHashMap<>();
  private final Map<List<String>, Long> latencies = new LinkedHashMap<>();
  private final Map<String, Bandwidth> limits = new TreeMap<>();
  private final Map<String, Integer> named = new TreeMap<>();
  private final List<Integer> lines = new ArrayList<>();
  private int line;

  private DeploymentText() {}

  /**
   * Reads a text.
   *
   * @throws IllegalArgumentException saying what is wrong, in which line, and what helps
   */
  static EngageDeployment read(String text) {
    DeploymentText reading = new DeploymentText();
    for (String each : text.lines().toList()) {
      reading.line++;
      String said = each.replaceFirst("#.*", "").strip();
      if (!said.isEmpty()) {
        reading.take(Arrays.asList(said.split("\\s+")));
      }
    }
    return reading.whole();
  }

  private void take(List<String> words) {
    String first = words.get(0);
    switch (first) {
      case "cloudlet", "broker" -> {
        demand(words, words.size() == 4 && words.get(2).equals("at"), first + " NAME at SITE");
        String name = name(words.get(1));
        if (RESERVED.containsKey(name)) {
          throw wrong("no node can be called " + name + ": " + RESERVED.get(name) + "; rename it");
        } else if (sites.put(name, name(words.get(3))) != null) {
          throw wrong("two nodes are called " + name + "; rename one");
        }
        named.put(name, line);
        (first.equals("cloudlet") ? cloudlets : brokers).add(name);
      }
      case "link" -> {
        demand(words, words.size() == 3, "link NODE NODE");
        links.add(List.of(node(words.get(1)), node(words.get(2))));
        lines.add(line);
      }
      case "partition" -> {
        demand(words, words.size() >= 3, "partition NAME CLOUDLET…");
        List<String> here = words.subList(2, words.size());
        here.forEach(this::cloudlet);
        if (here.stream().distinct().count() < here.size()) {
          throw wrong("partition " + words.get(1) + " names a cloudlet twice; remove one");
        } else if (partitions.put(name(words.get(1)), List.copyOf(here)) != null) {
          throw wrong("there are two partitions " + words.get(1) + "; remove one");
        }
      }
      case "latency" -> {
        demand(words, words.size() == 4, "latency SITE SITE MICROSECONDS");
        String a = site(words.get(1));
        String b = site(words.get(2));
        if (a.equals(b)) {
          throw wrong("a site has no latency to itself; remove the line");
        } else if (latencies.put(List.of(a, b), number(words.get(3), 0)) != null) {
          throw wrong("there are two latencies between " + a + " and " + b + "; remove one");
        }
        latencies.put(List.of(b, a), number(words.get(3), 0));
      }
      case "limit" -> {
        demand(words, words.size() == 4, "limit SITE MBPS-DOWN MBPS-UP");
        Bandwidth limit = new Bandwidth(number(words.get(2), 1), number(words.get(3), 1));
        if (limits.put(site(words.get(1)), limit) != null) {
          throw wrong("there are two limits of " + words.get(1) + "; remove one");
        }
      }
      default ->
          throw wrong(
              "a line begins with cloudlet, broker, link, partition, latency or limit, not "
                  + first);
    }
  }

  private void demand(List<String> words, boolean right, String form) {
    if (!right) {
      throw wrong("\"" + String.join(" ", words) + "\" is not of the form " + form);
    }
  }

  private String name(String word) {
    if (!word.matches(NAME)) {
      throw wrong("\"" + word + "\" is no name: a letter, then up to 31 letters, digits, _ and -");
    }
    return word;
  }

  private String node(String word) {
    if (!sites.containsKey(word)) {
      throw wrong("there is no node " + word + "; say where it is before its links");
    }
    return word;
  }

  private void cloudlet(String word) {
    if (!cloudlets.contains(word)) {
      throw wrong("there is no cloudlet " + word + "; there are " + String.join(", ", cloudlets));
    }
  }

  private String site(String word) {
    if (!sites.containsValue(word)) {
      throw wrong("no node is at " + word + "; say who is where first");
    }
    return word;
  }

  private long number(String word, long least) {
    if (!word.matches("\\d{1,9}") || Long.parseLong(word) < least) {
      throw wrong("\"" + word + "\" is no number from " + least + " to 999999999");
    }
    return Long.parseLong(word);
  }

  private IllegalArgumentException wrong(String what) {
    return new IllegalArgumentException("line " + line + ": " + what);
  }

  private EngageDeployment whole() {
    if (cloudlets.isEmpty() || partitions.isEmpty()) {
      throw new IllegalArgumentException(
          "there is no "
              + (cloudlets.isEmpty() ? "cloudlet" : "partition")
              + "; name one at least");
    } else if (sites.size() > MOST_NODES) {
      throw new IllegalArgumentException(
          "there are " + sites.size() + " nodes; " + MOST_NODES + " at most");
    }
    Layout layout;
    try {
      layout = Layout.of(cloudlets, brokers, links, partitions);
    } catch (Layout.Circle e) {
      throw new IllegalArgumentException(
          "line " + lines.get(links.lastIndexOf(e.link())) + ": " + e.getMessage(), e);
    } catch (Layout.Taken e) {
      throw new IllegalArgumentException("line " + named.get(e.node()) + ": " + e.getMessage(), e);
    }
    for (String broker : layout.brokers()) {
      // One beside a cloudlet that has several links.
      sites.computeIfAbsent(
          broker, b -> sites.get(b.substring(0, b.length() - Layout.OWN_BROKER.length())));
    }
    return new EngageDeployment(layout, sites, network(), limits);
  }

  private RttTable network() {
    List<String> names = sites.values().stream().distinct().toList();
    long[][] way = new long[names.size()][names.size()];
    boolean[][] said = new boolean[names.size()][names.size()];
    for (int a = 0; a < way.length; a++) {
      for (int b = 0; b < way.length; b++) {
        List<String> pair = List.of(names.get(a), names.get(b));
        said[a][b] = latencies.containsKey(pair);
        way[a][b] = a == b ? 0 : latencies.getOrDefault(pair, -1L);
      }
    }
    for (int over = 0; over < way.length; over++) {
      for (int a = 0; a < way.length; a++) {
        for (int b = 0; b < way.length; b++) {
          long there = way[a][over] < 0 || way[over][b] < 0 ? -1 : way[a][over] + way[over][b];
          if (!said[a][b] && there >= 0 && (way[a][b] < 0 || there < way[a][b])) {
            way[a][b] = there;
          }
        }
      }
    }
    List<List<Long>> trips = new ArrayList<>();
    for (int a = 0; a < way.length; a++) {
      List<Long> row = new ArrayList<>();
      for (int b = 0; b < a; b++) {
        if (way[a][b] < 0) {
          throw new IllegalArgumentException(
              "no latency connects " + names.get(a) + " with " + names.get(b) + "; add a line");
        }
        row.add(2 * way[a][b]);
      }
      row.add(EngageDeployment.INSIDE_MICROS);
      trips.add(row);
    }
    return new RttTable(names, trips);
  }
}
