package dev.plumbline.node;

import dev.plumbline.machine.Message;
import dev.plumbline.protocol.Services;
import java.io.IOException;
import java.util.List;

/**
 * A database that a node reaches by itself, and that stands for roles which no node plays. It takes
 * the messages to such roles, and gives their answers. It may lose either: whoever sends a message
 * sends it again.
 */
public interface Outside extends AutoCloseable {
  /** A message of the node to a role; returns at once. */
  void take(String role, Message message);

  @Override
  void close();

  /** Gets the answers of a role, on any thread. */
  interface Answers {
    void answer(String role, Message message);
  }

  /**
   * Reaches such a database, for the nodes of a protocol. Implementations are listed in {@code
   * META-INF/services/dev.plumbline.node.Outside$Provider}.
   */
  interface Provider {
    /** The protocol's name on the command line. */
    String protocol();

    /**
     * Connects.
     *
     * @throws IOException if there is no such database
     */
    Outside open(NodeConfig config, Answers answers) throws IOException;
  }

  /**
   * What stands for the roles that no node of this configuration plays; null if nodes play all.
   *
   * @throws IOException if it is not to be had
   */
  static Outside of(NodeConfig config, Answers answers) throws IOException {
    if (!config.system().outside(config.settings())) {
      return null;
    }
    List<Provider> providers =
        Services.all(Provider.class).stream()
            .filter(p -> p.protocol().equals(config.protocol()))
            .toList();
    if (providers.isEmpty()) {
      throw new IOException("nothing reaches a database for " + config.protocol());
    }
    return providers.get(0).open(config, answers);
  }
}
