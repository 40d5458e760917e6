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
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code plumb report}: what the checks of each claim last said, or what cluster runs did. */
@Command(
    name = "report",
    mixinStandardHelpOptions = true,
    description = {
      "Joins claims and the last results of their checks; runs nothing. ./plumb audit joins all"
          + " other evidence as well, as pages.",
      "A stored result counts for the very input that it is of: where the input has changed since,"
          + " the check is stale; where nothing is stored, it has no result. Exit code 1 if a check"
          + " of the lane failed, is stale or has no result."
    })
public final class ReportCommand implements Callable<Integer> {
  private static final int SHOWN = 20;
  private static final ObjectMapper MAPPER = new ObjectMapper();

  @Spec private CommandSpec spec;

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
      names = "--runs",
      description = "Instead, a page of the cluster runs that are kept, as Markdown or JSON.")
  private boolean runs;

  @Option(
      names = "--update",
      description = "With --runs, write that page to docs/results/cluster-runs.md.")
  private boolean update;

  @Override
  public Integer call() {
    if (update && !runs) {
      throw new InputError("", 0, "--update writes the page of --runs", "say --runs as well");
    }
    if (runs) {
      return runs(Workspace.here());
    }
    if (!lane.equals("quick") && !lane.equals("nightly")) {
      throw new InputError("", 0, "there is no lane " + lane, "use --lane quick or --lane nightly");
    }
    PrintWriter out = spec.commandLine().getOut();
    Workspace workspace = Workspace.here();
    Records records = new Records(workspace);
    ObjectNode report = MAPPER.createObjectNode().put("lane", lane);
    Map<String, Integer> verdicts = new TreeMap<>();
    List<Known> open = new ArrayList<>();
    for (Checks protocol : workspace.protocols()) {
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
      open.stream().limit(SHOWN).forEach(k -> out.println(line(k)));
      if (open.size() > SHOWN) {
        out.println("and " + (open.size() - SHOWN) + " more");
      }
      List<String> counts = new ArrayList<>();
      verdicts.forEach((verdict, n) -> counts.add(n + " " + verdict));
      out.println("checks: " + String.join(", ", counts));
    }
    out.flush();
    return open.isEmpty() ? 0 : 1;
  }

  private int runs(Workspace workspace) {
    RunTable table = new RunTable(workspace.made().resolve("jepsen"));
    if (table.isEmpty()) {
      throw new InputError(
          workspace.made().resolve("jepsen").toString(),
          0,
          "no cluster run is kept here",
          "make one: ./plumb jepsen PROTOCOL");
    }
    if (update) {
      Path page = workspace.root().resolve("docs/results/cluster-runs.md");
      Workspace.writeWhole(page, table.page());
    }
    PrintWriter out = spec.commandLine().getOut();
    out.print(json ? table.json().toPrettyString() + "\n" : table.page());
    out.flush();
    return 0;
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
