package dev.plumbline.cli;

import dev.plumbline.check.ToolCommand;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
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

  /** A bug with its run, and what each layer said: names of judges, or empty. */
  record Row(
      String bug,
      String description,
      String run,
      String replay,
      String traces,
      String histories,
      String invariants) {
    boolean caught() {
      return !(replay + traces + histories + invariants).isEmpty();
    }
  }

  /**
   * Says what is wrong, and writes the page if asked to.
   *
   * @return 0 if every bug is caught and the page agrees or was written, otherwise 1
   */
  int judge(Path page, boolean update, PrintWriter out) throws IOException {
    boolean drifted = !Files.exists(page) || !Files.readString(page).equals(page());
    List<Row> missed = rows.stream().filter(row -> !row.caught()).toList();
    missed.forEach(row -> out.println("nothing catches " + row.bug()));
    if (update) {
      Files.writeString(page, page());
      out.println(page.getFileName() + " written");
    } else if (drifted) {
      out.println(
          page.getFileName()
              + " differs: run "
              + ToolCommand.line("bugs " + protocol + " --update"));
    }
    return missed.isEmpty() && (update || !drifted) ? 0 : 1;
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

  private String page() {
    StringBuilder s = new StringBuilder();
    s.append("# Seeded bugs: ").append(protocol).append("\n\n");
    s.append("Made by `./plumb bugs ").append(protocol).append(" --update`; ");
    s.append("without `--update` it fails when this page differs or nothing catches a bug. ");
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
    return s.toString();
  }
}
