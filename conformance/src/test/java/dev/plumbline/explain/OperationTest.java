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
    Files.delete(run.resolve("result.json"));
    assertThatThrownBy(() -> page(2L))
        .isInstanceOf(InputError.class)
        .hasMessageContaining("is no run of a cluster");
  }
}
