package dev.plumbline.validate;

import dev.plumbline.sim.RunConfig;
import dev.plumbline.sim.SimulationRun;
import dev.plumbline.trace.TraceEvent;
import dev.plumbline.trace.TraceReader;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The logs that a simulated run leaves. */
public final class SimulatedLogs {
  private SimulatedLogs() {}

  /** By file, as {@link MergedLog#of} takes them. */
  public static Map<String, List<TraceEvent>> of(RunConfig config) {
    Map<String, List<TraceEvent>> logs = new LinkedHashMap<>();
    SimulationRun.of(config)
        .traces()
        .forEach((node, bytes) -> logs.put(node + ".ndjson", TraceReader.read(node, bytes)));
    return logs;
  }
}
