package dev.plumbline.sim;

import dev.plumbline.history.BankChecker;
import dev.plumbline.history.DataModel;
import dev.plumbline.history.HistoryException;
import dev.plumbline.history.HistoryValidator;
import dev.plumbline.history.Judgement;
import dev.plumbline.history.Model;
import dev.plumbline.history.Op;
import dev.plumbline.history.ReadMode;
import dev.plumbline.history.SessionChecker;
import dev.plumbline.history.WitnessChecker;
import dev.plumbline.protocol.HistoryChecker;
import dev.plumbline.protocol.ProtocolSystem;
import dev.plumbline.protocol.Services;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Collectors;

/**
 * The judges of every simulated run: the simulator's own, the history's, and those on the class
 * path.
 */
public final class Judges {
  private static final String STRICT = "strict serializability";

  private Judges() {}

  /** The simulator's own and the history's first, the others as {@link Services} finds them. */
  public static List<Judge> all() {
    List<Judge> judges = new ArrayList<>();
    judges.add(new Invariants());
    judges.addAll(ofHistories());
    judges.addAll(Services.all(Judge.class));
    return judges;
  }

  /** The same, and what judges only this protocol's promises. */
  public static List<Judge> all(ProtocolSystem protocol) {
    List<Judge> judges = all();
    if (protocol.model() != Model.STRICT_SERIALIZABLE) {
      judges.addAll(of(protocol.model()));
    }
    protocol.checkers().forEach(checker -> judges.add(of(checker)));
    return judges;
  }

  /**
   * Who says whether transactions keep what this protocol promises; empty where it has sessions.
   */
  public static Optional<String> ofPromise(ProtocolSystem protocol) {
    Model model = protocol.model();
    return model.ofOperations()
        ? Optional.empty()
        : Optional.of(model == Model.STRICT_SERIALIZABLE ? STRICT : model.word());
  }

  /**
   * Judges of what clients saw: well formed; strictly serializable in the order that the system
   * claims, linearizable reads at replicas included; snapshot reads exact; the bank's total
   * constant.
   */
  private static List<Judge> ofHistories() {
    return List.of(
        judge("history well formed", Judges::wellFormed),
        judge(
            STRICT,
            result ->
                result.config().protocol().model() == Model.STRICT_SERIALIZABLE
                    ? checked(result, model(result, Model.STRICT_SERIALIZABLE))
                    : notRun(result.config().protocol().name() + " does not promise it")),
        judge(
            "snapshot reads",
            result ->
                result.history().ops().stream().anyMatch(Judges::snapshotRead)
                    ? checked(result, model(result, Model.SNAPSHOT_READS))
                    : notRun("no snapshot read completed")),
        new BankJudge());
  }

  /** Judges a promise other than strict serializability. */
  private static List<Judge> of(Model model) {
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
  private static Judge of(HistoryChecker checker) {
    return judge(
        checker.name(),
        result ->
            checked(result, () -> checker.check(result.history(), result.config().settings())));
  }

  /** Judges runs of transfers alone. */
  private static final class BankJudge implements Judge {
    @Override
    public String name() {
      return "bank total";
    }

    @Override
    public boolean judges(String workload) {
      return Workload.named(workload).model() == DataModel.BANK;
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
    return Workload.named(result.config().workload()).model();
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

  private static Supplier<Judgement> model(RunResult result, Model model) {
    return () -> WitnessChecker.check(result.history(), workload(result), model);
  }

  private static Finding checked(RunResult result, Supplier<Judgement> check) {
    if (malformed(result).isPresent()) {
      return notRun("the history is broken");
    }
    Judgement judgement = check.get();
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
