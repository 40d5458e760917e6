package dev.plumbline.cli;

import dev.plumbline.sim.Protocols;
import dev.plumbline.tlc.InputError;
import picocli.CommandLine;
import picocli.CommandLine.Command;

/** The entry point behind {@code ./plumb}: one subcommand per class. */
@Command(
    name = "plumb",
    mixinStandardHelpOptions = true,
    version = "plumb 0.1.0",
    description =
        "Holds implementations of geo-distributed transaction protocols true to their specifications.",
    subcommands = {
      AttackCommand.class,
      BenchCommand.class,
      BugsCommand.class,
      CheckCommand.class,
      ClusterCommand.class,
      CorpusCommand.class,
      CoverageCommand.class,
      DamageCommand.class,
      ExplainCommand.class,
      HistoryCommand.class,
      JepsenCommand.class,
      MergeCommand.class,
      MutateCommand.class,
      ReplayCommand.class,
      ReportCommand.class,
      ServeCommand.class,
      SimulateCommand.class,
      TraceCommand.class,
      VerifyCommand.class,
      WorldsCommand.class,
    },
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      "0:what was asked holds",
      "1:a check failed",
      "2:bad usage or input",
      "3:the environment lacks something"
    })
public final class Main {
  private Main() {}

  public static void main(String[] args) {
    System.exit(commandLine().execute(args));
  }

  /** The whole command line; faults of the input end with exit code 2 and say where they are. */
  static CommandLine commandLine() {
    return new CommandLine(new Main())
        .setExpandAtFiles(false)
        .setExecutionExceptionHandler(
            (e, command, parsed) -> {
              if (e instanceof InputError fault) {
                return badInput(command, fault.describe());
              }
              if (e instanceof Protocols.Unknown) {
                return badInput(command, e.getMessage());
              }
              throw e;
            });
  }

  private static int badInput(CommandLine command, String message) {
    command.getErr().println("plumb: " + message);
    return 2;
  }
}
