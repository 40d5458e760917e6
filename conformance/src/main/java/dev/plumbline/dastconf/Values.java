package dev.plumbline.dastconf;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.plumbline.dast.Timestamp;
import java.util.Collection;
import java.util.Comparator;
import java.util.SortedMap;

/** The machines' values in the encoding of {@code dev.plumbline.tlc.Json}. */
final class Values {
  static final JsonNodeFactory F = JsonNodeFactory.instance;

  private static final Comparator<JsonNode> ORDER =
      (a, b) ->
          a.isInt() && b.isInt()
              ? Integer.compare(a.intValue(), b.intValue())
              : a.isTextual() && b.isTextual()
                  ? a.textValue().compareTo(b.textValue())
                  : a.toString().compareTo(b.toString());

  private Values() {}

  /** The specification's triple: time, nid, frac. */
  static ArrayNode json(Timestamp ts) {
    return F.arrayNode().add((int) ts.time()).add((int) ts.nid()).add((int) ts.frac());
  }

  /** The timestamp of a triple. */
  static Timestamp timestamp(JsonNode triple) {
    return new Timestamp(
        triple.get(0).longValue(), triple.get(2).longValue(), triple.get(1).longValue());
  }

  static ArrayNode set(Collection<? extends JsonNode> elements) {
    ArrayNode set = F.arrayNode();
    elements.stream().distinct().sorted(ORDER).forEach(set::add);
    return set;
  }

  /** A function of numbers: a sequence if they are 1 to n. */
  static JsonNode function(SortedMap<Integer, ? extends JsonNode> pairs) {
    if (pairs.isEmpty() || (pairs.firstKey() == 1 && pairs.lastKey() == pairs.size())) {
      ArrayNode sequence = F.arrayNode();
      pairs.values().forEach(sequence::add);
      return sequence;
    }
    ObjectNode function = F.objectNode();
    pairs.forEach((key, value) -> function.set(String.valueOf(key), value));
    return function;
  }
}
