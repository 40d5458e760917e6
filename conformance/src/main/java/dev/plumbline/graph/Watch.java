package dev.plumbline.graph;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import java.util.function.Supplier;

/** Has machines' steps taken on a thread of its own, and gives up on one that does not end. */
final class Watch {
  /** However busy this computer is, no step takes so many seconds. */
  static final int PATIENCE = 10;

  /** How often a step began or ended: odd within one. */
  private final AtomicLong turns = new AtomicLong();

  /** A step begins or ends. */
  void turn() {
    turns.incrementAndGet();
  }

  /**
   * Waits for the work.
   *
   * @param endless what comes out instead, by the place where a step still is
   */
  <T> T await(Supplier<T> work, Function<String, T> endless) {
    FutureTask<T> task = new FutureTask<>(work::get);
    Thread worker = new Thread(task, "steps");
    worker.setDaemon(true);
    worker.start();
    long seen = 0;
    int still = 0;
    while (true) {
      try {
        return task.get(1, TimeUnit.SECONDS);
      } catch (TimeoutException e) {
        long now = turns.get();
        still = now == seen && now % 2 == 1 ? still + 1 : 0;
        seen = now;
        if (still == PATIENCE) {
          return endless.apply(place(worker.getStackTrace()));
        }
      } catch (ExecutionException e) {
        if (e.getCause() instanceof RuntimeException thrown) {
          throw thrown;
        }
        throw (Error) e.getCause();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new IllegalStateException(e);
      }
    }
  }

  /** From the innermost call of no library out to the machine's handler. */
  private static String place(StackTraceElement[] stack) {
    List<String> calls = new ArrayList<>();
    for (StackTraceElement call : stack) {
      if (call.getClassName().equals(Comparison.class.getName())) {
        break;
      }
      if (!call.getClassName().startsWith("java.")) {
        calls.add(call.toString());
      }
      if (call.getMethodName().equals("handle")) {
        break;
      }
    }
    return String.join(", called by ", calls);
  }
}
