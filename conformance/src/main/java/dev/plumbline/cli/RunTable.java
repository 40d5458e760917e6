package dev.plumbline.cli;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Cluster runs that are kept, one row each. */
final class RunTable {
  /** What the table's heading says of every run, or what its own column does. */
  private static final Pattern SHOWN_ELSEWHERE =
      Pattern.compile("^\\./plumb jepsen \\w+| --workload [\\w-]+| --seed \\d+");

  private static final Pattern SEED = Pattern.compile("--seed (\\d+)");
  private static final Set<String> SILENT = Set.of("valid", "not run");
  private static final ObjectMapper JSON = new ObjectMapper();

  private RunTable() {}

  /** What is kept of a run's {@code result.json}, besides its manifest. */
  static ObjectNode kept(JsonNode run) {
    JsonNode operations = run.path("operations");
    JsonNode latency = operations.path("latencyMillis");
    ObjectNode row = JSON.createObjectNode();
    row.put("protocol", run.path("protocol").asText());
    row.put("workload", run.path("workload").asText());
    Matcher seed = SEED.matcher(run.path("command").asText());
    if (seed.find()) {
      row.put("seed", Long.parseLong(seed.group(1)));
    }
    row.put("verdict", run.path("verdict").asText());
    row.put("committed", operations.path("committed").asLong());
    if (operations.has("later")) {
      row.put("later", operations.path("later").asLong());
    }
    row.put("aborted", operations.path("aborted").asLong());
    row.put("unknown", operations.path("unknown").asLong());
    row.put("medianMillis", Math.round(latency.path("median").asDouble()));
    row.put("p99Millis", Math.round(latency.path("p99").asDouble()));
    TreeMap<String, Integer> faults = new TreeMap<>();
    operations.path("faults").forEach(f -> faults.merge(f.path("kind").asText(), 1, Integer::sum));
    row.set("faults", JSON.valueToTree(faults));
    double runnable = run.path("run").path("load").path("runnable").asDouble();
    row.put("wanted", Math.round(runnable * 10) / 10.0);
    ArrayNode objections = row.putArray("objections");
    for (JsonNode judge : run.path("judges")) {
      String verdict = judge.path("verdict").asText();
      if (!SILENT.contains(verdict)) {
        String reason = judge.path("reason").asText();
        objections.add(
            "%s, %s: %s%s"
                .formatted(
                    judge.path("judge").asText(),
                    judge.path("subject").asText(),
                    verdict,
                    reason.isBlank() ? "" : ", " + reason));
      }
    }
    return row;
  }

  /** The page, a table for each protocol. */
  static String page(List<JsonNode> runs) {
    StringBuilder s = new StringBuilder();
    s.append("# Measured: cluster runs\n\n")
        .append(KeptResults.madeBy("run"))
        .append(" One row is one run. *Wanted* is how many threads wanted a processor on average.")
        .append(" *Later* are commits that clients had given up and learned of when they asked")
        .append(" again; latencies are those of the others. Rows without that word count all.")
        .append(" A dash stands for what was not kept. A verdict is that of the judges at the")
        .append(" run's commit; how to read it is in [jepsen.md](../jepsen.md).\n");
    TreeMap<String, List<JsonNode>> byProtocol = new TreeMap<>();
    runs.forEach(
        run ->
            byProtocol
                .computeIfAbsent(run.path("protocol").asText(), p -> new ArrayList<>())
                .add(run));
    byProtocol.forEach(
        (protocol, rows) -> {
          s.append("\n## ").append(protocol).append('\n');
          s.append("| workload | seed | verdict | committed | aborted | unknown | median, 99% (ms)")
              .append(" | faults | wanted | commit | machine | command's other options |\n")
              .append("|---|---:|---|---:|---:|---:|---:|---|---:|---|---|---|\n");
          rows.forEach(row -> s.append(line(row)));
        });
    return s.toString();
  }

  private static String line(JsonNode row) {
    List<String> faults = new ArrayList<>();
    row.path("faults").fields().forEachRemaining(f -> faults.add(f.getValue() + " " + f.getKey()));
    List<String> objections = new ArrayList<>();
    row.path("objections").forEach(o -> objections.add(o.asText().replace('|', '/')));
    List<String> cells =
        List.of(
            row.path("workload").asText(),
            row.path("seed").asText(),
            row.path("verdict").asText()
                + (objections.isEmpty() ? "" : " (" + String.join("; ", objections) + ")"),
            number(row.path("committed"))
                + (row.has("later") ? " (" + number(row.path("later")) + " later)" : ""),
            number(row.path("aborted")),
            number(row.path("unknown")),
            number(row.path("medianMillis")) + ", " + number(row.path("p99Millis")),
            String.join(", ", faults),
            number(row.path("wanted")),
            KeptResults.commit(row),
            KeptResults.machine(row),
            "`"
                + SHOWN_ELSEWHERE.matcher(row.path("command").asText()).replaceAll("").strip()
                + "`");
    return "| " + String.join(" | ", cells) + " |\n";
  }

  private static String number(JsonNode n) {
    return !n.isNumber()
        ? "–"
        : n.isIntegralNumber()
            ? String.format(Locale.ROOT, "%,d", n.asLong())
            : String.format(Locale.ROOT, "%.1f", n.asDouble());
  }
}
