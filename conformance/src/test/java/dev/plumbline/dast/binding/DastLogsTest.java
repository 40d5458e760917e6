package dev.plumbline.dast.binding;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.fail;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.BooleanNode;
import com.fasterxml.jackson.databind.node.LongNode;
import dev.plumbline.protocol.Fault;
import dev.plumbline.protocol.FaultKind;
import dev.plumbline.protocol.FaultPlan;
import dev.plumbline.protocol.Protocols;
import dev.plumbline.sim.RunConfig;
import dev.plumbline.tlc.InputError;
import dev.plumbline.trace.TraceEvent;
import dev.plumbline.validate.Altered;
import dev.plumbline.validate.LogVerdict;
import dev.plumbline.validate.MergedLog;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Logs of simulated runs are accepted; an edit of one is rejected at the event it makes wrong. */
class DastLogsTest {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final int EVENTS = 25_000;
  private static final SortedMap<String, Long> TWO_REGIONS =
      new TreeMap<>(Map.of("regions", 2L, "shards", 1L));

  private static MergedLog log;

  @BeforeAll
  static void run() {
    Set<FaultKind> kinds = Set.of(FaultKind.LOSS, FaultKind.DUPLICATE, FaultKind.DELAY);
    log = LogEdits.log(config(12, "bank", kinds, TWO_REGIONS, Optional.empty())).prefix(EVENTS);
  }

  private static RunConfig config(
      int transactions,
      String workload,
      Set<FaultKind> kinds,
      SortedMap<String, Long> deployed,
      Optional<FaultPlan> plan) {
    return new RunConfig(
        Protocols.named("dast"),
        3,
        transactions,
        workload,
        kinds,
        Set.of(),
        new TreeSet<>(),
        deployed,
        Optional.empty(),
        plan,
        true);
  }

  private static LogVerdict validate(String module, MergedLog merged) {
    return LogEdits.validate(module, TWO_REGIONS, merged);
  }

  @ParameterizedTest
  @CsvSource({"StretchableClock", "TwoPhaseAnticipation", "Failover"})
  void theLogAsItIsIsAccepted(String module) {
    LogVerdict verdict = validate(module, log);
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
    "StretchableClock, StretchableClock.CreateTs, 0, local, StretchableClock.CreateTs",
    "StretchableClock, StretchableClock.Calibrate, 30, last, StretchableClock.Calibrate",
    "StretchableClock, StretchableClock.Calibrate, 30, follows, StretchableClock.Calibrate",
    "TwoPhaseAnticipation, TwoPhaseAnticipation.Hear, 40, now, TwoPhaseAnticipation.Hear",
    "TwoPhaseAnticipation, StretchableClock.CreateTs, 30, drop, TwoPhaseAnticipation.Tell",
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
    LogVerdict verdict = validate(module, edited(action, which, edit));
    assertThat(verdict.rejection()).as("%s of %s %d", edit, action, which).isPresent();
    assertThat(verdict.rejection().orElseThrow().entry().event().action()).endsWith(at);
  }

  /** A timer repeats the message by which a timestamp is seen; the first one was lost. */
  @Test
  void aTimestampIsSeenInWhatIsSentAgain() {
    for (TraceEvent seen : LogEdits.events(log, "StretchableClock.Calibrate")) {
      MergedLog later = sentLater(seen);
      if (later != null) {
        assertThat(validate("StretchableClock", later).rejection()).isEmpty();
        return;
      }
    }
    fail("no timestamp is seen in a message that prepares an IRT");
  }

  /** The message that was handled, if it prepares an IRT, sent by its sender's next step. */
  private static MergedLog sentLater(TraceEvent handled) {
    String message = handled.recv().orElseThrow();
    List<TraceEvent> prepares = LogEdits.events(log, "TwoPhaseAnticipation.HandlePrepare");
    if (prepares.stream().noneMatch(e -> e.recv().equals(handled.recv()))) {
      return null;
    }
    Map<String, List<TraceEvent>> logs = LogEdits.byNode(log);
    List<TraceEvent> own = logs.get(message.replaceFirst(":.*", ".ndjson"));
    long first =
        own.stream().filter(e -> e.sent().contains(message)).findFirst().orElseThrow().at();
    long next = own.stream().mapToLong(TraceEvent::at).filter(at -> at > first).min().orElseThrow();
    own.replaceAll(
        e -> {
          List<String> sent = new ArrayList<>(e.sent());
          sent.remove(message);
          if (e.at() == next) {
            sent.add(message);
          }
          return Altered.step(e, e.recv(), e.by(), sent);
        });
    return next < handled.at() ? MergedLog.of(logs) : null;
  }

  /** Whether it says something or not. */
  @ParameterizedTest
  @ValueSource(strings = {"StretchableClock.Calibrate", "TwoPhaseAnticipation.Hear"})
  void whatHandlesAMessageNamesIt(String action) {
    TraceEvent e = LogEdits.events(log, action).get(20);
    TraceEvent timer = Altered.step(e, Optional.empty(), "timer", e.sent());
    MergedLog edited = LogEdits.replaced(log, e, timer);
    assertThatThrownBy(() -> validate(action.replaceFirst("[.].*", ""), edited))
        .isInstanceOf(InputError.class)
        .hasMessageContaining(action + " handles a message, and the event names none");
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
    LogVerdict verdict = validate("TwoPhaseAnticipation", MergedLog.of(logs));
    assertThat(verdict.rejection().orElseThrow().entry().event())
        .as("%s never heard %s", first.node(), peer)
        .extracting(TraceEvent::node)
        .isEqualTo(first.node());
  }

  /** Where other messages are lost, clock messages tell of transactions, and have to name them. */
  @ParameterizedTest
  @ValueSource(strings = {"prepared", "committed"})
  void whatAClockMessageMustSayIsNamed(String status) {
    SortedMap<String, Long> region = new TreeMap<>(Map.of("regions", 1L, "shards", 1L));
    List<Fault> losses = new ArrayList<>();
    List<String> nodes = List.of("r1s1n1", "r1s1n2", "r1s1n3");
    for (String from : nodes) {
      nodes.forEach(to -> losses.add(new Fault.Loss(1_000_000, 2_000_000, from, to, 400)));
    }
    FaultPlan plan = new FaultPlan(losses, 2_000_000);
    Map<String, List<TraceEvent>> logs =
        LogEdits.byNode(
            LogEdits.log(config(30, "list-append", Set.of(), region, Optional.of(plan)))
                .prefix(EVENTS));
    assertThat(LogEdits.validate("TwoPhaseAnticipation", region, MergedLog.of(logs)).rejection())
        .isEmpty();
    logs.values().forEach(own -> own.replaceAll(e -> silenced(e, status)));
    LogVerdict verdict = LogEdits.validate("TwoPhaseAnticipation", region, MergedLog.of(logs));
    assertThat(verdict.rejection().orElseThrow().entry().event().action()).endsWith(".Hear");
  }

  private static TraceEvent silenced(TraceEvent e, String status) {
    if (!e.action().endsWith(".Hear")) {
      return e;
    }
    Map<String, JsonNode> args = new TreeMap<>(e.args());
    args.remove(status);
    return LogEdits.with(e, args, e.state());
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
      case "local" -> {
        return Altered.at(e, e.at(), e.local() + 7);
      }
      case "rtt" -> args.put(edit, LongNode.valueOf(args.get(edit).longValue() + 7));
      case "follows" -> {
        args.put("seen", shifted(args.get("seen"), 1));
        state.put("last", shifted(state.get("last"), 1));
      }
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
