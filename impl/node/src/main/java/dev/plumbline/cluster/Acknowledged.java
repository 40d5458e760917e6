package dev.plumbline.cluster;

import dev.plumbline.client.Outcome;
import dev.plumbline.client.PlumbClient;
import dev.plumbline.client.Session;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BiFunction;
import java.util.stream.Collectors;

/**
 * Clients that write numbers and remember which ones were acknowledged, apart from the nodes that
 * may lose them.
 */
final class Acknowledged {
  private static final int WRITERS = 4;
  private static final int KEYS = 12;
  private static final Duration PATIENCE = Duration.ofMillis(1_500);

  /** Where numbers are kept, as one client reaches it. */
  interface Place extends AutoCloseable {
    /** Whether a number was written and acknowledged. */
    boolean write(long number);

    /** What is under a key; empty if nobody answers. */
    Optional<Object> read(long key);

    @Override
    void close();
  }

  private final KeptNumbers numbers;
  private final BiFunction<Integer, KeptNumbers, Place> places;
  private final AtomicLong next = new AtomicLong();
  private final Map<Long, Set<Long>> values = new TreeMap<>();
  private final List<Thread> writers = new ArrayList<>();
  private volatile boolean stopping;
  private long count;

  /**
   * @param places what a client reaches, by its number, and where numbers are kept there
   */
  Acknowledged(String protocol, BiFunction<Integer, KeptNumbers, Place> places) {
    numbers = new KeptNumbers(protocol, KEYS);
    this.places = places;
  }

  /** Clients of a protocol's nodes. */
  static Acknowledged byNodes(PlumbClient client, String protocol) {
    return new Acknowledged(
        protocol, (number, numbers) -> new AtNodes(client.session(number, PATIENCE), numbers));
  }

  private record AtNodes(Session session, KeptNumbers numbers) implements Place {
    @Override
    public boolean write(long number) {
      return session.run(numbers.write(0, number)) instanceof Outcome.Committed;
    }

    @Override
    public Optional<Object> read(long key) {
      if (!(session.run(KeptNumbers.read(key)) instanceof Outcome.Committed read)) {
        return Optional.empty();
      }
      Object found = read.ops().get(0).value();
      return Optional.of(found == null ? List.of() : found);
    }

    @Override
    public void close() {
      session.close();
    }
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
    try (Place at = places.apply(place, numbers)) {
      while (!stopping) {
        // Who writes a number can be told from its key, so that it is read at the same place.
        long value = next.incrementAndGet() * WRITERS + place;
        if (at.write(value)) {
          acknowledged(numbers.key(value), value);
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

  /**
   * Reads keys, each where it was written. Takes those away that somebody answered for, and adds
   * what was acknowledged under them and is not there.
   */
  void read(Set<Long> unread, Map<Long, List<Long>> missing) {
    Map<Long, List<Long>> byPlace =
        unread.stream()
            .collect(
                Collectors.groupingBy(key -> key % WRITERS, TreeMap::new, Collectors.toList()));
    byPlace.forEach(
        (place, keys) -> {
          try (Place at = places.apply(place.intValue(), numbers)) {
            for (long key : keys) {
              Optional<Object> found = at.read(key);
              if (found.isEmpty()) {
                return;
              }
              unread.remove(key);
              List<Long> lacks =
                  values.get(key).stream().filter(v -> !KeptNumbers.holds(found.get(), v)).toList();
              if (!lacks.isEmpty()) {
                missing.put(key, lacks);
              }
            }
          }
        });
  }

  /** The keys with acknowledged writes. */
  synchronized List<Long> keys() {
    return List.copyOf(values.keySet());
  }
}
