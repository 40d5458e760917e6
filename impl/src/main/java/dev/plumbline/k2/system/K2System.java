package dev.plumbline.k2.system;

import dev.plumbline.k2.K2Config;
import dev.plumbline.k2.K2Message;
import dev.plumbline.k2.K2Request;
import dev.plumbline.k2.K2Response;
import dev.plumbline.machine.Machine;
import dev.plumbline.protocol.BrokenAssumption;
import dev.plumbline.protocol.ClientDriver;
import dev.plumbline.protocol.ClockBounds;
import dev.plumbline.protocol.NodeSpec;
import dev.plumbline.protocol.ProtocolSystem;
import dev.plumbline.protocol.Settings;
import dev.plumbline.protocol.Situation;
import dev.plumbline.protocol.Topology;
import dev.plumbline.protocol.Transaction;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/**
 * K2 with the paper's clocks: ε 100 µs, D 200 ppm (sections 4.3, 6.3).
 *
 * <p>Two defaults differ from the paper's figures. The TTL is 50 ms: Table 1's round trip inside a
 * region, 200 µs, would outlast one of 100 µs, and a handful of clients takes more than one
 * timestamp from a batch only if it lasts as long as a transaction does. An epoch is 1 s, since
 * with the repair CloseEpochs a transaction must write before the epoch of its timestamp is over,
 * and one over three regions takes more than 100 ms.
 *
 * <p>Parameters: {@code ttlMicros}, {@code stepMicros}, {@code epochMicros}, {@code leaseMicros},
 * {@code batchRetryMicros}, {@code resendMicros}, {@code heartbeatMicros}, {@code suspectMicros},
 * {@code patienceMicros}.
 */
public class K2System implements ProtocolSystem {
  private static final long TTL_MICROS = 50_000;
  private static final long EPOCH_MICROS = 1_000_000;

  @Override
  public String name() {
    return "k2";
  }

  @Override
  public ClockBounds clockBounds() {
    return new ClockBounds(100, 200);
  }

  @Override
  public final Set<String> publishedBehaviours() {
    return new TreeSet<>(K2Config.BEHAVIOURS);
  }

  @Override
  public final Set<BrokenAssumption> assumptions() {
    return EnumSet.allOf(BrokenAssumption.class);
  }

  @Override
  public final Set<String> parameters() {
    return Set.of(
        "ttlMicros",
        "stepMicros",
        "epochMicros",
        "leaseMicros",
        "batchRetryMicros",
        "resendMicros",
        "heartbeatMicros",
        "suspectMicros",
        "patienceMicros");
  }

  @Override
  public final Set<Transaction.Kind> kinds() {
    return EnumSet.allOf(Transaction.Kind.class);
  }

  @Override
  public final Set<Class<?>> requests(String kind) {
    return kind.equals(K2Deployment.COORDINATOR)
        ? Set.of(K2Request.class.getPermittedSubclasses())
        : Set.of();
  }

  @Override
  public final Set<Class<?>> responses() {
    return Set.of(K2Response.class.getPermittedSubclasses());
  }

  @Override
  public final Set<Class<?>> messages(String from, String to) {
    return switch (from + " to " + to) {
      case "coordinator to oracle", "data-node to oracle" -> Set.of(K2Message.BatchRequest.class);
      case "oracle to coordinator", "oracle to data-node" -> Set.of(K2Message.BatchReply.class);
      case "coordinator to data-node" ->
          Set.of(
              K2Message.Read.class,
              K2Message.Write.class,
              K2Message.Commit.class,
              K2Message.Abort.class,
              K2Message.Finalize.class,
              K2Message.Heartbeat.class);
      case "data-node to coordinator" ->
          Set.of(
              K2Message.ReadReply.class,
              K2Message.WriteReply.class,
              K2Message.Decision.class,
              K2Message.FinalizeAck.class);
      case "data-node to data-node" -> Set.of(K2Message.Push.class, K2Message.PushReply.class);
      case "data-node to replica" -> Set.of(K2Message.LogEntries.class, K2Message.PushReply.class);
      case "replica to data-node" -> Set.of(K2Message.LogAck.class, K2Message.Push.class);
      case "coordinator to replica" -> Set.of(K2Message.ReplicaRead.class);
      case "replica to coordinator" -> Set.of(K2Message.ReplicaReadReply.class);
      default -> Set.of();
    };
  }

  @Override
  public final Topology topology(Settings settings) {
    return new K2Deployment().topology();
  }

  /**
   * Links between processes are shorter, so a commit wait of 100 ms would be most of a transaction,
   * and clients that wait for a cut-off region would be most of a run.
   */
  @Override
  public final Map<String, Long> clusterParameters() {
    return Map.of("ttlMicros", 10_000L, "patienceMicros", 600_000L);
  }

  @Override
  public final Set<String> storageKinds() {
    return Set.of(K2Deployment.DATA_NODE);
  }

  /** The machines' configuration. */
  public final K2Config config(Settings settings) {
    K2Config paper = K2Config.standard();
    return new K2Config(
        settings.parameter("ttlMicros", ttlMicros()),
        settings.parameter("stepMicros", stepMicros()),
        settings.clocks().epsilonMicros(),
        settings.clocks().driftPpm(),
        settings.parameter("epochMicros", EPOCH_MICROS),
        settings.parameter("leaseMicros", paper.leaseMicros()),
        settings.parameter("batchRetryMicros", paper.batchRetryMicros()),
        settings.parameter("resendMicros", paper.resendMicros()),
        settings.parameter("heartbeatMicros", paper.heartbeatMicros()),
        settings.parameter("suspectMicros", paper.suspectMicros()),
        settings.parameter("patienceMicros", paper.patienceMicros()),
        List.copyOf(settings.asPublished()));
  }

  /** The default of {@code ttlMicros}. */
  protected long ttlMicros() {
    return TTL_MICROS;
  }

  /** The default of {@code stepMicros}. */
  protected long stepMicros() {
    return K2Config.standard().stepMicros();
  }

  @Override
  public final Machine machine(NodeSpec node, Topology topology, Settings settings) {
    return new K2Machines().machine(node, topology, config(settings));
  }

  @Override
  public ClientDriver client(
      long id, int place, String region, Topology topology, Settings settings) {
    List<String> coordinators = topology.rolesOf(K2Deployment.COORDINATOR, region);
    int next = place / topology.regions().size() % coordinators.size();
    return new K2Client(coordinators.get(next));
  }

  @Override
  public final List<Situation> situations() {
    return K2Situations.all();
  }

  @Override
  public final List<String> violations(Map<String, Machine> machines, Settings settings) {
    return new K2Invariants(machines).violations();
  }
}
