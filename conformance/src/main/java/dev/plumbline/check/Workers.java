package dev.plumbline.check;

import dev.plumbline.tlc.InputError;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.function.BiConsumer;
import java.util.function.Supplier;

/** Workers, such as checking processes, that share jobs. */
public final class Workers {
  private Workers() {}

  /**
   * Does every job once, each worker one at a time. Two begin at both ends, so that jobs which are
   * alike, and stand side by side, are done by the same. A job that fails ends the others' after
   * those that are under way.
   *
   * @throws RuntimeException what the first job that failed did; likewise an error
   */
  public static <T, W> void share(Collection<T> jobs, List<W> workers, BiConsumer<T, W> job) {
    ConcurrentLinkedDeque<T> open = new ConcurrentLinkedDeque<>(jobs);
    List<Throwable> failures = Collections.synchronizedList(new ArrayList<>());
    List<Thread> threads = new ArrayList<>();
    for (int i = 0; i < workers.size(); i++) {
      W worker = workers.get(i);
      Supplier<T> next = i % 2 == 0 ? open::pollFirst : open::pollLast;
      Thread t =
          new Thread(
              () -> {
                try {
                  for (T j = next.get(); j != null; j = next.get()) {
                    job.accept(j, worker);
                  }
                } catch (RuntimeException | Error e) {
                  open.clear();
                  failures.add(e);
                }
              });
      threads.add(t);
      t.start();
    }
    try {
      for (Thread t : threads) {
        t.join();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new InputError("", 0, "interrupted", "run it again: what is known is kept");
    }
    if (!failures.isEmpty()) {
      if (failures.get(0) instanceof Error broken) {
        throw broken;
      }
      throw (RuntimeException) failures.get(0);
    }
  }
}
