package dev.plumbline.metric.sql.node;

import dev.plumbline.metric.sql.log.NodeProcess;
import dev.plumbline.node.Connector;
import dev.plumbline.node.NodeConfig;
import java.io.IOException;
import java.time.Duration;

/** Connections to the Metric process that a node runs. */
public final class NodeLinks implements NodeProcess.Links, AutoCloseable {
  private static final Duration CONNECTING = Duration.ofSeconds(2);

  private final Connector connector;
  private final String node;

  /**
   * @param config the cluster's, for clients
   * @param name the name in the client's certificate
   * @param node the Metric process's
   */
  public NodeLinks(NodeConfig config, String name, String node) throws IOException {
    connector = new Connector(config, name);
    this.node = node;
  }

  private static long after(Duration time) {
    return System.nanoTime() + time.toNanos();
  }

  @Override
  public NodeProcess.Link open() throws IOException {
    Connector.Connection connection = connector.connect(node, after(CONNECTING));
    return new NodeProcess.Link() {
      private long number;

      @Override
      public Record ask(Record request, Duration patience) throws IOException {
        return connection.ask(++number, request, after(patience));
      }

      @Override
      public boolean isOpen() {
        return connection.isOpen();
      }

      @Override
      public void close() {
        connection.close();
      }
    };
  }

  @Override
  public void close() {
    connector.close();
  }
}
