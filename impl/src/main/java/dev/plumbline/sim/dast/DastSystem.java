package dev.plumbline.sim.dast;

import dev.plumbline.dast.DastConfig;
import dev.plumbline.dast.Manager;
import dev.plumbline.dast.Node;
import dev.plumbline.dast.Procedures;
import dev.plumbline.history.Model;
import dev.plumbline.machine.Machine;
import dev.plumbline.sim.ClientDriver;
import dev.plumbline.sim.ClockBounds;
import dev.plumbline.sim.FaultKind;
import dev.plumbline.sim.Judge;
import dev.plumbline.sim.NodeSpec;
import dev.plumbline.sim.ProtocolSystem;
import dev.plumbline.sim.Settings;
import dev.plumbline.sim.Topology;
import dev.plumbline.sim.Transaction;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/**
 * DAST in three regions of two shards.
 *
 * <p>Parameters: {@code tellMicros}, {@code resendMicros}, {@code rttMicros}.
 */
public class DastSystem implements ProtocolSystem {
  private static final DastDeployment LAYOUT = new DastDeployment(3, 2);

  @Override
  public final String name() {
    return "dast";
  }

  /** Clocks do not matter for correctness (section 4.5); drift is what ordinary machines have. */
  @Override
  public final ClockBounds clockBounds() {
    return new ClockBounds(0, 200);
  }

  @Override
  public final Model model() {
    return Model.SERIALIZABLE;
  }

  /** All but those that a replacement of nodes (section 4.4) is for. */
  @Override
  public final Set<FaultKind> tolerated() {
    return EnumSet.complementOf(EnumSet.of(FaultKind.CRASH, FaultKind.FAILOVER));
  }

  @Override
  public final List<Judge> judges() {
    return List.of(new RegionOrderJudge(LAYOUT));
  }

  @Override
  public final Set<String> publishedBehaviours() {
    return new TreeSet<>(DastConfig.BEHAVIOURS);
  }

  @Override
  public final Set<Transaction.Kind> kinds() {
    return EnumSet.of(Transaction.Kind.READ_WRITE, Transaction.Kind.READ_ONLY);
  }

  @Override
  public final Topology topology(Settings settings) {
    return LAYOUT.topology();
  }

  @Override
  public final Machine machine(NodeSpec node, Topology topology, Settings settings) {
    DastConfig config =
        new DastConfig(
            settings.parameter("tellMicros", 20_000),
            settings.parameter("resendMicros", 300_000),
            settings.parameter("rttMicros", 100_000),
            List.copyOf(settings.asPublished()));
    return node.kind().equals(DastDeployment.MANAGER)
        ? new Manager(LAYOUT, node.role(), config)
        : node(node.role(), config);
  }

  /** A node; a variant with a defect overrides this. */
  protected Machine node(String role, DastConfig config) {
    return new Node(LAYOUT, Procedures.standard(), role, config);
  }

  @Override
  public final ClientDriver client(
      int process, String region, Topology topology, Settings settings) {
    return new DastClient(LAYOUT, region, process);
  }

  /** The replicas of a shard hold the same (one copy, Proposition 1). */
  @Override
  public final List<String> violations(Map<String, Machine> machines, Settings settings) {
    List<String> violations = new ArrayList<>();
    for (String shard : LAYOUT.shards()) {
      List<String> replicas = LAYOUT.replicas(shard);
      Node first = (Node) machines.get(replicas.get(0));
      for (String other : replicas.subList(1, replicas.size())) {
        if (!((Node) machines.get(other)).store().equals(first.store())) {
          violations.add(
              "one copy: " + replicas.get(0) + " and " + other + " hold different values");
        }
      }
    }
    return violations;
  }
}
