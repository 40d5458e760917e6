package dev.plumbline.mutate;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.plumbline.tlc.InputError;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * Which properties noticed how many mutants of a protocol's specification: of a run's report, or of
 * the result that the repository keeps.
 *
 * @param input the digest that {@link Mutation#input} gave then
 * @param modules by name
 * @param errors made by hand, by name: the check and the property that noticed it, or empty
 */
public record Noticed(
    String command,
    String input,
    String date,
    String commit,
    Map<String, Module> modules,
    Map<String, String> errors) {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final String BY_HAND = "handmade.";

  /** A verdict that wants a reason in mutants.yaml. */
  private static final Set<String> OPEN = Set.of("survives", "time-out", "unreached");

  /**
   * The mutants of a module.
   *
   * @param kills how many each set of properties killed
   * @param open ids of those that nothing killed and no reason argues
   */
  public record Module(
      int judged, int argued, Map<List<String>, Integer> kills, List<String> open) {
    /** How many were killed by one of these at least. */
    public int by(Set<String> properties) {
      return kills.entrySet().stream()
          .filter(k -> !Collections.disjoint(k.getKey(), properties))
          .mapToInt(Map.Entry::getValue)
          .sum();
    }
  }

  /** How many mutants were judged. */
  public int judged() {
    return modules.values().stream().mapToInt(Module::judged).sum();
  }

  /** Where the repository keeps it. */
  public static Path kept(Path root, String protocol) {
    return root.resolve("docs/results/kept/mutants-" + protocol + "-specs.json");
  }

  /** A report that {@code ./plumb mutate} left, of one protocol, or a result that is kept. */
  public static Noticed read(Path file) {
    try {
      JsonNode all = JSON.readTree(file.toFile());
      JsonNode protocol = all.path("protocols").path(0);
      return protocol.isMissingNode() ? kept(all) : of(all, protocol);
    } catch (IOException e) {
      throw new InputError(file.toString(), 0, "is no JSON", "delete it");
    }
  }

  static Noticed of(JsonNode report, JsonNode protocol) {
    Map<String, List<JsonNode>> mutants = new TreeMap<>();
    for (JsonNode m : protocol.path("mutants")) {
      mutants.computeIfAbsent(m.path("module").asText(), k -> new ArrayList<>()).add(m);
    }
    Map<String, Module> modules = new TreeMap<>();
    mutants.forEach((name, own) -> modules.put(name, module(own)));
    Map<String, String> errors = new TreeMap<>();
    for (JsonNode e : protocol.path("handmade")) {
      errors.put(e.path("id").asText().replace(BY_HAND, ""), e.path("by").asText());
    }
    return noticed(report, protocol.path("input").asText(), modules, errors);
  }

  private static Noticed noticed(
      JsonNode result, String input, Map<String, Module> modules, Map<String, String> errors) {
    JsonNode manifest = result.path("manifest");
    return new Noticed(
        result.path("command").asText(),
        input,
        manifest.path("date").asText(),
        manifest.path("commit").asText(),
        modules,
        errors);
  }

  private static Module module(List<JsonNode> mutants) {
    Map<List<String>, Integer> kills = new TreeMap<>(Comparator.comparing(List::toString));
    List<String> open = new ArrayList<>();
    int argued = 0;
    for (JsonNode m : mutants) {
      Set<String> by = new TreeSet<>();
      m.path("properties").properties().stream()
          .filter(p -> p.getValue().asText().equals("killed"))
          .forEach(p -> by.add(p.getKey()));
      if (!by.isEmpty()) {
        kills.merge(List.copyOf(by), 1, Integer::sum);
      }
      if (OPEN.contains(m.path("verdict").asText())) {
        boolean reason = !m.path("reason").asText().isEmpty();
        argued += reason ? 1 : 0;
        open.addAll(reason ? List.of() : List.of(m.path("id").asText()));
      }
    }
    return new Module(mutants.size(), argued, kills, open);
  }

  /** What is kept of a protocol's part of a report. */
  public static ObjectNode json(JsonNode report, JsonNode protocol) {
    Noticed all = of(report, protocol);
    ObjectNode o = JSON.createObjectNode().put("input", all.input());
    ArrayNode modules = o.putArray("modules");
    all.modules()
        .forEach(
            (name, m) -> {
              ObjectNode module = modules.addObject().put("name", name);
              module.put("judged", m.judged()).put("argued", m.argued());
              m.open().forEach(module.putArray("open")::add);
              ArrayNode kills = module.putArray("kills");
              m.kills()
                  .forEach(
                      (by, n) ->
                          by.forEach(kills.addObject().put("mutants", n).putArray("by")::add));
            });
    o.set("errors", JSON.valueToTree(all.errors()));
    return o;
  }

  private static Noticed kept(JsonNode result) {
    JsonNode kept = result.path("noticed");
    Map<String, Module> modules = new TreeMap<>();
    for (JsonNode m : kept.path("modules")) {
      Map<List<String>, Integer> kills = new LinkedHashMap<>();
      m.path("kills").forEach(k -> kills.put(texts(k.path("by")), k.path("mutants").asInt()));
      modules.put(
          m.path("name").asText(),
          new Module(
              m.path("judged").asInt(), m.path("argued").asInt(), kills, texts(m.path("open"))));
    }
    Map<String, String> errors = new TreeMap<>();
    kept.path("errors").properties().forEach(e -> errors.put(e.getKey(), e.getValue().asText()));
    return noticed(result, kept.path("input").asText(), modules, errors);
  }

  private static List<String> texts(JsonNode array) {
    List<String> all = new ArrayList<>();
    array.forEach(e -> all.add(e.asText()));
    return all;
  }
}
