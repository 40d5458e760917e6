package dev.plumbline.check;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class WorkersTest {
  private static final List<String> TWO = List.of("a", "b");

  /** Nobody gets through alone. */
  @Test
  void twoWorkAtATime() {
    CyclicBarrier both = new CyclicBarrier(2);
    Map<Integer, String> done = new ConcurrentHashMap<>();
    Workers.share(
        List.of(1, 2),
        TWO,
        (job, worker) -> {
          try {
            both.await(20, TimeUnit.SECONDS);
          } catch (Exception e) {
            throw new IllegalStateException(e);
          }
          assertThat(done.put(job, worker)).isNull();
        });
    assertThat(done).isEqualTo(Map.of(1, "a", 2, "b"));
  }

  @Test
  void everyJobIsDoneOnce() {
    Map<Integer, String> done = new ConcurrentHashMap<>();
    List<Integer> jobs = IntStream.range(0, 1_000).boxed().toList();
    Workers.share(jobs, TWO, (job, worker) -> assertThat(done.put(job, worker)).isNull());
    assertThat(done.keySet()).containsExactlyInAnyOrderElementsOf(jobs);
  }

  /** A job whose failure is lost would look like one that was not asked for. */
  @Test
  void aFailureEndsTheOthers() {
    for (Throwable failure : List.of(new IllegalStateException("no"), new StackOverflowError())) {
      Map<Integer, String> done = new ConcurrentHashMap<>();
      assertThatThrownBy(
              () ->
                  Workers.share(
                      IntStream.range(0, 1_000_000).boxed().toList(),
                      TWO,
                      (job, worker) -> {
                        if (failure instanceof Error error && job == 3) {
                          throw error;
                        } else if (failure instanceof RuntimeException exception && job == 3) {
                          throw exception;
                        }
                        done.put(job, worker);
                      }))
          .isSameAs(failure);
      assertThat(done.size()).isLessThan(1_000_000 - 1);
    }
  }
}
