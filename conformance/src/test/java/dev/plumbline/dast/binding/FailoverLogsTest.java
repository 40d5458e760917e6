package dev.plumbline.dast.binding;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.LongNode;
import dev.plumbline.graph.Conformance;
import dev.plumbline.protocol.Fault;
import dev.plumbline.protocol.FaultPlan;
import dev.plumbline.protocol.Protocols;
import dev.plumbline.sim.RunConfig;
import dev.plumbline.tlc.InputError;
import dev.plumbline.tlc.Spec;
import dev.plumbline.tlc.Term;
import dev.plumbline.trace.TraceEvent;
import dev.plumbline.validate.Altered;
import dev.plumbline.validate.LogVerdict;
import dev.plumbline.validate.MergedLog;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * A log in which a node of each region and a manager crash and are replaced is accepted; an edit
 * that breaks a claim of {@code Failover} is rejected.
 */
class FailoverLogsTest {
  static final FaultPlan PLAN =
      new FaultPlan(
          List.of(
              new Fault.Crash(1_400_000, 1_600_000, "r2s1n1"),
              new Fault.Crash(2_000_000, 2_200_000, "m-r2"),
              new Fault.Crash(2_500_000, 2_700_000, "r1s1n3")),
          4_000_000);
  private static final TreeMap<String, Long> PARAMETERS =
      new TreeMap<>(Map.of("regions", 2L, "shards", 1L, "suspectMicros", 1_000_000L));

  private static MergedLog log;

  @BeforeAll
  static void run() {
    log = LogEdits.log(config(3, 40, PARAMETERS, PLAN));
  }

  static RunConfig config(
      long seed, int transactions, TreeMap<String, Long> parameters, FaultPlan plan) {
    return new RunConfig(
        Protocols.named("dast"),
        seed,
        transactions,
        "list-append",
        Set.of(),
        Set.of(),
        new TreeSet<>(),
        parameters,
        Optional.empty(),
        Optional.of(plan),
        true);
  }

  @Test
  void theLogAsItIsIsAccepted() {
    LogVerdict verdict = LogEdits.validate("Failover", PARAMETERS, log);
    assertThat(verdict.rejection()).isEmpty();
    assertThat(verdict.taken().keySet())
        .contains(
            "RemoveNode",
            "AddReplica",
            "Elect",
            "HandleViewPrep",
            "DecideView",
            "HandleViewCommit",
            "HandleResolved",
            "HandleAbort",
            "Announce",
            "Execute");
  }

  /** f = 2: one change of the view removes both, and each comes back. */
  @Test
  void twoReplicasOfAShardAreRemovedAtOnce() {
    TreeMap<String, Long> five = new TreeMap<>(PARAMETERS);
    five.put("replicas", 5L);
    FaultPlan plan =
        new FaultPlan(
            List.of(
                new Fault.Crash(1_100_000, 2_700_000, "r1s1n1"),
                new Fault.Crash(1_100_000, 1_500_000, "r1s1n2")),
            5_000_000);
    MergedLog both = LogEdits.log(config(3, 40, five, plan));
    LogVerdict verdict = LogEdits.validate("Failover", five, both);
    assertThat(verdict.rejection()).isEmpty();
    assertThat(verdict.taken()).containsKeys("RemoveNode", "AddReplica");
  }

  /** It goes on for nothing until it is told, with a clock that the others no longer wait for. */
  @Test
  void aNodeThatWasRemovedForItsSilenceMayStampBelowWhatMembersHaveExecutedButNotCommit() {
    TreeMap<String, Long> parameters = new TreeMap<>(Map.of("suspectMicros", 1_000_000L));
    FaultPlan plan =
        new FaultPlan(
            List.of(
                new Fault.Crash(1_671_530, 1_772_670, "r2s2n3"),
                new Fault.Pause(1_745_965, 3_655_166, "r1s2n2"),
                new Fault.Drift(2_085_882, "r1s1n2", -104)),
            5_000_000);
    MergedLog silent = LogEdits.log(config(268, 102, parameters, plan));
    assertThat(LogEdits.validate("Failover", parameters, silent).rejection()).isEmpty();

    List<TraceEvent> own = LogEdits.byNode(silent).get("r1s2n2.ndjson");
    int stamped = 0;
    while (!own.get(stamped).action().equals("TwoPhaseAnticipation.CoordIrt")
        || !own.get(stamped).args().get("t").asText().startsWith("4000007")) {
      stamped++;
    }
    TraceEvent next = own.get(stamped + 1);
    TraceEvent commit =
        Altered.says(
            Altered.step(next, Optional.empty(), next.by(), List.of()),
            "TwoPhaseAnticipation.CommitIrt",
            Map.of(
                "t",
                own.get(stamped).args().get("t"),
                "votes",
                list().add("r1s2n1").add("r1s2n2").add("r1s2n3")),
            Map.of());
    LogVerdict verdict =
        LogEdits.validate("Failover", parameters, LogEdits.replaced(silent, next, commit));
    assertThat(verdict.rejection().orElseThrow().entry().event()).isEqualTo(commit);
  }

  /** Asked again it reports one more IRT, and the manager has decided before it hears that. */
  @Test
  void aMemberMayAnswerAgainAndTheManagerDecideByItsFirstAnswer() {
    TraceEvent decided = null;
    TraceEvent answer = null;
    JsonNode own = null;
    for (TraceEvent a : LogEdits.events(log, "Failover.HandleViewPrep")) {
      for (TraceEvent d : LogEdits.events(log, "Failover.DecideView")) {
        if (own == null
            && filled(a, "remove")
            && d.args().get("vid").equals(a.args().get("vid"))
            && d.args().get("remove").equals(a.args().get("remove"))) {
          decided = d;
          answer = a;
          own = unreported(a, d);
        }
      }
    }
    ArrayNode irts = answer.args().get("irts").deepCopy();
    irts.add(own);
    Map<String, JsonNode> more = new TreeMap<>(answer.args());
    more.put("irts", irts);
    TraceEvent again = LogEdits.with(answer, more, answer.state());
    Map<String, List<TraceEvent>> logs = LogEdits.byNode(log);
    List<TraceEvent> events = logs.get(answer.node() + ".ndjson");
    events.add(events.indexOf(answer) + 1, again);
    assertThat(LogEdits.validate("Failover", PARAMETERS, MergedLog.of(logs)).rejection()).isEmpty();

    LogVerdict verdict =
        LogEdits.validate("Failover", PARAMETERS, LogEdits.replaced(log, answer, again));
    assertThat(verdict.rejection().orElseThrow().entry().event()).isEqualTo(decided);
  }

  /** An IRT that who answers has coordinated and that the decision lacks, or null. */
  private static JsonNode unreported(TraceEvent answer, TraceEvent decided) {
    return log.entries().stream()
        .map(MergedLog.Entry::event)
        .takeWhile(e -> e != answer)
        .filter(e -> e.action().equals("TwoPhaseAnticipation.CoordIrt"))
        .filter(e -> e.role().equals(answer.role()))
        .map(e -> e.args().get("t"))
        .filter(t -> !decided.args().get("irts").toString().contains(t.toString()))
        .findFirst()
        .orElse(null);
  }

  /**
   * Each note may be taken for two reasons: of 12, TLC would make 4,096 successors, and of 26 none.
   */
  @Test
  void aClockMessageWithManyNotesIsTakenInOneWay(@TempDir Path folder) throws IOException {
    String module =
        """
        ---- MODULE Written ----
        EXTENDS TraceFailover
        Regional == [p \\in 1..3 |-> "r1"]
        Shards1 == [t \\in 1..12 |-> {"s1"}]
        Fill == /\\ have' = [have EXCEPT ![3].committed = Irt]
                /\\ decided' = [decided EXCEPT !["r1"] = Append(@, [FirstView("r1") EXCEPT !.irts = Irt])]
                /\\ UNCHANGED <<irt, crt, crtPhase, log, view, ignored, hold, leader, prop, Clocks>>
        Second == {2, 3}
        Shard1 == [p \\in 1..3 |-> "s1"]
        Coord1 == [t \\in 1..12 |-> 3]
        Epoch1 == [p \\in 1..3 |-> 1]
        ====
        """;
    String config =
        """
        SPECIFICATION TraceSpec
        CONSTANTS Member <- Second
        Spare = {}
        Manager = {1}
        Majority = 2
        Coord <- Coord1
        CrtCoord = 0
        Suspects = {}
        Times = {}
        Rtts = {}
        Ahead = 0
        MaxViews = 0
        RegionOf <- Regional
        Shard <- Shard1
        Shards <- Shards1
        Crts = {}
        Epoch <- Epoch1
        Repairs = {}
        """;
    Spec spec =
        Spec.load(
            Files.writeString(folder.resolve("Written.tla"), module),
            Files.writeString(folder.resolve("Written.cfg"), config),
            List.of(Path.of("../specs/dast"), Path.of("../specs/common")));
    Spec.State filled = spec.apply(spec.initialStates().get(0), "Fill", List.of()).get(0);
    Term notes = Term.set(IntStream.rangeClosed(1, 12).mapToObj(Term::of).toList());
    List<Term> heard = List.of(Term.of(2), Term.of(3), Term.of(1), Term.set(List.of()), notes);
    assertThat(spec.apply(filled, "TraceHear", heard)).hasSize(1);
  }

  /** Modules without views look at the part before the first change. */
  @ParameterizedTest
  @CsvSource({"StretchableClock", "TwoPhaseAnticipation"})
  void othersJudgeUpToTheFirstChangeOfView(String module) {
    LogVerdict verdict = LogEdits.validate(module, PARAMETERS, log);
    assertThat(verdict.rejection()).isEmpty();
    long afterTheCrash =
        log.entries().stream()
            .map(MergedLog.Entry::event)
            .takeWhile(e -> !e.action().equals("Failover.DecideView"))
            .dropWhile(e -> !e.action().equals(TraceEvent.CRASH))
            .filter(e -> e.action().startsWith(module))
            .count();
    assertThat(afterTheCrash).isPositive();
  }

  /** Why such a log is not judged: it has no floor under what a manager anticipates. */
  @Test
  void whereNobodyIsReplacedAnticipatedTimestampsGoBack() {
    Conformance dast = Conformance.named("dast");
    FaultPlan pauses =
        new FaultPlan(
            List.of(
                new Fault.Pause(1_872_481, 2_209_831, "r2s1n2"),
                new Fault.Pause(2_315_667, 2_541_195, "m-r1")),
            3_000_000);
    RunConfig config = config(1, 27, new TreeMap<>(), pauses);
    assertThat(dast.silent("Failover", config.settings())).isPresent();
    assertThat(dast.silent("TwoPhaseAnticipation", config.settings())).isEmpty();
    assertThat(dast.silent("Failover", config(3, 40, PARAMETERS, PLAN).settings())).isEmpty();
    LogVerdict verdict = LogEdits.validate("Failover", new TreeMap<>(), LogEdits.log(config));
    assertThat(verdict.rejection().orElseThrow().why()).contains("AnticipatedInv");
  }

  /** Repair ReportOwn; the IRT began while another member was down, and nobody executed it. */
  @Test
  void aMemberThatKeepsItsOwnIrtToItselfIsRejected() {
    MergedLog whole = LogEdits.log(config(11, 60, PARAMETERS, PLAN));
    assertThat(LogEdits.validate("Failover", PARAMETERS, whole).rejection()).isEmpty();
    TraceEvent answer =
        LogEdits.events(whole, "Failover.HandleViewPrep").stream()
            .filter(e -> filled(e, "irts"))
            .findFirst()
            .orElseThrow();
    assertThat(LogEdits.events(whole, "TwoPhaseAnticipation.CoordIrt"))
        .anyMatch(
            e ->
                e.role().equals(answer.role())
                    && e.args().get("t").equals(answer.args().get("irts").get(0)));
    Map<String, JsonNode> args = new TreeMap<>(answer.args());
    args.put("irts", list());
    MergedLog edited =
        LogEdits.replaced(whole, answer, LogEdits.with(answer, args, answer.state()));
    LogVerdict verdict = LogEdits.validate("Failover", PARAMETERS, edited);
    assertThat(verdict.rejection().orElseThrow().entry().event().at()).isEqualTo(answer.at());
  }

  /** {@code what} is broken, and the action of the event at which that is seen. */
  @ParameterizedTest
  @CsvSource({
    "a member keeps an IRT of the removed node to itself, HandleViewPrep",
    "a member does not say that a CRT is committed, HandleViewPrep",
    "a member reports an IRT of a member that stays, HandleViewPrep",
    "a member holds its clock although nobody is added, HandleViewPrep",
    "a new replica begins below the manager's clock, AddReplica",
    "a member does not answer, DecideView",
    "an IRT is left out of the decision, DecideView",
    "a new replica starts below the others, DecideView",
    "a new replica lacks what was executed first, HandleViewCommit",
    "a new replica has executed what nobody has, HandleViewCommit",
    "a replica skips a transaction, Execute",
    "a committed CRT is aborted, HandleAbort",
    "a new manager anticipates below the old one, Anticipate",
    "a member takes a message of the replaced manager, HandlePrepCrt"
  })
  void anEditedLogIsRejected(String what, String at) {
    LogVerdict verdict = LogEdits.validate("Failover", PARAMETERS, edited(what));
    assertThat(verdict.rejection()).as(what).isPresent();
    assertThat(verdict.rejection().orElseThrow().entry().event().action()).endsWith("." + at);
  }

  /** What an event says of itself has to be what other events say. */
  @Test
  void aManagerThatGoesOnAlthoughItWasReplacedIsRefused() {
    MergedLog edited =
        LogEdits.without(log, first(TraceEvent.RESTART, e -> e.node().equals("m-r2")));
    assertThatThrownBy(() -> LogEdits.validate("Failover", PARAMETERS, edited))
        .isInstanceOf(InputError.class)
        .hasMessageContaining("Elect of m-r2: its manager is not of epoch 2");
  }

  /** Modules without views would leave all that is after the change to nobody. */
  @ParameterizedTest
  @CsvSource({"StretchableClock", "TwoPhaseAnticipation"})
  void aLogWithViewsIsOfARunWithSuspicions(String module) {
    TreeMap<String, Long> without = new TreeMap<>(PARAMETERS);
    without.remove("suspectMicros");
    assertThatThrownBy(() -> LogEdits.validate(module, without, log))
        .isInstanceOf(InputError.class)
        .hasMessageContaining("suspectMicros");
  }

  private static MergedLog edited(String what) {
    String prep = "Failover.HandleViewPrep";
    String decide = "Failover.DecideView";
    String commit = "Failover.HandleViewCommit";
    return switch (what) {
      case "a member keeps an IRT of the removed node to itself" ->
          change(prep, e -> filled(e, "irts"), "irts", list());
      case "a member does not say that a CRT is committed" ->
          change(prep, e -> filled(e, "committed"), "committed", list());
      case "a member reports an IRT of a member that stays" -> {
        TraceEvent e = first(prep, d -> filled(d, "remove"));
        JsonNode another =
            log.entries().stream()
                .map(MergedLog.Entry::event)
                .takeWhile(d -> d != e)
                .filter(d -> d.action().equals("TwoPhaseAnticipation.CoordIrt"))
                .filter(d -> !d.role().equals(e.role()))
                .filter(d -> !e.args().get("remove").toString().contains(d.role()))
                .map(d -> d.args().get("t"))
                .reduce((before, after) -> after)
                .orElseThrow();
        ArrayNode irts = e.args().get("irts").deepCopy();
        yield replaced(e, "irts", irts.add(another));
      }
      case "a member holds its clock although nobody is added" ->
          change(prep, e -> filled(e, "remove"), "held", LongNode.valueOf(Long.MAX_VALUE / 2));
      case "a new replica begins below the manager's clock" ->
          change("Failover.AddReplica", e -> true, "at", LongNode.valueOf(1));
      case "a member does not answer" ->
          LogEdits.without(log, first(prep, e -> filled(e, "remove")));
      case "an IRT is left out of the decision" ->
          change(decide, e -> filled(e, "irts"), "irts", list());
      case "a new replica starts below the others" -> {
        TraceEvent e = first(decide, d -> !d.args().get("add").asText().isEmpty());
        ArrayNode at = e.state().get("at").deepCopy();
        at.set(0, LongNode.valueOf(at.get(0).longValue() - 1_000_000));
        yield LogEdits.replaced(log, e, LogEdits.with(e, e.args(), Map.of("at", at)));
      }
      case "a new replica lacks what was executed first" -> {
        TraceEvent e = first(commit, d -> filled(d, "executed"));
        ArrayNode executed = e.args().get("executed").deepCopy();
        executed.remove(0);
        yield replaced(e, "executed", executed);
      }
      case "a new replica has executed what nobody has" -> {
        TraceEvent e = first(commit, d -> filled(d, "executed") && filled(d, "prepared"));
        ArrayNode executed = e.args().get("executed").deepCopy();
        executed.add(e.args().get("prepared").get(0));
        yield replaced(e, "executed", executed);
      }
      case "a replica skips a transaction" -> {
        String execute = "TwoPhaseAnticipation.Execute";
        String another = first(execute, e -> true).node();
        yield LogEdits.without(log, first(execute, e -> !e.node().equals(another)));
      }
      case "a committed CRT is aborted" -> {
        TraceEvent e = first("Failover.HandleResolved", d -> true);
        TraceEvent abort = Altered.says(e, "Failover.HandleAbort", e.args(), e.state());
        yield LogEdits.replaced(log, e, abort);
      }
      case "a new manager anticipates below the old one" ->
          change(
              "TwoPhaseAnticipation.Anticipate",
              FailoverLogsTest::underTheNewManager,
              "rtt",
              LongNode.valueOf(-10_000_000));
      case "a member takes a message of the replaced manager" -> {
        String handle = "TwoPhaseAnticipation.HandlePrepCrt";
        TraceEvent later = first(handle, FailoverLogsTest::underTheNewManager);
        TraceEvent before = first(handle, e -> e.node().equals(later.node()));
        TraceEvent forged = Altered.step(later, before.recv(), later.by(), later.sent());
        yield LogEdits.replaced(log, later, LogEdits.with(forged, before.args(), later.state()));
      }
      default -> throw new IllegalArgumentException(what);
    };
  }

  private static boolean underTheNewManager(TraceEvent e) {
    return e.node().contains("r2") && e.at() > 2_400_000;
  }

  private static boolean filled(TraceEvent e, String name) {
    return e.args().containsKey(name) && !e.args().get(name).isEmpty();
  }

  private static ArrayNode list() {
    return JsonNodeFactory.instance.arrayNode();
  }

  private static TraceEvent first(String action, Predicate<TraceEvent> which) {
    return LogEdits.events(log, action).stream().filter(which).findFirst().orElseThrow();
  }

  private static MergedLog change(
      String action, Predicate<TraceEvent> which, String name, JsonNode value) {
    return replaced(first(action, which), name, value);
  }

  private static MergedLog replaced(TraceEvent e, String name, JsonNode value) {
    Map<String, JsonNode> args = new TreeMap<>(e.args());
    args.put(name, value);
    return LogEdits.replaced(log, e, LogEdits.with(e, args, e.state()));
  }
}
