package dev.plumbline.node;

import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * One connection to each node that was asked, kept for the next request. One that broke meanwhile
 * is made anew, so that nothing is lost with it. For one thread.
 */
public final class Connections implements AutoCloseable {
  private final Connector connector;
  private final Map<String, Connector.Connection> kept = new HashMap<>();
  private long requests;

  /**
   * @param connector makes them; it is left open
   */
  public Connections(Connector connector) {
    this.connector = connector;
  }

  /**
   * Asks a node and waits for its answer.
   *
   * @param deadline {@link System#nanoTime} after which this is given up
   * @throws Connector.TooLong if the request is longer than a node takes; nothing is sent
   * @throws Connector.AnswerTooLong if the answer is longer than a node may give
   * @throws IOException as {@link Connector#connect} and {@link Connector.Connection#ask}
   */
  public Record ask(String node, Record request, long deadline) throws IOException {
    Connector.Connection connection = kept.get(node);
    if (connection == null || !connection.isOpen()) {
      drop(node);
      connection = connector.connect(node, deadline);
      kept.put(node, connection);
    }
    try {
      return connection.ask(++requests, request, deadline);
    } catch (Connector.TooLong | Connector.AnswerTooLong e) {
      throw e;
    } catch (IOException e) {
      drop(node);
      throw e;
    }
  }

  /** Closes those to other nodes than these. */
  public void keepOnly(Set<String> nodes) {
    for (String node : List.copyOf(kept.keySet())) {
      if (!nodes.contains(node)) {
        drop(node);
      }
    }
  }

  private void drop(String node) {
    Connector.Connection old = kept.remove(node);
    if (old != null) {
      old.close();
    }
  }

  @Override
  public void close() {
    kept.values().forEach(Connector.Connection::close);
    kept.clear();
  }
}
