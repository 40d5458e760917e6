package dev.plumbline.metric.node;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumbline.metric.MetricConfig;
import dev.plumbline.metric.StoreClient;
import dev.plumbline.metric.StoreClient.Outcome;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * The guarantees of an entry-consistent store (section 3.1), which every store of Metric has to
 * keep: one holder, who reads the latest value; a holder that falls silent is preempted; what it
 * asks for then is rejected, and has no effect.
 */
abstract class EntryStoreContract {
  private static final int FRESH_KEYS = 12;
  private static final int TURNS = 4;

  private final long leaseMillis;
  private final List<Holder> holders = new ArrayList<>();

  EntryStoreContract(long leaseMillis) {
    this.leaseMillis = leaseMillis;
  }

  /** What clients and stores agree on, with all repairs. */
  final MetricConfig repaired() {
    long lease = 1_000 * leaseMillis;
    return new MetricConfig(List.of("T1"), lease, lease / 8, lease / 32, 1_000_000, 10, List.of());
  }

  /** A client of the store. */
  abstract Holder holder(String name, long number) throws IOException;

  @AfterEach
  void close() {
    holders.forEach(Holder::close);
  }

  private Holder next() throws IOException {
    Holder holder = holder("m-S" + (holders.size() + 1), holders.size() + 1L);
    holders.add(holder);
    return holder;
  }

  /** A key that nobody has used. */
  private static String key() {
    return "entry " + UUID.randomUUID();
  }

  private static void sleep(long millis) throws InterruptedException {
    TimeUnit.MILLISECONDS.sleep(millis);
  }

  @Test
  void ofTwoThatAskAtOnceOneHasTheLock() throws Exception {
    Holder one = next();
    Holder other = next();
    for (int i = 0; i < FRESH_KEYS; i++) {
      String key = key();
      List<CompletableFuture<StoreClient.Event>> asked = List.of(one.ask(key), other.ask(key));
      CompletableFuture.anyOf(asked.get(0), asked.get(1)).get(20, TimeUnit.SECONDS);
      sleep(100);
      assertThat(asked).as("holders of " + key).filteredOn(CompletableFuture::isDone).hasSize(1);
      (asked.get(0).isDone() ? one : other).release(key);
      CompletableFuture.allOf(asked.get(0), asked.get(1)).get(20, TimeUnit.SECONDS);
      one.release(key);
      other.release(key);
    }
  }

  @Test
  void oneAfterTheOtherReadsTheLatestValue() throws Exception {
    List<Holder> all = List.of(next(), next(), next());
    String key = key();
    AtomicLong inside = new AtomicLong();
    List<Throwable> wrong = new ArrayList<>();
    List<Thread> threads = new ArrayList<>();
    for (Holder holder : all) {
      Thread thread =
          new Thread(
              () -> {
                for (int i = 0; i < TURNS; i++) {
                  holder.acquire(key);
                  assertThat(inside.incrementAndGet()).as("holders").isEqualTo(1);
                  long before = holder.get(key).orElseThrow();
                  holder.put(key, Math.max(0, before) + 1);
                  inside.decrementAndGet();
                  holder.release(key);
                }
              });
      thread.setUncaughtExceptionHandler(
          (t, e) -> {
            synchronized (wrong) {
              wrong.add(e);
            }
          });
      threads.add(thread);
      thread.start();
    }
    for (Thread thread : threads) {
      thread.join(60_000);
    }
    synchronized (wrong) {
      assertThat(wrong).isEmpty();
    }
    assertThat(all.get(0).getQuorum(key)).as("turns").contains((long) TURNS * all.size());
  }

  @Test
  void whoIsHeardOfKeepsTheLockAndTheNextOnesWritesComeAfterIts() throws Exception {
    Holder first = next();
    Holder second = next();
    String key = key();
    assertThat(first.acquire(key)).isEqualTo(Outcome.LOCKED);
    CompletableFuture<StoreClient.Event> waits = second.ask(key);
    sleep(2 * leaseMillis);
    assertThat(waits).as("a second holder").isNotDone();
    assertThat(first.put(key, 1)).isEqualTo(Outcome.STORED);
    first.release(key);
    assertThat(waits.get(20, TimeUnit.SECONDS).outcome()).isEqualTo(Outcome.LOCKED);
    assertThat(second.get(key)).contains(1L);
    assertThat(second.put(key, 2)).isEqualTo(Outcome.STORED);
    assertThat(second.get(key)).as("what it wrote itself").contains(2L);
  }

  /** A Metric process waits for a lock for less than a lease, and asks again later. */
  @Test
  void whoGivesUpAndAsksAgainWaitsForASilentHolderNoLonger() throws Exception {
    Holder first = next();
    Holder second = next();
    String key = key();
    assertThat(first.acquire(key)).isEqualTo(Outcome.LOCKED);
    first.fallSilent();
    boolean locked = false;
    for (int i = 0; i < 5 && !locked; i++) {
      CompletableFuture<StoreClient.Event> waits = second.ask(key);
      sleep(leaseMillis * 3 / 4);
      locked = waits.isDone();
      if (!locked) {
        second.abandon();
      }
    }
    assertThat(locked).as("the next holder").isTrue();
  }

  /** A Metric process holds several locks, and who wants its tables asks for one after another. */
  @Test
  void whoFallsSilentLosesAllItsLocksWithinALease() throws Exception {
    Holder first = next();
    Holder second = next();
    List<String> keys = List.of(key(), key(), key(), key());
    for (String key : keys) {
      assertThat(first.acquire(key)).isEqualTo(Outcome.LOCKED);
    }
    first.fallSilent();
    assertThat(second.acquire(keys.get(0))).isEqualTo(Outcome.LOCKED);
    long lapsed = System.nanoTime();
    for (String key : keys.subList(1, keys.size())) {
      assertThat(second.acquire(key)).isEqualTo(Outcome.LOCKED);
    }
    assertThat(System.nanoTime() - lapsed)
        .as("nanoseconds for the others")
        .isLessThan(TimeUnit.MILLISECONDS.toNanos(leaseMillis));
  }

  @Test
  void whoFallsSilentLosesTheLockAndWhatItAsksForIsRejected() throws Exception {
    Holder first = next();
    Holder second = next();
    String written = key();
    String read = key();
    for (String key : List.of(written, read)) {
      assertThat(first.acquire(key)).isEqualTo(Outcome.LOCKED);
      assertThat(first.put(key, 1)).isEqualTo(Outcome.STORED);
    }
    first.fallSilent();
    for (String key : List.of(written, read)) {
      assertThat(second.acquire(key)).isEqualTo(Outcome.LOCKED);
      assertThat(second.get(key)).contains(1L);
      assertThat(second.put(key, 2)).isEqualTo(Outcome.STORED);
    }
    assertThat(first.get(read)).as("a preempted holder's get").isEmpty();
    assertThat(first.put(written, 3)).as("a preempted holder's put").isEqualTo(Outcome.REJECTED);
    assertThat(second.get(written)).as("after a put that was rejected").contains(2L);
    second.release(written);
    assertThat(first.acquire(written)).isEqualTo(Outcome.LOCKED);
    assertThat(first.get(written)).contains(2L);
  }
}
