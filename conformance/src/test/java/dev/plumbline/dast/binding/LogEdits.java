package dev.plumbline.dast.binding;

import com.fasterxml.jackson.databind.JsonNode;
import dev.plumbline.graph.Conformance;
import dev.plumbline.protocol.Protocols;
import dev.plumbline.protocol.Settings;
import dev.plumbline.sim.RunConfig;
import dev.plumbline.trace.TraceEvent;
import dev.plumbline.validate.Altered;
import dev.plumbline.validate.LogVerdict;
import dev.plumbline.validate.MergedLog;
import dev.plumbline.validate.SimulatedLogs;
import dev.plumbline.validate.TraceModel;
import dev.plumbline.validate.Validator;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;

/** Logs of simulated runs of DAST, and edits of them. */
final class LogEdits {
  private LogEdits() {}

  static MergedLog log(RunConfig config) {
    return MergedLog.of(SimulatedLogs.of(config));
  }

  static LogVerdict validate(String module, SortedMap<String, Long> parameters, MergedLog log) {
    Settings settings =
        new Settings(Protocols.named("dast").clockBounds(), new TreeSet<>(), parameters);
    TraceModel model =
        Conformance.named("dast").traceModels(settings).stream()
            .filter(m -> m.module().equals(module))
            .findFirst()
            .orElseThrow();
    return new Validator(Path.of("..")).validate(model, log);
  }

  static List<TraceEvent> events(MergedLog log, String action) {
    return log.entries().stream()
        .map(MergedLog.Entry::event)
        .filter(e -> e.action().equals(action))
        .toList();
  }

  static Map<String, List<TraceEvent>> byNode(MergedLog log) {
    Map<String, List<TraceEvent>> logs = new TreeMap<>();
    for (MergedLog.Entry entry : log.entries()) {
      logs.computeIfAbsent(entry.event().node() + ".ndjson", n -> new ArrayList<>())
          .add(entry.event());
    }
    return logs;
  }

  static MergedLog without(MergedLog log, TraceEvent e) {
    Map<String, List<TraceEvent>> logs = byNode(log);
    logs.get(e.node() + ".ndjson").remove(e);
    return MergedLog.of(logs);
  }

  static MergedLog replaced(MergedLog log, TraceEvent e, TraceEvent by) {
    Map<String, List<TraceEvent>> logs = byNode(log);
    List<TraceEvent> own = logs.get(e.node() + ".ndjson");
    own.set(own.indexOf(e), by);
    return MergedLog.of(logs);
  }

  static TraceEvent with(TraceEvent e, Map<String, JsonNode> args, Map<String, JsonNode> state) {
    return Altered.says(e, e.action(), args, state);
  }
}
