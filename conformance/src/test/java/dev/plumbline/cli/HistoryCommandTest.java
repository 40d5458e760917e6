package dev.plumbline.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** Exit codes and output. Without the launcher, adya and Elle are not to be had. */
class HistoryCommandTest {
  private static final String GOOD =
      """
      {:index 0 :type :invoke :process 0 :time 0 :f :txn :value [[:append 1 1]]}
      {:index 1 :type :ok :process 0 :time 1 :f :txn :value [[:append 1 1]] :ts [1]}
      {:index 2 :type :invoke :process 1 :time 2 :f :txn :value [[:r 1 nil]]}
      {:index 3 :type :ok :process 1 :time 3 :f :txn :value [[:r 1 [1]]] :ts [2]}
      """;

  @TempDir Path directory;
  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  private int run(String history, String... options) throws Exception {
    Path file = directory.resolve("h.edn");
    Files.writeString(file, history);
    var args = new java.util.ArrayList<String>(java.util.List.of(options));
    args.add(file.toString());
    return execute(args.toArray(String[]::new));
  }

  private int execute(String... args) {
    return new CommandLine(new HistoryCommand())
        .setOut(new PrintWriter(out))
        .setErr(new PrintWriter(err))
        .execute(args);
  }

  @Test
  void validWhereTheWitnessCheckerSuffices() throws Exception {
    assertThat(run(GOOD, "--require", "witness")).isZero();
    assertThat(run(GOOD, "--require", "own")).isZero();
    assertThat(out.toString())
        .contains("witness  strict-serializable, in the claimed order  valid")
        .contains("not run: ")
        .contains("verdict: valid");
  }

  @Test
  void needsABlackBoxChecker() throws Exception {
    assertThat(run(GOOD)).isEqualTo(3);
    assertThat(err.toString()).contains("no black-box checker ran");
    assertThat(run(GOOD, "--require", "elle")).isEqualTo(3);
    assertThat(err.toString()).contains("required, but not run: elle");
  }

  @Test
  void invalidNamesTheOperationAndWhatWasExpected() throws Exception {
    assertThat(run(GOOD.replace("[:r 1 [1]]", "[:r 1 []]"))).isEqualTo(1);
    assertThat(out.toString())
        .contains("stale read")
        .contains("operation 3")
        .contains("read key 1 as [], but at its place in the claimed order the key holds [1]");
  }

  @Test
  void unknownIsNotValid() throws Exception {
    assertThat(run(GOOD.replace(" :ts [2]", ""), "--require", "witness")).isEqualTo(4);
    assertThat(out.toString()).contains("verdict: unknown");
  }

  @Test
  void brokenHistoriesAndOptionsAreBadInput() throws Exception {
    assertThat(run(GOOD.replace(":index 3", ":index 1"))).isEqualTo(2);
    assertThat(err.toString()).contains("h.edn:4: index 1 does not rise above 2");
    assertThat(run(GOOD, "--model", "nothing")).isEqualTo(2);
    assertThat(err.toString())
        .contains("--model is no \"nothing\"; it is one of strict-serializable");
    assertThat(run(GOOD, "--model", "strict-serialisable")).isEqualTo(2);
    assertThat(err.toString()).contains("did you mean strict-serializable? it is one of");
    assertThat(run(GOOD, "--model", "causal")).isEqualTo(2);
    assertThat(err.toString()).contains("no operation of this one names its session");
    assertThat(run(GOOD, "--require", "witnes")).isEqualTo(2);
    assertThat(err.toString()).contains("--require is no \"witnes\", did you mean witness? it is");
    assertThat(execute(directory.toString())).isEqualTo(2);
    assertThat(err.toString()).contains("is a folder: name a history in it");
    assertThat(run(GOOD, "--help")).isZero();
    assertThat(out.toString().replaceAll("\\s+", " "))
        .contains(String.join(", ", Checkers.REQUIRABLE));
  }

  @Test
  void whatAHistorySaysDoesNotSteerTheTerminal() throws Exception {
    String asks = ":session \"s\\u001b[2J\" :node \"n\u001b]0;x\u0007\u202e\u009b\" :asks [:ryw]";
    String history =
        """
        {:index 0 :type :invoke :process 0 :time 0 :f :write :value [[:w 1 7]] ASKS}
        {:index 1 :type :ok :process 0 :time 0 :f :write :value [[:w 1 7]] :ts [1] ASKS}
        {:index 2 :type :invoke :process 0 :time 0 :f :read :value [[:r 1 nil]] ASKS}
        {:index 3 :type :ok :process 0 :time 0 :f :read :value [[:r 1 nil]] ASKS}
        """
            .replace("ASKS", asks);
    assertThat(run(history, "--model", "session-guarantees")).isEqualTo(1);
    assertThat(run(history.replace(":index 3", ":index 1"), "--model", "session-guarantees"))
        .isEqualTo(2);
    assertThat(out.toString()).contains("n\\u001b]0;x\\u0007\\u202e\\u009b", "s\\u001b[2J");
    assertThat(out.toString() + err)
        .doesNotContainPattern("[\\p{Cntrl}\\x{80}-\\x{9f}\\x{202e}&&[^\\n]]");
  }

  @Test
  void sessionsAreJudgedByWhatTheyAskFor() throws Exception {
    String asks = ":session \"s\" :node \"n\" :asks [:ryw]";
    String history =
        """
        {:index 0 :type :invoke :process 0 :time 0 :f :write :value [[:w 1 7]] ASKS}
        {:index 1 :type :ok :process 0 :time 0 :f :write :value [[:w 1 7]] :ts [1] ASKS}
        {:index 2 :type :invoke :process 0 :time 0 :f :read :value [[:r 1 nil]] ASKS}
        {:index 3 :type :ok :process 0 :time 0 :f :read :value [[:r 1 7]] ASKS}
        """
            .replace("ASKS", asks);
    assertThat(run(history, "--model", "session-guarantees")).isZero();
    assertThat(run(history, "--model", "session-guarantees", "--require", "own")).isZero();
    String nothing = history.replace(":asks [:ryw]", ":asks []");
    assertThat(run(nothing, "--model", "session-guarantees", "--require", "own")).isEqualTo(3);
    assertThat(err.toString()).contains("required, but not run: own");
    assertThat(run(history.replace("[:r 1 7]", "[:r 1 nil]"), "--model", "session-guarantees"))
        .isEqualTo(1);
    assertThat(out.toString()).contains("is not shown operation 1");
    assertThat(run(history)).isEqualTo(2);
    assertThat(err.toString()).contains("use --model session-guarantees");
  }

  @Test
  void snapshotReadsNeedNoBlackBoxChecker() throws Exception {
    String snapshot =
        GOOD.replace("[:r 1 nil]]", "[:r 1 nil]] :read :snapshot :at [1]")
            .replace(":ts [2]", ":read :snapshot :at [1]");
    assertThat(run(snapshot, "--model", "snapshot-reads")).isZero();
    assertThat(run(snapshot.replace("[:r 1 [1]]", "[:r 1 []]"), "--model", "snapshot-reads"))
        .isEqualTo(1);
  }

  @Test
  void jsonSaysWhichJudgesRan() throws Exception {
    run(GOOD, "--json");
    var report = new ObjectMapper().readTree(out.toString());
    assertThat(report.get("verdict").asText()).isEqualTo("valid");
    assertThat(report.get("judges")).hasSize(3);
    assertThat(report.get("judges").get(1).get("verdict").asText()).isEqualTo("not run");
  }
}
