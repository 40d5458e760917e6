package dev.plumbline.metric;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumbline.machine.Input;
import java.util.List;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/** What a process has at stake while it waits for a lock, and what it does about a deadlock. */
class DeadlockTest {
  private final OneProcess one = new OneProcess();

  /** A site asks for a table; the store obliges, but for locks that are told of a deadlock. */
  private Record own(boolean first, String table, boolean deadlock) {
    one.answered.clear();
    one.acquired.clear();
    TreeSet<String> tables = new TreeSet<>(List.of(table));
    one.give(
        new Input.ClientRequest(1, new MetricRequest.Own("t", first, 1_000_000, tables), "site"));
    one.run(1, deadlock);
    return one.answer;
  }

  @Test
  void aTransactionThatHasUsedTablesIsAtStake() {
    assertThat(own(true, "a", false)).isInstanceOf(MetricResponse.Ok.class);
    assertThat(one.acquired).isNotEmpty().noneMatch(MetricMessage.Acquire::atStake);
    assertThat(own(false, "b", false)).isInstanceOf(MetricResponse.Ok.class);
    assertThat(one.acquired).isNotEmpty().allMatch(MetricMessage.Acquire::atStake);
  }

  @Test
  void whoIsToldOfADeadlockGivesUpAtOnce() {
    assertThat(own(true, "a", true))
        .isInstanceOfSatisfying(
            MetricResponse.Failed.class,
            failed -> assertThat(failed.why()).contains("wait for each other's tables"));
    assertThat(one.process.phase()).isEqualTo(Phase.IDLE);
    assertThat(one.process.held()).isEmpty();
  }
}
