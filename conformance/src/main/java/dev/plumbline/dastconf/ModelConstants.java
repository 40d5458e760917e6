package dev.plumbline.dastconf;

import dev.plumbline.graph.Constants;
import dev.plumbline.tlc.InputError;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * The definitions of {@code MCTwoPhaseAnticipation.tla} and {@code MCFailover.tla} that constants
 * are replaced by, as Java has them. One that is not the same there shows as a difference in
 * replay.
 */
final class ModelConstants {
  private static final Map<String, Map<Integer, String>> REGIONS =
      Map.of(
          "RegionSmall", Map.of(1, "A", 8, "A", 2, "B", 9, "B"),
          "RegionOne", Map.of(1, "A", 2, "A", 8, "A"),
          "RegionTwo", Map.of(1, "A", 8, "A", 2, "B", 3, "B", 9, "B"),
          "RegionABC", Map.of(1, "A", 7, "A", 2, "B", 8, "B", 3, "C", 9, "C"));

  private static final Map<String, Map<String, List<Integer>>> REPLICAS =
      Map.of(
          "ReplicasSmall", Map.of("X", List.of(1), "Y", List.of(2)),
          "ReplicasOne", Map.of("X", List.of(1, 2)),
          "ReplicasTwo", Map.of("X", List.of(1), "Y", List.of(2, 3)),
          "ReplicasZ", Map.of("X", List.of(1), "Y", List.of(2), "Z", List.of(3)),
          "ReplicasABC", Map.of("X", List.of(1), "Y", List.of(2), "Z", List.of(3)));

  private static final ModelPlan CRT = ModelPlan.simple(1, "X", "Y");
  private static final ModelPlan DEPENDENT = CRT.dependent("X", "Y");

  private static final Map<String, List<ModelPlan>> PLANS =
      Map.ofEntries(
          Map.entry("CrtAndIrt", List.of(CRT, ModelPlan.simple(2, "Y"))),
          Map.entry("DependentAndIrt", List.of(DEPENDENT, ModelPlan.simple(2, "Y"))),
          Map.entry("CondAndIrt", List.of(DEPENDENT.onlyIf("X"), ModelPlan.simple(1, "X"))),
          Map.entry(
              "CrtAndTwoIrts", List.of(CRT, ModelPlan.simple(1, "X"), ModelPlan.simple(2, "Y"))),
          Map.entry("TwoCrts", List.of(CRT, CRT)),
          Map.entry("CrtAndIrtBeside", List.of(DEPENDENT, ModelPlan.simple(3, "Z"))),
          Map.entry(
              "RemoteAndIrtBeside", List.of(ModelPlan.simple(1, "Y"), ModelPlan.simple(3, "Z"))),
          Map.entry("ThreeRegions", List.of(DEPENDENT, ModelPlan.simple(3, "Z"))),
          Map.entry("RemoteCrt", List.of(ModelPlan.simple(1, "Y"))),
          Map.entry("CondAlone", List.of(DEPENDENT.onlyIf("X"))),
          Map.entry("OneIrt", List.of(ModelPlan.simple(1, "X"))));

  /** Coordinators of IRTs in {@code MCFailover.tla}. */
  private static final Map<String, List<Integer>> COORDINATORS =
      Map.of(
          "NoIrts", List.of(),
          "OneIrt", List.of(1),
          "TwoIrts", List.of(1, 2),
          "OtherIrts", List.of(1, 3),
          "BothAtOne", List.of(1, 1));

  private final Map<String, String> text;

  /**
   * @param text the model's constants
   */
  ModelConstants(Constants text) {
    this.text = text.text();
  }

  /**
   * The deployment.
   *
   * @throws InputError if Java lacks its definitions
   */
  ModelLayout layout() {
    SortedMap<String, List<Integer>> replicas = new TreeMap<>(named("Replicas", REPLICAS));
    return new ModelLayout(new TreeMap<>(named("Region", REGIONS)), replicas);
  }

  /** The transactions, from 1. */
  List<ModelPlan> plans() {
    return named("Plan", PLANS);
  }

  /** The coordinator of each of Failover's IRTs, from 1. */
  static List<Integer> coordinators(Constants text) {
    return new ModelConstants(text).named("Coord", COORDINATORS);
  }

  private <V> V named(String constant, Map<String, V> known) {
    String name = text.getOrDefault(constant, "").replaceFirst("^<-\\s*", "");
    V value = known.get(name);
    if (value == null) {
      throw new InputError(
          "",
          0,
          "the adapter does not know " + constant + " <- " + name,
          "add it to " + ModelConstants.class.getSimpleName());
    }
    return value;
  }
}
