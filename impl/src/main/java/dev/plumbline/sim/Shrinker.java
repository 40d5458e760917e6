package dev.plumbline.sim;

import dev.plumbline.protocol.Fault;
import dev.plumbline.protocol.FaultPlan;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Predicate;

/**
 * Reduces a failing run to fewer faults and transactions that still fail, by delta debugging
 * (Zeller and Hildebrandt's ddmin over the fault plan).
 */
public final class Shrinker {
  private final Predicate<RunConfig> fails;
  private final Consumer<String> progress;
  private int runsLeft;
  private int runs;

  /**
   * @param fails whether a configuration still shows the failure
   * @param runsAllowed at most this many runs are tried
   * @param progress gets a line whenever the run got smaller
   */
  public Shrinker(Predicate<RunConfig> fails, int runsAllowed, Consumer<String> progress) {
    this.fails = fails;
    this.runsLeft = runsAllowed;
    this.progress = progress;
  }

  /** The smallest failing configuration found; {@code failing} with its plan made explicit. */
  public RunConfig shrink(RunConfig failing, FaultPlan plan) {
    RunConfig smallest = failing.with(plan, failing.transactions());
    smallest = fewerTransactions(smallest);
    smallest = fewerFaults(smallest);
    return fewerTransactions(smallest);
  }

  /** How many runs were tried. */
  public int runs() {
    return runs;
  }

  private RunConfig fewerTransactions(RunConfig from) {
    RunConfig smallest = from;
    int step = Math.max(1, from.transactions() / 2);
    while (step > 0) {
      int count = smallest.transactions() - step;
      RunConfig candidate = count < 1 ? null : smallest.with(plan(smallest), count);
      if (candidate != null && stillFails(candidate)) {
        smallest = candidate;
      } else {
        step /= 2;
      }
    }
    return smallest;
  }

  private RunConfig fewerFaults(RunConfig from) {
    RunConfig smallest = from;
    int parts = 2;
    while (!faults(smallest).isEmpty()) {
      List<Fault> faults = faults(smallest);
      parts = Math.min(parts, faults.size());
      RunConfig smaller = withoutOnePart(smallest, parts);
      if (smaller != null) {
        smallest = smaller;
        parts = Math.max(2, parts - 1);
      } else if (parts >= faults.size()) {
        return smallest;
      } else {
        parts *= 2;
      }
    }
    return smallest;
  }

  private RunConfig withoutOnePart(RunConfig from, int parts) {
    List<Fault> faults = faults(from);
    for (int part = 0; part < parts; part++) {
      int start = faults.size() * part / parts;
      int end = faults.size() * (part + 1) / parts;
      List<Fault> rest = new ArrayList<>(faults.subList(0, start));
      rest.addAll(faults.subList(end, faults.size()));
      RunConfig candidate = from.with(plan(from).with(rest), from.transactions());
      if (stillFails(candidate)) {
        return candidate;
      }
    }
    return null;
  }

  private boolean stillFails(RunConfig candidate) {
    if (runsLeft == 0) {
      return false;
    }
    runsLeft--;
    runs++;
    boolean failed = fails.test(candidate);
    if (failed) {
      progress.accept(
          faults(candidate).size()
              + " faults, "
              + candidate.transactions()
              + " transactions still fail");
    }
    return failed;
  }

  private static FaultPlan plan(RunConfig config) {
    return config.plan().orElseThrow();
  }

  private static List<Fault> faults(RunConfig config) {
    return plan(config).faults();
  }
}
