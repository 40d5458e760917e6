package dev.plumbline.metric.node;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.plumbline.machine.ClockReading;
import dev.plumbline.machine.Input;
import dev.plumbline.machine.Machine;
import dev.plumbline.machine.Message;
import dev.plumbline.machine.Timer;
import dev.plumbline.metric.LockService;
import dev.plumbline.metric.MetricConfig;
import dev.plumbline.metric.StoreReplica;
import dev.plumbline.node.Outside;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The guarantees by our own lock service and replicas. */
class MachineStoreTest extends EntryStoreContract {
  private static final List<String> REPLICAS = List.of("r-S1", "r-S2", "r-S3");

  private final Map<String, Outside.Answers> clients = new ConcurrentHashMap<>();
  private final Map<String, Role> roles = new ConcurrentHashMap<>();
  private MetricConfig config = repaired();

  MachineStoreTest() {
    super(600);
  }

  /** A machine, by the real clock. */
  private final class Role extends Live {
    private final String name;
    private final Machine machine;

    Role(String name, Machine machine) {
      this.name = name;
      this.machine = machine;
      run(() -> input(new Input.Start(1, List.of())));
    }

    void input(Input input) {
      machine.handle(input, ClockReading.local(System.nanoTime() / 1_000), this);
    }

    @Override
    void fired(Timer timer) {
      input(new Input.TimerFired(timer));
    }

    @Override
    public void send(String to, Message message) {
      clients.get(to).answer(name, message);
    }
  }

  @Override
  Holder holder(String name, long number) throws IOException {
    if (roles.isEmpty()) {
      roles.put("locks", new Role("locks", new LockService(config)));
      REPLICAS.forEach(r -> roles.put(r, new Role(r, new StoreReplica(config, r))));
    }
    return new Holder(name, number, 1, config, REPLICAS, this::reached);
  }

  private Outside reached(String client, MetricConfig asked, Outside.Answers answers) {
    clients.put(client, answers);
    return new Outside() {
      @Override
      public void take(String role, Message message) {
        Role to = roles.get(role);
        to.run(() -> to.input(new Input.Deliver(client, message)));
      }

      @Override
      public void close() {
        new ArrayList<>(roles.values()).forEach(Role::close);
      }
    };
  }

  @AfterEach
  void end() {
    roles.values().forEach(Role::close);
  }

  @Test
  void withoutTheFenceAPreemptedHolderIsServedAndThatIsFound() {
    config = repaired().without(MetricConfig.FENCE);
    assertThatThrownBy(this::whoFallsSilentLosesTheLockAndWhatItAsksForIsRejected)
        .isInstanceOf(AssertionError.class)
        .hasMessageContaining("a preempted holder's get");
  }
}
