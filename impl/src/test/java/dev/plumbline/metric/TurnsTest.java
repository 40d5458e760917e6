package dev.plumbline.metric;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumbline.machine.Input;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

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

  /**
   * A client asks for number {@code first}, another one asks, and the first asks again. Where that
   * is the same, it keeps its turn: else a client whose patience is shorter than the queue is never
   * served. Where that is later, it has given the first up; where it is earlier, it is a late copy.
   */
  @ParameterizedTest
  @CsvSource({"1, 1, 3, 2", "1, 2, 2, 3", "2, 1, 1, 2"})
  void aClientThatAsksAgain(long first, long again, long served, long then) {
    asks(1, "a", first);
    asks(2, "b", 1);
    asks(3, "a", again);
    assertThat(one.process.waiting()).isEqualTo(2);
    one.run(3, false);
    assertThat(one.answered).containsExactly(served, then);
  }

  /** The connection on which it asked first is gone. */
  @Test
  void aClientThatAsksAgainWhileItIsServedIsAnsweredThere() {
    asks(1, "a", 1);
    one.give(new Input.TimerFired(new MetricTimer.Step()));
    assertThat(one.process.request()).isEqualTo(new RequestId("a", 1));
    asks(2, "a", 1);
    assertThat(one.process.waiting()).isZero();
    one.run(1, false);
    assertThat(one.answered).containsExactly(2L);
  }
}
