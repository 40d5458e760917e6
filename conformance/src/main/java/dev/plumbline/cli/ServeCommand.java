package dev.plumbline.cli;

import dev.plumbline.node.NodeConfig;
import dev.plumbline.node.NodeMain;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code ./plumb serve}: one node of a cluster, or several in one process. */
@Command(
    name = "serve",
    mixinStandardHelpOptions = true,
    description = {
      "Runs one node of a cluster until SIGTERM or SIGINT, or several, each with a configuration of"
          + " its own: they start and end together. docs/node-config.md has the configuration's keys. Logs are JSON lines on standard error; /health and /metrics are on the admin port."
    },
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      "0:stopped as asked",
      "2:bad usage or configuration",
      "3:an address, a folder or a certificate cannot be had, or the log cannot be written"
    })
public final class ServeCommand implements Callable<Integer> {
  @Option(
      names = "--config",
      required = true,
      paramLabel = "FILE",
      description = "a node's configuration, YAML; once for each node")
  private List<Path> files;

  @Override
  public Integer call() {
    return NodeMain.serve(
        files.stream().map(Places::fromCaller).map(NodeConfig::read).toList(), System.err);
  }
}
