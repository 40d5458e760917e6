package dev.plumbline.dastconf;

import dev.plumbline.graph.Conformance;
import dev.plumbline.graph.Constants;
import dev.plumbline.graph.SpecAdapter;
import dev.plumbline.graph.StateGraph;
import dev.plumbline.sim.SeededBug;
import dev.plumbline.sim.Settings;
import dev.plumbline.validate.TraceModel;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** DAST's side of conformance. */
public final class DastConformance implements Conformance {
  @Override
  public String protocol() {
    return "dast";
  }

  @Override
  public List<TraceModel> traceModels(Settings settings) {
    return List.of();
  }

  @Override
  public String mainModule() {
    return "TwoPhaseAnticipation";
  }

  @Override
  public Map<String, StateGraph.Probes> corpusModules() {
    Map<String, StateGraph.Probes> modules = new LinkedHashMap<>();
    modules.put("StretchableClock", new StateGraph.Probes(Set.of(), Set.of()));
    return modules;
  }

  @Override
  public Optional<SpecAdapter> adapter(
      String module, Map<String, String> text, Optional<SeededBug> bug) {
    Constants constants = new Constants(text);
    return switch (module) {
      case "StretchableClock" -> Optional.of(new StretchableClockAdapter(constants));
      default -> Optional.empty();
    };
  }
}
