package dev.plumbline.engage.client;

import dev.plumbline.engage.EngageConfig;
import dev.plumbline.engage.Layout;
import dev.plumbline.engage.system.EngageSystem;
import dev.plumbline.node.Connector;
import dev.plumbline.node.NodeConfig;
import dev.plumbline.protocol.ProtocolSystem;
import dev.plumbline.protocol.Settings;
import java.io.IOException;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;

/** A cluster as its clients see it. Thread-safe. */
public final class EngageStore implements AutoCloseable {
  private static final EngageSystem ENGAGE = new EngageSystem();

  /** Nobody is to guess another's name. */
  private static final SecureRandom RANDOM = new SecureRandom();

  private final Settings settings;
  private final Connector connector;
  private final EngageConfig config;
  private final Layout layout;

  /** The replica to ask, by the cloudlet preferred and the object's partition. */
  private final Map<List<String>, String> nearest = new ConcurrentHashMap<>();

  /**
   * @param config the cluster's, as {@link NodeConfig#read} gives it
   * @param name the name in the client's certificate; any where there is no TLS
   * @throws IllegalArgumentException if it is another protocol's cluster
   * @throws IOException if the certificate cannot be read
   */
  public EngageStore(NodeConfig config, String name) throws IOException {
    if (!config.protocol().equals(ENGAGE.name())) {
      throw new IllegalArgumentException(
          "a cluster of " + config.protocol() + " has no " + ENGAGE.name() + " clients");
    }
    settings = config.settings();
    this.config = ENGAGE.config(settings);
    layout = ENGAGE.layout(settings);
    connector = new Connector(config, name);
  }

  /**
   * A client that prefers a cloudlet.
   *
   * @param patience after which an operation is given up, as long as one likes
   * @throws IllegalArgumentException if there is no such cloudlet
   */
  public MobileClient client(String cloudlet, Duration patience) {
    return new MobileClient(
        this, "s" + RANDOM.nextLong(1L << ProtocolSystem.ID_BITS), cloudlet, patience);
  }

  /** The cloudlets' names, in the order of the entries of clocks. */
  public List<String> cloudlets() {
    return layout.cloudlets();
  }

  /** The partitions' names: an object belongs to the one that its name begins with. */
  public List<String> partitions() {
    return List.copyOf(layout.partitions().keySet());
  }

  /** The cloudlets that replicate an object; none if there is no such partition. */
  public List<String> replicas(String object) {
    return layout.replicas(object);
  }

  /** The longest value that an object can have, characters. */
  public int largestValue() {
    return config.largestValue();
  }

  /** Closes all connections. */
  @Override
  public void close() {
    connector.close();
  }

  EngageConfig config() {
    return config;
  }

  Layout layout() {
    return layout;
  }

  Connector connector() {
    return connector;
  }

  /** Whom a client asks that prefers this cloudlet. */
  Set<String> asked(String cloudlet) {
    Set<String> asked = new TreeSet<>();
    for (String partition : partitions()) {
      asked.add(near(cloudlet, partition));
    }
    return asked;
  }

  /** The cloudlet, or the nearest to it, that replicates an object. */
  String nearest(String cloudlet, String object) throws RefusedException {
    if (layout.replicas(object).isEmpty()) {
      throw new RefusedException(
          "there is no partition "
              + Layout.partition(object)
              + "; there are "
              + String.join(", ", partitions()));
    }
    return near(cloudlet, object);
  }

  private String near(String cloudlet, String object) {
    List<String> replicas = layout.replicas(object);
    return replicas.contains(cloudlet)
        ? cloudlet
        : nearest.computeIfAbsent(
            List.of(cloudlet, Layout.partition(object)),
            known -> ENGAGE.nearest(cloudlet, replicas, settings));
  }
}
