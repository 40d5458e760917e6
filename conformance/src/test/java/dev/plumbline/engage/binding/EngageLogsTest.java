package dev.plumbline.engage.binding;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.BooleanNode;
import com.fasterxml.jackson.databind.node.LongNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.node.TextNode;
import dev.plumbline.engage.system.EngageSystem;
import dev.plumbline.graph.Conformance;
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
import dev.plumbline.validate.TraceModel;
import dev.plumbline.validate.TraceModel.Reading;
import dev.plumbline.validate.Validator;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Proxy;
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
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Logs of simulated runs are accepted; an edit of one is rejected at the event it makes wrong. */
class EngageLogsTest {
  private static final EngageSystem ENGAGE = new EngageSystem();
  private static final Path ROOT = Path.of("..");

  private static Map<String, List<TraceEvent>> logs;

  @BeforeAll
  static void run() {
    logs = logs(Optional.empty());
  }

  private static Map<String, List<TraceEvent>> logs(Optional<SeededBug> bug) {
    return logs(1, 120, ENGAGE.tolerated(), bug);
  }

  private static Map<String, List<TraceEvent>> logs(
      long seed, int operations, Set<FaultKind> faults, Optional<SeededBug> bug) {
    RunConfig config =
        new RunConfig(
            ENGAGE,
            seed,
            operations,
            "sessions",
            faults,
            Set.of(),
            new TreeSet<>(),
            new TreeMap<>(),
            bug,
            Optional.empty(),
            true);
    return SimulatedLogs.of(config);
  }

  private static LogVerdict validate(Map<String, List<TraceEvent>> of) {
    return new Validator(ROOT).validate(model(), MergedLog.of(of));
  }

  private static TraceModel model() {
    Settings settings = Settings.repaired(ENGAGE.clockBounds());
    return Conformance.named("engage").traceModels(settings).get(0);
  }

  @Test
  void theLogAsItIsIsAccepted() {
    LogVerdict verdict = validate(logs);
    assertThat(verdict.rejection()).isEmpty();
    assertThat(verdict.taken().keySet())
        .contains(
            "ClientRead",
            "ClientWrite",
            "ServeHeld",
            "BrokerReceive",
            "CloudletReceive",
            "Execute",
            "FlushTimer",
            "Restart");
  }

  @Test
  void aFencedInstanceIsLostLikeOneThatCrashed() {
    LogVerdict verdict = validate(Altered.fencedForCrashed(logs));
    assertThat(verdict.rejection()).isEmpty();
    assertThat(verdict.taken()).isEqualTo(validate(logs).taken()).containsKey("CrashCloudlet");
  }

  /** A run whose log misses an argument is judged, and its operations are named all the same. */
  @Test
  void aRequestWithoutItsArgumentsIsStillNamed() {
    List<TraceEvent> all = MergedLog.of(logs).entries().stream().map(e -> e.event()).toList();
    TraceEvent request =
        all.stream().filter(e -> e.actionName().equals("ClientRead")).findFirst().orElseThrow();
    for (String lost : List.of("o", "op", "c", "i")) {
      Map<String, JsonNode> args = new TreeMap<>(request.args());
      assertThat(args.remove(lost)).isNotNull();
      TraceEvent bare = Altered.says(request, request.action(), args, request.state());
      assertThat(new EngageTransactions(List.of(bare)).of(0)).as(lost).isNotEmpty();
    }
  }

  /** Its client gave up, goes on under another name, and asked for the same again. */
  @Test
  void aRequestThatIsServedLateIsNotTheOneAskedAfterIt() {
    List<TraceEvent> all = MergedLog.of(logs).entries().stream().map(e -> e.event()).toList();
    TraceEvent served =
        all.stream().filter(e -> e.actionName().equals("ServeHeld")).findFirst().orElseThrow();
    JsonNode client = served.arg("r").path("c");
    TraceEvent first =
        all.stream()
            .filter(e -> e.args().containsKey("sends") && e.arg("c").equals(client))
            .filter(e -> e.state().get("holds").toString().contains(client.toString()))
            .findFirst()
            .orElseThrow();
    Map<String, JsonNode> args = new TreeMap<>(first.args());
    args.put("c", TextNode.valueOf(client.asText() + "1"));
    TraceEvent second = Altered.says(first, first.action(), args, first.state());
    EngageTransactions log = new EngageTransactions(List.of(first, second, served));
    assertThat(log.of(0)).hasSize(1);
    assertThat(log.of(2)).containsAll(log.of(0));
    assertThat(log.of(2).stream().filter(name -> !name.startsWith("update"))).hasSize(1);
  }

  /** A definition of a million steps takes over a minute here if each use evaluates it. */
  @Test
  void whatStandsForAConstantIsEvaluatedOnce() {
    TraceModel slow =
        replaced(
            TraceModel.class, model(), of -> of instanceof Reading reading ? slow(reading) : of);
    ThreadMXBean threads = ManagementFactory.getThreadMXBean();
    long before = threads.getCurrentThreadCpuTime();
    assertThat(new Validator(ROOT).validate(slow, MergedLog.of(logs)).rejection()).isEmpty();
    assertThat(TimeUnit.NANOSECONDS.toSeconds(threads.getCurrentThreadCpuTime() - before))
        .isLessThan(30);
  }

  private static Reading slow(Reading reading) {
    List<String> slow =
        reading.definitions().stream()
            .map(
                d ->
                    d.replaceFirst(
                            " == ", " == IF 1..1000000 = {n \\\\in 1..1000000 : n > 0} THEN ")
                        + " ELSE {}")
            .toList();
    return replaced(Reading.class, reading, of -> reading.definitions().equals(of) ? slow : of);
  }

  private static <T> T replaced(Class<T> type, T target, UnaryOperator<Object> result) {
    InvocationHandler handler =
        (proxy, method, arguments) -> result.apply(method.invoke(target, arguments));
    return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, handler));
  }

  /** {@code edit}: drop, or what of the event is changed. */
  @ParameterizedTest
  @CsvSource({
    "ClientWrite, drop",
    "ClientWrite, rc",
    "ClientWrite, sends",
    "ClientRead, clock",
    "ServeHeld, vc",
    "BrokerReceive, m",
    "BrokerReceive, pending",
    "CloudletReceive, drop",
    "CloudletReceive, m",
    "Execute, drop",
    "Execute, heard",
    "FlushTimer, drop"
  })
  void anEditedLogIsRejected(String action, String edit) {
    assertThat(validate(edited(action, edit)).rejection()).isPresent();
  }

  /** With every client, object, cloudlet and set of guarantees it would take all memory. */
  @Test
  void whatWasEnabledIsNotTriedInAllWays() {
    assertThat(validate(edited("ClientWrite", "rc")).rejection().orElseThrow().enabled())
        .anyMatch(line -> line.matches("ClientRead … \\d+ ways not tried"))
        .hasSizeLessThan(100);
  }

  private static boolean asks(TraceEvent e) {
    return e.args().containsKey("sends") && e.arg("sends").asBoolean();
  }

  private static boolean knows(TraceEvent e) {
    return asks(e) && e.arg("rc").toString().matches(".*:[1-9].*");
  }

  /** The log with an event in place of the first of its kind. */
  private static Map<String, List<TraceEvent>> with(
      Predicate<TraceEvent> kind, UnaryOperator<TraceEvent> edit) {
    TraceEvent first =
        MergedLog.of(logs).entries().stream()
            .map(MergedLog.Entry::event)
            .filter(kind)
            .findFirst()
            .orElseThrow();
    Map<String, List<TraceEvent>> edited = new LinkedHashMap<>(logs);
    edited.replaceAll(
        (node, events) -> events.stream().map(e -> e == first ? edit.apply(e) : e).toList());
    return edited;
  }

  private static UnaryOperator<TraceEvent> renamed(String client) {
    return e -> {
      Map<String, JsonNode> args = new TreeMap<>(e.args());
      args.put("c", TextNode.valueOf(client));
      return Altered.says(e, e.action(), args, e.state());
    };
  }

  /** A client's first request has the clocks of nobody, in its first life; later ones may. */
  @Test
  void aNewClientKnowsNothing() {
    LogVerdict verdict = validate(with(EngageLogsTest::knows, renamed("s99.1")));
    assertThat(verdict.rejection()).isPresent();
    assertThat(verdict.rejection().orElseThrow().entry().event().arg("c").asText())
        .isEqualTo("s99.1");
  }

  /** A client that got no answer goes on with the clocks that it had, or with another client's. */
  @ParameterizedTest
  @CsvSource({"s3.2, false", "s3.2r, true"})
  void aClientKeepsItsClocks(String client, boolean right) {
    Set<FaultKind> faults = Set.of(FaultKind.CRASH, FaultKind.LOSS);
    MergedLog run = MergedLog.of(logs(3, 60, faults, Optional.empty()));
    List<TraceEvent> until = new ArrayList<>();
    for (MergedLog.Entry entry : run.entries()) {
      until.add(entry.event());
      if (entry.event().arg("c").asText().equals("s3.2")) {
        break;
      }
    }
    TraceEvent last = until.remove(until.size() - 1);
    assertThat(knows(last)).isTrue();
    Map<String, JsonNode> args = new TreeMap<>(renamed(client).apply(last).args());
    for (String clock : List.of("rc", "wc", "tc")) {
      ObjectNode zero = args.get(clock).deepCopy();
      last.arg(clock).fieldNames().forEachRemaining(i -> zero.put(i, 0));
      args.put(clock, zero);
    }
    until.add(Altered.says(last, last.action(), args, last.state()));
    Map<String, List<TraceEvent>> edited = new TreeMap<>();
    until.forEach(e -> edited.computeIfAbsent(e.node() + ".ndjson", n -> new ArrayList<>()).add(e));
    Optional<LogVerdict.Rejection> rejection = validate(edited).rejection();
    assertThat(rejection.isEmpty()).isEqualTo(right);
    rejection.ifPresent(r -> assertThat(r.entry().event().arg("c").asText()).isEqualTo(client));
  }

  @Test
  void noClientNamesAnUpdateThatNobodyMade() {
    Map<String, List<TraceEvent>> edited =
        with(
            e -> knows(e) && e.arg("G").isEmpty() && e.actionName().equals("ClientRead"),
            e -> {
              TraceEvent resumed = renamed("s99.2").apply(e);
              Map<String, JsonNode> args = new TreeMap<>(resumed.args());
              ObjectNode clock = args.get("rc").deepCopy();
              args.put("rc", clock.put("c5", 1_000));
              return Altered.says(resumed, resumed.action(), args, resumed.state());
            });
    assertThat(validate(edited).rejection().orElseThrow().entry().event().arg("c").asText())
        .isEqualTo("s99.2");
  }

  /** {@code action}: receipts say from whom the message is, or it is the cloudlet's broker. */
  @ParameterizedTest
  @ValueSource(strings = {"BrokerReceive", "CloudletReceive"})
  void aMessageIsOfWhoSentIt(String action) {
    Map<String, List<TraceEvent>> edited =
        with(
            e -> e.actionName().equals(action) && e.recv().isPresent(),
            e -> Altered.step(e, Optional.of("c9:1"), e.by(), e.sent()));
    assertThatThrownBy(() -> validate(edited))
        .isInstanceOf(InputError.class)
        .hasMessageContaining("handles message c9:1, and says that it is of");
  }

  @Test
  void aMessageIsTakenOnce() {
    List<TraceEvent> taken =
        logs.get("c1.ndjson").stream()
            .filter(e -> e.actionName().equals("CloudletReceive") && e.recv().isPresent())
            .toList();
    Map<String, List<TraceEvent>> edited =
        with(e -> e == taken.get(1), e -> Altered.step(e, taken.get(0).recv(), e.by(), e.sent()));
    assertThatThrownBy(() -> validate(edited))
        .isInstanceOf(InputError.class)
        .hasMessageContaining("is taken a second time");
  }

  private static Map<String, List<TraceEvent>> edited(String action, String edit) {
    Map<String, List<TraceEvent>> edited = new LinkedHashMap<>();
    boolean done = false;
    for (Map.Entry<String, List<TraceEvent>> node : logs.entrySet()) {
      List<TraceEvent> events = new ArrayList<>();
      int seen = 0;
      for (TraceEvent e : node.getValue()) {
        boolean chosen = !done && e.action().endsWith("." + action) && seen++ == 2;
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
    return edited;
  }

  private static TraceEvent changed(TraceEvent e, String edit) {
    Map<String, JsonNode> args = new TreeMap<>(e.args());
    Map<String, JsonNode> state = new TreeMap<>(e.state());
    Map<String, JsonNode> of = args.containsKey(edit) ? args : state;
    of.compute(edit, (name, value) -> changed(value));
    return Altered.says(e, e.action(), args, state);
  }

  /** Another value of the same kind: a clock that is ahead in one entry. */
  private static JsonNode changed(JsonNode value) {
    if (value.isBoolean()) {
      return BooleanNode.valueOf(!value.booleanValue());
    }
    ObjectNode copy = value.deepCopy();
    String first = copy.has("mf") ? "mf" : copy.fieldNames().next();
    copy.set(
        first,
        copy.get(first).isObject()
            ? changed(copy.get(first))
            : LongNode.valueOf(copy.get(first).longValue() + 1));
    return copy;
  }

  @ParameterizedTest
  @ValueSource(strings = {"hasty-flush", "whole-clock", "bare-write", "lost-rider"})
  void logsOfMachinesWithABugAreRejected(String name) throws Exception {
    URL[] urls = {ROOT.resolve("impl/bugs/target/classes").toUri().toURL()};
    try (URLClassLoader loader = new URLClassLoader(urls, getClass().getClassLoader())) {
      SeededBug bug =
          Protocols.bugs("engage", loader).stream()
              .filter(b -> b.name().equals(name))
              .findFirst()
              .orElseThrow();
      assertThat(validate(logs(Optional.of(bug))).rejection()).isPresent();
    }
  }
}
