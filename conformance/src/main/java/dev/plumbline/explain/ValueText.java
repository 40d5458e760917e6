package dev.plumbline.explain;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.StringJoiner;

/** Values as short text, and the difference between two values as short lines. */
public final class ValueText {
  /** Record fields that say what kind of message it is, in order of preference. */
  private static final List<String> KIND = List.of("type", "kind", "mtype", "tag");

  private static final int SHORT = 28;

  private ValueText() {}

  /** The kind of a message, or empty. */
  public static String kind(JsonNode message) {
    for (String k : KIND) {
      if (message.path(k).isTextual()) {
        return message.get(k).textValue();
      }
    }
    return "";
  }

  /**
   * The same value, its arrays at these places made objects with keys 1 to n: sequences, which JSON
   * does not tell from sets.
   */
  static JsonNode marked(String place, JsonNode v, Set<String> sequences) {
    JsonNodeFactory json = JsonNodeFactory.instance;
    if (v.isObject()) {
      ObjectNode o = json.objectNode();
      v.properties()
          .forEach(
              f -> o.set(f.getKey(), marked(place + "." + f.getKey(), f.getValue(), sequences)));
      return o;
    }
    if (!v.isArray()) {
      return v;
    }
    ArrayNode set = json.arrayNode();
    v.forEach(e -> set.add(marked(place + "[]", e, sequences)));
    if (!sequences.contains(place)) {
      return set;
    }
    ObjectNode sequence = json.objectNode();
    set.forEach(e -> sequence.set(String.valueOf(sequence.size() + 1), e));
    return sequence;
  }

  private static boolean isSequence(JsonNode v) {
    int n = 0;
    for (Iterator<String> keys = v.fieldNames(); keys.hasNext(); ) {
      if (!keys.next().equals(String.valueOf(++n))) {
        return false;
      }
    }
    return v.isObject();
  }

  private static String joined(JsonNode v, String open, String close) {
    StringJoiner j = new StringJoiner(", ", open, close);
    v.forEach(e -> j.add(text(e)));
    return j.toString();
  }

  /**
   * A value on one line: {@code vote(src: r1, yes: true)} for a record with a kind, {@code <<1,
   * 2>>} for a sequence that is {@link #marked}.
   */
  public static String text(JsonNode v) {
    if (v.isTextual()) {
      return v.textValue().isEmpty() ? "\"\"" : v.textValue();
    }
    if (v.isArray()) {
      return joined(v, "{", "}");
    }
    if (isSequence(v)) {
      return joined(v, "<<", ">>");
    }
    if (v.isObject()) {
      String kind = kind(v);
      StringJoiner j =
          new StringJoiner(", ", kind.isEmpty() ? "[" : kind + "(", kind.isEmpty() ? "]" : ")");
      for (Map.Entry<String, JsonNode> f : v.properties()) {
        if (kind.isEmpty() || !(KIND.contains(f.getKey()) && f.getValue().asText().equals(kind))) {
          j.add(f.getKey() + ": " + text(f.getValue()));
        }
      }
      return j.toString();
    }
    return v.toString();
  }

  /**
   * What differs, one line a place: {@code state[r1]: working → aborted}, {@code msgs: + vote(…)}.
   */
  public static List<String> changes(JsonNode before, JsonNode after) {
    List<String> lines = new ArrayList<>();
    for (Map.Entry<String, JsonNode> v : after.properties()) {
      change(v.getKey(), before.path(v.getKey()), v.getValue(), lines);
    }
    return lines;
  }

  /** Names of the variables that differ. */
  public static Set<String> changed(JsonNode before, JsonNode after) {
    Set<String> names = new LinkedHashSet<>();
    for (Map.Entry<String, JsonNode> v : after.properties()) {
      if (!v.getValue().equals(before.path(v.getKey()))) {
        names.add(v.getKey());
      }
    }
    return names;
  }

  private static void change(String path, JsonNode a, JsonNode b, List<String> lines) {
    if (a.equals(b)) {
      return;
    }
    String whole = text(a) + " → " + text(b);
    if (isSequence(a) && isSequence(b) && (whole.length() <= SHORT || a.size() > b.size())) {
      lines.add(path + ": " + whole);
    } else if (isSequence(a) && isSequence(b)) {
      int i = 0;
      for (JsonNode e : b) {
        String key = String.valueOf(++i);
        if (a.has(key)) {
          change(path + "[" + key + "]", a.get(key), e, lines);
        } else {
          lines.add(path + "[" + key + "]: " + text(e));
        }
      }
    } else if (a.isObject() && b.isObject() && sameKeys(a, b)) {
      for (Map.Entry<String, JsonNode> f : b.properties()) {
        change(path + "[" + f.getKey() + "]", a.get(f.getKey()), f.getValue(), lines);
      }
    } else if (a.isArray() && b.isArray() && whole.length() > SHORT) {
      minus(a, b).forEach(x -> lines.add(path + ": − " + text(x)));
      minus(b, a).forEach(x -> lines.add(path + ": + " + text(x)));
    } else if (a.isObject() && b.isObject() && whole.length() > SHORT) {
      for (Map.Entry<String, JsonNode> f : a.properties()) {
        if (!b.has(f.getKey())) {
          lines.add(path + ": − " + f.getKey());
        }
      }
      for (Map.Entry<String, JsonNode> f : b.properties()) {
        if (a.has(f.getKey())) {
          change(path + "[" + f.getKey() + "]", a.get(f.getKey()), f.getValue(), lines);
        } else {
          lines.add(path + ": + " + f.getKey() + ": " + text(f.getValue()));
        }
      }
    } else {
      lines.add(path + ": " + whole);
    }
  }

  private static boolean sameKeys(JsonNode a, JsonNode b) {
    if (a.size() != b.size()) {
      return false;
    }
    for (Iterator<String> i = a.fieldNames(); i.hasNext(); ) {
      if (!b.has(i.next())) {
        return false;
      }
    }
    return true;
  }

  /** The elements of {@code a} that {@code b} lacks, counting how often each occurs. */
  static <T> List<T> minus(Iterable<T> a, Iterable<T> b) {
    List<T> left = new ArrayList<>();
    a.forEach(left::add);
    b.forEach(left::remove);
    return left;
  }
}
