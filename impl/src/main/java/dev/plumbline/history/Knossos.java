package dev.plumbline.history;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * <a href="https://github.com/jepsen-io/knossos">Knossos</a>, the Jepsen project's checker of
 * linearizability, in a JVM of its own. It sees registers one at a time: every transaction of the
 * history is one operation on one of them.
 */
public final class Knossos extends BlackBox {
  private static final Pattern VERDICT =
      Pattern.compile("(?m)^plumb-knossos (true|false|:?unknown) ?(.*)$");

  /** A register that was never written holds :none, since Knossos lets a read of nil be any. */
  private static final String EXPRESSION =
      "(require '[knossos.competition :as c] '[knossos.model :as m]"
          + " '[clojure.edn :as edn] '[clojure.java.io :as io])"
          + " (let [ops (with-open [r (java.io.PushbackReader."
          + " (io/reader (System/getProperty \"plumb.file\")))]"
          + " (vec (take-while some? (repeatedly #(edn/read {:eof nil} r)))))"
          + " one (fn [{[[f k v]] :value t :type :as op}]"
          + " (assoc (select-keys op [:process :type :time]) :f ({:r :read :w :write} f) :key k"
          + " :value (if (and (= f :r) (= t :ok) (nil? v)) :none v)))"
          + " by-key (sort-by key (group-by :key (map one ops)))"
          + " results (for [[k os] by-key] [k (:valid? (c/analysis (m/register :none)"
          + " (vec (map-indexed #(assoc (dissoc %2 :key) :index %1) os)) {:time-limit 60000}))])"
          + " bad (map first (remove (comp true? second) results))"
          + " verdict (cond (some (comp false? second) results) false (seq bad) :unknown :else true)]"
          + " (println (apply str \"plumb-knossos \" verdict \" \" (interpose \" \" bad)))"
          + " (flush) (System/exit 0))";

  private final String classPath;
  private final String java;

  /**
   * Knossos on a class path.
   *
   * @param classPath jars and source folders, Clojure among them
   * @param java the java program to run it with
   */
  public Knossos(String classPath, String java) {
    super("knossos");
    this.classPath = classPath;
    this.java = java;
  }

  /** Why Knossos cannot be asked about this history, or null. */
  public static String refusal(History history, DataModel workload, Model model) {
    boolean single = history.ops().stream().allMatch(op -> op.nemesis() || op.value().size() == 1);
    if (workload != DataModel.RW_REGISTER || !single) {
      return "judges registers, one operation a transaction";
    }
    return model == Model.STRICT_SERIALIZABLE ? null : "judges linearizability";
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
                "-cp",
                classPath,
                "clojure.main",
                "-e",
                EXPRESSION),
            scratch);
    Matcher verdict = VERDICT.matcher(said.out());
    if (said.exit() != 0 || !verdict.find()) {
      return failed(
          subject,
          "Knossos failed with exit code "
              + said.exit()
              + ": "
              + said.err().lines().filter(line -> !line.isBlank()).findFirst().orElse(""));
    }
    List<Judgement.Anomaly> keys =
        verdict.group(2).isEmpty()
            ? List.of()
            : List.of(
                new Judgement.Anomaly(
                    "not linearizable", "registers " + verdict.group(2), List.of()));
    return judgement("linearizable registers", verdict.group(1), keys);
  }
}
