package dev.plumbline.history;

import static java.util.stream.Collectors.joining;

import java.math.BigInteger;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeSet;
import java.util.stream.Stream;

/** An operation as the named fields of a file's map, and back. */
final class OpFields {
  private OpFields() {}

  /**
   * @param value what a line held: a map with string keys
   * @throws IllegalArgumentException saying what is wrong with it
   */
  static Op parse(Object value) {
    if (!(value instanceof Map<?, ?> map)) {
      throw new IllegalArgumentException("expected an operation map, found " + shorten(value));
    }
    long process = process(map.get("process"));
    return new Op(
        integer(map, "index"),
        type(map),
        process,
        integer(map, "time"),
        word(map, "f"),
        process == Op.NEMESIS ? List.of() : microOps(map.get("value")),
        timestamp(map, "ts"),
        read(map),
        timestamp(map, "at"),
        map.get("error") == null ? null : text(map.get("error")),
        visit(map));
  }

  private static Visit visit(Map<?, ?> map) {
    if (map.get("session") == null) {
      return null;
    }
    if (map.get("node") == null) {
      throw new IllegalArgumentException("an operation of a session must say its node");
    }
    var asked = new TreeSet<Guarantee>();
    if (map.get("asks") != null) {
      if (!(map.get("asks") instanceof Collection<?> some)) {
        throw new IllegalArgumentException(
            "asks must be a vector or set of guarantees, found " + shorten(map.get("asks")));
      }
      some.forEach(word -> asked.add(Guarantee.of(text(word))));
    }
    Object last = map.get("last");
    if (last != null && !(last instanceof Boolean)) {
      throw new IllegalArgumentException("last must be true or false, found " + shorten(last));
    }
    return new Visit(named(map, "session"), named(map, "node"), asked, Boolean.TRUE.equals(last));
  }

  private static String named(Map<?, ?> map, String field) {
    String name = text(map.get(field));
    if (name.isBlank()) {
      throw new IllegalArgumentException(field + " must not be empty");
    }
    return name;
  }

  private static long process(Object value) {
    if (value != null && text(value).equals("nemesis")) {
      return Op.NEMESIS;
    }
    if (value instanceof Number && integer(value) && ((Number) value).longValue() >= 0) {
      return ((Number) value).longValue();
    }
    throw new IllegalArgumentException(
        "process must be an integer from 0 (or nemesis), found " + shorten(value));
  }

  private static Op.Type type(Map<?, ?> map) {
    String word = word(map, "type");
    for (Op.Type type : Op.Type.values()) {
      if (type.word().equals(word)) {
        return type;
      }
    }
    throw new IllegalArgumentException("type must be invoke, ok, fail or info, found " + word);
  }

  private static ReadMode read(Map<?, ?> map) {
    if (map.get("read") == null) {
      return null;
    }
    String word = word(map, "read");
    for (ReadMode mode : ReadMode.values()) {
      if (mode.word().equals(word)) {
        return mode;
      }
    }
    throw new IllegalArgumentException("read must be linearizable or snapshot, found " + word);
  }

  private static List<ObservedMicroOp> microOps(Object value) {
    if (!(value instanceof List<?> list)) {
      throw new IllegalArgumentException(
          "value must be a vector of micro-operations, found " + shorten(value));
    }
    var result = new ArrayList<ObservedMicroOp>(list.size());
    for (Object item : list) {
      result.add(microOp(item));
    }
    return result;
  }

  private static ObservedMicroOp microOp(Object item) {
    if (!(item instanceof List<?> parts) || parts.size() != 3 || parts.get(0) == null) {
      throw new IllegalArgumentException(
          "a micro-operation must be [kind key value], found " + shorten(item));
    }
    Object key = parts.get(1);
    if (!(key instanceof Keyword || key instanceof String || integer(key))) {
      throw new IllegalArgumentException(
          "a key must be an integer, keyword or string, found " + shorten(item));
    }
    if (key instanceof Number number) {
      key = number.longValue();
    }
    Object argument = parts.get(2);
    switch (text(parts.get(0))) {
      case "append":
        if (!integer(argument)) {
          throw new IllegalArgumentException(
              "an appended value must be an integer, found " + shorten(item));
        }
        return new ObservedMicroOp.Append(key, ((Number) argument).longValue());
      case "w":
        if (argument != null && !integer(argument)) {
          throw new IllegalArgumentException(
              "a written value must be an integer, found " + shorten(item));
        }
        return new ObservedMicroOp.Write(
            key, argument == null ? null : ((Number) argument).longValue());
      case "r":
        return new ObservedMicroOp.Read(key, result(item, argument));
      default:
        throw new IllegalArgumentException(
            "a micro-operation is append, r or w, found " + shorten(item));
    }
  }

  private static Object result(Object item, Object value) {
    if (value == null) {
      return null;
    }
    if (integer(value)) {
      return ((Number) value).longValue();
    }
    if (value instanceof List<?> list && list.stream().allMatch(OpFields::integer)) {
      return list.stream().map(element -> ((Number) element).longValue()).toList();
    }
    throw new IllegalArgumentException(
        "a read's result must be nil, an integer or a list of integers, found " + shorten(item));
  }

  private static ClaimedTimestamp timestamp(Map<?, ?> map, String field) {
    Object value = map.get(field);
    if (value == null) {
      return null;
    }
    if (!(value instanceof List<?> list)
        || list.isEmpty()
        || !list.stream().allMatch(OpFields::integer)) {
      throw new IllegalArgumentException(
          field + " must be a vector of integers, found " + shorten(value));
    }
    return new ClaimedTimestamp(list.stream().map(part -> ((Number) part).longValue()).toList());
  }

  private static long integer(Map<?, ?> map, String field) {
    if (!integer(map.get(field))) {
      throw new IllegalArgumentException(
          field + " must be an integer, found " + shorten(map.get(field)));
    }
    return ((Number) map.get(field)).longValue();
  }

  private static boolean integer(Object value) {
    return value instanceof Long
        || value instanceof Integer
        || (value instanceof BigInteger big && big.bitLength() < Long.SIZE);
  }

  private static String word(Map<?, ?> map, String field) {
    if (map.get(field) == null) {
      throw new IllegalArgumentException("the operation has no " + field);
    }
    return text(map.get(field));
  }

  private static String text(Object value) {
    return value instanceof Keyword keyword ? keyword.name() : String.valueOf(value);
  }

  private static String shorten(Object value) {
    String text = value == null ? "nothing" : edn(value);
    return text.length() > 80 ? text.substring(0, 77) + "…" : text;
  }

  static Map<String, Object> toJson(Op op) {
    var map = new LinkedHashMap<String, Object>();
    map.put("index", op.index());
    map.put("type", op.type().word());
    map.put("process", op.nemesis() ? "nemesis" : op.process());
    map.put("time", op.time());
    map.put("f", op.f());
    map.put("value", op.nemesis() ? null : op.value().stream().map(OpFields::json).toList());
    if (op.ts() != null) {
      map.put("ts", op.ts().parts());
    }
    if (op.read() != null) {
      map.put("read", op.read().word());
    }
    if (op.at() != null) {
      map.put("at", op.at().parts());
    }
    if (op.error() != null) {
      map.put("error", op.error());
    }
    if (op.visit() != null) {
      map.put("session", op.visit().session());
      map.put("node", op.visit().node());
      map.put("asks", asked(op).map(Guarantee::word).toList());
      map.put("last", op.visit().last());
    }
    return map;
  }

  private static List<Object> json(ObservedMicroOp op) {
    Object key = op.key() instanceof Keyword keyword ? keyword.name() : op.key();
    return parts(op, key);
  }

  private static List<Object> parts(ObservedMicroOp op, Object key) {
    var parts = new ArrayList<Object>(3);
    if (op instanceof ObservedMicroOp.Append append) {
      parts.add("append");
      parts.add(key);
      parts.add(append.value());
    } else if (op instanceof ObservedMicroOp.Write write) {
      parts.add("w");
      parts.add(key);
      parts.add(write.value());
    } else if (op instanceof ObservedMicroOp.Read read) {
      parts.add("r");
      parts.add(key);
      parts.add(read.result());
    }
    return parts;
  }

  static String toEdn(Op op) {
    var out = new StringBuilder(128);
    out.append("{:index ").append(op.index());
    out.append(", :type :").append(op.type().word());
    out.append(", :process ").append(op.nemesis() ? ":nemesis" : op.process());
    out.append(", :time ").append(op.time());
    out.append(", :f :").append(op.f());
    out.append(", :value ").append(op.nemesis() ? "nil" : edn(op.value()));
    if (op.ts() != null) {
      out.append(", :ts ").append(edn(op.ts().parts()));
    }
    if (op.read() != null) {
      out.append(", :read :").append(op.read().word());
    }
    if (op.at() != null) {
      out.append(", :at ").append(edn(op.at().parts()));
    }
    if (op.error() != null) {
      out.append(", :error ").append(edn(op.error()));
    }
    if (op.visit() != null) {
      out.append(", :session ").append(quote(op.visit().session()));
      out.append(", :node ").append(quote(op.visit().node()));
      out.append(asked(op).map(g -> ":" + g.word()).collect(joining(" ", ", :asks [", "]")));
      out.append(op.visit().last() ? ", :last true" : "");
    }
    return out.append('}').toString();
  }

  private static Stream<Guarantee> asked(Op op) {
    return op.visit().asked().stream().sorted();
  }

  /** A value as EDN; micro-operations as {@code [:r 5 [1 2]]}. */
  static String edn(Object value) {
    if (value == null) {
      return "nil";
    }
    if (value instanceof ObservedMicroOp op) {
      List<Object> parts = parts(op, op.key());
      return "[:" + parts.get(0) + " " + edn(parts.get(1)) + " " + edn(parts.get(2)) + "]";
    }
    if (value instanceof List<?> list) {
      return list.stream().map(OpFields::edn).collect(joining(" ", "[", "]"));
    }
    if (value instanceof String text) {
      return quote(text);
    }
    return value.toString();
  }

  private static String quote(String text) {
    var out = new StringBuilder("\"");
    for (char c : text.toCharArray()) {
      switch (c) {
        case '"' -> out.append("\\\"");
        case '\\' -> out.append("\\\\");
        case '\n' -> out.append("\\n");
        case '\r' -> out.append("\\r");
        case '\t' -> out.append("\\t");
        default -> {
          if (c < ' ') {
            out.append(String.format(Locale.ROOT, "\\u%04x", (int) c));
          } else {
            out.append(c);
          }
        }
      }
    }
    return out.append('"').toString();
  }
}
