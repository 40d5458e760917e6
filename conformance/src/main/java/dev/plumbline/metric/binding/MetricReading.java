package dev.plumbline.metric.binding;

import com.fasterxml.jackson.databind.JsonNode;
import dev.plumbline.bind.Binding;
import dev.plumbline.bind.LogReading;
import dev.plumbline.metric.MetricConfig;
import dev.plumbline.metric.Uuid;
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

  private static final String RELEASE = "ReleaseOwnership";

  /** A process got a lock. */
  private record Got(int at, String node, long reference) {}

  private final Map<String, List<Got>> got = new HashMap<>();
  private final Map<String, Integer> started = new HashMap<>();
  private final Map<Integer, Integer> starts = new TreeMap<>();
  private final Map<Integer, List<Integer>> sooner = new HashMap<>();

  /** Before which event one is read that is not read in its own place. */
  private final Map<Integer, Integer> moved = new HashMap<>();

  private final Map<String, Integer> process = new HashMap<>();

  private final Grants grants;

  /** The last event of each node. */
  private final Map<String, Integer> last = new HashMap<>();

  /** The reference that each node last had of a key. */
  private final Map<String, Long> had = new HashMap<>();

  /** The entry that each process last said was its own, as its key. */
  private final Map<String, String> mine = new HashMap<>();

  /** By event, what it says that other events deny. */
  private final Map<Integer, Step> denied = new HashMap<>();

  /**
   * @param synchronizes whether who gets a lock that was taken from another synchronizes first
   */
  MetricReading(Binding binding, MergedLog log, int room, boolean synchronizes) {
    super(binding, log, room);
    grants = new Grants(synchronizes);
  }

  /** Event {@code i} is of a process that has got this lock. */
  final void gets(int i, String key, long reference) {
    got.computeIfAbsent(key, k -> new ArrayList<>()).add(new Got(i, event(i).node(), reference));
  }

  @Override
  protected void scan(int i, TraceEvent e) {
    Integer previous = last.put(e.node(), i);
    if (previous != null) {
      releases(previous, i);
    }
    grants.scan(e);
    if (e.action().startsWith("Ownership.") && e.state().containsKey("mine")) {
      JsonNode entry = e.state().get("mine");
      mine.put(e.node(), entry.size() == 2 ? MetricConfig.entryKey(uuid(entry)) : "");
    }
    if (concerns(i) && e.args().containsKey("ref")) {
      starts.put(i, started.getOrDefault(e.node(), -1));
      grants.denied(e, e.node()).ifPresent(step -> denied.put(i, step));
      long reference = e.arg("ref").asLong();
      Long earlier = had.put(e.node() + " " + e.arg("key").asText(), reference);
      if (earlier != null && reference < earlier) {
        denied.put(i, Grants.agrees(Grants.term(reference), List.of(Grants.term(earlier))));
      }
      if (e.action().startsWith("RedoLog.")) {
        agrees(i, e.arg("key").asText(), mine.getOrDefault(e.node(), ""));
      }
    }
    if (STARTS.contains(e.action())) {
      started.put(e.node(), i);
    }
    if (e.args().containsKey("p")) {
      int p = e.args().get("p").asInt();
      int before = process.computeIfAbsent(e.node(), node -> p);
      if (p != before) {
        throw error(
            i, e.node() + " is process " + p + ", and was " + before, "log whose step it is");
      }
    }
  }

  /** A process that lets go of its tables is done with them in both modules, in one step. */
  private void releases(int i, int next) {
    TraceEvent e = event(i);
    TraceEvent then = event(next);
    boolean first = e.action().equals("RedoLog." + RELEASE);
    boolean second = then.action().equals("Ownership." + RELEASE);
    boolean together = e.at() == then.at() && e.recv().equals(then.recv());
    if (first != second || first && !together) {
      throw error(
          first ? i : next,
          (first ? e : then).action() + " stands alone",
          "log it for both modules, RedoLog first");
    }
  }

  /** An event says what another event has to have said. */
  final void agrees(int i, String says, String other) {
    if (!says.equals(other)) {
      denied.put(i, Grants.agrees(Term.string(says), List.of(Term.string(other))));
    }
  }

  static Uuid uuid(JsonNode words) {
    return new Uuid(words.get(0).longValue(), words.get(1).longValue());
  }

  /** Finds what took effect before the log has its end. */
  @Override
  protected void scanned() {
    starts.forEach(
        (i, start) -> {
          TraceEvent e = event(i);
          long reference = e.args().get("ref").asLong();
          got.getOrDefault(e.arg("key").asText(), List.of()).stream()
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
    sooner.getOrDefault(i, List.of()).forEach(early -> read(early, steps));
    if (!moved.containsKey(i)) {
      read(i, steps);
    }
    return steps;
  }

  private void read(int i, List<Step> steps) {
    if (denied.containsKey(i)) {
      steps.add(denied.get(i));
    }
    steps.addAll(stepsOf(i));
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
