package dev.plumbline.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.datastax.oss.driver.api.core.CqlSession;
import dev.plumbline.cluster.OneCassandra;
import dev.plumbline.k2.K2Record;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A log in a real Cassandra, which is a process of the test. */
@Tag("slow")
class CassandraStoreTest extends LogStoreContract {
  private static final String KEYSPACE = "plumbline_test";
  private static OneCassandra cassandra;

  /** A node of its own for each test. */
  private final String node = UUID.randomUUID().toString();

  @BeforeAll
  static void start(@TempDir Path place) throws IOException {
    cassandra = new OneCassandra(place);
  }

  @AfterAll
  static void stop() throws InterruptedException {
    cassandra.close();
  }

  private static NodeConfig.Cassandra at() {
    return cassandra.keyspace(KEYSPACE, "test", 1);
  }

  @Override
  LogStore store() throws IOException {
    return new CassandraStore(at(), node);
  }

  @Override
  void lose() {
    try (CqlSession session = session()) {
      session.execute("DELETE FROM " + KEYSPACE + ".log WHERE node = ?", node);
    }
  }

  private static CqlSession session() {
    return CqlSession.builder()
        .addContactPoints(at().addresses())
        .withLocalDatacenter("datacenter1")
        .build();
  }

  /** Looks and takes like the real one, and then adds without any condition. */
  private static final class Unfenced implements LogStore {
    private final CassandraStore real;
    private final String node;
    private final CqlSession session = session();
    private final List<byte[]> unsynced = new ArrayList<>();
    private long next;

    Unfenced(CassandraStore real, String node) {
      this.real = real;
      this.node = node;
    }

    @Override
    public Found look(boolean expected, Sink sink) throws IOException {
      return real.look(expected, sink);
    }

    @Override
    public void take(long epoch, long records) throws IOException {
      real.take(epoch, records);
      next = records;
    }

    @Override
    public void write(long first, List<byte[]> records, byte[] trace) {
      unsynced.addAll(records);
    }

    @Override
    public void sync() {
      for (byte[] record : unsynced) {
        session.execute(
            "INSERT INTO " + KEYSPACE + ".log (node, number, record) VALUES (?, ?, ?)",
            node,
            next++,
            ByteBuffer.wrap(record));
      }
      session.execute("UPDATE " + KEYSPACE + ".log SET next = ? WHERE node = ?", next, node);
      unsynced.clear();
    }

    @Override
    public LostLog lost(String what, Throwable cause) {
      return real.lost(what, cause);
    }

    @Override
    public void close() {
      session.close();
      real.close();
    }
  }

  @Test
  void withoutTheConditionOfItsTransactionsTwoProcessesAddAndThatIsFound() {
    assertThatThrownBy(
            () ->
                twoOpen(
                    () ->
                        new DurableLog(
                            folder, new Unfenced(new CassandraStore(at(), node), node), "k2/a")))
        .isInstanceOf(AssertionError.class)
        .hasMessageContaining("of two processes that added something");
  }

  @Test
  void whatWasAcknowledgedSurvivesTheEndOfCassandra() throws Exception {
    List<Record> acknowledged = new ArrayList<>();
    try (DurableLog log = open()) {
      for (long n = 0; n < 50; n++) {
        log.append(List.of(new K2Record.EpochCut(n)), new byte[0]);
        acknowledged.add(new K2Record.EpochCut(n));
      }
      cassandra.killAndStart();
      log.append(List.of(new K2Record.EpochCut(50)), new byte[0]);
      acknowledged.add(new K2Record.EpochCut(50));
    }
    try (DurableLog again = open()) {
      assertThat(again.records()).containsExactlyElementsOf(acknowledged);
    }
  }

  @Test
  void aMissingRecordIsFound() throws IOException {
    try (DurableLog log = open()) {
      log.append(List.of(new K2Record.EpochCut(0), new K2Record.EpochCut(1)), new byte[0]);
    }
    try (CqlSession session = session()) {
      session.execute("DELETE FROM " + KEYSPACE + ".log WHERE node = ? AND number = 1", node);
    }
    assertThatThrownBy(this::open)
        .isInstanceOf(LostLog.class)
        .hasMessageContaining("it holds 1 records, and says that it has 2")
        .hasMessageContaining("docs/cassandra.md");
  }

  /** A cluster's processes come at once, and none of them has made the tables. */
  @Test
  void manyWhoMakeTablesAtOnceCanUseThem() throws Exception {
    ExecutorService together = Executors.newFixedThreadPool(8);
    try {
      for (int round = 0; round < 4; round++) {
        NodeConfig.Cassandra shared = cassandra.keyspace("together" + round, "together", 1);
        List<Future<?>> all = new ArrayList<>();
        for (int i = 0; i < 8; i++) {
          String name = "n" + i;
          all.add(
              together.submit(
                  () -> {
                    new CassandraStore(shared, name).close();
                    return null;
                  }));
        }
        for (Future<?> one : all) {
          one.get();
        }
      }
    } finally {
      together.shutdownNow();
    }
  }

  @Test
  void aKeyspaceThatIsNotThereOrAnotherClustersIsRefused() throws IOException {
    open().close();
    assertThatThrownBy(
            () -> new CassandraStore(cassandra.keyspace("nowhere", "test", 0), node).close())
        .isInstanceOf(IOException.class)
        .hasMessageContaining("has no keyspace nowhere")
        .hasMessageContaining("remedy: CREATE KEYSPACE nowhere");
    assertThatThrownBy(
            () -> new CassandraStore(cassandra.keyspace(KEYSPACE, "other", 0), node).close())
        .isInstanceOf(IOException.class)
        .hasMessageContaining(KEYSPACE + " at 127.0.0.1:")
        .hasMessageContaining("belongs to the cluster test, not to other")
        .hasMessageContaining("remedy: name another keyspace");
    assertThatThrownBy(() -> CassandraStore.prepare(cassandra.keyspace(KEYSPACE, "other", 0), 1))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("belongs to the cluster test, not to other");
    try (CqlSession session = session()) {
      session.execute(
          "CREATE KEYSPACE careless WITH replication = {'class': 'SimpleStrategy',"
              + " 'replication_factor': 1} AND durable_writes = false");
    }
    assertThatThrownBy(
            () -> new CassandraStore(cassandra.keyspace("careless", "test", 0), node).close())
        .isInstanceOf(IOException.class)
        .hasMessageContaining("keyspace careless has durable_writes = false")
        .hasMessageContaining("remedy: ALTER KEYSPACE careless");
    NodeConfig.Cassandra made = cassandra.keyspace("plumbline_made", "made", 0);
    CassandraStore.prepare(made, 1);
    new CassandraStore(made, node).close();
  }
}
