package dev.plumbline.sim;

import java.util.Arrays;
import java.util.List;
import java.util.Set;

/**
 * Makes the run of a seed a second time, and fails where it gives something else: then a seed
 * proves nothing, and no failing one can be shrunk or replayed. What differs between processes
 * alone, such as the order of an immutable set, is not seen here.
 */
public final class Again implements Judge {
  /** The name in tables, and of seeds that are kept for it. */
  public static final String NAME = "same run again";

  private final Set<Long> seeds;

  /**
   * @param seeds whose runs are made again
   */
  public Again(Set<Long> seeds) {
    this.seeds = Set.copyOf(seeds);
  }

  @Override
  public String name() {
    return NAME;
  }

  @Override
  public Ruling judge(RunResult first) {
    if (!seeds.contains(first.config().seed())) {
      return new Ruling(name(), Verdict.NOT_RUN, "another seed is run twice");
    }
    String difference = difference(first, SimulationRun.of(first.config()));
    return difference.isEmpty()
        ? new Ruling(name(), Verdict.HOLDS, "")
        : new Ruling(
            name(),
            Verdict.FAILS,
            "the same seed gave "
                + difference
                + " the second time; some machine or client depends on more than its inputs, such as"
                + " an identity hash, a random number or a clock");
  }

  private static String difference(RunResult first, RunResult second) {
    String of = difference("operation", first.history().ops(), second.history().ops());
    for (String node : first.traces().keySet()) {
      byte[] log = second.traces().getOrDefault(node, new byte[0]);
      if (of.isEmpty() && !Arrays.equals(first.traces().get(node), log)) {
        of = "another log of " + node;
      }
    }
    if (of.isEmpty()) {
      of = difference("violation", first.violations(), second.violations());
    }
    return of.isEmpty() && !first.stats().equals(second.stats())
        ? "other counts: " + second.stats() + " in place of " + first.stats()
        : of;
  }

  private static String difference(String what, List<?> first, List<?> second) {
    for (int i = 0; i < Math.max(first.size(), second.size()); i++) {
      Object one = i < first.size() ? first.get(i) : "nothing";
      Object other = i < second.size() ? second.get(i) : "nothing";
      if (!one.equals(other)) {
        return "another " + what + " " + i + ": " + other + " in place of " + one;
      }
    }
    return "";
  }
}
