package dev.plumbline.dast.binding;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.BooleanNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.LongNode;
import dev.plumbline.tlc.InputError;
import dev.plumbline.trace.TraceEvent;
import dev.plumbline.validate.LogVerdict;
import dev.plumbline.validate.MergedLog;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Predicate;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Edits after the last change of a view, where {@code Failover} alone judges. Clocks are told
 * seldom, so that the log is short.
 */
class LateEditsTest {
  private static final String TPA = "TwoPhaseAnticipation.";
  private static final TreeMap<String, Long> PARAMETERS =
      new TreeMap<>(
          Map.of("regions", 2L, "shards", 1L, "tellMicros", 50_000L, "suspectMicros", 1_000_000L));
  private static MergedLog log;
  private static long changed;

  @BeforeAll
  static void run() {
    log = LogEdits.log(FailoverLogsTest.config(3, 40, PARAMETERS, FailoverLogsTest.PLAN));
    changed =
        LogEdits.events(log, "Failover.DecideView").stream()
            .mapToLong(TraceEvent::at)
            .max()
            .orElseThrow();
  }

  @Test
  void theLogAsItIsIsAccepted() {
    assertThat(LogEdits.validate("Failover", PARAMETERS, log).rejection()).isEmpty();
  }

  /** {@code what} is wrong, and the action of the event at which that is seen. */
  @ParameterizedTest
  @CsvSource({
    "a clock is heard as another than was told, Hear",
    "a clock is heard as an older one than was told, Hear",
    "a manager asks for another timestamp than it anticipated, HandlePrepCrt",
    "a CRT is committed with one vote, CommitCrt",
    "a CRT is committed below a vote, CommitCrt",
    "a node executes before its clock is past, Execute",
    "a replica did not write what the others wrote, Execute",
    "a client is told another timestamp, Reply",
    "a client is told twice, Reply"
  })
  void anEditedLogIsRejected(String what, String at) {
    LogVerdict verdict = LogEdits.validate("Failover", PARAMETERS, edited(what));
    assertThat(verdict.rejection()).as(what).isPresent();
    assertThat(verdict.rejection().orElseThrow().entry().event().action()).isEqualTo(TPA + at);
  }

  private static MergedLog edited(String what) {
    return switch (what) {
      case "a clock is heard as another than was told" -> heard(1);
      case "a clock is heard as an older one than was told" -> heard(-1);
      case "a manager asks for another timestamp than it anticipated" ->
          moved("HandlePrepCrt", e -> e.sender().orElse("").startsWith("m-"), "asked", 1);
      case "a CRT is committed with one vote" -> {
        TraceEvent e = first("CommitCrt", d -> true);
        yield replaced(e, "votes", list().add(e.args().get("votes").get(0)));
      }
      case "a CRT is committed below a vote" -> moved("CommitCrt", e -> true, "ts", -1_000_000);
      case "a node executes before its clock is past" ->
          moved("Execute", e -> true, "now", -1_000_000);
      case "a replica did not write what the others wrote" -> {
        TraceEvent e = first("Execute", d -> true);
        Map<String, JsonNode> state = new TreeMap<>(e.state());
        state.put("wrote", BooleanNode.valueOf(!state.get("wrote").asBoolean()));
        yield LogEdits.replaced(log, e, LogEdits.with(e, e.args(), state));
      }
      case "a client is told another timestamp" -> moved("Reply", e -> true, "ts", 1);
      case "a client is told twice" -> {
        TraceEvent e = first("Reply", d -> true);
        Map<String, List<TraceEvent>> logs = LogEdits.byNode(log);
        List<TraceEvent> own = logs.get(e.node() + ".ndjson");
        own.add(own.indexOf(e), e);
        yield MergedLog.of(logs);
      }
      default -> throw new IllegalArgumentException(what);
    };
  }

  /** An event that says who acts, with another process, or manager's epoch. */
  @ParameterizedTest
  @CsvSource({
    "TwoPhaseAnticipation.Execute, n, r1s1n9",
    "TwoPhaseAnticipation.Tell, x, m-r9",
    "TwoPhaseAnticipation.Hear, x, m-r9",
    "Failover.DecideView, epoch, 7"
  })
  void whoActsIsWhoLogsIt(String action, String name, String other) {
    JsonNode value =
        other.equals("7") ? LongNode.valueOf(7) : JsonNodeFactory.instance.textNode(other);
    TraceEvent e =
        LogEdits.events(log, action).stream().filter(d -> d.at() >= changed).findFirst().get();
    MergedLog forged = replaced(e, name, value);
    assertThatThrownBy(() -> LogEdits.validate("Failover", PARAMETERS, forged))
        .isInstanceOf(InputError.class);
  }

  @Test
  void aCommitSaysWhoVoted() {
    TraceEvent e = first("CommitCrt", d -> true);
    Map<String, JsonNode> args = new TreeMap<>(e.args());
    args.remove("votes");
    MergedLog silent = LogEdits.replaced(log, e, LogEdits.with(e, args, e.state()));
    assertThatThrownBy(() -> LogEdits.validate("Failover", PARAMETERS, silent))
        .isInstanceOf(InputError.class)
        .hasMessageContaining("does not say who voted");
  }

  /** A clock message that has news is heard as told by so much later. */
  private static MergedLog heard(long micros) {
    return moved("Hear", e -> e.args().containsKey("committed"), "now", micros);
  }

  /** The time of a timestamp is another. */
  private static MergedLog moved(
      String action, Predicate<TraceEvent> which, String name, long micros) {
    TraceEvent e = first(action, which);
    ArrayNode moved = e.args().get(name).deepCopy();
    moved.set(0, LongNode.valueOf(moved.get(0).longValue() + micros));
    return replaced(e, name, moved);
  }

  private static ArrayNode list() {
    return JsonNodeFactory.instance.arrayNode();
  }

  private static TraceEvent first(String action, Predicate<TraceEvent> which) {
    return LogEdits.events(log, TPA + action).stream()
        .filter(e -> e.at() > changed)
        .filter(which)
        .findFirst()
        .orElseThrow();
  }

  private static MergedLog replaced(TraceEvent e, String name, JsonNode value) {
    Map<String, JsonNode> args = new TreeMap<>(e.args());
    args.put(name, value);
    return LogEdits.replaced(log, e, LogEdits.with(e, args, e.state()));
  }
}
