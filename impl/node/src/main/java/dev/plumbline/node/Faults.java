package dev.plumbline.node;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadLocalRandom;

/**
 * What the suites bring about inside a node: clocks that drift or jump, links that are slow, and,
 * where packets cannot be filtered, messages that are not let in.
 */
final class Faults {
  private final Set<String> cut = ConcurrentHashMap.newKeySet();
  private volatile double loss;

  /** Whether a message of this node is to be dropped now. */
  boolean drops(String node) {
    return cut.contains(node) || (loss > 0 && ThreadLocalRandom.current().nextDouble() < loss);
  }

  /**
   * Brings faults about, or ends them: {@code drift} (ppm), {@code shift} and {@code half}
   * (microseconds) with {@code strobe} (period, microseconds), {@code cut} (nodes), {@code loss}
   * (share), {@code slow} (microseconds). Absent ones stay as they are.
   */
  void apply(JsonNode command, Clocks clocks, Transport transport) {
    if (command.has("drift")) {
      clocks.drift(Clocks.monotonic(), command.get("drift").asLong());
    }
    if (command.has("shift")) {
      clocks.shift(
          command.get("shift").asLong(),
          command.path("half").asLong(-1),
          command.path("strobe").asLong(0));
    }
    if (command.has("cut")) {
      Set<String> nodes = new HashSet<>();
      command.get("cut").forEach(node -> nodes.add(node.asText()));
      cut.retainAll(nodes);
      cut.addAll(nodes);
    }
    if (command.has("loss")) {
      loss = command.get("loss").asDouble();
    }
    if (command.has("slow")) {
      transport.slow(command.get("slow").asLong());
    }
  }
}
