package dev.plumbline.history;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class HistoryFilesTest {
  @TempDir Path directory;

  private static History sample() {
    var recorder = new HistoryRecorder();
    List<ObservedMicroOp> write =
        List.of(new ObservedMicroOp.Append("a \"b\"\n", 1), new ObservedMicroOp.Read("y", null));
    recorder.invoke(0, 10, write);
    recorder.invokeSnapshotRead(
        1, 20, List.of(new ObservedMicroOp.Read("y", null)), ClaimedTimestamp.of(7, 1));
    recorder.ok(
        0,
        30,
        List.of(
            new ObservedMicroOp.Append("a \"b\"\n", 1),
            new ObservedMicroOp.Read("y", List.of(4L, 5L))),
        ClaimedTimestamp.of(9, 2));
    recorder.ok(1, 40, List.of(new ObservedMicroOp.Read("y", List.of())), null);
    recorder.invokeLinearizableRead(0, 50, List.of(new ObservedMicroOp.Read("y", null)));
    recorder.info(0, 60, null, "timed \\ out");
    return recorder.history();
  }

  @ParameterizedTest
  @ValueSource(strings = {"history.edn", "history.jsonl"})
  void writesWhatItReads(String name) throws Exception {
    Path file = directory.resolve(name);
    HistoryFiles.write(file, sample().ops());
    assertThat(HistoryFiles.read(file).ops()).isEqualTo(sample().ops());
  }

  @Test
  void readsWhatJepsenWrites() throws Exception {
    Path file = directory.resolve("history.edn");
    Files.writeString(
        file,
        """
        ; a comment
        [#jepsen.history.Op{:index 0, :time 5, :type :invoke, :process :nemesis, :f :kill, :value ["n1"]}
         {:index 1 :time 6 :type :invoke :process 2 :f :txn :value [[:r :x nil] [:append :x 1N]]},

         {:index 2 :time 7 :type :ok :process 2 :f :txn :value [[:r :x []] [:append :x 1]] :node "n1"}]
        """);
    History history = HistoryFiles.read(file);
    var x = new Keyword("x");
    assertThat(history.ops()).hasSize(3);
    assertThat(history.ops().get(0).nemesis()).isTrue();
    assertThat(history.ops().get(2).value())
        .containsExactly(new ObservedMicroOp.Read(x, List.of()), new ObservedMicroOp.Append(x, 1));
    assertThat(history.where(2)).endsWith("history.edn:5");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "{:index 0 :type :invoke :process 0 :time 0 :f :txn :value [[:r 1]]}|[kind key value]",
        "{:index 0 :type :start :process 0 :time 0 :f :txn :value []}|type must be",
        "{:index 0 :type :ok :process \"a\" :time 0 :f :txn :value []}|process must be an integer",
        "{:index 0 :type :ok :process 0 :time 1.5 :f :txn :value []}|time must be an integer",
        "{:index 0 :type :ok :process 0 :time 0 :f :txn :value [[:r 1 [:a]]]}|a read's result",
        "{:index 0 :type :ok :process 0 :time 0 :f :txn :value [[:w 1 \"a\"]]}|written value",
        "{:index 0 :type :ok :process 0 :time 0 :f :txn :value [] :ts 4}|ts must be a vector",
        "{:index 0 :type :ok :process 0|not EDN",
        "{:index 0 :type :ok :process 0 :time #uuid \"zz\"}|not EDN",
        "{:index 0 :type :ok :process 0 :time #inst \"2020-13-45\"}|not EDN",
        "[{:index 0 :type :ok :process 0 :time 0 :f :txn :value []}|the file ends inside",
        "42|expected an operation map",
      })
  void saysWhatIsWrongAndWhere(String line, String problem) throws Exception {
    Path file = directory.resolve("broken.edn");
    Files.writeString(file, ";\n" + line);
    assertThatThrownBy(() -> HistoryFiles.read(file))
        .isInstanceOf(HistoryException.class)
        .hasMessageContaining("broken.edn:2: ")
        .hasMessageContaining(problem);
  }

  @Test
  void bracketsWithoutEndAreRefused() throws Exception {
    Path file = directory.resolve("deep.edn");
    Files.writeString(file, "{:index " + "[".repeat(200_000));
    assertThatThrownBy(() -> HistoryFiles.read(file))
        .isInstanceOf(HistoryException.class)
        .hasMessageContaining("too deep");
  }

  /** To read one of two million takes minutes. */
  @Test
  void numbersWithoutEndAreRefused() throws Exception {
    Path file = directory.resolve("history.edn");
    String digits = "9".repeat(200_000);
    Files.writeString(file, ";" + digits + "\n{:index 0, :time " + digits + "}");
    assertThatThrownBy(() -> HistoryFiles.read(file))
        .isInstanceOf(HistoryException.class)
        .hasMessageContaining("history.edn:2: not EDN: more than 1000 digits in a row");
  }

  @Test
  void saysWhichLineIsNotJson() throws Exception {
    Path file = directory.resolve("broken.jsonl");
    Files.writeString(file, "\n{\"index\": 0,\n");
    assertThatThrownBy(() -> HistoryFiles.read(file))
        .isInstanceOf(HistoryException.class)
        .hasMessageContaining("broken.jsonl:2: not JSON")
        .hasMessageNotContaining("Source");
  }

  @Test
  void aFieldThatIsThereTwiceIsRefused() throws Exception {
    Path file = directory.resolve("twice.jsonl");
    Files.writeString(file, "\n{\"index\": 0, \"index\": 1}\n");
    assertThatThrownBy(() -> HistoryFiles.read(file))
        .isInstanceOf(HistoryException.class)
        .hasMessageContaining("twice.jsonl:2: not JSON: Duplicate field 'index'");
  }

  @Test
  void guaranteesMayBeASet() throws Exception {
    Path file = directory.resolve("set.edn");
    Files.writeString(
        file,
        "{:index 0 :type :invoke :process 0 :time 0 :f :read :value [[:r 1 nil]]"
            + " :session \"s\" :node \"n\" :asks #{:ryw :mr}}");
    assertThat(HistoryFiles.read(file).ops().get(0).visit().asked())
        .containsExactlyInAnyOrder(Guarantee.READ_YOUR_WRITES, Guarantee.MONOTONIC_READS);
  }

  private static final String READ =
      "{:index %d :type :%s :process 0 :time 0 :f :txn :value [[:r %s nil]]}\n";

  private History read(String name, String text) throws Exception {
    Path file = directory.resolve(name);
    Files.writeString(file, text);
    return HistoryFiles.read(file);
  }

  @Test
  void whatIsDiscardedMayStandAnywhere() throws Exception {
    String one = READ.formatted(0, "invoke", "1");
    for (String text :
        List.of(
            one + "#_ {:index 9}",
            "#_#_ 1 2 " + one,
            "[" + one + " #_ {:a 1}]",
            "[" + one + "] #_ x ; the end")) {
      assertThat(read("discarded.edn", text).ops()).hasSize(1);
    }
    assertThat(read("discarded.edn", "[#_ {:a 1}]").ops()).isEmpty();
    assertThatThrownBy(() -> read("discarded.edn", one + "#_"))
        .hasMessageContaining("discarded.edn:2: not EDN: a value is missing");
  }

  @Test
  void aVectorEndsAsItBegan() {
    assertThatThrownBy(() -> read("mixed.edn", "[" + READ.formatted(0, "invoke", "1") + ")"))
        .isInstanceOf(HistoryException.class);
  }

  @Test
  void aByteOrderMarkIsPassedOver() throws Exception {
    assertThat(read("bom.edn", "\ufeff" + READ.formatted(0, "invoke", "1")).ops()).hasSize(1);
    assertThat(read("bom.json", "\ufeff" + JSON_READ).ops()).hasSize(1);
  }

  private static final String JSON_READ =
      "{\"index\":0,\"type\":\"invoke\",\"process\":0,\"time\":0,\"f\":\"txn\",\"value\":[[\"r\",1,null]]}";

  @Test
  void jsonIsToldByTheEndingInAnyCaseAndHasOneOperationALine() throws Exception {
    assertThat(read("upper.JSON", JSON_READ).ops()).hasSize(1);
    assertThatThrownBy(() -> read("array.json", "[" + JSON_READ + "]"))
        .hasMessageContaining("array.json:1: each line must be one operation");
    assertThatThrownBy(() -> read("pretty.json", "[\n" + JSON_READ + "\n]"))
        .hasMessageContaining("each line must be one operation");
  }

  @Test
  void keysOfOtherFormsAreNotTakenForStrings() {
    for (String key : List.of("\\a", "a", "#key \"a\"", "nil", "1.0", "[1]")) {
      assertThatThrownBy(() -> read("keys.edn", READ.formatted(0, "invoke", key)))
          .as(key)
          .hasMessageContaining("a key must be an integer, keyword or string");
    }
  }

  @Test
  void aFieldInTwoFormsIsRefused() {
    String twice = READ.formatted(0, "invoke", "1").replace(":time 0", ":time 0 \"time\" 1");
    assertThatThrownBy(() -> read("forms.edn", twice)).hasMessageContaining("time twice");
  }

  @Test
  void recorderRefusesWhatNoClientCanDo() {
    var recorder = new HistoryRecorder();
    recorder.invoke(0, 0, List.of());
    assertThatThrownBy(() -> recorder.invoke(0, 1, List.of()))
        .isInstanceOf(IllegalStateException.class);
    assertThatThrownBy(() -> recorder.fail(1, 1, null)).isInstanceOf(IllegalStateException.class);
  }
}
