package dev.plumbline.explain;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.plumbline.history.JsonFault;
import dev.plumbline.tlc.InputError;
import dev.plumbline.tlc.Json;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * Behaviours in Apalache's Informal Trace Format (ITF), which other viewers read: whole numbers as
 * {@code {"#bigint": "3"}}, sets as {@code {"#set": […]}}, sequences as arrays, functions whose
 * keys are no names as {@code {"#map": [[key, value], …]}}, records and other functions as objects.
 *
 * @param check PROTOCOL/CHECK if the file says so, or empty
 * @param states the variables of each state, encoded as {@link Json} says
 * @param arrays of each state, the places of arrays and whether all at a place are sequences, as
 *     {@link dev.plumbline.tlc.Spec.State#arrays} has them
 * @param loop number of the state that the last one leads back to, -1 if none
 */
public record Itf(
    String check, List<ObjectNode> states, List<Map<String, Boolean>> arrays, int loop) {
  private static final ObjectMapper MAPPER =
      new ObjectMapper()
          .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
          .enable(DeserializationFeature.FAIL_ON_READING_DUP_TREE_KEY);
  private static final JsonNodeFactory F = JsonNodeFactory.instance;

  /** The whole file. Steps carry action and parameters in their {@code #meta}. */
  public static String write(Counterexample c) {
    ObjectNode o = MAPPER.createObjectNode();
    o.putObject("#meta")
        .put("format", "ITF")
        .put("description", c.verdict())
        .put("source", c.module() + ".tla")
        .put("check", c.protocol() + "/" + c.check());
    ArrayNode variables = o.putArray("vars");
    c.steps().get(0).state().fieldNames().forEachRemaining(variables::add);
    ArrayNode states = o.putArray("states");
    for (Counterexample.Step step : c.steps()) {
      ObjectNode s = states.addObject();
      ObjectNode meta = s.putObject("#meta").put("index", step.number());
      meta.put("action", step.action()).put("call", c.call(step));
      step.state()
          .properties()
          .forEach(v -> s.set(v.getKey(), encode(v.getKey(), v.getValue(), c.sequences())));
    }
    if (c.loop() >= 0) {
      o.put("loop", c.loop());
    }
    try {
      return MAPPER.writerWithDefaultPrettyPrinter().writeValueAsString(o) + "\n";
    } catch (JsonProcessingException e) {
      throw new IllegalStateException(e);
    }
  }

  private static JsonNode encode(String place, JsonNode v, Set<String> sequences) {
    if (v.isInt()) {
      return F.objectNode().put("#bigint", v.asText());
    }
    if (v.isArray()) {
      ArrayNode all = F.arrayNode();
      v.forEach(e -> all.add(encode(place + "[]", e, sequences)));
      return sequences.contains(place) ? all : F.objectNode().set("#set", all);
    }
    if (!v.isObject()) {
      return v;
    }
    boolean names =
        v.properties().stream().allMatch(f -> f.getKey().matches("[A-Za-z_][A-Za-z0-9_]*"));
    if (names) {
      ObjectNode record = F.objectNode();
      v.properties()
          .forEach(
              f ->
                  record.set(
                      f.getKey(), encode(place + "." + f.getKey(), f.getValue(), sequences)));
      return record;
    }
    ArrayNode pairs = F.arrayNode();
    for (Map.Entry<String, JsonNode> f : v.properties()) {
      pairs
          .addArray()
          .add(encode(place + "#", key(f.getKey()), sequences))
          .add(encode(place + "." + f.getKey(), f.getValue(), sequences));
    }
    return F.objectNode().set("#map", pairs);
  }

  /** A function's argument, of which an object's key is the compact JSON. */
  private static JsonNode key(String text) {
    try {
      JsonNode key = MAPPER.readTree(text);
      return key == null || key.isMissingNode() ? F.textNode(text) : key;
    } catch (JsonProcessingException e) {
      return F.textNode(text);
    }
  }

  /**
   * Reads a file that this class, Apalache or another tool wrote.
   *
   * @throws InputError when it is no such file
   */
  public static Itf read(Path file) {
    String name = file.toString();
    if (!Files.isRegularFile(file)) {
      throw new InputError(
          name,
          0,
          Files.isDirectory(file)
              ? "is a folder"
              : Files.exists(file) ? "is a pipe or a device" : "there is no such file",
          "name a trace in the ITF format");
    }
    JsonNode o;
    try {
      o = MAPPER.readTree(Files.readString(file, StandardCharsets.UTF_8));
    } catch (JsonProcessingException e) {
      int line = e.getLocation() == null ? 0 : e.getLocation().getLineNr();
      throw new InputError(name, line, "is no JSON: " + JsonFault.words(e), "correct it there");
    } catch (IOException e) {
      throw new InputError(
          name, 0, "cannot be read as UTF-8 text", "name a trace in the ITF format");
    }
    if (o.isMissingNode()) {
      throw new InputError(name, 0, "is empty", "name a trace in the ITF format");
    }
    if (!o.path("states").isArray() || o.get("states").isEmpty()) {
      throw new InputError(name, 0, "has no array \"states\"", "name a trace in the ITF format");
    }
    List<ObjectNode> states = new ArrayList<>();
    List<Map<String, Boolean>> arrays = new ArrayList<>();
    for (JsonNode s : o.get("states")) {
      if (!s.isObject()) {
        throw new InputError(
            name, 0, "state " + states.size() + " is no object", "name a trace in the ITF format");
      }
      ObjectNode state = F.objectNode();
      Decoder decoder = new Decoder(name, states.size(), new TreeMap<>());
      for (Map.Entry<String, JsonNode> v : s.properties()) {
        if (!v.getKey().equals("#meta")) {
          state.set(v.getKey(), decoder.value(v.getValue(), v.getKey()));
        }
      }
      states.add(state);
      arrays.add(decoder.sequences());
    }
    int loop = -1;
    if (o.has("loop")) {
      JsonNode given = o.get("loop");
      if (!given.isInt() || given.intValue() < 0 || given.intValue() >= states.size()) {
        throw new InputError(
            name,
            0,
            "loop " + given + " is no number of a state",
            "the first state has number 0, the last " + (states.size() - 1));
      }
      loop = given.intValue();
    }
    return new Itf(o.path("#meta").path("check").asText(), states, arrays, loop);
  }

  /**
   * Values of one state.
   *
   * @param sequences places of arrays, and whether all there are sequences; filled while decoding
   */
  private record Decoder(String file, int state, Map<String, Boolean> sequences) {

    JsonNode value(JsonNode v, String place) {
      if (v.isArray()) {
        return sequence(v, place);
      }
      if (!v.isObject()) {
        return v;
      }
      if (v.has("#bigint")) {
        try {
          return F.numberNode(Integer.parseInt(v.get("#bigint").asText()));
        } catch (NumberFormatException e) {
          throw error(v + " is no 32-bit number", "TLC has no others");
        }
      }
      if (v.has("#tup")) {
        return sequence(array(v, "#tup"), place);
      }
      if (v.has("#set")) {
        sequences.put(place, false);
        return Json.set(elements(array(v, "#set"), place));
      }
      if (v.has("#map")) {
        return map(array(v, "#map"), place);
      }
      if (v.has("#unserializable")) {
        throw new InputError(
            file,
            0,
            "state " + state + " holds a value that its tool could not write: " + v,
            "bound the model so that every value is finite");
      }
      List<Map.Entry<JsonNode, JsonNode>> fields = new ArrayList<>();
      v.properties()
          .forEach(
              f ->
                  fields.add(
                      Map.entry(
                          F.textNode(f.getKey()), value(f.getValue(), place + "." + f.getKey()))));
      return Json.function(fields);
    }

    private ArrayNode sequence(JsonNode array, String place) {
      sequences.putIfAbsent(place, true);
      return elements(array, place);
    }

    private JsonNode map(JsonNode given, String place) {
      Set<JsonNode> keys = new HashSet<>();
      for (JsonNode pair : given) {
        if (!pair.isArray() || pair.size() != 2 || !keys.add(value(pair.get(0), place + "#"))) {
          throw error(
              pair + " is no pair of a map, or its key is there twice",
              "a map is [[key, value], …] with each key once");
        }
      }
      // TLC shows a function of 1 to n as a sequence.
      List<Map.Entry<JsonNode, JsonNode>> pairs = new ArrayList<>();
      boolean sequence = Json.isSequence(keys);
      if (sequence) {
        sequences.putIfAbsent(place, true);
      }
      for (JsonNode pair : given) {
        JsonNode key = value(pair.get(0), place + "#");
        String below = place + (sequence ? "[]" : "." + Json.key(key));
        pairs.add(Map.entry(key, value(pair.get(1), below)));
      }
      return Json.function(pairs);
    }

    private JsonNode array(JsonNode v, String form) {
      if (!v.get(form).isArray()) {
        throw error(v + " has no array", form + " takes an array");
      }
      return v.get(form);
    }

    private ArrayNode elements(JsonNode array, String place) {
      ArrayNode all = F.arrayNode();
      array.forEach(e -> all.add(value(e, place + "[]")));
      return all;
    }

    private InputError error(String what, String hint) {
      return new InputError(file, 0, "state " + state + ": " + what, hint);
    }
  }
}
