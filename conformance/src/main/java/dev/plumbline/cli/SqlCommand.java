package dev.plumbline.cli;

import dev.plumbline.cluster.ClusterState;
import dev.plumbline.cluster.SqlServers;
import dev.plumbline.protocol.ProtocolSystem;
import dev.plumbline.protocol.Protocols;
import dev.plumbline.scratch.Companion;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.regex.Pattern;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code ./plumb sql}: a plain SQL shell at one region of a cluster. */
@Command(
    name = "sql",
    mixinStandardHelpOptions = true,
    description = {
      "Opens sqlline, an SQL shell that knows JDBC alone, at a region of a cluster that"
          + " ./plumb cluster up --sql has started. The driver is the server's plain client: no class"
          + " of this project is on the shell's class path. !quit ends it."
    },
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      "0:every statement went well",
      "1:a statement failed, or no server answers",
      "2:bad usage, or no such server is up",
      "3:the environment lacks something"
    })
public final class SqlCommand implements Callable<Integer> {
  private static final int WIDTH = 120;

  /** How a stack trace begins. */
  private static final Pattern HEAD = Pattern.compile("^(Caused by: )?[\\w.$]+Exception: ");

  @Spec private CommandSpec spec;

  @Parameters(
      index = "0",
      paramLabel = "PROTOCOL",
      completionCandidates = ProtocolNames.class,
      description = ProtocolNames.HELP)
  private String protocol;

  @Parameters(index = "1", paramLabel = "REGION", description = "whose server")
  private String region;

  @Option(
      names = "--initialization",
      description = "to make the schema, which END INITIALIZATION ends")
  private boolean initialization;

  @Option(
      names = {"-e", "--execute"},
      paramLabel = "STATEMENT",
      description = "statements to run, one after the other, in place of a prompt")
  private List<String> statements = List.of();

  @Option(
      names = "--dir",
      paramLabel = "FOLDER",
      description = "where the cluster is kept (target/cluster/PROTOCOL of the repository)")
  private Path dir;

  @Override
  public Integer call() throws IOException {
    try {
      ProtocolSystem.SqlSide side = side("sql", protocol);
      Path cluster = ClusterCommand.folder(protocol, dir);
      Path url = SqlServers.url(cluster, region);
      if (ClusterState.of(cluster).isEmpty() || Files.notExists(url)) {
        throw new IllegalArgumentException(
            "no cluster with an SQL server of "
                + region
                + " is up in "
                + cluster
                + "; start the cluster by ./plumb cluster up "
                + protocol
                + " --sql");
      }
      return shell(side, SqlServers.client(side, Files.readString(url).strip()));
    } catch (IllegalArgumentException e) {
      throw new ParameterException(spec.commandLine(), e.getMessage(), e);
    }
  }

  /** What serves SQL for a protocol, which has to have it; {@code what} asks for it. */
  static ProtocolSystem.SqlSide side(String what, String protocol) {
    return Protocols.named(protocol)
        .sqlSide()
        .orElseThrow(() -> new IllegalArgumentException(what + ": " + protocol + " serves no SQL"));
  }

  private int shell(ProtocolSystem.SqlSide side, String url) throws IOException {
    Path jars = Places.root().toAbsolutePath().normalize().resolve(side.module());
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Xmx256m"));
    // Where nobody types there is no terminal, which has a width.
    boolean batch = !statements.isEmpty() || System.console() == null;
    if (batch) {
      command.add("-Dorg.jline.terminal.dumb=true");
    }
    command.addAll(List.of("-cp", jars.resolve("target/shell").resolve("*").toString()));
    command.addAll(List.of("sqlline.SqlLine", "-d", side.driver(), "-u", url, "-p", ""));
    command.addAll(List.of("-n", initialization ? side.owner() : ""));
    if (batch) {
      command.addAll(List.of("--autoResize=false", "--maxWidth=" + WIDTH));
    }
    statements.forEach(s -> command.addAll(List.of("-e", s)));
    ProcessBuilder shell = new ProcessBuilder(command).inheritIO();
    if (batch) {
      shell.redirectError(ProcessBuilder.Redirect.PIPE);
    }
    try {
      Process process = shell.start();
      try (Companion ends = new Companion(process)) {
        if (batch) {
          withoutTraces(process.errorReader(), System.err);
        }
        return process.waitFor() == 0 ? 0 : 1;
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted", e);
    }
  }

  /** The shell's errors without the stack traces that follow them where nobody types. */
  static void withoutTraces(BufferedReader from, PrintStream to) throws IOException {
    boolean trace = false;
    boolean frames = false;
    for (String line = from.readLine(); line != null; line = from.readLine()) {
      boolean frame = line.startsWith("\tat ");
      if (frame || HEAD.matcher(line).find()) {
        trace = true;
      } else if (frames) {
        trace = false;
      }
      frames = frame;
      if (!trace) {
        to.println(line);
      }
    }
  }
}
