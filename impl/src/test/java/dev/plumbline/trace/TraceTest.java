package dev.plumbline.trace;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

class TraceTest {

  @Test
  void writesTheDocumentedFormatAndReadsItBack() {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    try (TraceWriter writer = new TraceWriter("dn1", "dn1", out)) {
      writer.step(
          new TraceWriter.Step(12345, 12340, "c1:41", "", "dn1", 18, 1, 2),
          List.of(
              new TraceWriter.Action(
                  "HandleRead",
                  Map.of("t", "T3", "k", "x"),
                  Map.of("versions", List.of(1, 2), "readers", Set.of("b", "a"))),
              new TraceWriter.Action("See", Map.of(), Map.of())));
      writer.environment(12350, 12345, "Crash", Map.of());
    }
    assertThat(out.toString(StandardCharsets.UTF_8))
        .isEqualTo(
            """
            {"n":1,"node":"dn1","at":12345,"local":12340,"action":"HandleRead",\
            "args":{"k":"x","t":"T3"},"recv":"c1:41","sent":["dn1:18"],"persisted":2,\
            "state":{"readers":["a","b"],"versions":[1,2]}}
            {"n":2,"node":"dn1","at":12345,"local":12340,"action":"See","args":{},"recv":"c1:41",\
            "sent":["dn1:18"]}
            {"n":3,"node":"dn1","at":12350,"local":12345,"action":"Crash","args":{}}
            """);

    List<TraceEvent> events = TraceReader.read("dn1.ndjson", out.toByteArray());
    assertThat(events).hasSize(3);
    TraceEvent first = events.get(0);
    assertThat(first.recv()).isEqualTo(Optional.of("c1:41"));
    assertThat(first.sent()).containsExactly("dn1:18");
    assertThat(events).extracting(TraceEvent::persisted).containsExactly(2L, 0L, 0L);
    assertThat(first.args().get("t").textValue()).isEqualTo("T3");
    assertThat(first.state().get("versions").get(1).longValue()).isEqualTo(2);
    assertThat(events.get(1).role()).isEqualTo("dn1");
  }

  /** So that a restart's count of records can be told from the log; a step without any is none. */
  @Test
  void aStepThatOnlyAppendsRecordsHasAnEvent() {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    try (TraceWriter writer = new TraceWriter("a", "a", out)) {
      writer.step(new TraceWriter.Step(1, 1, null, "timer", "a", 1, 0, 0), List.of());
      writer.step(new TraceWriter.Step(2, 2, null, "timer", "a", 1, 0, 3), List.of());
    }
    assertThat(out.toString(StandardCharsets.UTF_8))
        .isEqualTo(
            """
            {"n":1,"node":"a","at":2,"local":2,"action":"Stutter","args":{},"by":"timer",\
            "persisted":3}
            """);
  }

  @Test
  void anArgumentWithoutAPlaceInTheFormatIsRefused() {
    TraceWriter writer = new TraceWriter("dn1", "dn1", new ByteArrayOutputStream());
    assertThatThrownBy(() -> writer.environment(1, 1, "A", Map.of("x", new StringBuilder())))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("StringBuilder");
  }

  @Test
  void brokenTracesNameFileAndLine() {
    String good = "{\"n\":1,\"node\":\"a\",\"at\":1,\"local\":1,\"action\":\"A\",\"args\":{}}\n";
    assertBroken(good.replace("1,\"node\"", "1e30,\"node\""), "a.ndjson:1: 1.0E30 is no integer");
    assertBroken(good.replace("\"at\":1", "\"at\":1e30"), "a.ndjson:1: 1.0E30 is no integer");
    assertBroken(good.replace("{}", "{\"t\":[1.5]}"), "a.ndjson:1: 1.5 is no integer");
    assertBroken(good.replace("\"args\":{}", "\"sent\":[7]"), "\"sent\" has 7, no identity");
    assertBroken(good.replace("\"args\":{}", "\"recv\":7"), "field \"recv\" is NUMBER");
    assertBroken(good.replace("{}", "{},\"persisted\":0"), "\"persisted\" is 0; without records");
    assertBroken(good.replace("{}", "{},\"persisted\":\"2\""), "field \"persisted\" is STRING");
    assertBroken(good.replace("\"at\":1", "\"at\":1,\"at\":2"), "a.ndjson:1: no JSON: Duplicate");
    assertBroken(good.replace("{}", "{\"x\":1,\"x\":2}"), "a.ndjson:1: no JSON: Duplicate");
    assertBroken(good.replace("}\n", "} {}\n"), "a.ndjson:1: no JSON: Trailing token");
    assertBroken(good.replace("{}", "{},\"send\":[\"a:1\"]"), "a.ndjson:1: no field \"send\"");
    assertBroken("[]\n", "a.ndjson:1: no JSON object");
    assertBroken("{\"n\":1\n", "a.ndjson:1: no JSON");
    assertBroken(good + "\n", "a.ndjson:2: an empty line");
    assertBroken(good + good, "a.ndjson:2: \"n\" is 1 where 2 is next");
    assertBroken(
        good + good.replace("\"n\":1", "\"n\":2").replace("\"a\"", "\"b\""),
        "a.ndjson:2: an event of b");
    assertBroken(good.replace("\"at\":1", "\"at\":\"x\""), "field \"at\" is STRING");
  }

  private static void assertBroken(String trace, String message) {
    assertThatThrownBy(() -> TraceReader.read("a.ndjson", trace.getBytes(StandardCharsets.UTF_8)))
        .isInstanceOf(TraceReader.MalformedTrace.class)
        .hasMessageContaining(message);
  }

  @Test
  void textThatIsNoUtf8NamesItsLine() {
    byte[] good =
        "{\"n\":1,\"node\":\"a\",\"at\":1,\"local\":1,\"action\":\"A\"}\n"
            .getBytes(StandardCharsets.UTF_8);
    byte[] log = new byte[good.length * 2];
    System.arraycopy(good, 0, log, 0, good.length);
    System.arraycopy(good, 0, log, good.length, good.length);
    log[log.length - 4] = (byte) 0xff;
    assertThatThrownBy(() -> TraceReader.read("a.ndjson", log))
        .isInstanceOf(TraceReader.MalformedTrace.class)
        .hasMessageContaining("a.ndjson:2: no UTF-8 text");
  }

  @Test
  void partsOfAnEventAreFoundByTheirNames() {
    String event =
        "{\"n\":1,\"node\":\"a\",\"at\":1,\"local\":1,\"action\":\"M.Act\",\"recv\":\"b:1:7\","
            + "\"args\":{\"x\":1},\"state\":{\"x\":2,\"y\":3}}\n";
    TraceEvent e = TraceReader.read("a.ndjson", event.getBytes(StandardCharsets.UTF_8)).get(0);
    assertThat(e.actionName()).isEqualTo("Act");
    assertThat(e.sender()).contains("b:1");
    assertThat(e.arg("x").asInt()).isEqualTo(1);
    assertThat(e.field("x").asInt()).isEqualTo(1);
    assertThat(e.field("y").asInt()).isEqualTo(3);
    assertThat(e.arg("y").isMissingNode()).isTrue();
    assertThat(e.field("z").isMissingNode()).isTrue();
  }
}
