package dev.plumbline.mutate;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumbline.graph.Conformance;
import dev.plumbline.graph.Corpora;
import dev.plumbline.graph.Corpus;
import dev.plumbline.graph.Difference;
import dev.plumbline.graph.Replay;
import dev.plumbline.protocol.Fault;
import dev.plumbline.protocol.FaultKind;
import dev.plumbline.protocol.FaultPlan;
import dev.plumbline.protocol.NodeSpec;
import dev.plumbline.protocol.ProtocolSystem;
import dev.plumbline.protocol.Protocols;
import dev.plumbline.protocol.SeededBug;
import dev.plumbline.protocol.Settings;
import dev.plumbline.sim.Judge;
import dev.plumbline.sim.Judges;
import dev.plumbline.sim.RunConfig;
import dev.plumbline.sim.RunResult;
import dev.plumbline.sim.SimulationRun;
import dev.plumbline.trace.TraceEvent;
import dev.plumbline.trace.TraceReader;
import dev.plumbline.validate.MergedLog;
import dev.plumbline.validate.TraceModel;
import dev.plumbline.validate.Validator;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.stream.Stream;

/**
 * What the mutants of a protocol's machines are judged by: its corpora, and the logs of simulated
 * runs as behaviours of every module.
 */
final class MachineRuns {
  private static final Path ROOT = Path.of("..");

  /** Parsed once: every mutant is judged by the same corpora. */
  private static final Map<String, Corpus> PARSED = new TreeMap<>();

  private final Conformance conformance;
  private final Corpora corpora;
  private final ProtocolSystem system;

  MachineRuns(String protocol) {
    conformance = Conformance.named(protocol);
    corpora = new Corpora(ROOT, conformance);
    system = Protocols.named(protocol);
  }

  /** What a run is made of. */
  static final class Setting {
    final ProtocolSystem system;
    final long seed;
    final int transactions;
    String workload = "list-append";
    Set<FaultKind> kinds = Set.of();
    long healed = 3_600_000;
    final List<Fault> faults = new ArrayList<>();
    final TreeSet<String> asPublished = new TreeSet<>();

    /** What takes the machines' place; only to look at them. */
    Optional<SeededBug> watch = Optional.empty();

    final SortedMap<String, Long> parameters = new TreeMap<>();

    Setting(ProtocolSystem system, long seed, int transactions) {
      this.system = system;
      this.seed = seed;
      this.transactions = transactions;
    }

    private RunConfig config(boolean traced) {
      return new RunConfig(
          system,
          seed,
          transactions,
          workload,
          kinds,
          Set.of(),
          asPublished,
          parameters,
          watch,
          faults.isEmpty() ? Optional.empty() : Optional.of(new FaultPlan(faults, healed)),
          traced);
    }
  }

  /** A setting of the protocol's own system. */
  Setting setting(long seed, int transactions) {
    return new Setting(system, seed, transactions);
  }

  /** The corpora that an adapter replays. */
  Stream<String> replayed() {
    return conformance.corpusModules().keySet().stream()
        .filter(m -> corpora.adapter(m, Optional.empty()).isPresent());
  }

  void replay(String module) {
    Corpus corpus = PARSED.computeIfAbsent(module, corpora::stored);
    Replay.Outcome o = new Replay(corpus, corpora.adapter(module, Optional.empty()).get()).run();
    assertThat(o.difference().map(Difference::lines)).isEmpty();
  }

  /** The nodes of a kind in the deployment that nothing is set for. */
  List<NodeSpec> nodes(String kind) {
    return system.topology(Settings.repaired(system.clockBounds())).nodes().stream()
        .filter(n -> n.kind().equals(kind))
        .toList();
  }

  /** The run, without logs: one that never ends would fill the memory with them. */
  static RunResult unlogged(Setting s) {
    return SimulationRun.of(s.config(false));
  }

  static List<String> violations(Setting s) {
    return unlogged(s).violations();
  }

  /**
   * The run keeps the simulator's invariants and what the protocol promises clients, and its logs
   * are behaviours of every module.
   */
  RunResult sound(Setting s) {
    RunResult run = unlogged(s);
    assertThat(run.violations()).isEmpty();
    assertThat(Judges.all(run.config().protocol()))
        .extracting(judge -> judge.judge(run))
        .noneMatch(judgement -> judgement.verdict() == Judge.Verdict.FAILS);
    return validate(s, module -> true);
  }

  /**
   * The logs are behaviours of every module.
   *
   * @param judges the modules that judge
   */
  RunResult validate(Setting s, Predicate<String> judges) {
    RunConfig config = s.config(true);
    RunResult run = SimulationRun.of(config);
    AcceptedLogs accepted = new AcceptedLogs(config.settings(), run.traces());
    if (accepted.known()) {
      return run;
    }
    Map<String, List<TraceEvent>> logs = new TreeMap<>();
    run.traces().forEach((node, log) -> logs.put(node, TraceReader.read(node, log)));
    MergedLog merged = MergedLog.of(logs);
    for (TraceModel model : conformance.traceModels(config.settings())) {
      if (judges.test(model.module())
          && conformance.silent(model.module(), config.settings()).isEmpty()) {
        assertThat(new Validator(ROOT).validate(model, merged).rejection())
            .as(model.module())
            .isEmpty();
      }
    }
    accepted.remember();
    return run;
  }
}
