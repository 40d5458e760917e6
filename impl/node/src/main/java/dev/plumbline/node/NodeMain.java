package dev.plumbline.node;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Path;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A node's process: {@code NodeMain CONFIG}. Ends with 0 after SIGTERM or SIGINT. */
public final class NodeMain {
  private static final Logger LOG = LoggerFactory.getLogger(NodeMain.class);
  private static final int BAD_CONFIGURATION = 2;
  private static final int ENVIRONMENT = 3;

  private NodeMain() {}

  public static void main(String[] args) {
    try {
      Runtime.getRuntime().halt(serve(NodeConfig.read(Path.of(args[0])), System.err));
    } catch (ConfigException e) {
      System.err.println("plumb: " + e.describe());
      Runtime.getRuntime().halt(BAD_CONFIGURATION);
    }
  }

  /**
   * Runs a node until it is told to stop. Returns 0 after a stop, and 3 if the environment lacks
   * what it needs.
   */
  @SuppressWarnings("FutureReturnValueIgnored")
  public static int serve(NodeConfig config, PrintStream err) {
    if (config.node() == null) {
      err.println("plumb: key \"node\" is missing: say which of the nodes this process is");
      return BAD_CONFIGURATION;
    }
    NodeRuntime node;
    try {
      node = new NodeRuntime(config);
    } catch (IOException e) {
      err.println("plumb: " + e.getMessage());
      return ENVIRONMENT;
    }
    Runtime.getRuntime()
        .addShutdownHook(
            new Thread(
                () -> {
                  node.close();
                  LOG.info("{} stopped", config.node());
                  Runtime.getRuntime().halt(0);
                }));
    if (config.withParent()) {
      ProcessHandle.current()
          .parent()
          .ifPresent(parent -> parent.onExit().thenRun(() -> Runtime.getRuntime().halt(0)));
    }
    LOG.info("{} serves at {}", config.node(), config.nodes().get(config.node()));
    try {
      node.run();
      return 0;
    } catch (IOException | RuntimeException e) {
      LOG.error("{} stops: its step cannot be completed", config.node(), e);
      return ENVIRONMENT;
    }
  }
}
