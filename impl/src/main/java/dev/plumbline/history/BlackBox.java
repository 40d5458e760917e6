package dev.plumbline.history;

import dev.plumbline.history.Judgement.Outcome;
import dev.plumbline.scratch.Companion;
import dev.plumbline.scratch.Scratch;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * A checker outside this JVM that knows nothing of the claimed order. It is only ever shown
 * histories that {@link HistoryValidator} accepted.
 */
public abstract class BlackBox {
  private static final long MAX_MINUTES = 30;

  private final String name;

  BlackBox(String name) {
    this.name = name;
  }

  /** What the other program said: its exit code and both outputs. */
  record Said(int exit, String out, String err) {}

  /** The program's judgement of a history written to a file as EDN. */
  abstract Judgement ask(Path file, DataModel workload, Model model, String subject, Path scratch)
      throws IOException;

  /**
   * Judges a history. Snapshot reads promise no real-time order, so under a model that asks for one
   * they are left out, and the whole history is judged once more without real time.
   */
  public final List<Judgement> check(History history, DataModel workload, Model model)
      throws IOException {
    String refusal = refusal(workload, model);
    if (refusal != null) {
      return List.of(Judgement.notRun(name, model.word(), refusal));
    }
    boolean split =
        (model.realTime() || model.sessions())
            && history.ops().stream().anyMatch(op -> op.read() == ReadMode.SNAPSHOT);
    if (!split) {
      return List.of(ask(history, workload, model, model.word()));
    }
    Model timeless =
        model == Model.STRONG_SESSION_SNAPSHOT_ISOLATION
            ? Model.SNAPSHOT_ISOLATION
            : Model.SERIALIZABLE;
    return List.of(
        ask(
            history.withoutSnapshotReads(),
            workload,
            model,
            model.word() + ", without snapshot reads"),
        ask(history, workload, timeless, timeless.word() + ", with snapshot reads"));
  }

  /** Why no black-box checker can be asked this, or null. */
  public static String refusal(DataModel workload, Model model) {
    if (workload == DataModel.BANK) {
      return "values repeat in a bank, so nothing can be inferred from them; see totals";
    }
    if (model.ofOperations()) {
      return "it forbids nothing under the name of a session guarantee";
    }
    if (model == Model.SNAPSHOT_READS) {
      return "only the claimed order tells what a snapshot at a timestamp holds";
    }
    return null;
  }

  private Judgement ask(History history, DataModel workload, Model model, String subject)
      throws IOException {
    Path scratch = Scratch.folder("history");
    try {
      Path file = scratch.resolve("history.edn");
      try (var writer = new HistoryFiles.Writer(file)) {
        for (Op op : history.ops()) {
          if (!op.nemesis()) {
            writer.write(plain(op, workload));
          }
        }
      }
      return ask(file, workload, model, subject, scratch);
    } finally {
      Scratch.delete(scratch);
    }
  }

  /** The operation in Jepsen's own fields; an empty list is written as one, not as nil. */
  private static Op plain(Op op, DataModel workload) {
    List<ObservedMicroOp> value = op.value();
    if (op.type() == Op.Type.OK && workload == DataModel.LIST_APPEND) {
      value =
          value.stream()
              .map(
                  micro ->
                      micro instanceof ObservedMicroOp.Read read && read.result() == null
                          ? new ObservedMicroOp.Read(read.key(), List.of())
                          : micro)
              .toList();
    }
    return new Op(
        op.index(), op.type(), op.process(), op.time(), op.f(), value, null, null, null, null);
  }

  static Said run(List<String> command, Path scratch) throws IOException {
    Path out = scratch.resolve("out");
    Path err = scratch.resolve("err");
    Process process =
        new ProcessBuilder(command)
            .redirectOutput(out.toFile())
            .redirectError(err.toFile())
            .redirectInput(ProcessBuilder.Redirect.from(new java.io.File("/dev/null")))
            .start();
    try (Companion ends = new Companion(process)) {
      if (!process.waitFor(MAX_MINUTES, TimeUnit.MINUTES)) {
        throw new IOException(
            command.get(0) + " gave no answer within " + MAX_MINUTES + " minutes");
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted while waiting for " + command.get(0), e);
    }
    return new Said(
        process.exitValue(),
        Files.readString(out, StandardCharsets.UTF_8),
        Files.readString(err, StandardCharsets.UTF_8));
  }

  /** A checker that broke down has not accepted anything. */
  final Judgement failed(String subject, String reason) {
    return new Judgement(name, subject, Outcome.UNKNOWN, reason, List.of(), 0);
  }

  final Judgement judgement(String subject, String valid, List<Judgement.Anomaly> anomalies) {
    Outcome outcome =
        switch (valid) {
          case "true" -> Outcome.VALID;
          case "false" -> Outcome.INVALID;
          default -> Outcome.UNKNOWN;
        };
    var kinds = new ArrayList<String>();
    anomalies.forEach(anomaly -> kinds.add(anomaly.kind()));
    String reason =
        outcome == Outcome.UNKNOWN ? String.join(", ", kinds.stream().distinct().toList()) : "";
    return new Judgement(
        name,
        subject,
        outcome,
        reason,
        outcome == Outcome.VALID ? List.of() : anomalies.stream().limit(Judgement.SHOWN).toList(),
        outcome == Outcome.VALID ? 0 : anomalies.size());
  }
}
