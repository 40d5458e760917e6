package dev.plumbline.node;

import dev.plumbline.protocol.NodeSpec;
import dev.plumbline.protocol.ProtocolSystem;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;

/**
 * What a node takes, and from whom.
 *
 * @param requests of clients
 * @param messages by the node that sends them; a name that is not here is a client's
 */
record TakenTypes(Wire.Types requests, Map<String, Wire.Types> messages) {

  /** What the protocol says of a node. */
  static TakenTypes of(ProtocolSystem protocol, NodeSpec self, Iterable<NodeSpec> nodes) {
    Map<Set<Class<?>>, Wire.Types> known = new HashMap<>();
    Map<String, Wire.Types> messages = new HashMap<>();
    for (NodeSpec node : nodes) {
      messages.put(
          node.id(),
          known.computeIfAbsent(protocol.messages(node.kind(), self.kind()), Wire.Types::new));
    }
    return new TakenTypes(new Wire.Types(protocol.requests(self.kind())), messages);
  }

  boolean isNode(String name) {
    return messages.containsKey(name);
  }
}
