package dev.plumbline.tlc;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.BooleanNode;
import com.fasterxml.jackson.databind.node.IntNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.node.TextNode;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import tlc2.tool.TLCState;
import tlc2.util.FP64;
import tlc2.value.impl.BoolValue;
import tlc2.value.impl.FcnRcdValue;
import tlc2.value.impl.IntValue;
import tlc2.value.impl.ModelValue;
import tlc2.value.impl.RecordValue;
import tlc2.value.impl.SetEnumValue;
import tlc2.value.impl.StringValue;
import tlc2.value.impl.TupleValue;
import tlc2.value.impl.Value;
import util.UniqueString;

/**
 * TLA+ values as JSON: sets as sorted arrays, sequences as arrays, functions and records as objects
 * with sorted keys, model values and strings as strings. A function whose keys are no strings has
 * as keys the compact JSON of its arguments; a function whose domain is 1..n is a sequence. Equal
 * values have equal JSON in every run, whatever order TLC keeps them in.
 */
public final class Json {
  private static final JsonNodeFactory F = JsonNodeFactory.instance;

  private Json() {}

  /** An element of a set with its JSON text. */
  private record Element(JsonNode node, String text) {}

  /** Order of set elements: numbers by size, strings, then everything else by its JSON text. */
  private static final Comparator<Element> ORDER =
      (a, b) ->
          a.node().isInt() && b.node().isInt()
              ? Integer.compare(a.node().intValue(), b.node().intValue())
              : a.node().isTextual() && b.node().isTextual()
                  ? a.node().textValue().compareTo(b.node().textValue())
                  : a.text().compareTo(b.text());

  /** JSON text; a number's without a writer. */
  private static String text(JsonNode node) {
    return node.isInt() ? String.valueOf(node.intValue()) : node.toString();
  }

  /** Order of object keys: whole numbers by size, then by text. */
  static final Comparator<String> KEY_ORDER =
      (a, b) ->
          isNumber(a) && isNumber(b)
              ? Integer.compare(Integer.parseInt(a), Integer.parseInt(b))
              : a.compareTo(b);

  private static boolean isNumber(String s) {
    for (int i = 0; i < s.length(); i++) {
      if (s.charAt(i) < '0' || s.charAt(i) > '9') {
        return false;
      }
    }
    return !s.isEmpty() && s.length() < 10;
  }

  static JsonNode of(Object value) {
    return of(value, null);
  }

  /**
   * @param known JSON of composite values by their fingerprints, which is added to; or null
   */
  static JsonNode of(Object value, Map<Long, JsonNode> known) {
    if (known == null || !(value instanceof Value v) || isSimple(v)) {
      return make(value, known);
    }
    Long fingerprint = v.fingerPrint(FP64.New());
    JsonNode json = known.get(fingerprint);
    if (json == null) {
      json = make(value, known);
      known.put(fingerprint, json);
    }
    return json;
  }

  /**
   * The places of arrays in a value's JSON, and whether all at a place are sequences: fields and
   * arguments as {@code .name}, elements as {@code []}, in the arguments themselves as {@code #}.
   */
  static void arrays(Object value, String place, Map<String, Boolean> sequences) {
    if (value instanceof RecordValue r) {
      for (int i = 0; i < r.names.length; i++) {
        arrays(r.values[i], place + "." + r.names[i], sequences);
      }
    } else if (value instanceof TupleValue t) {
      sequences.merge(place, true, Boolean::logicalAnd);
      for (Value element : t.elems) {
        arrays(element, place + "[]", sequences);
      }
    } else if (value instanceof Value v && !isSimple(v)) {
      if (!(v instanceof SetEnumValue) && v.toTuple() instanceof TupleValue t) {
        arrays(t, place, sequences);
      } else if (!(v instanceof SetEnumValue) && v.toFcnRcd() instanceof FcnRcdValue f) {
        Value[] domain = f.getDomainAsValues();
        for (int i = 0; i < domain.length; i++) {
          arrays(domain[i], place + "#", sequences);
          arrays(f.values[i], place + "." + key(domain[i]), sequences);
        }
      } else if (v.toSetEnum() instanceof SetEnumValue set) {
        sequences.put(place, false);
        for (int i = 0; i < set.elems.size(); i++) {
          arrays(set.elems.elementAt(i), place + "[]", sequences);
        }
      }
    }
  }

  private static boolean isSimple(Value v) {
    return v instanceof IntValue
        || v instanceof BoolValue
        || v instanceof StringValue
        || v instanceof ModelValue;
  }

  private static String key(Value argument) {
    return key(of(argument));
  }

  /** The key of an object that stands for a function's argument. */
  public static String key(JsonNode argument) {
    return argument.isTextual() ? argument.textValue() : text(argument);
  }

  /** The set of these elements, each once. */
  public static ArrayNode set(Iterable<? extends JsonNode> elements) {
    Set<JsonNode> once = new LinkedHashSet<>();
    elements.forEach(once::add);
    ArrayNode a = F.arrayNode();
    once.stream().map(e -> new Element(e, text(e))).sorted(ORDER).forEach(e -> a.add(e.node()));
    return a;
  }

  /** The function of these arguments and values: a sequence where the arguments are 1 to n. */
  public static JsonNode function(List<Map.Entry<JsonNode, JsonNode>> pairs) {
    Map<String, JsonNode> fields = new TreeMap<>(KEY_ORDER);
    Set<JsonNode> arguments = new LinkedHashSet<>();
    pairs.forEach(p -> arguments.add(p.getKey()));
    pairs.forEach(p -> fields.put(key(p.getKey()), p.getValue()));
    if (!isSequence(arguments)) {
      return object(fields);
    }
    ArrayNode sequence = F.arrayNode();
    fields.values().forEach(sequence::add);
    return sequence;
  }

  /** Whether a function with these arguments is a sequence: they are the numbers 1 to n. */
  public static boolean isSequence(Set<JsonNode> arguments) {
    for (int n = 1; n <= arguments.size(); n++) {
      if (!arguments.contains(F.numberNode(n))) {
        return false;
      }
    }
    return true;
  }

  private static JsonNode make(Object value, Map<Long, JsonNode> known) {
    if (value instanceof IntValue i) {
      return IntNode.valueOf(i.val);
    }
    if (value instanceof BoolValue b) {
      return BooleanNode.valueOf(b.val);
    }
    if (value instanceof StringValue s) {
      return TextNode.valueOf(s.val.toString());
    }
    if (value instanceof ModelValue) {
      return TextNode.valueOf(value.toString());
    }
    if (value instanceof RecordValue r) {
      if (r.names.length == 0) {
        return F.arrayNode();
      }
      Map<String, JsonNode> fields = new TreeMap<>(KEY_ORDER);
      for (int i = 0; i < r.names.length; i++) {
        fields.put(r.names[i].toString(), of(r.values[i], known));
      }
      return object(fields);
    }
    if (value instanceof TupleValue t) {
      return array(t.elems, known);
    }
    if (!(value instanceof Value v)) {
      return TextNode.valueOf(String.valueOf(value));
    }
    if (!(v instanceof SetEnumValue)) {
      if (v.toTuple() instanceof TupleValue t) {
        return array(t.elems, known);
      }
      if (v.toFcnRcd() instanceof FcnRcdValue f) {
        f.normalize();
        Value[] domain = f.getDomainAsValues();
        Map<String, JsonNode> fields = new TreeMap<>(KEY_ORDER);
        for (int i = 0; i < domain.length; i++) {
          fields.put(key(domain[i]), of(f.values[i], known));
        }
        return object(fields);
      }
    }
    if (v.toSetEnum() instanceof SetEnumValue s) {
      s.normalize();
      List<JsonNode> elements = new ArrayList<>();
      for (int i = 0; i < s.elems.size(); i++) {
        elements.add(of(s.elems.elementAt(i), known));
      }
      return set(elements);
    }
    return TextNode.valueOf(v.toString());
  }

  /**
   * The value that a log or a corpus means: arrays become sequences, objects records, and a string
   * becomes the model value of that name where the loaded specification has one. Sets and functions
   * are the specification's to build from these.
   */
  static Value toValue(JsonNode node) {
    if (node.isInt()) {
      return IntValue.gen(node.intValue());
    }
    if (node.isBoolean()) {
      return node.booleanValue() ? BoolValue.ValTrue : BoolValue.ValFalse;
    }
    if (node.isTextual()) {
      UniqueString name = UniqueString.uniqueStringOf(node.textValue());
      for (ModelValue m : ModelValue.mvs) {
        if (m.val == name) {
          return m;
        }
      }
      return new StringValue(name);
    }
    if (node.isArray()) {
      Value[] elements = new Value[node.size()];
      for (int i = 0; i < elements.length; i++) {
        elements[i] = toValue(node.get(i));
      }
      return new TupleValue(elements);
    }
    if (node.isObject()) {
      UniqueString[] names = new UniqueString[node.size()];
      Value[] values = new Value[names.length];
      int i = 0;
      for (Map.Entry<String, JsonNode> field : node.properties()) {
        names[i] = UniqueString.uniqueStringOf(field.getKey());
        values[i++] = toValue(field.getValue());
      }
      RecordValue r = new RecordValue(names, values, false);
      r.normalize();
      return r;
    }
    throw new InputError(
        "", 0, "no TLA+ value for the JSON " + node, "use 32-bit numbers, no null");
  }

  /** The variables of a state, sorted by name. */
  static ObjectNode of(TLCState state, List<String> variables) {
    ObjectNode o = F.objectNode();
    for (String v : variables) {
      o.set(v, of(state.lookup(UniqueString.uniqueStringOf(v))));
    }
    return o;
  }

  /**
   * The same for a state that a step led to.
   *
   * @param before the state before the step, with its JSON
   * @param known as in {@link #of(Object, Map)}
   */
  static ObjectNode of(
      TLCState state,
      List<String> variables,
      TLCState before,
      ObjectNode beforeJson,
      Map<Long, JsonNode> known) {
    ObjectNode o = F.objectNode();
    for (String v : variables) {
      UniqueString name = UniqueString.uniqueStringOf(v);
      Object value = state.lookup(name);
      o.set(v, value == before.lookup(name) ? beforeJson.get(v) : of(value, known));
    }
    return o;
  }

  private static ArrayNode array(Value[] elements, Map<Long, JsonNode> known) {
    ArrayNode a = F.arrayNode();
    for (Value e : elements) {
      a.add(of(e, known));
    }
    return a;
  }

  private static ObjectNode object(Map<String, JsonNode> fields) {
    ObjectNode o = F.objectNode();
    fields.forEach(o::set);
    return o;
  }
}
