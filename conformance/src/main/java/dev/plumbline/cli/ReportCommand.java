package dev.plumbline.cli;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.plumbline.check.Audit;
import dev.plumbline.check.Workspace;
import dev.plumbline.tlc.InputError;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code plumb report}: the audit page from stored results. */
@Command(
    name = "report",
    mixinStandardHelpOptions = true,
    description = {
      "Joins claims, checks and their last results into .plumb/reports/audit.html and audit.json;"
          + " runs nothing.",
      "A stored result counts for the very input that it is of: where the input has changed since,"
          + " the check is stale; where nothing is stored, it has no result. Exit code 1 if a check"
          + " of the lane failed, is stale or has no result."
    })
public final class ReportCommand implements Callable<Integer> {
  private static final int SHOWN = 20;

  @Spec private CommandSpec spec;

  @Option(
      names = "--lane",
      defaultValue = "nightly",
      description =
          "quick or nightly (which includes quick): the checks that decide the exit code;"
              + " default ${DEFAULT-VALUE}.")
  private String lane = "nightly";

  @Option(names = "--json", description = "Print the audit as JSON.")
  private boolean json;

  @Override
  public Integer call() {
    if (!lane.equals("quick") && !lane.equals("nightly")) {
      throw new InputError("", 0, "there is no lane " + lane, "use --lane quick or --lane nightly");
    }
    PrintWriter out = spec.commandLine().getOut();
    Workspace workspace = Workspace.here();
    ObjectNode audit = Audit.of(workspace);
    List<JsonNode> open = Audit.open(audit, lane);
    audit.put("lane", lane).put("open", open.size());
    Path page = Audit.write(workspace, audit);
    if (json) {
      out.println(audit.toPrettyString());
    } else {
      open.stream().limit(SHOWN).forEach(k -> out.println(line(k)));
      if (open.size() > SHOWN) {
        out.println("and " + (open.size() - SHOWN) + " more");
      }
      List<String> counts = new ArrayList<>();
      audit.get("verdicts").properties().forEach(v -> counts.add(v.getValue() + " " + v.getKey()));
      out.println("checks: " + String.join(", ", counts));
      out.println(page);
    }
    out.flush();
    return open.isEmpty() ? 0 : 1;
  }

  private static String line(JsonNode k) {
    return "%-11s %s/%s  %s"
        .formatted(
            k.path("verdict").asText(),
            k.path("protocol").asText(),
            k.path("check").asText(),
            k.path("message").asText());
  }
}
