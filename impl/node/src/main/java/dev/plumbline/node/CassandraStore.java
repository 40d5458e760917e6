package dev.plumbline.node;

import com.datastax.oss.driver.api.core.AllNodesFailedException;
import com.datastax.oss.driver.api.core.ConsistencyLevel;
import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.DriverException;
import com.datastax.oss.driver.api.core.cql.BatchStatement;
import com.datastax.oss.driver.api.core.cql.BatchStatementBuilder;
import com.datastax.oss.driver.api.core.cql.DefaultBatchType;
import com.datastax.oss.driver.api.core.cql.PreparedStatement;
import com.datastax.oss.driver.api.core.cql.ResultSet;
import com.datastax.oss.driver.api.core.cql.Row;
import com.datastax.oss.driver.api.core.cql.SimpleStatement;
import com.datastax.oss.driver.api.core.cql.Statement;
import com.datastax.oss.driver.api.core.servererrors.QueryValidationException;
import com.datastax.oss.driver.internal.core.config.typesafe.DefaultDriverConfigLoader;
import com.typesafe.config.ConfigFactory;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A log in Cassandra 5: a partition of the table {@code log} for each node, whose static columns
 * say which epoch was taken, by which opening, and how many records there are.
 *
 * <p>Whatever changes a partition is a lightweight transaction on the last two: a step is one batch
 * that takes effect if the log is still this opening's and nothing was added since its own last
 * step. So it takes effect once, however often it is asked for, and a process whose log was taken
 * by another adds nothing more. Records are read by quorum.
 *
 * <p>A keyspace belongs to one cluster: the first to come writes its name down.
 */
public final class CassandraStore implements LogStore {
  private static final Logger LOG = LoggerFactory.getLogger(CassandraStore.class);
  private static final int MAJOR = 5;
  private static final int MOST_REPLICAS = 3;

  /** How long a step may wait for Cassandra. */
  private static final long PATIENCE_SECONDS = 20;

  private static final long PAUSE_MILLIS = 100;

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

  private final NodeConfig.Cassandra at;
  private final String node;
  private final CqlSession session;
  private final PreparedStatement header;
  private final PreparedStatement record;
  private final UUID owner = UUID.randomUUID();
  private UUID found;
  private long epoch;
  private long count;
  private final List<byte[]> unsynced = new ArrayList<>();
  private byte[] trace = {};

  /**
   * @param node whose log it is
   * @throws IOException if Cassandra is not to be had, is another version, or the keyspace is not
   *     there or another cluster's
   */
  CassandraStore(NodeConfig.Cassandra at, String node) throws IOException {
    this.at = at;
    this.node = node;
    session = connect(at);
    try {
      if (at.replicas() > 0) {
        createKeyspace(session, at, at.replicas());
      }
      demandKeyspace(session, at);
      createTables(session, at);
      claim(session, at);
      warnOfLateSyncs();
      header =
          session.prepare(
              "UPDATE "
                  + at.keyspace()
                  + ".log SET owner = ?, epoch = ?, next = ?, trace = ? WHERE node = ?"
                  + " IF owner = ? AND next = ?");
      record =
          session.prepare(
              "INSERT INTO " + at.keyspace() + ".log (node, number, record) VALUES (?, ?, ?)");
    } catch (DriverException e) {
      session.close();
      throw unusable(at, e);
    } catch (IOException | RuntimeException e) {
      session.close();
      throw e;
    }
  }

  /**
   * Makes a keyspace, if it is not there, and its tables, for a cluster. A row has three replicas,
   * if there are as many nodes.
   *
   * @throws IllegalArgumentException if the keyspace is another cluster's
   * @throws IOException if Cassandra is not to be had, or is another version
   */
  public static void prepare(NodeConfig.Cassandra at) throws IOException {
    try (CqlSession session = connect(at)) {
      int others = session.execute("SELECT peer FROM system.peers_v2").all().size();
      createKeyspace(session, at, Math.min(MOST_REPLICAS, 1 + others));
      createTables(session, at);
      claim(session, at);
    } catch (ForeignKeyspace e) {
      throw new IllegalArgumentException(e.getMessage(), e);
    } catch (DriverException e) {
      throw unusable(at, e);
    }
  }

  private static void createKeyspace(CqlSession session, NodeConfig.Cassandra at, int replicas) {
    session.execute(
        "CREATE KEYSPACE IF NOT EXISTS "
            + at.keyspace()
            + " WITH replication = "
            + simple(replicas));
  }

  private static String simple(int replicas) {
    return "{'class': 'SimpleStrategy', 'replication_factor': " + replicas + "}";
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
                          ConfigFactory.parseString(OPTIONS)
                              .withFallback(
                                  ConfigFactory.defaultReference(CqlSession.class.getClassLoader()))
                              .resolve()
                              .getConfig("datastax-java-driver")))
              .build();
    } catch (DriverException | IllegalStateException e) {
      throw new IOException(
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

  private static void demandKeyspace(CqlSession session, NodeConfig.Cassandra at)
      throws IOException {
    var keyspace =
        session
            .execute(
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

  /** Tables have ids of their own making, so that two who make one at once make the same. */
  private static void createTables(CqlSession session, NodeConfig.Cassandra at) {
    createTable(session, at, "cluster", "(one int PRIMARY KEY, name text)");
    createTable(
        session,
        at,
        "log",
        "(node text, number bigint, record blob, owner uuid static, epoch bigint static,"
            + " next bigint static, trace blob static, PRIMARY KEY (node, number))");
  }

  private static void createTable(
      CqlSession session, NodeConfig.Cassandra at, String name, String columns) {
    String table = at.keyspace() + "." + name;
    UUID id = UUID.nameUUIDFromBytes((table + " " + at.cluster()).getBytes(StandardCharsets.UTF_8));
    boolean there =
        session
                .execute(
                    "SELECT id FROM system_schema.tables WHERE keyspace_name = ? AND table_name = ?",
                    at.keyspace(),
                    name)
                .one()
            != null;
    if (!there) {
      session.execute("CREATE TABLE IF NOT EXISTS " + table + columns + " WITH ID = " + id);
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

  private static void claim(CqlSession session, NodeConfig.Cassandra at) throws IOException {
    Row row =
        session
            .execute(
                "INSERT INTO " + at.keyspace() + ".cluster (one, name) VALUES (1, ?) IF NOT EXISTS",
                at.cluster())
            .one();
    if (!row.getBoolean(0) && !at.cluster().equals(row.getString("name"))) {
      throw new ForeignKeyspace(at, row.getString("name"));
    }
  }

  /** Says so where Cassandra answers before it has synced its own log. */
  private void warnOfLateSyncs() {
    Row row =
        session
            .execute("SELECT value FROM system_views.settings WHERE name = 'commitlog_sync'")
            .one();
    String sync = row == null ? "unknown" : row.getString(0);
    if (!"batch".equals(sync) && !"group".equals(sync)) {
      LOG.warn(
          "{}: Cassandra's commitlog_sync is {}: it answers before its own log is synced, so a"
              + " loss of power at all replicas of a row takes the last steps along",
          node,
          sync);
    }
  }

  private static String why(Throwable e) {
    if (e instanceof AllNodesFailedException all && !all.getAllErrors().isEmpty()) {
      return String.valueOf(all.getAllErrors().values().iterator().next().get(0).getMessage());
    }
    return String.valueOf(e.getMessage());
  }

  private static IOException unusable(NodeConfig.Cassandra at, DriverException e) {
    return new IOException(
        "Cassandra at "
            + String.join(", ", at.at())
            + ", keyspace "
            + at.keyspace()
            + ": "
            + why(e),
        e);
  }

  @Override
  public Found look(boolean expected, Sink sink) throws IOException {
    try {
      // Finishes what another process may have left half done.
      Row statics =
          session
              .execute(
                  SimpleStatement.newInstance(
                          "SELECT owner, epoch, next, trace FROM "
                              + at.keyspace()
                              + ".log WHERE node = ? LIMIT 1",
                          node)
                      .setConsistencyLevel(ConsistencyLevel.SERIAL))
              .one();
      if (statics == null || statics.isNull("owner")) {
        return new Found(0, "");
      }
      long records = 0;
      for (Row row :
          session.execute(
              "SELECT number, record FROM " + at.keyspace() + ".log WHERE node = ? AND number >= 0",
              node)) {
        sink.record(row.getLong(0), bytes(row.getByteBuffer(1)));
        records++;
      }
      found = statics.getUuid("owner");
      long epoch = statics.getLong("epoch");
      count = statics.getLong("next");
      if (records != count) {
        throw lost("it holds " + records + " records, and says that it has " + count, null);
      }
      ByteBuffer last = statics.getByteBuffer("trace");
      return new Found(epoch, last == null ? "" : new String(bytes(last), StandardCharsets.UTF_8));
    } catch (DriverException e) {
      throw unusable(at, e);
    }
  }

  private static byte[] bytes(ByteBuffer buffer) {
    byte[] bytes = new byte[buffer.remaining()];
    buffer.get(bytes);
    return bytes;
  }

  @Override
  public void take(long next, long records) throws IOException {
    Long held = found == null ? null : (Long) count;
    apply(header.bind(owner, next, count, null, node, found, held), count);
    epoch = next;
  }

  @Override
  public void write(long first, List<byte[]> records, byte[] last) {
    unsynced.addAll(records);
    trace = last;
  }

  @Override
  public void sync() throws IOException {
    long next = count + unsynced.size();
    BatchStatementBuilder batch = BatchStatement.builder(DefaultBatchType.UNLOGGED);
    batch.addStatement(header.bind(owner, epoch, next, ByteBuffer.wrap(trace), node, owner, count));
    for (int i = 0; i < unsynced.size(); i++) {
      batch.addStatement(record.bind(node, count + i, ByteBuffer.wrap(unsynced.get(i))));
    }
    apply(batch.build(), next);
    count = next;
    unsynced.clear();
  }

  /** Has a change take effect, after which the log is this opening's, with so many records. */
  private void apply(Statement<?> change, long held) throws IOException {
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS);
    while (true) {
      try {
        ResultSet result = session.execute(change);
        if (!result.wasApplied()) {
          demandOwn(result.one(), held);
        }
        return;
      } catch (QueryValidationException e) {
        throw new IOException("the log cannot be written: " + unusable(at, e).getMessage(), e);
      } catch (DriverException e) {
        again(deadline, e);
      }
    }
  }

  /** What did not take effect may have done so before, when nobody heard the answer. */
  private void demandOwn(Row there, long held) throws IOException {
    if (!owner.equals(there.getUuid("owner")) || there.getLong("next") != held) {
      throw new IOException(place() + ": another process has this log\n  remedy: run a node once");
    }
  }

  private void again(long deadline, DriverException e) throws IOException {
    if (System.nanoTime() > deadline) {
      throw new IOException("the log cannot be written: " + unusable(at, e).getMessage(), e);
    }
    try {
      TimeUnit.MILLISECONDS.sleep(PAUSE_MILLIS);
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted", interrupted);
    }
  }

  private String place() {
    return "keyspace " + at.keyspace() + " at " + String.join(", ", at.at()) + ", node " + node;
  }

  @Override
  public LostLog lost(String what, Throwable cause) {
    return new LostLog(
        place(),
        what,
        "bring back the nodes of Cassandra that hold this keyspace, as they were, or the keyspace"
            + " itself (docs/cassandra.md)",
        cause);
  }

  @Override
  public void close() {
    session.close();
  }
}
