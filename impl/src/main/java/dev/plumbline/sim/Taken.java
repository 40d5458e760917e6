package dev.plumbline.sim;

import dev.plumbline.machine.Input;
import dev.plumbline.protocol.NodeSpec;
import dev.plumbline.protocol.ProtocolSystem;
import dev.plumbline.protocol.Topology;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;

/** What a protocol's processes take from each other and from clients: they refuse all else. */
final class Taken {
  private final ProtocolSystem protocol;

  /** The kinds of the roles. */
  private final Map<String, String> kinds = new HashMap<>();

  /** By the receiver's kind and the sender's. */
  private final Map<String, Map<String, Set<Class<?>>>> messages = new HashMap<>();

  private final Map<String, Set<Class<?>>> requests = new HashMap<>();

  Taken(ProtocolSystem protocol, Topology topology) {
    this.protocol = protocol;
    topology.nodes().forEach(node -> kinds.put(node.role(), node.kind()));
  }

  /** Whether the protocol says what its processes take; one that never runs as such need not. */
  boolean isSaid() {
    return kinds.values().stream().anyMatch(kind -> !protocol.requests(kind).isEmpty());
  }

  /** Why a process of this node would refuse an input; empty if it would not. */
  String objection(NodeSpec node, Input input) {
    if (input instanceof Input.ClientRequest asked) {
      Set<Class<?>> taken = requests.computeIfAbsent(node.kind(), protocol::requests);
      return objection(
          taken, asked.request(), "a client", node, () -> "requests(\"" + node.kind() + "\")");
    } else if (input instanceof Input.Deliver told && !told.from().equals(node.role())) {
      String from = kinds.get(told.from());
      Set<Class<?>> taken =
          messages
              .computeIfAbsent(node.kind(), to -> new HashMap<>())
              .computeIfAbsent(from, f -> protocol.messages(f, node.kind()));
      return objection(
          taken,
          told.message(),
          told.from(),
          node,
          () -> "messages(\"" + from + "\", \"" + node.kind() + "\")");
    }
    return "";
  }

  private static String objection(
      Set<Class<?>> taken, Object what, String from, NodeSpec at, Supplier<String> where) {
    String type = what.getClass().getSimpleName();
    return taken.contains(what.getClass())
        ? ""
        : "a process would refuse %s of %s at %s: add it to %s of the protocol's system"
            .formatted(type, from, at.id(), where.get());
  }
}
