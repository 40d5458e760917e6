package dev.plumbline.client;

import dev.plumbline.node.Connector;
import dev.plumbline.node.NodeConfig;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;

/** A client of one cluster: what its sessions share. Thread-safe. */
public final class PlumbClient implements AutoCloseable {
  private final NodeConfig config;
  private final Connector connector;
  private final AtomicInteger sessions = new AtomicInteger();

  /**
   * @param config the cluster's, as {@link NodeConfig#read} gives it
   * @param name the name in the client's certificate; any where there is no TLS
   * @throws IOException if the certificate cannot be read
   */
  public PlumbClient(NodeConfig config, String name) throws IOException {
    this.config = config;
    connector = new Connector(config, name);
  }

  /** A session; successive ones are spread over the regions. */
  public Session session(Duration timeout) {
    return session(sessions.getAndIncrement(), timeout);
  }

  /**
   * A session of a certain place: the region number {@code place} modulo the number of regions.
   *
   * @param timeout after which a transaction is given up
   */
  public Session session(int place, Duration timeout) {
    return new Session(config, connector, place, timeout);
  }

  /** Closes all connections; transactions that still run end as if nothing answered. */
  @Override
  public void close() {
    connector.close();
  }
}
