package dev.plumbline.node;

import io.netty.channel.EventLoopGroup;
import io.netty.channel.nio.NioEventLoopGroup;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;

/**
 * The nodes of one process. Each keeps its own log, trace, clocks, addresses and certificate; they
 * share a network thread, and hand each other's messages over without the network. They end
 * together: where one cannot go on, none does.
 */
public final class Host implements AutoCloseable {
  private static final long QUIET_MILLIS = 0;
  private static final long LONGEST_MILLIS = 500;

  private final EventLoopGroup loops = new NioEventLoopGroup(1);
  private final List<NodeRuntime> nodes = new ArrayList<>();

  /**
   * Opens the logs and starts to listen.
   *
   * @param configs one for each node
   * @throws IOException if an address, a folder or a certificate cannot be had
   */
  public Host(List<NodeConfig> configs) throws IOException {
    Map<String, Receiver> together = new ConcurrentHashMap<>();
    try {
      for (NodeConfig config : configs) {
        NodeRuntime node = new NodeRuntime(config, loops, together);
        together.put(config.node(), node);
        nodes.add(node);
      }
    } catch (IOException | RuntimeException e) {
      close();
      throw e;
    }
  }

  /**
   * Runs all nodes until {@link #close}.
   *
   * @throws IOException if the log or the trace of one cannot be written, or its machine fails; the
   *     process must not go on
   */
  public void run() throws IOException {
    List<CompletableFuture<Void>> runs = new ArrayList<>();
    for (NodeRuntime node : nodes) {
      CompletableFuture<Void> run = new CompletableFuture<>();
      runs.add(run);
      node.start();
      Thread thread = new Thread(() -> run(node, run), node.name());
      thread.setDaemon(true);
      thread.start();
    }
    try {
      CompletableFuture<Void> failed = new CompletableFuture<>();
      runs.forEach(run -> run.whenComplete((done, e) -> fail(failed, e)));
      CompletableFuture.anyOf(
              CompletableFuture.allOf(runs.toArray(CompletableFuture[]::new)), failed)
          .get();
    } catch (ExecutionException e) {
      throw new IOException(e.getCause().getMessage(), e.getCause());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private static void fail(CompletableFuture<Void> failed, Throwable e) {
    if (e != null) {
      failed.completeExceptionally(e);
    }
  }

  private static void run(NodeRuntime node, CompletableFuture<Void> run) {
    try {
      node.run();
      run.complete(null);
    } catch (IOException | RuntimeException | Error e) {
      run.completeExceptionally(new IOException(node.name() + ": " + e, e));
    }
  }

  /** Stops every node after the step in progress; returns once all is written and closed. */
  @Override
  public void close() {
    nodes.forEach(NodeRuntime::stop);
    nodes.forEach(NodeRuntime::close);
    loops
        .shutdownGracefully(QUIET_MILLIS, LONGEST_MILLIS, TimeUnit.MILLISECONDS)
        .awaitUninterruptibly(2 * LONGEST_MILLIS);
  }
}
