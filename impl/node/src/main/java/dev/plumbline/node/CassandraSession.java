package dev.plumbline.node;

import com.datastax.oss.driver.api.core.AllNodesFailedException;
import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.DriverException;
import com.datastax.oss.driver.api.core.cql.Row;
import com.datastax.oss.driver.api.core.cql.SimpleStatement;
import com.datastax.oss.driver.api.core.metadata.Node;
import com.datastax.oss.driver.api.core.servererrors.InvalidQueryException;
import com.datastax.oss.driver.api.core.servererrors.ReadFailureException;
import com.datastax.oss.driver.internal.core.config.typesafe.DefaultDriverConfigLoader;
import com.typesafe.config.ConfigFactory;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A keyspace of a Cassandra 5, as a client has it. Reads and writes are a quorum's unless they say
 * otherwise. A keyspace belongs to one cluster: the first to come writes its name down.
 */
public final class CassandraSession implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(CassandraSession.class);
  private static final int MAJOR = 5;
  private static final long MILLI = 1_000;
  private static final int MOST_REPLICAS = 3;
  private static final Duration MAKING = Duration.ofSeconds(10);
  private static final Duration JOINING = Duration.ofSeconds(60);

  /** After which a read that lacks an answer asks one replica more. */
  private static final String ANOTHER = "200ms";

  private static final Duration PAUSE = Duration.ofMillis(50);

  private static final String OPTIONS =
      """
      datastax-java-driver {
        basic.request { timeout = 5 seconds, consistency = QUORUM, page-size = 100 }
        basic.request.default-idempotence = true
        basic.load-balancing-policy.class = DcInferringLoadBalancingPolicy
        advanced.connection { connect-timeout = 2 seconds, init-query-timeout = 5 seconds }
        advanced.connection.warn-on-init-error = false
        advanced.control-connection.timeout = 5 seconds
        advanced.reconnection-policy { class = ConstantReconnectionPolicy, base-delay = 500 ms }
        advanced.request.warn-if-set-keyspace = false
        advanced.metadata.schema.enabled = false
        advanced.netty { io-group.size = 1, admin-group.size = 1, daemon = true }
      }
      """;

  /**
   * Of a ring with several data centres, one is asked first and the others when it is gone. So one
   * that is silent has to be given up soon; then another is asked what it was asked.
   */
  private static final String NEAR =
      """
      datastax-java-driver {
        basic.load-balancing-policy { class = DefaultLoadBalancingPolicy, local-datacenter = NEAR }
        advanced.load-balancing-policy.dc-failover.max-nodes-per-remote-dc = 1
        advanced.heartbeat { interval = 1500 milliseconds, timeout = 1500 milliseconds }
      }
      """;

  private final NodeConfig.Cassandra at;
  private final CqlSession cql;

  /** Cassandra does not answer, or not enough of it does; it may later. */
  public static final class Silent extends IOException {
    private static final long serialVersionUID = 1L;

    Silent(String message, Throwable cause) {
      super(message, cause);
    }
  }

  private CassandraSession(NodeConfig.Cassandra at, CqlSession cql) {
    this.at = at;
    this.cql = cql;
  }

  /**
   * Connects, and makes the keyspace if the configuration says with how many replicas.
   *
   * @throws IOException if Cassandra is not to be had, is another version, or the keyspace is not
   *     there or another cluster's
   */
  public static CassandraSession open(NodeConfig.Cassandra at) throws IOException {
    return open(at, at.replicas());
  }

  private static CassandraSession open(NodeConfig.Cassandra at, int replicas) throws IOException {
    CassandraSession session = new CassandraSession(at, connect(at));
    try {
      if (replicas > 0) {
        session.createKeyspace(replicas);
      }
      session.demandKeyspace();
      session.createTable("cluster", "(one int PRIMARY KEY, name text)");
      session.claim();
      return session;
    } catch (DriverException e) {
      session.close();
      throw session.unusable(e);
    } catch (IOException | RuntimeException e) {
      session.close();
      throw e;
    }
  }

  /**
   * Makes a keyspace, if it is not there, for a cluster. A row has three replicas, if there are as
   * many nodes.
   *
   * @param nodes how many there are at least; they are waited for
   * @throws IllegalArgumentException if the keyspace is another cluster's
   * @throws IOException if Cassandra is not to be had, or is another version
   */
  static CassandraSession prepared(NodeConfig.Cassandra at, int nodes) throws IOException {
    int known;
    try (CqlSession cql = connect(at)) {
      long end = System.nanoTime() + JOINING.toNanos();
      known = 1 + others(cql);
      while (known < nodes && System.nanoTime() - end < 0) {
        LockSupport.parkNanos(PAUSE.toNanos());
        known = 1 + others(cql);
      }
    } catch (DriverException e) {
      throw unusable(at, e);
    }
    if (known < nodes) {
      throw new Silent(
          "of "
              + nodes
              + " nodes of Cassandra that are to be one ring, "
              + String.join(", ", at.at())
              + " knows "
              + known
              + "\n  remedy: see their output",
          null);
    }
    try {
      return open(at, Math.min(MOST_REPLICAS, known));
    } catch (ForeignKeyspace e) {
      throw new IllegalArgumentException(e.getMessage(), e);
    }
  }

  private static int others(CqlSession cql) {
    return cql.execute("SELECT peer FROM system.peers_v2").all().size();
  }

  /** What statements are given to. */
  public CqlSession cql() {
    return cql;
  }

  /** A table's whole name. */
  public String table(String name) {
    return at.keyspace() + "." + name;
  }

  private void createKeyspace(int replicas) {
    cql.execute(
        "CREATE KEYSPACE IF NOT EXISTS "
            + at.keyspace()
            + " WITH replication = "
            + simple(replicas));
  }

  private static String simple(int replicas) {
    return "{'class': 'SimpleStrategy', 'replication_factor': " + replicas + "}";
  }

  private static String near(NodeConfig.Cassandra at) {
    return at.near() == null ? "" : NEAR.replace("= NEAR", "= \"" + at.near() + "\"");
  }

  private static CqlSession connect(NodeConfig.Cassandra at) throws IOException {
    CqlSession session;
    try {
      session =
          CqlSession.builder()
              .addContactPoints(at.addresses())
              .withConfigLoader(
                  new DefaultDriverConfigLoader(
                      () ->
                          ConfigFactory.parseString(near(at))
                              .withFallback(ConfigFactory.parseString(OPTIONS))
                              .withFallback(
                                  ConfigFactory.defaultReference(CqlSession.class.getClassLoader()))
                              .resolve()
                              .getConfig("datastax-java-driver")))
              .build();
    } catch (DriverException | IllegalStateException e) {
      throw new Silent(
          "no Cassandra answers at "
              + String.join(", ", at.at())
              + " ("
              + why(e)
              + ")\n  remedy: start it, or correct the address",
          e);
    }
    try {
      demandVersion(
          session.execute("SELECT release_version FROM system.local").one().getString(0), at);
      return session;
    } catch (DriverException e) {
      session.close();
      throw unusable(at, e);
    } catch (IOException | RuntimeException e) {
      session.close();
      throw e;
    }
  }

  /**
   * Refuses a version that was never tried.
   *
   * @throws IOException naming it
   */
  static void demandVersion(String version, NodeConfig.Cassandra at) throws IOException {
    if (!version.matches(MAJOR + "\\..*")) {
      throw new IOException(
          "Cassandra at "
              + String.join(", ", at.at())
              + " is "
              + version
              + "\n  remedy: take a Cassandra "
              + MAJOR);
    }
  }

  private void demandKeyspace() throws IOException {
    var keyspace =
        cql.execute(
                "SELECT durable_writes FROM system_schema.keyspaces WHERE keyspace_name = ?",
                at.keyspace())
            .one();
    if (keyspace == null) {
      throw new IOException(
          "Cassandra at "
              + String.join(", ", at.at())
              + " has no keyspace "
              + at.keyspace()
              + "\n  remedy: CREATE KEYSPACE "
              + at.keyspace()
              + " WITH replication = "
              + simple(MOST_REPLICAS)
              + "; with as many replicas as it is to have");
    }
    if (!keyspace.getBoolean("durable_writes")) {
      throw new IOException(
          "keyspace "
              + at.keyspace()
              + " has durable_writes = false, so that what a step writes may be lost"
              + "\n  remedy: ALTER KEYSPACE "
              + at.keyspace()
              + " WITH durable_writes = true");
    }
  }

  /**
   * Makes a table, if it is not there. It has an id of its own making, so that two who make one at
   * once make the same.
   */
  public void createTable(String name, String columns) {
    String table = table(name);
    UUID id = UUID.nameUUIDFromBytes((table + " " + at.cluster()).getBytes(StandardCharsets.UTF_8));
    boolean there =
        cql.execute(
                    "SELECT id FROM system_schema.tables WHERE keyspace_name = ? AND table_name = ?",
                    at.keyspace(),
                    name)
                .one()
            != null;
    if (!there) {
      cql.execute(
          "CREATE TABLE IF NOT EXISTS "
              + table
              + columns
              + " WITH ID = "
              + id
              + " AND speculative_retry = '"
              + ANOTHER
              + "'");
    }
    awaitUse(table);
  }

  /** Where another process makes a table, the schema names it before it can be used. */
  private void awaitUse(String table) {
    long end = System.nanoTime() + MAKING.toNanos();
    while (true) {
      try {
        cql.execute("SELECT * FROM " + table + " LIMIT 1");
        return;
      } catch (InvalidQueryException | AllNodesFailedException | ReadFailureException e) {
        if (System.nanoTime() - end > 0) {
          throw e;
        }
        LockSupport.parkNanos(PAUSE.toNanos());
      }
    }
  }

  /** The keyspace is another cluster's. */
  private static final class ForeignKeyspace extends IOException {
    private static final long serialVersionUID = 1L;

    ForeignKeyspace(NodeConfig.Cassandra at, String owner) {
      super(
          "the keyspace "
              + at.keyspace()
              + " at "
              + String.join(", ", at.at())
              + " belongs to the cluster "
              + owner
              + ", not to "
              + at.cluster()
              + "\n  remedy: name another keyspace, or DROP KEYSPACE "
              + at.keyspace()
              + " if nobody needs it");
    }
  }

  private void claim() throws IOException {
    Row row =
        cql.execute(
                "INSERT INTO " + table("cluster") + " (one, name) VALUES (1, ?) IF NOT EXISTS",
                at.cluster())
            .one();
    if (!row.getBoolean(0) && !at.cluster().equals(row.getString("name"))) {
      throw new ForeignKeyspace(at, row.getString("name"));
    }
  }

  /**
   * Says so where Cassandra answers before it has synced its own log.
   *
   * @param node who says it
   */
  public void warnOfLateSyncs(String node) {
    Row row =
        cql.execute("SELECT value FROM system_views.settings WHERE name = 'commitlog_sync'").one();
    String sync = row == null ? "unknown" : row.getString(0);
    if (!"batch".equals(sync) && !"group".equals(sync)) {
      LOG.warn(
          "{}: Cassandra's commitlog_sync is {}: it answers before its own log is synced, so a"
              + " loss of power at all replicas of a row takes the last steps along",
          node,
          sync);
    }
  }

  /**
   * What the wall clock of one node shows, beside this process's.
   *
   * @param leastMicros by how much it is ahead at least
   * @param mostMicros by how much it is ahead at most: reading it takes a while
   */
  public record Ahead(long leastMicros, long mostMicros) {}

  /**
   * Reads the wall clock of the first node that is named.
   *
   * @throws IOException if it does not answer
   */
  public static Ahead ahead(NodeConfig.Cassandra at) throws IOException {
    InetSocketAddress first = at.addresses().get(0);
    try (CqlSession cql = connect(at)) {
      Node node =
          cql.getMetadata().getNodes().values().stream()
              .filter(each -> first.equals(each.getEndPoint().resolve()))
              .findFirst()
              .orElseThrow(() -> new Silent("no Cassandra answers at " + first, null));
      SimpleStatement read =
          SimpleStatement.newInstance("SELECT current_timestamp() FROM system.local");
      long before = micros();
      Instant shown = cql.execute(read.setNode(node)).one().getInstant(0);
      long after = micros();
      long least = TimeUnit.MILLISECONDS.toMicros(shown.toEpochMilli());
      // Both clocks show whole milliseconds.
      return new Ahead(least - after - MILLI, least + MILLI - before);
    } catch (DriverException e) {
      throw unusable(at, e);
    }
  }

  private static long micros() {
    return TimeUnit.MILLISECONDS.toMicros(System.currentTimeMillis());
  }

  private static String why(Throwable e) {
    if (e instanceof AllNodesFailedException all && !all.getAllErrors().isEmpty()) {
      return String.valueOf(all.getAllErrors().values().iterator().next().get(0).getMessage());
    }
    return String.valueOf(e.getMessage());
  }

  /** That Cassandra does not do what it is asked for. */
  public IOException unusable(DriverException e) {
    return unusable(at, e);
  }

  private static IOException unusable(NodeConfig.Cassandra at, DriverException e) {
    return new Silent(
        "Cassandra at "
            + String.join(", ", at.at())
            + ", keyspace "
            + at.keyspace()
            + ": "
            + why(e),
        e);
  }

  /** What a column of type blob holds. */
  public static byte[] bytes(ByteBuffer buffer) {
    byte[] bytes = new byte[buffer.remaining()];
    buffer.get(bytes);
    return bytes;
  }

  @Override
  public void close() {
    cql.close();
  }
}
