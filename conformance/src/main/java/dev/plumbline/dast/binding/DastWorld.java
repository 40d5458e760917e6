package dev.plumbline.dast.binding;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.plumbline.bind.Binding;
import dev.plumbline.bind.Shape;
import dev.plumbline.bind.Sort;
import dev.plumbline.bind.World;
import dev.plumbline.dast.DastConfig;
import dev.plumbline.dast.Procedures;
import dev.plumbline.dast.Timestamp;
import dev.plumbline.dast.Txn;
import dev.plumbline.dast.system.DastSystem;
import dev.plumbline.graph.Deployment;
import dev.plumbline.graph.Values;
import dev.plumbline.protocol.NodeSpec;
import dev.plumbline.protocol.SeededBug;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeSet;

/** What the worlds of DAST's modules share: a model's deployment and its transactions. */
abstract class DastWorld extends World {
  final ModelLayout layout;
  final DastConfig config;
  final Deployment deployment;
  final Procedures procedures = new Procedures();
  final List<Txn> txns = new ArrayList<>();

  /**
   * @param also published behaviours of other modules than this
   */
  DastWorld(
      Binding binding,
      ModelLayout layout,
      List<ModelPlan> plans,
      int period,
      boolean replaced,
      SortedSet<String> asPublished,
      String also,
      Optional<SeededBug> bug) {
    super(binding);
    this.layout = layout;
    plans.forEach(
        plan -> {
          plan.register(txns.size() + 1, procedures);
          txns.add(plan.txn(txns.size() + 1, layout));
        });
    SortedSet<String> behaviours = new TreeSet<>(asPublished);
    behaviours.add(also);
    config =
        new DastConfig(
            period,
            1,
            period,
            replaced ? period : 0,
            DastConfig.PART_BYTES,
            List.copyOf(behaviours));
    DastSystem system = new DastSystem();
    deployment = Deployment.of(system, system.clockBounds(), behaviours, Map.of(), bug);
  }

  /** A process that is called by its nid, or by another's. */
  final NodeSpec spec(int role, String kind) {
    String name = String.valueOf(role);
    return NodeSpec.of(name, kind, layout.region(name), 1, 0);
  }

  static int number(ObjectNode p, String name) {
    return p.get(name).intValue();
  }

  static long time(ObjectNode p) {
    return p.get("time").longValue();
  }

  /** Timestamps are triples; processes and transactions are numbers. */
  @Override
  protected JsonNode named(Sort sort, Object word) {
    return word instanceof JsonNode made
        ? made
        : word instanceof Timestamp ts
            ? DastValues.triple(ts)
            : Values.F.numberNode(Integer.parseInt(Shape.text(word)));
  }
}
