package dev.plumbline.dast.system;

import dev.plumbline.dast.DastConfig;
import dev.plumbline.dast.DastMessage;
import dev.plumbline.dast.DastRequest;
import dev.plumbline.dast.DastResponse;
import dev.plumbline.dast.Layout;
import dev.plumbline.dast.Manager;
import dev.plumbline.dast.Node;
import dev.plumbline.dast.Procedures;
import dev.plumbline.dast.ReplaceableManager;
import dev.plumbline.dast.ReplaceableNode;
import dev.plumbline.dast.Replica;
import dev.plumbline.dast.tpcc.Tpcc;
import dev.plumbline.history.Model;
import dev.plumbline.machine.Machine;
import dev.plumbline.protocol.ClientDriver;
import dev.plumbline.protocol.ClockBounds;
import dev.plumbline.protocol.FaultKind;
import dev.plumbline.protocol.HistoryChecker;
import dev.plumbline.protocol.NodeSpec;
import dev.plumbline.protocol.ProtocolSystem;
import dev.plumbline.protocol.Settings;
import dev.plumbline.protocol.Situation;
import dev.plumbline.protocol.Topology;
import dev.plumbline.protocol.Transaction;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/**
 * DAST in three regions of two shards.
 *
 * <p>Parameters: {@code regions}, {@code shards} (a region), {@code replicas} (of a shard), {@code
 * remoteMicros} (the round trip between regions), {@code tellMicros}, {@code resendMicros}, {@code
 * rttMicros}, {@code suspectMicros}, {@code partBytes} ({@link DastConfig}).
 */
public class DastSystem implements ProtocolSystem {
  private static final long SUSPECT_MICROS = 1_000_000;

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

  /** All but a takeover by another node: managers have no standby, they start again. */
  @Override
  public final Set<FaultKind> tolerated() {
    return EnumSet.complementOf(EnumSet.of(FaultKind.FAILOVER));
  }

  /** Nodes are replaced where they may crash. */
  @Override
  public final Map<String, Long> parametersUnder(Set<FaultKind> faults) {
    return faults.contains(FaultKind.CRASH) ? Map.of("suspectMicros", SUSPECT_MICROS) : Map.of();
  }

  /** f of 2f+1 replicas of a shard (section 3.1). Managers persist what they decide. */
  @Override
  public final boolean mayCrash(NodeSpec node, Set<NodeSpec> others, Settings settings) {
    boolean manager = node.kind().equals(DastDeployment.MANAGER);
    int most = manager ? 1 : (DastDeployment.replicas(settings) - 1) / 2;
    String shard = DastDeployment.shardName(node);
    return others.stream().filter(o -> DastDeployment.shardName(o).equals(shard)).count() < most;
  }

  @Override
  public final long silenceMicros(Settings settings) {
    return settings.parameter("suspectMicros", 0);
  }

  @Override
  public final List<HistoryChecker> checkers() {
    return List.of(new RegionOrderChecker());
  }

  @Override
  public final Set<String> publishedBehaviours() {
    return new TreeSet<>(DastConfig.BEHAVIOURS);
  }

  @Override
  public final Set<String> parameters() {
    return Set.of(
        "regions",
        "shards",
        "replicas",
        "remoteMicros",
        "tellMicros",
        "resendMicros",
        "rttMicros",
        "suspectMicros",
        "partBytes");
  }

  @Override
  public final Set<Transaction.Kind> kinds() {
    return EnumSet.of(Transaction.Kind.READ_WRITE, Transaction.Kind.READ_ONLY);
  }

  @Override
  public final Set<Class<?>> requests(String kind) {
    return kind.equals(DastDeployment.NODE) ? Set.of(DastRequest.class) : Set.of();
  }

  @Override
  public final Set<Class<?>> responses() {
    return Set.of(DastResponse.class.getPermittedSubclasses());
  }

  @Override
  public final Set<Class<?>> messages(String from, String to) {
    return switch (from + " to " + to) {
      case "node to node" ->
          Set.of(
              DastMessage.From.class,
              DastMessage.Prepare.class,
              DastMessage.Ack.class,
              DastMessage.Commit.class,
              DastMessage.CommitRemote.class,
              DastMessage.PrepCrt.class,
              DastMessage.Vote.class,
              DastMessage.Clock.class,
              DastMessage.ClockAck.class,
              DastMessage.Output.class,
              DastMessage.AskOutput.class,
              DastMessage.Result.class,
              DastMessage.Keep.class,
              DastMessage.Kept.class,
              DastMessage.Install.class,
              DastMessage.AskPart.class);
      case "node to manager" ->
          Set.of(
              DastMessage.From.class,
              DastMessage.Clock.class,
              DastMessage.PrepRemote.class,
              DastMessage.Join.class,
              DastMessage.Installed.class,
              DastMessage.ViewAck.class,
              DastMessage.ViewTaken.class,
              DastMessage.Resolved.class,
              DastMessage.AskEnd.class);
      case "manager to node" ->
          Set.of(
              DastMessage.From.class,
              DastMessage.Clock.class,
              DastMessage.PrepCrt.class,
              DastMessage.Out.class,
              DastMessage.Transfer.class,
              DastMessage.ViewPrep.class,
              DastMessage.ViewCommit.class,
              DastMessage.Resolve.class);
      case "manager to manager" ->
          Set.of(DastMessage.From.class, DastMessage.Ping.class, DastMessage.Pong.class);
      default -> Set.of();
    };
  }

  /** The number that a client gave to a transaction of this id. */
  public static String clientsNumber(String id) {
    return DastDeployment.clients(id);
  }

  /** Which process plays which part in a run. */
  public final Layout layout(Settings settings) {
    return DastDeployment.of(settings);
  }

  @Override
  public final Topology topology(Settings settings) {
    return DastDeployment.of(settings).topology();
  }

  @Override
  public final Machine machine(NodeSpec node, Topology topology, Settings settings) {
    DastDeployment layout = DastDeployment.of(settings);
    DastConfig config =
        new DastConfig(
            settings.parameter("tellMicros", 20_000),
            settings.parameter("resendMicros", 300_000),
            settings.parameter("rttMicros", 100_000),
            silenceMicros(settings),
            settings.parameter("partBytes", DastConfig.PART_BYTES),
            List.copyOf(settings.asPublished()));
    if (config.suspectMicros() > 0) {
      return node.kind().equals(DastDeployment.MANAGER)
          ? new ReplaceableManager(layout, node.role(), config)
          : new ReplaceableNode(layout, procedures(layout.shards().size()), node.role(), config);
    }
    return node.kind().equals(DastDeployment.MANAGER)
        ? new Manager(layout, node.role(), config)
        : new Node(layout, procedures(layout.shards().size()), node.role(), config);
  }

  /** What clients may ask for: a hook for wrong procedures in tests. */
  protected Procedures procedures(int shards) {
    Procedures procedures = Procedures.standard();
    Tpcc.register(procedures, shards);
    return procedures;
  }

  @Override
  public ClientDriver client(
      long id, int place, String region, Topology topology, Settings settings) {
    return new DastClient(DastDeployment.of(settings), region, id, place);
  }

  /** Nodes keep nothing on disk: who starts again has to be replaced. */
  @Override
  public final Map<String, Long> processParameters() {
    return Map.of("suspectMicros", 5 * SUSPECT_MICROS);
  }

  @Override
  public final Restart restart(NodeSpec node, Settings settings) {
    if (node.kind().equals(DastDeployment.MANAGER)) {
      return new Restart(false, "");
    } else if (silenceMicros(settings) == 0) {
      return new Restart(
          true,
          "node "
              + node.id()
              + " has served before and keeps no transactions on disk, so it must not answer for"
              + " its shard\n"
              + "  remedy: leave parameter suspectMicros at its default, so that nodes are"
              + " replaced, and start a new cluster");
    }
    return new Restart(
        false,
        "keeps no transactions on disk: it serves once its region's manager has added it again"
            + " from another replica of its shard, and never if no other replica is left");
  }

  /** One shard a region, and clocks told less often: all processes share one machine's cores. */
  @Override
  public final Map<String, Long> clusterParameters() {
    return Map.of("shards", 1L, "tellMicros", 50_000L, "rttMicros", 10_000L);
  }

  /**
   * Every message repeats what its receiver may lack, so that a step costs more the more is open.
   */
  @Override
  public final int clusterClients() {
    return 24;
  }

  /** A transaction inside one region is an IRT (section 3.1): other regions need not be reached. */
  @Override
  public final Optional<String> region(long key, Settings settings) {
    DastDeployment layout = DastDeployment.of(settings);
    return Optional.of(layout.shardRegion(layout.shard(key)));
  }

  @Override
  public final List<Situation> situations() {
    return DastSituations.all();
  }

  /** The replicas of a shard hold the same (one copy, Proposition 1). */
  @Override
  public final List<String> violations(Map<String, Machine> machines, Settings settings) {
    DastDeployment layout = DastDeployment.of(settings);
    List<String> violations = new ArrayList<>();
    for (String shard : layout.shards()) {
      List<String> replicas = layout.replicas(shard);
      for (String replica : replicas) {
        if (machines.get(replica) instanceof ReplaceableNode node && !node.member()) {
          violations.add(replica + " did not come back");
        }
      }
      Replica first = (Replica) machines.get(replicas.get(0));
      for (String other : replicas.subList(1, replicas.size())) {
        if (!((Replica) machines.get(other)).store().equals(first.store())) {
          violations.add(
              "one copy: " + replicas.get(0) + " and " + other + " hold different values");
        }
      }
    }
    return violations;
  }
}
