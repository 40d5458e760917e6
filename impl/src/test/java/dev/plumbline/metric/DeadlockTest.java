package dev.plumbline.metric;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumbline.machine.ClockReading;
import dev.plumbline.machine.Input;
import dev.plumbline.machine.Message;
import dev.plumbline.machine.NoEffects;
import dev.plumbline.machine.Timer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/** What a process has at stake while it waits for a lock, and what it does about a deadlock. */
class DeadlockTest {
  private static final MetricConfig CONFIG =
      new MetricConfig(List.of("whole"), 1_000, 1_000, 1_000, 1_000, 10, List.of());

  private final MetricProcess process =
      new MetricProcess(
          new MetricProcess.Parts(CONFIG, "m1", 1, "locks", List.of("r"), Optional.empty()));
  private final Deque<Message> sent = new ArrayDeque<>();
  private final List<MetricMessage.Acquire> acquired = new ArrayList<>();
  private final SortedMap<String, Value> stored = new TreeMap<>();
  private boolean step;
  private Record answer;
  private long references;

  private final NoEffects effects =
      new NoEffects() {
        @Override
        public void send(String to, Message message) {
          sent.add(message);
        }

        @Override
        public void setTimer(Timer timer, long delayMicros) {
          step |= timer instanceof MetricTimer.Step;
        }

        @Override
        public void reply(long requestId, Record response) {
          answer = response;
        }
      };

  private void give(Input input) {
    process.handle(input, ClockReading.local(1), effects);
  }

  private void hears(MetricMessage message) {
    give(new Input.Deliver("r", message));
  }

  /** A site asks for a table; the store obliges, but for locks that are told of a deadlock. */
  private Record own(boolean first, String table, boolean deadlock) {
    answer = null;
    acquired.clear();
    TreeSet<String> tables = new TreeSet<>(List.of(table));
    give(new Input.ClientRequest(1, new MetricRequest.Own("t", first, 1_000_000, tables), "site"));
    for (int i = 0; i < 1_000 && answer == null; i++) {
      if (!sent.isEmpty()) {
        oblige(sent.remove(), deadlock);
      } else if (step) {
        step = false;
        give(new Input.TimerFired(new MetricTimer.Step()));
      }
    }
    return answer;
  }

  private void oblige(Message message, boolean deadlock) {
    if (message instanceof MetricMessage.Acquire acquire) {
      acquired.add(acquire);
      hears(
          deadlock && acquire.key().startsWith("table")
              ? new MetricMessage.Deadlock(acquire.key(), acquire.request())
              : new MetricMessage.Granted(acquire.key(), acquire.request(), ++references, false));
    } else if (message instanceof MetricMessage.Put put) {
      stored.put(put.key(), put.value());
      hears(new MetricMessage.Stored(put.key(), put.operation()));
    } else if (message instanceof MetricMessage.Get get) {
      Value value = stored.getOrDefault(get.key(), Value.NONE);
      hears(new MetricMessage.Newest(get.key(), get.operation(), new Stamp(1, 1), value));
    }
  }

  @Test
  void aTransactionThatHasUsedTablesIsAtStake() {
    assertThat(own(true, "a", false)).isInstanceOf(MetricResponse.Ok.class);
    assertThat(acquired).isNotEmpty().noneMatch(MetricMessage.Acquire::atStake);
    assertThat(own(false, "b", false)).isInstanceOf(MetricResponse.Ok.class);
    assertThat(acquired).isNotEmpty().allMatch(MetricMessage.Acquire::atStake);
  }

  @Test
  void whoIsToldOfADeadlockGivesUpAtOnce() {
    assertThat(own(true, "a", true))
        .isInstanceOfSatisfying(
            MetricResponse.Failed.class,
            failed -> assertThat(failed.why()).contains("wait for each other's tables"));
    assertThat(process.phase()).isEqualTo(Phase.IDLE);
    assertThat(process.held()).isEmpty();
  }
}
