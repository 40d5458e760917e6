package dev.plumbline.sim;

import dev.plumbline.sim.Judge.Ruling;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.Consumer;

/** Runs and judges many seeds, a few at a time. */
public final class Campaign {
  private final List<Judge> judges;
  private final int threads;

  public Campaign(List<Judge> judges, int threads) {
    this.judges = List.copyOf(judges);
    this.threads = threads;
  }

  /**
   * One judged seed.
   *
   * @param judgements one for each judge, in their order
   */
  public record Report(RunConfig config, RunStats stats, List<Ruling> judgements) {

    /** Whether any judge found something wrong. */
    public boolean failed() {
      return judgements.stream().anyMatch(j -> j.verdict() == Judge.Verdict.FAILS);
    }
  }

  /** Runs and judges one configuration. */
  public Report report(RunConfig config) {
    return report(SimulationRun.of(config));
  }

  /** Judges a run. */
  public Report report(RunResult result) {
    return new Report(
        result.config(),
        result.stats(),
        judges.stream().map(judge -> judge.judge(result)).toList());
  }

  /** Runs all; {@code each} gets the reports in the order of {@code configs}, as they come. */
  public void run(List<RunConfig> configs, Consumer<Report> each) throws InterruptedException {
    ExecutorService pool = Executors.newFixedThreadPool(threads);
    try {
      List<Future<Report>> reports = new ArrayList<>();
      for (RunConfig config : configs) {
        reports.add(pool.submit(() -> report(config)));
      }
      for (int i = 0; i < reports.size(); i++) {
        each.accept(get(configs.get(i), reports.get(i)));
      }
    } finally {
      pool.shutdownNow();
    }
  }

  private static Report get(RunConfig config, Future<Report> report) throws InterruptedException {
    try {
      return report.get();
    } catch (ExecutionException e) {
      if (e.getCause() instanceof UncheckedIOException files) {
        throw files;
      }
      throw new IllegalStateException(
          "seed " + config.seed() + " broke the simulator", e.getCause());
    }
  }
}
