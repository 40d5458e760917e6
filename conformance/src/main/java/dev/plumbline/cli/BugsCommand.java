package dev.plumbline.cli;

import com.fasterxml.jackson.databind.ObjectMapper;
import dev.plumbline.graph.Conformance;
import dev.plumbline.graph.Corpora;
import dev.plumbline.graph.Replay;
import dev.plumbline.graph.SpecAdapter;
import dev.plumbline.graph.TraceJudge;
import dev.plumbline.sim.Campaign;
import dev.plumbline.sim.FaultKind;
import dev.plumbline.sim.Judge;
import dev.plumbline.sim.Judges;
import dev.plumbline.sim.ProtocolSystem;
import dev.plumbline.sim.Protocols;
import dev.plumbline.sim.RunConfig;
import dev.plumbline.sim.SeededBug;
import dev.plumbline.tlc.InputError;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code ./plumb bugs}: which layer catches which seeded bug? */
@Command(
    name = "bugs",
    mixinStandardHelpOptions = true,
    description = {
      "Runs every seeded bug of a protocol through replay and, with the seed stored for it, through"
          + " simulation, and compares what caught it with the table in docs/seeded-bugs.md.",
      "Exit code 1 if nothing catches a bug, or the table differs."
    })
public final class BugsCommand implements Callable<Integer> {
  private static final Path TABLE = Path.of("docs", "seeded-bugs.md");
  private static final String NOTHING = "·";

  @Spec private CommandSpec spec;

  @Parameters(paramLabel = "PROTOCOL", description = "such as k2")
  private String protocol;

  @Option(names = "--update", description = "write the table")
  private boolean update;

  @Option(names = "--json", description = "print the rows as JSON")
  private boolean json;

  /** A bug with its run, and what each layer said: names of judges, or empty. */
  private record Row(
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

  @Override
  public Integer call() throws IOException {
    ProtocolSystem system = Protocols.named(protocol);
    List<String> runs = Bugs.runs(protocol);
    List<Row> rows = new ArrayList<>();
    for (SeededBug bug : Bugs.all(protocol, null)) {
      String run =
          runs.stream()
              .filter(line -> line.substring(0, line.indexOf('|')).strip().equals(bug.name()))
              .findFirst()
              .orElseThrow(
                  () ->
                      new InputError(
                          "impl/bugs/src/main/resources/bugs/" + protocol + ".csv",
                          0,
                          "no run for " + bug.name(),
                          "add a line for it"));
      rows.add(row(system, bug, run));
    }
    String table = table(rows);
    Path file = Places.root().resolve(TABLE);
    boolean drifted = !Files.exists(file) || !Files.readString(file).equals(table);
    if (update) {
      Files.writeString(file, table);
    }
    PrintWriter out = spec.commandLine().getOut();
    List<String> missed = rows.stream().filter(row -> !row.caught()).map(Row::bug).toList();
    if (json) {
      out.println(new ObjectMapper().valueToTree(rows).toPrettyString());
    } else {
      rows.forEach(row -> out.println(line(row)));
      missed.forEach(bug -> out.println("nothing catches " + bug));
      if (drifted) {
        out.println(
            update
                ? TABLE + " written"
                : TABLE + " differs: run ./plumb bugs " + protocol + " --update");
      }
    }
    out.flush();
    return missed.isEmpty() && (update || !drifted) ? 0 : 1;
  }

  private Row row(ProtocolSystem system, SeededBug bug, String line) {
    String[] fields = line.split("\\|", -1);
    TreeMap<String, Long> parameters = new TreeMap<>();
    String set = fields[4].strip();
    if (!set.equals("-")) {
      for (String pair : set.split(" ", -1)) {
        int equals = pair.indexOf('=');
        parameters.put(pair.substring(0, equals), Long.valueOf(pair.substring(equals + 1)));
      }
    }
    RunConfig config =
        new RunConfig(
            system,
            Long.parseLong(fields[1].strip()),
            200,
            fields[2].strip(),
            FaultKind.parse(fields[3].strip()),
            Set.of(),
            new TreeSet<>(),
            parameters,
            Optional.of(bug),
            Optional.empty(),
            true);
    List<Judge> judges = new ArrayList<>(Judges.all());
    judges.addAll(TraceJudge.all(Places.root(), system));
    List<String> failing =
        new Campaign(judges, 1)
            .report(config).judgements().stream()
                .filter(judgement -> judgement.verdict() == Judge.Verdict.FAILS)
                .map(Judge.Judgement::judge)
                .toList();
    String command =
        "--seed %d --workload %s --faults %s%s"
            .formatted(
                config.seed(),
                config.workload(),
                fields[3].strip(),
                parameters.entrySet().stream()
                    .map(p -> " --set " + p.getKey() + "=" + p.getValue())
                    .collect(Collectors.joining()));
    return new Row(
        bug.name(),
        bug.description(),
        command,
        replay(bug),
        failing.stream()
            .filter(judge -> judge.startsWith(TraceJudge.PREFIX))
            .map(judge -> judge.substring(TraceJudge.PREFIX.length()))
            .collect(Collectors.joining(", ")),
        failing.stream()
            .filter(judge -> !judge.startsWith(TraceJudge.PREFIX) && !judge.equals("invariants"))
            .collect(Collectors.joining(", ")),
        failing.contains("invariants") ? "yes" : "");
  }

  /** The modules whose corpus the machines no longer follow. */
  private String replay(SeededBug bug) {
    Conformance conformance = Conformance.named(protocol);
    Corpora corpora = new Corpora(Places.root(), conformance);
    List<String> caught = new ArrayList<>();
    for (String module : conformance.corpusModules().keySet()) {
      Optional<SpecAdapter> adapter = corpora.adapter(module, Optional.of(bug));
      if (adapter.isPresent()
          && new Replay(corpora.stored(module), adapter.get()).run().difference().isPresent()) {
        caught.add(module);
      }
    }
    return String.join(", ", caught);
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

  private String table(List<Row> rows) {
    StringBuilder s = new StringBuilder();
    s.append("# Seeded bugs\n\n");
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
