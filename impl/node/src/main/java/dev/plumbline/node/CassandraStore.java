package dev.plumbline.node;

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
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.TimeUnit;

/**
 * A log in Cassandra 5: a partition of the table {@code log} for each node, whose static columns
 * say which epoch was taken, by which opening, and how many records there are.
 *
 * <p>Whatever changes a partition is a lightweight transaction on the last two: a step is one batch
 * that takes effect if the log is still this opening's and nothing was added since its own last
 * step. So it takes effect once, however often it is asked for, and a process whose log was taken
 * by another adds nothing more. Records are read by quorum.
 */
public final class CassandraStore implements LogStore {
  /** How long a step may wait for Cassandra. */
  private static final long PATIENCE_SECONDS = 20;

  private static final long PAUSE_MILLIS = 100;

  private final NodeConfig.Cassandra at;
  private final String node;
  private final CassandraSession place;
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
    place = CassandraSession.open(at);
    session = place.cql();
    try {
      createTable(place);
      place.warnOfLateSyncs(node);
      header =
          session.prepare(
              "UPDATE "
                  + place.table("log")
                  + " SET owner = ?, epoch = ?, next = ?, trace = ? WHERE node = ?"
                  + " IF owner = ? AND next = ?");
      record =
          session.prepare(
              "INSERT INTO " + place.table("log") + " (node, number, record) VALUES (?, ?, ?)");
    } catch (DriverException e) {
      session.close();
      throw place.unusable(e);
    } catch (RuntimeException e) {
      session.close();
      throw e;
    }
  }

  /**
   * Makes a keyspace, if it is not there, and its tables, for a cluster. A row has three replicas,
   * if there are as many nodes.
   *
   * @param nodes how many there are at least; they are waited for
   * @throws IllegalArgumentException if the keyspace is another cluster's
   * @throws IOException if Cassandra is not to be had, or is another version
   */
  public static void prepare(NodeConfig.Cassandra at, int nodes) throws IOException {
    try (CassandraSession session = CassandraSession.prepared(at, nodes)) {
      try {
        createTable(session);
      } catch (DriverException e) {
        throw session.unusable(e);
      }
    }
  }

  private static void createTable(CassandraSession place) {
    place.createTable(
        "log",
        "(node text, number bigint, record blob, owner uuid static, epoch bigint static,"
            + " next bigint static, trace blob static, PRIMARY KEY (node, number))");
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
        sink.record(row.getLong(0), CassandraSession.bytes(row.getByteBuffer(1)));
        records++;
      }
      found = statics.getUuid("owner");
      long epoch = statics.getLong("epoch");
      count = statics.getLong("next");
      if (records != count) {
        throw lost("it holds " + records + " records, and says that it has " + count, null);
      }
      ByteBuffer last = statics.getByteBuffer("trace");
      return new Found(
          epoch,
          last == null ? "" : new String(CassandraSession.bytes(last), StandardCharsets.UTF_8));
    } catch (DriverException e) {
      throw place.unusable(e);
    }
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
        throw new IOException("the log cannot be written: " + place.unusable(e).getMessage(), e);
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
      throw new IOException("the log cannot be written: " + place.unusable(e).getMessage(), e);
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
