package dev.plumbline.tlc;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.LongConsumer;
import tlc2.tool.Action;
import tlc2.tool.ITool;
import tlc2.tool.StateVec;
import tlc2.tool.TLCState;

/**
 * Explores a model breadth first with TLC's evaluator and goes on after a violation, so that one
 * pass says of every invariant and every step property whether some state or step violates it.
 * Compares the graph with that of another version of the same specification, of which all
 * properties hold: then only states and steps that the other version does not have are judged.
 * Temporal properties are left to {@link Checker}.
 */
public final class Explorer {
  private static final long CLOCK_EVERY = 256;

  /** How many originals' graphs are kept. */
  private static final int ORIGINALS = 8;

  private static final ThreadMXBean CPU = ManagementFactory.getThreadMXBean();

  private Explorer() {}

  /**
   * What to explore.
   *
   * @param steps how many steps to take at most
   * @param millis how much processor time to use at most
   * @param first stop at the first violation
   * @param original the version to compare with, which satisfies all properties, or null
   */
  public record Job(
      String id,
      String module,
      String config,
      List<String> library,
      long steps,
      long millis,
      boolean first,
      Original original) {}

  /** Another version; {@code key} identifies its content, so that its graph can be remembered. */
  public record Original(String key, String module, String config) {}

  /**
   * What was found.
   *
   * @param end complete (everything explored), violated (nothing left to decide), steps or millis
   *     (a limit was met), parse (it does not load), assumption (one of the modules' is false, so
   *     that nothing was explored) or error (an action cannot be evaluated)
   * @param violated each violated property with the depth at which it was first violated
   * @param undecided properties that cannot be evaluated, with TLC's message
   * @param millis processor time used
   * @param relation same, loses (each initial state and step is one of the original's, some are
   *     missing), differs, or empty without an original
   * @param foreign the first step or initial state that the original does not have
   */
  public record Exploration(
      String end,
      String message,
      long states,
      long steps,
      int depth,
      long millis,
      Map<String, Integer> violated,
      Map<String, String> undecided,
      String relation,
      String foreign) {

    /** The same where the original was not explored to the end: nothing shows that they agree. */
    Exploration unrelated() {
      return new Exploration(
          end, message, states, steps, depth, millis, violated, undecided, "differs", foreign);
    }
  }

  /**
   * The graph of an original.
   *
   * @param states all states, those beyond a constraint included
   * @param steps the steps that change something, as mixed hashes
   */
  private record Graph(LongSet initial, LongSet states, LongSet steps) {}

  /** The graphs of the originals used last, by key. */
  private static final Map<String, Graph> REMEMBERED =
      new LinkedHashMap<>(16, 0.75f, true) {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<String, Graph> eldest) {
          return size() > ORIGINALS;
        }
      };

  static Exploration run(Job job) {
    Original original = job.original();
    if (original != null && !REMEMBERED.containsKey(original.key())) {
      Run run = new Run(job, null);
      Exploration e = run.load(original.module(), original.config());
      if (!e.end.equals("complete")) {
        return e.unrelated();
      }
      LongSet states = run.seen;
      run.outside.forEach(states::add);
      REMEMBERED.put(original.key(), new Graph(run.initial, states, run.edges));
    }
    return new Run(job, original == null ? null : REMEMBERED.get(original.key()))
        .load(job.module(), job.config());
  }

  private static final class Run {
    private final Job job;
    private final Graph original;
    private final boolean graph;
    private final long start = CPU.getCurrentThreadCpuTime();
    private final LongSet seen = new LongSet();

    /** States beyond a constraint: judged, not counted, not explored further. */
    private final LongSet outside = new LongSet();

    private final LongSet initial = new LongSet();
    private final LongSet edges = new LongSet();
    private final Map<String, Integer> violated = new LinkedHashMap<>();
    private final Map<String, String> undecided = new LinkedHashMap<>();
    private final ArrayDeque<TLCState> queue = new ArrayDeque<>();
    private Spec spec;
    private ITool tool;
    private Action[] invariants;
    private Action[] stepProperties;
    private int open;
    private int depth;
    private long steps;
    private String end = "";
    private String message = "";
    private String foreign = "";

    Run(Job job, Graph original) {
      this.job = job;
      this.original = original;
      this.graph = job.original() != null;
    }

    Exploration load(String module, String config) {
      List<Path> library = job.library().stream().map(Path::of).toList();
      try {
        spec = Spec.loadUnassumed(Path.of(module), Path.of(config), library);
        tool = spec.tool();
        invariants = Arrays.copyOf(tool.getInvariants(), tool.getInvariants().length);
        stepProperties = Arrays.copyOf(tool.getImpliedActions(), tool.getImpliedActions().length);
        open = invariants.length + stepProperties.length;
      } catch (InputError e) {
        end = "parse";
        message = e.describe();
        return result();
      }
      try {
        Optional<String> broken = spec.brokenAssumption();
        if (broken.isPresent()) {
          end = "assumption";
          message = broken.get();
          return result();
        }
        explore();
      } catch (RuntimeException | StackOverflowError e) {
        end = "error";
        message = said(e);
      }
      return result();
    }

    private void explore() {
      StateVec first = tool.getInitStates();
      for (int i = 0; i < first.size(); i++) {
        TLCState s = first.elementAt(i);
        long fp = s.fingerPrint();
        if (original != null && !original.initial.contains(fp)) {
          foreign = foreign.isEmpty() ? "initial state " + spec.state(s) : foreign;
          if (open == 0) {
            end = "violated";
            return;
          }
        }
        initial.add(fp);
        boolean inModel = tool.isInModel(s);
        if ((inModel ? seen : outside).add(fp)) {
          if (original == null || !original.states.contains(fp)) {
            judge(s);
          }
          if (inModel) {
            queue.add(s);
          }
        }
      }
      Action[] actions = tool.getActions();
      int level = queue.size();
      while (!queue.isEmpty() && end.isEmpty()) {
        if (level == 0) {
          level = queue.size();
          depth++;
        }
        level--;
        TLCState s = queue.poll();
        long from = s.fingerPrint();
        for (Action a : actions) {
          StateVec next = tool.getNextStates(a, s);
          for (int i = 0; i < next.size() && end.isEmpty(); i++) {
            step(s, from, next.elementAt(i), a);
          }
        }
      }
      if (end.isEmpty()) {
        end = "complete";
      }
    }

    private void step(TLCState s, long from, TLCState t, Action a) {
      steps++;
      if (!tool.isGoodState(t)) {
        throw new IllegalStateException(
            "a step of " + a.getName() + " leaves variables without a value: " + t.getUnassigned());
      }
      long fp = t.fingerPrint();
      boolean known = false;
      if (graph && fp != from) {
        long edge = from * 0x9E3779B97F4A7C15L + Long.rotateLeft(fp, 29);
        known = original != null && original.steps.contains(edge);
        if (original != null && !known) {
          if (foreign.isEmpty()) {
            Spec.Step named = spec.between(s, t);
            String action = named == null ? a.getName().toString() : named.action();
            foreign = action + ": " + changes(s, t);
          }
          if (open == 0) {
            end = "violated";
            return;
          }
        }
        edges.add(edge);
      }
      boolean stutters = fp == from && s.equals(t);
      for (int i = 0; i < stepProperties.length && !stutters && !known; i++) {
        if (stepProperties[i] != null) {
          try {
            if (!tool.isValid(stepProperties[i], s, t)) {
              violates(tool.getImpliedActNames()[i], stepProperties, i);
            }
          } catch (RuntimeException | StackOverflowError e) {
            cannot(tool.getImpliedActNames()[i], stepProperties, i, e);
          }
        }
      }
      boolean inModel = tool.isInModel(t) && tool.isInActions(s, t);
      if ((inModel ? seen : outside).add(fp)) {
        if (original == null || !original.states.contains(fp)) {
          judge(t);
        }
        if (inModel) {
          queue.add(t);
        }
      }
      limits();
    }

    private void judge(TLCState s) {
      for (int i = 0; i < invariants.length; i++) {
        if (invariants[i] != null) {
          try {
            if (!tool.isValid(invariants[i], s)) {
              violates(tool.getInvNames()[i], invariants, i);
            }
          } catch (RuntimeException | StackOverflowError e) {
            cannot(tool.getInvNames()[i], invariants, i, e);
          }
        }
      }
    }

    private void violates(String property, Action[] of, int i) {
      violated.put(property, depth + 1);
      of[i] = null;
      open--;
      if (job.first() || open == 0) {
        end = "violated";
      }
    }

    private void cannot(String property, Action[] of, int i, Throwable e) {
      undecided.put(property, said(e));
      of[i] = null;
      open--;
    }

    private void limits() {
      if (!end.isEmpty()) {
        return;
      }
      if (steps >= job.steps()) {
        end = "steps";
      } else if (steps % CLOCK_EVERY == 0 && elapsed() > job.millis()) {
        end = "millis";
      }
    }

    private long elapsed() {
      return TimeUnit.NANOSECONDS.toMillis(CPU.getCurrentThreadCpuTime() - start);
    }

    private String changes(TLCState s, TLCState t) {
      List<String> all = new ArrayList<>();
      for (String v : spec.variables()) {
        String before = spec.state(s).json(v).toString();
        String after = spec.state(t).json(v).toString();
        if (!before.equals(after)) {
          all.add(v + " from " + before + " to " + after);
        }
      }
      return all.isEmpty() ? "no change" : String.join("; ", all);
    }

    private String relation() {
      if (original == null) {
        return "";
      }
      if (!foreign.isEmpty() || !end.equals("complete")) {
        return "differs";
      }
      return initial.size() == original.initial.size() && edges.size() == original.steps.size()
          ? "same"
          : "loses";
    }

    private Exploration result() {
      return new Exploration(
          end,
          message,
          seen.size(),
          steps,
          depth,
          elapsed(),
          violated,
          undecided,
          relation(),
          foreign);
    }

    private static String said(Throwable e) {
      String text = e.getMessage() == null ? e.getClass().getSimpleName() : e.getMessage();
      return text.replaceAll("\\s+", " ").strip();
    }
  }

  /** A set of 64-bit numbers with open addressing. */
  private static final class LongSet {
    private long[] slots = new long[1 << 12];
    private boolean zero;
    private int used;

    boolean add(long x) {
      if (x == 0) {
        boolean fresh = !zero;
        zero = true;
        return fresh;
      }
      int i = find(x);
      if (slots[i] == x) {
        return false;
      }
      slots[i] = x;
      if (++used * 2 > slots.length) {
        long[] old = slots;
        slots = new long[old.length * 2];
        for (long y : old) {
          if (y != 0) {
            slots[find(y)] = y;
          }
        }
      }
      return true;
    }

    boolean contains(long x) {
      return x == 0 ? zero : slots[find(x)] == x;
    }

    void forEach(LongConsumer action) {
      if (zero) {
        action.accept(0);
      }
      for (long x : slots) {
        if (x != 0) {
          action.accept(x);
        }
      }
    }

    int size() {
      return used + (zero ? 1 : 0);
    }

    private int find(long x) {
      int i = (int) (x ^ (x >>> 32)) & (slots.length - 1);
      while (slots[i] != 0 && slots[i] != x) {
        i = (i + 1) & (slots.length - 1);
      }
      return i;
    }
  }
}
