package dev.plumbline.dastconf;

import dev.plumbline.dast.Layout;
import dev.plumbline.graph.Conformance;
import dev.plumbline.graph.Constants;
import dev.plumbline.graph.SpecAdapter;
import dev.plumbline.graph.StateGraph;
import dev.plumbline.sim.SeededBug;
import dev.plumbline.sim.Settings;
import dev.plumbline.sim.dast.DastSystem;
import dev.plumbline.validate.TraceModel;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** DAST's side of conformance. */
public final class DastConformance implements Conformance {
  private static final int MOST_EVENTS = 40_000;
  private static final int COVERAGE_TRANSACTIONS = 40;

  /** Clients may ask again, answers may be incomplete, and clocks may not be far enough. */
  private static final StateGraph.Probes TWO_PHASE =
      new StateGraph.Probes(
          Set.of("clocks", "msgs"),
          Set.of("CoordIrt", "CoordCrt", "CommitIrt", "Execute", "Reply"));

  /** All but the environment's: suspicions, elections, joins and when a CRT is anticipated. */
  private static final StateGraph.Probes FAILOVER =
      new StateGraph.Probes(
          Set.of(),
          Set.of(
              "CoordIrt",
              "HandlePrepare",
              "CommitIrt",
              "HandleCommit",
              "Announce",
              "Execute",
              "Reply",
              "PrepareCrt",
              "CommitCrt",
              "HandleCommitCrt",
              "HandleAbort",
              "HandleResolved",
              "HandleViewPrep",
              "DecideView",
              "HandleViewCommit"));

  @Override
  public String protocol() {
    return "dast";
  }

  @Override
  public List<TraceModel> traceModels(Settings settings) {
    Layout layout = new DastSystem().layout(settings);
    return List.of(
        new StretchableClockBinding(settings, layout),
        new TwoPhaseAnticipationBinding(settings, layout),
        new FailoverTrace(layout, settings.asPublished()));
  }

  /**
   * Every node tells its region its clock all the time: some three seconds of a log. Failover looks
   * at few of these messages, and its failures come late.
   */
  @Override
  public int judgedEvents(String module) {
    return module.equals("Failover") ? Integer.MAX_VALUE : MOST_EVENTS;
  }

  /** A run costs two or three seconds, logs read and judged. */
  @Override
  public int quickSeeds() {
    return 5;
  }

  /**
   * Sections 4.4 and 4.5 want anticipated timestamps monotonic across failovers. Algorithm 2 (lines
   * 10 to 12) does not make them so: they go back as the estimate of a round trip shrinks. Machines
   * that may be replaced add a floor, the others do as published.
   */
  @Override
  public Optional<String> silent(String module, Settings settings) {
    return module.equals("Failover") && settings.parameter("suspectMicros", 0) == 0
        ? Optional.of("without suspectMicros no node is replaced")
        : Optional.empty();
  }

  /** More would come after {@link #judgedEvents(String)}. */
  @Override
  public int coverageTransactions() {
    return COVERAGE_TRANSACTIONS;
  }

  @Override
  public String mainModule() {
    return "TwoPhaseAnticipation";
  }

  @Override
  public Map<String, StateGraph.Probes> corpusModules() {
    Map<String, StateGraph.Probes> modules = new LinkedHashMap<>();
    modules.put("StretchableClock", new StateGraph.Probes(Set.of(), Set.of()));
    modules.put("TwoPhaseAnticipation", TWO_PHASE);
    modules.put("TwoPhaseAnticipation-copies", TWO_PHASE);
    modules.put("TwoPhaseAnticipation-notified", TWO_PHASE);
    modules.put("TwoPhaseAnticipation-sent", TWO_PHASE);
    modules.put("Failover", FAILOVER);
    modules.put("Failover-add", FAILOVER);
    modules.put("Failover-crt", FAILOVER);
    modules.put("Failover-manager", FAILOVER);
    return modules;
  }

  @Override
  public Optional<SpecAdapter> adapter(
      String module, Map<String, String> text, Optional<SeededBug> bug) {
    Constants constants = new Constants(text);
    return switch (module) {
      case "StretchableClock" -> Optional.of(clock().machines(constants, bug));
      case "TwoPhaseAnticipation" -> Optional.of(anticipation().machines(constants, bug));
      case "Failover" -> Optional.of(new FailoverAdapter(constants, bug));
      default -> Optional.empty();
    };
  }

  private static TwoPhaseAnticipationBinding anticipation() {
    DastSystem system = new DastSystem();
    Settings settings = Settings.repaired(system.clockBounds());
    return new TwoPhaseAnticipationBinding(settings, system.layout(settings));
  }

  private static StretchableClockBinding clock() {
    DastSystem system = new DastSystem();
    Settings settings = Settings.repaired(system.clockBounds());
    return new StretchableClockBinding(settings, system.layout(settings));
  }
}
