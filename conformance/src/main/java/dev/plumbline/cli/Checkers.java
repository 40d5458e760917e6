package dev.plumbline.cli;

import dev.plumbline.history.Adya;
import dev.plumbline.history.BankChecker;
import dev.plumbline.history.BlackBox;
import dev.plumbline.history.DataModel;
import dev.plumbline.history.Elle;
import dev.plumbline.history.History;
import dev.plumbline.history.Judgement;
import dev.plumbline.history.Judgement.Outcome;
import dev.plumbline.history.Knossos;
import dev.plumbline.history.Model;
import dev.plumbline.history.SessionChecker;
import dev.plumbline.history.WitnessChecker;
import dev.plumbline.protocol.Near;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import java.util.stream.Collectors;

/** All checkers of histories that can be had here. */
final class Checkers {
  /** Any judge that is no black box. */
  private static final String OWN = "own";

  /** Judges that {@code --require} may name. */
  static final List<String> REQUIRABLE =
      List.of("elle", "adya", "knossos", "witness", "session", OWN);

  /** What is said of a name that an option does not take. */
  static String wrong(String name, List<String> known) {
    return " is no \""
        + name
        + "\""
        + Near.hint(name, known)
        + " it is one of "
        + String.join(", ", known);
  }

  /** {@link #REQUIRABLE}, for help and shells. */
  static final class Requirable extends ArrayList<String> {
    private static final long serialVersionUID = 1L;

    Requirable() {
      super(REQUIRABLE);
    }
  }

  private static final List<String> BLACK_BOXES = List.of("elle", "adya", "knossos");

  /** A judgement and how many seconds it took. */
  record Timed(Judgement judgement, double seconds) {}

  private Checkers() {}

  /**
   * Everyone's judgement of a history that was validated; those who cannot run say why.
   *
   * @param required judges that have to run; others are not installed for it
   */
  static List<Timed> judge(
      History history, DataModel workload, Model model, List<String> required, PrintWriter err) {
    if (model.ofOperations()) {
      return timed(() -> SessionChecker.check(history, model));
    }
    List<Timed> judgements = new ArrayList<>();
    judgements.addAll(timed(() -> List.of(WitnessChecker.check(history, workload, model))));
    if (workload == DataModel.BANK) {
      judgements.addAll(timed(() -> List.of(BankChecker.check(history))));
    }
    judgements.addAll(timed(() -> adya(history, workload, model, required, err)));
    judgements.addAll(timed(() -> elle(history, workload, model)));
    judgements.addAll(timed(() -> knossos(history, workload, model)));
    return judgements;
  }

  /** Judgements that were made together, each with the time that they took. */
  static List<Timed> timed(Supplier<List<Judgement>> judge) {
    long begin = System.nanoTime();
    List<Judgement> made = judge.get();
    double seconds = (System.nanoTime() - begin) / 1e9;
    return made.stream().map(judgement -> new Timed(judgement, seconds)).toList();
  }

  /** One judge that knows nothing of the claimed order; if it cannot run, it says why. */
  static List<Judgement> blackBox(
      String name, History history, DataModel workload, Model model, PrintWriter err) {
    return name.equals("elle")
        ? elle(history, workload, model)
        : adya(history, workload, model, List.of(name), err);
  }

  private static List<Judgement> adya(
      History history, DataModel workload, Model model, List<String> required, PrintWriter err) {
    String refusal = BlackBox.refusal(workload, model);
    if (refusal != null) {
      return List.of(notRun("adya", model, refusal));
    }
    String root = System.getenv("PLUMB_ROOT");
    if (root == null) {
      return List.of(notRun("adya", model, "its place is known only to the launcher ./plumb"));
    }
    Path cache = Path.of(root, ".plumb");
    Adya adya = Adya.in(cache);
    if (adya == null && !required.isEmpty() && !required.contains("adya")) {
      return List.of(notRun("adya", model, "not installed, and not among those required"));
    } else if (adya == null) {
      try {
        adya = installed(cache, err);
      } catch (IOException e) {
        return List.of(
            notRun(
                "adya",
                model,
                "needs a Rust toolchain (Debian: apt-get install cargo): " + e.getMessage()));
      }
    }
    return asked(adya, "adya", history, workload, model);
  }

  /** Histories are judged on several threads, and one of them installs it. */
  private static synchronized Adya installed(Path cache, PrintWriter err) throws IOException {
    Adya there = Adya.in(cache);
    if (there == null) {
      err.println("plumb: installing adya " + Adya.VERSION + " with cargo (once, about a minute)");
      err.flush();
      there = Adya.install(cache);
    }
    return there;
  }

  private static List<Judgement> elle(History history, DataModel workload, Model model) {
    String refusal = BlackBox.refusal(workload, model);
    if (refusal == null) {
      refusal = withoutClassPath("Elle");
    }
    return refusal == null
        ? asked(new Elle(classPath(), java()), "elle", history, workload, model)
        : List.of(notRun("elle", model, refusal));
  }

  /** Nothing where Knossos is the wrong judge: that needs no mention. */
  private static List<Judgement> knossos(History history, DataModel workload, Model model) {
    if (Knossos.refusal(history, workload, model) != null) {
      return List.of();
    }
    String refusal = withoutClassPath("Knossos");
    return refusal == null
        ? asked(new Knossos(classPath(), java()), "knossos", history, workload, model)
        : List.of(notRun("knossos", model, refusal));
  }

  private static String withoutClassPath(String checker) {
    String path = classPath();
    return path == null || path.isBlank()
        ? checker
            + " is not on the class path; set PLUMB_ELLE to a class path with Elle, Knossos and"
            + " Clojure"
        : null;
  }

  private static String classPath() {
    return System.getenv("PLUMB_ELLE");
  }

  private static String java() {
    return System.getenv()
        .getOrDefault(
            "PLUMB_ELLE_JAVA", Path.of(System.getProperty("java.home"), "bin", "java").toString());
  }

  private static List<Judgement> asked(
      BlackBox checker, String name, History history, DataModel workload, Model model) {
    try {
      return checker.check(history, workload, model);
    } catch (IOException e) {
      return List.of(notRun(name, model, e.getMessage()));
    }
  }

  private static Judgement notRun(String judge, Model model, String reason) {
    return new Judgement(judge, model.word(), Outcome.NOT_RUN, reason, List.of(), 0);
  }

  /** Judges that had to run and did not, in words, or null. */
  static String missing(
      List<Judgement> judgements, List<String> required, DataModel workload, Model model) {
    List<String> ran =
        judgements.stream()
            .filter(judgement -> judgement.outcome() != Outcome.NOT_RUN)
            .map(Judgement::judge)
            .toList();
    if (required.isEmpty()) {
      boolean needed = BlackBox.refusal(workload, model) == null;
      return needed && ran.stream().noneMatch(BLACK_BOXES::contains)
          ? "no black-box checker ran; --require witness accepts the witness checker alone"
          : ran.isEmpty() ? "no judge ran" : null;
    }
    String absent =
        required.stream()
            .filter(
                judge -> judge.equals(OWN) ? BLACK_BOXES.containsAll(ran) : !ran.contains(judge))
            .collect(Collectors.joining(", "));
    return absent.isEmpty() ? null : "required, but not run: " + absent;
  }
}
