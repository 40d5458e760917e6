package dev.plumbline.graph;

import dev.plumbline.protocol.FaultKind;
import dev.plumbline.protocol.ProtocolSystem;
import dev.plumbline.sim.RunConfig;
import dev.plumbline.sim.RunResult;
import dev.plumbline.sim.SimulationRun;
import dev.plumbline.tlc.InputError;
import dev.plumbline.trace.TraceReader;
import dev.plumbline.validate.LogVerdict;
import dev.plumbline.validate.MergedLog;
import dev.plumbline.validate.TraceModel;
import dev.plumbline.validate.Validator;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * How often simulated runs take each action of the specification, by the only kind of fault that
 * they had. A step counts where trace validation took it in a log that it accepted to the end; a
 * log that it rejects counts for nothing and is a problem.
 */
public final class TraceCoverage {
  private static final String EVERY = "*";

  private final Coverage waivers;
  private final Map<String, Set<String>> waived = new TreeMap<>();
  private final Map<String, Map<FaultKind, Long>> counts = new LinkedHashMap<>();
  private final Set<String> rejected = new TreeSet<>();

  /**
   * @param actions as {@code MODULE.Action}
   */
  TraceCoverage(Coverage waivers, List<String> actions) {
    this.waivers = waivers;
    actions.forEach(action -> counts.put(action, new EnumMap<>(FaultKind.class)));
    waivers
        .traces()
        .forEach(
            (name, faults) ->
                named(name)
                    .forEach(a -> waived.computeIfAbsent(a, n -> new TreeSet<>()).addAll(faults)));
  }

  /** The actions that a waiver names, of which {@code MODULE.*} are all of the module. */
  private List<String> named(String name) {
    String module = name.substring(0, name.length() - 1);
    List<String> all = counts.keySet().stream().filter(a -> a.startsWith(module)).toList();
    return name.endsWith(".*") && !all.isEmpty() ? all : List.of(name);
  }

  /**
   * Runs at most {@code seeds} seeds of {@code transactions} under each kind of fault, from the one
   * that {@code coverage.yaml} names or 1 on, until every action is taken that is not waived.
   *
   * @param root the repository
   */
  public static TraceCoverage measure(
      Path root, Conformance conformance, ProtocolSystem protocol, int seeds, int transactions) {
    TraceCoverage coverage =
        new TraceCoverage(
            Coverage.read(root, conformance.protocol()), new Corpora(root, conformance).actions());
    Validator validator = new Validator(root);
    Arrays.stream(FaultKind.values())
        .parallel()
        .forEach(
            kind -> {
              int first = coverage.waivers.firstSeed(kind);
              for (int done = 0; done < seeds && !coverage.gaps(kind).isEmpty(); done++) {
                RunConfig config =
                    RunConfig.plain(protocol, first + done, transactions, EnumSet.of(kind));
                coverage.add(kind, conformance, validator, SimulationRun.of(config));
              }
            });
    return coverage;
  }

  /** A log that is none, whatever the module, is a problem; a specification that is none is not. */
  void add(FaultKind kind, Conformance conformance, Validator validator, RunResult run) {
    long seed = run.config().seed();
    try {
      validated(kind, conformance, validator, run);
    } catch (InputError e) {
      if (e.ofSpecification()) {
        throw e;
      }
      unread(kind, seed, e.describe());
    } catch (TraceReader.MalformedTrace e) {
      unread(kind, seed, e.getMessage());
    }
  }

  private synchronized void unread(FaultKind kind, long seed, String why) {
    rejected.add("the log of seed %d under %s alone is no log: %s".formatted(seed, kind, why));
  }

  private void validated(
      FaultKind kind, Conformance conformance, Validator validator, RunResult run) {
    MergedLog log = TraceJudge.merged(run);
    for (TraceModel model : conformance.traceModels(run.config().settings())) {
      if (conformance.silent(model.module(), run.config().settings()).isPresent()) {
        continue;
      }
      MergedLog judged = log.prefix(conformance.judgedEvents(model.module()));
      count(kind, run.config().seed(), TraceJudge.validate(validator, model, judged));
    }
  }

  /** Counts what was taken in an accepted log; what is no action is left out. */
  synchronized void count(FaultKind kind, long seed, LogVerdict verdict) {
    if (!verdict.accepted()) {
      rejected.add(
          "the log of seed %d under %s alone is no behaviour of %s"
              .formatted(seed, kind, verdict.module()));
      return;
    }
    verdict
        .taken()
        .forEach(
            (action, steps) -> {
              String name = verdict.module() + "." + action;
              if (counts.containsKey(name)) {
                counts.get(name).merge(kind, (long) steps, Long::sum);
              }
            });
  }

  /** Steps of each action under each kind of fault, in the order of the specification. */
  public Map<String, Map<FaultKind, Long>> counts() {
    return counts;
  }

  /** Whether no trace needs to take the action under this kind of fault. */
  public boolean waived(String action, FaultKind kind) {
    Set<String> faults = waived.getOrDefault(action, Set.of());
    return faults.contains(EVERY) || faults.contains(kind.toString());
  }

  private synchronized List<String> gaps(FaultKind kind) {
    return counts.keySet().stream()
        .filter(action -> !counts.get(action).containsKey(kind) && !waived(action, kind))
        .toList();
  }

  /**
   * Logs that were rejected, what is neither covered nor waived, and waivers that are wrong or not
   * needed.
   */
  public List<String> problems() {
    List<String> problems = new ArrayList<>(rejected);
    if (counts.isEmpty() && rejected.isEmpty()) {
      problems.add("no module has a binding: no action is asked for");
    }
    for (FaultKind kind : FaultKind.values()) {
      gaps(kind)
          .forEach(action -> problems.add("no trace under " + kind + " alone takes " + action));
    }
    waived.forEach((action, faults) -> faults.forEach(f -> check(action, f, problems)));
    return problems;
  }

  private void check(String action, String fault, List<String> problems) {
    String waiver = "coverage.yaml waives " + action + " under " + fault;
    if (!counts.containsKey(action)) {
      problems.add(waiver + ", but the specification has no such action");
      return;
    }
    Set<FaultKind> taken = counts.get(action).keySet();
    if (fault.equals(EVERY)) {
      if (!taken.isEmpty()) {
        problems.add(waiver + ", but traces take it under " + taken + ": narrow the waiver");
      }
    } else if (EnumSet.allOf(FaultKind.class).stream().noneMatch(k -> k.toString().equals(fault))) {
      problems.add(waiver + ", which is no kind of fault");
    } else if (taken.stream().anyMatch(k -> k.toString().equals(fault))) {
      problems.add(waiver + ", but traces take it: remove the waiver");
    }
  }
}
