package dev.plumbline.cli;

import dev.plumbline.cli.BugTable.Row;
import dev.plumbline.graph.Conformance;
import dev.plumbline.graph.Corpora;
import dev.plumbline.graph.Replay;
import dev.plumbline.graph.SpecAdapter;
import dev.plumbline.graph.TraceJudge;
import dev.plumbline.protocol.ProtocolSystem;
import dev.plumbline.protocol.Protocols;
import dev.plumbline.protocol.SeededBug;
import dev.plumbline.sim.Campaign;
import dev.plumbline.sim.Judge;
import dev.plumbline.sim.Judges;
import dev.plumbline.sim.RunConfig;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
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
          + " simulation, and compares what caught it with the table in docs/seeded-bugs-PROTOCOL.md."
    },
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      "0:something catches each bug, clients see it or a reason says why not, and the table says so",
      "1:one of these does not hold",
      "2:bad usage or input",
      "3:the environment lacks something, or plumb itself broke"
    })
public final class BugsCommand implements Callable<Integer> {
  @Spec private CommandSpec spec;

  @Parameters(
      paramLabel = "PROTOCOL",
      completionCandidates = ProtocolNames.class,
      description = ProtocolNames.HELP)
  private String protocol;

  @Option(names = "--update", description = "write the table")
  private boolean update;

  @Option(names = "--json", description = "print the rows as JSON, and what is wrong")
  private boolean json;

  @Override
  public Integer call() throws IOException {
    ProtocolSystem system = Protocols.named(protocol);
    List<SeededBug> bugs = Bugs.all(protocol, null);
    Map<String, BugRun> runs = BugRun.read(system, bugs, Bugs.table(protocol));
    List<Row> rows = new ArrayList<>();
    for (SeededBug bug : bugs) {
      rows.add(row(system, bug, runs.get(bug.name())));
    }
    BugTable table = new BugTable(protocol, rows);
    PrintWriter out = spec.commandLine().getOut();
    Path page = Places.root().resolve("docs/seeded-bugs-" + protocol + ".md");
    List<String> problems = table.problems(page, update);
    if (update) {
      Files.writeString(page, table.page());
    }
    if (json) {
      out.println(table.json(problems).toPrettyString());
    } else {
      out.println(table.lines().strip());
      problems.forEach(out::println);
      if (update) {
        out.println(page.getFileName() + " written");
      }
    }
    out.flush();
    return problems.isEmpty() ? 0 : 1;
  }

  private Row row(ProtocolSystem system, SeededBug bug, BugRun run) {
    RunConfig config = run.config();
    List<Judge> judges = new ArrayList<>(Judges.all(system));
    judges.addAll(TraceJudge.all(Places.root(), system));
    List<String> failing =
        new Campaign(judges, 1)
            .report(config).judgements().stream()
                .filter(judgement -> judgement.verdict() == Judge.Verdict.FAILS)
                .map(Judge.Ruling::judge)
                .toList();
    String command =
        "--seed %d --workload %s --faults %s%s"
            .formatted(
                config.seed(),
                config.workload(),
                run.faults(),
                config.parameters().entrySet().stream()
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
        failing.contains("invariants") ? "yes" : "",
        run.unseen());
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
}
