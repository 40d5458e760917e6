package dev.plumbline.k2conf;

import com.fasterxml.jackson.databind.node.MissingNode;
import dev.plumbline.k2.K2Config;
import dev.plumbline.tlc.InputError;
import dev.plumbline.tlc.Term;
import dev.plumbline.trace.TraceEvent;
import dev.plumbline.validate.MergedLog;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * Reads a log as steps of {@code EpochCut}: what nodes that cut epochs do, and oracles for them;
 * see {@code specs/k2/TraceEpochCut.tla}.
 */
final class EpochCutTrace extends TimestampBatchingTrace {
  private static final String MODULE = "EpochCut";
  private static final String PREFIX = MODULE + ".";

  /** The core module's name for the steps that it takes from TimestampBatching. */
  private static final String BATCHING = "CutNext";

  EpochCutTrace(K2Config config) {
    super(config);
  }

  @Override
  public String module() {
    return MODULE;
  }

  @Override
  public Reading read(MergedLog log, int room) {
    Set<String> cutters = new HashSet<>();
    for (MergedLog.Entry entry : log.entries()) {
      if (entry.event().action().startsWith(PREFIX)) {
        cutters.add(entry.event().role());
      }
    }
    return new CutReading(log, room, e -> concerns(e, cutters));
  }

  private static boolean concerns(TraceEvent e, Set<String> cutters) {
    if (e.action().endsWith(".OracleReply")) {
      return cutters.contains(e.args().get("q").path("coordinator").asText());
    }
    return cutters.contains(e.role())
        && (e.action().startsWith(PREFIX) || e.action().startsWith(TimestampBatchingTrace.PREFIX));
  }

  private final class CutReading extends TbReading {
    private final MergedLog log;
    private final Predicate<TraceEvent> concerns;
    private final Map<String, String> roleOf = new TreeMap<>();
    private final Map<Integer, TraceEvent> starts = new HashMap<>();
    private final Set<String> attempts = new HashSet<>();

    CutReading(MergedLog log, int room, Predicate<TraceEvent> concerns) {
      super(log, room, concerns);
      this.log = log;
      this.concerns = concerns;
      for (int i = 0; i < log.entries().size(); i++) {
        TraceEvent e = log.entries().get(i).event();
        if (!concerns.test(e)) {
          continue;
        }
        if (!e.action().endsWith(".OracleReply") && roleOf.put(e.node(), e.role()) == null) {
          starts.put(i, e);
        }
        if (e.action().equals(PREFIX + "TimerExpires")) {
          attempts.add(name(e));
        }
      }
    }

    private static String name(TraceEvent e) {
      return e.args().getOrDefault("t", MissingNode.getInstance()).asText();
    }

    @Override
    public List<String> definitions() {
      return List.of(
          "LogCoordinators == {" + quoted(roleOf.keySet()) + "}",
          "LogTxns == {"
              + quoted(IntStream.rangeClosed(1, slots()).mapToObj(i -> "t" + i).toList())
              + "}",
          "LogRoleOf == [n \\in LogCoordinators |-> CASE "
              + roleOf.entrySet().stream()
                  .map(n -> "n = \"%s\" -> \"%s\"".formatted(n.getKey(), n.getValue()))
                  .collect(Collectors.joining(" [] "))
              + "]");
    }

    @Override
    public String specification() {
      return "CutSpec";
    }

    @Override
    public List<String> configuration() {
      List<String> lines = new ArrayList<>(super.configuration());
      lines.replaceAll(line -> line.equals(WAIT_AT_LEAST) ? "WaitAtLeast <- CutWaitAtLeast" : line);
      lines.addAll(
          List.of(
              "RoleOf <- LogRoleOf",
              "Interval = " + config().epochMicros(),
              "TimerKept = TRUE",
              "Compared = TRUE"));
      return lines;
    }

    @Override
    Term slot(Term number) {
      return Term.string("t" + number);
    }

    @Override
    public List<Step> steps(int i) {
      MergedLog.Entry entry = log.entries().get(i);
      TraceEvent e = entry.event();
      if (!concerns.test(e)) {
        return List.of();
      }
      Term node = Term.string(e.node());
      List<Step> steps = new ArrayList<>();
      if (starts.containsKey(i)) {
        steps.add(step("", "CutStart", node, number(entry, e.at()), number(entry, e.local())));
      }
      if (!e.action().startsWith(PREFIX)) {
        // An attempt begins with its timer; CutEpoch ends it.
        boolean part =
            e.action().endsWith(".End")
                || (e.action().endsWith(".Begin") && attempts.contains(name(e)));
        if (!part) {
          super.steps(i).forEach(s -> steps.add(batching(s)));
        }
        return steps;
      }
      steps.add(batching(tick(i)));
      String action = e.action().substring(PREFIX.length());
      if (!Set.of("TimerExpires", "TooEarly", "CutEpoch").contains(action)) {
        throw new InputError(
            entry.file(),
            entry.line(),
            MODULE + " has no action " + action,
            "log the specification's actions");
      }
      Term role = Term.string(e.args().getOrDefault("c", MissingNode.getInstance()).asText());
      Term epoch = Term.of(e.state().getOrDefault("epoch", MissingNode.getInstance()).asInt(-1));
      steps.add(step(action, "Trace" + action, txn(e), node, role, epoch));
      return steps;
    }

    /** A step of TimestampBatching, as a step of EpochCut. */
    private Step batching(Step s) {
      String action =
          s.action().isEmpty() || s.operator().equals("Begin")
              ? ""
              : s.action().equals("RestartCoordinator") ? "RestartNode" : BATCHING;
      String operator = "Cut" + s.operator().replaceFirst("^Trace", "");
      return new Step(action, operator, s.arguments(), s.optional());
    }

    @Override
    public List<Step> housekeeping(int index) {
      return super.housekeeping(index).stream().map(this::batching).toList();
    }
  }
}
