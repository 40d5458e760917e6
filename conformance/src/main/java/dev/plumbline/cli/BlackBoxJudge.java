package dev.plumbline.cli;

import dev.plumbline.history.DataModel;
import dev.plumbline.history.Judgement.Outcome;
import dev.plumbline.sim.Judge;
import dev.plumbline.sim.RunResult;
import dev.plumbline.sim.Workload;
import java.io.PrintWriter;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * Judges a simulated history without the order that the system claims.
 *
 * @param name adya or elle
 * @param err where it is said that one is installed
 */
record BlackBoxJudge(String name, PrintWriter err) implements Judge {
  static final List<String> NAMES = List.of("adya", "elle");

  /** What is said of a history that is judged in two ways: the first of these that was found. */
  private static final List<Map.Entry<Outcome, Verdict>> WORST =
      List.of(
          Map.entry(Outcome.INVALID, Verdict.FAILS),
          Map.entry(Outcome.UNKNOWN, Verdict.UNKNOWN),
          Map.entry(Outcome.NOT_RUN, Verdict.NOT_RUN));

  /** Those that may be at hand. */
  static List<Judge> all(PrintWriter err) {
    return NAMES.stream().map(name -> (Judge) new BlackBoxJudge(name, err)).toList();
  }

  @Override
  public Ruling judge(RunResult result) {
    DataModel workload = Workload.named(result.config().workload()).model();
    var said =
        Checkers.blackBox(
            name, result.history(), workload, result.config().protocol().model(), err);
    for (Map.Entry<Outcome, Verdict> worst : WORST) {
      String why =
          said.stream()
              .filter(judgement -> judgement.outcome() == worst.getKey())
              .map(j -> j.subject() + ": " + (j.count() == 0 ? j.reason() : j.anomalies()))
              .collect(Collectors.joining("\n"));
      if (!why.isEmpty()) {
        return new Ruling(name, worst.getValue(), why);
      }
    }
    return new Ruling(name, Verdict.HOLDS, "");
  }
}
