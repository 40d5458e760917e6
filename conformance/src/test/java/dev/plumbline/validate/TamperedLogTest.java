package dev.plumbline.validate;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.BooleanNode;
import com.fasterxml.jackson.databind.node.LongNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.node.TextNode;
import dev.plumbline.graph.Conformance;
import dev.plumbline.protocol.FaultKind;
import dev.plumbline.protocol.Protocols;
import dev.plumbline.protocol.SeededBug;
import dev.plumbline.sim.RunConfig;
import dev.plumbline.tlc.InputError;
import dev.plumbline.trace.TraceEvent;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Altered logs are rejected where a walk that knows nothing of the validator rejects them. */
class TamperedLogTest {
  private static final int RUNS = 5;

  /** Parts of a timestamp that break ties, and seldom change an order. */
  private static final Set<String> TIES = Set.of("oracle", "coordinator", "incarnation");

  private static final int TRANSACTIONS = 6;

  @TempDir Path folder;

  static Map<String, List<TraceEvent>> run(long seed, int transactions) {
    return run(seed, transactions, Optional.empty());
  }

  static Map<String, List<TraceEvent>> run(long seed, int transactions, Optional<SeededBug> bug) {
    RunConfig config =
        new RunConfig(
            Protocols.named("k2"),
            seed,
            transactions,
            "list-append",
            Set.of(FaultKind.values()),
            Set.of(),
            new TreeSet<>(),
            new TreeMap<>(),
            bug,
            Optional.empty(),
            true);
    return SimulatedLogs.of(config);
  }

  static TraceModel model(String module) {
    dev.plumbline.protocol.Settings settings =
        dev.plumbline.protocol.Settings.repaired(Protocols.named("k2").clockBounds());
    return Conformance.named("k2").traceModels(settings).stream()
        .filter(m -> m.module().equals(module))
        .findFirst()
        .orElseThrow();
  }

  @ParameterizedTest
  @Tag("slow")
  @CsvSource({"Mvto, 200", "EpochVisibility, 200", "EpochCut, 100"})
  void manyTamperedLogsAreJudgedAsThePlainWalkJudgesThem(String module, int count)
      throws IOException {
    everyTamperedLogIsJudgedAsThePlainWalkJudgesIt(module, count);
  }

  @ParameterizedTest
  @CsvSource({"Mvto, 50", "EpochVisibility, 50", "EpochCut, 40"})
  void everyTamperedLogIsJudgedAsThePlainWalkJudgesIt(String module, int count) throws IOException {
    Random random = new Random(1);
    Validator validator = new Validator(Path.of(".."));
    int behaviours = 0;
    int unordered = 0;
    int refused = 0;
    List<String> disagreements = new ArrayList<>();
    List<Map<String, List<TraceEvent>>> runs = new ArrayList<>();
    for (int seed = 1; seed <= RUNS; seed++) {
      runs.add(run(seed, TRANSACTIONS));
    }
    for (int i = 0; i < count; i++) {
      Map<String, List<TraceEvent>> logs = new LinkedHashMap<>(runs.get(i % RUNS));
      String what = tamper(module, logs, random);
      MergedLog merged;
      try {
        merged = MergedLog.of(logs);
      } catch (InputError e) {
        unordered++;
        continue;
      }
      int right = walk(module, merged);
      behaviours += right < 0 ? 1 : 0;
      try {
        Optional<LogVerdict.Rejection> found =
            validator.validate(model(module), merged).rejection();
        int at = found.map(LogVerdict.Rejection::index).orElse(-1);
        if (at != right) {
          disagreements.add(what + ": validator " + at + ", walk " + right);
        }
      } catch (InputError e) {
        refused++;
      }
    }
    System.out.printf(
        "%s: %d tampered logs, %d behaviours nevertheless, %d against causality, %d refused%n",
        module, count, behaviours, unordered, refused);
    assertThat(disagreements).isEmpty();
    assertThat(behaviours).isLessThanOrEqualTo(count / 5);
    assertThat(unordered).isLessThanOrEqualTo(count / 5);
    assertThat(refused).isLessThanOrEqualTo(count / 5);
  }

  private int walk(String module, MergedLog log) throws IOException {
    return switch (module) {
      case "Mvto" -> new PlainWalk(log).firstUnexplained(folder);
      case "EpochVisibility" -> new EpochVisibilityWalk(log).firstUnexplained(folder);
      default -> new EpochCutWalk(log).firstUnexplained(folder);
    };
  }

  /** Drops, repeats, swaps or alters one event of a module. */
  private static String tamper(String module, Map<String, List<TraceEvent>> logs, Random random) {
    List<String> files =
        logs.keySet().stream()
            .filter(f -> logs.get(f).stream().anyMatch(e -> ours(module, e)))
            .toList();
    String file = files.get(random.nextInt(files.size()));
    List<TraceEvent> log = new ArrayList<>(logs.get(file));
    List<Integer> places = new ArrayList<>();
    for (int i = 0; i < log.size(); i++) {
      if (ours(module, log.get(i))) {
        places.add(i);
      }
    }
    int place = places.get(random.nextInt(places.size()));
    TraceEvent e = log.get(place);
    String how;
    switch (random.nextInt(8)) {
      case 0, 1 -> {
        how = "drop";
        log.remove(place);
      }
      case 2 -> {
        how = "duplicate";
        log.add(place, e);
      }
      case 3 -> {
        how = "swap";
        int other = places.get(Math.min(places.size() - 1, places.indexOf(place) + 1));
        log.set(place, log.get(other));
        log.set(other, e);
      }
      default -> {
        how = "alter";
        log.set(place, alter(e, random));
      }
    }
    List<TraceEvent> numbered = new ArrayList<>();
    for (TraceEvent x : log) {
      numbered.add(copy(x, numbered.size() + 1, x.args()));
    }
    logs.put(file, numbered);
    return how + " " + file + ":" + (place + 1) + " " + e.action() + " " + e.args();
  }

  private static boolean ours(String module, TraceEvent e) {
    return e.action().startsWith(module + ".");
  }

  /** Alters an argument, or a field of a message in one. */
  private static TraceEvent alter(TraceEvent e, Random random) {
    Map<String, JsonNode> args = new TreeMap<>(e.args());
    List<String> names = args.keySet().stream().filter(n -> !TIES.contains(n)).toList();
    String name = names.get(random.nextInt(names.size()));
    if (args.get(name) instanceof ObjectNode m) {
      ObjectNode changed = m.deepCopy();
      List<String> fields = List.of("t", "k", "s", "v");
      String field = fields.get(random.nextInt(fields.size()));
      changed.set(field, other(field, m.get(field)));
      args.put(name, changed);
    } else {
      args.put(name, other(name, args.get(name)));
    }
    return copy(e, e.n(), args);
  }

  private static JsonNode other(String field, JsonNode value) {
    if (value.isBoolean()) {
      return BooleanNode.valueOf(!value.booleanValue());
    }
    return value.isNumber()
        ? LongNode.valueOf(value.longValue() + (field.equals("n") ? -100_000 : 1))
        : TextNode.valueOf(other(field, value.asText()));
  }

  private static String other(String field, String value) {
    return switch (field) {
      case "k" -> value.equals("k0") ? "k1" : "k0";
      case "s" ->
          value.equals("committed") ? "aborted" : value.equals("ok") ? "refused" : "committed";
      case "v", "w" -> value.equals("NoTxn") ? "c-XX-1.1" : "NoTxn";
      default -> "c-XX-1.1";
    };
  }

  private static TraceEvent copy(TraceEvent e, long n, Map<String, JsonNode> args) {
    return Altered.says(Altered.numbered(e, n), e.action(), args, e.state());
  }
}
