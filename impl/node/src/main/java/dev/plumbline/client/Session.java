package dev.plumbline.client;

import dev.plumbline.history.Visit;
import dev.plumbline.node.Connections;
import dev.plumbline.node.Connector;
import dev.plumbline.node.NodeConfig;
import dev.plumbline.protocol.ClientDriver;
import dev.plumbline.protocol.NodeSpec;
import dev.plumbline.protocol.ProtocolSystem;
import dev.plumbline.protocol.Protocols;
import dev.plumbline.protocol.Topology;
import dev.plumbline.protocol.Transaction;
import java.io.IOException;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Runs one transaction after the other, from one region. For one thread. */
public final class Session implements AutoCloseable {
  /** Nobody is to guess the number of another's transaction. */
  private static final SecureRandom RANDOM = new SecureRandom();

  private final NodeConfig config;
  private final Topology topology;
  private final Map<String, NodeSpec> owners;
  private final Connector connector;
  private final int place;
  private final Duration timeout;
  private ClientDriver driver;
  private ClientDriver.Call first;
  private Open open;
  private final Connections connections;

  Session(NodeConfig config, Connector connector, int place, Duration timeout) {
    this.config = config;
    this.connector = connector;
    this.place = place;
    this.timeout = timeout;
    connections = new Connections(connector);
    topology = config.topology();
    owners = NodeConfig.owners(topology);
    renew();
  }

  private void renew() {
    String region = topology.regions().get(place % topology.regions().size());
    long id = RANDOM.nextLong(1L << ProtocolSystem.ID_BITS);
    driver =
        Protocols.named(config.protocol()).client(id, place, region, topology, config.settings());
  }

  /** Readies a transaction; returns the timestamp that it asks for, empty if it asks for none. */
  public List<Long> begin(Transaction transaction) {
    open = null;
    first = driver.begin(transaction);
    return transaction.kind() == Transaction.Kind.REPLICA_SNAPSHOT ? driver.asked() : List.of();
  }

  /** Who asks where for the operation begun; null where there are no sessions. */
  public Visit visit() {
    return driver.visit();
  }

  /** Runs a transaction. */
  public Outcome run(Transaction transaction) {
    begin(transaction);
    return run();
  }

  /** Runs the transaction that was begun. */
  public Outcome run() {
    long deadline = Connector.deadline(timeout);
    ClientDriver.Next next = first;
    try {
      while (next instanceof ClientDriver.Call call) {
        next = answered(driver, ask(call, deadline));
      }
      return outcome((ClientDriver.Outcome) next);
    } catch (Connector.TooLong e) {
      return next == first
          ? new Outcome.Aborted(e.getMessage())
          : outcome(driver.timedOut(), e.getMessage());
    } catch (Connector.AnswerTooLong e) {
      // Whoever asks again is told the same.
      return outcome(driver.timedOut(), e.getMessage());
    } catch (IOException e) {
      ClientDriver.Outcome outcome = driver.timedOut();
      open = driver.again().map(again -> new Open(driver, again)).orElse(null);
      if (open != null) {
        renew();
      }
      return outcome(outcome);
    }
  }

  /**
   * After an unknown outcome: the transaction that may still be asked about, empty if the protocol
   * has no safe way to ask.
   */
  public Optional<Open> open() {
    return Optional.ofNullable(open);
  }

  /** A transaction whose outcome was not learned. For one thread; it outlives its session. */
  public final class Open {
    private final ClientDriver left;
    private ClientDriver.Call again;

    private Open(ClientDriver left, ClientDriver.Call again) {
      this.left = left;
      this.again = again;
    }

    /** Asks for its outcome, over a connection of its own. */
    public Outcome ask(Duration patience) {
      long deadline = Connector.deadline(patience);
      ClientDriver.Next next = again;
      long number = 0;
      while (next instanceof ClientDriver.Call call) {
        String node = owners.get(call.role()).id();
        try (Connector.Connection asked = connector.connect(node, deadline)) {
          next = answered(left, asked.ask(++number, call.request(), deadline));
        } catch (Connector.AnswerTooLong e) {
          return outcome(left.timedOut(), e.getMessage());
        } catch (IOException e) {
          // Whom it asked may be gone: the protocol's client says whom it asks the next time.
          again = left.again().orElse(again);
          return outcome(left.timedOut());
        }
      }
      return outcome((ClientDriver.Outcome) next);
    }
  }

  /** What a node says is not trusted to be an answer to what it was asked. */
  private static ClientDriver.Next answered(ClientDriver driver, Record response)
      throws IOException {
    try {
      return driver.answered(response);
    } catch (ClassCastException | NullPointerException | IndexOutOfBoundsException e) {
      throw new IOException("no answer to what was asked: " + response, e);
    }
  }

  private static Outcome outcome(ClientDriver.Outcome outcome) {
    return outcome(outcome, outcome.error());
  }

  private static Outcome outcome(ClientDriver.Outcome outcome, String why) {
    return switch (outcome.kind()) {
      case COMMITTED -> new Outcome.Committed(outcome.ops(), outcome.timestamp());
      case ABORTED -> new Outcome.Aborted(why);
      case UNKNOWN -> new Outcome.Unknown(why, outcome.ops(), outcome.timestamp());
    };
  }

  private Record ask(ClientDriver.Call call, long deadline) throws IOException {
    return connections.ask(owners.get(call.role()).id(), call.request(), deadline);
  }

  /** Closes all connections; the next transaction makes a new one. */
  @Override
  public void close() {
    connections.close();
  }
}
