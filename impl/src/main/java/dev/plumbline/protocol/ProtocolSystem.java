package dev.plumbline.protocol;

import dev.plumbline.history.Model;
import dev.plumbline.machine.Machine;
import java.util.ArrayList;
import java.util.Collection;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * A protocol under test: its nodes, its machines and its client.
 *
 * <p>Implementations have a public no-argument constructor, are listed in {@code
 * META-INF/services/dev.plumbline.protocol.ProtocolSystem}, and keep no state: one instance serves
 * many runs at once.
 */
public interface ProtocolSystem {
  /** How many bits a client's id has. */
  int ID_BITS = 42;

  /** How many keys a transaction reads at the end. */
  int KEYS_PER_LAST_READ = 8;

  /** How long a client of a cluster waits else, in milliseconds. */
  long CLIENT_MILLIS = 1_200;

  /** The name on the command line. */
  String name();

  /** The clock bounds that the protocol is configured for and that the simulator stays within. */
  ClockBounds clockBounds();

  /** The nodes, their roles and regions, and the network between them. */
  Topology topology(Settings settings);

  /** Whether {@link Settings#deployment} may say who is where. */
  default boolean takesDeployment() {
    return false;
  }

  /** Whether its nodes need {@link Settings#secret}. */
  default boolean takesSecret() {
    return false;
  }

  /** What a node's link carries. */
  default Bandwidth bandwidth(NodeSpec node, Settings settings) {
    return Bandwidth.UNLIMITED;
  }

  /** A fresh machine for {@code node}; its first input is {@code Input.Start}. */
  Machine machine(NodeSpec node, Topology topology, Settings settings);

  /**
   * A fresh client of {@code region}; it runs one transaction at a time.
   *
   * @param id unique among all clients that there ever are, below 2^{@value #ID_BITS}
   * @param place spreads the clients of a region over its nodes
   */
  ClientDriver client(long id, int place, String region, Topology topology, Settings settings);

  /** What clients may ask of a node of this kind; a node refuses everything else. */
  default Set<Class<?>> requests(String kind) {
    return Set.of();
  }

  /**
   * What a client may ask of a role in the right form that says what is not so, such as a past that
   * nobody had. A node may refuse it or not; what others ask goes on as it would without it.
   */
  default List<Record> lies(String role, Settings settings) {
    return List.of();
  }

  /** What a client may be answered. */
  default Set<Class<?>> responses() {
    return Set.of();
  }

  /** What a node of kind {@code to} takes from one of kind {@code from}; it refuses all else. */
  default Set<Class<?>> messages(String from, String to) {
    return Set.of();
  }

  /** Behaviours of the published protocol that {@code --as-published} can switch on, by name. */
  default Set<String> publishedBehaviours() {
    return Set.of();
  }

  /** The kinds of transaction that clients can run. */
  default Set<Transaction.Kind> kinds() {
    return Set.of(Transaction.Kind.READ_WRITE, Transaction.Kind.READ_ONLY);
  }

  /** The workloads that its clients can run, the usual one first. */
  default List<String> workloads() {
    return List.of("list-append", "rw-register", "bank");
  }

  /** What reads these keys once all faults are healed and the system has drained. */
  default List<Transaction> lastReads(List<Long> keys, Settings settings) {
    Transaction.Kind kind =
        kinds().contains(Transaction.Kind.READ_ONLY)
            ? Transaction.Kind.READ_ONLY
            : Transaction.Kind.READ_WRITE;
    List<Transaction> reads = new ArrayList<>();
    for (int first = 0; first < keys.size(); first += KEYS_PER_LAST_READ) {
      int end = Math.min(keys.size(), first + KEYS_PER_LAST_READ);
      List<MicroOp> ops = keys.subList(first, end).stream().map(MicroOp::read).toList();
      reads.add(new Transaction(kind, ops, 0));
    }
    return reads;
  }

  /** What the protocol promises of transactions at primaries, or of sessions' operations. */
  default Model model() {
    return Model.STRICT_SERIALIZABLE;
  }

  /** The faults under which everything must hold: {@code --faults all}. */
  default Set<FaultKind> tolerated() {
    return EnumSet.allOf(FaultKind.class);
  }

  /**
   * Whether {@code node} may lose what it did not persist while {@code others} are down or have not
   * recovered yet.
   */
  default boolean mayCrash(NodeSpec node, Set<NodeSpec> others, Settings settings) {
    return true;
  }

  /** Whether all of {@code nodes} may lose it together while {@code others} are down. */
  default boolean mayCrashTogether(
      Collection<NodeSpec> nodes, Set<NodeSpec> others, Settings settings) {
    Set<NodeSpec> down = new HashSet<>(others);
    for (NodeSpec node : nodes) {
      if (!mayCrash(node, Set.copyOf(down), settings)) {
        return false;
      }
      down.add(node);
    }
    return true;
  }

  /** After which silence a node is removed, in microseconds, as if it crashed; 0: never. */
  default long silenceMicros(Settings settings) {
    return 0;
  }

  /** The assumptions that the protocol makes and {@code --break} may violate. */
  default Set<BrokenAssumption> assumptions() {
    return EnumSet.noneOf(BrokenAssumption.class);
  }

  /** Names of all parameters: {@code --set} gives no other, and nothing below does. */
  default Set<String> parameters() {
    return Set.of();
  }

  /** Checkers of what only this protocol promises its clients. */
  default List<HistoryChecker> checkers() {
    return List.of();
  }

  /** What runs should come into. */
  default List<Situation> situations() {
    return List.of();
  }

  /** Parameters that runs in which these faults occur have unless told otherwise. */
  default Map<String, Long> parametersUnder(Set<FaultKind> faults) {
    return Map.of();
  }

  /** Parameters that processes have unless told otherwise: any process may end at any time. */
  default Map<String, Long> processParameters() {
    return Map.of();
  }

  /**
   * What differs from the simulator's for a cluster of processes on one machine; those of {@link
   * #processParameters} apply as well.
   */
  default Map<String, Long> clusterParameters() {
    return Map.of();
  }

  /**
   * Parameters that tell one cluster of processes from another.
   *
   * @param number drawn for the cluster, positive
   */
  default Map<String, Long> identity(long number) {
    return Map.of();
  }

  /**
   * How a process takes part that has served before.
   *
   * @param refused whether it must not serve
   * @param text what its user has to know, with the remedy where it is refused; may be empty
   */
  record Restart(boolean refused, String text) {}

  /** How a node takes part after an earlier incarnation of it has served. */
  default Restart restart(NodeSpec node, Settings settings) {
    return new Restart(false, "");
  }

  /** How many clients a cluster of processes on one small machine bears. */
  default int clusterClients() {
    return 60;
  }

  /**
   * A database that nodes reach by themselves and that stands for roles which no node plays.
   *
   * @param process what differs from {@link #processParameters}
   * @param cluster what differs from {@link #clusterParameters}
   * @param clients how many clients a cluster bears then on one small machine
   * @param clientMillis after which a client of such a cluster gives a transaction up. What it
   *     gives up is done nevertheless, before what it asks for next
   */
  record OutsideDatabase(
      Map<String, Long> process, Map<String, Long> cluster, int clients, long clientMillis) {}

  /**
   * The database that nodes reach by themselves, if they do with these parameters.
   *
   * @param given those that differ from the simulator's
   */
  default Optional<OutsideDatabase> outsideDatabase(Map<String, Long> given) {
    return Optional.empty();
  }

  /** Whether, with these settings, nodes reach a database so. The simulator has none. */
  default boolean outside(Settings settings) {
    return outsideDatabase(settings.parameters()).isPresent();
  }

  /** Kinds of node that keep data on a disk that may fill up. */
  default Set<String> storageKinds() {
    return Set.of();
  }

  /**
   * The region that alone executes a transaction on this key, if the protocol says that such a
   * transaction needs no other region; empty where every transaction may.
   */
  default Optional<String> region(long key, Settings settings) {
    return Optional.empty();
  }

  /**
   * Whether the protocol says that transactions of a region's clients go on while the region can
   * talk with {@code reached} alone, both ways.
   *
   * @param reached regions, the region itself among them
   */
  default boolean goesOn(String region, Set<String> reached, Settings settings) {
    return false;
  }

  /**
   * What serves SQL at a site of this protocol's clusters, if anything does.
   *
   * @param module the repository's module, which stands beside {@code impl}
   * @param main its class with the {@code main} method, which takes the cluster's folder or a
   *     client's configuration, the region, where to listen, and options
   * @param bench its class that measures such servers beside databases without them; it takes the
   *     cluster's folder, a folder, and {@code REGION=URL} for each server
   * @param driver class of the client's driver, in the module's {@code target/shell}
   * @param client the driver's URL, with {@code %s} for the scheme (http or https), and for host
   *     and port
   * @param owner the user who makes the schema
   * @param made the statement after which the schema is made; empty if there is none
   * @param databases how the JDBC URL of a database of a region's own may begin
   * @param suite options for runs under faults
   * @param parameters what differs, in such runs, from {@link #clusterParameters}
   * @param clients how many clients all servers of a cluster bear on one small machine
   */
  record SqlSide(
      String module,
      String main,
      String bench,
      String driver,
      String client,
      String owner,
      String made,
      List<String> databases,
      List<String> suite,
      Map<String, Long> parameters,
      int clients) {}

  /** What serves SQL at each region of a cluster, beside its nodes. */
  default Optional<SqlSide> sqlSide() {
    return Optional.empty();
  }

  /**
   * Whether machines still work on what clients asked for, once all faults are healed. A run asks
   * for {@link #violations} when they do not, or have had time for it.
   *
   * @param machines as for {@link #violations}
   */
  default boolean busy(Map<String, Machine> machines) {
    return false;
  }

  /**
   * What is wrong with the machines once all faults are healed and the system has drained.
   *
   * @param machines the running owner of each role, sorted by role
   * @return one sentence per violated invariant
   */
  default List<String> violations(Map<String, Machine> machines, Settings settings) {
    return List.of();
  }
}
