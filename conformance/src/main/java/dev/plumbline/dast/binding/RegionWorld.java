package dev.plumbline.dast.binding;

import dev.plumbline.bind.Binding;
import dev.plumbline.dast.Change;
import dev.plumbline.dast.DastConfig;
import dev.plumbline.dast.ReplaceableManager;
import dev.plumbline.dast.ReplaceableNode;
import dev.plumbline.dast.StretchableClock;
import dev.plumbline.dast.Timestamp;
import dev.plumbline.dast.View;
import dev.plumbline.graph.Constants;
import dev.plumbline.graph.Deployment;
import dev.plumbline.machine.Input;
import dev.plumbline.protocol.NodeSpec;
import dev.plumbline.protocol.SeededBug;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeMap;

/**
 * A region whose view changes, all of whose nodes replicate one shard, and one node of another
 * region. A model's spares are replicas that were removed before it begins: its views are one more
 * there.
 */
abstract class RegionWorld extends DastWorld {
  /** The other region's node, and its manager. */
  static final int REMOTE = 90;

  static final int REMOTE_MANAGER = 91;

  /** Incarnations that nodes and managers have at first. */
  static final long FIRST_NODE = View.FIRST;

  static final long FIRST_MANAGER = 1;

  final SortedSet<Integer> members;
  final SortedSet<Integer> spares;

  RegionWorld(
      Binding binding,
      Constants model,
      int manager,
      List<ModelPlan> plans,
      int period,
      SortedSet<String> asPublished,
      Optional<SeededBug> bug) {
    super(
        binding,
        layout(model, manager),
        plans,
        period,
        true,
        asPublished,
        DastConfig.STRETCHED_STAYS,
        bug);
    members = model.numbers("Member");
    spares = model.numbers("Spare");
  }

  private static ModelLayout layout(Constants model, int manager) {
    List<Integer> replicas = new ArrayList<>(model.numbers("Member"));
    replicas.addAll(model.numbers("Spare"));
    model.demand("Majority", String.valueOf(replicas.size() / 2 + 1));
    TreeMap<Integer, String> regions = new TreeMap<>();
    replicas.forEach(n -> regions.put(n, "A"));
    regions.put(manager, "A");
    regions.put(REMOTE, "B");
    regions.put(REMOTE_MANAGER, "B");
    return new ModelLayout(regions, new TreeMap<>(Map.of("X", replicas, "Y", List.of(REMOTE))));
  }

  /** A manager of the region. */
  static class ManagerPlace extends DastPlace {
    final ReplaceableManager manager;

    ManagerPlace(int nid, NodeSpec spec, ReplaceableManager manager, Deployment deployment) {
      super(nid, spec);
      this.manager = manager;
      machine = deployment.seeded(spec, manager);
    }

    @Override
    final StretchableClock clock() {
      return manager.clock();
    }
  }

  final ReplaceableNode replaceable(int nid) {
    return new ReplaceableNode(layout, procedures, String.valueOf(nid), config);
  }

  final void begin(NodePlace n) {
    n.run(new Input.Start(spares.contains(n.nid) ? 2 : 1, List.of()), DastPlace.LATE);
  }

  /** What a manager's register has when a model begins. */
  final List<Change> register() {
    if (spares.isEmpty()) {
      return List.of();
    }
    TreeMap<String, Long> left = new TreeMap<>();
    members.forEach(member -> left.put(String.valueOf(member), FIRST_NODE));
    return List.of(
        new Change(
            new View(1, left, FIRST_MANAGER),
            spares.stream().map(String::valueOf).toList(),
            "",
            Timestamp.ZERO,
            Timestamp.ZERO,
            List.of(),
            List.of(),
            List.of()));
  }

  /** A view's number as the model has it. */
  final int view(long number) {
    return (int) number - (spares.isEmpty() ? 0 : 1);
  }
}
