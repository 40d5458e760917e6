package dev.plumbline.validate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.core.JsonPointer;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.LongNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.node.TextNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import dev.plumbline.protocol.Protocols;
import dev.plumbline.protocol.SeededBug;
import dev.plumbline.tlc.InputError;
import dev.plumbline.trace.TraceEvent;
import dev.plumbline.validate.TraceModel.Reading;
import java.io.IOException;
import java.lang.reflect.Proxy;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ValidatorTest {
  private static final Validator VALIDATOR = new Validator(Path.of(".."));

  @Test
  void simulatedRunsAreBehaviours() {
    MergedLog log = MergedLog.of(TamperedLogTest.run(7, 20));
    for (String module : List.of("TimestampBatching", "EpochCut", "Mvto", "EpochVisibility")) {
      LogVerdict v = VALIDATOR.validate(TamperedLogTest.model(module), log);
      assertThat(v.rejection()).isEmpty();
      assertThat(v.matched()).isPositive();
      assertThat(v.taken()).containsKey(module.equals("EpochCut") ? "CutEpoch" : "Begin");
    }
  }

  @Test
  void longerRunsUnderAllFaultsAreBehavioursOfEpochVisibility() {
    for (long seed = 1; seed <= 3; seed++) {
      MergedLog log = MergedLog.of(TamperedLogTest.run(seed, 150));
      LogVerdict v = VALIDATOR.validate(TamperedLogTest.model("EpochVisibility"), log);
      assertThat(v.rejection()).isEmpty();
      assertThat(v.taken())
          .containsKeys("BeginSnapshot", "BeginLinearizable", "ReplicaRead", "Cut", "Replay");
    }
  }

  /** What a module's event has to be beside the others of its step, and may say. */
  @ParameterizedTest
  @CsvSource({
    "PrimaryWrite, gone, PrimaryWrite of .* does not follow in the same step",
    "Commit, gone, Commit of .* does not follow in the same step",
    "Abort, gone, Abort of .* does not follow in the same step",
    "PrimaryWrite, k, PrimaryWrite of .* does not follow in the same step",
    "PrimaryRead, k, EpochVisibility.PrimaryRead of .* is no part of the step before",
    "Commit, t, Commit of .* does not follow in the same step",
    "Tell, state, 'EpochVisibility.Tell has first in its state, which no operator reads'",
    "Tell, store, 'EpochVisibility.Tell begins with a message or request or start or timer, .*store'"
  })
  void anEventOfEpochVisibilityFitsItsStep(String action, String edit, String said) {
    Map<String, List<TraceEvent>> logs = TamperedLogTest.run(3, 60);
    TraceEvent first =
        logs.values().stream()
            .flatMap(List::stream)
            .filter(e -> e.action().equals("EpochVisibility." + action))
            .filter(e -> !edit.equals("store") || e.recv().isEmpty())
            .findFirst()
            .orElseThrow();
    Map<String, JsonNode> args = new TreeMap<>(first.args());
    args.computeIfPresent(edit, (name, value) -> TextNode.valueOf(value.asText() + "1"));
    TraceEvent other =
        switch (edit) {
          case "gone" -> Altered.says(first, TraceEvent.STUTTER, Map.of(), Map.of());
          case "state" ->
              Altered.says(first, first.action(), args, Map.of("first", TextNode.valueOf("NoKey")));
          case "store" -> Altered.step(first, first.recv(), "store", first.sent());
          default -> Altered.says(first, first.action(), args, first.state());
        };
    logs.replaceAll((file, events) -> events.stream().map(e -> e == first ? other : e).toList());
    assertThatThrownBy(
            () -> VALIDATOR.validate(TamperedLogTest.model("EpochVisibility"), MergedLog.of(logs)))
        .isInstanceOf(InputError.class)
        .satisfies(e -> assertThat(((InputError) e).describe()).containsPattern(said));
  }

  @Test
  void aBatchIsComparedWholeAndAskedForAtATimer() {
    Map<String, List<TraceEvent>> logs = TamperedLogTest.run(7, 20);
    TraceModel model = TamperedLogTest.model("TimestampBatching");
    TraceEvent assign = first(logs, "TimestampBatching.Assign");
    Map<String, JsonNode> state = new TreeMap<>(assign.state());
    state.compute("batch", (name, batch) -> ((ObjectNode) batch.deepCopy()).without("local"));
    MergedLog part =
        replaced(logs, assign, Altered.says(assign, assign.action(), assign.args(), state));
    assertThat(VALIDATOR.validate(model, part).rejection().orElseThrow().entry().event())
        .extracting(TraceEvent::action)
        .isEqualTo("TimestampBatching.Assign");
    TraceEvent request = first(logs, "TimestampBatching.RequestBatch");
    MergedLog asked =
        replaced(logs, request, Altered.step(request, request.recv(), "request", request.sent()));
    assertThatThrownBy(() -> VALIDATOR.validate(model, asked))
        .isInstanceOf(InputError.class)
        .hasMessageContaining("TimestampBatching.RequestBatch begins with timer");
  }

  @Test
  void aReadAtAReplicaSaysHowFarItsLogIsReplayed() {
    Map<String, List<TraceEvent>> logs = TamperedLogTest.run(7, 20);
    TraceEvent read = first(logs, "EpochVisibility.ReplicaRead");
    Map<String, JsonNode> state = new TreeMap<>(read.state());
    state.computeIfPresent("replayed", (name, epoch) -> LongNode.valueOf(epoch.asLong() + 1));
    assertThat(state).isNotEqualTo(read.state());
    MergedLog log = replaced(logs, read, Altered.says(read, read.action(), read.args(), state));
    assertThat(
            VALIDATOR
                .validate(TamperedLogTest.model("EpochVisibility"), log)
                .rejection()
                .orElseThrow()
                .entry()
                .event())
        .extracting(TraceEvent::action, TraceEvent::at)
        .containsExactly(read.action(), read.at());
  }

  /** A read at a replica is asked for by the coordinator that its reader is at. */
  @Test
  void aReadAtAReplicaIsOfWhoAskedForIt() {
    Map<String, List<TraceEvent>> logs = TamperedLogTest.run(7, 20);
    List<TraceEvent> begun =
        logs.values().stream()
            .flatMap(List::stream)
            .filter(e -> e.action().matches("EpochVisibility.Begin(Linearizable|Snapshot)"))
            .toList();
    TraceEvent read =
        logs.values().stream()
            .flatMap(List::stream)
            .filter(e -> e.action().equals("EpochVisibility.ReplicaRead"))
            .filter(e -> begun.stream().anyMatch(b -> b.node().equals(e.sender().orElse(""))))
            .findFirst()
            .orElseThrow();
    TraceEvent another =
        begun.stream()
            .filter(b -> !b.node().equals(read.sender().orElseThrow()))
            .findFirst()
            .orElseThrow();
    Map<String, JsonNode> args = new TreeMap<>(read.args());
    args.put("r", another.args().get("r"));
    MergedLog log = replaced(logs, read, Altered.says(read, read.action(), args, read.state()));
    assertThatThrownBy(() -> VALIDATOR.validate(TamperedLogTest.model("EpochVisibility"), log))
        .isInstanceOf(InputError.class)
        .hasMessageContaining("and says that it is of " + another.node());
  }

  /** A decision is of a node that has the role of the first key, and a finalization of after it. */
  @Test
  void aDecisionAndWhatFollowsAreOfWhoTakesThem() {
    Map<String, List<TraceEvent>> logs = TamperedLogTest.run(7, 20);
    TraceEvent decision = first(logs, "Mvto.HandleDecision");
    TraceEvent finalize = first(logs, "Mvto.HandleFinalize");
    String coordinator = finalize.sender().orElseThrow();
    TraceEvent stranger =
        sending(logs, e -> e.node().startsWith("c-") && !e.node().equals(coordinator));
    TraceEvent early = sending(logs, e -> e.node().equals(coordinator));
    notOf(logs, decision, early, "says that it is of dn-");
    notOf(logs, finalize, stranger, "says that it is of " + coordinator);
    notOf(logs, finalize, early, "which was sent before the decision");
  }

  private static TraceEvent sending(Map<String, List<TraceEvent>> logs, Predicate<TraceEvent> who) {
    return logs.values().stream()
        .flatMap(List::stream)
        .filter(who)
        .filter(e -> !e.sent().isEmpty())
        .findFirst()
        .orElseThrow();
  }

  /** A step that is said to handle what another one sent is refused. */
  private static void notOf(
      Map<String, List<TraceEvent>> logs, TraceEvent step, TraceEvent sending, String why) {
    Optional<String> message = Optional.of(sending.sent().get(0));
    MergedLog log = replaced(logs, step, Altered.step(step, message, step.by(), step.sent()));
    assertThatThrownBy(() -> VALIDATOR.validate(TamperedLogTest.model("Mvto"), log))
        .isInstanceOf(InputError.class)
        .hasMessageContaining(why);
  }

  /** What an action of another module may begin with is that module's to say. */
  @Test
  void whatAnotherModulesActionsBeginWithIsNotAsked() {
    Map<String, List<TraceEvent>> logs = TamperedLogTest.run(7, 20);
    TraceEvent begin = first(logs, "TimestampBatching.Begin");
    MergedLog log = replaced(logs, begin, Altered.step(begin, begin.recv(), "store", begin.sent()));
    assertThat(VALIDATOR.validate(TamperedLogTest.model("EpochVisibility"), log).rejection())
        .isEmpty();
    assertThatThrownBy(() -> VALIDATOR.validate(TamperedLogTest.model("TimestampBatching"), log))
        .isInstanceOf(InputError.class)
        .hasMessageContaining("and the event says store");
  }

  private static TraceEvent first(Map<String, List<TraceEvent>> logs, String action) {
    return logs.values().stream()
        .flatMap(List::stream)
        .filter(e -> e.action().equals(action))
        .findFirst()
        .orElseThrow();
  }

  private static MergedLog replaced(
      Map<String, List<TraceEvent>> logs, TraceEvent one, TraceEvent other) {
    Map<String, List<TraceEvent>> all = new LinkedHashMap<>(logs);
    all.replaceAll((file, events) -> events.stream().map(e -> e == one ? other : e).toList());
    return MergedLog.of(all);
  }

  /** Of two cuts that came in one message, the second is replayed when a timer fires. */
  @Test
  void aReplicaReplaysAtATimerAsWell() {
    Map<String, List<TraceEvent>> logs = TamperedLogTest.run(7, 20);
    int replays = 0;
    for (Map.Entry<String, List<TraceEvent>> log : logs.entrySet()) {
      List<TraceEvent> events = new ArrayList<>();
      for (TraceEvent e : log.getValue()) {
        if (e.action().equals("EpochVisibility.Replay")) {
          replays++;
          Optional<String> none = Optional.empty();
          events.add(step(e, events.size(), TraceEvent.STUTTER, Map.of(), e.recv(), "", List.of()));
          events.add(step(e, events.size(), e.action(), e.args(), none, "timer", e.sent()));
        } else {
          events.add(step(e, events.size(), e.action(), e.args(), e.recv(), e.by(), e.sent()));
        }
      }
      log.setValue(events);
    }
    LogVerdict v = VALIDATOR.validate(TamperedLogTest.model("EpochVisibility"), MergedLog.of(logs));
    assertThat(v.rejection()).isEmpty();
    assertThat(v.taken().get("Replay")).isPositive().isEqualTo(replays);
  }

  private static TraceEvent step(
      TraceEvent e,
      int before,
      String action,
      Map<String, JsonNode> args,
      Optional<String> recv,
      String by,
      List<String> sent) {
    Map<String, JsonNode> state = action.equals(e.action()) ? e.state() : Map.of();
    return Altered.says(
        Altered.step(Altered.numbered(e, before + 1L), recv, by, sent), action, args, state);
  }

  @Test
  void possibleStatesAreFreedOfThoseBeforeThem() {
    TraceModel model = TamperedLogTest.model("EpochVisibility");
    AtomicInteger freed = new AtomicInteger();
    TraceModel counting =
        counting(TraceModel.class, model, freed, r -> counting(Reading.class, r, freed, x -> x));

    LogVerdict v = VALIDATOR.validate(counting, MergedLog.of(TamperedLogTest.run(1, 150)));

    assertThat(v.rejection()).isEmpty();
    assertThat(v.matched()).isGreaterThan(1024);
    assertThat(freed).hasValue(v.matched() / 512);
  }

  /** Does what {@code of} does, and counts when it is told that states were remade. */
  private static <T> T counting(
      Class<T> type, T of, AtomicInteger remade, UnaryOperator<Reading> read) {
    return type.cast(
        Proxy.newProxyInstance(
            type.getClassLoader(),
            new Class<?>[] {type},
            (proxy, method, arguments) -> {
              if (method.getName().equals("remade")) {
                remade.incrementAndGet();
              }
              Object result = method.invoke(of, arguments);
              return result instanceof Reading reading ? read.apply(reading) : result;
            }));
  }

  @Test
  void aReadOfTheFarPastIsJudgedByWhatItsTimeHeld() {
    Map<String, List<TraceEvent>> logs = TamperedLogTest.run(1, 600);
    TraceEvent read =
        logs.values().stream()
            .flatMap(List::stream)
            .filter(e -> e.action().equals("EpochVisibility.ReplicaRead"))
            .filter(e -> !e.args().get("w").asText().equals("NoTxn"))
            .min(Comparator.comparingLong(TraceEvent::at))
            .orElseThrow();
    TraceEvent begun =
        logs.values().stream()
            .flatMap(List::stream)
            .filter(e -> e.action().matches("EpochVisibility.Begin(Linearizable|Snapshot)"))
            .filter(e -> e.args().get("r").equals(read.args().get("r")))
            .findFirst()
            .orElseThrow();
    assertThat(validateWithLateRead(logs, begun, read, read.args().get("w").asText()).rejection())
        .isEmpty();
    LogVerdict.Rejection r =
        validateWithLateRead(logs, begun, read, "NoTxn").rejection().orElseThrow();
    assertThat(r.entry().event().args().get("r")).isEqualTo(TextNode.valueOf("late"));
  }

  /** Repeats a reader at the end of its replica's log, as a snapshot read of the same timestamp. */
  private static LogVerdict validateWithLateRead(
      Map<String, List<TraceEvent>> logs, TraceEvent begun, TraceEvent read, String writer) {
    Map<String, List<TraceEvent>> longer = new LinkedHashMap<>(logs);
    String file = read.node() + ".ndjson";
    List<TraceEvent> events = new ArrayList<>(logs.get(file));
    TraceEvent last = events.get(events.size() - 1);
    long end =
        logs.values().stream().flatMap(List::stream).mapToLong(TraceEvent::at).max().orElseThrow();
    assertThat(end - read.at()).as("several epochs").isGreaterThan(5_000_000);
    Map<String, JsonNode> stamp = new TreeMap<>(begun.args());
    stamp.put("r", TextNode.valueOf("late"));
    events.add(late(last, end, 1, "EpochVisibility.BeginSnapshot", stamp, Map.of()));
    Map<String, JsonNode> seen = new TreeMap<>(read.args());
    seen.put("r", TextNode.valueOf("late"));
    seen.put("w", TextNode.valueOf(writer));
    JsonNode replayed =
        events.stream()
            .filter(e -> e.state().containsKey("replayed"))
            .reduce((a, b) -> b)
            .orElseThrow()
            .state()
            .get("replayed");
    events.add(late(last, end, 2, read.action(), seen, Map.of("replayed", replayed)));
    longer.put(file, events);
    return VALIDATOR.validate(TamperedLogTest.model("EpochVisibility"), MergedLog.of(longer));
  }

  private static TraceEvent late(
      TraceEvent last,
      long at,
      int after,
      String action,
      Map<String, JsonNode> args,
      Map<String, JsonNode> state) {
    return Altered.says(
        Altered.step(
            Altered.at(Altered.numbered(last, last.n() + after), at, last.local() + at - last.at()),
            Optional.empty(),
            "request",
            List.of()),
        action,
        args,
        state);
  }

  @ParameterizedTest
  @ValueSource(strings = {"early-replica", "wrong-epoch"})
  void aReplicaThatShowsTheWrongViewIsRejected(String name) throws IOException {
    URL[] bugs = {Path.of("../impl/bugs/target/classes").toUri().toURL()};
    try (URLClassLoader loader = new URLClassLoader(bugs, getClass().getClassLoader())) {
      Optional<SeededBug> bug =
          Protocols.bugs("k2", loader).stream().filter(b -> b.name().equals(name)).findFirst();
      assertThat(bug).isPresent();
      MergedLog log = MergedLog.of(TamperedLogTest.run(1, 150, bug));
      LogVerdict v = VALIDATOR.validate(TamperedLogTest.model("EpochVisibility"), log);
      assertThat(v.rejection().orElseThrow().entry().event().action())
          .isEqualTo("EpochVisibility.ReplicaRead");
    }
  }

  @ParameterizedTest
  @CsvSource({
    "HandleRead, /tracker/0, 1",
    "HandleRead, /version/writer, nobody",
    "HandleWrite, /tracker/0, 1",
    "HandleWrite, /version/status, none",
    "HandleFinalize, /version/status, intent",
    "HandleFinalize, /waiting, [{}]",
    "HandleCommit, /record, ABORTED",
    "HandleCommit, /held, [k1]",
    "IssueRead, /txn/phase, done",
    "IssueRead, /txn/reading, NoKey",
    "HandleReadReply, /txn/reads, []",
    "IssueWrite, /txn/writes, []",
    "HandleWriteReply, /txn/acked, []",
    "RequestCommit, /first, NoKey"
  })
  void anAlteredStateIsRejectedAtItsEvent(String action, String field, String value)
      throws IOException {
    Map<String, List<TraceEvent>> logs = TamperedLogTest.run(7, 20);
    String file = "";
    int line = 0;
    for (Map.Entry<String, List<TraceEvent>> log : logs.entrySet()) {
      for (int i = 0; i < log.getValue().size() && file.isEmpty(); i++) {
        TraceEvent e = log.getValue().get(i);
        if (e.action().equals("Mvto." + action)) {
          log.getValue().set(i, showing(e, field, value));
          file = log.getKey();
          line = i + 1;
        }
      }
    }
    LogVerdict v = VALIDATOR.validate(TamperedLogTest.model("Mvto"), MergedLog.of(logs));
    LogVerdict.Rejection r = v.rejection().orElseThrow();
    assertThat(r.entry().file()).isEqualTo(file);
    assertThat(r.entry().line()).isEqualTo(line);
    assertThat(r.call()).contains("Shows");
    assertThat(r.why()).isEqualTo("the state after the action is not the one that was logged");
    assertThat(String.join("\n", Explanation.lines(v, MergedLog.of(logs))))
        .contains("after it the specification is in")
        .doesNotContain("not enabled", "enabled there");
  }

  private static TraceEvent showing(TraceEvent e, String field, String value) throws IOException {
    ObjectNode state = new ObjectMapper().valueToTree(e.state());
    JsonPointer at = JsonPointer.compile(field);
    JsonNode shown =
        value.startsWith("[") ? new YAMLMapper().readTree(value) : TextNode.valueOf(value);
    if (field.equals("/waiting")) {
      shown =
          new ObjectMapper()
              .createArrayNode()
              .add(new ObjectMapper().createObjectNode().put("t", txn(e)).put("on", txn(e)));
    }
    JsonNode parent = state.at(at.head());
    if (parent instanceof ObjectNode object) {
      object.set(at.last().getMatchingProperty(), shown);
    } else {
      ((ArrayNode) parent).set(at.last().getMatchingIndex(), LongNode.valueOf(1));
    }
    Map<String, JsonNode> fields = new TreeMap<>();
    state.fields().forEachRemaining(f -> fields.put(f.getKey(), f.getValue()));
    return Altered.says(e, e.action(), e.args(), fields);
  }

  private static String txn(TraceEvent e) {
    return e.args().get("m").get("t").asText();
  }

  @Test
  void aRejectionNamesFileLineGuardAndState() {
    Map<String, List<TraceEvent>> logs = TamperedLogTest.run(7, 20);
    String file = "";
    int line = 0;
    for (Map.Entry<String, List<TraceEvent>> log : logs.entrySet()) {
      for (int i = 0; i < log.getValue().size() && file.isEmpty(); i++) {
        TraceEvent e = log.getValue().get(i);
        if (e.action().equals("Mvto.IssueWrite")) {
          Map<String, JsonNode> args = new TreeMap<>(e.args());
          args.put("t", TextNode.valueOf("nobody"));
          log.getValue().set(i, with(e, args));
          file = log.getKey();
          line = i + 1;
        }
      }
    }
    MergedLog log = MergedLog.of(logs);
    LogVerdict v = VALIDATOR.validate(TamperedLogTest.model("Mvto"), log);
    LogVerdict.Rejection r = v.rejection().orElseThrow();
    assertThat(r.entry().file()).isEqualTo(file);
    assertThat(r.entry().line()).isEqualTo(line);
    assertThat(r.guards())
        .anySatisfy(
            g -> {
              assertThat(g.holds()).isFalse();
              assertThat(g.text()).isEqualTo("Running(t)");
            });
    assertThat(r.enabled()).isNotEmpty();
    assertThat(String.join("\n", Explanation.lines(v, log))).contains(file + ":" + line);
  }

  /** What is enabled instead cannot be evaluated there, as keys are missing from the module. */
  @Test
  void aLogWithoutItsReadsIsRejectedAtAnEvent() {
    Map<String, List<TraceEvent>> logs = new TreeMap<>();
    TamperedLogTest.run(7, 20)
        .forEach(
            (file, events) ->
                logs.put(
                    file,
                    events.stream()
                        .map(
                            e ->
                                e.action().equals("EpochVisibility.PrimaryRead")
                                    ? Altered.says(e, "Stutter", e.args(), e.state())
                                    : e)
                        .toList()));
    LogVerdict v = VALIDATOR.validate(TamperedLogTest.model("EpochVisibility"), MergedLog.of(logs));
    assertThat(v.rejection()).isPresent();
  }

  @Test
  void logsThatShowNothingAreErrors() {
    assertThatThrownBy(() -> MergedLog.of(Map.of("n.ndjson", List.of())))
        .isInstanceOf(InputError.class);
    TraceEvent stutter =
        new TraceEvent(
            1, "n", "n", 1, 1, "Stutter", Map.of(), Optional.empty(), "", List.of(), 0, Map.of());
    MergedLog log = MergedLog.of(Map.of("n.ndjson", List.of(stutter)));
    assertThatThrownBy(() -> VALIDATOR.validate(TamperedLogTest.model("Mvto"), log))
        .isInstanceOf(InputError.class)
        .hasMessageContaining("none of the 1 events");
  }

  @Test
  void aMissingNodesLogIsAnError() {
    Map<String, List<TraceEvent>> logs = new LinkedHashMap<>(TamperedLogTest.run(7, 20));
    logs.remove("dn-SH.ndjson");
    logs.remove("dn-SHb.ndjson");
    MergedLog log = MergedLog.of(logs);
    assertThatThrownBy(log::demandSenders)
        .isInstanceOf(InputError.class)
        .hasMessageContaining("whose log is missing");
  }

  @Test
  void mergingPutsSendsBeforeReceivesWhateverTheClocksSay() {
    TraceEvent send =
        new TraceEvent(
            1,
            "a",
            "a",
            50,
            0,
            "Stutter",
            Map.of(),
            Optional.empty(),
            "",
            List.of("a:1"),
            0,
            Map.of());
    TraceEvent receive =
        new TraceEvent(
            1,
            "b",
            "b",
            10,
            0,
            "Stutter",
            Map.of(),
            Optional.of("a:1"),
            "",
            List.of(),
            0,
            Map.of());
    Map<String, List<TraceEvent>> logs = new LinkedHashMap<>();
    logs.put("b.ndjson", new ArrayList<>(List.of(receive)));
    logs.put("a.ndjson", new ArrayList<>(List.of(send)));
    assertThat(MergedLog.of(logs).entries())
        .extracting(e -> e.event().node())
        .containsExactly("a", "b");
  }

  private static TraceEvent with(TraceEvent e, Map<String, JsonNode> args) {
    return Altered.says(e, e.action(), args, e.state());
  }
}
