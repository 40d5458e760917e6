package dev.plumbline.node;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A process with one node or several: {@code NodeMain CONFIG…}. Ends with 0 after SIGTERM or
 * SIGINT.
 */
public final class NodeMain {
  private static final Logger LOG = LoggerFactory.getLogger(NodeMain.class);
  private static final int BAD_CONFIGURATION = 2;
  private static final int ENVIRONMENT = 3;

  private NodeMain() {}

  public static void main(String[] args) {
    try {
      Runtime.getRuntime()
          .halt(serve(Stream.of(args).map(Path::of).map(NodeConfig::read).toList(), System.err));
    } catch (ConfigException e) {
      System.err.println("plumb: " + e.describe());
      Runtime.getRuntime().halt(BAD_CONFIGURATION);
    }
  }

  /**
   * Runs nodes until they are told to stop. Returns 0 after a stop, 2 if a configuration is of no
   * use here, and 3 if the environment lacks what they need. Where the heap is full it ends this
   * process, with 3.
   */
  public static int serve(List<NodeConfig> configs, PrintStream err) {
    if (configs.stream().anyMatch(config -> config.node() == null)) {
      err.println("plumb: key \"node\" is missing: say which of the nodes this process is");
      return BAD_CONFIGURATION;
    } else if (configs.stream().map(NodeConfig::node).distinct().count() < configs.size()) {
      err.println("plumb: two configurations are the same node's: give one for each");
      return BAD_CONFIGURATION;
    }
    String names = configs.stream().map(NodeConfig::node).collect(Collectors.joining(", "));
    configs.stream().map(NodeConfig::parent).filter(Objects::nonNull).forEach(NodeMain::endWith);
    HeapWatch.begin(
        full -> {
          err.println(
              "plumb: "
                  + names
                  + ": "
                  + full
                  + "; the process ends, and what it acknowledged is in its log, if it keeps one"
                  + "\n  remedy: give it more memory: PLUMB_NODE_HEAP_MB=512 where a command starts the"
                  + " cluster, PLUMB_JAVA_OPTS=-Xmx8g for ./plumb serve");
          Runtime.getRuntime().halt(ENVIRONMENT);
        });
    Host host;
    try {
      host = new Host(configs);
    } catch (IOException e) {
      err.println("plumb: " + e.getMessage());
      return ENVIRONMENT;
    }
    Runtime.getRuntime()
        .addShutdownHook(
            new Thread(
                () -> {
                  host.close();
                  LOG.info("{} stopped", names);
                  Runtime.getRuntime().halt(0);
                }));
    configs.forEach(c -> LOG.info("{} serves at {}", c.node(), c.nodes().get(c.node())));
    try {
      host.run();
      return 0;
    } catch (IOException e) {
      LOG.error("{} stop: a step cannot be completed", names, e);
      return ENVIRONMENT;
    }
  }

  /** Ends this process when that one ends, or at once if it has ended. */
  @SuppressWarnings("FutureReturnValueIgnored")
  private static void endWith(long pid) {
    ProcessHandle.of(pid)
        .map(ProcessHandle::onExit)
        .orElseGet(() -> CompletableFuture.completedFuture(null))
        .thenRun(() -> Runtime.getRuntime().halt(0));
  }
}
