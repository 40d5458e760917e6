package dev.plumbline.cli;

import dev.plumbline.check.Driver;
import dev.plumbline.check.Workspace;
import dev.plumbline.tlc.InputError;
import dev.plumbline.worlds.Worlds;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code plumb worlds}: claims checked in worlds that nobody chose. */
@Command(
    name = "worlds",
    mixinStandardHelpOptions = true,
    description = {
      "Draws constants for the models that checks.yaml describes under worlds, and searches each.",
      "A world that is too large counts as searched in part, and another is drawn. One that fails"
          + " is shrunk and printed as an entry of checks.yaml.",
      "Until a family has a world that was searched to the end, the next is drawn smaller."
    },
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      "0:no world fails, and of each family some were searched to the end; with --red, all found",
      "1:a world fails; with --red, one was not found",
      "2:bad usage or input",
      "3:the environment lacks something",
      "4:unknown: no world fails, but of a family none was searched to the end"
    })
public final class WorldsCommand implements Callable<Integer> {
  /** Worlds a protocol. */
  private static final int QUICK = 8;

  private static final int NIGHTLY = 500;

  /** As for {@code history} and {@code jepsen}. */
  private static final int UNKNOWN = 4;

  /** The quick lane's share of a protocol's time. */
  private static final int QUICK_SECONDS = 10;

  @Parameters(paramLabel = "PROTOCOL", description = "All protocols when none is given.")
  private List<String> names = List.of();

  @Option(
      names = "--lane",
      defaultValue = "quick",
      description =
          "quick: 8 worlds a protocol, or what 10 s of a processor suffice for, some families named as"
              + " left; nightly: 500, of every family; default ${DEFAULT-VALUE}.")
  private String lane = "quick";

  @Option(
      names = "--seed",
      defaultValue = "1",
      description = "Which worlds; default ${DEFAULT-VALUE}.")
  private long seed = 1;

  @Option(names = "--count", description = "Worlds a protocol that are searched to the end.")
  private Integer count;

  @Option(names = "--claim", defaultValue = "", description = "Worlds of this claim alone.")
  private String claim = "";

  @Option(
      names = "--red",
      description =
          "Draw worlds of the must-fail checks instead, each until it fails, --count at most:"
              + " the draws can fail.")
  private boolean red;

  @Option(names = "--jobs", description = "Processes at a time; default ${DEFAULT-VALUE}.")
  private int jobs = 2;

  @Mixin private ShardOption shard = new ShardOption();

  @Option(names = "--json", description = "Print the results as JSON instead of the table.")
  private boolean json;

  @Override
  public Integer call() {
    if (!lane.equals("quick") && !lane.equals("nightly")) {
      throw new InputError("", 0, "there is no lane " + lane, "use --lane quick or --lane nightly");
    }
    if (count != null && count < 1) {
      throw new InputError("", 0, "--count " + count + " draws nothing", "give a larger number");
    }
    if (jobs < 1) {
      throw new InputError("", 0, "--jobs " + jobs + " searches nothing", "give a larger number");
    }
    Workspace workspace = Workspace.here();
    Driver.demandKnown(names, workspace.protocols());
    boolean quick = lane.equals("quick");
    int worlds = count != null ? count : quick && !red ? QUICK : NIGHTLY;
    int seconds = quick && count == null && !red ? QUICK_SECONDS : 0;
    Worlds search =
        new Worlds(
            workspace,
            new Worlds.Options(names, seed, worlds, claim, red, seconds, jobs, shard.shard()),
            System.err);
    Worlds.Outcome outcome = search.run();
    System.out.print(json ? search.json() : search.text());
    return switch (outcome) {
      case HOLDS -> 0;
      case FAILED -> 1;
      case UNKNOWN -> UNKNOWN;
    };
  }
}
