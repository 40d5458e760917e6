package dev.plumbline.cli;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/** Runs of the damage suite that are kept, one row for each kind of damage. */
final class DamageTable {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final List<String> OUTCOMES =
      List.of("there", "refused", "blocked", "lost", "silent");

  private DamageTable() {}

  /** What is kept of a report, besides its manifest: rounds by kind of damage and outcome. */
  static ObjectNode kept(JsonNode report) {
    ObjectNode kept = JSON.createObjectNode();
    kept.put("protocol", report.path("protocol").asText());
    kept.set("seed", report.path("seed"));
    Map<String, Map<String, Integer>> kinds = new TreeMap<>();
    long most = 0;
    long lost = 0;
    for (JsonNode round : report.path("rounds")) {
      kinds
          .computeIfAbsent(round.path("kind").asText(), k -> new TreeMap<>())
          .merge(round.path("outcome").asText(), 1, Integer::sum);
      most = Math.max(most, round.path("atStake").asLong());
      lost += round.path("lost").asLong();
    }
    kept.put("mostAtStake", most).put("lost", lost);
    kept.set("kinds", JSON.valueToTree(kinds));
    return kept;
  }

  /** The page, a table for each run. */
  static String page(List<JsonNode> kept) {
    StringBuilder s = new StringBuilder();
    s.append("# Measured: damage\n\n")
        .append(KeptResults.madeBy("damage"))
        .append(
            " A row counts the rounds with one kind of damage by how they ended. What the words")
        .append(" say is in [durability.md](../durability.md#the-damage-suite).\n");
    Map<String, List<JsonNode>> byProtocol = new TreeMap<>();
    kept.forEach(
        run ->
            byProtocol
                .computeIfAbsent(run.path("protocol").asText(), p -> new ArrayList<>())
                .add(run));
    byProtocol.forEach(
        (protocol, runs) -> {
          s.append("\n## ").append(protocol).append('\n');
          runs.forEach(run -> table(run, s));
        });
    return s.toString();
  }

  private static void table(JsonNode run, StringBuilder s) {
    s.append(
        String.format(
            Locale.ROOT,
            "%n`%s`, commit %s, %s, %s. At most %,d acknowledged writes were at stake in a round,"
                + " %,d were lost.%n%n",
            run.path("command").asText(),
            KeptResults.commit(run),
            KeptResults.machine(run),
            run.at("/manifest/date").asText().split("T")[0],
            run.path("mostAtStake").asLong(),
            run.path("lost").asLong()));
    s.append("| damage | rounds | ").append(String.join(" | ", OUTCOMES)).append(" |\n");
    s.append("|---|").append("---:|".repeat(OUTCOMES.size() + 1)).append('\n');
    List<JsonNode> all = new ArrayList<>();
    run.path("kinds")
        .fields()
        .forEachRemaining(
            kind -> {
              row(kind.getKey(), List.of(kind.getValue()), s);
              all.add(kind.getValue());
            });
    row("all", all, s);
  }

  private static void row(String name, List<JsonNode> kinds, StringBuilder s) {
    StringBuilder cells = new StringBuilder();
    long all = 0;
    for (String outcome : OUTCOMES) {
      long some = kinds.stream().mapToLong(k -> k.path(outcome).asLong()).sum();
      all += some;
      cells.append(" | ").append(some);
    }
    s.append("| ").append(name).append(" | ").append(all).append(cells).append(" |\n");
  }
}
