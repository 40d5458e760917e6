package dev.plumbline.sim;

import dev.plumbline.protocol.ProtocolSystem;
import dev.plumbline.protocol.Situation;
import dev.plumbline.trace.TraceEvent;
import dev.plumbline.trace.TraceReader;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;

/**
 * Leads runs to the situations of a protocol that none has shown yet: what may provoke those is
 * added to the faults of the runs that follow.
 */
public final class Steering {
  private final List<Situation> situations;
  private final Map<String, Long> first = new LinkedHashMap<>();

  public Steering(ProtocolSystem protocol) {
    situations = protocol.situations();
  }

  /** The same run with faults added for each situation that was not seen. */
  public RunConfig steer(RunConfig config) {
    return config.with(SimulationRun.plan(config, unseen()), config.transactions());
  }

  /** Notes what a traced run shows, and says what of it was not seen before. */
  public List<Situation> add(RunResult run) {
    List<TraceEvent> log = log(run);
    List<Situation> found = unseen().stream().filter(s -> s.seen().test(log)).toList();
    found.forEach(s -> first.put(s.name(), run.config().seed()));
    return found;
  }

  /** What no run has shown yet. */
  public List<Situation> unseen() {
    return situations.stream().filter(s -> !first.containsKey(s.name())).toList();
  }

  /** The seed of the run that showed it first; empty while none has. */
  public OptionalLong seed(Situation situation) {
    Long seed = first.get(situation.name());
    return seed == null ? OptionalLong.empty() : OptionalLong.of(seed);
  }

  /** The events of all nodes of a traced run, in the order of the reference clock. */
  public static List<TraceEvent> log(RunResult run) {
    List<TraceEvent> events = new ArrayList<>();
    run.traces().forEach((node, trace) -> events.addAll(TraceReader.read(node, trace)));
    events.sort(Comparator.comparingLong(TraceEvent::at));
    return events;
  }
}
