package dev.plumbline.dastconf;

import dev.plumbline.dast.DastConfig;
import dev.plumbline.dast.Layout;
import dev.plumbline.tlc.Spec;
import dev.plumbline.tlc.Term;
import dev.plumbline.trace.TraceEvent;
import dev.plumbline.validate.MergedLog;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;

/** Reads a log as steps of {@code StretchableClock}; see TraceStretchableClock.tla. */
final class StretchableClockTrace extends DastTrace {
  private static final String MODULE = "StretchableClock";
  private static final String PREFIX = MODULE + ".";
  private static final List<String> ALWAYS = List.of("Monotone", "FreezeTime");
  private static final Map<String, String> REPLACED =
      Map.of(DastConfig.STRETCHED_STAYS, "Follow", DastConfig.STRETCHED_LOW, "Climb");

  StretchableClockTrace(Layout layout, Set<String> asPublished) {
    super(MODULE, layout, asPublished);
  }

  @Override
  public Reading read(MergedLog log, int room) {
    return new ClockReading(log);
  }

  /** The repairs that the machines' clocks have. */
  static List<String> repairs(Set<String> asPublished) {
    return repairs(asPublished, ALWAYS, REPLACED);
  }

  static String quoted(List<String> names) {
    return names.stream().map(n -> '"' + n + '"').collect(Collectors.joining(", "));
  }

  private final class ClockReading implements Reading {
    private final MergedLog log;
    private final LoggedTimes times;
    private final int end;
    private final Set<Long> nids = new TreeSet<>();

    ClockReading(MergedLog log) {
      this.log = log;
      times = new LoggedTimes(log);
      end = LoggedTimes.beforeViewChange(log, layout);
      for (int i = 0; i < end; i++) {
        TraceEvent e = log.entries().get(i).event();
        if (e.action().startsWith(PREFIX)) {
          nids.add(nid(i));
          times.see(LoggedTimes.field(e, "wall").longValue());
          long head = LoggedTimes.field(e, "head").asLong(-1);
          if (head >= 0) {
            times.see(head);
          }
          for (String name : List.of("seen", "last")) {
            times.see(LoggedTimes.field(e, name));
          }
          if (e.action().endsWith(".CalibrateRemote")) {
            times.see(LoggedTimes.field(e, "ts").longValue());
          } else {
            times.see(LoggedTimes.field(e, "ts"));
          }
        }
      }
    }

    private long nid(int i) {
      String name = LoggedTimes.field(log.entries().get(i).event(), "n").asText();
      try {
        return layout.nid(name);
      } catch (NullPointerException e) {
        throw times.error(i, "no process " + name, "name the deployment's parameters with --set");
      }
    }

    @Override
    public List<String> definitions() {
      return List.of(
          "LogNode == {"
              + nids.stream().map(String::valueOf).collect(Collectors.joining(", "))
              + "}");
    }

    @Override
    public List<String> configuration() {
      return List.of(
          "CONSTANTS",
          "Node <- LogNode",
          "Steps = {}",
          "Ahead = {}",
          "Manager = 0",
          "HalfRtt = 0",
          "Order = \"fracFirst\"",
          "Repairs = {" + quoted(repairs(ALWAYS, REPLACED)) + "}");
    }

    @Override
    public void load(Spec spec) {}

    @Override
    public List<Step> steps(int i) {
      TraceEvent e = log.entries().get(i).event();
      if (i >= end || !e.action().startsWith(PREFIX)) {
        return List.of();
      }
      String action = e.action().substring(PREFIX.length());
      Term n = times.number(i, nid(i));
      long head = LoggedTimes.field(e, "head").asLong(-1);
      Step passing =
          new Step(
              "",
              "Passing",
              List.of(
                  n,
                  times.time(i, LoggedTimes.field(e, "wall").longValue()),
                  head < 0 ? Term.of(-1) : times.time(i, head)),
              false);
      return switch (action) {
        case "CreateTs" -> List.of(passing, step(action, n, times.timestamp(i, "ts")));
        case "Calibrate" ->
            List.of(
                passing, step(action, n, times.timestamp(i, "seen"), times.timestamp(i, "last")));
        case "CalibrateRemote" ->
            List.of(
                passing, Step.of(action, n, times.time(i, LoggedTimes.field(e, "ts").longValue())));
        default ->
            throw times.error(i, MODULE + " has no such action", "log the specification's actions");
      };
    }

    private static Step step(String action, Term... arguments) {
      return new Step(action, "Trace" + action, List.of(arguments), false);
    }

    @Override
    public Map<String, Term> forgotten() {
      return Map.of("made", Term.set(List.of()));
    }

    @Override
    public List<String> invariants() {
      return List.of("MonotonicInv");
    }
  }
}
