package dev.plumbline.validate;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumbline.graph.Conformance;
import dev.plumbline.protocol.FaultKind;
import dev.plumbline.protocol.ProtocolSystem;
import dev.plumbline.protocol.Protocols;
import dev.plumbline.protocol.Settings;
import dev.plumbline.sim.RunConfig;
import dev.plumbline.tlc.InputError;
import dev.plumbline.trace.TraceEvent;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Every edit of an accepted log is rejected, or stands in {@code log-edits.csv} with the reason why
 * the edited log is one of the specification too, or why nothing can tell.
 */
class EditedLogsTest {
  private static final Path REASONS = Path.of("src/test/resources/log-edits.csv");

  /** What of a log is not compared: protocol, action, word and why. */
  private static final Path WORDS = Path.of("src/test/resources/log-words.csv");

  /** With it, {@code target/log-edits-PROTOCOL.md} also says what the modules alone accept. */
  private static final boolean BEFORE = Boolean.getBoolean("plumb.edits.before");

  private final Validator validator = new Validator(Path.of(".."));

  private static RunConfig config(
      String protocol, long seed, int transactions, Map<String, Long> parameters) {
    ProtocolSystem system = Protocols.named(protocol);
    return new RunConfig(
        system,
        seed,
        transactions,
        system.workloads().get(0),
        FaultKind.parse("all", system.tolerated()),
        Set.of(),
        new TreeSet<>(),
        new TreeMap<>(parameters),
        Optional.empty(),
        Optional.empty(),
        true);
  }

  private static Map<String, List<TraceEvent>> logs(RunConfig config, int most) {
    Map<String, List<TraceEvent>> logs = new TreeMap<>();
    MergedLog whole = MergedLog.of(SimulatedLogs.of(config));
    for (MergedLog.Entry entry : whole.prefix(most).entries()) {
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
        assertThat(e.describe()).as("says where").matches("(?s).+?:\\d+: .*");
        return Optional.of(model.module() + ", as malformed");
      }
    }
    return Optional.empty();
  }

  /**
   * A run whose logs are edited.
   *
   * @param events of the log that are taken
   * @param each edits of a kind
   * @param modules that judge it
   */
  private record Run(
      String protocol,
      long seed,
      int transactions,
      Map<String, Long> parameters,
      int events,
      int each,
      String modules) {
    /** As {@code docs/log-edits.md} has it. */
    String name() {
      return parameters.equals(LED) ? protocol + ", led" : protocol;
    }
  }

  /** Of the edits of a run: by kind how many were made and accepted, and the reasons needed. */
  private record Judged(Run run, Map<String, int[]> counts, Set<String> needed) {
    /** A row of the first table of {@code docs/log-edits.md}. */
    String row() {
      int made = counts.values().stream().mapToInt(c -> c[0]).sum();
      int accepted = counts.values().stream().mapToInt(c -> c[1]).sum();
      return String.format(
          Locale.ROOT,
          "| %s | %d | %d | %,d | %d | %d | %d |",
          run.name(),
          run.seed,
          run.transactions,
          run.events,
          run.each,
          made,
          accepted);
    }
  }

  private static final String DAST = "StretchableClock TwoPhaseAnticipation";
  private static final String K2 = "EpochCut EpochVisibility Mvto TimestampBatching";
  private static final String METRIC = "EntryConsistency Ownership RedoLog";
  private static final Map<String, Long> LED = Map.of("led", 1L, "queries", 3L);

  private static final List<Run> QUICK =
      List.of(
          new Run("dast", 3, 6, Map.of(), 2_500, 5, DAST),
          new Run("k2", 2, 20, Map.of(), 6_000, 4, K2),
          new Run("engage", 1, 60, Map.of(), 1_500, 2, "BrokerCausality"),
          new Run("metric", 1, 30, Map.of(), 1_500, 2, METRIC),
          new Run("metric", 1, 30, LED, 1_500, 2, METRIC));

  private static final List<Run> MORE =
      List.of(
          new Run("dast", 11, 6, Map.of(), 2_500, 9, DAST),
          new Run("k2", 12, 20, Map.of(), 4_000, 9, K2),
          new Run("engage", 13, 60, Map.of(), 1_500, 7, "BrokerCausality"),
          new Run("metric", 14, 30, Map.of(), 1_500, 7, METRIC),
          new Run("metric", 15, 30, LED, 1_500, 7, METRIC));

  static List<Run> quick() {
    return QUICK;
  }

  @ParameterizedTest
  @MethodSource("quick")
  void everyEditIsRejectedOrHasAReason(Run run) throws IOException {
    judge(run);
  }

  /** Other runs as well, and more edits of each kind; a reason that none of all needs is red. */
  @Tag("slow")
  @Test
  void everyEditOfMoreRunsIsRejectedOrHasAReasonAndNoReasonIsOver() throws IOException {
    List<Judged> all = new ArrayList<>();
    for (int i = 0; i < QUICK.size(); i++) {
      all.add(judge(QUICK.get(i)));
      all.add(judge(MORE.get(i)));
    }
    assertThat(Files.readAllLines(REASONS).stream().filter(line -> !line.startsWith("#")))
        .extracting(line -> line.split("\\|", 4))
        .extracting(c -> c[0].strip() + "|" + c[1].strip() + "|" + c[2].strip())
        .isSubsetOf(all.stream().flatMap(j -> j.needed.stream()).toList());
    String rows = all.stream().map(Judged::row).collect(Collectors.joining("\n"));
    Files.writeString(Path.of("target", "log-edits.md"), rows + "\n\n" + kinds(all) + "\n");
    assertThat(Files.readString(Path.of("..", "docs", "log-edits.md")))
        .as("has the tables of conformance/target/log-edits.md")
        .contains(rows)
        .contains(kinds(all));
  }

  /** The second table of {@code docs/log-edits.md}: kinds of which edits were accepted. */
  private static String kinds(List<Judged> all) {
    Map<String, Map<String, int[]>> sums = new LinkedHashMap<>();
    for (Judged judged : all) {
      judged.counts.forEach(
          (kind, c) ->
              sums.computeIfAbsent(kind, k -> new LinkedHashMap<>())
                  .merge(judged.run.name(), c, (x, y) -> new int[] {x[0] + y[0], x[1] + y[1]}));
    }
    sums.values().removeIf(by -> by.values().stream().allMatch(c -> c[1] == 0));
    List<String> names = all.stream().map(j -> j.run.name()).distinct().toList();
    return sums.entrySet().stream()
        .map(
            kind ->
                "| "
                    + kind.getKey()
                    + " | "
                    + names.stream()
                        .map(name -> kind.getValue().get(name))
                        .map(c -> c == null ? "" : c[1] == 0 ? "–" : c[1] + " of " + c[0])
                        .collect(Collectors.joining(" | "))
                    + " |")
        .collect(Collectors.joining("\n"));
  }

  /**
   * Of each action each argument, each part of the state and all arguments together are compared:
   * some edit of them is rejected by the action's own module, or {@code log-words.csv} says why
   * not.
   */
  @Tag("slow")
  @Test
  void everyWordIsComparedOrHasAReason() throws IOException {
    Set<String> not = new TreeSet<>();
    for (Run run : QUICK) {
      if (!run.protocol.equals("dast")) {
        notCompared(run).forEach(word -> not.add(run.protocol + "|" + word));
      }
    }
    List<String> reasons =
        Files.readAllLines(WORDS).stream().filter(line -> !line.startsWith("#")).toList();
    assertThat(reasons).allSatisfy(line -> assertThat(line.split("\\|")[3]).hasSizeGreaterThan(20));
    assertThat(not)
        .isEqualTo(
            reasons.stream()
                .map(line -> line.split("\\|"))
                .map(c -> c[0].strip() + "|" + c[1].strip() + "|" + c[2].strip())
                .collect(Collectors.toCollection(TreeSet::new)));
  }

  private Set<String> notCompared(Run run) {
    RunConfig config = config(run.protocol, run.seed, run.transactions, run.parameters);
    Map<String, TraceModel> models = new TreeMap<>();
    models(run.protocol, config.settings()).forEach(m -> models.put(m.module(), m));
    Set<String> words = new TreeSet<>();
    Set<String> compared = new TreeSet<>();
    for (LogEdit edit : LogEdit.words(logs(config, run.events))) {
      String word = edit.action() + "|" + edit.kind();
      TraceModel model = models.get(edit.action().replaceFirst("\\..*", ""));
      if (model == null || compared.contains(word)) {
        continue;
      }
      try {
        MergedLog log = MergedLog.of(edit.logs());
        log.demandSenders();
        log.demandRules();
        if (validator.validate(model, log).accepted()) {
          words.add(word);
        } else {
          compared.add(word);
        }
      } catch (InputError e) {
        // What cannot be read says nothing of what is compared.
      }
    }
    words.removeAll(compared);
    return words;
  }

  /** The reasons needed are named by protocol, kind and action. */
  private Judged judge(Run run) throws IOException {
    String protocol = run.protocol;
    RunConfig config = config(protocol, run.seed, run.transactions, run.parameters);
    Map<String, List<TraceEvent>> logs = logs(config, run.events);
    List<TraceModel> models = new ArrayList<>(models(protocol, config.settings()));
    models.removeIf(
        m ->
            logs.values().stream()
                .flatMap(List::stream)
                .noneMatch(e -> e.action().startsWith(m.module() + ".")));
    assertThat(models.stream().map(TraceModel::module).sorted())
        .containsExactly(run.modules.split(" "));
    assertThat(rejected(models, logs, true, "")).as("the log as it is").isEmpty();

    Map<String, String> reasons = new LinkedHashMap<>();
    for (String line : Files.readAllLines(REASONS)) {
      String[] cells = line.split("\\|", 4);
      if (cells[0].strip().equals(protocol)) {
        reasons.put(cells[1].strip() + "|" + cells[2].strip(), cells[3].strip());
      }
    }
    List<LogEdit> edits = LogEdit.of(logs, run.each, run.seed);
    // Made, accepted, accepted without the rules.
    Map<String, int[]> counts = new LinkedHashMap<>();
    Set<String> accepted = new TreeSet<>();
    List<String> places = new ArrayList<>();
    for (LogEdit edit : edits) {
      String action = edit.action();
      String own = action.contains(".") ? action.substring(0, action.indexOf('.')) : "";
      Optional<String> by = rejected(models, edit.logs(), true, own);
      int[] count = counts.computeIfAbsent(edit.kind(), k -> new int[3]);
      count[0]++;
      count[1] += by.isEmpty() ? 1 : 0;
      count[2] += BEFORE && rejected(models, edit.logs(), false, own).isEmpty() ? 1 : 0;
      if (by.isEmpty()) {
        accepted.add(edit.kind() + "|" + action);
        places.add(edit.place(logs));
      }
    }
    List<String> table = new ArrayList<>();
    counts.forEach(
        (kind, c) -> table.add("| %s | %d | %d | %d |".formatted(kind, c[0], c[2], c[1])));
    table.addAll(places);
    Files.write(
        Path.of(
            "target",
            "log-edits-" + protocol + (run.parameters == LED ? "-led-" : "-") + run.seed + ".md"),
        table);
    assertThat(edits).hasSizeGreaterThanOrEqualTo(60);
    Set<String> needed = new TreeSet<>();
    accepted.removeIf(
        a -> {
          String reason = reasons.containsKey(a) ? a : a.replaceFirst("\\|.*", "|*");
          needed.add(protocol + "|" + reason);
          return reasons.containsKey(reason);
        });
    assertThat(accepted).as("accepted without a reason in %s", REASONS).isEmpty();
    assertThat(reasons.values()).allSatisfy(reason -> assertThat(reason).hasSizeGreaterThan(20));
    return new Judged(run, counts, needed);
  }
}
