package dev.plumbline.cli;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.plumbline.mutate.Noticed;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/** What became of mutants, a row for each module of a specification or class of machines. */
final class MutantTable {
  private static final ObjectMapper JSON = new ObjectMapper();

  /** Verdicts that want a reason in mutants.yaml. */
  private static final Set<String> OPEN = Set.of("survives", "time-out", "unreached");

  private static final List<String> SPECS =
      List.of(
          "killed",
          "open",
          "argued",
          "loses behaviour",
          "same graph",
          "evaluation error",
          "does not parse");
  private static final List<String> MACHINES = List.of("killed", "open", "argued");

  private MutantTable() {}

  /** What is kept of the halves of a protocol's report that ran, besides the manifest. */
  static List<ObjectNode> kept(JsonNode report, JsonNode protocol) {
    long seed = report.path("seed").asLong();
    List<ObjectNode> all = new ArrayList<>();
    if (protocol.has("mutants")) {
      ObjectNode specs = half(protocol, "specs", seed);
      Map<String, Map<String, Integer>> rows = new TreeMap<>();
      for (JsonNode m : protocol.path("mutants")) {
        boolean pair = m.path("id").asText().contains(" + ");
        String verdict = m.path("verdict").asText();
        String cell =
            !OPEN.contains(verdict)
                ? verdict
                : m.path("reason").asText().isEmpty() ? "open" : "argued";
        count(rows, m.path("module").asText() + (pair ? ", pairs" : ""), cell);
      }
      rows(specs, rows);
      int noticed = 0;
      for (JsonNode error : protocol.path("handmade")) {
        noticed += error.path("verdict").asText().equals("killed") ? 1 : 0;
      }
      specs
          .putObject("handmade")
          .put("judged", protocol.path("handmade").size())
          .put("killed", noticed);
      specs.set("noticed", Noticed.json(report, protocol));
      all.add(specs);
    }
    if (protocol.has("machines")) {
      ObjectNode machines = half(protocol, "machines", seed);
      Map<String, Map<String, Integer>> rows = new TreeMap<>();
      for (JsonNode m : protocol.path("machines").path("results")) {
        String file = m.path("file").asText();
        String reason = m.path("reason").asText();
        String cell =
            reason.startsWith("endless: ")
                ? "open"
                : m.path("status").asText().equals("KILLED")
                    ? "killed"
                    : reason.isEmpty() || reason.startsWith("open: ") ? "open" : "argued";
        count(rows, file.substring(file.lastIndexOf('/') + 1).replace(".java", ""), cell);
      }
      rows(machines, rows);
      all.add(machines);
    }
    return all;
  }

  private static ObjectNode half(JsonNode protocol, String part, long seed) {
    return JSON.createObjectNode()
        .put("protocol", protocol.path("protocol").asText())
        .put("part", part)
        .put("seed", seed);
  }

  private static void count(Map<String, Map<String, Integer>> rows, String row, String cell) {
    rows.computeIfAbsent(row, r -> new TreeMap<>()).merge(cell, 1, Integer::sum);
  }

  private static void rows(ObjectNode to, Map<String, Map<String, Integer>> rows) {
    ArrayNode all = to.putArray("rows");
    rows.forEach(
        (name, cells) ->
            all.addObject().put("name", name).setAll((ObjectNode) JSON.valueToTree(cells)));
  }

  /**
   * The page.
   *
   * @param protocols those whose mutants can be judged, be a result kept or not; and whether their
   *     machines have mutants too
   */
  static String page(List<JsonNode> kept, Map<String, Boolean> protocols) {
    StringBuilder s = new StringBuilder();
    s.append("# Measured: mutants\n\n")
        .append(KeptResults.madeBy("mutants"))
        .append(
            " What the words say is in [mutation.md](../mutation.md). *Argued* are those with a")
        .append(" reason in `mutants.yaml` why nothing should kill them; something should kill")
        .append(" those that are *open*.\n");
    for (String protocol : protocols.keySet()) {
      s.append("\n## ").append(protocol).append('\n');
      Map<String, JsonNode> halves = new LinkedHashMap<>();
      kept.stream()
          .filter(k -> k.path("protocol").asText().equals(protocol))
          .forEach(k -> halves.put(k.path("part").asText(), k));
      half(s, "Specifications", "module", halves.get("specs"), SPECS);
      if (protocols.get(protocol)) {
        half(s, "Machines", "class", halves.get("machines"), MACHINES);
      }
    }
    return s.toString();
  }

  private static void half(
      StringBuilder s, String title, String what, JsonNode half, List<String> columns) {
    if (half == null) {
      s.append("\n").append(title).append(": no result is kept.\n");
      return;
    }
    String date = half.path("manifest").path("date").asText();
    s.append("\n")
        .append(title)
        .append(": `")
        .append(half.path("command").asText())
        .append("`, seed ")
        .append(half.path("seed").asText())
        .append(", commit ")
        .append(KeptResults.commit(half))
        .append(", ")
        .append(KeptResults.machine(half))
        .append(date.isEmpty() ? "" : ", " + date.substring(0, 10))
        .append(".\n\n| ")
        .append(what)
        .append(" | mutants | ")
        .append(String.join(" | ", columns))
        .append(" |\n|---|---:|")
        .append("---:|".repeat(columns.size()))
        .append('\n');
    long killed = 0;
    long counted = 0;
    for (JsonNode row : half.path("rows")) {
      long all = 0;
      StringBuilder cells = new StringBuilder();
      for (String column : columns) {
        all += row.path(column).asLong();
        cells.append(" | ").append(row.path(column).asLong());
      }
      killed += row.path("killed").asLong();
      counted +=
          what.equals("class") ? all : row.path("killed").asLong() + row.path("open").asLong();
      String[] name = row.path("name").asText().split(", ", 2);
      s.append("| `").append(name[0]).append('`').append(name.length > 1 ? ", " + name[1] : "");
      s.append(" | ").append(all).append(cells).append(" |\n");
    }
    double score = counted == 0 ? 100 : 100.0 * killed / counted;
    s.append(String.format(Locale.ROOT, "%nThe score is %.1f%%.", score));
    JsonNode hand = half.path("handmade");
    if (hand.path("judged").asInt() > 0) {
      s.append(
          String.format(
              Locale.ROOT,
              " Of %d errors made by hand a property notices %d.",
              hand.path("judged").asInt(),
              hand.path("killed").asInt()));
    }
    s.append('\n');
  }
}
