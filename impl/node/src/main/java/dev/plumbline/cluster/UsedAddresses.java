package dev.plumbline.cluster;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Addresses that this machine uses or may reach: routes of all tables, own addresses, neighbours,
 * ends of connections, name servers, and hosts that are named by address. What is reached by the
 * default route alone, and by nobody now, cannot be known.
 */
final class UsedAddresses {
  /** Routes to more than this are defaults: everything lies in them. */
  private static final int SHORTEST = 8;

  private static final Pattern ADDRESS =
      Pattern.compile("(?<![\\d.])(\\d{1,3}(?:\\.\\d{1,3}){3}(?:/\\d{1,2})?)(?![\\d.])");

  /** Also as a program has it that speaks IPv6 too. */
  private static final Pattern HEX =
      Pattern.compile(" (?:0{16}FFFF0000)?([0-9A-F]{8}):[0-9A-F]{4}");

  private UsedAddresses() {}

  static List<Subnet> ofThisMachine() throws IOException {
    StringBuilder text = new StringBuilder();
    text.append(Commands.must(List.of("ip", "-4", "route", "show", "table", "all"))).append('\n');
    text.append(Commands.must(List.of("ip", "-4", "addr"))).append('\n');
    text.append(Commands.run(List.of("ip", "-4", "neigh")).out()).append('\n');
    text.append(read("/etc/resolv.conf")).append('\n').append(read("/etc/hosts")).append('\n');
    System.getenv()
        .forEach(
            (name, value) -> {
              if (name.toLowerCase(java.util.Locale.ROOT).endsWith("_proxy")) {
                text.append(value).append('\n');
              }
            });
    List<Subnet> used = new ArrayList<>(mentioned(text.toString()));
    for (String table : List.of("tcp", "tcp6", "udp", "udp6")) {
      used.addAll(connected(read("/proc/net/" + table)));
    }
    return used;
  }

  private static String read(String file) throws IOException {
    Path path = Path.of(file);
    return Files.isReadable(path) ? Files.readString(path, StandardCharsets.UTF_8) : "";
  }

  /** Networks and addresses in a text. */
  static List<Subnet> mentioned(String text) {
    List<Subnet> used = new ArrayList<>();
    for (Matcher m = ADDRESS.matcher(text); m.find(); ) {
      try {
        Subnet subnet = Subnet.of(m.group(1));
        if (subnet.length() >= SHORTEST) {
          used.add(subnet);
        }
      } catch (IllegalArgumentException e) {
        continue;
      }
    }
    return used;
  }

  /** Both ends of the connections in a table such as {@code /proc/net/tcp}, by IPv4. */
  static List<Subnet> connected(String table) {
    List<Subnet> used = new ArrayList<>();
    for (Matcher m = HEX.matcher(table); m.find(); ) {
      long address =
          Integer.toUnsignedLong(Integer.reverseBytes((int) Long.parseLong(m.group(1), 16)));
      if (address != 0) {
        used.add(new Subnet(address, Subnet.BITS));
      }
    }
    return used;
  }
}
