package dev.plumbline.cluster;

import dev.plumbline.client.Outcome;
import dev.plumbline.client.PlumbClient;
import dev.plumbline.client.Session;
import dev.plumbline.sim.MicroOp;
import dev.plumbline.sim.Transaction;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Clients that append numbers to lists and remember which ones were acknowledged, apart from the
 * nodes that may lose them.
 */
final class Acknowledged {
  private static final int WRITERS = 4;
  private static final int KEYS = 12;
  private static final Duration PATIENCE = Duration.ofMillis(1_500);

  private final PlumbClient client;
  private final AtomicLong next = new AtomicLong();
  private final Map<Long, Set<Long>> values = new TreeMap<>();
  private final List<Thread> writers = new ArrayList<>();
  private volatile boolean stopping;
  private long count;

  Acknowledged(PlumbClient client) {
    this.client = client;
  }

  /** How many writes were acknowledged so far. */
  synchronized long count() {
    return count;
  }

  private synchronized void acknowledged(long key, long value) {
    values.computeIfAbsent(key, k -> new LinkedHashSet<>()).add(value);
    count++;
  }

  void start() {
    stopping = false;
    for (int i = 0; i < WRITERS; i++) {
      int place = i;
      Thread writer = new Thread(() -> write(place), "writer-" + i);
      writer.setDaemon(true);
      writers.add(writer);
      writer.start();
    }
  }

  private void write(int place) {
    try (Session session = client.session(place, PATIENCE)) {
      while (!stopping) {
        long value = next.incrementAndGet();
        long key = value % KEYS;
        Transaction append =
            new Transaction(Transaction.Kind.READ_WRITE, List.of(MicroOp.append(key, value)), 0);
        if (session.run(append) instanceof Outcome.Committed) {
          acknowledged(key, value);
        }
      }
    }
  }

  /** Stops the clients; returns once each is done with what it asked for last. */
  void stop() throws InterruptedException {
    stopping = true;
    for (Thread writer : writers) {
      writer.join();
    }
    writers.clear();
  }

  /** Of one key: what was acknowledged and is not there; empty if nobody answers. */
  Optional<List<Long>> missing(long key) {
    try (Session session = client.session((int) key, PATIENCE)) {
      Transaction read = new Transaction(Transaction.Kind.READ_ONLY, List.of(MicroOp.read(key)), 0);
      if (!(session.run(read) instanceof Outcome.Committed committed)) {
        return Optional.empty();
      }
      Object found = committed.ops().get(0).value();
      Set<Long> missing = new LinkedHashSet<>(values.get(key));
      if (found instanceof List<?> list) {
        list.forEach(missing::remove);
      }
      return Optional.of(List.copyOf(missing));
    }
  }

  /** The keys with acknowledged writes. */
  synchronized List<Long> keys() {
    return List.copyOf(values.keySet());
  }
}
