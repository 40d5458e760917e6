package dev.plumbline.k2.binding;

import com.fasterxml.jackson.databind.JsonNode;
import dev.plumbline.tlc.InputError;
import dev.plumbline.trace.TraceEvent;
import java.util.ArrayList;
import java.util.List;

/** Timestamps as K2's logs have them: micros, oracle, coordinator, incarnation. */
final class K2Times {
  /** As histories have them in {@code :ts}, too. */
  static final List<String> PARTS = List.of("n", "oracle", "coordinator", "incarnation");

  private K2Times() {}

  /** The timestamp that an event gives. */
  static List<Long> begun(TraceEvent e) {
    List<JsonNode> parts = new ArrayList<>();
    PARTS.forEach(part -> parts.add(e.arg(part)));
    return whole(e, parts);
  }

  /** The floor that a data node starts from. */
  static List<Long> floor(TraceEvent e) {
    List<JsonNode> parts = new ArrayList<>();
    e.arg("floor").forEach(parts::add);
    return whole(e, parts);
  }

  private static List<Long> whole(TraceEvent e, List<JsonNode> parts) {
    if (parts.size() != PARTS.size() || !parts.stream().allMatch(JsonNode::isIntegralNumber)) {
      throw new InputError(
          e.node() + ".ndjson",
          (int) e.n(),
          e.action() + " has no whole timestamp",
          "log n, oracle, coordinator and incarnation, or all four as floor");
    }
    return parts.stream().map(JsonNode::longValue).toList();
  }
}
