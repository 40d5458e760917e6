package dev.plumbline.metric.sql.log;

import dev.plumbline.machine.ClockReading;
import dev.plumbline.machine.Effects;
import dev.plumbline.machine.Input;
import dev.plumbline.machine.Machine;
import dev.plumbline.machine.Message;
import dev.plumbline.machine.Timer;
import dev.plumbline.metric.LockService;
import dev.plumbline.metric.MetricConfig;
import dev.plumbline.metric.MetricProcess.Parts;
import dev.plumbline.metric.MetricRecord;
import dev.plumbline.metric.StoreReplica;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;

/**
 * Metric's machines in this JVM: a lock service, and at each site a replica of the store and a
 * Metric process. One thread runs them all; what they persist survives {@link #kill}.
 */
public final class Machines implements AutoCloseable {
  private static final String LOCKS = "locks";

  private final ScheduledExecutorService thread =
      Executors.newSingleThreadScheduledExecutor(
          task -> {
            Thread made = new Thread(task, "machines");
            made.setDaemon(true);
            return made;
          });
  private final Map<String, Role> roles = new HashMap<>();
  private final Map<Long, CompletableFuture<Record>> asked = new HashMap<>();
  private final List<Throwable> failures = Collections.synchronizedList(new ArrayList<>());
  private final Set<String> cut = new HashSet<>();
  private final AtomicLong numbers = new AtomicLong();

  /** A machine, what it has persisted, and what it is waiting for. */
  private final class Role implements Effects {
    private final String name;
    private final Supplier<Machine> make;
    private final List<Record> durable = new ArrayList<>();
    private final Map<Timer, Future<?>> timers = new HashMap<>();
    private Machine machine;
    private long epoch;

    Role(String name, Supplier<Machine> make) {
      this.name = name;
      this.make = make;
    }

    void start() {
      machine = make.get();
      give(new Input.Start(++epoch, List.copyOf(durable)));
    }

    void stop() {
      machine = null;
      timers.values().forEach(t -> t.cancel(false));
      timers.clear();
    }

    void give(Input input) {
      if (machine != null) {
        try {
          machine.handle(input, ClockReading.local(System.nanoTime() / 1_000), this);
        } catch (RuntimeException | Error e) {
          failures.add(e);
        }
      }
    }

    @Override
    public void send(String to, Message message) {
      thread.execute(
          () -> {
            if (!cut.contains(name) && !cut.contains(to)) {
              roles.get(to).give(new Input.Deliver(name, message));
            }
          });
    }

    @Override
    public void setTimer(Timer timer, long delayMicros) {
      cancelTimer(timer);
      Machine of = machine;
      timers.put(
          timer,
          thread.schedule(
              () -> {
                if (machine == of) {
                  timers.remove(timer);
                  give(new Input.TimerFired(timer));
                }
              },
              delayMicros,
              TimeUnit.MICROSECONDS));
    }

    @Override
    public void cancelTimer(Timer timer) {
      Future<?> armed = timers.remove(timer);
      if (armed != null) {
        armed.cancel(false);
      }
    }

    @Override
    public void reply(long requestId, Record response) {
      CompletableFuture<Record> waiting = asked.remove(requestId);
      if (waiting != null) {
        waiting.complete(response);
      }
    }

    @Override
    public void persist(Record record) {
      durable.add(record);
    }

    @Override
    public boolean tracing() {
      return false;
    }

    @Override
    public void trace(String action, Map<String, ?> args, Map<String, ?> state) {}
  }

  /** At so many sites. */
  public Machines(int sites) {
    MetricConfig config =
        new MetricConfig(List.of("none"), 2_000_000, 200_000, 200_000, 300_000, 10, List.of());
    List<String> replicas = new ArrayList<>();
    for (int i = 0; i < Math.max(3, sites); i++) {
      String replica = "replica" + i;
      replicas.add(replica);
      roles.put(replica, new Role(replica, () -> new StoreReplica(config, replica)));
    }
    roles.put(LOCKS, new Role(LOCKS, () -> new LockService(config)));
    for (int i = 0; i < sites; i++) {
      Parts parts = new Parts(config, "site" + i, i + 1L, LOCKS, replicas, Optional.empty());
      roles.put(
          parts.name(),
          new Role(parts.name(), () -> new dev.plumbline.metric.MetricProcess(parts)));
    }
    thread.execute(() -> roles.values().forEach(Role::start));
  }

  private <T> T inTurn(java.util.concurrent.Callable<T> work) {
    try {
      return thread.submit(work).get();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(e);
    } catch (ExecutionException e) {
      throw new IllegalStateException(e.getCause());
    }
  }

  /** Ends a machine; whoever waits for its answer gets none. */
  public void kill(String role) {
    inTurn(
        () -> {
          roles.get(role).stop();
          return role;
        });
  }

  /** Starts a machine again, with what it has persisted. */
  public void restart(String role) {
    inTurn(
        () -> {
          roles.get(role).start();
          return role;
        });
  }

  /** Cuts a machine off from the others, not from its site; or joins it to them again. */
  public void cut(String role, boolean off) {
    inTurn(() -> off ? cut.add(role) : cut.remove(role));
  }

  /** How many entries the processes have made for the redo log. */
  public long entries() {
    return inTurn(
        () ->
            roles.values().stream()
                .flatMap(r -> r.durable.stream())
                .filter(MetricRecord.Made.class::isInstance)
                .count());
  }

  /** What machines have thrown, which they should not. */
  public List<Throwable> failures() {
    return List.copyOf(failures);
  }

  /** The Metric process of a site. */
  public MetricProcess process(int site, Duration patience, Duration lease) {
    String role = "site" + site;
    return new NodeProcess(() -> new Wire(role), patience, lease);
  }

  /** A connection to a process. */
  private final class Wire implements NodeProcess.Link {
    private final String role;
    private final String client = "client" + numbers.incrementAndGet();
    private boolean open = true;

    private Wire(String role) throws IOException {
      this.role = role;
      if (inTurn(() -> roles.get(role).machine == null)) {
        throw new IOException(role + " is down");
      }
    }

    @Override
    public Record ask(Record request, Duration patience) throws IOException {
      long number = numbers.incrementAndGet();
      CompletableFuture<Record> answer = new CompletableFuture<>();
      thread.execute(
          () -> {
            asked.put(number, answer);
            roles.get(role).give(new Input.ClientRequest(number, request, client));
          });
      try {
        return answer.get(patience.toMillis(), TimeUnit.MILLISECONDS);
      } catch (TimeoutException e) {
        throw new IOException("no answer in time", e);
      } catch (ExecutionException e) {
        throw new IOException(e.getCause());
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new IOException("interrupted", e);
      }
    }

    @Override
    public boolean isOpen() {
      return open;
    }

    @Override
    public void close() {
      open = false;
    }
  }

  @Override
  public void close() {
    thread.shutdownNow();
  }
}
