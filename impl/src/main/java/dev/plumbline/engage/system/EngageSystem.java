package dev.plumbline.engage.system;

import dev.plumbline.engage.Broker;
import dev.plumbline.engage.ClientSession;
import dev.plumbline.engage.Cloudlet;
import dev.plumbline.engage.EngageConfig;
import dev.plumbline.engage.EngageMessage;
import dev.plumbline.engage.EngageRequest;
import dev.plumbline.engage.EngageResponse;
import dev.plumbline.engage.Layout;
import dev.plumbline.engage.MeshCloudlet;
import dev.plumbline.engage.TreeCloudlet;
import dev.plumbline.engage.VectorClock;
import dev.plumbline.history.Model;
import dev.plumbline.machine.Machine;
import dev.plumbline.protocol.Bandwidth;
import dev.plumbline.protocol.ClientDriver;
import dev.plumbline.protocol.ClockBounds;
import dev.plumbline.protocol.FaultKind;
import dev.plumbline.protocol.HistoryChecker;
import dev.plumbline.protocol.MicroOp;
import dev.plumbline.protocol.NodeSpec;
import dev.plumbline.protocol.ProtocolSystem;
import dev.plumbline.protocol.Settings;
import dev.plumbline.protocol.Topology;
import dev.plumbline.protocol.Transaction;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/**
 * ENGAGE: five cloudlets at three brokers, or one of the paper's settings.
 *
 * <p>Parameters: {@code setting} (0: small, 1: Fig. 3a, 2: Fig. 3b), {@code flushMicros}, {@code
 * resendMicros}, {@code remoteMicros} (one way between neighbouring datacenters), {@code cluster}
 * (its number, which sessions carry), {@code tree}, {@code mesh} (1: cloudlets without brokers),
 * {@code lostBroker} (1: the middle broker's disk is lost whenever it crashes), {@code
 * largestValue}, {@code versions}.
 */
public class EngageSystem implements ProtocolSystem {
  private static final long FLUSH_MICROS = 100_000;

  /** A flush that is held longer may be pending when a run ends. */
  private static final long LONGEST_FLUSH_MICROS = 1_000_000;

  private static final long RESEND_MICROS = 200_000;
  private static final int LARGEST_VALUE = 65_536;

  /** More updates than a cluster makes while somebody looks. */
  private static final long NEVER_MADE = 1_000_000_000;

  private static final String NO_SEAL = "AAAAAAAAAAAAAAAA";

  @Override
  public final String name() {
    return "engage";
  }

  /** Time has no role but to make timers expire; drift is what ordinary machines have. */
  @Override
  public final ClockBounds clockBounds() {
    return new ClockBounds(0, 200);
  }

  @Override
  public final Model model() {
    return Model.SESSION_GUARANTEES;
  }

  /** All but a takeover by another node: a cloudlet or broker that crashed starts again. */
  @Override
  public final Set<FaultKind> tolerated() {
    return EnumSet.complementOf(EnumSet.of(FaultKind.FAILOVER));
  }

  @Override
  public final List<String> workloads() {
    return List.of("sessions");
  }

  @Override
  public final List<HistoryChecker> checkers() {
    return List.of(new CounterChecker(), new VisibilityChecker());
  }

  /** Every object at each of its replicas. */
  @Override
  public final List<Transaction> lastReads(List<Long> keys, Settings settings) {
    EngageDeployment deployment = EngageDeployment.of(settings);
    List<Transaction> reads = new ArrayList<>();
    for (long key : keys) {
      int replicas = deployment.layout().replicas(deployment.object(key)).size();
      for (int place = 1; place <= replicas; place++) {
        reads.add(Transaction.of(MicroOp.read(key), new Transaction.Choice(Set.of(), place, true)));
      }
    }
    return reads;
  }

  @Override
  public final Set<String> publishedBehaviours() {
    return new TreeSet<>(EngageConfig.BEHAVIOURS);
  }

  @Override
  public final Set<String> parameters() {
    return Set.of(
        "setting",
        "flushMicros",
        "resendMicros",
        "remoteMicros",
        "cluster",
        "tree",
        "mesh",
        "lostBroker",
        "largestValue",
        "versions");
  }

  @Override
  public final Set<Class<?>> requests(String kind) {
    return kind.equals(EngageDeployment.CLOUDLET)
        ? Set.of(EngageRequest.class.getPermittedSubclasses())
        : Set.of();
  }

  @Override
  public final Set<Class<?>> responses() {
    return Set.of(EngageResponse.class.getPermittedSubclasses());
  }

  @Override
  public final Set<Class<?>> messages(String from, String to) {
    return Set.of(
        EngageMessage.Notification.class,
        EngageMessage.Flush.class,
        EngageMessage.Ack.class,
        EngageMessage.NewTree.class);
  }

  /** Tree and placement of a run. */
  public final Layout layout(Settings settings) {
    return EngageDeployment.of(settings).layout();
  }

  /** The nearest of some cloudlets to another. */
  public final String nearest(String cloudlet, List<String> some, Settings settings) {
    EngageDeployment deployment = EngageDeployment.of(settings);
    return deployment.nearest(deployment.sites().get(cloudlet), some);
  }

  private static boolean mesh(Settings settings) {
    return settings.parameter("mesh", 0) != 0;
  }

  @Override
  public final Topology topology(Settings settings) {
    return EngageDeployment.of(settings).topology(mesh(settings));
  }

  @Override
  public final boolean takesDeployment() {
    return true;
  }

  @Override
  public final Bandwidth bandwidth(NodeSpec node, Settings settings) {
    return EngageDeployment.of(settings).limit(node.region());
  }

  /** Sessions' clocks carry it, so that no other cluster takes them. */
  @Override
  public final Map<String, Long> identity(long number) {
    return Map.of("cluster", number);
  }

  private static long cluster(Settings settings) {
    return settings.parameter("cluster", 1);
  }

  /** Cloudlets seal with it what they give out. */
  @Override
  public final boolean takesSecret() {
    return true;
  }

  /** Clocks that name updates which no cloudlet made. */
  @Override
  public final List<Record> lies(String role, Settings settings) {
    Layout layout = layout(settings);
    int own = layout.index(role);
    if (own < 0) {
      return List.of();
    }
    List<Long> entries =
        new ArrayList<>(Collections.nCopies(layout.cloudlets().size(), NEVER_MADE));
    entries.set(own, 0L);
    VectorClock past = new VectorClock(entries);
    EngageRequest.Token token =
        new EngageRequest.Token(
            cluster(settings),
            true,
            past,
            past,
            past,
            Collections.nCopies(entries.size(), NO_SEAL));
    List<Record> lies = new ArrayList<>();
    layout
        .partitions()
        .forEach(
            (partition, replicas) -> {
              if (replicas.contains(role)) {
                String object = partition + "/lie";
                lies.add(new EngageRequest.Read("liar.1", object, List.of("MR"), token));
                lies.add(new EngageRequest.Write("liar.1", object, "0", List.of(), token));
              }
            });
    return lies;
  }

  /** The machines' configuration. */
  public final EngageConfig config(Settings settings) {
    return new EngageConfig(
        cluster(settings),
        settings.parameter("tree", 1),
        settings.parameter("flushMicros", FLUSH_MICROS),
        settings.parameter("resendMicros", RESEND_MICROS),
        settings.count("largestValue", LARGEST_VALUE, Integer.MAX_VALUE),
        settings.count("versions", 1, Integer.MAX_VALUE),
        List.copyOf(settings.asPublished()),
        new HmacSeals(settings.secret(), cluster(settings)));
  }

  @Override
  public final Machine machine(NodeSpec node, Topology topology, Settings settings) {
    List<String> brokers = layout(settings).brokers();
    boolean lost = settings.parameter("lostBroker", 0) != 0;
    if (lost && mesh(settings)) {
      throw new IllegalArgumentException(
          "lostBroker=1 with mesh=1: there is no broker to lose; leave one of them out");
    }
    if (lost && node.role().equals(brokers.get(brokers.size() / 2))) {
      return new LostBroker(
          tree -> new Broker(config(settings).inTree(tree), layout(settings), node.role()));
    }
    return new EngageMachines().machine(node, layout(settings), config(settings), mesh(settings));
  }

  @Override
  public final ClientDriver client(
      long id, int place, String region, Topology topology, Settings settings) {
    EngageDeployment deployment = EngageDeployment.of(settings);
    String name = "s" + id;
    return new EngageClient(
        deployment,
        new ClientSession(config(settings), deployment.layout(), name),
        name,
        region,
        place / topology.regions().size());
  }

  @Override
  public final int clusterClients() {
    return 30;
  }

  /** Nothing waits once all is quiet: no update, request, message or flush (II-A, III-F). */
  @Override
  public final List<String> violations(Map<String, Machine> machines, Settings settings) {
    List<String> violations = new ArrayList<>();
    machines.forEach(
        (role, running) -> {
          Machine machine = running instanceof LostBroker lost ? lost.broker() : running;
          if (machine instanceof Cloudlet cloudlet) {
            cloudlet.waiting().stream()
                .findFirst()
                .ifPresent(update -> stuck(violations, role, "update " + update + " waits"));
            cloudlet.held().values().stream()
                .findFirst()
                .ifPresent(request -> stuck(violations, role, request + " is held"));
          }
          int open = unacknowledged(machine);
          if (open > 0) {
            stuck(violations, role, open + " messages are sent again and again");
          }
          if (machine instanceof Broker broker
              && broker.config().flushMicros() <= LONGEST_FLUSH_MICROS
              && broker.flushes()) {
            stuck(violations, role, "metadata waits for a flush that does not come");
          }
        });
    return violations;
  }

  private static int unacknowledged(Machine machine) {
    if (machine instanceof TreeCloudlet cloudlet) {
      return cloudlet.unacknowledged();
    } else if (machine instanceof MeshCloudlet cloudlet) {
      return cloudlet.unacknowledged();
    }
    return machine instanceof Broker broker ? broker.unacknowledged() : 0;
  }

  private static void stuck(List<String> violations, String role, String what) {
    violations.add("nothing stuck: at " + role + " " + what);
  }
}
