package dev.plumbline.cli;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.plumbline.tlc.InputError;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * The cluster runs that a checkout keeps, one row each, as a page that nobody writes by hand. Every
 * row has what it takes to repeat the run: commit, machine and command.
 */
final class RunTable {
  /** What the table's heading says of every run, or what its own column does. */
  private static final Pattern SHOWN_ELSEWHERE =
      Pattern.compile("\\./plumb jepsen \\w+| --workload [\\w-]+| --seed \\d+");

  private static final Set<String> SILENT = Set.of("valid", "not run");

  private final List<JsonNode> runs = new ArrayList<>();

  /**
   * Reads the runs that ended, oldest first.
   *
   * @param folder of folders of protocols, of folders of runs
   */
  RunTable(Path folder) {
    if (!Files.isDirectory(folder)) {
      return;
    }
    try (Stream<Path> files = Files.walk(folder, 3)) {
      for (Path file :
          files.filter(f -> f.getFileName().toString().equals("result.json")).sorted().toList()) {
        runs.add(read(file));
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static JsonNode read(Path file) throws IOException {
    try {
      JsonNode run = new ObjectMapper().readTree(file.toFile());
      if (run.path("manifest").path("commit").isTextual() && run.path("command").isTextual()) {
        return run;
      }
    } catch (com.fasterxml.jackson.core.JsonProcessingException e) {
      throw new InputError(file.toString(), e.getLocation().getLineNr(), "no JSON", "delete it");
    }
    throw new InputError(
        file.toString(), 0, "a result without its command and commit", "delete it");
  }

  boolean isEmpty() {
    return runs.isEmpty();
  }

  /** Every run as its row says it. */
  ArrayNode json() {
    ArrayNode all = new ObjectMapper().createArrayNode();
    runs.forEach(run -> all.add(row(run)));
    return all;
  }

  private static ObjectNode row(JsonNode run) {
    JsonNode operations = run.path("operations");
    JsonNode latency = operations.path("latencyMillis");
    JsonNode manifest = run.path("manifest");
    String command = run.path("command").asText();
    ObjectNode row = new ObjectMapper().createObjectNode();
    row.put("protocol", run.path("protocol").asText());
    row.put("workload", run.path("workload").asText());
    row.put("verdict", run.path("verdict").asText());
    row.put("committed", operations.path("committed").asLong());
    row.put("aborted", operations.path("aborted").asLong());
    row.put("unknown", operations.path("unknown").asLong());
    row.put("medianMillis", latency.path("median").asDouble());
    row.put("p99Millis", latency.path("p99").asDouble());
    TreeMap<String, Integer> faults = new TreeMap<>();
    operations.path("faults").forEach(f -> faults.merge(f.path("kind").asText(), 1, Integer::sum));
    row.set("faults", new ObjectMapper().valueToTree(faults));
    row.put("runnable", run.path("run").path("load").path("runnable").asDouble());
    row.put("commit", manifest.path("commit").asText());
    row.put("changed", manifest.path("dirty").asBoolean());
    row.set("machine", manifest.path("machine"));
    row.put("command", command);
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
  String page() {
    StringBuilder s = new StringBuilder();
    s.append("# Measured: kept cluster runs\n\n")
        .append(
            "Made by `./plumb report --runs --update` from the runs that `./plumb jepsen` keeps")
        .append(" in `.plumb/jepsen`. A commit with a plus sign had changes that were not")
        .append(" committed. *Wanted* is how many threads wanted a processor on average. How to")
        .append(" read verdicts is in [jepsen.md](../jepsen.md).\n");
    TreeMap<String, List<ObjectNode>> byProtocol = new TreeMap<>();
    for (JsonNode run : runs) {
      ObjectNode row = row(run);
      byProtocol.computeIfAbsent(row.path("protocol").asText(), p -> new ArrayList<>()).add(row);
    }
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

  private static String line(ObjectNode row) {
    String command = row.path("command").asText();
    Matcher seed = Pattern.compile("--seed (\\d+)").matcher(command);
    List<String> faults = new ArrayList<>();
    row.path("faults").fields().forEachRemaining(f -> faults.add(f.getValue() + " " + f.getKey()));
    List<String> objections = new ArrayList<>();
    row.path("objections").forEach(o -> objections.add(o.asText().replace('|', '/')));
    return String.format(
        Locale.ROOT,
        "| %s | %s | %s%s | %,d | %,d | %,d | %.0f, %.0f | %s | %.1f | %s%s | %d cores, %,d MB"
            + " | `%s` |%n",
        row.path("workload").asText(),
        seed.find() ? seed.group(1) : "",
        row.path("verdict").asText(),
        objections.isEmpty() ? "" : " (" + String.join("; ", objections) + ")",
        row.path("committed").asLong(),
        row.path("aborted").asLong(),
        row.path("unknown").asLong(),
        row.path("medianMillis").asDouble(),
        row.path("p99Millis").asDouble(),
        String.join(", ", faults),
        row.path("runnable").asDouble(),
        row.path("commit").asText().substring(0, 7),
        row.path("changed").asBoolean() ? "+" : "",
        row.path("machine").path("cores").asInt(),
        row.path("machine").path("memory").asLong(),
        SHOWN_ELSEWHERE.matcher(command).replaceAll("").strip());
  }
}
