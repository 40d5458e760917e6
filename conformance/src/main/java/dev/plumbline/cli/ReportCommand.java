package dev.plumbline.cli;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.plumbline.check.Checks;
import dev.plumbline.check.Checks.Claim;
import dev.plumbline.check.Records;
import dev.plumbline.check.Records.Known;
import dev.plumbline.check.Workspace;
import dev.plumbline.tlc.InputError;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code plumb report}: what the checks of each claim last said, or what was measured. */
@Command(
    name = "report",
    mixinStandardHelpOptions = true,
    description = {
      "Joins claims and the last results of their checks; runs nothing. The command audit"
          + " joins all other evidence as well, as pages.",
      "A stored result counts for the very input that it is of: where the input has changed since,"
          + " the check is stale; where nothing is stored, it has no result. Exit code 1 if a check"
          + " of the lane failed, is stale or has no result, or if a machine kept it from one.",
      "Those that failed come first, then those that a machine kept from a verdict, then the stale,"
          + " all of them; of those without result the first "
          + ReportCommand.SHOWN
          + ".",
      "With --results, --keep or --lines it is about measured results instead."
    },
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      "0:every check of the lane has the result that is expected; pages are as what is kept",
      "1:some has not, or a page differs",
      "2:bad usage or input",
      "3:the environment lacks something, or plumb itself broke"
    })
public final class ReportCommand implements Callable<Integer> {
  /** How many without result are named. */
  static final int SHOWN = 20;

  private static final ObjectMapper MAPPER = new ObjectMapper();

  private final Workspace workspace;

  @Spec private CommandSpec spec;

  @Parameters(paramLabel = "PROTOCOL", description = "All protocols when none is given.")
  private List<String> names = List.of();

  @Option(
      names = "--lane",
      defaultValue = "nightly",
      description =
          "quick or nightly (which includes quick): the checks that decide the exit code;"
              + " default ${DEFAULT-VALUE}.")
  private String lane = "nightly";

  @Option(names = "--json", description = "Print claims, checks and verdicts as JSON.")
  private boolean json;

  @Option(
      names = "--results",
      description =
          "Instead, compare the pages that docs/results/kept gives with those in docs/results; exit"
              + " code 1 if they differ.")
  private boolean results;

  @Option(names = "--update", description = "With --results, write the pages.")
  private boolean update;

  @Option(
      names = "--keep",
      paramLabel = "FILE",
      arity = "1..*",
      description =
          "Instead, keep results of cluster runs (result.json), of all mutants"
              + " (.plumb/reports/mutate-PROTOCOL.json) and of the damage suite"
              + " (damage-PROTOCOL.json there) in docs/results/kept, and write the pages.")
  private List<Path> keep = List.of();

  @Option(
      names = "--lines",
      description = "Instead, count lines of machines, bindings and trace models, as a table.")
  private boolean lines;

  public ReportCommand() {
    this(Workspace.here());
  }

  ReportCommand(Workspace workspace) {
    this.workspace = workspace;
  }

  @Override
  public Integer call() {
    if (update && !results) {
      throw new InputError("", 0, "--update writes the pages of --results", "say --results too");
    }
    boolean measured = lines || results || !keep.isEmpty();
    if (measured && !names.isEmpty()) {
      throw new InputError(
          "", 0, "--results, --keep and --lines take no protocol", "leave out " + names.get(0));
    }
    if (measured && json) {
      throw new InputError(
          "", 0, "--results, --keep and --lines print no JSON", "leave out --json");
    }
    if (lines) {
      spec.commandLine().getOut().print(LineTable.of(workspace.root()));
      spec.commandLine().getOut().flush();
      return 0;
    }
    if (measured) {
      return results(KeptResults.of(workspace));
    }
    if (!lane.equals("quick") && !lane.equals("nightly")) {
      throw new InputError("", 0, "there is no lane " + lane, "use --lane quick or --lane nightly");
    }
    PrintWriter out = spec.commandLine().getOut();
    Records records = new Records(workspace);
    ObjectNode report = MAPPER.createObjectNode().put("lane", lane);
    Map<String, Integer> verdicts = new TreeMap<>();
    List<Known> open = new ArrayList<>();
    for (Checks protocol : workspace.protocols(names)) {
      List<Known> all = records.of(protocol);
      report.withArray("protocols").add(json(protocol, all));
      all.forEach(k -> verdicts.merge(k.verdict(), 1, Integer::sum));
      all.stream().filter(k -> k.open() && k.check().in(lane)).forEach(open::add);
    }
    report.set("verdicts", MAPPER.valueToTree(verdicts));
    report.put("open", open.size());
    if (json) {
      out.println(report.toPrettyString());
    } else {
      open.sort(Comparator.comparing(Known::gravity));
      long missing = open.stream().filter(k -> k.verdict().equals(Records.MISSING)).count();
      int shown = open.size() - (int) Math.max(0, missing - SHOWN);
      open.subList(0, shown).forEach(k -> out.println(line(k)));
      if (shown < open.size()) {
        out.println("and " + (open.size() - shown) + " more without result");
      }
      List<String> counts = new ArrayList<>();
      verdicts.forEach((verdict, n) -> counts.add(n + " " + verdict));
      out.println("checks: " + String.join(", ", counts));
    }
    out.flush();
    return open.isEmpty() ? 0 : 1;
  }

  private int results(KeptResults kept) {
    PrintWriter out = spec.commandLine().getOut();
    keep.forEach(
        file -> kept.keep(Places.fromCaller(file)).forEach(to -> out.println("kept: " + to)));
    if (update || !keep.isEmpty()) {
      kept.update();
    }
    List<Path> differ = kept.differences();
    differ.forEach(
        page ->
            out.println("differs from what is kept: " + page + "; add --update if it is meant"));
    out.flush();
    return differ.isEmpty() ? 0 : 1;
  }

  private static ObjectNode json(Checks protocol, List<Known> all) {
    ObjectNode o = MAPPER.createObjectNode().put("protocol", protocol.protocol());
    ArrayNode claims = o.putArray("claims");
    for (Claim c : protocol.claims().values()) {
      ObjectNode claim = claims.addObject();
      claim.setAll((ObjectNode) MAPPER.valueToTree(c));
      ArrayNode checks = claim.putArray("checks");
      all.stream().filter(k -> k.check().claims().contains(c.id())).forEach(k -> add(checks, k));
    }
    ArrayNode others = o.putArray("others");
    all.stream().filter(k -> k.check().claims().isEmpty()).forEach(k -> add(others, k));
    return o;
  }

  private static void add(ArrayNode to, Known k) {
    to.addObject()
        .put("check", k.check().id())
        .put("lane", k.check().lane())
        .put("expect", k.check().expectation())
        .put("verdict", k.verdict())
        .put("message", k.message())
        .put("distinct", k.distinct());
  }

  private static String line(Known k) {
    return "%-11s %s  %s".formatted(k.verdict(), k.check().name(), k.message());
  }
}
