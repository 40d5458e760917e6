package dev.plumbline.metric.binding;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.LongNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.node.TextNode;
import dev.plumbline.graph.Conformance;
import dev.plumbline.metric.system.MetricSystem;
import dev.plumbline.protocol.FaultKind;
import dev.plumbline.protocol.Protocols;
import dev.plumbline.protocol.SeededBug;
import dev.plumbline.protocol.Settings;
import dev.plumbline.sim.RunConfig;
import dev.plumbline.tlc.InputError;
import dev.plumbline.trace.TraceEvent;
import dev.plumbline.validate.Altered;
import dev.plumbline.validate.LogVerdict;
import dev.plumbline.validate.MergedLog;
import dev.plumbline.validate.SimulatedLogs;
import dev.plumbline.validate.Validator;
import java.io.IOException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.function.Predicate;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Logs of simulated runs are accepted; an edit of one is rejected at the event it makes wrong. */
class MetricLogsTest {
  private static final MetricSystem METRIC = new MetricSystem();
  private static final Path ROOT = Path.of("..");

  private static final int OWNERSHIP = 2;

  /** What runs under all faults take of RedoLog. */
  private static final List<String> REDO_LOG =
      List.of(
          "ReceiveCall",
          "Own",
          "Populate",
          "Execute",
          "CheckRead",
          "LocalCommit",
          "SendAppend",
          "AppendDone",
          "ClearLocalQueue",
          "ReplyOk",
          "Nack",
          "ReleaseOwnership");

  private static Map<String, List<TraceEvent>> logs;

  /** Of transactions with several queries. */
  private static Map<String, List<TraceEvent>> queries;

  /** Of transactions that sites lead. */
  private static Map<String, List<TraceEvent>> led;

  @BeforeAll
  static void run() {
    logs = logs(1, 60, METRIC.tolerated(), Optional.empty());
    queries = queries(1, 60, Optional.empty());
    led = led(1, 60, 3, Optional.empty());
  }

  private static Map<String, List<TraceEvent>> led(
      long seed, int transactions, long queries, Optional<SeededBug> bug) {
    return logs(seed, transactions, METRIC.tolerated(), bug, Map.of("led", 1L, "queries", queries));
  }

  private static Map<String, List<TraceEvent>> logs(
      long seed, int transactions, Set<FaultKind> faults, Optional<SeededBug> bug) {
    return logs(seed, transactions, faults, bug, Map.of());
  }

  private static Map<String, List<TraceEvent>> queries(
      long seed, int transactions, Optional<SeededBug> bug) {
    return logs(seed, transactions, METRIC.tolerated(), bug, Map.of("queries", 3L));
  }

  private static Map<String, List<TraceEvent>> logs(
      long seed,
      int transactions,
      Set<FaultKind> faults,
      Optional<SeededBug> bug,
      Map<String, Long> parameters) {
    RunConfig config =
        new RunConfig(
            METRIC,
            seed,
            transactions,
            "list-append",
            faults,
            Set.of(),
            new TreeSet<>(),
            new TreeMap<>(parameters),
            bug,
            Optional.empty(),
            true);
    return SimulatedLogs.of(config);
  }

  private static LogVerdict validate(Map<String, List<TraceEvent>> of) {
    return validate(0, of);
  }

  private static LogVerdict validate(int module, Map<String, List<TraceEvent>> of) {
    Settings settings = Settings.repaired(METRIC.clockBounds());
    return new Validator(ROOT)
        .validate(Conformance.named("metric").traceModels(settings).get(module), MergedLog.of(of));
  }

  @Test
  void theLogAsItIsIsAccepted() {
    LogVerdict verdict = validate(logs);
    assertThat(verdict.rejection()).isEmpty();
    assertThat(verdict.taken().keySet()).containsAll(REDO_LOG);
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, OWNERSHIP})
  void aFencedInstanceIsLostLikeOneThatCrashed(int module) {
    LogVerdict verdict = validate(module, Altered.fencedForCrashed(logs));
    assertThat(verdict.rejection()).isEmpty();
    assertThat(verdict.taken()).isEqualTo(validate(module, logs).taken());
  }

  @Test
  void anErrorSaysWhatIsMissing() {
    Map<String, List<TraceEvent>> bare = new LinkedHashMap<>(queries);
    bare.replaceAll(
        (node, events) ->
            events.stream().map(e -> Altered.says(e, e.action(), e.args(), Map.of())).toList());
    assertThatThrownBy(() -> validate(OWNERSHIP, bare))
        .isInstanceOf(InputError.class)
        .hasMessageContaining("Ownership.StartQuery has no state, and no argument pc");
  }

  @Test
  void whatCassandraDoesAsAStoreIsInNoLog() {
    Settings plain = Settings.repaired(METRIC.clockBounds());
    Settings cassandra =
        new Settings(METRIC.clockBounds(), new TreeSet<>(), new TreeMap<>(Map.of("cassandra", 1L)));
    Conformance metric = Conformance.named("metric");
    assertThat(metric.silent("EntryConsistency", cassandra)).isPresent();
    assertThat(metric.silent("RedoLog", cassandra)).isEmpty();
    assertThat(metric.silent("EntryConsistency", plain)).isEmpty();
  }

  /**
   * On table T1's key a client goes on under reference 9 when it has 11. The module has one
   * operation a client, so it is two of them; {@code edit} is of an event there.
   */
  @ParameterizedTest
  @CsvSource({"AcquireLock, ref", "ReadReply, stamp", "ForcedRelease, c"})
  void aClientThatOvertakesItselfIsJudgedAsTwo(String action, String edit) {
    Map<String, List<TraceEvent>> run = logs(1, 200, Set.of(FaultKind.DELAY), Optional.empty());
    LogVerdict verdict = validate(1, run);
    assertThat(verdict.rejection()).isEmpty();
    assertThat(verdict.covered()).matches("(\\d+) of \\1 keys");
    Map<String, List<TraceEvent>> forged = new LinkedHashMap<>(run);
    TraceEvent first =
        run.values().stream()
            .flatMap(List::stream)
            .filter(e -> e.action().equals("EntryConsistency." + action) && !unwritten(e))
            .filter(e -> e.args().get("key").asText().equals("table T1"))
            .findFirst()
            .orElseThrow();
    forged.replaceAll(
        (node, events) -> events.stream().map(e -> e == first ? forged(e, edit) : e).toList());
    assertThat(validate(1, forged).rejection()).isPresent();
  }

  /** It had been granted the earlier one too. */
  @Test
  void aProcessesReferencesOfAKeyDoNotGoBack() {
    Map<String, JsonNode> first = new TreeMap<>();
    Map<String, List<TraceEvent>> forged = new LinkedHashMap<>(led);
    forged.replaceAll(
        (node, events) ->
            events.stream()
                .map(
                    e -> {
                      if (!e.action().startsWith("Ownership.") || !e.args().containsKey("ref")) {
                        return e;
                      }
                      String key = node + e.args().get("key");
                      first.putIfAbsent(key, e.args().get("ref"));
                      Map<String, JsonNode> args = new TreeMap<>(e.args());
                      if (e.action().endsWith(".PointDone")) {
                        args.put("ref", first.get(key));
                      }
                      return Altered.says(e, e.action(), args, e.state());
                    })
                .toList());
    assertThat(forged).isNotEqualTo(led);
    assertThat(validate(OWNERSHIP, forged).rejection()).isPresent();
  }

  /**
   * On a key of the redo log; a table's has most events. {@code edit}: what of the first such event
   * is another, or all of them on its key become none.
   */
  @ParameterizedTest
  @CsvSource({
    "AcquireLock, ref",
    "ReadReply, stamp",
    "StoreWrite, none",
    "FinishGet, from",
    "SyncWriteBack, best",
    "SyncWriteBack|FinishSync, none"
  })
  void everyKeyIsJudged(String actions, String edit) {
    Predicate<TraceEvent> named =
        e -> e.action().matches("EntryConsistency\\.(" + actions + ")") && !unwritten(e);
    TraceEvent first =
        led.values().stream()
            .flatMap(List::stream)
            .filter(named.and(e -> e.args().get("key").asText().startsWith("entry ")))
            .findFirst()
            .orElseThrow();
    Predicate<TraceEvent> sameKey = e -> e.args().get("key").equals(first.args().get("key"));
    Map<String, List<TraceEvent>> forged = new LinkedHashMap<>(led);
    forged.replaceAll(
        (node, events) ->
            events.stream()
                .map(
                    e ->
                        edit.equals("none") && named.and(sameKey).test(e)
                            ? Altered.says(e, TraceEvent.STUTTER, Map.of(), Map.of())
                            : e == first ? forged(e, edit) : e)
                .toList());
    assertThat(validate(1, forged).rejection()).isPresent();
  }

  /** What an event handles is of the client, or of a replica, that it says. */
  @ParameterizedTest
  @CsvSource({
    "ReadReply, m-S1 m-S2 m-S3",
    "ReleaseLock, m-S1 m-S2 m-S3",
    "StoreWrite, m-S1 m-S2 m-S3",
    "FinishPut, locks",
    "FinishSync, locks",
    "FinishGet, locks",
    "SyncWriteBack, locks"
  })
  void aMessageIsOfWhoSentIt(String action, String others) {
    TraceEvent first =
        logs.values().stream()
            .flatMap(List::stream)
            .filter(e -> e.action().equals("EntryConsistency." + action))
            .findFirst()
            .orElseThrow();
    String other =
        List.of(others.split(" ")).stream()
            .filter(name -> !name.equals(first.sender().orElseThrow()))
            .findFirst()
            .orElseThrow();
    Map<String, List<TraceEvent>> forged = new LinkedHashMap<>(logs);
    forged.replaceAll(
        (node, events) ->
            events.stream()
                .map(
                    e ->
                        e == first
                            ? Altered.step(e, Optional.of(other + ":1"), e.by(), e.sent())
                            : e)
                .toList());
    assertThatThrownBy(() -> validate(1, forged))
        .isInstanceOf(InputError.class)
        .hasMessageContaining(action + " handles message " + other + ":1, and says that it is of ");
  }

  private static boolean unwritten(TraceEvent e) {
    return e.action().endsWith("ReadReply") && e.state().get("stamp").get(0).asInt() == 0;
  }

  /** Another reference, the stamp of no write, or fewer replicas. */
  private static TraceEvent forged(TraceEvent e, String what) {
    Map<String, JsonNode> args = new TreeMap<>(e.args());
    Map<String, JsonNode> state = new TreeMap<>(e.state());
    (args.containsKey(what) ? args : state)
        .compute(
            what,
            (name, value) ->
                switch (name) {
                  case "ref" -> LongNode.valueOf(value.asLong() + 7);
                  case "c" -> TextNode.valueOf(value.asText().equals("m-S1") ? "m-S2" : "m-S1");
                  case "from" -> changed(value);
                  default -> ((ArrayNode) value.deepCopy()).removeAll().add(0).add(0);
                });
    return Altered.says(e, e.action(), args, state);
  }

  /** In this run a client crashes while its release is on its way to the lock service. */
  @Test
  void aReleaseOutlivesItsClient() {
    Map<String, List<TraceEvent>> run = logs(38, 200, METRIC.tolerated(), Optional.empty());
    assertThat(validate(1, run).rejection()).isEmpty();
  }

  /** In this run a process crashes that has given all tables back; it logs no last entry then. */
  @Test
  void aProcessThatOwnsNothingForgetsItsLastEntry() {
    Map<String, List<TraceEvent>> run = logs(91, 150, Set.of(FaultKind.CRASH), Optional.empty());
    assertThat(validate(OWNERSHIP, run).rejection()).isEmpty();
    assertThat(validate(run).rejection()).isEmpty();
  }

  @Test
  void theLogOfSeveralQueriesIsAccepted() {
    LogVerdict verdict = validate(OWNERSHIP, queries);
    assertThat(verdict.rejection()).isEmpty();
    assertThat(verdict.taken().keySet())
        .contains(
            "BeginTxn",
            "StartQuery",
            "CreateEntry",
            "LockNew",
            "NextTable",
            "LockDirectory",
            "LockFound",
            "AddTable",
            "AddDone",
            "PointDirectory",
            "PointDone",
            "OwnDone",
            "Populate",
            "ExecuteQuery",
            "CommitPut",
            "LockTimeout",
            "ReleaseOwnership");
  }

  /**
   * {@code edit}: drop, or what of the event is changed. ReleaseOwnership may be dropped: a process
   * whose next query wants other tables gives all back then.
   */
  @ParameterizedTest
  @CsvSource({
    "BeginTxn, drop",
    "BeginTxn, queries",
    "StartQuery, drop",
    "StartQuery, want",
    "CreateEntry, drop",
    "LockNew, drop",
    "NextTable, drop",
    "NextTable, table",
    "LockDirectory, drop",
    "LockDirectory, keys",
    "LockFound, drop",
    "LockFound, held",
    "AddTable, drop",
    "AddDone, drop",
    "PointDirectory, drop",
    "PointDone, drop",
    "PointDone, via",
    "OwnDone, drop",
    "OwnDone, held",
    "Populate, drop",
    "ExecuteQuery, drop",
    "ExecuteQuery, pc",
    "CommitPut, drop",
    "LockTimeout, drop",
    "ReleaseOwnership, mine"
  })
  void anEditedLogOfQueriesIsRejected(String action, String edit) {
    assertThat(validate(OWNERSHIP, edited(queries, "Ownership." + action, edit)).rejection())
        .isPresent();
  }

  @ParameterizedTest
  @ValueSource(strings = {"RedoLog", "Ownership"})
  void aProcessLetsGoOfItsTablesInBothModules(String module) {
    String release = ".ReleaseOwnership";
    assertThatThrownBy(() -> validate(OWNERSHIP, edited(queries, module + release, "drop")))
        .isInstanceOf(InputError.class)
        .hasMessageContaining(release + " stands alone");
  }

  /** With Cassandra as the store what a message begins elsewhere is begun by its answer. */
  @Test
  void theAnswerOfAStoreBeginsStepsWhereThereIsOne() {
    TraceEvent nack =
        logs.values().stream()
            .flatMap(List::stream)
            .filter(e -> e.action().equals("RedoLog.Nack"))
            .findFirst()
            .orElseThrow();
    TraceEvent other = Altered.step(nack, Optional.empty(), "store", nack.sent());
    Map<String, List<TraceEvent>> answered = new LinkedHashMap<>(logs);
    answered.replaceAll((node, events) -> events.stream().map(e -> e == nack ? other : e).toList());
    assertThatThrownBy(() -> validate(answered))
        .isInstanceOf(InputError.class)
        .hasMessageContaining("RedoLog.Nack begins with");
    Settings cassandra =
        new Settings(METRIC.clockBounds(), new TreeSet<>(), new TreeMap<>(Map.of("cassandra", 1L)));
    assertThat(
            new Validator(ROOT)
                .validate(
                    Conformance.named("metric").traceModels(cassandra).get(0),
                    MergedLog.of(answered))
                .rejection())
        .isEmpty();
  }

  @Test
  void aPopulationNamesEveryTableThatItIsOf() {
    TraceEvent several =
        logs.values().stream()
            .flatMap(List::stream)
            .filter(e -> e.action().equals("RedoLog.Populate"))
            .filter(e -> e.state().get("records").size() > 1)
            .findFirst()
            .orElseThrow();
    ObjectNode fewer = several.state().get("records").deepCopy();
    fewer.remove(fewer.fieldNames().next());
    TraceEvent other =
        Altered.says(several, several.action(), several.args(), Map.of("records", fewer));
    Map<String, List<TraceEvent>> forged = new LinkedHashMap<>(logs);
    forged.replaceAll(
        (node, events) -> events.stream().map(e -> e == several ? other : e).toList());
    assertThat(validate(forged).rejection().orElseThrow().entry().event().action())
        .isEqualTo("RedoLog.Populate");
  }

  /** {@code edit}: drop, or what of the event is changed. */
  @ParameterizedTest
  @CsvSource({
    "ReceiveCall, req",
    "Own, drop",
    "Own, owned",
    "Populate, drop",
    "Populate, records",
    "Execute, drop",
    "Execute, read",
    "CheckRead, drop",
    "LocalCommit, drop",
    "SendAppend, drop",
    "AppendDone, drop",
    "ClearLocalQueue, drop",
    "ReplyOk, drop",
    "Nack, drop",
    "Nack, kind"
  })
  void anEditedLogIsRejected(String action, String edit) {
    assertThat(validate(edited(logs, "RedoLog." + action, edit)).rejection()).isPresent();
  }

  @Test
  void theLogOfTransactionsThatSitesLeadIsAccepted() {
    LogVerdict redo = validate(led);
    assertThat(redo.rejection()).isEmpty();
    assertThat(redo.taken().keySet()).containsAll(REDO_LOG);
    LogVerdict own = validate(OWNERSHIP, led);
    assertThat(own.rejection()).isEmpty();
    assertThat(own.taken().keySet())
        .contains("BeginTxn", "StartQuery", "Populate", "ExecuteQuery", "CommitPut", "LockTimeout");
    LogVerdict store = validate(1, led);
    assertThat(store.rejection()).isEmpty();
    assertThat(store.covered()).matches("(\\d+) of \\1 keys");
  }

  /** What other tables a site has or lacks is told to it later; a nack is a crash to Ownership. */
  @ParameterizedTest
  @CsvSource({
    "RedoLog.ReceiveCall, drop",
    "RedoLog.Own, drop",
    "RedoLog.Own, owned",
    "RedoLog.Execute, drop all",
    "RedoLog.Execute, at",
    "RedoLog.SendAppend, drop",
    "RedoLog.SendAppend, tables",
    "RedoLog.AppendDone, drop",
    "RedoLog.CheckRead, drop",
    "RedoLog.ReplyOk, drop",
    "RedoLog.Nack, drop",
    "RedoLog.Nack, kind",
    "Ownership.StartQuery, tables"
  })
  void anEditedLogOfALedTransactionIsRejected(String action, String edit) {
    assertThat(validate(edited(led, action, edit)).rejection()).isPresent();
  }

  @ParameterizedTest
  @CsvSource({
    "Ownership.BeginTxn, drop",
    "Ownership.StartQuery, drop",
    "Ownership.StartQuery, want",
    "Ownership.CreateEntry, drop",
    "Ownership.LockFound, drop",
    "Ownership.AddDone, drop",
    "Ownership.PointDone, via",
    "Ownership.OwnDone, held",
    "Ownership.Populate, drop",
    "Ownership.ExecuteQuery, drop",
    "Ownership.ExecuteQuery, pc",
    "Ownership.CommitPut, drop"
  })
  void anEditedLogOfALedTransactionsOwnershipIsRejected(String action, String edit) {
    assertThat(validate(OWNERSHIP, edited(led, action, edit)).rejection()).isPresent();
  }

  /** Where Ownership has no event of it, as where own() ends by itself, the nack is its end. */
  @Test
  void aNackThatEndsATransactionIsMissed() {
    Map<String, List<TraceEvent>> without = new LinkedHashMap<>(led);
    for (Map.Entry<String, List<TraceEvent>> node : led.entrySet()) {
      List<TraceEvent> events = node.getValue();
      for (int i = 0; i + 1 < events.size() && without.equals(led); i++) {
        if (events.get(i).action().equals("RedoLog.Nack")
            && !List.of("Ownership.LockTimeout", "Ownership.Rejected")
                .contains(events.get(i + 1).action())) {
          List<TraceEvent> rest = new ArrayList<>(events);
          rest.remove(i);
          without.put(node.getKey(), rest);
        }
      }
    }
    assertThat(without).isNotEqualTo(led);
    assertThat(validate(OWNERSHIP, without).rejection()).isPresent();
  }

  @ParameterizedTest
  @CsvSource({
    "0, not-forward, 60, 3",
    "0, no-hold, 20, 3",
    "2, no-hold, 20, 3",
    "2, hasty-owner, 20, 1"
  })
  void logsOfTransactionsLedByMachinesWithABugAreRejected(
      int module, String name, int transactions, long queries) throws Exception {
    rejected(module, name, bug -> led(1, transactions, queries, bug));
  }

  /** MariaDB's names have backticks, which TLC's parser does not take in a string. */
  @Test
  void tablesMayHaveAnyName() throws IOException {
    Map<String, List<TraceEvent>> renamed = new LinkedHashMap<>();
    for (Map.Entry<String, List<TraceEvent>> log : led.entrySet()) {
      List<TraceEvent> events = new ArrayList<>();
      for (TraceEvent e : log.getValue()) {
        events.add(Altered.says(e, e.action(), renamed(e.args()), renamed(e.state())));
      }
      renamed.put(log.getKey(), events);
    }
    LogVerdict verdict = validate(renamed);
    assertThat(verdict.rejection()).isEmpty();
    assertThat(verdict.matched()).isEqualTo(validate(led).matched());
    assertThat(validate(edited(renamed, "RedoLog.Nack", "drop")).rejection()).isPresent();
  }

  private static Map<String, JsonNode> renamed(Map<String, JsonNode> words) throws IOException {
    ObjectMapper json = new ObjectMapper();
    String text = json.writeValueAsString(words).replaceAll("led(\\d)", "`a'pp`.`$1`");
    return json.readValue(text, new TypeReference<TreeMap<String, JsonNode>>() {});
  }

  /**
   * In the first log that has it, the second event of an action is another, or gone; where tables
   * are, in the last.
   */
  private static Map<String, List<TraceEvent>> edited(
      Map<String, List<TraceEvent>> of, String action, String edit) {
    Map<String, List<TraceEvent>> edited = new LinkedHashMap<>();
    boolean done = false;
    for (Map.Entry<String, List<TraceEvent>> node : of.entrySet()) {
      List<TraceEvent> events = new ArrayList<>();
      long all = node.getValue().stream().filter(e -> e.action().equals(action)).count();
      int seen = 0;
      for (TraceEvent e : node.getValue()) {
        boolean chosen =
            e.action().equals(action)
                && (edit.equals("drop all")
                    || !done && seen++ == (edit.equals("at") ? all - 1 : Math.min(1, all - 1)));
        done |= chosen;
        if (!chosen) {
          events.add(e);
        } else if (!edit.startsWith("drop")) {
          events.add(changed(e, edit));
        }
      }
      edited.put(node.getKey(), events);
    }
    assertThat(done).isTrue();
    return edited;
  }

  private static TraceEvent changed(TraceEvent e, String edit) {
    Map<String, JsonNode> args = new TreeMap<>(e.args());
    Map<String, JsonNode> state = new TreeMap<>(e.state());
    Map<String, JsonNode> of = args.containsKey(edit) ? args : state;
    of.compute(edit, (name, value) -> changed(value));
    return Altered.says(e, e.action(), args, state);
  }

  /** Another value of the same kind. */
  private static JsonNode changed(JsonNode value) {
    if (value instanceof ArrayNode array) {
      ArrayNode fewer = array.deepCopy();
      fewer.remove(0);
      return fewer;
    } else if (value instanceof ObjectNode object) {
      ObjectNode copy = object.deepCopy();
      String first = copy.fieldNames().next();
      if (copy.get(first).isTextual()) {
        return copy.put(first, other(copy.get(first).textValue()));
      }
      copy.remove(first);
      return copy;
    }
    return TextNode.valueOf(other(value.textValue()));
  }

  /** Another request, another kind of answer, or where a table is that lacks everything. */
  private static String other(String word) {
    if (word.contains("/")) {
      return "0.0/0";
    }
    return switch (word) {
      case "failed" -> "unknown";
      case "unknown" -> "failed";
      case "c1.1" -> "c0.1";
      default -> "c1.1";
    };
  }

  @ParameterizedTest
  @ValueSource(strings = {"broken-chain", "old-directory", "unchecked-read", "twice-executed"})
  void logsOfMachinesWithABugAreRejected(String name) throws Exception {
    rejected(0, name, bug -> logs(1, 60, METRIC.tolerated(), bug));
  }

  @ParameterizedTest
  @ValueSource(strings = {"no-hold", "old-directory", "left-behind"})
  void logsOfQueriesOfMachinesWithABugAreRejected(String name) throws Exception {
    rejected(OWNERSHIP, name, bug -> queries(1, 60, bug));
  }

  private void rejected(
      int module, String name, Function<Optional<SeededBug>, Map<String, List<TraceEvent>>> run)
      throws Exception {
    URL[] urls = {ROOT.resolve("impl/bugs/target/classes").toUri().toURL()};
    try (URLClassLoader loader = new URLClassLoader(urls, getClass().getClassLoader())) {
      SeededBug bug =
          Protocols.bugs("metric", loader).stream()
              .filter(b -> b.name().equals(name))
              .findFirst()
              .orElseThrow();
      assertThat(validate(module, run.apply(Optional.of(bug))).rejection()).isPresent();
    }
  }
}
