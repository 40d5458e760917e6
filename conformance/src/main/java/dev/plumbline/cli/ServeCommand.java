package dev.plumbline.cli;

import dev.plumbline.cluster.Cluster;
import dev.plumbline.cluster.SqlServers;
import dev.plumbline.node.NodeConfig;
import dev.plumbline.node.NodeMain;
import dev.plumbline.protocol.ProtocolSystem;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code ./plumb serve}: one node of a cluster, several in one process, or a JDBC server. */
@Command(
    name = "serve",
    mixinStandardHelpOptions = true,
    description = {
      "Runs one node of a cluster until SIGTERM or SIGINT, or several, each with a configuration of"
          + " its own: they start and end together. docs/node-config.md has the configuration's keys. Logs are JSON lines on standard error; /health and /metrics are on the admin port.",
      "With --sql it runs the JDBC server of a region, by a client's configuration (one without"
          + " \"node\"), for a protocol that has one. Where the configuration has certificates it"
          + " speaks TLS with clients that have one, and shows its own, which has to say its host's"
          + " name."
    },
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      "0:stopped as asked",
      "2:bad usage or configuration",
      "3:an address, a folder, a database or a certificate cannot be had, or the log cannot be written"
    })
public final class ServeCommand implements Callable<Integer> {
  private static final int ENVIRONMENT = 3;
  private static final long STOP_SECONDS = 10;

  @Spec private CommandSpec spec;

  @Option(
      names = "--config",
      required = true,
      paramLabel = "FILE",
      description = "a node's configuration, YAML; once for each node")
  private List<Path> files;

  /** What a JDBC server is told beyond its configuration. */
  static final class Sql {
    @Option(
        names = "--sql",
        required = true,
        paramLabel = "REGION",
        description = "the JDBC server of this region, and no node")
    private String region;

    @Option(
        names = "--listen",
        required = true,
        paramLabel = "[HOST:]PORT",
        description = "where its clients reach it (on loopback)")
    private String listen;

    @Option(
        names = "--sql-url",
        paramLabel = "URL",
        defaultValue = "${env:" + SqlServers.URL + "}",
        description =
            "JDBC URL of the region's database, PostgreSQL or MariaDB, which nobody else changes ($"
                + SqlServers.URL
                + ", which other users do not see)")
    private String url;

    @Option(
        names = "--name",
        paramLabel = "NAME",
        description = "of its certificate, NAME.pem and NAME.key (client)")
    private String name = Cluster.CLIENT;
  }

  @ArgGroup(exclusive = false)
  private Sql sql;

  @Override
  public Integer call() throws IOException {
    List<Path> named = files.stream().map(Places::fromCaller).toList();
    if (sql == null) {
      return NodeMain.serve(named.stream().map(NodeConfig::read).toList(), System.err);
    } else if (named.size() > 1) {
      throw new ParameterException(spec.commandLine(), "--sql: give one --config, a client's");
    }
    NodeConfig config = NodeConfig.read(named.get(0));
    List<String> command;
    try {
      ProtocolSystem.SqlSide side = SqlCommand.side("--sql", config.protocol());
      command = new ArrayList<>(SqlServers.command(Places.root(), side, side.main()));
    } catch (IllegalArgumentException e) {
      throw new ParameterException(spec.commandLine(), e.getMessage(), e);
    }
    command.addAll(List.of(named.get(0).toString(), sql.region, sql.listen));
    command.add("name=" + sql.name);
    command.add(SqlServers.PARENT + "=" + ProcessHandle.current().pid());
    if (config.tls() != null) {
      command.add(SqlServers.TLS + "=" + sql.name);
    }
    ProcessBuilder builder = new ProcessBuilder(command).inheritIO();
    if (sql.url != null) {
      builder.environment().put(SqlServers.URL, sql.url);
    }
    Process server = builder.start();
    Runtime.getRuntime().addShutdownHook(new Thread(() -> end(server)));
    try {
      return server.waitFor();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return end(server);
    }
  }

  /** Asks a server to stop, and ends it if it does not; returns its exit code. */
  private static int end(Process server) {
    server.destroy();
    try {
      if (!server.waitFor(STOP_SECONDS, TimeUnit.SECONDS)) {
        server.destroyForcibly().waitFor();
      }
      Runtime.getRuntime().halt(server.exitValue());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    return ENVIRONMENT;
  }
}
