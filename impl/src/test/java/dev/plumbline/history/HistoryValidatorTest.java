package dev.plumbline.history;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Each rule has a history that breaks it, and no other rule. */
class HistoryValidatorTest {
  @TempDir Path directory;

  /** Operations as {@code TYPE PROCESS VALUE MORE}, separated by semicolons. */
  private History history(String lines) throws Exception {
    var text = new StringBuilder();
    int index = 0;
    for (String line : lines.split(";")) {
      String[] parts = line.strip().split(" ", 3);
      text.append("{:type :%s :process %s :value %s".formatted((Object[]) parts));
      for (String field : new String[] {":index " + index, ":time " + index, ":f :txn"}) {
        if (!line.contains(field.substring(0, field.indexOf(' ') + 1))) {
          text.append(' ').append(field);
        }
      }
      text.append("}\n");
      index++;
    }
    Path file = directory.resolve("h.edn");
    Files.writeString(file, text);
    return HistoryFiles.read(file);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "invoke 0 [[:append 1 1]]|1|never completes",
        "ok 0 [[:append 1 1]]|1|no transaction open",
        "invoke 0 [[:r 1 nil]]; ok 0 [[:r 1 []]]; ok 0 [[:r 1 []]]|3|no transaction open",
        "invoke 0 [[:r 1 nil]]; invoke 0 [[:r 1 nil]]; ok 0 [[:r 1 []]]|2|invokes while",
        "invoke 0 [[:append 1 1]]; info 0 [[:append 1 1]]; invoke 0 [[:r 1 nil]]; ok 0 [[:r 1 []]]|3|goes on after info",
        "invoke 0 [[:append 1 1]]; ok 0 [[:append 1 1]]; invoke 0 [[:append 1 1]]; ok 0 [[:append 1 1]]|3|already written",
        "invoke 0 [[:append 1 1] [:append 1 1]]; ok 0 [[:append 1 1] [:append 1 1]]|1|already written",
        "invoke 0 [[:append 1 1]]; fail 0 [[:append 1 1]]; invoke 0 [[:append 1 1]]; ok 0 [[:append 1 1]]|3|already written",
        "invoke 0 [[:append 1 1]]; ok 0 [[:append 1 2]]|2|of its invocation",
        "invoke 0 [[:append 1 1] [:r 1 nil]]; ok 0 [[:append 1 1]]|2|1 micro-operations, not the 2",
        "invoke 0 [[:append 1 1] [:r 1 nil]]; ok 0 [[:append 1 1] [:r 1 [1 2]]]|2|shows 2, which nobody wrote",
        "invoke 0 [[:append 1 1] [:r 1 nil]]; ok 0 [[:append 1 1] [:r 1 1]]|2|must return a list",
        "invoke 0 [[:w 1 1] [:r 1 nil]]; ok 0 [[:w 1 1] [:r 1 [1]]]|2|must return one value",
        "invoke 0 [[:w 1 1] [:append 1 2]]; ok 0 [[:w 1 1] [:append 1 2]]|1|does not belong",
        "invoke 0 [[:append 1 1] [:r 1 nil]]; info 0 [[:append 1 1] [:r 1 [1]]]|2|its reads stay open",
        "invoke 0 [[:r 1 [1]]]; ok 0 [[:r 1 []]]|1|has no result yet",
        "invoke 0 [[:w 1 nil]]; ok 0 [[:w 1 nil]]|1|writes no value",
        "invoke 0 [[:r :x nil] [:r \"x\" nil]]; ok 0 [[:r :x []] [:r \"x\" []]]|1|is a string where earlier keys are keywords",
        "invoke 0 []; ok 0 []|1|no micro-operations",
        "invoke 0 [[:r 1 nil]] :f :read :session \"s\" :node \"n\"; ok 0 [[:r 1 nil]] :f :read :session \"s\" :node \"n\"; invoke 1 [[:r 1 nil]]; ok 1 [[:r 1 nil]]|3|operation 2 names no session, unlike the one at",
        "invoke 1 [[:r 1 nil]]; ok 1 [[:r 1 nil]]; invoke 0 [[:r 1 nil]] :f :read :session \"s\" :node \"n\"; ok 0 [[:r 1 nil]] :f :read :session \"s\" :node \"n\"|3|operation 2 names a session, unlike the one at",
        "invoke 0 [[:r 1 nil]] :f :read :session \"s\" :node \"n\"; ok 0 [[:r 1 nil]] :f :read :session \"s\" :node \"m\"|2|session, node, asks or last is not that",
        "invoke 0 [[:r 1 nil]] :f :read :session \"s\" :node \"n\" :asks [:mr]; ok 0 [[:r 1 nil]] :f :read :session \"s\" :node \"n\"|2|session, node, asks or last is not that",
        "invoke 0 [[:w 1 1]] :f :write :session \"s\" :node \"n\" :last true; ok 0 [[:w 1 1]] :f :write :session \"s\" :node \"n\" :last true|1|only a read can be marked as the last",
        "invoke 0 [[:w 1 1]] :f :read :session \"s\" :node \"n\"; ok 0 [[:w 1 1]] :f :read :session \"s\" :node \"n\"|1|f says which",
        "invoke 0 [[:r 1 nil]]; ok 0 [[:r 1 []]] :index 0|2|does not rise",
        "invoke 0 [[:r 1 nil]] :time 9; ok 0 [[:r 1 []]]|2|lies before",
        "invoke 0 [[:r 1 nil]] :f :read; ok 0 [[:r 1 []]] :f :read|1|must be txn",
        "invoke 0 [[:r 1 nil]] :read :snapshot; ok 0 [[:r 1 []]] :read :snapshot|1|which timestamp",
        "invoke 0 [[:r 1 nil]] :at [1]; ok 0 [[:r 1 []]] :at [1]|1|only a snapshot read",
        "invoke 0 [[:append 1 1]] :read :linearizable; ok 0 [[:append 1 1]] :read :linearizable|1|must not write",
        "invoke 0 [[:r 1 nil]] :read :linearizable; ok 0 [[:r 1 []]]|2|read mode",
        "invoke 0 [[:r 1 nil]]; ok 0 [[:r 1 []]] :ts [1]; invoke 0 [[:r 1 nil]]; ok 0 [[:r 1 []]] :ts [1 2]|4|has 2 parts",
      })
  void refusesBrokenHistories(String lines, int line, String problem) throws Exception {
    History history = history(lines);
    assertThatThrownBy(() -> HistoryValidator.validate(history, DataModel.of(history)))
        .isInstanceOf(HistoryException.class)
        .hasMessageContaining("h.edn:" + line + ": ")
        .hasMessageContaining(problem);
  }

  @Test
  void acceptsWhatIsInOrder() throws Exception {
    History history =
        history(
            "info :nemesis nil; invoke 0 [[:append 1 1] [:r 1 nil]]; invoke 1 [[:r 1 nil]];"
                + "ok 0 [[:append 1 1] [:r 1 [1]]]; fail 1 [[:r 1 nil]]; info :nemesis nil;"
                + "invoke 1 [[:append 1 2]]; info 1 [[:append 1 2]]; invoke 2 [[:r 1 nil]];"
                + "ok 2 [[:r 1 nil]]");
    assertThatCode(() -> HistoryValidator.validate(history, DataModel.LIST_APPEND))
        .doesNotThrowAnyException();
  }

  @Test
  void sessionsAreJudgedOnRegistersAlone() throws Exception {
    String write = " :f :write :session \"s\" :node \"n\"";
    String read = write.replace(":write", ":read");
    String bank = "invoke 0 [[:w 1 1]]" + write + "; ok 0 [[:w 1 1]]" + write;
    String lists = "invoke 0 [[:r 1 nil]]" + read + "; ok 0 [[:r 1 []]]" + read;
    History repeated = history(bank);
    assertThatThrownBy(() -> HistoryValidator.validate(repeated, DataModel.BANK))
        .hasMessageContaining("rw-register");
    History appended = history(lists);
    assertThatThrownBy(() -> HistoryValidator.validate(appended, DataModel.LIST_APPEND))
        .hasMessageContaining("rw-register");
  }
}
