package dev.plumbline.metric;

import dev.plumbline.machine.ClockReading;
import dev.plumbline.machine.Effects;
import dev.plumbline.machine.Input;
import dev.plumbline.machine.Machine;
import dev.plumbline.machine.SpecAction;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.BinaryOperator;

/**
 * The store's locks (section 3.1): each key has one holder, whom the others wait for in the order
 * in which they asked. A holder whose heartbeats stay away for a lease loses the lock by force and
 * is not told.
 *
 * <p>A client waits for one lock at a time. Where clients wait for each other around a circle, one
 * of them is told to give up: not an action of the specification, where any wait may end.
 */
public class LockService implements Machine {
  /** Of two requests of a client the later one: copies of the other may come late. */
  private static final BinaryOperator<MetricMessage.Acquire> LATER =
      BinaryOperator.maxBy(Comparator.comparingLong(MetricMessage.Acquire::request));

  private final MetricConfig config;
  private final SortedMap<String, Lock> locks = new TreeMap<>();

  /** What each client asked for last. */
  private final SortedMap<String, MetricMessage.Acquire> asked = new TreeMap<>();

  /** Who waits. */
  private record Waiting(String client, long request) {}

  private static final class Lock {
    final List<Waiting> waiting = new ArrayList<>();
    long last;
    Waiting holder;
    boolean forced;
  }

  public LockService(MetricConfig config) {
    this.config = config;
  }

  @Override
  public final void handle(Input input, ClockReading clock, Effects effects) {
    if (input instanceof Input.Start start) {
      start.durable().forEach(this::recall);
      locks.forEach((key, lock) -> lease(key, lock, effects));
    } else if (input instanceof Input.Deliver deliver) {
      deliver(deliver.from(), (MetricMessage) deliver.message(), effects);
    } else if (input instanceof Input.TimerFired fired) {
      if (fired.timer() instanceof MetricTimer.Lease lease) {
        Lock lock = lock(lease.key());
        if (lock.holder != null && lock.last == lease.reference()) {
          forcedRelease(lease.key(), lock, effects);
        }
      } else if (fired.timer() instanceof MetricTimer.Next next) {
        Lock lock = lock(next.key());
        if (lock.holder == null && !lock.waiting.isEmpty()) {
          grant(next.key(), lock, effects);
        }
      }
    }
  }

  private void recall(Record record) {
    if (record instanceof MetricRecord.Locked locked) {
      Lock lock = lock(locked.key());
      lock.last = locked.reference();
      lock.holder = new Waiting(locked.client(), locked.request());
    } else if (record instanceof MetricRecord.Freed freed) {
      Lock lock = lock(freed.key());
      lock.holder = null;
      lock.forced = freed.forced();
    }
  }

  private Lock lock(String key) {
    return locks.computeIfAbsent(key, k -> new Lock());
  }

  private void deliver(String from, MetricMessage message, Effects effects) {
    Lock lock = lock(message.key());
    if (message instanceof MetricMessage.Acquire acquire) {
      acquire(acquire, lock, new Waiting(from, acquire.request()), effects);
    } else if (message instanceof MetricMessage.Release release) {
      release(release, lock, new Waiting(from, release.request()), effects);
    } else if (message instanceof MetricMessage.Renew renew) {
      if (new Waiting(from, renew.request()).equals(lock.holder)) {
        lease(renew.key(), lock, effects);
      } else {
        effects.send(from, new MetricMessage.Released(renew.key(), renew.request()));
      }
    }
  }

  private void acquire(MetricMessage.Acquire acquire, Lock lock, Waiting who, Effects effects) {
    if (who.equals(lock.holder)) {
      granted(acquire.key(), lock, effects);
      return;
    }
    boolean old =
        lock.waiting.stream()
            .anyMatch(w -> w.client.equals(who.client) && w.request >= who.request);
    asked.merge(who.client, acquire, LATER);
    if (!old) {
      lock.waiting.removeIf(w -> w.client.equals(who.client));
      lock.waiting.add(who);
    }
    if (lock.holder == null) {
      grant(acquire.key(), lock, effects);
    } else if (lock.holder.client.equals(who.client) && lock.holder.request < who.request) {
      // It would not ask again if it still used the lock; how it ended its use, it did not say.
      forcedRelease(acquire.key(), lock, effects);
    } else {
      effects.send(
          lock.holder.client, new MetricMessage.Wanted(acquire.key(), lock.holder.request));
      breakCircle(who.client, effects);
    }
  }

  /** If a client waits for itself, tells one of the circle, rather one that loses little. */
  private void breakCircle(String client, Effects effects) {
    List<String> circle = new ArrayList<>(List.of(client));
    Optional<String> next = waitsFor(client);
    while (next.isPresent() && !circle.contains(next.get())) {
      circle.add(next.get());
      next = waitsFor(next.get());
    }
    if (next.filter(client::equals).isPresent()) {
      String told = circle.stream().filter(c -> !asked.get(c).atStake()).findFirst().orElse(client);
      MetricMessage.Acquire wait = asked.get(told);
      effects.send(told, new MetricMessage.Deadlock(wait.key(), wait.request()));
    }
  }

  /** Who holds the lock that a client waits for. */
  private Optional<String> waitsFor(String client) {
    MetricMessage.Acquire wait = asked.get(client);
    Lock lock = wait == null ? null : lock(wait.key());
    boolean waits =
        lock != null
            && lock.holder != null
            && lock.waiting.contains(new Waiting(client, wait.request()));
    return waits ? Optional.of(lock.holder.client) : Optional.empty();
  }

  private void release(MetricMessage.Release release, Lock lock, Waiting who, Effects effects) {
    lock.waiting.remove(who);
    effects.send(who.client, new MetricMessage.Released(release.key(), release.request()));
    if (!who.equals(lock.holder)) {
      return;
    }
    if (release.clean() && knows(release, lock.last)) {
      releaseLock(release.key(), lock, effects);
    } else {
      forcedRelease(release.key(), lock, effects);
    }
  }

  @SpecAction("EntryConsistency.ReleaseLock")
  private void releaseLock(String key, Lock lock, Effects effects) {
    trace("EntryConsistency.ReleaseLock", key, lock, effects);
    free(key, lock, false, effects);
  }

  /**
   * Whether a client that lets go of a lock knows of its last grant. An earlier one of the same
   * request may have come late: what the client says is of before then.
   */
  protected boolean knows(MetricMessage.Release release, long last) {
    return release.reference() == last;
  }

  @SpecAction({
    "EntryConsistency.ForcedRelease",
    "Ownership.ExpireLock",
    "Ownership.ExpireDirectory",
    "RedoLog.ExpireLock"
  })
  private void forcedRelease(String key, Lock lock, Effects effects) {
    trace("EntryConsistency.ForcedRelease", key, lock, effects);
    free(key, lock, true, effects);
  }

  private void free(String key, Lock lock, boolean forced, Effects effects) {
    effects.cancelTimer(new MetricTimer.Lease(key, lock.last));
    lock.holder = null;
    lock.forced = forced;
    effects.persist(new MetricRecord.Freed(key, forced));
    if (!lock.waiting.isEmpty()) {
      effects.setTimer(new MetricTimer.Next(key), 0);
    }
  }

  @SpecAction("EntryConsistency.AcquireLock")
  private void grant(String key, Lock lock, Effects effects) {
    lock.holder = lock.waiting.remove(0);
    lock.last++;
    effects.persist(
        new MetricRecord.Locked(key, lock.last, lock.holder.client, lock.holder.request));
    lease(key, lock, effects);
    granted(key, lock, effects);
    trace("EntryConsistency.AcquireLock", key, lock, effects);
  }

  private static void granted(String key, Lock lock, Effects effects) {
    effects.send(
        lock.holder.client,
        new MetricMessage.Granted(key, lock.holder.request, lock.last, lock.forced));
  }

  private void lease(String key, Lock lock, Effects effects) {
    if (lock.holder != null) {
      effects.setTimer(new MetricTimer.Lease(key, lock.last), config.leaseMicros());
    }
  }

  private static void trace(String action, String key, Lock lock, Effects effects) {
    if (effects.tracing()) {
      effects.trace(
          action,
          Map.of("key", key, "c", lock.holder.client, "ref", lock.last),
          Map.of("forced", lock.forced));
    }
  }

  public final MetricConfig config() {
    return config;
  }

  /** The reference that holds a key's lock, 0 if it is free. */
  public final long holder(String key) {
    Lock lock = locks.get(key);
    return lock == null || lock.holder == null ? 0 : lock.last;
  }

  /** The highest reference of a key that was given. */
  public final long last(String key) {
    return locks.containsKey(key) ? locks.get(key).last : 0;
  }

  /** Whether a key's lock was taken from somebody, and nobody let go of it in peace since. */
  public final boolean forced(String key) {
    return locks.containsKey(key) && locks.get(key).forced;
  }
}
