package dev.plumbline.dastconf;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.IntNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.plumbline.dast.Change;
import dev.plumbline.dast.Checkpoint;
import dev.plumbline.dast.DastConfig;
import dev.plumbline.dast.DastMessage;
import dev.plumbline.dast.DastMessage.Ack;
import dev.plumbline.dast.DastMessage.Clock;
import dev.plumbline.dast.DastMessage.ClockAck;
import dev.plumbline.dast.DastMessage.Commit;
import dev.plumbline.dast.DastMessage.CommitRemote;
import dev.plumbline.dast.DastMessage.From;
import dev.plumbline.dast.DastMessage.Install;
import dev.plumbline.dast.DastMessage.Installed;
import dev.plumbline.dast.DastMessage.Join;
import dev.plumbline.dast.DastMessage.Keep;
import dev.plumbline.dast.DastMessage.Kept;
import dev.plumbline.dast.DastMessage.Note;
import dev.plumbline.dast.DastMessage.Pong;
import dev.plumbline.dast.DastMessage.PrepCrt;
import dev.plumbline.dast.DastMessage.PrepRemote;
import dev.plumbline.dast.DastMessage.Prepare;
import dev.plumbline.dast.DastMessage.Resolve;
import dev.plumbline.dast.DastMessage.Result;
import dev.plumbline.dast.DastMessage.Transfer;
import dev.plumbline.dast.DastMessage.ViewAck;
import dev.plumbline.dast.DastMessage.ViewCommit;
import dev.plumbline.dast.DastMessage.ViewPrep;
import dev.plumbline.dast.DastMessage.ViewTaken;
import dev.plumbline.dast.DastMessage.Vote;
import dev.plumbline.dast.DastRequest;
import dev.plumbline.dast.DastResponse;
import dev.plumbline.dast.DastTimer;
import dev.plumbline.dast.Node;
import dev.plumbline.dast.Procedures;
import dev.plumbline.dast.ReplaceableManager;
import dev.plumbline.dast.ReplaceableNode;
import dev.plumbline.dast.StretchableClock;
import dev.plumbline.dast.Timestamp;
import dev.plumbline.dast.Txn;
import dev.plumbline.dast.View;
import dev.plumbline.graph.Constants;
import dev.plumbline.graph.Memento;
import dev.plumbline.graph.Outbox;
import dev.plumbline.graph.SpecAdapter;
import dev.plumbline.machine.ClockReading;
import dev.plumbline.machine.Input;
import dev.plumbline.machine.Machine;
import dev.plumbline.machine.Message;
import dev.plumbline.sim.NodeSpec;
import dev.plumbline.sim.SeededBug;
import dev.plumbline.sim.Settings;
import dev.plumbline.sim.Topology;
import dev.plumbline.sim.dast.DastSystem;
import dev.plumbline.tlc.InputError;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.function.Predicate;

/**
 * Runs DAST's replaceable nodes and managers by the actions of {@code Failover}, one step at a time
 * ({@link DastConfig#stepwise}).
 *
 * <p>A model's managers are instances of one role, the later ones with higher fencing epochs; its
 * spares are replicas that were removed before it begins. What was sent may arrive at any time, and
 * is taken from its sender's first message of that kind; a manager's answers are those that members
 * sent, and reach it together when it decides. A manager hears of all members after each of its own
 * clock messages, but those that it is to suspect. Who learns of an IRT from its coordinator's
 * clock message acknowledges it, too.
 *
 * <p>Left out: calibration (the machines run without {@code Follow}, and their wall clocks are late
 * where no clock is read), and how a CRT's timestamp is anticipated while it is committed: the
 * members get zero. A CRT's state that is kept by a member and the CRT that is prepared there are
 * one. A step is taken back if a clock does not show what the action says, if its message is
 * refused, or if the decision that it is about does not fall.
 */
final class FailoverAdapter implements SpecAdapter {
  private static final String[] VARIABLES = {
    "anticipated",
    "crt",
    "crtPhase",
    "decided",
    "have",
    "hold",
    "ignored",
    "irt",
    "last",
    "leader",
    "log",
    "max",
    "prop",
    "view",
    "wentBack"
  };

  /** A wall clock for steps that read none: calibration changes nothing. */
  private static final long LATE = 1L << 40;

  private static final Timestamp NEVER = new Timestamp(-LATE, 0, 0);

  /** The other region's participant, and its manager. */
  private static final int REMOTE = 90;

  private static final int REMOTE_MANAGER = 91;

  /** Incarnations that nodes and managers have at first. */
  private static final long FIRST_NODE = 1_000;

  private static final long FIRST_MANAGER = 1;

  private final SortedSet<Integer> members;
  private final SortedSet<Integer> spares;
  private final SortedSet<Integer> managers;
  private final List<Integer> coordinators;
  private final int crtCoord;
  private final ModelLayout layout;
  private final DastConfig config;
  private final Optional<SeededBug> bug;
  private final Settings settings;
  private final Topology topology;
  private final List<Txn> txns = new ArrayList<>();
  private final TreeMap<Integer, Member> nodes = new TreeMap<>();
  private final TreeMap<Integer, Instance> instances = new TreeMap<>();
  private final List<Change> register = new ArrayList<>();
  private final List<JsonNode> decided = new ArrayList<>();
  private final LinkedHashSet<Mail> network = new LinkedHashSet<>();
  private final TreeMap<Integer, DastResponse.Executed> answered = new TreeMap<>();
  private final Out out = new Out();
  private final JsonNode[] before = new JsonNode[VARIABLES.length];
  private int leader;
  private int anticipations;
  private boolean wentBack;

  /**
   * A message on its way.
   *
   * @param instance the nid of the node or manager that sent it
   */
  private record Mail(int instance, String to, From message) {
    <M extends DastMessage> boolean is(Class<M> type, Predicate<M> which) {
      return type.isInstance(message.body()) && which.test(type.cast(message.body()));
    }
  }

  /** A node, and what is kept of it besides. */
  private static final class Member {
    final int nid;
    final ReplaceableNode node;
    final Machine machine;
    final TreeSet<Integer> everIgnored = new TreeSet<>();
    final TreeMap<Integer, Integer> max = new TreeMap<>();
    List<Integer> log = List.of();
    long addTime;

    Member(int nid, ReplaceableNode node, Machine machine) {
      this.nid = nid;
      this.node = node;
      this.machine = machine;
    }

    Node now() {
      return node.node();
    }
  }

  /** A manager from its election on, and the answers that were sent to it. */
  private static final class Instance {
    final int nid;
    final long epoch;
    final ReplaceableManager manager;
    final TreeMap<Integer, ViewAck> answers = new TreeMap<>();
    final TreeMap<String, Long> rtt = new TreeMap<>();
    List<Integer> checkpoint = List.of();

    Instance(int nid, long epoch, ReplaceableManager manager) {
      this.nid = nid;
      this.epoch = epoch;
      this.manager = manager;
    }
  }

  /** What a machine sends, answers and persists in a step. */
  private static final class Out extends Outbox {
    private final List<Mail> messages = new ArrayList<>();
    private final List<Change> changes = new ArrayList<>();
    private final TreeMap<Integer, DastResponse.Executed> executed = new TreeMap<>();
    private int from;

    Out() {
      super("");
    }

    @Override
    public void send(String to, Message message) {
      messages.add(new Mail(from, to, (From) message));
    }

    @Override
    public void persist(Record record) {
      changes.add((Change) record);
    }

    @Override
    public void reply(long requestId, Record response) {
      if (response instanceof DastResponse.Executed answer) {
        executed.put((int) requestId, answer);
      }
    }

    void clear() {
      messages.clear();
      changes.clear();
      executed.clear();
    }
  }

  /**
   * @param constants the model's
   * @param bug a seeded bug to run with
   */
  FailoverAdapter(Constants constants, Optional<SeededBug> bug) {
    members = constants.numbers("Member");
    spares = constants.numbers("Spare");
    managers = constants.numbers("Manager");
    coordinators = ModelConstants.coordinators(constants);
    crtCoord = constants.number("CrtCoord");
    int replicas = members.size() + spares.size();
    constants.demand("Majority", String.valueOf(replicas / 2 + 1));
    TreeMap<Integer, String> regions = new TreeMap<>();
    List<Integer> all = new ArrayList<>(members);
    all.addAll(spares);
    all.forEach(n -> regions.put(n, "A"));
    regions.put(managers.first(), "A");
    regions.put(REMOTE, "B");
    regions.put(REMOTE_MANAGER, "B");
    layout = new ModelLayout(regions, new TreeMap<>(Map.of("X", all, "Y", List.of(REMOTE))));
    TreeSet<String> asPublished = new TreeSet<>();
    asPublished.add(DastConfig.STRETCHED_STAYS);
    Map<String, String> switches =
        Map.of(
            "CommittedWins", DastConfig.COMMITTED_ABORTED,
            "ReportAll", DastConfig.COMMITTED_UNREPORTED,
            "Inherit", DastConfig.LEGACY_UNTOLD,
            "AddVote", DastConfig.JOIN_LOW,
            "KeepAnticipated", DastConfig.ANTICIPATED_LOST,
            "ReportOwn", DastConfig.OWN_UNREPORTED);
    for (String missing : constants.asPublished(List.copyOf(switches.keySet()))) {
      asPublished.add(switches.get(missing));
    }
    int ahead = constants.number("Ahead");
    if (ahead < 1) {
      throw new InputError(
          "",
          0,
          "managers install replicas ahead of their clocks, not " + ahead,
          "use Ahead = 1, or waive the model in coverage.yaml");
    }
    config = new DastConfig(ahead, 1, 1, ahead, true, List.copyOf(asPublished));
    this.bug = bug;
    DastSystem system = new DastSystem();
    settings = new Settings(system.clockBounds(), asPublished, new TreeMap<>());
    topology = system.topology(settings);
  }

  @Override
  public String[] variables() {
    return VARIABLES.clone();
  }

  @Override
  public Map<String, String> ghosts() {
    return Map.of(
        "decided.log", "machines keep up to where a checkpoint goes; the log is the one sent",
        "decided.ts", "of a new manager: machines keep it as its clock",
        "ignored", "nodes that were removed: machines know that they are no members",
        "leader", "who opened the register with the highest epoch",
        "max", "of removed nodes and replaced managers: machines forget it",
        "wentBack", "made up from the anticipated timestamps that members accepted");
  }

  @Override
  public void reset(ObjectNode initial) {
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
      Machine machine = bug.map(b -> b.machine(spec, topology, settings, node)).orElse(node);
      Member member = new Member(nid, node, machine);
      nodes.put(nid, member);
      run(member, new Input.Start(spare ? 2 : 1, List.of()), LATE);
      if (!spare && nid != REMOTE && !first.isEmpty()) {
        String manager = String.valueOf(managers.first());
        From commit = new From(FIRST_MANAGER, new ViewCommit(first));
        run(member, new Input.Deliver(manager, commit), LATE);
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
  private int earlier() {
    return spares.isEmpty() ? 0 : 1;
  }

  @Override
  public void apply(String action, ObjectNode p) {
    switch (action) {
      case "CoordIrt" -> {
        Member c = coordinator(p);
        exactly(c, time(p), () -> submit(c, number(p, "t"), time(p)));
      }
      case "HandlePrepare" -> take(number(p, "n"), Prepare.class, m -> is(m.txn(), p));
      case "CommitIrt" -> commitIrt(coordinator(p), number(p, "t"));
      case "HandleCommit" -> {
        Node n = node(p, "n").now();
        if (n != null && n.known(name(p, "t")) != null) {
          take(number(p, "n"), Commit.class, m -> is(m.txn(), p));
        }
      }
      case "Announce" -> announce(number(p, "x"), node(p, "n"), time(p));
      case "Execute" -> execute(node(p, "n"), number(p, "t"), time(p));
      case "Reply" -> {
        Member c = coordinator(p);
        first(c.nid, c.nid, Result.class, m -> m.txn().equals(name(p, "t")))
            .ifPresent(s -> deliver(s, c, LATE));
      }
      case "PrepareCrt" -> prepareCrt(number(p, "n"));
      case "CommitCrt" -> commitCrt();
      case "HandleCommitCrt" -> handleCommitCrt(number(p, "n"));
      case "HandleAbort", "HandleResolved" -> {
        boolean committed = action.equals("HandleResolved");
        int n = number(p, "n") == 0 ? REMOTE : number(p, "n");
        take(n, Resolve.class, m -> m.note().committed() == committed);
      }
      case "RemoveNode" -> removeNode(instances.get(number(p, "m")), number(p, "n"));
      case "AddReplica" ->
          addReplica(instances.get(number(p, "m")), node(p, "n"), node(p, "x"), time(p));
      case "Elect" -> elect(number(p, "m"), instances.size() + 1L);
      case "HandleViewPrep" -> handleViewPrep(node(p, "n"), instances.get(number(p, "m")));
      case "DecideView" -> decideView(instances.get(number(p, "m")));
      case "HandleViewCommit" -> handleViewCommit(node(p, "n"));
      case "Anticipate" ->
          anticipate(
              instances.get(number(p, "m")), node(p, "n"), time(p), p.get("rtt").longValue());
      default -> throw new IllegalArgumentException("no machine has an action " + action);
    }
    settle();
  }

  private static int number(ObjectNode p, String name) {
    return p.get(name).intValue();
  }

  private static String name(ObjectNode p, String name) {
    return p.get(name).asText();
  }

  private static long time(ObjectNode p) {
    return p.get("time").longValue();
  }

  private static boolean is(Txn txn, ObjectNode p) {
    return txn.id().equals(name(p, "t"));
  }

  private Member node(ObjectNode p, String name) {
    return nodes.get(number(p, name));
  }

  private Member coordinator(ObjectNode p) {
    return nodes.get(coordinators.get(number(p, "t") - 1));
  }

  private Instance leading() {
    return instances.get(leader);
  }

  /** All instances of the manager's role have the name of the first. */
  private String role(int process) {
    return String.valueOf(managers.contains(process) ? managers.first() : process);
  }

  private void run(Member n, Input input, long wall) {
    out.from = n.nid;
    n.machine.handle(input, ClockReading.local(wall), out);
  }

  private void run(Instance m, Input input, long wall) {
    out.from = m.nid;
    m.manager.handle(input, ClockReading.local(wall), out);
  }

  private void deliver(Mail sent, Member to, long wall) {
    run(to, new Input.Deliver(role(sent.instance), sent.message), wall);
  }

  private void deliver(int from, Instance to, From message, long wall) {
    run(to, new Input.Deliver(role(from), message), wall);
  }

  /** The first message of a kind that somebody, any if 0, sent. */
  private <M extends DastMessage> Optional<Mail> first(
      int from, int to, Class<M> type, Predicate<M> which) {
    return network.stream()
        .filter(s -> (from == 0 || s.instance == from) && s.to.equals(role(to)))
        .filter(s -> s.is(type, which))
        .findFirst();
  }

  private <M extends DastMessage> void take(int n, Class<M> type, Predicate<M> which) {
    first(0, n, type, which).ifPresent(s -> deliver(s, nodes.get(n), LATE));
  }

  /** What was sent is on its way, and what is remembered besides the machines goes on. */
  private void settle() {
    for (Mail s : out.messages) {
      if (!(s.message.body() instanceof Clock)) {
        network.add(s);
      }
      if (s.message.body() instanceof Result r && s.instance != REMOTE) {
        Member n = nodes.get(s.instance);
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
    for (Member n : nodes.values()) {
      if (n.now() != null && n.nid != REMOTE) {
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
      n.max.put(owner, stamp(passed));
    }
  }

  /** The specification's number of a timestamp. */
  private static int stamp(Timestamp ts) {
    return (int) (10 * ts.time() + ts.nid());
  }

  /** A step that is taken back unless the clock shows {@code time} after it. */
  private void exactly(Member n, long time, Runnable step) {
    Memento snapshot = Memento.of(n);
    step.run();
    if (n.now() == null || !n.now().clock().last().equals(new Timestamp(time, 0, n.nid))) {
      takeBack(snapshot);
    }
  }

  private void takeBack(Memento... snapshots) {
    for (Memento snapshot : snapshots) {
      snapshot.restore();
    }
    out.clear();
  }

  private void submit(Member c, int t, long wall) {
    run(c, new Input.ClientRequest(t, new DastRequest(txns.get(t - 1))), wall);
  }

  /** The coordinator gets all acknowledgements that are on their way, its own last. */
  private void commitIrt(Member c, int t) {
    Memento snapshot = Memento.of(c);
    String txn = String.valueOf(t);
    for (Mail s : List.copyOf(network)) {
      if (s.to.equals(role(c.nid)) && s.is(Ack.class, m -> m.txn().equals(txn))) {
        deliver(s, c, LATE);
      }
    }
    if (c.now() != null) {
      From own = new From(incarnation(c), new Ack(txn));
      deliver(new Mail(c.nid, role(c.nid), own), c, LATE);
    }
    if (out.messages.stream().noneMatch(s -> s.message.body() instanceof Commit)) {
      takeBack(snapshot);
    }
  }

  private long incarnation(Member n) {
    return n.node.view().members().get(role(n.nid));
  }

  private void announce(int x, Member n, long time) {
    Member node = nodes.get(x);
    Instance manager = instances.get(x);
    if (node == null && manager == null || node != null && node.now() == null) {
      return;
    }
    StretchableClock clock = node != null ? node.now().clock() : manager.manager.clock();
    Memento teller = Memento.of(node != null ? node : manager);
    Memento hearer = Memento.of(n);
    Memento reading = Memento.of(clock);
    boolean newest = time == clock.last().time();
    Input tell = new Input.TimerFired(new DastTimer.Tell());
    if (node != null) {
      run(node, tell, time - clock.offset());
    } else {
      run(manager, tell, time - clock.offset());
    }
    Timestamp made = clock.last();
    if (newest) {
      reading.restore();
    }
    Timestamp now = clock.last();
    Optional<Mail> told =
        out.messages.stream()
            .filter(s -> s.to.equals(role(n.nid)) && s.message.body() instanceof Clock)
            .findFirst();
    out.clear();
    if (told.isEmpty() || !now.equals(new Timestamp(time, 0, x))) {
      takeBack(teller);
      return;
    }
    Clock c = (Clock) told.get().message.body();
    Timestamp ts = c.ts().equals(made) ? now : c.ts();
    From message = new From(told.get().message.incarnation(), new Clock(ts, c.holds(), c.notes()));
    deliver(new Mail(x, role(n.nid), message), n, LATE);
    if (n.now() == null || !n.now().passedBy(role(x)).equals(ts)) {
      takeBack(teller, hearer);
      return;
    }
    for (Mail s : List.copyOf(out.messages)) {
      if (s.message.body() instanceof ClockAck && node != null) {
        deliver(s, node, LATE);
      }
    }
    out.clear();
    if (manager != null) {
      hearFromAllBut(manager, 0);
    } else {
      acknowledge(x, n);
    }
  }

  /** Whoever has a coordinator's transactions from its clock message gets the prepare, too. */
  private void acknowledge(int coordinator, Member n) {
    for (Mail s : List.copyOf(network)) {
      if (s.instance == coordinator
          && s.to.equals(role(n.nid))
          && s.is(Prepare.class, m -> n.now().known(m.txn().id()) != null)) {
        deliver(s, n, LATE);
      }
    }
  }

  /** No member is silent, but one. */
  private void hearFromAllBut(Instance m, int silent) {
    for (Map.Entry<String, Long> member : m.manager.view().members().entrySet()) {
      int n = Integer.parseInt(member.getKey());
      if (n != silent) {
        Clock clock = new Clock(Timestamp.ZERO, Map.of(), List.of());
        deliver(n, m, new From(member.getValue(), clock), LATE);
      }
    }
  }

  private void execute(Member n, int t, long time) {
    if (n.now() == null) {
      return;
    }
    Memento snapshot = Memento.of(n);
    StretchableClock clock = n.now().clock();
    if (time != clock.last().time()) {
      run(n, new Input.TimerFired(new DastTimer.Resend()), time);
    }
    out.clear();
    Timestamp now = clock.last();
    run(n, new Input.TimerFired(new DastTimer.Execute()), time);
    boolean done =
        out.messages.stream()
            .anyMatch(s -> s.is(Result.class, r -> r.txn().equals(String.valueOf(t))));
    if (!done || !clock.last().equals(now) || !now.equals(new Timestamp(time, 0, n.nid))) {
      takeBack(snapshot);
    }
  }

  /** The CRT, the transaction after the IRTs. */
  private String crt() {
    return String.valueOf(coordinators.size() + 1);
  }

  /** A step of the CRT's coordinator; clocks are no part of it. */
  private void atCoordinator(Runnable step) {
    Memento clock = Memento.of(nodes.get(crtCoord).now().clock());
    step.run();
    clock.restore();
  }

  private void prepareCrt(int n) {
    Member c = nodes.get(crtCoord);
    if (n == crtCoord) {
      atCoordinator(() -> submit(c, coordinators.size() + 1, LATE));
    } else if (n != 0) {
      take(n, Keep.class, m -> !m.note().committed());
      settle();
      first(n, c.nid, Kept.class, m -> !m.committed())
          .ifPresent(s -> atCoordinator(() -> deliver(s, c, LATE)));
    }
    settle();
    if (first(c.nid, managers.first(), PrepRemote.class, m -> true).isEmpty()) {
      return;
    }
    for (Member x : nodes.values()) {
      boolean here = x.nid == REMOTE ? n == 0 : x.nid == crtCoord || x.node.kept(crt()) != null;
      if (here && x.now() != null && x.now().known(crt()) == null) {
        int manager = x.nid == REMOTE ? REMOTE_MANAGER : managers.first();
        DastMessage prepare =
            new PrepCrt(txns.get(coordinators.size()), Timestamp.ZERO, role(crtCoord));
        From message = new From(x.node.view().manager(), prepare);
        deliver(new Mail(manager, role(x.nid), message), x, LATE);
      }
    }
  }

  /** The votes of those that are prepared, and not more, arrive. */
  private void commitCrt() {
    Member c = nodes.get(crtCoord);
    Memento snapshot = Memento.of(c);
    for (Member x : nodes.values()) {
      if (ofCrt(x).equals("prepared")) {
        first(x.nid, crtCoord, Vote.class, m -> true)
            .ifPresent(s -> atCoordinator(() -> deliver(s, c, LATE)));
      }
    }
    if (out.messages.stream().noneMatch(s -> s.is(Keep.class, m -> m.note().committed()))) {
      takeBack(snapshot);
    }
  }

  private void handleCommitCrt(int n) {
    if (n != 0 && n != crtCoord) {
      take(n, Keep.class, m -> m.note().committed());
      return;
    }
    Member c = nodes.get(crtCoord);
    for (Mail s : List.copyOf(network)) {
      if (s.is(Kept.class, Kept::committed)) {
        atCoordinator(() -> deliver(s, c, LATE));
      }
    }
    settle();
    take(n == 0 ? REMOTE : n, CommitRemote.class, m -> true);
  }

  /** A member is silent for as long as it takes. */
  private void removeNode(Instance m, int n) {
    Memento clock = Memento.of(m.manager.clock());
    for (int i = 0; i < 2; i++) {
      run(m, new Input.TimerFired(new DastTimer.Tell()), LATE);
      hearFromAllBut(m, n);
    }
    clock.restore();
    m.answers.clear();
  }

  /** The spare asks to join, the replica hands it a checkpoint, and the manager proposes. */
  private void addReplica(Instance m, Member n, Member x, long time) {
    run(m, new Input.TimerFired(new DastTimer.Tell()), time - m.manager.clock().offset());
    hearFromAllBut(m, 0);
    out.clear();
    run(n, new Input.TimerFired(new DastTimer.Resend()), LATE);
    From join = sent(Join.class);
    deliver(n.nid, m, join, LATE);
    From transfer = sent(Transfer.class);
    deliver(new Mail(m.nid, role(x.nid), transfer), x, LATE);
    From install = sent(Install.class);
    deliver(new Mail(x.nid, role(n.nid), install), n, LATE);
    From installed = sent(Installed.class);
    deliver(n.nid, m, installed, LATE);
    m.checkpoint = executed(((Install) install.body()).checkpoint());
    m.answers.clear();
  }

  /** The only message that was sent. */
  private <M extends DastMessage> From sent(Class<M> type) {
    From message =
        out.messages.stream()
            .map(Mail::message)
            .filter(from -> type.isInstance(from.body()))
            .findFirst()
            .orElseThrow(() -> new IllegalStateException("no " + type.getSimpleName()));
    out.clear();
    return message;
  }

  private static List<Integer> executed(Checkpoint checkpoint) {
    return checkpoint.executed().stream()
        .map(Checkpoint.Done::note)
        .sorted(Comparator.comparing(Note::at))
        .map(note -> Integer.valueOf(note.txn().id()))
        .toList();
  }

  private void elect(int m, long epoch) {
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
    Instance instance = new Instance(m, epoch, manager);
    instances.put(m, instance);
    leader = m;
    run(instance, new Input.Start(epoch, List.copyOf(register)), LATE);
    hearFromAllBut(instance, 0);
  }

  private void handleViewPrep(Member n, Instance m) {
    if (m == null) {
      return;
    }
    List<Mail> asked =
        network.stream()
            .filter(s -> s.instance == m.nid && s.message.body() instanceof ViewPrep)
            .toList();
    if (asked.isEmpty()) {
      return;
    }
    Mail newest = asked.get(asked.size() - 1);
    ViewPrep prep = (ViewPrep) newest.message.body();
    deliver(newest, n, LATE);
    for (Mail s : out.messages) {
      if (s.message.body() instanceof ViewAck ack && m.manager.proposal() != null) {
        m.answers.putIfAbsent(n.nid, ack);
        n.addTime = prep.addTime();
      }
    }
  }

  /** The manager gets all answers. A new one reads its clock when it begins. */
  private void decideView(Instance m) {
    if (m == null || m.manager.proposal() == null) {
      return;
    }
    Memento snapshot = Memento.of(m);
    ObjectNode change = proposed(m);
    View old = m.manager.view();
    Timestamp last = m.manager.clock().last();
    for (Map.Entry<Integer, ViewAck> answer : Map.copyOf(m.answers).entrySet()) {
      From ack = new From(old.members().get(role(answer.getKey())), answer.getValue());
      deliver(answer.getKey(), m, ack, 0);
    }
    if (out.changes.isEmpty() || m.nid != leader) {
      takeBack(snapshot);
      return;
    }
    Change made = out.changes.get(0);
    register.add(made);
    decided.add(decision(change, made, m, last));
    m.answers.clear();
    settle();
    if (made.view().manager() != old.manager()) {
      run(m, new Input.TimerFired(new DastTimer.Tell()), 0);
      hearFromAllBut(m, 0);
      out.clear();
    }
    if (!made.added().isEmpty()) {
      Member n = nodes.get(Integer.valueOf(made.added()));
      take(n.nid, ViewCommit.class, commit -> commit.changes().contains(made));
      n.log = m.checkpoint;
      taken(n);
    }
    m.checkpoint = List.of();
  }

  private JsonNode decision(ObjectNode change, Change made, Instance m, Timestamp last) {
    boolean manager = change.get("kind").textValue().equals("manager");
    int ts = change.get("kind").textValue().equals("add") ? stamp(made.at()) : 0;
    if (manager) {
      ts = stamp(last);
      for (ViewAck ack : m.answers.values()) {
        ts = Math.max(ts, answer(ack, "manager").get("ts").intValue());
      }
    }
    ObjectNode o = Values.F.objectNode();
    o.put("kind", change.get("kind").textValue()).put("who", change.get("who").intValue());
    o.set("irts", ids(made.irts()));
    o.put("aborted", made.crts().stream().anyMatch(note -> !note.committed()));
    o.put("committed", made.crts().stream().anyMatch(Note::committed));
    o.put("ts", ts).set("log", change.get("log"));
    return o;
  }

  /** Members tell the manager that they took a view. */
  private void taken(Member n) {
    for (Mail s : List.copyOf(out.messages)) {
      if (s.message.body() instanceof ViewTaken) {
        deliver(n.nid, leading(), s.message, LATE);
      }
    }
  }

  private void handleViewCommit(Member n) {
    if (n.now() == null) {
      return;
    }
    long next = n.node.view().number() + 1;
    for (Change change : register) {
      if (change.view().number() == next && change.view().members().containsKey(role(n.nid))) {
        From commit = new From(change.view().manager(), new ViewCommit(List.of(change)));
        deliver(new Mail(managers.first(), role(n.nid), commit), n, LATE);
        taken(n);
        return;
      }
    }
  }

  private void anticipate(Instance m, Member n, long time, long rtt) {
    if (m == null || n.now() == null) {
      return;
    }
    Memento anticipating = Memento.of(m);
    Memento hearing = Memento.of(n);
    Timestamp old = n.node.anticipated();
    estimate(m, rtt);
    int t = 1_000 + anticipations++;
    PrepRemote asked = new PrepRemote(ModelPlan.simple(REMOTE, "X").txn(t, layout), NEVER);
    deliver(REMOTE, m, new From(FIRST_NODE, asked), time - m.manager.clock().offset());
    boolean read = m.manager.clock().last().equals(new Timestamp(time, 0, m.nid));
    Optional<Mail> prepare =
        out.messages.stream()
            .filter(s -> s.to.equals(role(n.nid)) && s.message.body() instanceof PrepCrt)
            .findFirst();
    out.clear();
    prepare.ifPresent(s -> deliver(s, n, LATE));
    if (!read || n.now().known(String.valueOf(t)) == null) {
      takeBack(anticipating, hearing);
      return;
    }
    wentBack |= !old.before(((PrepCrt) prepare.orElseThrow().message.body()).at());
    out.clear();
  }

  /** Pongs until the manager's moving average is {@code rtt}. */
  private void estimate(Instance m, long rtt) {
    String other = String.valueOf(REMOTE_MANAGER);
    Long old = m.rtt.get(other);
    while (old == null || old != rtt) {
      long measured = old == null ? rtt : Math.max(0, 8 * rtt - 7 * old);
      Pong pong = new Pong(LATE - measured, Timestamp.ZERO);
      deliver(REMOTE_MANAGER, m, new From(FIRST_MANAGER, pong), LATE);
      old = old == null ? measured : (7 * old + measured) / 8;
    }
    m.rtt.put(other, rtt);
  }

  @Override
  public JsonNode project(int variable) {
    JsonNode value =
        switch (VARIABLES[variable]) {
          case "anticipated" -> ofNodes(n -> number(stamp(anticipated(n))));
          case "crt" -> crts();
          case "crtPhase" -> Values.F.textNode(crtPhase());
          case "decided" -> sequence(decided);
          case "have" -> ofNodes(this::have);
          case "hold" -> ofNodes(this::hold);
          case "ignored" -> ofNodes(this::ignored);
          case "irt" -> irts();
          case "last" -> last();
          case "leader" -> number(leader);
          case "log" -> ofNodes(n -> sequence(n.log.stream().map(IntNode::valueOf).toList()));
          case "max" -> ofNodes(this::max);
          case "prop" -> props();
          case "view" -> ofNodes(n -> number(view(n)));
          default -> Values.F.booleanNode(wentBack);
        };
    if (!value.equals(before[variable])) {
      before[variable] = value;
    }
    return before[variable];
  }

  private static JsonNode number(int n) {
    return IntNode.valueOf(n);
  }

  private static ArrayNode sequence(List<? extends JsonNode> elements) {
    ArrayNode all = Values.F.arrayNode();
    elements.forEach(all::add);
    return all;
  }

  private static ArrayNode ids(List<Note> notes) {
    return Values.set(notes.stream().map(note -> IntNode.valueOf(id(note))).toList());
  }

  private static int id(Note note) {
    return Integer.parseInt(note.txn().id());
  }

  private JsonNode ofNodes(Function<Member, JsonNode> value) {
    TreeMap<Integer, JsonNode> all = new TreeMap<>();
    for (Member n : nodes.values()) {
      if (n.nid != REMOTE) {
        all.put(n.nid, value.apply(n));
      }
    }
    return Values.function(all);
  }

  private static Timestamp anticipated(Member n) {
    return n.now() == null ? Timestamp.ZERO : n.node.anticipated();
  }

  private int view(Member n) {
    return n.now() == null ? 0 : (int) n.node.view().number() - earlier();
  }

  private JsonNode have(Member n) {
    List<JsonNode> all = new ArrayList<>();
    for (int t = 1; t <= coordinators.size(); t++) {
      Note note = n.now() == null ? null : n.now().known(String.valueOf(t));
      all.add(Values.F.textNode(state(note)));
    }
    return sequence(all);
  }

  private static String state(Note note) {
    return note == null ? "none" : note.committed() ? "committed" : "prepared";
  }

  private JsonNode hold(Member n) {
    long below = n.now() == null ? StretchableClock.FREE : n.now().heldBelow();
    if (below == StretchableClock.FREE) {
      return number(0);
    }
    return number((int) (10 * below) + (below > n.addTime ? n.nid : 0));
  }

  private JsonNode ignored(Member n) {
    List<JsonNode> all = new ArrayList<>();
    if (n.now() != null) {
      for (int x : n.everIgnored) {
        if (n.node.ignored().contains(role(x)) || !n.node.view().members().containsKey(role(x))) {
          all.add(number(x));
        }
      }
      for (Instance m : instances.values()) {
        if (m.epoch < n.node.promised()) {
          all.add(number(m.nid));
        }
      }
    }
    return Values.set(all);
  }

  private JsonNode irts() {
    List<JsonNode> all = new ArrayList<>();
    for (int t = 1; t <= coordinators.size(); t++) {
      Node c = nodes.get(coordinators.get(t - 1)).now();
      Note note = c == null ? null : c.coordinated(String.valueOf(t));
      DastResponse.Executed answer = answered.get(t);
      ObjectNode o = Values.F.objectNode();
      if (answer != null) {
        o.put("phase", "done").put("ts", stamp(answer.ts()));
      } else if (note != null) {
        o.put("phase", state(note)).put("ts", stamp(note.at()));
      } else {
        o.put("phase", "new").put("ts", 0);
      }
      all.add(o);
    }
    return sequence(all);
  }

  private JsonNode last() {
    TreeMap<Integer, JsonNode> all = new TreeMap<>();
    managers.forEach(m -> all.put(m, number(m)));
    instances.values().forEach(m -> all.put(m.nid, number(stamp(m.manager.clock().last()))));
    for (Member n : nodes.values()) {
      if (n.nid != REMOTE) {
        all.put(n.nid, number(n.now() == null ? n.nid : stamp(n.now().clock().last())));
      }
    }
    return Values.function(all);
  }

  private JsonNode max(Member n) {
    TreeMap<Integer, JsonNode> all = new TreeMap<>();
    managers.forEach(m -> all.put(m, number(n.max.getOrDefault(m, 0))));
    for (Member x : nodes.values()) {
      if (x.nid != REMOTE) {
        all.put(x.nid, number(n.max.getOrDefault(x.nid, 0)));
      }
    }
    return Values.function(all);
  }

  private JsonNode crts() {
    TreeMap<Integer, JsonNode> all = new TreeMap<>();
    for (Member n : nodes.values()) {
      if (n.nid == REMOTE) {
        all.put(0, Values.F.textNode(ofCrt(n)));
      } else if (members.contains(n.nid)) {
        all.put(n.nid, Values.F.textNode(ofCrt(n)));
      }
    }
    return Values.function(all);
  }

  private String ofCrt(Member n) {
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

  private String crtPhase() {
    Node c = crtCoord == 0 ? null : nodes.get(crtCoord).now();
    if (c == null || c.coordinated(crt()) == null) {
      return "new";
    }
    return network.stream().anyMatch(s -> s.is(Keep.class, m -> m.note().committed()))
        ? "deciding"
        : "prepared";
  }

  private JsonNode props() {
    TreeMap<Integer, JsonNode> all = new TreeMap<>();
    for (int m : managers) {
      all.put(m, proposed(instances.get(m)));
    }
    return Values.function(all);
  }

  private ObjectNode proposed(Instance m) {
    ObjectNode o = Values.F.objectNode();
    ReplaceableManager.Proposal p = m == null ? null : m.manager.proposal();
    if (p == null) {
      o.put("kind", "").put("vid", 0).put("who", 0).put("ts", 0);
      o.putArray("log");
      o.putArray("answers");
      return o;
    }
    boolean adds = !p.add().isEmpty();
    String kind = adds ? "add" : p.remove().isEmpty() ? "manager" : "remove";
    String node = adds ? p.add() : p.remove().isEmpty() ? "" : p.remove().iterator().next();
    TreeMap<Integer, JsonNode> answers = new TreeMap<>();
    m.answers.forEach((n, ack) -> answers.put(n, answer(ack, kind)));
    o.put("kind", kind).put("vid", (int) p.number() - earlier());
    o.put("who", node.isEmpty() ? m.nid : Integer.parseInt(node));
    o.put("ts", (int) (10 * p.addTime()));
    o.set("log", sequence(m.checkpoint.stream().map(IntNode::valueOf).toList()));
    o.set("answers", Values.function(answers));
    return o;
  }

  private static ObjectNode answer(ViewAck ack, String kind) {
    String crt =
        ack.crts().isEmpty()
            ? "none"
            : ack.crts().stream().anyMatch(Note::committed) ? "committed" : "prepared";
    int ts =
        switch (kind) {
          case "add" -> stamp(ack.clock());
          case "manager" -> Math.max(stamp(ack.manager()), stamp(ack.anticipated()));
          default -> 0;
        };
    ObjectNode o = Values.F.objectNode();
    o.set("irts", ids(ack.irts()));
    return o.put("crt", crt).put("ts", ts);
  }
}
