package dev.plumbline.cli;

import java.io.PrintWriter;
import picocli.AutoComplete;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** {@code plumb completion}: a script that completes commands and options in a shell. */
@Command(
    name = "completion",
    mixinStandardHelpOptions = true,
    description = {
      "Prints a script for bash and zsh that completes commands and options.",
      "In a shell: source <(./plumb completion)"
    },
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      "0:the script is printed",
      "2:bad usage or input",
      "3:the environment lacks something, or plumb itself broke"
    })
public final class CompletionCommand implements Runnable {
  @Spec private CommandSpec spec;

  @Override
  public void run() {
    PrintWriter out = spec.commandLine().getOut();
    out.print(AutoComplete.bash("plumb", spec.root().commandLine()));
    out.flush();
  }
}
