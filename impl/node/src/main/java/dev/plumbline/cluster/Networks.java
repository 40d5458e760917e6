package dev.plumbline.cluster;

import dev.plumbline.node.Unrouted;
import dev.plumbline.protocol.RttTable;
import java.io.IOException;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ThreadLocalRandom;
import java.util.stream.Stream;

/**
 * A network namespace for each region, joined by a bridge. Interfaces and namespaces carry a tag,
 * so that only what was made here is taken away. Or a host for each region, such as a container,
 * that is there already and is reached by ssh.
 *
 * @param tag at most 8 letters and digits; empty for hosts
 * @param network of the addresses, such as 192.0.2.0/28; empty for hosts
 * @param regions names
 * @param hosts one for each region; empty for namespaces
 */
public record Networks(String tag, String network, List<String> regions, List<String> hosts) {
  public Networks {
    hosts = hosts == null ? List.of() : hosts;
  }

  /** Where regions are to be. */
  public interface Where {
    /**
     * Networks for these regions; nothing is made yet.
     *
     * @param others networks that somebody may be about to make
     */
    Networks plan(List<String> regions, List<Networks> others) throws IOException;
  }

  /** One connection a host, which many commands share; a host is known by its network alone. */
  private static final List<String> SSH =
      List.of(
          "ssh",
          "-q",
          "-n",
          "-o",
          "BatchMode=yes",
          "-o",
          "StrictHostKeyChecking=no",
          "-o",
          "UserKnownHostsFile=/dev/null",
          "-o",
          "ConnectTimeout=10",
          "-o",
          "ServerAliveInterval=15",
          "-o",
          "ControlMaster=auto",
          "-o",
          "ControlPersist=30",
          "-o",
          "ControlPath=/tmp/plumb-ssh-%C");

  private static final int TAG_BASE = 36;

  /** Of seven letters and digits. */
  private static final long FIRST_TAG = 36L * 36 * 36 * 36 * 36 * 36;

  private static final long LAST_TAG = FIRST_TAG * TAG_BASE;
  private static final Path LINKS = Path.of("/sys/class/net");
  private static final Path NAMESPACES = Path.of("/run/netns");
  private static final String PROBE = "plumb-probe-";

  /** The first and the last address, and the bridge's, are no region's. */
  private static final int RESERVED = 3;

  /** Whether this process may make network namespaces. One that was killed here left its probe. */
  public static boolean available() {
    String[] there =
        NAMESPACES.toFile().list((folder, name) -> name.matches(PROBE + "[0-9]{1,18}"));
    for (String left : there == null ? new String[0] : there) {
      if (ProcessHandle.of(Long.parseLong(left.substring(PROBE.length()))).isEmpty()) {
        Commands.succeeds(List.of("ip", "netns", "del", left));
      }
    }
    String probe = PROBE + ProcessHandle.current().pid();
    return Commands.succeeds(List.of("ip", "netns", "add", probe))
        && Commands.succeeds(List.of("ip", "netns", "del", probe));
  }

  /**
   * Refuses a network that cannot be had on any machine, also where none is made.
   *
   * @param asked null for any
   * @param hosts how many addresses it has to have
   * @throws IllegalArgumentException saying what is wrong with it
   */
  public static void demand(String asked, int hosts) {
    if (asked != null && Subnet.of(asked).size() < hosts + RESERVED) {
      throw new IllegalArgumentException(
          "--network " + asked + " is too small for " + hosts + " regions");
    }
  }

  /**
   * A network that nothing on the machine uses.
   *
   * @param asked the one to take; null for any
   * @param hosts how many addresses it has to have
   * @param used what the machine uses
   * @throws IllegalArgumentException if the one asked for is too small or in use
   * @throws IOException if all are taken
   */
  static String free(String asked, int hosts, List<Subnet> used) throws IOException {
    if (asked != null) {
      demand(asked, hosts);
      Subnet subnet = Subnet.of(asked);
      for (Subnet other : used) {
        if (subnet.overlaps(other)) {
          throw new IllegalArgumentException(
              "--network " + asked + ": this machine uses " + other + "; name another network");
        }
      }
      return subnet.toString();
    }
    int length = Integer.numberOfLeadingZeros(hosts + RESERVED - 1);
    for (String pool : Unrouted.NETWORKS) {
      Subnet whole = Subnet.of(pool);
      long size = 1L << (Subnet.BITS - length);
      for (long base = whole.base(); base < whole.base() + whole.size(); base += size) {
        Subnet candidate = new Subnet(base, length);
        if (used.stream().noneMatch(candidate::overlaps)) {
          return candidate.toString();
        }
      }
    }
    throw new IOException(
        "no network is free for the cluster's bridge; name one with --network, or try --loopback");
  }

  /**
   * Namespaces on addresses, and with names, that are free.
   *
   * @param asked the network to take; null for any
   */
  public static Where namespaces(String asked) {
    return (regions, others) -> {
      List<Subnet> used = new ArrayList<>(UsedAddresses.ofThisMachine());
      others.stream()
          .filter(other -> !other.remote())
          .forEach(o -> used.add(Subnet.of(o.network())));
      String network = free(asked, regions.size(), used);
      Networks drawn;
      do {
        drawn = new Networks(drawnTag(), network, List.copyOf(regions), List.of());
      } while (!drawn.left().isEmpty()
          || others.stream().map(Networks::tag).anyMatch(drawn.tag::equals));
      return drawn;
    };
  }

  private static String drawnTag() {
    return Long.toString(ThreadLocalRandom.current().nextLong(FIRST_TAG, LAST_TAG), TAG_BASE);
  }

  /**
   * Hosts that are there already, the first for the first region and so on. Planning fails with an
   * IllegalArgumentException if there are too few; those that are too many stay unused.
   */
  public static Where hosts(List<String> hosts) {
    return (regions, others) -> {
      if (hosts.size() < regions.size()) {
        throw new IllegalArgumentException(
            "--hosts: each of the regions %s needs a host, and there are only %s"
                .formatted(String.join(", ", regions), String.join(", ", hosts)));
      }
      return new Networks(
          "", "", List.copyOf(regions), List.copyOf(hosts.subList(0, regions.size())));
    };
  }

  /** Whether regions are other hosts, whose processes are not seen here. */
  public boolean remote() {
    return !hosts.isEmpty();
  }

  /**
   * A region's address.
   *
   * @throws IOException if a host is not known
   */
  public String address(String region) throws IOException {
    if (!remote()) {
      return Subnet.of(network).address(2L + regions.indexOf(region));
    }
    String host = hosts.get(regions.indexOf(region));
    try {
      return InetAddress.getByName(host).getHostAddress();
    } catch (UnknownHostException e) {
      throw new IOException("no address is known of the host " + host, e);
    }
  }

  private String length() {
    return "/" + Subnet.of(network).length();
  }

  private String bridge() {
    return "pb" + tag;
  }

  /** The end of a region's link that is outside its namespace. */
  private String outer(int region) {
    return "pv" + tag + "-" + region;
  }

  private String namespace(String region) {
    return "plumb" + tag + "-" + region;
  }

  /** A command as it runs in a region's namespace, or on its host. */
  public List<String> inside(String region, List<String> command) {
    if (remote()) {
      return Stream.of(
              SSH.stream(),
              Stream.of(hosts.get(regions.indexOf(region))),
              command.stream().map(Networks::quoted))
          .flatMap(s -> s)
          .toList();
    }
    return Stream.concat(Stream.of("ip", "netns", "exec", namespace(region)), command.stream())
        .toList();
  }

  /** A word that a shell reads as it is: ssh gives a command to one. */
  static String quoted(String word) {
    return "'" + word.replace("'", "'\\''") + "'";
  }

  /**
   * Makes everything; what failed half-way is to be taken away by {@link #down}. Hosts have to be
   * there.
   */
  public void up() throws IOException {
    if (remote()) {
      for (String region : regions) {
        Commands.must(inside(region, List.of("true")));
      }
      return;
    }
    Commands.must(List.of("ip", "link", "add", bridge(), "type", "bridge"));
    Commands.must(
        List.of("ip", "addr", "add", Subnet.of(network).address(1) + length(), "dev", bridge()));
    Commands.must(List.of("ip", "link", "set", bridge(), "up"));
    for (int i = 0; i < regions.size(); i++) {
      String region = regions.get(i);
      String outer = outer(i);
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
          inside(region, List.of("ip", "addr", "add", address(region) + length(), "dev", "eth0")));
      Commands.must(inside(region, List.of("ip", "link", "set", "eth0", "up")));
      // TCP finds out sooner that a partition is over; kernels without the setting do without.
      Commands.run(inside(region, List.of("sysctl", "-q", "-w", "net.ipv4.tcp_rto_max_ms=1000")));
    }
  }

  /**
   * Takes away what {@link #up} made; what is not there is passed over.
   *
   * @throws IOException if some of it is still there
   */
  public void down() throws IOException {
    if (remote()) {
      return;
    }
    for (int i = 0; i < regions.size(); i++) {
      // A namespace keeps its links until nobody is in it any more.
      Commands.run(List.of("ip", "link", "del", outer(i)));
      Commands.run(List.of("ip", "netns", "del", namespace(regions.get(i))));
    }
    Commands.run(List.of("ip", "link", "del", bridge()));
    demandNone();
  }

  /**
   * Refuses names that are in use.
   *
   * @throws IOException saying which
   */
  void demandNone() throws IOException {
    List<String> there = left();
    if (!there.isEmpty()) {
      throw new IOException("these are there: " + String.join(", ", there));
    }
  }

  /** What there is by the names of these namespaces and of their links. */
  private List<String> left() {
    List<String> left = new ArrayList<>();
    for (int i = 0; i < (remote() ? 0 : regions.size()); i++) {
      left.add(outer(i));
      left.add(namespace(regions.get(i)));
    }
    left.add(bridge());
    left.removeIf(
        name -> Files.notExists(LINKS.resolve(name)) && Files.notExists(NAMESPACES.resolve(name)));
    return left;
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
  List<List<String>> delayCommands(String region, RttTable rtt) throws IOException {
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
