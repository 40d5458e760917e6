package dev.plumbline.validate;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.plumbline.scratch.Scratch;
import dev.plumbline.tlc.InputError;
import dev.plumbline.tlc.Spec;
import dev.plumbline.tlc.Term;
import dev.plumbline.validate.LogVerdict.Rejection;
import dev.plumbline.validate.TraceModel.Reading;
import dev.plumbline.validate.TraceModel.Step;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Supplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Steps a specification along a log and keeps the exact set of states it can be in. An event binds
 * its action's parameters, so that one evaluation a candidate decides it.
 */
public final class Validator {
  private static final int SHOWN_STATES = 3;
  private static final int SHOWN_OF_ACTION = 4;

  /** An action of many parameters is not tried with all of them to explain a rejection. */
  private static final int TRIED_OF_ACTION = 2_000;

  /** Events after which the possible states are freed of those before them. */
  private static final int PLAIN = 512;

  private static final String NOT_ENABLED =
      "the action is not enabled in any of the possible states";
  private static final int MAX_ROOM = 64;
  private static final Pattern CONSTANT = Pattern.compile("(\\w+) == (.*)", Pattern.DOTALL);

  private final Path root;

  /**
   * @param root the repository
   */
  public Validator(Path root) {
    this.root = root;
  }

  /**
   * Validates a log against one module.
   *
   * @throws InputError when the log cannot be read, or no event of it concerns the module
   */
  public LogVerdict validate(TraceModel model, MergedLog log) {
    for (int room = 1; ; room *= 2) {
      try {
        return new Run(model, log, read(model, log, room)).run();
      } catch (TraceModel.PoolEmpty e) {
        if (room >= MAX_ROOM) {
          throw new InputError("", 0, model.module() + ": " + e.getMessage(), "split the log");
        }
      }
    }
  }

  /** Reads a log; an argument that is missing or of another kind is the log's fault. */
  private static Reading read(TraceModel model, MergedLog log, int room) {
    try {
      return model.read(log, room);
    } catch (InputError | TraceModel.PoolEmpty e) {
      throw e;
    } catch (RuntimeException e) {
      throw misread(model, "", 0, e);
    }
  }

  /** An event has an argument or a state that its module cannot read. */
  public static InputError misread(TraceModel model, MergedLog.Entry entry, RuntimeException e) {
    return misread(model, entry.file(), entry.line(), e);
  }

  private static InputError misread(TraceModel model, String file, int line, RuntimeException e) {
    StackTraceElement[] where = e.getStackTrace();
    return new InputError(
        file,
        line,
        "an argument or a state is missing, or of another kind than "
            + model.module()
            + " reads ("
            + e
            + (where.length == 0
                ? ""
                : ", " + where[0].getFileName() + ":" + where[0].getLineNumber())
            + ")",
        "log what docs/trace-log.md and the module's trace model say");
  }

  /** Loads the root module that extends TraceMODULE with what this log fixes. */
  public Spec load(TraceModel model, Reading reading) {
    String name = "Log" + model.module();
    List<String> module = new ArrayList<>();
    module.add("---- MODULE " + name + " ----");
    module.add("EXTENDS Trace" + model.module());
    reading.definitions().forEach(definition -> module.addAll(evaluatedOnce(definition)));
    module.add("====");
    List<String> config = new ArrayList<>(List.of("SPECIFICATION " + reading.specification()));
    config.addAll(reading.configuration());
    Path folder = null;
    try {
      folder = Scratch.folder("trace");
      Path tla = folder.resolve(name + ".tla");
      Path cfg = folder.resolve(name + ".cfg");
      Files.write(tla, module);
      Files.write(cfg, config);
      Spec spec =
          Spec.load(tla, cfg, List.of(root.resolve(model.folder()), root.resolve("specs/common")));
      reading.load(spec);
      return spec;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } finally {
      if (folder != null) {
        Scratch.delete(folder);
      }
    }
  }

  /**
   * TLC may evaluate anew, at each use, the definition that a configuration puts in a constant's
   * place; a definition that this one names it evaluates once.
   */
  private static List<String> evaluatedOnce(String definition) {
    Matcher constant = CONSTANT.matcher(definition);
    return constant.matches()
        ? List.of(
            constant.group(1) + "Once == " + constant.group(2),
            constant.group(1) + " == " + constant.group(1) + "Once")
        : List.of(definition);
  }

  /** One validation. */
  private final class Run {
    private final TraceModel model;
    private final MergedLog log;
    private final Reading reading;
    private final Spec spec;
    private final List<Spec.State> initial;
    private final Map<String, Part> parts = new HashMap<>();
    private final Map<String, Integer> taken = new TreeMap<>();

    /** The states that the specification could be in, in the part of the log that is stepped. */
    private List<Spec.State> candidates;

    private Rejection rejection;
    private int widest;

    /** A part of the log, up to some event. */
    private final class Part {
      List<Spec.State> candidates = new ArrayList<>(initial);
      int matched;
    }

    Run(TraceModel model, MergedLog log, Reading reading) {
      this.model = model;
      this.log = log;
      this.reading = reading;
      this.spec = load(model, reading);
      this.initial = spec.initialStates();
    }

    LogVerdict run() {
      long start = System.nanoTime();
      int matched = 0;
      List<MergedLog.Entry> entries = log.entries();
      for (int i = 0; i < entries.size() && rejection == null; i++) {
        int event = i;
        boolean matches = false;
        for (String part : read(i, () -> reading.parts(event))) {
          matches |= rejection == null && match(i, part);
        }
        matched += matches ? 1 : 0;
      }
      if (rejection == null && matched == 0) {
        throw new InputError(
            "",
            0,
            "none of the " + entries.size() + " events is a step of " + model.module(),
            "log " + model.module() + "'s actions, as \"" + model.module() + ".ACTION\"");
      }
      taken.remove("");
      return new LogVerdict(
          model.module(),
          entries.size(),
          matched,
          taken,
          widest,
          reading.covered(),
          (System.nanoTime() - start) / 1e9,
          Optional.ofNullable(rejection));
    }

    /** Takes the steps that an event is in a part of the log; whether it is any, and all can. */
    private boolean match(int index, String name) {
      List<Step> steps = steps(index, name);
      if (steps.isEmpty()) {
        return false;
      }
      Part part = parts.computeIfAbsent(name, n -> new Part());
      candidates = part.candidates;
      for (Step step : steps) {
        rejection = take(index, step);
        if (rejection != null) {
          return false;
        }
      }
      forget(index);
      housekeeping(index);
      part.matched++;
      if (part.matched % PLAIN == 0) {
        candidates.replaceAll(Spec.State::plain);
        reading.remade();
      }
      widest = Math.max(widest, candidates.size());
      part.candidates = candidates;
      return true;
    }

    private List<Step> steps(int index, String part) {
      return read(index, () -> reading.steps(index, part));
    }

    /** What an event says; where it cannot be read, that is the log's fault. */
    private <T> T read(int index, Supplier<T> what) {
      try {
        return what.get();
      } catch (InputError | TraceModel.PoolEmpty e) {
        throw e;
      } catch (RuntimeException e) {
        throw misread(model, log.entries().get(index), e);
      }
    }

    /** Takes one step in every candidate; the rejection if none can. */
    private Rejection take(int index, Step step) {
      Collection<Spec.State> next =
          candidates.size() == 1 ? new ArrayList<>() : new LinkedHashSet<>();
      String error = null;
      boolean moved = false;
      for (Spec.State s : candidates) {
        List<Spec.State> to;
        try {
          to = spec.apply(s, step.operator(), step.arguments());
        } catch (InputError e) {
          throw e;
        } catch (RuntimeException e) {
          error = String.valueOf(e.getMessage()).strip().replaceAll("\\s+", " ");
          to = List.of();
        }
        if (to.isEmpty() && step.optional()) {
          next.add(s);
        } else if (!to.isEmpty()) {
          moved = true;
        }
        next.addAll(to);
      }
      if (next.isEmpty()) {
        return rejection(index, step, error, candidates);
      }
      if (moved) {
        taken.merge(step.action(), 1, Integer::sum);
      }
      List<Spec.State> before = candidates;
      candidates =
          next.size() < 2 || next instanceof Set
              ? new ArrayList<>(next)
              : new ArrayList<>(new LinkedHashSet<>(next));
      for (String invariant : reading.invariants()) {
        candidates.removeIf(s -> !spec.holds(invariant, s));
        if (candidates.isEmpty()) {
          return rejected(
              index,
              step,
              "the step violates " + invariant,
              before,
              guards(step, before),
              enabled(step, before));
        }
      }
      return null;
    }

    /** Drops what no later event can tell apart. */
    private void forget(int index) {
      boolean changed = false;
      for (int c = 0; c < candidates.size(); c++) {
        Spec.State s = candidates.get(c);
        Spec.State t = s;
        for (String variable : reading.messageVariables()) {
          t = dropMessages(index, variable, t);
        }
        for (Map.Entry<String, Term> reset : reading.forgotten().entrySet()) {
          if (!t.get(reset.getKey()).equals(reset.getValue())) {
            t = t.with(reset.getKey(), reset.getValue());
          }
        }
        if (t != s) {
          candidates.set(c, t);
          changed = true;
        }
      }
      if (changed && candidates.size() > 1) {
        candidates = new ArrayList<>(new LinkedHashSet<>(candidates));
      }
    }

    private Spec.State dropMessages(int index, String variable, Spec.State s) {
      List<Term> messages = s.get(variable).elements();
      List<Term> alive = new ArrayList<>(messages.size());
      for (Term m : messages) {
        if (reading.deliveredAfter(index, m)) {
          alive.add(m);
        }
      }
      if (alive.size() == messages.size()) {
        return s;
      }
      return s.with(variable, Term.set(alive));
    }

    private void housekeeping(int index) {
      List<Step> steps = reading.housekeeping(index);
      for (Step step : steps) {
        Rejection failed = take(index, step);
        if (failed != null) {
          throw new IllegalStateException(
              "housekeeping " + step.operator() + " is not enabled: " + failed.why());
        }
      }
      if (!steps.isEmpty()) {
        reading.cleaned(candidates);
      }
    }

    /** Why no candidate can take a step; {@code error} where evaluating it ended with one. */
    private Rejection rejection(int index, Step step, String error, List<Spec.State> before) {
      List<Spec.Conjunct> guards = guards(step, before);
      Enabled enabled = enabled(step, before);
      String why;
      if (error != null) {
        why = "the action cannot be evaluated: " + error;
      } else if (compares(step)) {
        why = "the state after the action is not the one that was logged";
      } else if (!guards.stream().allMatch(Spec.Conjunct::holds)) {
        why = NOT_ENABLED;
      } else if (enabled.has(step.action())) {
        why = "the action is enabled, but leads to no state that was logged";
      } else if (enabled.cut(step.action())) {
        why = "the action's guards hold, but it leads to no state that was logged";
      } else {
        why = NOT_ENABLED;
      }
      return rejected(index, step, why, before, guards, enabled);
    }

    /** Whether a step only compares what was logged with the state that the action led to. */
    private static boolean compares(Step step) {
      return step.action().isEmpty() && step.operator().endsWith("Shows");
    }

    private List<Spec.Conjunct> guards(Step step, List<Spec.State> before) {
      return evaluated(() -> spec.guards(before.get(0), step.operator(), step.arguments()));
    }

    private Enabled enabled(Step step, List<Spec.State> before) {
      Map<String, Integer> calls = new TreeMap<>();
      List<Spec.Step> steps =
          compares(step)
              ? List.of()
              : evaluated(
                  () ->
                      spec.steps(
                          before.get(0),
                          call -> calls.merge(call.action(), 1, Integer::sum) <= TRIED_OF_ACTION));
      return new Enabled(steps, calls);
    }

    /**
     * What only explains a rejection is left out where a log's wrong values cannot be evaluated.
     */
    private static <T> List<T> evaluated(Supplier<List<T>> explanation) {
      try {
        return explanation.get();
      } catch (InputError e) {
        throw e;
      } catch (RuntimeException e) {
        return List.of();
      }
    }

    private Rejection rejected(
        int index,
        Step step,
        String why,
        List<Spec.State> before,
        List<Spec.Conjunct> guards,
        Enabled enabled) {
      List<ObjectNode> shown = before.stream().limit(SHOWN_STATES).map(Spec.State::json).toList();
      return new Rejection(
          index,
          log.entries().get(index),
          step.operator() + step.arguments(),
          why,
          compares(step),
          reading.names(index),
          shown,
          before.size(),
          guards,
          enabled.lines());
    }
  }

  /**
   * What was enabled in a state.
   *
   * @param calls how many calls each action has there; of more than {@link #TRIED_OF_ACTION} the
   *     rest was not tried
   */
  private record Enabled(List<Spec.Step> steps, Map<String, Integer> calls) {
    boolean has(String action) {
      return steps.stream().anyMatch(step -> step.action().equals(action));
    }

    boolean cut(String action) {
      return calls.getOrDefault(action, 0) > TRIED_OF_ACTION;
    }

    /** Some steps of each action, and how many more there are or may be. */
    List<String> lines() {
      Set<String> lines = new TreeSet<>();
      Map<String, Integer> of = new HashMap<>();
      for (Spec.Step step : steps) {
        if (of.merge(step.action(), 1, Integer::sum) <= SHOWN_OF_ACTION) {
          lines.add(step.action() + " " + step.parameters());
        }
      }
      of.forEach(
          (action, count) -> {
            if (count > SHOWN_OF_ACTION) {
              lines.add(action + " … " + (count - SHOWN_OF_ACTION) + " more");
            }
          });
      calls.forEach(
          (action, count) -> {
            if (cut(action)) {
              lines.add(action + " … " + (count - TRIED_OF_ACTION) + " ways not tried");
            }
          });
      return List.copyOf(lines);
    }
  }
}
