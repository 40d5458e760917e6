package dev.plumbline.dastconf;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.BooleanNode;
import com.fasterxml.jackson.databind.node.LongNode;
import dev.plumbline.sim.FaultKind;
import dev.plumbline.sim.Protocols;
import dev.plumbline.sim.RunConfig;
import dev.plumbline.trace.TraceEvent;
import dev.plumbline.validate.MergedLog;
import dev.plumbline.validate.Verdict;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Logs of simulated runs are accepted; an edit of one is rejected at the event it makes wrong. */
class DastLogsTest {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final int EVENTS = 25_000;

  private static MergedLog log;

  @BeforeAll
  static void run() {
    RunConfig config =
        new RunConfig(
            Protocols.named("dast"),
            3,
            12,
            "bank",
            Set.of(FaultKind.LOSS, FaultKind.DUPLICATE, FaultKind.DELAY),
            Set.of(),
            new TreeSet<>(),
            new TreeMap<>(Map.of("regions", 2L, "shards", 1L)),
            Optional.empty(),
            Optional.empty(),
            true);
    log = LogEdits.log(config).prefix(EVENTS);
  }

  private static Verdict validate(String module, MergedLog merged) {
    return LogEdits.validate(module, new TreeMap<>(Map.of("regions", 2L, "shards", 1L)), merged);
  }

  @ParameterizedTest
  @CsvSource({"StretchableClock", "TwoPhaseAnticipation", "Failover"})
  void theLogAsItIsIsAccepted(String module) {
    Verdict verdict = validate(module, log);
    assertThat(verdict.rejection()).isEmpty();
    if (module.equals("TwoPhaseAnticipation")) {
      assertThat(verdict.taken().keySet())
          .contains("CoordCrt", "CoordIrt", "CommitCrtAt", "CommitIrt", "Hear", "Execute", "Reply");
    }
  }

  /**
   * {@code edit}: drop, or the argument that is changed; {@code which}: the how manieth event of
   * that action; {@code at}: the action of the event at which the log has to be rejected.
   */
  @ParameterizedTest
  @CsvSource({
    "StretchableClock, StretchableClock.CreateTs, 40, ts, StretchableClock.CreateTs",
    "StretchableClock, StretchableClock.CreateTs, 0, wall, StretchableClock.CreateTs",
    "StretchableClock, StretchableClock.Calibrate, 30, last, StretchableClock.Calibrate",
    "TwoPhaseAnticipation, TwoPhaseAnticipation.CommitCrt, 0, early, CommitCrt",
    "TwoPhaseAnticipation, TwoPhaseAnticipation.CommitCrt, 1, votes, CommitCrt",
    "TwoPhaseAnticipation, TwoPhaseAnticipation.HandlePrepCrt, 0, at, HandlePrepCrt",
    "TwoPhaseAnticipation, TwoPhaseAnticipation.Anticipate, 0, rtt, HandlePrepCrt",
    "TwoPhaseAnticipation, TwoPhaseAnticipation.Execute, 0, at, Execute",
    "TwoPhaseAnticipation, TwoPhaseAnticipation.Execute, 1, wrote, Execute",
    "TwoPhaseAnticipation, TwoPhaseAnticipation.CommitCrt, 0, drop, HandleCommitCrt",
    "TwoPhaseAnticipation, TwoPhaseAnticipation.HandleOutput, 0, drop, CreateTs",
    "TwoPhaseAnticipation, TwoPhaseAnticipation.Reply, 0, ts, Reply"
  })
  void anEditedLogIsRejected(String module, String action, int which, String edit, String at) {
    Verdict verdict = validate(module, edited(action, which, edit));
    assertThat(verdict.rejection()).as("%s of %s %d", edit, action, which).isPresent();
    assertThat(verdict.rejection().orElseThrow().entry().event().action()).endsWith(at);
  }

  @Test
  void whatIsToldBeforeAnExecutionMatters() {
    String execute = "TwoPhaseAnticipation.Execute";
    TraceEvent first = LogEdits.events(log, execute).get(0);
    Map<String, List<TraceEvent>> logs = LogEdits.byNode(log);
    List<TraceEvent> own = logs.get(first.node() + ".ndjson");
    String peer =
        own.stream()
            .filter(e -> e.action().endsWith(".Hear"))
            .map(e -> e.args().get("x").asText())
            .findFirst()
            .orElseThrow();
    own.removeIf(e -> e.action().endsWith(".Hear") && e.args().get("x").asText().equals(peer));
    Verdict verdict = validate("TwoPhaseAnticipation", MergedLog.of(logs));
    assertThat(verdict.rejection().orElseThrow().entry().event())
        .as("%s never heard %s", first.node(), peer)
        .extracting(TraceEvent::node)
        .isEqualTo(first.node());
  }

  private static MergedLog edited(String action, int which, String edit) {
    TraceEvent e = LogEdits.events(log, action).get(which);
    return edit.equals("drop")
        ? LogEdits.without(log, e)
        : LogEdits.replaced(log, e, changed(e, edit));
  }

  private static TraceEvent changed(TraceEvent e, String edit) {
    Map<String, JsonNode> args = new TreeMap<>(e.args());
    Map<String, JsonNode> state = new TreeMap<>(e.state());
    switch (edit) {
      case "early" -> args.put("ts", shifted(args.get("ts"), -1_000_000));
      case "votes" -> args.put("votes", JSON.createArrayNode().add(args.get("votes").get(0)));
      case "wall", "rtt" -> args.put(edit, LongNode.valueOf(args.get(edit).longValue() + 7));
      case "wrote" -> state.put(edit, BooleanNode.valueOf(!state.get(edit).booleanValue()));
      default ->
          (args.containsKey(edit) ? args : state).compute(edit, (name, value) -> shifted(value, 1));
    }
    return LogEdits.with(e, args, state);
  }

  private static ArrayNode shifted(JsonNode timestamp, long micros) {
    ArrayNode shifted = timestamp.deepCopy();
    shifted.set(0, LongNode.valueOf(timestamp.get(0).longValue() + micros));
    return shifted;
  }
}
