package dev.plumbline.k2conf;

import dev.plumbline.graph.Conformance;
import dev.plumbline.graph.Constants;
import dev.plumbline.graph.SpecAdapter;
import dev.plumbline.graph.StateGraph;
import dev.plumbline.sim.SeededBug;
import dev.plumbline.sim.Settings;
import dev.plumbline.sim.k2.K2System;
import dev.plumbline.validate.TraceModel;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** K2's side of conformance. */
public final class K2Conformance implements Conformance {
  @Override
  public String protocol() {
    return "k2";
  }

  @Override
  public List<TraceModel> traceModels(Settings settings) {
    return List.of(
        new TimestampBatchingBinding(settings),
        new EpochCutBinding(settings),
        new MvtoBinding(settings),
        new EpochVisibilityBinding(settings));
  }

  @Override
  public String mainModule() {
    return "Mvto";
  }

  @Override
  public Map<String, StateGraph.Probes> corpusModules() {
    Map<String, StateGraph.Probes> modules = new LinkedHashMap<>();
    modules.put(
        "TimestampBatching",
        new StateGraph.Probes(Set.of("requests", "replies"), Set.of("Assign", "End")));
    modules.put(
        "EpochCut",
        new StateGraph.Probes(Set.of("requests", "replies"), Set.of("TimerExpires", "CutEpoch")));
    modules.put("Mvto", new StateGraph.Probes(Set.of("msgs"), Set.of()));
    modules.put(
        "EpochVisibility",
        new StateGraph.Probes(Set.of(), Set.of("Cut", "Replay", "ReplicaRead", "Tell")));
    return modules;
  }

  @Override
  public Optional<SpecAdapter> adapter(
      String module, Map<String, String> text, Optional<SeededBug> bug) {
    Constants constants = new Constants(text);
    return switch (module) {
      case "TimestampBatching" ->
          Optional.of(new TimestampBatchingBinding(repaired()).machines(constants, bug));
      case "EpochCut" -> Optional.of(new EpochCutBinding(repaired()).machines(constants, bug));
      case "EpochVisibility" ->
          Optional.of(new EpochVisibilityBinding(repaired()).machines(constants, bug));
      case "Mvto" -> Optional.of(new MvtoBinding(repaired()).machines(constants, bug));
      default -> Optional.empty();
    };
  }

  private static Settings repaired() {
    return Settings.repaired(new K2System().clockBounds());
  }
}
