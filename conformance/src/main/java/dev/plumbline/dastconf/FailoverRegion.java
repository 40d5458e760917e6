package dev.plumbline.dastconf;

import static dev.plumbline.dastconf.ModelProcess.LATE;

import com.fasterxml.jackson.databind.JsonNode;
import dev.plumbline.dast.Change;
import dev.plumbline.dast.DastConfig;
import dev.plumbline.dast.DastMessage;
import dev.plumbline.dast.DastMessage.Clock;
import dev.plumbline.dast.DastMessage.From;
import dev.plumbline.dast.DastMessage.Note;
import dev.plumbline.dast.DastMessage.Result;
import dev.plumbline.dast.DastMessage.ViewAck;
import dev.plumbline.dast.DastMessage.ViewCommit;
import dev.plumbline.dast.DastMessage.ViewTaken;
import dev.plumbline.dast.DastResponse;
import dev.plumbline.dast.Node;
import dev.plumbline.dast.Procedures;
import dev.plumbline.dast.ReplaceableManager;
import dev.plumbline.dast.ReplaceableNode;
import dev.plumbline.dast.StretchableClock;
import dev.plumbline.dast.Timestamp;
import dev.plumbline.dast.Txn;
import dev.plumbline.dast.View;
import dev.plumbline.graph.Constants;
import dev.plumbline.graph.Deployment;
import dev.plumbline.machine.Input;
import dev.plumbline.machine.Machine;
import dev.plumbline.sim.NodeSpec;
import dev.plumbline.sim.SeededBug;
import dev.plumbline.sim.Settings;
import dev.plumbline.sim.dast.DastSystem;
import dev.plumbline.tlc.InputError;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Predicate;

/**
 * The nodes and managers of a model of {@code Failover}, what is on its way between them, and what
 * is remembered besides.
 *
 * <p>A model's managers are instances of one role, the later ones with higher fencing epochs; its
 * spares are replicas that were removed before it begins.
 */
final class FailoverRegion {
  /** The other region's participant, and its manager. */
  static final int REMOTE = 90;

  static final int REMOTE_MANAGER = 91;

  /** Incarnations that nodes and managers have at first. */
  static final long FIRST_NODE = 1_000;

  static final long FIRST_MANAGER = 1;

  final SortedSet<Integer> members;
  final SortedSet<Integer> managers;
  final List<Integer> coordinators;

  /** The coordinator of the CRT, 0 if there is none. */
  final int crtCoord;

  final ModelLayout layout;
  private final SortedSet<Integer> spares;
  private final DastConfig config;
  private final Deployment deployment;

  final List<Txn> txns = new ArrayList<>();
  final TreeMap<Integer, Member> nodes = new TreeMap<>();
  final TreeMap<Integer, Instance> instances = new TreeMap<>();
  final List<Change> register = new ArrayList<>();
  final List<JsonNode> decided = new ArrayList<>();
  final LinkedHashSet<Mail> network = new LinkedHashSet<>();
  final TreeMap<Integer, DastResponse.Executed> answered = new TreeMap<>();
  final StepEffects out = new StepEffects();
  int leader;
  int anticipations;
  boolean wentBack;

  /** A node, and what is kept of it besides. */
  static final class Member extends ModelProcess {
    final ReplaceableNode node;
    final TreeSet<Integer> everIgnored = new TreeSet<>();
    final TreeMap<Integer, Integer> max = new TreeMap<>();
    List<Integer> log = List.of();
    long addTime;

    Member(int nid, ReplaceableNode node, Machine machine, StepEffects out) {
      super(nid, machine, out);
      this.node = node;
    }

    /** What it is while it takes part, else null. */
    Node now() {
      return node.node();
    }

    @Override
    StretchableClock clock() {
      return now().clock();
    }

    /** Whether it takes part and its clock shows {@code time}. */
    boolean shows(long time) {
      return now() != null && clock().last().equals(new Timestamp(time, 0, nid));
    }
  }

  /** A manager from its election on, and the answers that were sent to it. */
  static final class Instance extends ModelProcess {
    final long epoch;
    final ReplaceableManager manager;
    final TreeMap<Integer, ViewAck> answers = new TreeMap<>();
    List<Integer> checkpoint = List.of();
    String checkpointCrt = "none";

    Instance(int nid, long epoch, ReplaceableManager manager, StepEffects out) {
      super(nid, manager, out);
      this.epoch = epoch;
      this.manager = manager;
    }

    @Override
    StretchableClock clock() {
      return manager.clock();
    }
  }

  /**
   * @param constants the model's
   * @param bug a seeded bug to run with
   */
  FailoverRegion(Constants constants, Optional<SeededBug> bug) {
    members = constants.numbers("Member");
    spares = constants.numbers("Spare");
    managers = constants.numbers("Manager");
    coordinators = ModelConstants.coordinators(constants);
    crtCoord = constants.number("CrtCoord");
    List<Integer> replicas = new ArrayList<>(members);
    replicas.addAll(spares);
    constants.demand("Majority", String.valueOf(replicas.size() / 2 + 1));
    TreeMap<Integer, String> regions = new TreeMap<>();
    replicas.forEach(n -> regions.put(n, "A"));
    regions.put(managers.first(), "A");
    regions.put(REMOTE, "B");
    regions.put(REMOTE_MANAGER, "B");
    layout = new ModelLayout(regions, new TreeMap<>(Map.of("X", replicas, "Y", List.of(REMOTE))));
    SortedSet<String> asPublished =
        constants.asPublished(
            Map.of(
                "CommittedWins", DastConfig.COMMITTED_ABORTED,
                "ReportAll", DastConfig.COMMITTED_UNREPORTED,
                "Inherit", DastConfig.LEGACY_UNTOLD,
                "AddVote", DastConfig.JOIN_LOW,
                "KeepAnticipated", DastConfig.ANTICIPATED_LOST,
                "ReportOwn", DastConfig.OWN_UNREPORTED,
                "ReportOwnCrt", DastConfig.OWN_CRT_UNREPORTED));
    asPublished.add(DastConfig.STRETCHED_STAYS);
    int ahead = constants.number("Ahead");
    if (ahead < 1) {
      throw new InputError(
          "",
          0,
          "managers install replicas ahead of their clocks, not " + ahead,
          "use Ahead = 1, or waive the model in coverage.yaml");
    }
    config = new DastConfig(ahead, 1, 1, ahead, List.copyOf(asPublished));
    DastSystem system = new DastSystem();
    Settings settings = new Settings(system.clockBounds(), asPublished, new TreeMap<>());
    deployment = Deployment.of(system, settings, bug);
  }

  /** Puts everything into the model's initial state. */
  void reset() {
    nodes.clear();
    instances.clear();
    register.clear();
    decided.clear();
    network.clear();
    answered.clear();
    txns.clear();
    out.clear();
    anticipations = 0;
    wentBack = false;
    Procedures procedures = new Procedures();
    for (int coordinator : coordinators) {
      define(ModelPlan.simple(coordinator, "X"), procedures);
    }
    if (crtCoord != 0) {
      define(ModelPlan.simple(crtCoord, "X", "Y"), procedures);
    }
    List<Change> first = spares.isEmpty() ? List.of() : List.of(withoutSpares());
    for (int nid : layout.nodes()) {
      boolean spare = spares.contains(nid);
      String role = String.valueOf(nid);
      ReplaceableNode node = new ReplaceableNode(layout, procedures, role, config);
      NodeSpec spec = NodeSpec.of(role, "node", layout.region(role), 1, 0);
      Member member =
          new Member(
              nid,
              node,
              deployment.seeded(spec, DastPlace.oneByOne(node, node::step, node::executeNext)),
              out);
      nodes.put(nid, member);
      member.run(new Input.Start(spare ? 2 : 1, List.of()), LATE);
      if (!spare && nid != REMOTE && !first.isEmpty()) {
        deliver(managers.first(), member, new From(FIRST_MANAGER, new ViewCommit(first)), LATE);
      }
    }
    register.addAll(first);
    out.clear();
    elect(managers.first(), FIRST_MANAGER);
    if (!first.isEmpty()) {
      for (int member : members) {
        deliver(member, leading(), new From(FIRST_NODE, new ViewTaken(first.size())), LATE);
      }
    }
    settle();
  }

  private void define(ModelPlan plan, Procedures procedures) {
    int t = txns.size() + 1;
    plan.register(t, procedures);
    txns.add(plan.txn(t, layout));
  }

  private Change withoutSpares() {
    TreeMap<String, Long> left = new TreeMap<>();
    members.forEach(member -> left.put(String.valueOf(member), FIRST_NODE));
    return new Change(
        new View(1, left, FIRST_MANAGER),
        spares.stream().map(String::valueOf).toList(),
        "",
        Timestamp.ZERO,
        Timestamp.ZERO,
        List.of(),
        List.of());
  }

  /** Views before the model's first. */
  int earlier() {
    return spares.isEmpty() ? 0 : 1;
  }

  void elect(int m, long epoch) {
    if (instances.containsKey(m)) {
      throw new IllegalArgumentException("a manager that was replaced is another one");
    }
    ModelLayout own = layout;
    if (m != managers.first()) {
      TreeMap<Integer, String> regions = new TreeMap<>(layout.regionOf());
      regions.remove(managers.first());
      regions.put(m, "A");
      own = new ModelLayout(regions, layout.replicasOf());
    }
    ReplaceableManager manager = new ReplaceableManager(own, String.valueOf(m), config);
    Instance instance = new Instance(m, epoch, manager, out);
    instances.put(m, instance);
    leader = m;
    instance.run(new Input.Start(epoch, List.copyOf(register)), LATE);
    hearFromAllBut(instance, 0);
  }

  Instance leading() {
    return instances.get(leader);
  }

  /** The region's nodes. */
  List<Member> replicas() {
    return nodes.values().stream().filter(n -> n.nid != REMOTE).toList();
  }

  /** All instances of the manager's role have the name of the first. */
  String role(int process) {
    return String.valueOf(managers.contains(process) ? managers.first() : process);
  }

  /** The CRT, the transaction after the IRTs. */
  String crt() {
    return String.valueOf(coordinators.size() + 1);
  }

  /** What the CRT is at a node: none, prepared, committed or aborted. */
  String ofCrt(Member n) {
    if (crtCoord == 0 || n.now() == null) {
      return "none";
    }
    Note known = n.now().known(crt());
    Note kept = n.node.kept(crt());
    if (known == null && n.now().executed(crt())) {
      return "aborted";
    } else if (known != null && known.committed() || kept != null && kept.committed()) {
      return "committed";
    }
    boolean asked = n.nid == crtCoord && n.now().coordinated(crt()) != null;
    return known != null || kept != null || asked ? "prepared" : "none";
  }

  void deliver(Mail sent, ModelProcess to, long wall) {
    deliver(sent.from(), to, sent.message(), wall);
  }

  void deliver(int from, ModelProcess to, DastMessage message, long wall) {
    to.run(new Input.Deliver(role(from), message), wall);
  }

  /** The first message of a kind that somebody, any if 0, sent. */
  <M extends DastMessage> Optional<Mail> first(
      int from, int to, Class<M> type, Predicate<M> which) {
    return network.stream()
        .filter(s -> (from == 0 || s.from() == from) && s.to().equals(role(to)))
        .filter(s -> s.is(type, which))
        .findFirst();
  }

  /** No member is silent, but one. */
  void hearFromAllBut(Instance m, int silent) {
    for (Map.Entry<String, Long> member : m.manager.view().members().entrySet()) {
      int n = Integer.parseInt(member.getKey());
      if (n != silent) {
        Clock clock = new Clock(Timestamp.ZERO, Map.of(), List.of());
        deliver(n, m, new From(member.getValue(), clock), LATE);
      }
    }
  }

  /** What was sent is on its way, and what is remembered besides the machines goes on. */
  void settle() {
    for (Mail s : out.messages) {
      if (!(s.body() instanceof Clock)) {
        network.add(s);
      }
      if (s.body() instanceof Result r && s.from() != REMOTE) {
        Member n = nodes.get(s.from());
        int t = Integer.parseInt(r.txn());
        if (!n.log.contains(t)) {
          List<Integer> log = new ArrayList<>(n.log);
          log.add(t);
          n.log = List.copyOf(log);
        }
      }
    }
    out.executed.forEach(answered::putIfAbsent);
    out.clear();
    for (Member n : replicas()) {
      if (n.now() != null) {
        n.node.ignored().forEach(role -> n.everIgnored.add(Integer.valueOf(role)));
        n.node.view().members().keySet().forEach(role -> remember(n, Integer.parseInt(role)));
        remember(n, managers.first());
      }
    }
  }

  private void remember(Member n, int x) {
    Timestamp passed = n.now().passedBy(String.valueOf(x));
    int owner = managers.contains(x) ? (int) passed.nid() : x;
    if (n.nid != x && owner != 0) {
      n.max.put(owner, DastValues.stamp(passed));
    }
  }
}
