package dev.plumbline.cli;

import dev.plumbline.check.Board;
import dev.plumbline.check.Checks;
import dev.plumbline.check.Driver;
import dev.plumbline.check.Reports;
import dev.plumbline.check.Result;
import dev.plumbline.check.Workspace;
import dev.plumbline.tlc.InputError;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code plumb check}: model checking alone. */
@Command(
    name = "check",
    mixinStandardHelpOptions = true,
    description = "Runs the checks of checks.yaml and compares each verdict with what is expected.")
public final class CheckCommand implements Callable<Integer> {
  @Parameters(
      paramLabel = "PROTOCOL|CHECK",
      description = "Protocols, checks, or PROTOCOL/CHECK; all protocols when none is given.")
  private List<String> names = List.of();

  @Option(
      names = "--lane",
      defaultValue = "quick",
      description = "quick or nightly (which includes quick); default ${DEFAULT-VALUE}.")
  private String lane = "quick";

  @Option(names = "--fresh", description = "Run again what is already known for this very input.")
  private boolean fresh;

  @Option(names = "--json", description = "Print the results as JSON instead of the table.")
  private boolean json;

  @Option(
      names = "--jobs",
      defaultValue = "2",
      description = "Checks at a time; default ${DEFAULT-VALUE}.")
  private int jobs = 2;

  @Override
  public Integer call() {
    if (!lane.equals("quick") && !lane.equals("nightly")) {
      throw new InputError("", 0, "there is no lane " + lane, "use --lane quick or --lane nightly");
    }
    if (jobs < 1) {
      throw new InputError("", 0, "--jobs " + jobs + " runs nothing", "use --jobs 1 or more");
    }
    Workspace workspace = Workspace.here();
    List<Checks> protocols = workspace.protocols();
    Driver.demandKnown(names, protocols);
    long start = System.currentTimeMillis();
    Board board = new Board(System.err, System.getenv("PLUMB_TERMINAL") != null);
    Driver driver = new Driver(workspace, new Driver.Options(names, lane, fresh, jobs), board);
    List<Result> results = driver.run();
    Reports.write(workspace, results, driver.manifest());
    System.out.print(
        json
            ? Reports.json(results, driver.manifest())
            : Reports.table(results, System.currentTimeMillis() - start));
    return results.stream().anyMatch(Result::failed) ? 1 : 0;
  }
}
