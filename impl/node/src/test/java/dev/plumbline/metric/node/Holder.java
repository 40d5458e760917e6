package dev.plumbline.metric.node;

import dev.plumbline.machine.ClockReading;
import dev.plumbline.machine.Message;
import dev.plumbline.machine.Timer;
import dev.plumbline.metric.MetricConfig;
import dev.plumbline.metric.MetricMessage;
import dev.plumbline.metric.MetricProcess;
import dev.plumbline.metric.MetricTimer;
import dev.plumbline.metric.StoreClient;
import dev.plumbline.metric.Uuid;
import dev.plumbline.metric.Value;
import dev.plumbline.node.Outside;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** A client of the store, as a Metric process has it. Its values are numbers. */
final class Holder extends Live {
  private static final long PATIENCE_SECONDS = 20;
  private static final ClockReading CLOCK = ClockReading.local(1);

  /** How a store is reached. */
  interface Reached {
    Outside by(String client, MetricConfig config, Outside.Answers answers) throws IOException;
  }

  private final StoreClient client;
  private final Outside store;
  private CompletableFuture<StoreClient.Event> awaited = new CompletableFuture<>();
  private boolean silent;

  /**
   * @param epoch which of its lives it is, from 1
   */
  Holder(
      String name,
      long number,
      long epoch,
      MetricConfig config,
      List<String> replicas,
      Reached reached)
      throws IOException {
    client =
        new StoreClient(
            new MetricProcess.Parts(config, name, number, "locks", replicas, Optional.empty()));
    store = reached.by(name, config, (from, message) -> run(() -> came(from, message)));
    run(
        () -> {
          client.start(epoch);
          client.heartbeat(this);
        });
  }

  private void came(String from, Message message) {
    StoreClient.Event event = client.handle(from, (MetricMessage) message, CLOCK, this);
    if (event != null) {
      awaited.complete(event);
    }
  }

  @Override
  void fired(Timer timer) {
    if (timer instanceof MetricTimer.Resend) {
      client.resend(this);
    } else if (!silent) {
      client.heartbeat(this);
    }
  }

  @Override
  public void send(String to, Message message) {
    store.take(to, message);
  }

  /** From now on it sends no heartbeats. */
  void fallSilent() {
    call(() -> silent = true);
  }

  private CompletableFuture<StoreClient.Event> begin(Runnable what) {
    return call(
        () -> {
          awaited = new CompletableFuture<>();
          what.run();
          return awaited;
        });
  }

  private StoreClient.Event done(Runnable what) {
    try {
      return begin(what).get(PATIENCE_SECONDS, TimeUnit.SECONDS);
    } catch (ExecutionException | InterruptedException | TimeoutException e) {
      throw new AssertionError("the store does not answer", e);
    }
  }

  /** Asks for a lock, and goes on asking. */
  CompletableFuture<StoreClient.Event> ask(String key) {
    return begin(() -> client.acquire(key, false, this));
  }

  StoreClient.Outcome acquire(String key) {
    return done(() -> client.acquire(key, false, this)).outcome();
  }

  StoreClient.Outcome put(String key, long value) {
    Value written = new Value(new Uuid(value, 1), new TreeMap<>(), List.of());
    return done(() -> client.put(key, written, CLOCK, this)).outcome();
  }

  /** What a critical get returns; empty if it is rejected. */
  Optional<Long> get(String key) {
    return read(() -> client.get(key, this));
  }

  /** What getQuorum returns. */
  Optional<Long> getQuorum(String key) {
    return read(() -> client.read(key, this));
  }

  private Optional<Long> read(Runnable what) {
    StoreClient.Event event = done(what);
    return event.outcome() == StoreClient.Outcome.REJECTED
        ? Optional.empty()
        : Optional.of(event.value().latest().time());
  }

  void release(String key) {
    call(
        () -> {
          client.release(key, this);
          return null;
        });
  }

  /** Waits for no lock any more, and holds none. */
  void abandon() {
    call(
        () -> {
          client.abandon(this);
          return null;
        });
  }

  @Override
  public void close() {
    store.close();
    super.close();
  }
}
