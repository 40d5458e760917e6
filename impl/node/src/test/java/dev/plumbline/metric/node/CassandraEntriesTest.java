package dev.plumbline.metric.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.plumbline.cluster.OneCassandra;
import dev.plumbline.machine.Message;
import dev.plumbline.metric.MetricConfig;
import dev.plumbline.metric.MetricMessage;
import dev.plumbline.metric.Stamp;
import dev.plumbline.metric.StoreClient.Outcome;
import dev.plumbline.metric.Value;
import dev.plumbline.node.CassandraSession;
import dev.plumbline.node.Outside;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The guarantees by a real Cassandra, which is a process of the test. */
@Tag("slow")
class CassandraEntriesTest extends EntryStoreContract {
  private static final String KEY = "entry of many writes";
  private static OneCassandra cassandra;

  private MetricConfig config = repaired();
  private Made made = CassandraEntries::new;

  CassandraEntriesTest() {
    super(2_000);
  }

  /** The store, or one with an error. */
  private interface Made {
    CassandraEntries of(
        CassandraSession place, String client, MetricConfig config, Outside.Answers answers)
        throws IOException;
  }

  @BeforeAll
  static void start(@TempDir Path place) throws IOException {
    cassandra = new OneCassandra(place);
  }

  @AfterAll
  static void stop() throws InterruptedException {
    cassandra.close();
  }

  @Override
  Holder holder(String name, long number) throws IOException {
    return holder(name, number, 1);
  }

  private Holder holder(String name, long number, long epoch) throws IOException {
    return new Holder(
        name,
        number,
        epoch,
        config,
        List.of("store"),
        (client, c, answers) -> made.of(session(), client, c, answers));
  }

  private static CassandraSession session() throws IOException {
    return CassandraSession.open(cassandra.keyspace("plumbline_test", "test", 1));
  }

  private static MetricMessage put(long operation, Stamp stamp) {
    return new MetricMessage.Put(KEY, operation, stamp.first(), stamp, Value.NONE);
  }

  /** Changes a lock without a condition, some time after it was read. */
  private static final class Unconditional extends CassandraEntries {
    Unconditional(
        CassandraSession place, String client, MetricConfig config, Outside.Answers answers)
        throws IOException {
      super(place, client, config, answers);
    }

    @Override
    protected String replaceLock(String table) {
      return super.replaceLock(table).replaceFirst(" IF .*", "");
    }

    @Override
    boolean replace(String key, EntryLock before, EntryLock next) {
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(200));
      return super.replace(key, before, next);
    }
  }

  /** Has Cassandra order writes by the time at which they come. */
  private static final class Unordered extends CassandraEntries {
    Unordered(CassandraSession place, String client, MetricConfig config, Outside.Answers answers)
        throws IOException {
      super(place, client, config, answers);
    }

    @Override
    protected String writeEntry(String table) {
      return super.writeEntry(table).replaceFirst(" USING TIMESTAMP :stamp", "");
    }
  }

  /** Orders writes by the time since the lock was acquired, of which a reference has a second. */
  private static final class Elapsed extends CassandraEntries {
    private final long start = System.nanoTime();

    Elapsed(CassandraSession place, String client, MetricConfig config, Outside.Answers answers)
        throws IOException {
      super(place, client, config, answers);
    }

    @Override
    protected long number(Stamp stamp) {
      long elapsed = stamp.first() == 1 ? (System.nanoTime() - start) / 1_000 : stamp.second();
      return stamp.first() * 1_000_000 + elapsed;
    }
  }

  @Test
  void withoutTheConditionOfItsTransactionsALockHasTwoHoldersAndThatIsFound() {
    made = Unconditional::new;
    assertThatThrownBy(this::ofTwoThatAskAtOnceOneHasTheLock)
        .isInstanceOf(AssertionError.class)
        .hasMessageContaining("holders of entry ");
  }

  @Test
  void withoutTheLastLookAPreemptedHolderIsServedAndThatIsFound() {
    config = repaired().without(MetricConfig.FENCE);
    assertThatThrownBy(this::whoFallsSilentLosesTheLockAndWhatItAsksForIsRejected)
        .isInstanceOf(AssertionError.class)
        .hasMessageContaining("a preempted holder's get");
  }

  @Test
  void withoutTheReferencesOrderARejectedPutHasAnEffectAndThatIsFound() {
    made = Unordered::new;
    assertThatThrownBy(this::whoFallsSilentLosesTheLockAndWhatItAsksForIsRejected)
        .isInstanceOf(AssertionError.class)
        .hasMessageContaining("after a put that was rejected");
  }

  @Test
  void withStampsOfElapsedTimeTheNextHolderLosesItsWriteAndThatIsFound() {
    made = Elapsed::new;
    assertThatThrownBy(this::whoIsHeardOfKeepsTheLockAndTheNextOnesWritesComeAfterIts)
        .isInstanceOf(AssertionError.class)
        .hasMessageContaining("what it wrote itself");
  }

  @Test
  void aWriteWhoseCountHasNoRoomIsRefusedBeforeItIsWritten() throws Exception {
    BlockingQueue<Message> answers = new LinkedBlockingQueue<>();
    config = config.without(MetricConfig.FENCE);
    long operation = 0;
    try (Outside store =
        made.of(session(), "m-S9", config, (role, message) -> answers.add(message))) {
      for (Stamp last : List.of(new Stamp(1, (1L << 20) - 1), new Stamp((1L << 43) - 1, 1))) {
        store.take("store", put(++operation, last));
        assertThat(answers.poll(20, TimeUnit.SECONDS)).isInstanceOf(MetricMessage.Stored.class);
      }
      for (Stamp beyond : List.of(new Stamp(1, 1L << 20), new Stamp(1L << 43, 1))) {
        store.take("store", put(++operation, beyond));
        assertThat(answers.poll(20, TimeUnit.SECONDS)).isInstanceOf(MetricMessage.Refused.class);
      }
      store.take("store", new MetricMessage.Get(KEY, ++operation, 0, false));
      assertThat(answers.poll(20, TimeUnit.SECONDS))
          .isEqualTo(
              new MetricMessage.Newest(KEY, operation, new Stamp((1L << 43) - 1, 1), Value.NONE));
    }
  }

  @Test
  void theLocksOfAnEarlierLifeAreFreeAsSoonAsTheNextOneAsksForSomething() throws Exception {
    config =
        new MetricConfig(List.of("T1"), 60_000_000, 250_000, 60_000, 90_000_000, 10, List.of());
    try (Holder earlier = holder("m-S6", 6, 1);
        Holder other = holder("m-S7", 7, 1)) {
      assertThat(earlier.acquire("entry of an earlier life")).isEqualTo(Outcome.LOCKED);
      earlier.fallSilent();
      try (Holder later = holder("m-S6", 6, 2)) {
        assertThat(later.acquire("entry of a later life")).isEqualTo(Outcome.LOCKED);
        assertThat(other.acquire("entry of an earlier life")).isEqualTo(Outcome.LOCKED);
      }
    }
  }

  @Test
  void whatWasAcknowledgedOutlivesTheEndOfCassandra() throws Exception {
    try (Holder holder = holder("m-S8", 8)) {
      String key = "entry that stays";
      assertThat(holder.acquire(key)).isEqualTo(Outcome.LOCKED);
      assertThat(holder.put(key, 5)).isEqualTo(Outcome.STORED);
      cassandra.killAndStart();
      assertThat(holder.get(key)).contains(5L);
    }
  }
}
