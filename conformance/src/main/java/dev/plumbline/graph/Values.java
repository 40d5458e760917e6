package dev.plumbline.graph;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.plumbline.tlc.Json;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.function.Function;

/** What machines keep as values of the specification, in the encoding of {@link Json}. */
public final class Values {
  public static final JsonNodeFactory F = JsonNodeFactory.instance;

  private Values() {}

  public static ArrayNode sequence(Collection<? extends JsonNode> elements) {
    return F.arrayNode().addAll(elements);
  }

  public static ArrayNode set(Collection<? extends JsonNode> elements) {
    return elements.size() < 2 ? sequence(elements) : Json.set(elements);
  }

  /** A function: a sequence if its domain is 1 to n. */
  public static <K> JsonNode function(Collection<K> domain, Function<K, ? extends JsonNode> value) {
    Collection<K> keys = domain instanceof SortedSet ? domain : new TreeSet<>(domain);
    List<JsonNode> values = new ArrayList<>(keys.size());
    boolean counted = true;
    for (K key : keys) {
      values.add(value.apply(key));
      counted &= key.equals(values.size());
    }
    if (counted) {
      return sequence(values);
    }
    ObjectNode function = F.objectNode();
    Iterator<JsonNode> next = values.iterator();
    keys.forEach(key -> function.set(key.toString(), next.next()));
    return function;
  }

  /** A function's value. */
  public static JsonNode at(JsonNode function, Object argument) {
    return function.isArray()
        ? function.get((Integer) argument - 1)
        : function.get(String.valueOf(argument));
  }

  /** The strings of a set, or of a sequence of different ones, in its order. */
  public static Set<String> strings(JsonNode all) {
    Set<String> strings = new LinkedHashSet<>();
    all.forEach(one -> strings.add(one.asText()));
    return strings;
  }

  /** Whether a set, or a sequence, has this element. */
  public static boolean contains(JsonNode all, JsonNode element) {
    for (JsonNode one : all) {
      if (one.equals(element)) {
        return true;
      }
    }
    return false;
  }

  /** A function of the same domain as {@code of}. */
  public static <K, V> JsonNode function(Map<K, V> of, Function<V, ? extends JsonNode> value) {
    return function(of.keySet(), key -> value.apply(of.get(key)));
  }
}
