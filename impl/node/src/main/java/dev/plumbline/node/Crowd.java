package dev.plumbline.node;

import io.netty.channel.Channel;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * The connections that a node has accepted. There are at most so many of each kind: of those that
 * have not said who they are, and of one node, the oldest gives way to a new one, so that who comes
 * and says its name at once is let in; clients that are connected stay, and one more is refused.
 */
final class Crowd {
  static final int STRANGERS = 256;
  static final int CLIENTS = 512;
  static final int EACH_NODE = 4;

  private final Set<Channel> strangers = new LinkedHashSet<>();
  private final Set<Channel> clients = new LinkedHashSet<>();
  private final Map<String, Set<Channel>> nodes = new TreeMap<>();

  /** A connection was made. Returns one that has to go, or null. */
  synchronized Channel enter(Channel channel) {
    return add(strangers, channel, STRANGERS);
  }

  /** A connection said its name. Returns one that has to go, this one perhaps, or null. */
  synchronized Channel greet(Channel channel, String name, boolean node) {
    strangers.remove(channel);
    if (node) {
      return add(nodes.computeIfAbsent(name, n -> new LinkedHashSet<>()), channel, EACH_NODE);
    } else if (clients.size() >= CLIENTS) {
      return channel;
    }
    clients.add(channel);
    return null;
  }

  private static Channel add(Set<Channel> set, Channel channel, int most) {
    Channel oldest = null;
    if (set.size() >= most) {
      oldest = set.iterator().next();
      set.remove(oldest);
    }
    set.add(channel);
    return oldest;
  }

  /** A connection is gone. */
  synchronized void leave(Channel channel) {
    strangers.remove(channel);
    clients.remove(channel);
    nodes.values().forEach(set -> set.remove(channel));
  }
}
