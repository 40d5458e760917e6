package dev.plumbline.sim;

import dev.plumbline.history.BankChecker;
import dev.plumbline.history.DataModel;
import dev.plumbline.history.HistoryException;
import dev.plumbline.history.HistoryValidator;
import dev.plumbline.history.Model;
import dev.plumbline.history.Op;
import dev.plumbline.history.ReadMode;
import dev.plumbline.history.SessionChecker;
import dev.plumbline.history.WitnessChecker;
import dev.plumbline.protocol.HistoryJudge;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * Judges what clients saw: well formed; strictly serializable in the order that the system claims,
 * linearizable reads at replicas included; snapshot reads exact; the bank's total constant.
 */
final class HistoryJudges {
  private HistoryJudges() {}

  static List<Judge> all() {
    return List.of(
        judge("history well formed", HistoryJudges::wellFormed),
        judge(
            "strict serializability",
            result ->
                result.config().protocol().model() == Model.STRICT_SERIALIZABLE
                    ? checked(result, model(result, Model.STRICT_SERIALIZABLE))
                    : notRun(result.config().protocol().name() + " does not promise it")),
        judge(
            "snapshot reads",
            result ->
                result.history().ops().stream().anyMatch(HistoryJudges::snapshotRead)
                    ? checked(result, model(result, Model.SNAPSHOT_READS))
                    : notRun("no snapshot read completed")),
        new BankJudge());
  }

  /** Judges a promise other than strict serializability. */
  static List<Judge> of(Model model) {
    return model.ofOperations()
        ? SessionChecker.SUBJECTS.stream().map(subject -> session(subject, model)).toList()
        : List.of(judge(model.word(), result -> checked(result, model(result, model))));
  }

  /** Judges one guarantee of sessions. */
  private static Judge session(String subject, Model model) {
    return judge(
        subject,
        result ->
            checked(
                result,
                () ->
                    SessionChecker.check(result.history(), model).stream()
                        .filter(judgement -> judgement.subject().equals(subject))
                        .findFirst()
                        .orElseThrow()));
  }

  /** Judges what only one protocol promises. */
  static Judge of(HistoryJudge judge) {
    return judge(
        judge.name(),
        result -> checked(result, () -> judge.judge(result.history(), result.config().settings())));
  }

  /** Judges runs of transfers alone. */
  private static final class BankJudge implements Judge {
    @Override
    public String name() {
      return "bank total";
    }

    @Override
    public boolean judges(String workload) {
      return dev.plumbline.sim.Workload.named(workload).model() == DataModel.BANK;
    }

    @Override
    public Ruling judge(RunResult result) {
      Finding found =
          judges(result.config().workload())
              ? checked(result, () -> BankChecker.check(result.history()))
              : notRun("another workload");
      return new Ruling(name(), found.verdict(), found.detail());
    }
  }

  /** A verdict and its detail. */
  private record Finding(Judge.Verdict verdict, String detail) {}

  private static Finding notRun(String why) {
    return new Finding(Judge.Verdict.NOT_RUN, why);
  }

  private static Judge judge(String name, Function<RunResult, Finding> finding) {
    return new Judge() {
      @Override
      public String name() {
        return name;
      }

      @Override
      public Ruling judge(RunResult result) {
        Finding found = finding.apply(result);
        return new Ruling(name, found.verdict(), found.detail());
      }
    };
  }

  private static DataModel workload(RunResult result) {
    return dev.plumbline.sim.Workload.named(result.config().workload()).model();
  }

  private static boolean snapshotRead(Op op) {
    return op.type() == Op.Type.OK && op.read() == ReadMode.SNAPSHOT;
  }

  private static Optional<String> malformed(RunResult result) {
    try {
      HistoryValidator.validate(result.history(), workload(result));
      return Optional.empty();
    } catch (HistoryException e) {
      return Optional.of(e.getMessage());
    }
  }

  private static Finding wellFormed(RunResult result) {
    return malformed(result)
        .map(problems -> new Finding(Judge.Verdict.FAILS, problems))
        .orElse(new Finding(Judge.Verdict.HOLDS, ""));
  }

  private static java.util.function.Supplier<dev.plumbline.history.Judgement> model(
      RunResult result, Model model) {
    return () -> WitnessChecker.check(result.history(), workload(result), model);
  }

  private static Finding checked(
      RunResult result, java.util.function.Supplier<dev.plumbline.history.Judgement> check) {
    if (malformed(result).isPresent()) {
      return notRun("the history is broken");
    }
    dev.plumbline.history.Judgement judgement = check.get();
    return switch (judgement.outcome()) {
      case VALID -> new Finding(Judge.Verdict.HOLDS, "");
      case INVALID ->
          new Finding(
              Judge.Verdict.FAILS,
              judgement.anomalies().stream()
                  .map(anomaly -> anomaly.kind() + ": " + anomaly.text())
                  .collect(Collectors.joining("\n")));
      case UNKNOWN -> new Finding(Judge.Verdict.UNKNOWN, judgement.reason());
      case NOT_RUN -> notRun(judgement.reason());
    };
  }
}
