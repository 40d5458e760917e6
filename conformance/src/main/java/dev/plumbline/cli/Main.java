package dev.plumbline.cli;

import picocli.CommandLine;
import picocli.CommandLine.Command;

/** The entry point behind {@code ./plumb}: one subcommand per class. */
@Command(
    name = "plumb",
    mixinStandardHelpOptions = true,
    version = "plumb 0.1.0",
    description =
        "Holds implementations of geo-distributed transaction protocols true to their specifications.",
    subcommands = {HistoryCommand.class, SimulateCommand.class},
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
    System.exit(new CommandLine(new Main()).execute(args));
  }
}
