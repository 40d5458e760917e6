package dev.plumbline.metricconf;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.node.TextNode;
import dev.plumbline.graph.Conformance;
import dev.plumbline.sim.FaultKind;
import dev.plumbline.sim.Protocols;
import dev.plumbline.sim.RunConfig;
import dev.plumbline.sim.SeededBug;
import dev.plumbline.sim.Settings;
import dev.plumbline.sim.SimulationRun;
import dev.plumbline.sim.metric.MetricSystem;
import dev.plumbline.trace.TraceEvent;
import dev.plumbline.trace.TraceReader;
import dev.plumbline.validate.MergedLog;
import dev.plumbline.validate.Validator;
import dev.plumbline.validate.Verdict;
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
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Logs of simulated runs are accepted; an edit of one is rejected at the event it makes wrong. */
class MetricLogsTest {
  private static final MetricSystem METRIC = new MetricSystem();
  private static final Path ROOT = Path.of("..");

  private static Map<String, List<TraceEvent>> logs;

  @BeforeAll
  static void run() {
    logs = logs(1, 60, METRIC.tolerated(), Optional.empty());
  }

  private static Map<String, List<TraceEvent>> logs(
      long seed, int transactions, Set<FaultKind> faults, Optional<SeededBug> bug) {
    RunConfig config =
        new RunConfig(
            METRIC,
            seed,
            transactions,
            "list-append",
            faults,
            Set.of(),
            new TreeSet<>(),
            new TreeMap<>(),
            bug,
            Optional.empty(),
            true);
    Map<String, List<TraceEvent>> all = new LinkedHashMap<>();
    SimulationRun.of(config)
        .traces()
        .forEach((node, bytes) -> all.put(node + ".ndjson", TraceReader.read(node, bytes)));
    return all;
  }

  private static Verdict validate(Map<String, List<TraceEvent>> of) {
    return validate(0, of);
  }

  private static Verdict validate(int module, Map<String, List<TraceEvent>> of) {
    Settings settings = Settings.repaired(METRIC.clockBounds());
    return new Validator(ROOT)
        .validate(Conformance.named("metric").traceModels(settings).get(module), MergedLog.of(of));
  }

  @Test
  void theLogAsItIsIsAccepted() {
    Verdict verdict = validate(logs);
    assertThat(verdict.rejection()).isEmpty();
    assertThat(verdict.taken().keySet())
        .contains(
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
  }

  @Test
  void ofAStoreThatIsCassandraNoLogIsJudged() {
    Settings plain = Settings.repaired(METRIC.clockBounds());
    Settings cassandra =
        new Settings(METRIC.clockBounds(), new TreeSet<>(), new TreeMap<>(Map.of("cassandra", 1L)));
    Conformance metric = Conformance.named("metric");
    assertThat(metric.silent("EntryConsistency", cassandra)).isPresent();
    assertThat(metric.silent("RedoLog", cassandra)).isEmpty();
    assertThat(metric.silent("EntryConsistency", plain)).isEmpty();
  }

  /**
   * Table T1's key has most events of this log, and a client that goes on under reference 9 when it
   * has 11. The module has one operation a client.
   */
  @Test
  void aKeyOnWhichAClientOvertakesItselfIsNotJudged() {
    Verdict verdict = validate(1, logs(1, 200, Set.of(FaultKind.DELAY), Optional.empty()));
    assertThat(verdict.rejection()).isEmpty();
    assertThat(verdict.taken()).containsKeys("AcquireLock", "StoreWrite", "FinishPut");
  }

  /** In this run a client crashes while its release is on its way to the lock service. */
  @Test
  void aReleaseOutlivesItsClient() {
    Map<String, List<TraceEvent>> run = logs(38, 200, METRIC.tolerated(), Optional.empty());
    assertThat(validate(1, run).rejection()).isEmpty();
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
    Map<String, List<TraceEvent>> edited = new LinkedHashMap<>();
    boolean done = false;
    for (Map.Entry<String, List<TraceEvent>> node : logs.entrySet()) {
      List<TraceEvent> events = new ArrayList<>();
      int seen = 0;
      for (TraceEvent e : node.getValue()) {
        boolean chosen = !done && e.action().equals("RedoLog." + action) && seen++ == 1;
        done |= chosen;
        if (!chosen) {
          events.add(e);
        } else if (!edit.equals("drop")) {
          events.add(changed(e, edit));
        }
      }
      edited.put(node.getKey(), events);
    }
    assertThat(done).isTrue();
    assertThat(validate(edited).rejection()).isPresent();
  }

  private static TraceEvent changed(TraceEvent e, String edit) {
    Map<String, JsonNode> args = new TreeMap<>(e.args());
    Map<String, JsonNode> state = new TreeMap<>(e.state());
    Map<String, JsonNode> of = args.containsKey(edit) ? args : state;
    of.compute(edit, (name, value) -> changed(value));
    return new TraceEvent(
        e.n(), e.node(), e.role(), e.at(), e.local(), e.action(), args, e.recv(), e.sent(), state);
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
      return copy.put(first, other(copy.get(first).textValue()));
    }
    return TextNode.valueOf(other(value.textValue()));
  }

  /** Another request, or another kind of answer. */
  private static String other(String word) {
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
    URL[] urls = {ROOT.resolve("impl/bugs/target/classes").toUri().toURL()};
    try (URLClassLoader loader = new URLClassLoader(urls, getClass().getClassLoader())) {
      SeededBug bug =
          Protocols.bugs("metric", loader).stream()
              .filter(b -> b.name().equals(name))
              .findFirst()
              .orElseThrow();
      assertThat(validate(logs(1, 60, METRIC.tolerated(), Optional.of(bug))).rejection())
          .isPresent();
    }
  }
}
