package dev.plumbline.explain;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.plumbline.tlc.InputError;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** An operation of a cluster run as a page: its messages, and what nothing explains. */
class OperationTest {
  private static final String READ =
      "{\"m\":{\"k\":\"k0\",\"s\":\"\",\"t\":\"c-1.1\",\"type\":\"%s\",\"v\":\"NoTxn\"}}";

  @TempDir Path run;

  @BeforeEach
  void small() throws IOException {
    Files.createDirectories(run.resolve("trace"));
    result("\"accepted\"");
    Files.writeString(
        run.resolve("history.edn"),
        """
        {:index 0, :type :invoke, :process 4, :time 10, :f :txn, :value [[:r 0 nil]]}
        {:index 1, :type :invoke, :process 5, :time 11, :f :txn, :value [[:r 1 nil]]}
        {:index 2, :type :ok, :process 4, :time 20, :f :txn, :value [[:r 0 []]], :ts [7 2 1 1]}
        {:index 3, :type :fail, :process 5, :time 21, :f :txn, :value [[:r 1 nil]]}
        """);
    Files.writeString(
        run.resolve("trace/c.ndjson"),
        """
        {"n":1,"node":"c","at":100,"local":5,"action":"Mvto.Begin","args":{"coordinator":1,"incarnation":1,"n":7,"oracle":2,"t":"c-1.1"},"state":{"txn":"running"}}
        {"n":2,"node":"c","at":110,"local":6,"action":"Mvto.IssueRead","args":{"k":"k0","t":"c-1.1"},"sent":["c:1"],"state":{"txn":"running"}}
        {"n":3,"node":"c","at":115,"local":7,"action":"Mvto.Begin","args":{"coordinator":1,"incarnation":1,"n":9,"oracle":2,"t":"c-1.2"},"state":{"txn":"running"}}
        {"n":4,"node":"c","at":130,"local":8,"action":"Mvto.HandleReadReply","args":%s,"recv":"d:1","state":{"txn":"done"}}
        """
            .formatted(READ.formatted("readReply")));
    Files.writeString(
        run.resolve("trace/d.ndjson"),
        """
        {"n":1,"node":"d","at":120,"local":6,"action":"Mvto.HandleRead","args":%s,"recv":"c:1","sent":["d:1"],"state":{"tracker":7}}
        {"n":2,"node":"d","at":120,"local":6,"action":"EpochVisibility.PrimaryRead","args":{"t":"c-1.1"},"recv":"c:1","sent":["d:1"],"state":{"tracker":7}}
        """
            .formatted(READ.formatted("read")));
  }

  private void of(String protocol, String history, String... logs) throws IOException {
    Files.delete(run.resolve("trace/c.ndjson"));
    Files.delete(run.resolve("trace/d.ndjson"));
    Path result = run.resolve("result.json");
    Files.writeString(result, Files.readString(result).replace("\"k2\"", "\"" + protocol + "\""));
    Files.writeString(run.resolve("history.edn"), history);
    for (int i = 0; i < logs.length; i += 2) {
      Files.writeString(run.resolve("trace/" + logs[i] + ".ndjson"), logs[i + 1]);
    }
  }

  private void result(String... details) throws IOException {
    String judge = "{\"judge\":\"trace\",\"subject\":\"Mvto\",\"details\":[%s]}";
    Files.writeString(
        run.resolve("result.json"),
        "{\"protocol\":\"k2\",\"verdict\":\"valid\",\"command\":\"./plumb jepsen k2\",\"judges\":["
            + judge.formatted(String.join(",", details))
            + "]}");
  }

  private JsonNode page(Long index) throws IOException {
    String html = Operation.html(run, Optional.ofNullable(index));
    String begin = "id=\"behaviour\">";
    int from = html.indexOf(begin) + begin.length();
    return new ObjectMapper().readTree(html.substring(from, html.indexOf("</script>", from)));
  }

  @Test
  void anOperationHasItsTransactionsStepsAndMessages() throws IOException {
    for (long index : new long[] {0, 2}) {
      JsonNode page = page(index);
      assertThat(page.path("name").asText()).isEqualTo("operation 2, transaction c-1.1");
      assertThat(page.path("steps").findValuesAsText("label"))
          .containsExactly("invoke", "Begin", "IssueRead", "HandleRead", "HandleReadReply", "ok");
      assertThat(page.path("lanes").toString()).isEqualTo("[\"client 4\",\"c\",\"d\"]");
      assertThat(page.path("arrows").toString())
          .isEqualTo(
              "[{\"from\":2,\"to\":3,\"label\":\"read\"},{\"from\":3,\"to\":4,\"label\":\"readReply\"}]");
      assertThat(page.path("steps").path(3).path("changes").toString())
          .contains("Mvto.HandleRead", "EpochVisibility.PrimaryRead", "d.ndjson:1");
      assertThat(page.path("steps").path(4).path("changed").toString()).isEqualTo("[\"txn\"]");
      assertThat(page.path("bad").asInt()).isEqualTo(-1);
      assertThat(page.path("steps").path(0).path("changes").toString())
          .isEqualTo("[\"asks: read 0\"]");
      assertThat(page.path("steps").path(5).path("changes").toString())
          .isEqualTo("[\"gets: read 0 = []\"]");
      assertThat(page.path("verdict").asText()).isEqualTo("the run is valid");
    }
  }

  @Test
  void theFirstUnexplainedEventIsMarkedAndFound() throws IOException {
    result("\"Mvto: REJECTED at /x/trace/d.ndjson:1 (event 4 of 6)\"", "\"  not enabled\"");
    for (Long index : new Long[] {null, 2L}) {
      JsonNode page = page(index);
      assertThat(page.path("bad").asInt()).isEqualTo(3);
      assertThat(page.path("verdict").asText()).startsWith("step 3 is the first that the spec");
      assertThat(page.path("steps").path(3).path("changes").toString()).contains("not enabled");
      assertThat(page.path("why").asText()).contains("(event 4 of 6). What its client did");
      assertThat(page.path("name").asText()).isEqualTo("operation 2, transaction c-1.1");
    }
  }

  @Test
  void anEventThatBreaksTheRulesOfEveryLogIsFoundToo() throws IOException {
    result("\"/x/trace/c.ndjson:3: message c:1 does not follow\"", "\"  remedy: look\"");
    assertThat(page(null).path("name").asText()).endsWith("transaction c-1.2");
    assertThat(page(null).path("bad").asInt()).isEqualTo(1);
  }

  @Test
  void whatCannotBeShownIsSaid() throws IOException {
    assertThatThrownBy(() -> page(null))
        .isInstanceOf(InputError.class)
        .hasMessageContaining("no event that the specification does not explain");
    assertThatThrownBy(() -> page(9L)).isInstanceOf(InputError.class);
    assertThatThrownBy(() -> page(3L))
        .isInstanceOf(InputError.class)
        .hasMessageContaining("the logs name no transaction of operation 3 (fail)");
    Files.writeString(run.resolve("result.json"), "{\"protocol\": ");
    assertThatThrownBy(() -> page(2L))
        .isInstanceOf(InputError.class)
        .hasMessageContaining("is no JSON");
    Files.delete(run.resolve("result.json"));
    assertThatThrownBy(() -> page(2L))
        .isInstanceOf(InputError.class)
        .hasMessageContaining("is no run of a cluster");
  }

  @Test
  void aRequestOfAProcessThatDoesOneAtATimeHasItsStepsAndTheirMessages() throws IOException {
    of(
        "metric",
        """
        {:index 0, :type :invoke, :process 4, :time 10, :f :txn, :value [[:append 0 1]]}
        {:index 1, :type :invoke, :process 5, :time 11, :f :txn, :value [[:r 1 nil]]}
        {:index 2, :type :ok, :process 4, :time 20, :f :txn, :value [[:append 0 1]], :ts [130 1]}
        {:index 3, :type :ok, :process 5, :time 21, :f :txn, :value [[:r 1 nil]], :ts [161 1]}
        """,
        "m",
        """
        {"n":1,"node":"m","at":90,"local":1,"action":"Stutter","args":{},"sent":["m:0"]}
        {"n":2,"node":"m","at":100,"local":2,"action":"RedoLog.ReceiveCall","args":{"p":1,"req":"c7.1"},"by":"timer"}
        {"n":3,"node":"m","at":105,"local":3,"action":"Ownership.CreateEntry","args":{"p":1},"by":"timer","sent":["m:1"]}
        {"n":4,"node":"m","at":109,"local":3,"action":"Stutter","args":{},"recv":"l:0"}
        {"n":5,"node":"m","at":120,"local":4,"action":"Ownership.LockNew","args":{"p":1},"recv":"l:1"}
        {"n":6,"node":"m","at":130,"local":5,"action":"RedoLog.LocalCommit","args":{"p":1},"by":"timer","sent":["m:2"]}
        {"n":7,"node":"m","at":140,"local":6,"action":"RedoLog.ReplyOk","args":{"p":1},"by":"timer"}
        {"n":8,"node":"m","at":150,"local":7,"action":"RedoLog.ReceiveCall","args":{"p":1,"req":"c8.1"},"by":"timer"}
        {"n":9,"node":"m","at":161,"local":8,"action":"RedoLog.Execute","args":{"p":1},"by":"timer"}
        {"n":10,"node":"m","at":170,"local":9,"action":"RedoLog.Nack","args":{"p":1},"by":"timer"}
        {"n":11,"node":"m","at":175,"local":9,"action":"Ownership.ReleaseOwnership","args":{"p":1},"by":"timer"}
        """,
        "l",
        """
        {"n":1,"node":"l","at":95,"local":1,"action":"EntryConsistency.ReleaseLock","args":{"c":"m"},"recv":"m:0","sent":["l:0"]}
        {"n":2,"node":"l","at":110,"local":2,"action":"EntryConsistency.AcquireLock","args":{"c":"m"},"recv":"m:1","sent":["l:1"]}
        {"n":3,"node":"l","at":155,"local":3,"action":"EntryConsistency.StoreWrite","args":{},"recv":"m:2"}
        """);
    for (long index : new long[] {0, 2}) {
      JsonNode page = page(index);
      assertThat(page.path("name").asText()).isEqualTo("operation 2, transaction c7.1");
      assertThat(page.path("steps").findValuesAsText("label"))
          .containsExactly(
              "invoke",
              "ReceiveCall",
              "CreateEntry",
              "AcquireLock",
              "LockNew",
              "LocalCommit",
              "ReplyOk",
              "StoreWrite",
              "ok");
      assertThat(page.path("arrows")).hasSize(3);
    }
    assertThat(page(3L).path("steps").findValuesAsText("label"))
        .containsExactly("invoke", "ReceiveCall", "Execute", "Nack", "ok");
    assertThat(Operation.shown("metric", run).index()).hasValue(2);
  }

  @Test
  void aLockThatAnothersReleaseHandsOverIsOfTheOneThatWaitedToo() throws IOException {
    of(
        "metric",
        "{:index 0, :type :ok, :process 4, :time 10, :f :txn, :value [[:r 0 nil]], :ts [130 1]}",
        "m",
        """
        {"n":1,"node":"m","at":100,"local":2,"action":"RedoLog.ReceiveCall","args":{"p":1,"req":"c7.1"},"by":"timer"}
        {"n":2,"node":"m","at":130,"local":5,"action":"RedoLog.Execute","args":{"p":1},"by":"timer"}
        """,
        "o",
        """
        {"n":1,"node":"o","at":100,"local":2,"action":"RedoLog.ReceiveCall","args":{"p":2,"req":"c9.1"},"by":"timer","sent":["o:1"]}
        """,
        "l",
        """
        {"n":1,"node":"l","at":110,"local":2,"action":"EntryConsistency.ReleaseLock","args":{"c":"o"},"recv":"o:1","sent":["l:1"]}
        {"n":2,"node":"l","at":110,"local":2,"action":"EntryConsistency.AcquireLock","args":{"c":"m"},"recv":"o:1","sent":["l:1"]}
        """);
    assertThat(page(0L).path("steps").findValuesAsText("label"))
        .containsExactly("invoke", "ReceiveCall", "AcquireLock", "Execute", "ok");
  }

  @Test
  void aReadHasItsRequestAndTheUpdateThatItReturned() throws IOException {
    String session = ":session \"s5\", :node \"c1\", :asks [:ryw]}\n";
    String at = "{\"G\":[],\"c\":\"s5.1\",\"i\":\"c1\",\"o\":\"A/%d\",\"op\":\"%s\"}";
    of(
        "engage",
        "{:index 0, :type :invoke, :process 4, :time 1, :f :write, :value [[:w 4 9]], "
            + session
            + "{:index 1, :type :ok, :process 4, :time 2, :f :write, :value [[:w 4 9]], :ts [1 0 1], "
            + session
            + "{:index 2, :type :invoke, :process 4, :time 3, :f :read, :value [[:r 4 nil]], "
            + session
            + "{:index 3, :type :ok, :process 4, :time 4, :f :read, :value [[:r 4 9]], "
            + session
            + "{:index 4, :type :invoke, :process 4, :time 5, :f :read, :value [[:r 6 nil]], "
            + session
            + "{:index 5, :type :fail, :process 4, :time 6, :f :read, :value [[:r 6 nil]], "
            + session,
        "c1",
        """
        {"n":1,"node":"c1","at":10,"local":1,"action":"BrokerCausality.ClientWrite","args":%s,"by":"request","sent":["c1:1"],"state":{"holds":[],"newest":[["c1",1]]}}
        {"n":2,"node":"c1","at":20,"local":2,"action":"BrokerCausality.ClientRead","args":%s,"by":"request","state":{"holds":["s5.1"],"newest":[["c2",7]]}}
        {"n":3,"node":"c1","at":30,"local":3,"action":"BrokerCausality.ServeHeld","args":{"r":{"at":"c1","c":"s5.1","g":[],"obj":"A/4","op":"r"}},"by":"timer","state":{"holds":[],"newest":[["c1",1]]}}
        """
            .formatted(at.formatted(4, "w"), at.formatted(4, "r")),
        "b1",
        """
        {"n":1,"node":"b1","at":15,"local":1,"action":"BrokerCausality.BrokerReceive","args":{"a":"c1","b":"b1","m":{"kind":"UN","mf":{},"u":{"obj":"A/4","snb":1,"src":"c1"}}},"recv":"c1:1"}
        """);
    assertThat(page(1L).path("name").asText())
        .isEqualTo("operation 1, request write 1 of 4 by s5 at c1, update 1 of c1");
    assertThat(page(1L).path("steps").findValuesAsText("label"))
        .containsExactly("invoke", "ClientWrite", "BrokerReceive", "ServeHeld", "ok");
    assertThat(page(3L).path("name").asText())
        .isEqualTo("operation 3, request read 1 of 4 by s5 at c1, update 1 of c1");
    assertThat(page(3L).path("steps").findValuesAsText("label"))
        .containsExactly("invoke", "ClientWrite", "BrokerReceive", "ClientRead", "ServeHeld", "ok");
    assertThatThrownBy(() -> page(5L))
        .hasMessageContaining("the logs name no request of operation 5 (fail)");
    assertThat(Operation.shown("engage", run).index()).hasValue(1);
  }

  @Test
  void whereNoOperationHasAPageTheReasonIsSaid() throws IOException {
    of(
        "metric",
        "{:index 0, :type :ok, :process 4, :time 10, :f :txn, :value [[:r 0 nil]]}\n",
        "m",
        "{\"n\":1,\"node\":\"m\",\"at\":1,\"local\":1,\"action\":\"Stutter\",\"args\":{}}\n");
    Operation.Shown shown = Operation.shown("metric", run);
    assertThat(shown.index()).isEmpty();
    assertThat(shown.why()).contains("name no operation's transaction", "SQL side");
  }
}
