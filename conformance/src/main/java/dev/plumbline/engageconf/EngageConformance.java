package dev.plumbline.engageconf;

import dev.plumbline.graph.Conformance;
import dev.plumbline.graph.Constants;
import dev.plumbline.graph.SpecAdapter;
import dev.plumbline.graph.StateGraph;
import dev.plumbline.sim.SeededBug;
import dev.plumbline.sim.Settings;
import dev.plumbline.sim.engage.EngageSystem;
import dev.plumbline.validate.TraceModel;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** ENGAGE's side of conformance. */
public final class EngageConformance implements Conformance {
  /** What a cloudlet decides by itself. */
  private static final StateGraph.Probes OWN =
      new StateGraph.Probes(Set.of(), Set.of("Execute", "ServeHeld", "FlushTimer"));

  @Override
  public String protocol() {
    return "engage";
  }

  @Override
  public List<TraceModel> traceModels(Settings settings) {
    return List.of(new BrokerCausalityBinding(settings));
  }

  /** Runs have brokers; what a cloudlet does with their news is BrokerCausality's too. */
  @Override
  public List<String> untracedModules() {
    return List.of("SessionGuarantees", "FlushClock");
  }

  @Override
  public Optional<String> silent(String module, Settings settings) {
    if (settings.parameter("mesh", 0) != 0) {
      return Optional.of("without brokers");
    }
    if (settings.parameter("lostBroker", 0) != 0) {
      return Optional.of("new trees are BrokerLoss's, which has no trace model");
    }
    return settings.asPublished("resend")
        ? Optional.of("without resend the log does not say what is lost")
        : Optional.empty();
  }

  @Override
  public String mainModule() {
    return "BrokerCausality";
  }

  @Override
  public Map<String, StateGraph.Probes> corpusModules() {
    Map<String, StateGraph.Probes> modules = new LinkedHashMap<>();
    modules.put("BrokerCausality", OWN);
    modules.put("BrokerCausality-published", OWN);
    modules.put("SessionGuarantees", OWN);
    modules.put("FlushClock", OWN);
    return modules;
  }

  @Override
  public Optional<SpecAdapter> adapter(
      String module, Map<String, String> text, Optional<SeededBug> bug) {
    Constants constants = new Constants(text);
    return switch (module) {
      case "BrokerCausality" ->
          Optional.of(new BrokerCausalityBinding(repaired()).machines(constants, bug));
      case "SessionGuarantees" ->
          Optional.of(new SessionGuaranteesBinding(repaired()).machines(constants, bug));
      case "FlushClock" -> Optional.of(new FlushClockBinding(repaired()).machines(constants, bug));
      default -> Optional.empty();
    };
  }

  private static Settings repaired() {
    return Settings.repaired(new EngageSystem().clockBounds());
  }
}
