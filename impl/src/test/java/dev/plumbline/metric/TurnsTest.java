package dev.plumbline.metric;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumbline.machine.Input;
import java.util.List;
import org.junit.jupiter.api.Test;

/** In which order a process serves clients that ask again. */
class TurnsTest {
  private final OneProcess one = new OneProcess();

  private void asks(long request, String client, long number) {
    Statement read = new Statement(Statement.Kind.READ, "whole", "k", 0);
    one.give(
        new Input.ClientRequest(
            request,
            new MetricRequest.Transact(
                new RequestId(client, number), List.of(new Query(List.of(read))))));
  }

  /** Else a client whose patience is shorter than the queue is never served. */
  @Test
  void whoAsksAgainKeepsItsTurn() {
    asks(1, "a", 1);
    asks(2, "b", 1);
    asks(3, "a", 1);
    assertThat(one.process.waiting()).isEqualTo(2);
    one.run(2, false);
    assertThat(one.answered).containsExactly(3L, 2L);
  }

  @Test
  void aLateCopyOfAnEarlierRequestChangesNothing() {
    asks(1, "a", 2);
    asks(2, "b", 1);
    asks(3, "a", 1);
    one.run(2, false);
    assertThat(one.answered).containsExactly(1L, 2L);
    assertThat(one.process.waiting()).isZero();
  }

  @Test
  void whoAsksForTheNextThingHasGivenUpTheLast() {
    asks(1, "a", 1);
    asks(2, "b", 1);
    asks(3, "a", 2);
    assertThat(one.process.waiting()).isEqualTo(2);
    one.run(2, false);
    assertThat(one.answered).containsExactly(2L, 3L);
  }
}
