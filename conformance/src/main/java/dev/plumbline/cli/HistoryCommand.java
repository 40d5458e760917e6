package dev.plumbline.cli;

import com.fasterxml.jackson.databind.ObjectMapper;
import dev.plumbline.history.DataModel;
import dev.plumbline.history.History;
import dev.plumbline.history.HistoryException;
import dev.plumbline.history.HistoryFiles;
import dev.plumbline.history.HistoryValidator;
import dev.plumbline.history.Judgement;
import dev.plumbline.history.Judgement.Outcome;
import dev.plumbline.history.Model;
import dev.plumbline.history.Printable;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code ./plumb history}: validates one history, has it judged, and joins the verdicts. */
@Command(
    name = "history",
    mixinStandardHelpOptions = true,
    description =
        "Judges one client history. It is validated first; then the witness checker replays the"
            + " serial order it claims, and the black-box checkers adya and Elle look at it without"
            + " that order. adya is installed with cargo on first use; Elle runs where PLUMB_ELLE"
            + " holds a class path with it (and PLUMB_ELLE_JAVA, if need be, a java of version 21"
            + " or later).",
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      "0:valid, and the required judges ran",
      "1:invalid: some judge objects, and those named by --require ran",
      "2:bad usage, or a broken history",
      "3:a judge that is needed could not run here",
      "4:unknown: no judge objects, but one cannot tell"
    })
public final class HistoryCommand implements Callable<Integer> {
  private static final int UNKNOWN = 4;

  @Spec private CommandSpec spec;

  @Parameters(paramLabel = "FILE", description = "Jepsen's EDN, or JSON lines (.json, .jsonl).")
  private Path file;

  @Option(
      names = "--model",
      paramLabel = "MODEL",
      defaultValue = "strict-serializable",
      description =
          "What it must satisfy: strict-serializable (default), serializable,"
              + " strong-session-serializable, snapshot-isolation,"
              + " strong-session-snapshot-isolation, repeatable-read, read-committed, read-atomic,"
              + " prefix, or snapshot-reads; of a history of sessions: session-guarantees (what each"
              + " operation asks for) or causal.")
  private String modelName;

  @Option(
      names = "--workload",
      paramLabel = "WORKLOAD",
      description = "list-append, rw-register or bank; told from the history if absent, but bank.")
  private String workloadName;

  @Option(
      names = "--require",
      paramLabel = "JUDGE",
      split = ",",
      description =
          "Judges that must have run: ${COMPLETION-CANDIDATES}. Default: at least one black-box"
              + " checker (elle or adya) where the workload and model allow one.",
      completionCandidates = Checkers.Requirable.class)
  private List<String> required = List.of();

  @Option(names = "--json", description = "One JSON object instead of a table.")
  private boolean json;

  @Override
  public Integer call() throws IOException {
    Model model = named(modelName, Model.values(), Model::word, "--model");
    for (String judge : required) {
      if (!Checkers.REQUIRABLE.contains(judge)) {
        throw new ParameterException(
            spec.commandLine(), "--require" + Checkers.wrong(judge, Checkers.REQUIRABLE));
      }
    }
    History history;
    DataModel workload;
    try {
      Path path = callersPath(file);
      if (!Files.isRegularFile(path)) {
        throw new ParameterException(
            spec.commandLine(),
            Files.isDirectory(path)
                ? file + " is a folder: name a history in it, such as " + file + "/history.edn"
                : Files.exists(path)
                    ? file + " is a pipe or a device: write the history to a file first"
                    : file + ": no such file");
      }
      history = HistoryFiles.read(path);
      workload =
          workloadName == null
              ? DataModel.of(history)
              : named(workloadName, DataModel.values(), DataModel::word, "--workload");
      HistoryValidator.validate(history, workload);
      boolean sessions = history.ops().stream().anyMatch(op -> op.visit() != null);
      if (sessions != model.ofOperations()) {
        throw new ParameterException(
            spec.commandLine(),
            model.word()
                + " judges histories of "
                + (sessions
                    ? "transactions, and this is one of sessions: use --model session-guarantees"
                    : "sessions, and no operation of this one names its session"));
      }
    } catch (HistoryException e) {
      PrintWriter err = spec.commandLine().getErr();
      e.problems().stream().map(Printable::text).forEach(err::println);
      err.println("plumb: the history is broken, so no verdict on it would mean anything");
      err.flush();
      return 2;
    }
    PrintWriter err = spec.commandLine().getErr();
    List<Judgement> judgements =
        Checkers.judge(history, workload, model, required, err).stream()
            .map(Checkers.Timed::judgement)
            .toList();
    Outcome verdict = Judgement.join(judgements);
    PrintWriter out = spec.commandLine().getOut();
    if (json) {
      out.println(
          new ObjectMapper().writeValueAsString(report(history, workload, model, judgements)));
    } else {
      print(out, history, workload, judgements, verdict);
    }
    out.flush();
    return exitCode(verdict, Checkers.missing(judgements, required, workload, model));
  }

  private int exitCode(Outcome verdict, String missing) {
    if (verdict == Outcome.INVALID && (missing == null || required.isEmpty())) {
      return 1;
    }
    if (missing != null) {
      PrintWriter err = spec.commandLine().getErr();
      err.println("plumb: " + missing);
      err.flush();
      return 3;
    }
    return verdict == Outcome.VALID ? 0 : UNKNOWN;
  }

  private static void print(
      PrintWriter out,
      History history,
      DataModel workload,
      List<Judgement> judgements,
      Outcome verdict) {
    out.printf(
        "%s: %s, %,d operations%n",
        Printable.text(history.source()), workload.word(), history.ops().size());
    int width = judgements.stream().mapToInt(j -> j.subject().length()).max().orElse(0);
    for (Judgement judgement : judgements) {
      String reason = judgement.reason().isEmpty() ? "" : ": " + Printable.text(judgement.reason());
      out.printf(
          "  %-8s %-" + width + "s  %s%s%n",
          judgement.judge(),
          judgement.subject(),
          judgement.outcome().word(),
          reason);
      for (Judgement.Anomaly anomaly : judgement.anomalies()) {
        out.println("    " + Printable.text(anomaly.kind()));
        Printable.text(anomaly.text()).lines().forEach(line -> out.println("      " + line));
      }
      if (judgement.count() > judgement.anomalies().size()) {
        out.printf("    … and %,d more%n", judgement.count() - judgement.anomalies().size());
      }
    }
    out.println("verdict: " + verdict.word());
  }

  private Map<String, Object> report(
      History history, DataModel workload, Model model, List<Judgement> judgements) {
    var report = new LinkedHashMap<String, Object>();
    report.put("history", history.source());
    report.put("model", model.word());
    report.put("workload", workload.word());
    report.put("operations", history.ops().size());
    report.put("verdict", Judgement.join(judgements).word());
    report.put(
        "judges",
        judgements.stream()
            .map(
                judgement -> {
                  var entry = new LinkedHashMap<String, Object>();
                  entry.put("judge", judgement.judge());
                  entry.put("subject", judgement.subject());
                  entry.put("verdict", judgement.outcome().word());
                  entry.put("reason", judgement.reason());
                  entry.put("anomalies", judgement.anomalies());
                  entry.put("anomalyCount", judgement.count());
                  return entry;
                })
            .toList());
    return report;
  }

  private <T> T named(
      String name, T[] values, java.util.function.Function<T, String> word, String option) {
    return Arrays.stream(values)
        .filter(value -> word.apply(value).equals(name))
        .findFirst()
        .orElseThrow(
            () ->
                new ParameterException(
                    spec.commandLine(),
                    option + Checkers.wrong(name, Arrays.stream(values).map(word).toList())));
  }

  private static Path callersPath(Path path) {
    return Path.of(System.getenv().getOrDefault("PLUMB_CALLER_DIR", ".")).resolve(path);
  }
}
