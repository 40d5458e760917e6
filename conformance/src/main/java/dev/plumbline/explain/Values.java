package dev.plumbline.explain;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.StringJoiner;

/** Values as short text, and the difference between two values as short lines. */
public final class Values {
  /** Record fields that say what kind of message it is, in order of preference. */
  private static final List<String> KIND = List.of("type", "kind", "mtype", "tag");

  private static final int SHORT = 28;

  private Values() {}

  /** The kind of a message, or empty. */
  public static String kind(JsonNode message) {
    for (String k : KIND) {
      if (message.path(k).isTextual()) {
        return message.get(k).textValue();
      }
    }
    return "";
  }

  /** A value on one line: {@code vote(src: r1, yes: true)} for a record with a kind. */
  public static String text(JsonNode v) {
    if (v.isTextual()) {
      return v.textValue().isEmpty() ? "\"\"" : v.textValue();
    }
    if (v.isArray()) {
      StringJoiner j = new StringJoiner(", ", "{", "}");
      v.forEach(e -> j.add(text(e)));
      return j.toString();
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
    if (a.isObject() && b.isObject() && sameKeys(a, b)) {
      for (Map.Entry<String, JsonNode> f : b.properties()) {
        change(path + "[" + f.getKey() + "]", a.get(f.getKey()), f.getValue(), lines);
      }
    } else if (a.isArray() && b.isArray()) {
      List<JsonNode> gone = minus(a, b);
      List<JsonNode> come = minus(b, a);
      boolean samePlaces = a.size() == b.size() && gone.size() == 1 && come.size() == 1;
      if (gone.isEmpty() && come.isEmpty()) {
        lines.add(path + ": " + whole);
      } else if (samePlaces && alike(gone.get(0), come.get(0))) {
        change(path + "[" + (indexOf(b, come.get(0)) + 1) + "]", gone.get(0), come.get(0), lines);
      } else if (whole.length() <= SHORT) {
        lines.add(path + ": " + whole);
      } else {
        gone.forEach(x -> lines.add(path + ": − " + text(x)));
        come.forEach(x -> lines.add(path + ": + " + text(x)));
      }
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

  /** Records of the same kind that agree on most fields: one is the other, changed. */
  private static boolean alike(JsonNode a, JsonNode b) {
    return a.isObject()
        && b.isObject()
        && sameKeys(a, b)
        && kind(a).equals(kind(b))
        && 2 * changed(a, b).size() <= a.size();
  }

  private static int indexOf(JsonNode array, JsonNode element) {
    for (int i = 0; i < array.size(); i++) {
      if (array.get(i).equals(element)) {
        return i;
      }
    }
    return -1;
  }

  /** The elements of {@code a} that {@code b} lacks, counting how often each occurs. */
  static List<JsonNode> minus(Iterable<JsonNode> a, Iterable<JsonNode> b) {
    List<JsonNode> left = new ArrayList<>();
    a.forEach(left::add);
    b.forEach(left::remove);
    return left;
  }
}
