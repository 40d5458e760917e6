package dev.plumbline.metric;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumbline.machine.ClockReading;
import dev.plumbline.machine.Input;
import dev.plumbline.machine.Message;
import dev.plumbline.machine.NoEffects;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** The lock service and its clients, whose messages take their time. */
class LocksTest {
  private static final String KEY = "table T1";
  private static final MetricConfig CONFIG =
      new MetricConfig(List.of("T1"), 1_000, 1_000, 1_000, 1_000, 10, List.of());

  /** Keeps what is sent. */
  private static final class Sent extends NoEffects {
    private final List<Message> messages = new ArrayList<>();

    @Override
    public void send(String to, Message message) {
      messages.add(message);
    }

    <T extends Message> T last(Class<T> type) {
      return messages.stream().filter(type::isInstance).map(type::cast).reduce((a, b) -> b).get();
    }
  }

  private final LockService locks = new LockService(CONFIG);
  private final Sent answers = new Sent();

  private static StoreClient client(String name, long site) {
    StoreClient client =
        new StoreClient(
            new MetricProcess.Parts(CONFIG, name, site, "locks", List.of("r"), Optional.empty()));
    client.start(1);
    return client;
  }

  private void deliver(String from, Message message) {
    locks.handle(new Input.Deliver(from, message), ClockReading.local(1), answers);
  }

  private void fire(MetricTimer timer) {
    locks.handle(new Input.TimerFired(timer), ClockReading.local(1), answers);
  }

  @Test
  void whoStopsWaitingForALockThatIsItsOwnByNowLeavesTheNextOneToSynchronize() {
    deliver("m1", new MetricMessage.Acquire(KEY, 7));
    StoreClient waiting = client("m2", 2);
    Sent said = new Sent();
    waiting.acquire(KEY, said);
    deliver("m2", said.last(MetricMessage.Acquire.class));
    fire(new MetricTimer.Lease(KEY, 1));
    fire(new MetricTimer.Next(KEY));
    assertThat(answers.last(MetricMessage.Granted.class).forced()).isTrue();
    waiting.abandon(said);
    deliver("m2", said.last(MetricMessage.Release.class));
    assertThat(locks.holder(KEY)).isZero();
    deliver("m3", new MetricMessage.Acquire(KEY, 9));
    MetricMessage.Granted next = answers.last(MetricMessage.Granted.class);
    assertThat(next.reference()).isEqualTo(3);
    assertThat(next.forced()).as("m2 has not synchronized").isTrue();
  }
}
