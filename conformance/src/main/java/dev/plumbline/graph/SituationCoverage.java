package dev.plumbline.graph;

import dev.plumbline.protocol.ProtocolSystem;
import dev.plumbline.protocol.Situation;
import dev.plumbline.sim.RunConfig;
import dev.plumbline.sim.SimulationRun;
import dev.plumbline.sim.Steering;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeSet;

/**
 * Which of a protocol's situations simulated runs come into, with all faults that it bears. What a
 * run has not shown is provoked in the next.
 */
public final class SituationCoverage {
  private final Map<String, String> waived;
  private final Map<Situation, OptionalLong> seen = new LinkedHashMap<>();

  /**
   * @param waived why no run needs to come into a situation, by its name
   */
  SituationCoverage(Map<String, String> waived) {
    this.waived = waived;
  }

  /**
   * Runs seeds from 1 on until every situation was seen that is not waived.
   *
   * @param root the repository
   * @param seeds how many at most
   * @param steered whether what was not seen is provoked
   */
  public static SituationCoverage measure(
      Path root, ProtocolSystem protocol, int seeds, int transactions, boolean steered) {
    SituationCoverage coverage =
        new SituationCoverage(Coverage.read(root, protocol.name()).situations());
    Steering steering = new Steering(protocol);
    for (int seed = 1; seed <= seeds && coverage.open(steering); seed++) {
      RunConfig config = RunConfig.plain(protocol, seed, transactions, protocol.tolerated());
      steering.add(SimulationRun.of(steered ? steering.steer(config) : config));
    }
    protocol.situations().forEach(s -> coverage.note(s, steering.seed(s)));
    return coverage;
  }

  private boolean open(Steering steering) {
    return steering.unseen().stream().anyMatch(s -> !waived.containsKey(s.name()));
  }

  void note(Situation situation, OptionalLong seed) {
    seen.put(situation, seed);
  }

  /** The seed of the first run that shows each situation, if one does. */
  public Map<Situation, OptionalLong> seen() {
    return seen;
  }

  /** Whether no run needs to show it. */
  public boolean waived(Situation situation) {
    return waived.containsKey(situation.name());
  }

  /** What no run shows and nobody waives, and waivers that are wrong or not needed. */
  public List<String> problems() {
    List<String> problems = new ArrayList<>();
    Set<String> unknown = new TreeSet<>(waived.keySet());
    seen.forEach(
        (situation, seed) -> {
          unknown.remove(situation.name());
          if (seed.isEmpty() && !waived(situation)) {
            problems.add("no run comes into " + situation.name() + ": " + situation.meaning());
          } else if (seed.isPresent() && waived(situation)) {
            problems.add(
                "coverage.yaml waives "
                    + situation.name()
                    + ", but seed "
                    + seed.getAsLong()
                    + " shows it: remove the waiver");
          }
        });
    unknown.forEach(
        name -> problems.add("coverage.yaml waives " + name + ", but there is no such situation"));
    return problems;
  }
}
