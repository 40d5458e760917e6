package dev.plumbline.metric.node;

import dev.plumbline.machine.Effects;
import dev.plumbline.machine.Message;
import dev.plumbline.machine.Timer;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/** A thread on which a machine, or a part of one, runs by the real clock. */
abstract class Live implements Effects, AutoCloseable {
  private final ScheduledExecutorService thread =
      Executors.newSingleThreadScheduledExecutor(
          task -> {
            Thread made = new Thread(task, "live");
            made.setDaemon(true);
            return made;
          });
  private final Map<Timer, Future<?>> armed = new HashMap<>();

  /** Does something there. */
  final void run(Runnable task) {
    try {
      thread.execute(task);
    } catch (RejectedExecutionException e) {
      // An answer that came too late.
      return;
    }
  }

  /** What something gives that is done there. */
  final <T> T call(Callable<T> task) {
    try {
      return thread.submit(task).get(10, TimeUnit.SECONDS);
    } catch (Exception e) {
      throw new AssertionError(e);
    }
  }

  /** A timer came due. */
  abstract void fired(Timer timer);

  @Override
  public abstract void send(String to, Message message);

  @Override
  public final void setTimer(Timer timer, long delayMicros) {
    cancelTimer(timer);
    armed.put(
        timer,
        thread.schedule(
            () -> {
              armed.remove(timer);
              fired(timer);
            },
            delayMicros,
            TimeUnit.MICROSECONDS));
  }

  @Override
  public final void cancelTimer(Timer timer) {
    Future<?> old = armed.remove(timer);
    if (old != null) {
      old.cancel(false);
    }
  }

  @Override
  public final void reply(long requestId, Record response) {
    throw new IllegalStateException("nobody asked for " + response);
  }

  @Override
  public final void persist(Record record) {
    // No test here ends a machine.
  }

  @Override
  public final boolean tracing() {
    return false;
  }

  @Override
  public final void trace(String action, Map<String, ?> args, Map<String, ?> state) {
    throw new IllegalStateException("nothing is traced");
  }

  @Override
  public void close() {
    thread.shutdownNow();
  }
}
