package dev.plumbline.sim;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumbline.machine.ClockReading;
import dev.plumbline.machine.Effects;
import dev.plumbline.machine.Input;
import dev.plumbline.machine.Machine;
import dev.plumbline.machine.Message;
import dev.plumbline.machine.Timer;
import dev.plumbline.protocol.ClientDriver;
import dev.plumbline.protocol.ClockBounds;
import dev.plumbline.protocol.NodeSpec;
import dev.plumbline.protocol.ProtocolSystem;
import dev.plumbline.protocol.RttTable;
import dev.plumbline.protocol.Settings;
import dev.plumbline.protocol.Topology;
import dev.plumbline.protocol.Transaction;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** What the simulator itself must find wrong. */
class InvariantsTest {
  private record Request() {}

  private record Loop() implements Message {}

  private record Tick() implements Timer {}

  private static final long TICK = 100;

  private static final Machine ANSWERS =
      (input, clock, effects) -> {
        if (input instanceof Input.ClientRequest request) {
          effects.reply(request.requestId(), new Request());
        }
      };

  @Test
  void nothingWhereNothingIsWrong() {
    assertThat(violations(ANSWERS, true, List.of())).isEmpty();
  }

  @Test
  void aBrokenInvariant() {
    assertThat(violations(ANSWERS, true, List.of("replicas differ"))).contains("replicas differ");
  }

  @Test
  void finalReadsThatNeverCommit() {
    assertThat(violations(ANSWERS, false, List.of()))
        .contains("the final read of keys ")
        .contains("did not commit in 20 tries: refused");
  }

  @Test
  void aMachineThatThrows() {
    Machine throwing =
        (input, clock, effects) -> {
          throw new IllegalStateException("confused");
        };
    assertThat(violations(throwing, true, List.of())).startsWith("n threw ").contains("confused");
  }

  /** Two clients, 4,500 seconds of waiting: slow is not stuck. */
  @Test
  void nothingWhereManyTransactionsTakeLong() {
    AtomicInteger requests = new AtomicInteger();
    Machine silent =
        (input, clock, effects) -> {
          if (input instanceof Input.ClientRequest && requests.incrementAndGet() > 3_000) {
            ANSWERS.handle(input, clock, effects);
          }
        };
    assertThat(violations(silent, 3_000, true, List.of())).isEmpty();
  }

  @Test
  void machinesThatNeverStop() {
    Machine looping =
        (input, clock, effects) -> {
          ANSWERS.handle(input, clock, effects);
          effects.send("n", new Loop());
          effects.send("n", new Loop());
        };
    assertThat(violations(looping, true, List.of())).startsWith("the run did not end: ");
  }

  /** 10,000 steps a second of virtual time, and an answer to who asks after {@code silent}. */
  private static Machine busy(long silent) {
    long[] ticks = {0};
    return (input, clock, effects) -> {
      if (input instanceof Input.ClientRequest && ticks[0] * TICK >= silent) {
        ANSWERS.handle(input, clock, effects);
      } else if (!(input instanceof Input.ClientRequest)) {
        ticks[0]++;
        effects.setTimer(new Tick(), TICK);
      }
    };
  }

  /** Of 300 transactions it took four million steps. */
  @Test
  void machinesThatAreBusyAndAnswerNobodyAreNotWaitedFor() {
    RunResult result = SimulationRun.of(config(busy(Long.MAX_VALUE), 300, true, List.of()));
    assertThat(new Invariants().judge(result).detail())
        .startsWith("the run did not end: ")
        .contains("no client had an answer in the last ");
    assertThat(result.stats().steps()).isLessThan(1_000_000);
  }

  @Test
  void nothingWhereBusyMachinesAnswerLate() {
    assertThat(violations(busy(50_000_000), 30, true, List.of())).isEmpty();
  }

  /** Works on after its answers. */
  private static final class Working implements Machine {
    private final long micros;
    private boolean busy;

    Working(long micros) {
      this.micros = micros;
    }

    @Override
    public void handle(Input input, ClockReading clock, Effects effects) {
      busy = input instanceof Input.ClientRequest;
      if (busy) {
        ANSWERS.handle(input, clock, effects);
        effects.setTimer(new Tick(), micros);
      }
    }
  }

  /** A log of 10,000 transactions took a site of Metric four minutes to read. */
  @Test
  void machinesHaveTimeForWhatAllTransactionsLeft() {
    assertThat(violations(new Working(8_000_000), 100, true, List.of())).isEmpty();
    assertThat(violations(new Working(80_000_000), 100, true, List.of())).contains("works still");
  }

  private static String violations(Machine machine, boolean commits, List<String> broken) {
    return violations(machine, 1, commits, broken);
  }

  private static String violations(
      Machine machine, int transactions, boolean commits, List<String> broken) {
    RunConfig config = config(machine, transactions, commits, broken);
    Judge.Ruling judgement = new Invariants().judge(SimulationRun.of(config));
    assertThat(judgement.verdict() == Judge.Verdict.HOLDS).isEqualTo(judgement.detail().isEmpty());
    return judgement.detail();
  }

  private static RunConfig config(
      Machine machine, int transactions, boolean commits, List<String> broken) {
    return new RunConfig(
        new StubSystem(machine, commits, broken),
        1,
        transactions,
        "list-append",
        Set.of(),
        Set.of(),
        new TreeSet<>(),
        new TreeMap<>(),
        Optional.empty(),
        Optional.empty(),
        false);
  }

  private record StubSystem(Machine machine, boolean commits, List<String> broken)
      implements ProtocolSystem {

    @Override
    public String name() {
      return "stub";
    }

    @Override
    public ClockBounds clockBounds() {
      return new ClockBounds(100, 200);
    }

    @Override
    public Topology topology(Settings settings) {
      return new Topology(
          List.of(NodeSpec.of("n", "server", "SH", 10, 10)), RttTable.single("SH", 200));
    }

    @Override
    public Machine machine(NodeSpec node, Topology topology, Settings settings) {
      return machine;
    }

    @Override
    public List<String> violations(Map<String, Machine> machines, Settings settings) {
      return busy(machines) ? List.of("n works still") : broken;
    }

    @Override
    public boolean busy(Map<String, Machine> machines) {
      return machine instanceof Working working && working.busy;
    }

    @Override
    public ClientDriver client(
        long id, int place, String region, Topology topology, Settings settings) {
      return new ClientDriver() {
        private Transaction transaction;

        @Override
        public Call begin(Transaction next) {
          transaction = next;
          return new Call("n", new Request());
        }

        @Override
        public Next answered(Record response) {
          return commits
              ? Outcome.committed(transaction.ops(), List.of(1L))
              : Outcome.aborted(transaction, "refused");
        }

        @Override
        public Outcome timedOut() {
          return Outcome.aborted(transaction, "no answer");
        }
      };
    }
  }
}
