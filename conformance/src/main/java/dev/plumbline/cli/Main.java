package dev.plumbline.cli;

import dev.plumbline.check.Unjudged;
import dev.plumbline.check.Workspace;
import dev.plumbline.history.Printable;
import dev.plumbline.node.ConfigException;
import dev.plumbline.parts.Ending;
import dev.plumbline.protocol.Protocols;
import dev.plumbline.protocol.Services;
import dev.plumbline.tlc.InputError;
import java.io.File;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.nio.charset.CharacterCodingException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.NotDirectoryException;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.UnmatchedArgumentException;

/** The entry point behind {@code ./plumb}: one subcommand per class. */
@Command(
    name = "plumb",
    mixinStandardHelpOptions = true,
    version = "plumb 0.1.0",
    description =
        "Holds implementations of geo-distributed transaction protocols true to their"
            + " specifications.",
    subcommands = {
      AttackCommand.class,
      AuditCommand.class,
      BenchCommand.class,
      BugsCommand.class,
      CheckCommand.class,
      ClusterCommand.class,
      CompletionCommand.class,
      CorpusCommand.class,
      CoverageCommand.class,
      DamageCommand.class,
      ExplainCommand.class,
      HistoryCommand.class,
      JepsenCommand.class,
      MergeCommand.class,
      MutateCommand.class,
      NewCommand.class,
      ReplayCommand.class,
      ReportCommand.class,
      ServeCommand.class,
      SimulateCommand.class,
      SiteCommand.class,
      SqlCommand.class,
      TraceCommand.class,
      VerifyCommand.class,
      WorldsCommand.class,
    },
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      "0:what was asked holds",
      "1:a check failed",
      "2:bad usage or input",
      "3:the environment lacks something, or plumb itself broke",
      "4:unknown: nothing is violated, but not all could be judged (history, jepsen, merge,"
          + " mutate, simulate, trace, verify, worlds)"
    })
public final class Main {
  private Main() {}

  public static void main(String[] args) {
    // Others read the numbers that are written, such as JUnit's times: alike in every language.
    Locale.setDefault(Locale.ROOT);
    System.exit(commandLine().execute(args));
  }

  /**
   * The whole command line; faults of the input end with exit code 2 and say where they are, files
   * that cannot be written or read, too little memory and faults of plumb itself with exit code 3.
   */
  static CommandLine commandLine() {
    return new CommandLine(new Main())
        .setExpandAtFiles(false)
        .setParameterExceptionHandler(Main::badUsage)
        .setExecutionStrategy(
            parsed -> {
              try {
                return new CommandLine.RunLast().execute(parsed);
              } catch (Error e) {
                return broken(parsed.commandSpec().commandLine(), e);
              }
            })
        .setExecutionExceptionHandler(
            (e, command, parsed) -> {
              if (e instanceof InputError fault) {
                return badInput(command, fault.describe());
              }
              if (e instanceof ConfigException fault) {
                return badInput(command, fault.describe());
              }
              if (e instanceof Protocols.Unknown || e instanceof Services.Wrong) {
                return badInput(command, e.getMessage());
              }
              if (e instanceof Unjudged kept) {
                command.getErr().println("plumb: " + kept.getMessage());
                return Ending.exit(List.of(kept.late() ? Ending.TIME_OUT : Ending.ENVIRONMENT));
              }
              if (e instanceof IOException files) {
                return lacking(command, files);
              }
              if (e instanceof UncheckedIOException files) {
                return lacking(command, files.getCause());
              }
              return broken(command, e);
            });
  }

  /** What was asked has no answer, which is not the answer no. */
  private static int broken(CommandLine command, Throwable e) {
    for (Throwable cause = e; cause != null; cause = cause.getCause()) {
      if (cause instanceof VirtualMachineError) {
        String more = cause instanceof StackOverflowError ? "-Xss64m" : "-Xmx8g";
        command
            .getErr()
            .println("plumb: " + cause + "; remedy: give Java more with PLUMB_JAVA_OPTS=" + more);
        return 3;
      }
    }
    e.printStackTrace(command.getErr());
    return 3;
  }

  private static int lacking(CommandLine command, IOException e) {
    if (e instanceof CharacterCodingException) {
      return badInput(command, "a file that was named is not UTF-8 text: save it as UTF-8");
    }
    String said = Workspace.said(e);
    if (e instanceof FileAlreadyExistsException
        || e instanceof NotDirectoryException
        || said.endsWith(": Not a directory")) {
      String path = ((FileSystemException) e).getFile();
      return badInput(
          command,
          path + ": there is a file where a folder is needed\n  remedy: name another path");
    }
    if (said.endsWith(": Is a directory") || said.endsWith("(Is a directory)")) {
      return badInput(command, said + ", where a file is needed\n  remedy: name a file");
    }
    command.getErr().println("plumb: cannot write or read " + said);
    command.getErr().println("  remedy: make the path writable, or free some disk" + free(said));
    return 3;
  }

  /** A full disk is told without a path: how much is left where commands write. */
  private static String free(String said) {
    if (!said.contains("No space left on device")) {
      return "";
    }
    File made = Workspace.here().made().toFile();
    File temporary = new File(System.getProperty("java.io.tmpdir"));
    return Stream.of(made, temporary)
        .map(f -> f + " has " + f.getUsableSpace() / (1 << 20) + " MiB left")
        .collect(Collectors.joining(", ", " (", ")"));
  }

  /** One line that says what is wrong, the nearest names if a name is, and where all is said. */
  private static int badUsage(ParameterException e, String[] args) {
    CommandLine command = e.getCommandLine();
    PrintWriter err = command.getErr();
    err.println("plumb: " + e.getMessage());
    if (e instanceof UnmatchedArgumentException unmatched) {
      List<String> near = unmatched.getSuggestions();
      if (unmatched.getUnmatched().get(0).matches("--project(=.*)?")) {
        err.println(
            "  --project DIR stands before the command: ./plumb --project DIR "
                + command.getCommandName());
      } else if (!near.isEmpty()) {
        err.println("  did you mean " + String.join(" or ", near) + "?");
      }
    }
    err.println("  see: ./" + command.getCommandSpec().qualifiedName() + " --help");
    return 2;
  }

  private static int badInput(CommandLine command, String message) {
    command.getErr().println("plumb: " + Printable.text(message));
    return 2;
  }
}
