package dev.plumbline.cluster;

import dev.plumbline.sim.RttTable;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * A network namespace for each region, joined by a bridge. Interfaces and namespaces carry a tag,
 * so that only what was made here is taken away.
 *
 * @param tag at most 8 letters and digits
 * @param prefix of the addresses, such as 192.0.2.
 * @param regions names
 */
public record Networks(String tag, String prefix, List<String> regions) {
  private static final int FIRST_HOST = 10;

  /** Prefixes of networks that are never routed; a machine may still use one for itself. */
  private static final List<String> DOCUMENTATION =
      List.of("198.51.100.", "203.0.113.", "192.0.2.");

  /** Whether this process may make network namespaces. */
  public static boolean available() {
    String probe = "plumb-probe-" + ProcessHandle.current().pid();
    return Commands.succeeds(List.of("ip", "netns", "add", probe))
        && Commands.succeeds(List.of("ip", "netns", "del", probe));
  }

  /**
   * The first prefix that no route mentions.
   *
   * @param routes what {@code ip -4 route} says
   * @throws IOException if all are taken
   */
  public static String freePrefix(String routes) throws IOException {
    return DOCUMENTATION.stream()
        .filter(prefix -> !routes.contains(prefix))
        .findFirst()
        .orElseThrow(
            () -> new IOException("no network is free for the cluster's bridge; try --loopback"));
  }

  /** Networks on a prefix that is free; nothing is made yet. */
  public static Networks planned(String tag, List<String> regions) throws IOException {
    return new Networks(
        tag, freePrefix(Commands.must(List.of("ip", "-4", "route"))), List.copyOf(regions));
  }

  /** A region's address. */
  public String address(String region) {
    return prefix + (FIRST_HOST + regions.indexOf(region));
  }

  private String bridge() {
    return "pb" + tag;
  }

  private String namespace(String region) {
    return "plumb" + tag + "-" + region;
  }

  /** A command as it runs in a region's namespace. */
  public List<String> inside(String region, List<String> command) {
    return Stream.concat(Stream.of("ip", "netns", "exec", namespace(region)), command.stream())
        .toList();
  }

  /** Makes everything; what failed half-way is to be taken away by {@link #down}. */
  public void up() throws IOException {
    Commands.must(List.of("ip", "link", "add", bridge(), "type", "bridge"));
    Commands.must(List.of("ip", "addr", "add", prefix + "1/24", "dev", bridge()));
    Commands.must(List.of("ip", "link", "set", bridge(), "up"));
    for (int i = 0; i < regions.size(); i++) {
      String region = regions.get(i);
      String outer = "pv" + tag + "-" + i;
      Commands.must(List.of("ip", "netns", "add", namespace(region)));
      Commands.must(
          List.of(
              "ip",
              "link",
              "add",
              outer,
              "type",
              "veth",
              "peer",
              "name",
              "eth0",
              "netns",
              namespace(region)));
      Commands.must(List.of("ip", "link", "set", outer, "master", bridge(), "up"));
      Commands.must(inside(region, List.of("ip", "link", "set", "lo", "up")));
      Commands.must(
          inside(region, List.of("ip", "addr", "add", address(region) + "/24", "dev", "eth0")));
      Commands.must(inside(region, List.of("ip", "link", "set", "eth0", "up")));
      // TCP finds out sooner that a partition is over; kernels without the setting do without.
      Commands.run(inside(region, List.of("sysctl", "-q", "-w", "net.ipv4.tcp_rto_max_ms=1000")));
    }
  }

  /** Takes away what {@link #up} made; what is not there is passed over. */
  public void down() throws IOException {
    for (String region : regions) {
      Commands.run(List.of("ip", "netns", "del", namespace(region)));
    }
    Commands.run(List.of("ip", "link", "del", bridge()));
  }

  /** Whether the kernel has netem; the namespaces have to be up. */
  public boolean netem() {
    String region = regions.get(0);
    return Commands.succeeds(
            inside(
                region,
                List.of("tc", "qdisc", "add", "dev", "lo", "root", "netem", "delay", "1ms")))
        && Commands.succeeds(inside(region, List.of("tc", "qdisc", "del", "dev", "lo", "root")));
  }

  /** Has the kernel delay what regions send each other by half the round trip. */
  public void delay(RttTable rtt) throws IOException {
    for (String region : regions) {
      for (List<String> command : delayCommands(region, rtt)) {
        Commands.must(inside(region, command));
      }
    }
  }

  /** One region's: a class with a netem queue for each other region, chosen by destination. */
  List<List<String>> delayCommands(String region, RttTable rtt) {
    List<List<String>> commands = new ArrayList<>();
    commands.add(List.of("tc", "qdisc", "add", "dev", "eth0", "root", "handle", "1:", "htb"));
    int number = 1;
    for (Map.Entry<String, Long> other : oneWay(region, rtt).entrySet()) {
      String id = "1:" + ++number;
      commands.add(
          List.of(
              "tc", "class", "add", "dev", "eth0", "parent", "1:", "classid", id, "htb", "rate",
              "10gbit"));
      commands.add(
          List.of(
              "tc",
              "qdisc",
              "add",
              "dev",
              "eth0",
              "parent",
              id,
              "netem",
              "delay",
              other.getValue() + "us",
              "limit",
              "100000"));
      commands.add(
          List.of(
              "tc",
              "filter",
              "add",
              "dev",
              "eth0",
              "parent",
              "1:",
              "protocol",
              "ip",
              "u32",
              "match",
              "ip",
              "dst",
              address(other.getKey()) + "/32",
              "flowid",
              id));
    }
    return commands;
  }

  private Map<String, Long> oneWay(String region, RttTable rtt) {
    Map<String, Long> delays = new LinkedHashMap<>();
    for (String other : regions) {
      if (!other.equals(region)) {
        delays.put(other, rtt.rttMicros(rtt.index(region), rtt.index(other)) / 2);
      }
    }
    return delays;
  }
}
