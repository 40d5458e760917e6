package dev.plumbline.cli;

import dev.plumbline.protocol.FaultKind;
import dev.plumbline.protocol.Near;
import dev.plumbline.protocol.ProtocolSystem;
import dev.plumbline.protocol.SeededBug;
import dev.plumbline.sim.RunConfig;
import dev.plumbline.tlc.InputError;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * The run in which a seeded bug is looked for.
 *
 * @param faults as the list of runs has them
 * @param unseen why clients do not see the bug; empty where they do
 */
record BugRun(String faults, RunConfig config, String unseen) {
  private static final String FORMAT =
      "bug | seed | workload | faults | parameters or - | seen, or unseen: WHY";

  private static final int FIELDS = 6;
  private static final String UNSEEN = "unseen: ";

  /**
   * A protocol's list of runs, by the names of the bugs: each has one.
   *
   * @throws InputError naming the line that is wrong
   */
  static Map<String, BugRun> read(ProtocolSystem system, List<SeededBug> bugs, Path file) {
    List<String> lines;
    try {
      lines = Files.readAllLines(file);
    } catch (IOException e) {
      throw new InputError(
          file.toString(), 0, "unreadable: " + e, "list a run for each bug: " + FORMAT);
    }
    Map<String, BugRun> runs = new LinkedHashMap<>();
    for (int i = 0; i < lines.size(); i++) {
      try {
        BugRun run = of(system, bugs, lines.get(i));
        String name = run.config().bug().orElseThrow().name();
        if (runs.put(name, run) != null) {
          throw new IllegalArgumentException("a second run for " + name);
        }
      } catch (IllegalArgumentException e) {
        throw new InputError(
            file.toString(), i + 1, e.getMessage(), "correct the line, or remove it: " + FORMAT);
      }
    }
    for (SeededBug bug : bugs) {
      if (!runs.containsKey(bug.name())) {
        throw new InputError(
            file.toString(), 0, "no run for " + bug.name(), "add a line for it: " + FORMAT);
      }
    }
    return runs;
  }

  private static BugRun of(ProtocolSystem system, List<SeededBug> bugs, String line) {
    String[] fields = line.strip().split("\\s*\\|\\s*", -1);
    if (fields.length != FIELDS) {
      throw new IllegalArgumentException(
          fields.length
              + (fields.length == 1 ? " field" : " fields")
              + " where a line has "
              + FIELDS);
    }
    String unseen = unseen(fields[5]);
    RunConfig config =
        new RunConfig(
            system,
            seed(fields[1]),
            200,
            fields[2],
            FaultKind.parse(fields[3], system.tolerated()),
            Set.of(),
            new TreeSet<>(),
            parameters(fields[4]),
            Optional.of(bug(bugs, fields[0])),
            Optional.empty(),
            true);
    SimulateCommand.demandMachines(config);
    return new BugRun(fields[3], config, unseen);
  }

  private static String unseen(String said) {
    if (said.equals("seen")) {
      return "";
    } else if (said.matches("unseen:?")) {
      throw new IllegalArgumentException("unseen without a reason: say why clients cannot see it");
    } else if (!said.startsWith(UNSEEN)) {
      throw new IllegalArgumentException("\"" + said + "\" where seen or unseen: WHY is said");
    }
    return said.substring(UNSEEN.length()).strip();
  }

  private static SeededBug bug(List<SeededBug> bugs, String name) {
    List<String> names = bugs.stream().map(SeededBug::name).toList();
    return bugs.stream()
        .filter(b -> b.name().equals(name))
        .findFirst()
        .orElseThrow(
            () ->
                new IllegalArgumentException(
                    "there is no seeded bug \""
                        + name
                        + "\", "
                        + Near.remedy(name, names, "only " + String.join(", ", names))));
  }

  private static long seed(String text) {
    try {
      return Long.parseLong(text);
    } catch (NumberFormatException e) {
      throw new IllegalArgumentException("the seed \"" + text + "\" is no whole number", e);
    }
  }

  private static TreeMap<String, Long> parameters(String text) {
    TreeMap<String, Long> parameters = new TreeMap<>();
    if (!text.equals("-")) {
      for (String pair : text.split("\\s+", -1)) {
        if (!pair.matches("\\w+=-?\\d{1,18}")) {
          throw new IllegalArgumentException("\"" + pair + "\" is no NAME=NUMBER");
        }
        int equals = pair.indexOf('=');
        parameters.put(pair.substring(0, equals), Long.valueOf(pair.substring(equals + 1)));
      }
    }
    return parameters;
  }
}
