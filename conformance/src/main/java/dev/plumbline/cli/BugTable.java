package dev.plumbline.cli;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.plumbline.check.ToolCommand;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * Which layer caught which seeded bug, and whether the stored page still says so.
 *
 * @param protocol the machines' protocol
 * @param rows one for each bug
 */
record BugTable(String protocol, List<Row> rows) {
  private static final String NOTHING = "·";

  /**
   * A bug with its run, and what each layer said: names of judges, or empty.
   *
   * @param unseen why clients do not see it, as the list of runs has it
   */
  record Row(
      String bug,
      String description,
      String run,
      String replay,
      String traces,
      String histories,
      String invariants,
      String unseen) {
    boolean caught() {
      return !(replay + traces + histories + invariants).isEmpty();
    }

    /** What is wrong with it; empty for nothing. */
    String problem() {
      if (!caught()) {
        return "nothing catches " + bug;
      } else if (histories.isEmpty() && unseen.isEmpty()) {
        return "no client sees "
            + bug
            + " in its run: find a seed with which one does, or say why in the list of runs";
      } else if (!histories.isEmpty() && !unseen.isEmpty()) {
        return "clients see " + bug + " (" + histories + "), and the list of runs says unseen";
      }
      return "";
    }
  }

  /** What is wrong with the bugs, and with the page where it is not to be written. */
  List<String> problems(Path page, boolean update) throws IOException {
    List<String> problems = new ArrayList<>();
    rows.stream().map(Row::problem).filter(p -> !p.isEmpty()).forEach(problems::add);
    boolean drifted = !Files.exists(page) || !Files.readString(page).equals(page());
    if (drifted && !update) {
      problems.add(
          page.getFileName()
              + " differs: run "
              + ToolCommand.line("bugs " + protocol + " --update"));
    }
    return problems;
  }

  /** The rows, each with what is wrong with it, and all that is wrong. */
  ObjectNode json(List<String> problems) {
    ObjectMapper json = new ObjectMapper();
    ObjectNode all = json.createObjectNode();
    ArrayNode bugs = all.putArray("bugs");
    for (Row row : rows) {
      ObjectNode bug = json.valueToTree(row);
      bugs.add(bug.put("problem", row.problem()));
    }
    problems.forEach(all.putArray("problems")::add);
    return all;
  }

  /** A line for each bug. */
  String lines() {
    return rows.stream().map(BugTable::line).collect(Collectors.joining("\n"));
  }

  private static String line(Row row) {
    return Map.of(
            "replay", row.replay(),
            "traces", row.traces(),
            "histories", row.histories(),
            "invariants", row.invariants())
        .entrySet()
        .stream()
        .filter(layer -> !layer.getValue().isEmpty())
        .sorted(Map.Entry.comparingByKey())
        .map(layer -> layer.getKey() + " (" + layer.getValue() + ")")
        .collect(Collectors.joining("; ", row.bug() + ": ", ""));
  }

  String page() {
    StringBuilder s = new StringBuilder();
    s.append("# Seeded bugs: ").append(protocol).append("\n\n");
    s.append("Made by `./plumb bugs ").append(protocol).append(" --update`; ");
    s.append(
        "without `--update` it fails when this page differs. It also fails when nothing catches a bug, and when history checkers see nothing and no reason is given. ");
    s.append("Replay runs the stored corpora; the other columns are one simulated run of 200");
    s.append(" transactions, `./plumb simulate ").append(protocol);
    s.append(" --bug NAME` with the options given. ");
    s.append(
        "The seeds were searched for: they say that a layer can see a bug, not how often.\n\n");
    s.append("| bug | what is wrong | run | replay | trace validation | history checkers");
    s.append(" | invariants once drained |\n|---|---|---|---|---|---|---|\n");
    for (Row r : rows) {
      List<String> layers = List.of(r.replay(), r.traces(), r.histories(), r.invariants());
      s.append("| `").append(r.bug()).append("` | ").append(r.description());
      s.append(" | `").append(r.run()).append('`');
      layers.forEach(layer -> s.append(" | ").append(layer.isEmpty() ? NOTHING : layer));
      s.append(" |\n");
    }
    List<Row> unseen = rows.stream().filter(row -> !row.unseen().isEmpty()).toList();
    if (!unseen.isEmpty()) {
      s.append("\n## What clients do not see\n\n");
      unseen.forEach(
          r -> s.append("- `").append(r.bug()).append("`: ").append(r.unseen()).append('\n'));
    }
    return s.toString();
  }
}
