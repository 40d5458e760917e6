package dev.plumbline.graph;

import dev.plumbline.protocol.ProtocolSystem;
import dev.plumbline.protocol.Settings;
import dev.plumbline.sim.Judge;
import dev.plumbline.sim.RunResult;
import dev.plumbline.tlc.InputError;
import dev.plumbline.trace.TraceEvent;
import dev.plumbline.trace.TraceReader;
import dev.plumbline.validate.Explanation;
import dev.plumbline.validate.MergedLog;
import dev.plumbline.validate.TraceModel;
import dev.plumbline.validate.Validator;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** Validates a simulated run's logs against one module of the protocol's specification. */
public final class TraceJudge implements Judge {
  /** How the names of these judges begin. */
  public static final String PREFIX = "traces: ";

  /** TLC evaluates with statics: one validation at a time. */
  private static final Object TLC = new Object();

  /** The log that this thread merged last: all modules of a protocol judge the same run. */
  private static final ThreadLocal<Merged> LAST = new ThreadLocal<>();

  private final Conformance conformance;
  private final String module;
  private final Validator validator;

  private TraceJudge(Path root, Conformance conformance, String module) {
    this.conformance = conformance;
    this.module = module;
    this.validator = new Validator(root);
  }

  /** One judge for each module that reads the protocol's logs; none if the protocol has none. */
  public static List<TraceJudge> all(Path root, ProtocolSystem protocol) {
    return Conformance.all().stream()
        .filter(c -> c.protocol().equals(protocol.name()))
        .flatMap(
            c ->
                c.traceModels(Settings.repaired(protocol.clockBounds())).stream()
                    .map(m -> new TraceJudge(root, c, m.module())))
        .toList();
  }

  /** A run's logs as one; what is wrong with them is an {@link InputError}. */
  static MergedLog merged(RunResult result) {
    Map<String, List<TraceEvent>> logs = new TreeMap<>();
    result
        .traces()
        .forEach((node, bytes) -> logs.put(node + ".ndjson", TraceReader.read(node, bytes)));
    MergedLog log = MergedLog.of(logs);
    log.demandSenders();
    log.demandRules();
    return log;
  }

  /** What a module says of a log; one at a time. */
  static dev.plumbline.validate.LogVerdict validate(
      Validator validator, TraceModel model, MergedLog log) {
    synchronized (TLC) {
      return validator.validate(model, log);
    }
  }

  private record Merged(RunResult result, MergedLog log) {}

  /** The part of a run's logs that is judged. */
  private MergedLog judged(RunResult result) {
    if (LAST.get() == null || LAST.get().result != result) {
      // Before the next one is read: two logs need twice the memory.
      LAST.remove();
      LAST.set(new Merged(result, merged(result)));
    }
    return LAST.get().log.prefix(conformance.judgedEvents(module));
  }

  @Override
  public String name() {
    int most = conformance.judgedEvents(module);
    return PREFIX + module + (most == Integer.MAX_VALUE ? "" : ", first " + most + " events");
  }

  @Override
  public Ruling judge(RunResult result) {
    if (result.traces().isEmpty()) {
      return new Ruling(name(), Verdict.NOT_RUN, "the run was not traced");
    }
    Optional<String> silent = conformance.silent(module, result.config().settings());
    if (silent.isPresent()) {
      return new Ruling(name(), Verdict.NOT_RUN, silent.get());
    }
    try {
      MergedLog log = judged(result);
      TraceModel model =
          conformance.traceModels(result.config().settings()).stream()
              .filter(m -> m.module().equals(module))
              .findFirst()
              .orElseThrow();
      dev.plumbline.validate.LogVerdict verdict = validate(validator, model, log);
      return verdict.accepted()
          ? new Ruling(name(), Verdict.HOLDS, "")
          : new Ruling(name(), Verdict.FAILS, String.join("\n", Explanation.lines(verdict, log)));
    } catch (InputError e) {
      // Of a log that is none the run is to blame; with a specification that is none nobody can
      // tell.
      return new Ruling(
          name(), e.ofSpecification() ? Verdict.UNKNOWN : Verdict.FAILS, e.describe());
    } catch (TraceReader.MalformedTrace e) {
      return new Ruling(name(), Verdict.FAILS, e.getMessage());
    }
  }
}
