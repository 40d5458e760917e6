package dev.plumbline.engage;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumbline.machine.ClockReading;
import dev.plumbline.machine.Input;
import dev.plumbline.machine.NoEffects;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/**
 * The clock of a cloudlet keeps what module {@code FlushClock} shows of the rule by which it rises,
 * in random walks of that module's steps: it covers nothing that is missing ({@code
 * ClockTruthInv}), and all that was heard of and does not wait ({@code UpToDateInv}).
 */
class FlushClockTest {
  private static final List<String> SOURCES = List.of("c2", "c3");
  private static final Layout LAYOUT =
      Layout.of(
          List.of("c1", "c2", "c3"),
          List.of("b"),
          List.of(List.of("c1", "b"), List.of("c2", "b"), List.of("c3", "b")),
          Map.of("mine", List.of("c1", "c2", "c3"), "other", List.of("c2", "c3")));
  private static final int WALKS = 500;
  private static final int STEPS = 60;

  /** A walk, with the module's variables; {@code mine} of a source holds numbers. */
  private static final class Walk {
    final TreeCloudlet machine;
    final SplittableRandom random;
    final List<TreeSet<Long>> mine = List.of(new TreeSet<>(), new TreeSet<>());
    final List<TreeSet<Long>> waiting = List.of(new TreeSet<>(), new TreeSet<>());
    final List<TreeSet<Long>> done = List.of(new TreeSet<>(), new TreeSet<>());
    final long[] issued = new long[2];
    final long[] heard = new long[2];
    long messages;

    Walk(EngageConfig config, long seed) {
      machine = new TreeCloudlet(config, LAYOUT, "c1");
      random = new SplittableRandom(seed);
      handle(new Input.Start(1, List.of()));
    }

    private void handle(Input input) {
      machine.handle(input, ClockReading.local(0), new NoEffects() {});
    }

    private VectorClock own(int source, long number) {
      List<Long> entries = new ArrayList<>(Collections.nCopies(3, 0L));
      entries.set(source + 1, number);
      return new VectorClock(entries);
    }

    void step() {
      int source = random.nextInt(2);
      long next = heard[source] + 1;
      switch (random.nextInt(3)) {
        case 0 -> {
          issued[source]++;
          if (random.nextBoolean()) {
            mine.get(source).add(issued[source]);
          }
        }
        case 1 -> {
          if (mine.get(source).contains(next)) {
            receive(source, next);
          } else if (next <= issued[source]) {
            flush(source, next);
          }
        }
        default -> {
          if (!waiting.get(source).isEmpty()) {
            execute(source, waiting.get(source).first());
          }
        }
      }
    }

    private void receive(int source, long number) {
      heard[source] = number;
      waiting.get(source).add(number);
      Update update = new Update(SOURCES.get(source), number, "mine", "v", own(source, number));
      handle(
          new Input.Deliver("b", new EngageMessage.Notification(1, ++messages, update, own(0, 0))));
    }

    /** It stands for as many updates as are not replicated here, or for fewer. */
    private void flush(int source, long next) {
      Long replicated = mine.get(source).ceiling(next);
      long last = replicated == null ? issued[source] : replicated - 1;
      heard[source] = next + random.nextLong(last - next + 1);
      handle(
          new Input.Deliver(
              "b", new EngageMessage.Flush(1, ++messages, own(source, heard[source]))));
    }

    private void execute(int source, long number) {
      waiting.get(source).remove(number);
      done.get(source).add(number);
      handle(new Input.TimerFired(new EngageTimer.Execute(SOURCES.get(source), number)));
    }

    /** The invariant that does not hold, or none. */
    String broken() {
      for (int s = 0; s < 2; s++) {
        long clock = machine.clock().at(s + 1);
        TreeSet<Long> missing = new TreeSet<>(mine.get(s).headSet(clock, true));
        missing.removeAll(done.get(s));
        long says = waiting.get(s).isEmpty() ? heard[s] : waiting.get(s).first() - 1;
        if (!missing.isEmpty()) {
          return "ClockTruthInv";
        } else if (clock != says) {
          return "UpToDateInv";
        }
      }
      return "";
    }
  }

  private static List<String> broken(EngageConfig config) {
    List<String> broken = new ArrayList<>();
    for (long seed = 1; seed <= WALKS; seed++) {
      Walk walk = new Walk(config, seed);
      for (int i = 0; i < STEPS && walk.broken().isEmpty(); i++) {
        walk.step();
      }
      if (!walk.broken().isEmpty()) {
        broken.add(walk.broken());
      }
    }
    return broken;
  }

  private static EngageConfig config(String... asPublished) {
    return new EngageConfig(1, 1, 100, 1_000, 100, 8, List.of(asPublished));
  }

  @Test
  void theClockKeepsTheModulesInvariants() {
    assertThat(broken(config())).isEmpty();
  }

  @Test
  void withoutHoldFlushItCoversWhatIsMissing() {
    assertThat(broken(config(EngageConfig.HOLD_FLUSH))).contains("ClockTruthInv");
  }

  @Test
  void appliedAtOnceItIsNotTheModulesRule() {
    assertThat(broken(config(EngageConfig.AT_ONCE))).isNotEmpty();
  }
}
