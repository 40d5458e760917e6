package dev.plumbline.sim;

import dev.plumbline.protocol.FaultKind;
import dev.plumbline.sim.toy.ToySystem;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.EnumSet;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/** Measures simulated steps a second, tracing off and on. Run by hand; prints a line each. */
final class SimulationBenchmark {
  private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

  private SimulationBenchmark() {}

  public static void main(String[] args) {
    for (int round = 0; round < 3; round++) {
      measure(false);
      measure(true);
    }
  }

  private static void measure(boolean traced) {
    RunConfig config =
        new RunConfig(
            new ToySystem(),
            1,
            100_000,
            "rw-register",
            EnumSet.complementOf(EnumSet.of(FaultKind.CRASH, FaultKind.FAILOVER)),
            Set.of(),
            new TreeSet<>(),
            new TreeMap<>(),
            Optional.empty(),
            Optional.empty(),
            traced);
    long start = System.nanoTime();
    long startCpu = THREADS.getCurrentThreadCpuTime();
    RunResult result = SimulationRun.of(config);
    double seconds = (System.nanoTime() - start) / 1e9;
    double busy = (THREADS.getCurrentThreadCpuTime() - startCpu) / 1e9;
    System.out.printf(
        Locale.ROOT,
        "tracing %-3s  %,9d steps: %,9.0f a second, %,9.0f a CPU second%n",
        traced ? "on" : "off",
        result.stats().steps(),
        result.stats().steps() / seconds,
        result.stats().steps() / busy);
  }
}
