package dev.plumbline.cli;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.plumbline.check.Audit;
import dev.plumbline.check.Workspace;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code plumb report}: the audit page from stored results. */
@Command(
    name = "report",
    mixinStandardHelpOptions = true,
    description =
        "Joins claims, checks and their last results into .plumb/reports/audit.html and audit.json; runs nothing.")
public final class ReportCommand implements Callable<Integer> {
  @Option(names = "--json", description = "Print the audit as JSON.")
  private boolean json;

  @Override
  public Integer call() {
    Workspace workspace = Workspace.here();
    ObjectNode audit = Audit.of(workspace);
    Object page = Audit.write(workspace, audit);
    System.out.println(json ? audit.toPrettyString() : page);
    return 0;
  }
}
