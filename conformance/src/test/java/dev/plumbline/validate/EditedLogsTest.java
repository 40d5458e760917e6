package dev.plumbline.validate;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumbline.graph.Conformance;
import dev.plumbline.sim.FaultKind;
import dev.plumbline.sim.ProtocolSystem;
import dev.plumbline.sim.Protocols;
import dev.plumbline.sim.RunConfig;
import dev.plumbline.sim.Settings;
import dev.plumbline.sim.SimulationRun;
import dev.plumbline.tlc.InputError;
import dev.plumbline.trace.TraceEvent;
import dev.plumbline.trace.TraceReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Every edit of an accepted log is rejected, or stands in {@code log-edits.csv} with the reason why
 * the edited log is one of the specification too, or why nothing can tell.
 */
class EditedLogsTest {
  private static final Path REASONS = Path.of("src/test/resources/log-edits.csv");

  /** With it, {@code target/log-edits-PROTOCOL.md} also says what the modules alone accept. */
  private static final boolean BEFORE = Boolean.getBoolean("plumb.edits.before");

  private final Validator validator = new Validator(Path.of(".."));

  private static RunConfig config(String protocol, long seed, int transactions) {
    ProtocolSystem system = Protocols.named(protocol);
    return new RunConfig(
        system,
        seed,
        transactions,
        "list-append",
        FaultKind.parse("all", system.tolerated()),
        Set.of(),
        new TreeSet<>(),
        new TreeMap<>(),
        Optional.empty(),
        Optional.empty(),
        true);
  }

  private static Map<String, List<TraceEvent>> logs(RunConfig config, int most) {
    Map<String, List<TraceEvent>> whole = new LinkedHashMap<>();
    SimulationRun.of(config)
        .traces()
        .forEach((node, bytes) -> whole.put(node + ".ndjson", TraceReader.read(node, bytes)));
    Map<String, List<TraceEvent>> logs = new TreeMap<>();
    for (MergedLog.Entry entry : MergedLog.of(whole).prefix(most).entries()) {
      logs.computeIfAbsent(entry.event().node() + ".ndjson", n -> new ArrayList<>())
          .add(entry.event());
    }
    return logs;
  }

  private static List<TraceModel> models(String protocol, Settings settings) {
    Conformance conformance = Conformance.named(protocol);
    return conformance.traceModels(settings).stream()
        .filter(m -> conformance.silent(m.module(), settings).isEmpty())
        .toList();
  }

  /** Who rejects a log; empty if all accept it. */
  private Optional<String> rejected(
      List<TraceModel> models, Map<String, List<TraceEvent>> logs, boolean rules, String own) {
    MergedLog log;
    try {
      log = MergedLog.of(logs);
      log.demandSenders();
      if (rules) {
        log.demandRules();
      }
    } catch (InputError e) {
      return Optional.of("the log's rules");
    }
    List<TraceModel> order = new ArrayList<>(models);
    order.sort((a, b) -> Boolean.compare(b.module().equals(own), a.module().equals(own)));
    for (TraceModel model : order) {
      try {
        if (!validator.validate(model, log).accepted()) {
          return Optional.of(model.module());
        }
      } catch (InputError e) {
        return Optional.of(model.module() + ", as malformed");
      }
    }
    return Optional.empty();
  }

  @ParameterizedTest
  @CsvSource({"dast, 3, 6, 2500, 5", "k2, 2, 20, 6000, 4"})
  void everyEditIsRejectedOrHasAReason(
      String protocol, long seed, int transactions, int events, int each) throws IOException {
    RunConfig config = config(protocol, seed, transactions);
    Map<String, List<TraceEvent>> logs = logs(config, events);
    List<TraceModel> models = new ArrayList<>(models(protocol, config.settings()));
    models.removeIf(
        m ->
            logs.values().stream()
                .flatMap(List::stream)
                .noneMatch(e -> e.action().startsWith(m.module() + ".")));
    assertThat(models).hasSizeGreaterThan(1);
    assertThat(rejected(models, logs, true, "")).as("the log as it is").isEmpty();

    Map<String, String> reasons = new LinkedHashMap<>();
    for (String line : Files.readAllLines(REASONS)) {
      String[] cells = line.split("\\|", 4);
      if (cells[0].strip().equals(protocol)) {
        reasons.put(cells[1].strip() + "|" + cells[2].strip(), cells[3].strip());
      }
    }
    List<LogEdit> edits = LogEdit.of(logs, each, seed);
    Map<String, int[]> counts = new LinkedHashMap<>();
    Set<String> accepted = new TreeSet<>();
    List<String> places = new ArrayList<>();
    for (LogEdit edit : edits) {
      String action = edit.place().split(" ", 2)[0];
      String own = action.contains(".") ? action.substring(0, action.indexOf('.')) : "";
      Optional<String> by = rejected(models, edit.logs(), true, own);
      int[] count = counts.computeIfAbsent(edit.kind(), k -> new int[3]);
      count[0]++;
      count[1] += by.isEmpty() ? 1 : 0;
      count[2] += BEFORE && rejected(models, edit.logs(), false, own).isEmpty() ? 1 : 0;
      if (by.isEmpty()) {
        accepted.add(edit.kind() + "|" + action);
        places.add(edit.kind() + " at " + edit.place());
      }
    }
    List<String> table = new ArrayList<>();
    counts.forEach(
        (kind, c) -> table.add("| %s | %d | %d | %d |".formatted(kind, c[0], c[2], c[1])));
    table.addAll(places);
    Files.write(Path.of("target", "log-edits-" + protocol + ".md"), table);
    assertThat(edits).hasSizeGreaterThanOrEqualTo(60);
    accepted.removeIf(
        a -> reasons.containsKey(a) || reasons.containsKey(a.replaceFirst("\\|.*", "|*")));
    assertThat(accepted).as("accepted without a reason in %s", REASONS).isEmpty();
    assertThat(reasons.values()).allSatisfy(reason -> assertThat(reason).hasSizeGreaterThan(20));
  }
}
