package dev.plumbline.history;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * <a href="https://github.com/jepsen-io/elle">Elle</a>, the black-box checker of the Jepsen
 * project, in a JVM of its own. It wants a JDK of version 21 or later, and a version after 0.2.7,
 * which may hang: the commit after it mends a deadlock.
 *
 * <p>Registers are judged without {@code :linearizable-keys?}: with it Elle calls valid histories
 * {@code cyclic-versions}. So it infers less; Knossos and the witness checker judge real time.
 */
public final class Elle extends BlackBox {
  private static final Pattern VERDICT =
      Pattern.compile("(?m)^plumb-elle (true|false|unknown|:unknown) ?(.*)$");

  private static final String EXPRESSION =
      "(require '[jepsen.history :as h] '[clojure.edn :as edn] '[clojure.java.io :as io])"
          + " (let [prop #(System/getProperty (str \"plumb.\" %))"
          + " check (requiring-resolve (symbol (str \"elle.\" (prop \"workload\")) \"check\"))"
          + " ops (with-open [r (java.io.PushbackReader. (io/reader (prop \"file\")))]"
          + " (vec (take-while some? (repeatedly #(edn/read {:eof nil} r)))))"
          + " result (check {:consistency-models [(keyword (prop \"model\"))]"
          + " :cycle-search-timeout 60000 :wfr-keys? true}"
          + " (h/history ops))]"
          + " (println (apply str \"plumb-elle \" (:valid? result) \" \""
          + " (interpose \" \" (map name (:anomaly-types result))))) (shutdown-agents)"
          + " (System/exit 0))";

  private final String classPath;
  private final String java;

  /**
   * Elle on a class path.
   *
   * @param classPath jars and source folders, Clojure among them
   * @param java the java program to run it with
   */
  public Elle(String classPath, String java) {
    super("elle");
    this.classPath = classPath;
    this.java = java;
  }

  @Override
  Judgement ask(Path file, DataModel workload, Model model, String subject, Path scratch)
      throws IOException {
    Said said =
        run(
            List.of(
                java,
                "-Xmx4g",
                "-Djava.awt.headless=true",
                "-Dplumb.file=" + file,
                "-Dplumb.workload=" + workload.word(),
                "-Dplumb.model=" + model.word(),
                "-cp",
                classPath,
                "clojure.main",
                "-e",
                EXPRESSION),
            scratch);
    Matcher verdict = VERDICT.matcher(said.out());
    if (said.exit() != 0 || !verdict.find()) {
      String first =
          said.err()
              .lines()
              .filter(line -> !line.isBlank())
              .reduce((a, b) -> a + " " + b)
              .orElse("");
      return failed(
          subject,
          "Elle failed with exit code "
              + said.exit()
              + ": "
              + first.substring(0, Math.min(300, first.length())));
    }
    List<Judgement.Anomaly> kinds =
        Arrays.stream(verdict.group(2).split(" "))
            .filter(kind -> !kind.isEmpty())
            .map(kind -> new Judgement.Anomaly(kind, "", List.of()))
            .toList();
    return judgement(subject, verdict.group(1), kinds);
  }
}
