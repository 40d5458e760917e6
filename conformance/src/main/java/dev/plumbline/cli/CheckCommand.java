package dev.plumbline.cli;

import dev.plumbline.check.Board;
import dev.plumbline.check.Checks;
import dev.plumbline.check.Distributed;
import dev.plumbline.check.Driver;
import dev.plumbline.check.Engines;
import dev.plumbline.check.Reports;
import dev.plumbline.check.Result;
import dev.plumbline.check.Terminal;
import dev.plumbline.check.Workspace;
import dev.plumbline.tlc.InputError;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code plumb check}: model checking alone. */
@Command(
    name = "check",
    mixinStandardHelpOptions = true,
    description = "Runs the checks of checks.yaml and compares each verdict with what is expected.",
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      "0:every check ended as is expected",
      "1:a check did not",
      "2:bad usage or input",
      "3:the environment lacks something, or kept a check from its verdict"
    })
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
      names = "--verbose",
      description = "On a terminal, a line for each check; elsewhere there always is one.")
  private boolean verbose;

  @Option(
      names = "--jobs",
      defaultValue = "2",
      description = "Checks at a time; default ${DEFAULT-VALUE}.")
  private int jobs = 2;

  @Option(
      names = "--distributed",
      description =
          "One check in TLC's distributed mode: a server here, --workers here, and any number"
              + " elsewhere. Safety only, without coverage; nothing is remembered.")
  private boolean distributed;

  /** How long a worker waits for its server: the two may be started together. */
  private static final long SERVER_SECONDS = 120;

  @Option(
      names = "--join",
      paramLabel = "HOST",
      description = "Be a worker of the server at HOST, until that ends.")
  private String join;

  @Option(
      names = "--workers",
      defaultValue = "2",
      description = "With --distributed, workers on this machine; default ${DEFAULT-VALUE}.")
  private int workers = 2;

  @Option(
      names = "--address",
      paramLabel = "ADDRESS",
      defaultValue = "127.0.0.1",
      description = "With --distributed or --join, where others reach this machine.")
  private String address = "127.0.0.1";

  @Option(
      names = "--compare",
      description =
          "Afterwards run the TLC that PLUMB_TLA2TOOLS names, as it is, and fail where the two differ"
              + " in verdict or, of what holds, in the number of states.")
  private boolean compare;

  @Mixin private ShardOption shard = new ShardOption();

  @Override
  public Integer call() throws IOException, InterruptedException {
    if (!lane.equals("quick") && !lane.equals("nightly")) {
      throw new InputError("", 0, "there is no lane " + lane, "use --lane quick or --lane nightly");
    }
    if (jobs < 1) {
      throw new InputError("", 0, "--jobs " + jobs + " runs nothing", "use --jobs 1 or more");
    }
    if (workers < 0) {
      throw new InputError("", 0, "--workers " + workers, "use --workers 0 or more");
    }
    if (join != null) {
      if (!names.isEmpty()) {
        throw new InputError(
            "", 0, "--join takes no check", "leave it out: the server says what is checked");
      }
      if (distributed || json || compare || !shard.shard().whole()) {
        throw new InputError(
            "", 0, "--join knows no --distributed, --json, --compare or --shard", "leave them out");
      }
      return join();
    }
    Workspace workspace = Workspace.here();
    List<Checks> protocols = workspace.protocols();
    Driver.demandKnown(names, protocols);
    if (distributed) {
      if (json || compare || !shard.shard().whole()) {
        throw new InputError(
            "", 0, "--distributed knows no --json, --compare or --shard", "leave them out");
      }
      return distribute(workspace, protocols);
    }
    Engines other = compare ? Engines.named(System.getenv("PLUMB_TLA2TOOLS")) : null;
    if (compare && other == null) {
      System.err.println(
          "plumb: --compare has nothing to compare with: set PLUMB_TLA2TOOLS to another TLC's jar");
      return 3;
    }
    long start = System.currentTimeMillis();
    Board board = new Board(System.err, Terminal.live(), verbose);
    Driver driver =
        new Driver(workspace, new Driver.Options(names, lane, fresh, jobs, shard.shard()), board);
    List<Result> results = driver.run();
    Reports.write(workspace, results, driver.manifest());
    System.out.print(
        json
            ? Reports.json(results, driver.manifest())
            : Reports.table(results, System.currentTimeMillis() - start));
    int exit = Result.exit(results);
    if (compare) {
      other.run(driver, results, jobs, System.err::println);
      (json ? System.err : System.out).print(other.table());
      return exit == 1 || other.exit() == 0 ? exit : other.exit();
    }
    return exit;
  }

  private int join() throws InterruptedException {
    try {
      Distributed.join(join, address, SERVER_SECONDS);
      return 0;
    } catch (IOException e) {
      System.err.println("plumb: " + e.getMessage());
      return 3;
    }
  }

  private int distribute(Workspace workspace, List<Checks> protocols)
      throws IOException, InterruptedException {
    for (Checks p : protocols) {
      for (Checks.Check c : p.checks()) {
        if (names.size() == 1 && (names.contains(c.id()) || names.contains(c.name()))) {
          Distributed.Ended e =
              new Distributed(workspace, p, c, address, System.err::println).run(workers);
          String states =
              e.distinct() < 0
                  ? ""
                  : "%,d generated, %,d distinct, ".formatted(e.generated(), e.distinct());
          System.out.printf(
              "%s  %s  %s  %s%.1fs; distributed: safety only, no coverage%n",
              c.name(), c.expectation(), e.verdict(), states, e.millis() / 1e3);
          if (!e.message().isEmpty()) {
            System.out.println(e.message());
          }
          return e.verdict().equals("FAILED") ? 1 : e.verdict().equals("environment") ? 3 : 0;
        }
      }
    }
    throw new InputError("", 0, "--distributed takes one check", "name it as PROTOCOL/CHECK");
  }
}
