package dev.plumbline.metricconf;

import dev.plumbline.bind.Binding;
import dev.plumbline.bind.LogReading;
import dev.plumbline.tlc.Term;
import dev.plumbline.trace.TraceEvent;
import dev.plumbline.validate.MergedLog;
import dev.plumbline.validate.TraceModel.Step;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * Reads logs of processes for modules that take the store's operations as one step each. A critical
 * operation takes effect somewhere between its start and its end. Where the log has its end after
 * another process has got the same lock under a higher reference, it took effect before that: a
 * replica that has served the later one refuses the earlier. Such an end is read there, if its
 * operation had started by then.
 */
abstract class MetricReading extends LogReading {
  private static final Set<String> STARTS =
      Set.of(
          "Ownership.CreateEntry",
          "Ownership.NextTable",
          "Ownership.AddTable",
          "Ownership.PointDirectory",
          "Ownership.ExecuteQuery",
          "RedoLog.SendAppend",
          "RedoLog.Execute");

  /** A process got a lock. */
  private record Got(int at, String node, long reference) {}

  private final Map<String, List<Got>> got = new HashMap<>();
  private final Map<String, Integer> started = new HashMap<>();
  private final Map<Integer, Integer> starts = new TreeMap<>();
  private final Map<Integer, List<Integer>> sooner = new HashMap<>();

  /** Before which event one is read that is not read in its own place. */
  private final Map<Integer, Integer> moved = new HashMap<>();

  private final Map<String, Integer> process = new HashMap<>();

  MetricReading(Binding binding, MergedLog log, int room) {
    super(binding, log, room);
  }

  /** Event {@code i} is of a process that has got this lock. */
  final void gets(int i, String key, long reference) {
    got.computeIfAbsent(key, k -> new ArrayList<>()).add(new Got(i, event(i).node(), reference));
  }

  @Override
  protected void scan(int i, TraceEvent e) {
    if (concerns(i) && e.args().containsKey("ref")) {
      starts.put(i, started.getOrDefault(e.node(), -1));
    }
    if (STARTS.contains(e.action())) {
      started.put(e.node(), i);
    }
    if (e.args().containsKey("p")) {
      process.put(e.node(), e.args().get("p").asInt());
    }
  }

  /** Finds what took effect before the log has its end. */
  @Override
  protected void scanned() {
    starts.forEach(
        (i, start) -> {
          TraceEvent e = event(i);
          long reference = e.args().get("ref").asLong();
          got.getOrDefault(e.args().get("key").asText(), List.of()).stream()
              .filter(g -> g.reference > reference && !g.node.equals(e.node()))
              .mapToInt(Got::at)
              .filter(at -> at > start && at < i)
              .min()
              .ifPresent(
                  at -> {
                    sooner.computeIfAbsent(at, a -> new ArrayList<>()).add(i);
                    moved.put(i, at);
                  });
        });
  }

  @Override
  public final List<Step> steps(int i) {
    List<Step> steps = new ArrayList<>();
    sooner.getOrDefault(i, List.of()).forEach(early -> steps.addAll(stepsOf(early)));
    if (!moved.containsKey(i)) {
      steps.addAll(stepsOf(i));
    }
    return steps;
  }

  /** Before which event an event is read, which is itself for most. */
  final int place(int i) {
    return moved.getOrDefault(i, i);
  }

  /** What an event is, wherever it is read. */
  List<Step> stepsOf(int i) {
    TraceEvent e = event(i);
    if (e.ends() && process.containsKey(e.node())) {
      List<Term> p = List.of(Term.of(process.get(e.node())));
      return List.of(new Step("CrashProcess", "TraceCrash", p, false));
    }
    return super.steps(i);
  }
}
