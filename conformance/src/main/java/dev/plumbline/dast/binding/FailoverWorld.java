package dev.plumbline.dast.binding;

import static dev.plumbline.dast.binding.DastPlace.LATE;
import static dev.plumbline.dast.binding.DastPlace.NEVER;
import static dev.plumbline.dast.binding.DastValues.stamp;
import static dev.plumbline.dast.binding.FailoverBinding.COMMITTED;
import static dev.plumbline.dast.binding.FailoverBinding.PREPARED;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.plumbline.dast.Change;
import dev.plumbline.dast.Checkpoint;
import dev.plumbline.dast.DastMessage;
import dev.plumbline.dast.DastMessage.From;
import dev.plumbline.dast.DastMessage.Note;
import dev.plumbline.dast.DastMessage.ViewAck;
import dev.plumbline.dast.DastResponse.Executed;
import dev.plumbline.dast.DastTimer;
import dev.plumbline.dast.Node;
import dev.plumbline.dast.ReplaceableManager;
import dev.plumbline.dast.ReplaceableNode;
import dev.plumbline.dast.StretchableClock;
import dev.plumbline.dast.Timestamp;
import dev.plumbline.dast.Txn;
import dev.plumbline.dast.View;
import dev.plumbline.graph.Constants;
import dev.plumbline.graph.Deployment;
import dev.plumbline.graph.Memento;
import dev.plumbline.graph.Outbox.Sent;
import dev.plumbline.graph.Values;
import dev.plumbline.machine.Input;
import dev.plumbline.machine.Message;
import dev.plumbline.protocol.NodeSpec;
import dev.plumbline.protocol.SeededBug;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * Machines take one step at a time. A model's managers are instances of one role, the later ones
 * with higher fencing epochs; its spares are replicas that were removed before it begins.
 *
 * <p>What was sent may arrive at any time, and is taken from its sender's first message of that
 * kind; a manager's answers are those that members sent, and reach it together when it decides. A
 * manager hears of all members after each of its own clock messages, but those that it is to
 * suspect. Who learns of an IRT from its coordinator's clock message acknowledges it, too.
 *
 * <p>Left out: calibration (the machines run without {@code Follow}, and their wall clocks are late
 * where no clock is read), and how a CRT's timestamp is anticipated while it is committed: the
 * members get zero. A CRT's state that is kept by a member and the CRT that is prepared there are
 * one; who has it from a view answers the coordinator, too. A step is taken back if a clock does
 * not show what the action says, if its message is refused, or if the decision that it is about
 * does not fall.
 */
final class FailoverWorld extends RegionWorld {
  /** A node, and what is kept of it besides. */
  private static final class Member extends NodePlace {
    final TreeSet<Integer> everIgnored = new TreeSet<>();
    final TreeMap<Integer, Integer> max = new TreeMap<>();
    List<Integer> log = List.of();
    long addTime;

    Member(int nid, NodeSpec spec, ReplaceableNode node, Deployment deployment) {
      super(nid, spec, node, deployment);
    }
  }

  /** A manager from its election on, and the answers that were sent to it. */
  private static final class Elected extends RegionWorld.ManagerPlace {
    final long epoch;
    final TreeMap<Integer, ViewAck> answers = new TreeMap<>();
    List<Integer> checkpoint = List.of();
    String checkpointCrt = "none";

    Elected(int nid, NodeSpec spec, long epoch, ReplaceableManager manager, Deployment deployment) {
      super(nid, spec, manager, deployment);
      this.epoch = epoch;
    }
  }

  private final SortedSet<Integer> managers;
  private final List<Integer> coordinators;

  /** The coordinator of the CRT, 0 if there is none. */
  private final int crtCoord;

  /** The region's nodes. */
  private final Group<Member> replicas = group((nid, n) -> member((int) nid));

  /** The same, and the other region's participant. */
  private final TreeMap<Integer, Member> nodes = new TreeMap<>();

  private final TreeMap<Integer, Elected> elected = new TreeMap<>();
  private final List<Change> register = new ArrayList<>();
  private final List<JsonNode> decided = new ArrayList<>();

  /** What was sent so far; the sender is called by its nid. */
  private final LinkedHashSet<Sent> network = new LinkedHashSet<>();

  private int anticipations;

  FailoverWorld(
      FailoverBinding binding, Constants model, List<ModelPlan> plans, Optional<SeededBug> bug) {
    super(
        binding,
        model,
        model.numbers("Manager").first(),
        plans,
        model.number("Ahead"),
        binding.asPublished(model),
        bug);
    managers = model.numbers("Manager");
    crtCoord = model.number("CrtCoord");
    coordinators =
        plans.subList(0, plans.size() - (crtCoord == 0 ? 0 : 1)).stream()
            .map(ModelPlan::coord)
            .toList();
    show();

    on("CoordIrt", this::coordIrt);
    on("HandlePrepare", p -> take(number(p, "n"), DastMessage.Prepare.class, m -> is(m.txn(), p)));
    on("CommitIrt", this::commitIrt);
    on("HandleCommit", this::handleCommit);
    on("Announce", p -> announce(number(p, "x"), node(p, "n"), time(p)));
    on("Execute", p -> execute(node(p, "n"), number(p, "t"), time(p)));
    on("Reply", this::reply);
    on("PrepareCrt", p -> prepareCrt(number(p, "n")));
    on("CommitCrt", p -> commitCrt());
    on("HandleCommitCrt", p -> handleCommitCrt(number(p, "n")));
    on("HandleAbort", p -> resolve(number(p, "n"), false));
    on("HandleResolved", p -> resolve(number(p, "n"), true));
    on("RemoveNode", p -> removeNode(manager(p), number(p, "n")));
    on("AddReplica", p -> addReplica(manager(p), node(p, "n"), node(p, "x"), time(p)));
    on("Elect", p -> elect(number(p, "m"), elected.size() + 1L));
    on("HandleViewPrep", p -> handleViewPrep(node(p, "n"), manager(p)));
    on("DecideView", p -> decideView(manager(p)));
    on("HandleViewCommit", p -> handleViewCommit(node(p, "n")));
    on("Anticipate", p -> anticipate(manager(p), node(p, "n"), time(p), p.get("rtt").longValue()));
  }

  // -- deployment

  @Override
  protected void open(ObjectNode initial) {
    nodes.clear();
    elected.clear();
    register.clear();
    decided.clear();
    network.clear();
    anticipations = 0;
    register.addAll(register());
    open(replicas, initial.get("have"));
    replicas.all().forEach(member -> nodes.put(member.nid, member));
    nodes.put(REMOTE, member(REMOTE));
    for (Member member : nodes.values()) {
      int nid = member.nid;
      begin(member);
      if (members.contains(nid) && !spares.isEmpty()) {
        Message first = new From(FIRST_MANAGER, new DastMessage.ViewCommit(List.copyOf(register)));
        deliver(managers.first(), member, first, LATE);
      }
      member.out.sent.clear();
    }
    elect(managers.first(), FIRST_MANAGER);
    if (!spares.isEmpty()) {
      From taken = new From(FIRST_NODE, new DastMessage.ViewTaken(1));
      members.forEach(member -> deliver(member, leading(), taken, LATE));
    }
  }

  private Member member(int nid) {
    return new Member(nid, spec(nid, "node"), replaceable(nid), deployment);
  }

  private void elect(int m, long epoch) {
    if (elected.containsKey(m)) {
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
    NodeSpec spec = spec(managers.first(), "manager");
    Elected now = watched(new Elected(m, spec, epoch, manager, deployment));
    elected.put(m, now);
    replicas.changed();
    now.run(new Input.Start(epoch, List.copyOf(register)), LATE);
    hearFromAllBut(now, 0);
  }

  private Elected leading() {
    return elected.get(given("leader").intValue());
  }

  private Member node(ObjectNode p, String name) {
    return nodes.get(number(p, name));
  }

  private Elected manager(ObjectNode p) {
    return elected.get(number(p, "m"));
  }

  private Member coordinator(ObjectNode p) {
    return nodes.get(coordinators.get(number(p, "t") - 1));
  }

  // -- network

  /** All instances of the manager's role have the name of the first. */
  private String role(int process) {
    return String.valueOf(managers.contains(process) ? managers.first() : process);
  }

  private void deliver(Sent sent, DastPlace to, long wall) {
    deliver(Integer.parseInt(sent.from()), to, sent.message(), wall);
  }

  private void deliver(int from, DastPlace to, Message message, long wall) {
    to.deliver(role(from), message, wall);
  }

  /** The first message of a kind that somebody, any if 0, sent. */
  private <M extends DastMessage> Optional<Sent> first(
      int from, int to, Class<M> type, Predicate<M> which) {
    return network.stream()
        .filter(s -> from == 0 || s.from().equals(String.valueOf(from)))
        .filter(s -> s.to().equals(role(to)) && DastPlace.is(s, type, which))
        .findFirst();
  }

  private <M extends DastMessage> void take(int n, Class<M> type, Predicate<M> which) {
    first(0, n, type, which).ifPresent(s -> deliver(s, nodes.get(n), LATE));
  }

  private static boolean is(Txn txn, ObjectNode p) {
    return txn.id().equals(p.get("t").asText());
  }

  /** No member is silent, but one. */
  private void hearFromAllBut(Elected m, int silent) {
    m.manager
        .view()
        .members()
        .forEach(
            (member, incarnation) -> {
              int n = Integer.parseInt(member);
              if (n != silent) {
                Message clock = new DastMessage.Clock(Timestamp.ZERO, Map.of(), List.of());
                deliver(n, m, new From(incarnation, (DastMessage) clock), LATE);
              }
            });
  }

  /** What was sent is on its way, and what is remembered besides the machines goes on. */
  @Override
  protected void settle() {
    nodes.values().forEach(this::sent);
    elected.values().forEach(this::sent);
    for (Member n : replicas.all()) {
      if (n.now() != null) {
        n.node.ignored().forEach(role -> n.everIgnored.add(Integer.valueOf(role)));
        n.node.view().members().keySet().forEach(role -> remember(n, Integer.parseInt(role)));
        remember(n, managers.first());
      }
    }
  }

  private void sent(DastPlace from) {
    for (Sent s : from.out.take()) {
      if (!(DastPlace.body(s) instanceof DastMessage.Clock)) {
        network.add(new Sent(String.valueOf(from.nid), s.to(), s.message()));
      }
      if (DastPlace.body(s) instanceof DastMessage.Result r
          && from instanceof Member n
          && !n.log.contains(Integer.valueOf(r.txn()))) {
        List<Integer> log = new ArrayList<>(n.log);
        log.add(Integer.valueOf(r.txn()));
        n.log = List.copyOf(log);
      }
    }
    from.out.replies.clear();
  }

  private void remember(Member n, int x) {
    Timestamp passed = n.now().passedBy(String.valueOf(x));
    int owner = managers.contains(x) ? (int) passed.nid() : x;
    if (n.nid != x && owner != 0) {
      n.max.put(owner, stamp(passed));
    }
  }

  // -- IRTs

  private void coordIrt(ObjectNode p) {
    Member c = coordinator(p);
    int t = number(p, "t");
    c.only(
        () -> {
          c.submit(t, txns.get(t - 1), time(p));
          return c.shows(time(p));
        });
  }

  /** The coordinator gets all acknowledgements that are on their way, its own last. */
  private void commitIrt(ObjectNode p) {
    Member c = coordinator(p);
    String txn = p.get("t").asText();
    c.only(
        () -> {
          for (Sent s : List.copyOf(network)) {
            if (s.to().equals(role(c.nid))
                && DastPlace.is(s, DastMessage.Ack.class, m -> m.txn().equals(txn))) {
              deliver(s, c, LATE);
            }
          }
          if (c.now() != null) {
            long incarnation = c.node.view().members().get(role(c.nid));
            deliver(c.nid, c, new From(incarnation, new DastMessage.Ack(txn)), LATE);
          }
          return c.sent(DastMessage.Commit.class, m -> true);
        });
  }

  private void handleCommit(ObjectNode p) {
    if (node(p, "n").known(p.get("t").asText()) != null) {
      take(number(p, "n"), DastMessage.Commit.class, m -> is(m.txn(), p));
    }
  }

  private void announce(int nid, Member n, long time) {
    Member node = nodes.get(nid);
    Elected manager = elected.get(nid);
    DastPlace x = node == null ? manager : node;
    if (x == null
        || (node != null && node.now() == null)
        || !x.only(() -> tell(x, time, clock -> n.only(() -> hears(n, clock))))) {
      return;
    }
    for (Sent s : n.out.take()) {
      if (DastPlace.body(s) instanceof DastMessage.ClockAck && node != null) {
        deliver(n.nid, node, s.message(), LATE);
      }
    }
    if (manager != null) {
      hearFromAllBut(manager, 0);
      return;
    }
    // Whoever has a coordinator's transactions from its clock message gets the prepare, too.
    for (Sent s : List.copyOf(network)) {
      if (s.from().equals(String.valueOf(nid))
          && s.to().equals(role(n.nid))
          && DastPlace.is(s, DastMessage.Prepare.class, m -> n.known(m.txn().id()) != null)) {
        deliver(s, n, LATE);
      }
    }
  }

  /** Whether somebody takes a clock message that says {@code time}. */
  private static boolean tell(DastPlace x, long time, Predicate<Sent> taken) {
    List<Sent> told = x.tell(time);
    return x.clock().last().equals(new Timestamp(time, 0, x.nid)) && told.stream().anyMatch(taken);
  }

  private boolean hears(Member n, Sent told) {
    if (!told.to().equals(role(n.nid))) {
      return false;
    }
    n.deliver(told.from(), told.message(), LATE);
    Timestamp ts = ((DastMessage.Clock) DastPlace.body(told)).ts();
    return n.now() != null && n.now().passedBy(told.from()).equals(ts);
  }

  private static void execute(Member n, int t, long time) {
    if (n.now() != null) {
      n.only(() -> n.execute(t, time) && n.shows(time));
    }
  }

  private void reply(ObjectNode p) {
    Member c = coordinator(p);
    first(c.nid, c.nid, DastMessage.Result.class, m -> m.txn().equals(p.get("t").asText()))
        .ifPresent(s -> deliver(s, c, LATE));
  }

  // -- the CRT

  /** The CRT, the transaction after the IRTs. */
  private String crt() {
    return String.valueOf(coordinators.size() + 1);
  }

  /** What the CRT is at a node: none, prepared, committed or aborted. */
  private String ofCrt(Member n) {
    if (crtCoord == 0 || n.now() == null) {
      return "none";
    }
    Note known = n.known(crt());
    Note kept = n.node.kept(crt());
    if (known == null && n.now().executed(crt())) {
      return "aborted";
    } else if ((known != null && known.committed()) || (kept != null && kept.committed())) {
      return COMMITTED;
    }
    boolean asked = n.nid == crtCoord && n.now().coordinated(crt()) != null;
    return known != null || kept != null || asked ? PREPARED : "none";
  }

  /** A step of the CRT's coordinator; clocks are no part of it. */
  private void atCoordinator(Sent sent) {
    Memento clock = Memento.of(nodes.get(crtCoord).clock());
    deliver(sent, nodes.get(crtCoord), LATE);
    clock.restore();
  }

  private void prepareCrt(int n) {
    Member c = nodes.get(crtCoord);
    if (n == crtCoord) {
      Memento clock = Memento.of(c.clock());
      c.submit(txns.size(), txns.get(txns.size() - 1), LATE);
      clock.restore();
    } else if (n != 0) {
      keep(n);
    }
    settle();
    askParticipants(n == 0);
  }

  /** A member gets what the coordinator has it keep, and answers. */
  private void keep(int n) {
    take(n, DastMessage.Keep.class, m -> !m.note().committed());
    settle();
    first(n, crtCoord, DastMessage.Kept.class, m -> !m.committed()).ifPresent(this::atCoordinator);
  }

  /** Members that have the CRT vote, once managers are asked; the other region if it is told. */
  private void askParticipants(boolean remote) {
    Member c = nodes.get(crtCoord);
    if (first(c.nid, managers.first(), DastMessage.PrepRemote.class, m -> true).isEmpty()) {
      return;
    }
    for (Member x : nodes.values()) {
      boolean here = x.nid == REMOTE ? remote : x.nid == crtCoord || x.node.kept(crt()) != null;
      if (here && x.now() != null && x.known(crt()) == null) {
        DastMessage prepare =
            new DastMessage.PrepCrt(txns.get(txns.size() - 1), Timestamp.ZERO, role(crtCoord));
        int manager = x.nid == REMOTE ? REMOTE_MANAGER : managers.first();
        deliver(manager, x, new From(x.node.view().manager(), prepare), LATE);
      }
    }
  }

  /** The votes of those that are prepared, and not more, arrive. */
  private void commitCrt() {
    Member c = nodes.get(crtCoord);
    c.only(
        () -> {
          for (Member x : nodes.values()) {
            if (ofCrt(x).equals(PREPARED)) {
              first(x.nid, crtCoord, DastMessage.Vote.class, m -> true)
                  .ifPresent(this::atCoordinator);
            }
          }
          return c.sent(DastMessage.Keep.class, m -> m.note().committed());
        });
  }

  private void handleCommitCrt(int n) {
    if (n != 0 && n != crtCoord) {
      take(n, DastMessage.Keep.class, m -> m.note().committed());
    } else if (n != 0 || ofCrt(nodes.get(crtCoord)).equals(COMMITTED)) {
      for (Sent s : List.copyOf(network)) {
        if (DastPlace.is(s, DastMessage.Kept.class, DastMessage.Kept::committed)) {
          atCoordinator(s);
        }
      }
      settle();
      take(n == 0 ? REMOTE : n, DastMessage.CommitRemote.class, m -> true);
    }
  }

  private void resolve(int n, boolean committed) {
    take(n == 0 ? REMOTE : n, DastMessage.Resolve.class, m -> m.note().committed() == committed);
  }

  private void anticipate(Elected m, Member n, long time, long rtt) {
    if (m == null || n.now() == null) {
      return;
    }
    int t = 1_000 + anticipations++;
    Txn txn = ModelPlan.simple(REMOTE, "X").txn(t, layout);
    From asked = new From(FIRST_NODE, new DastMessage.PrepRemote(txn, NEVER));
    m.only(
        () -> {
          m.estimate(String.valueOf(REMOTE_MANAGER), rtt, pong -> new From(FIRST_MANAGER, pong));
          deliver(REMOTE, m, asked, time - m.clock().offset());
          boolean read = m.clock().last().equals(new Timestamp(time, 0, m.nid));
          Optional<Sent> prepare =
              m.out.take().stream()
                  .filter(s -> s.to().equals(role(n.nid)))
                  .filter(s -> DastPlace.body(s) instanceof DastMessage.PrepCrt)
                  .findFirst();
          return read && prepare.isPresent() && n.only(() -> isAnticipated(n, t, prepare.get()));
        });
  }

  private boolean isAnticipated(Member n, int t, Sent prepare) {
    n.deliver(role(managers.first()), prepare.message(), LATE);
    n.out.sent.clear();
    return n.known(String.valueOf(t)) != null;
  }

  // -- views

  /** A member is silent for as long as it takes. */
  private void removeNode(Elected m, int n) {
    Memento clock = Memento.of(m.clock());
    for (int i = 0; i < 2; i++) {
      m.run(new Input.TimerFired(new DastTimer.Tell()), LATE);
      hearFromAllBut(m, n);
    }
    clock.restore();
    m.answers.clear();
  }

  /** The spare asks to join, the replica hands it a checkpoint, and the manager proposes. */
  private void addReplica(Elected m, Member n, Member x, long time) {
    m.run(new Input.TimerFired(new DastTimer.Tell()), time - m.clock().offset());
    hearFromAllBut(m, 0);
    m.out.sent.clear();
    n.run(new Input.TimerFired(new DastTimer.Resend()), LATE);
    deliver(only(n, DastMessage.Join.class), m, LATE);
    deliver(only(m, DastMessage.Transfer.class), x, LATE);
    Sent install = only(x, DastMessage.Install.class);
    deliver(install, n, LATE);
    deliver(only(n, DastMessage.Installed.class), m, LATE);
    Checkpoint made = ((DastMessage.Install) DastPlace.body(install)).checkpoint();
    m.checkpoint =
        made.executed().stream()
            .map(Checkpoint.Done::note)
            .sorted(Comparator.comparing(Note::at))
            .map(note -> Integer.valueOf(note.txn().id()))
            .toList();
    m.checkpointCrt = ofCrt(x);
    m.answers.clear();
  }

  /** The only message of a kind that was sent. */
  private static Sent only(DastPlace from, Class<? extends DastMessage> type) {
    Sent message =
        from.out.take().stream()
            .filter(s -> type.isInstance(DastPlace.body(s)))
            .findFirst()
            .orElseThrow(() -> new IllegalStateException("no " + type.getSimpleName()));
    return new Sent(String.valueOf(from.nid), message.to(), message.message());
  }

  private void handleViewPrep(Member n, Elected m) {
    Sent newest = null;
    for (Sent s : network) {
      boolean asked = m != null && s.from().equals(String.valueOf(m.nid));
      newest = asked && DastPlace.body(s) instanceof DastMessage.ViewPrep ? s : newest;
    }
    if (newest == null) {
      return;
    }
    deliver(newest, n, LATE);
    for (Sent s : n.out.sent) {
      if (DastPlace.body(s) instanceof ViewAck ack && m.manager.proposal() != null) {
        m.answers.putIfAbsent(n.nid, ack);
        n.addTime = ((DastMessage.ViewPrep) DastPlace.body(newest)).addTime();
      }
    }
  }

  /** The manager gets all answers. A new one reads its clock when it begins. */
  private void decideView(Elected m) {
    if (m == null || m.manager.proposal() == null) {
      return;
    }
    JsonNode change = value("", proposed(m));
    View old = m.manager.view();
    Timestamp last = m.clock().last();
    int before = m.durable.size();
    if (!m.only(
        () -> {
          Map.copyOf(m.answers)
              .forEach((n, ack) -> deliver(n, m, new From(old.members().get(role(n)), ack), 0));
          return m.durable.size() > before && m == leading();
        })) {
      return;
    }
    Change made = (Change) m.durable.get(before);
    register.add(made);
    decided.add(decision(change, made, last));
    m.answers.clear();
    settle();
    if (made.view().manager() != old.manager()) {
      m.run(new Input.TimerFired(new DastTimer.Tell()), 0);
      hearFromAllBut(m, 0);
      m.out.sent.clear();
    }
    if (!made.added().isEmpty()) {
      Member n = nodes.get(Integer.valueOf(made.added()));
      take(n.nid, DastMessage.ViewCommit.class, commit -> commit.changes().contains(made));
      n.log = m.checkpoint;
      taken(n);
    }
    m.checkpoint = List.of();
  }

  /** Members tell the manager that they took a view. */
  private void taken(Member n) {
    for (Sent s : List.copyOf(n.out.sent)) {
      if (DastPlace.body(s) instanceof DastMessage.ViewTaken) {
        deliver(n.nid, leading(), s.message(), LATE);
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
        DastMessage commit = new DastMessage.ViewCommit(List.of(change));
        boolean had = crtCoord == 0 || n.node.kept(crt()) != null;
        deliver(managers.first(), n, new From(change.view().manager(), commit), LATE);
        taken(n);
        if (!had && n.node.kept(crt()) != null) {
          keep(n.nid);
          settle();
          askParticipants(false);
        }
        return;
      }
    }
  }

  // -- what is seen

  private void show() {
    function("anticipated", replicas, n -> n.now() == null ? 0 : stamp(n.node.anticipated()));
    variable("crt", this::crts);
    variable("crtPhase", this::crtPhase);
    variable("decided", () -> Values.sequence(decided));
    function("have", replicas, n -> ofIrts(t -> DastValues.phase(n.known(t))));
    function("hold", replicas, FailoverWorld::hold);
    function("ignored", replicas, this::ignored);
    variable("irt", () -> ofIrts(this::irt), replicas);
    variable("last", this::last);
    function("log", replicas, n -> n.log);
    function("max", replicas, this::max);
    variable("prop", () -> by(managers, m -> proposed(elected.get(m))));
    function("view", replicas, n -> n.now() == null ? 0 : view(n.node.view().number()));
  }

  private static Map<Integer, Object> by(
      Collection<Integer> nids, Function<Integer, Object> words) {
    return nids.stream().collect(Collectors.toMap(nid -> nid, words));
  }

  private List<Object> ofIrts(Function<String, Object> words) {
    return IntStream.rangeClosed(1, coordinators.size())
        .mapToObj(t -> words.apply(String.valueOf(t)))
        .toList();
  }

  private static long hold(Member n) {
    long below = n.now() == null ? StretchableClock.FREE : n.now().heldBelow();
    return below == StretchableClock.FREE ? 0 : 10 * below + (below > n.addTime ? n.nid : 0);
  }

  private Set<Integer> ignored(Member n) {
    Set<Integer> all = new TreeSet<>();
    if (n.now() != null) {
      for (int x : n.everIgnored) {
        if (n.node.ignored().contains(role(x)) || !n.node.view().members().containsKey(role(x))) {
          all.add(x);
        }
      }
      for (Elected m : elected.values()) {
        if (m.epoch < n.node.promised()) {
          all.add(m.nid);
        }
      }
    }
    return all;
  }

  private Map<String, Object> irt(String t) {
    Member c = nodes.get(coordinators.get(Integer.parseInt(t) - 1));
    Note note = c.now() == null ? null : c.now().coordinated(t);
    if (c.answers.get(Long.parseLong(t)) instanceof Executed answer) {
      return Map.of("phase", "done", "ts", stamp(answer.ts()));
    }
    return note == null
        ? Map.of("phase", "new", "ts", 0)
        : Map.of("phase", DastValues.phase(note), "ts", stamp(note.at()));
  }

  private JsonNode last() {
    TreeMap<Integer, Integer> all = new TreeMap<>();
    managers.forEach(m -> all.put(m, m));
    elected.values().forEach(m -> all.put(m.nid, stamp(m.clock().last())));
    replicas.all().forEach(n -> all.put(n.nid, n.now() == null ? n.nid : stamp(n.clock().last())));
    return value("", all);
  }

  private Map<Integer, Object> max(Member n) {
    List<Integer> all = new ArrayList<>(managers);
    replicas.all().forEach(x -> all.add(x.nid));
    return by(all, x -> n.max.getOrDefault(x, 0));
  }

  private Map<Integer, Object> crts() {
    TreeMap<Integer, Member> all = new TreeMap<>(nodes);
    all.put(0, all.remove(REMOTE));
    return by(all.keySet(), n -> ofCrt(all.get(n)));
  }

  private String crtPhase() {
    Node c = crtCoord == 0 ? null : nodes.get(crtCoord).now();
    if (c == null || c.coordinated(crt()) == null) {
      return "new";
    }
    return network.stream()
            .anyMatch(s -> DastPlace.is(s, DastMessage.Keep.class, m -> m.note().committed()))
        ? "deciding"
        : PREPARED;
  }

  /** What a manager proposes, and the answers; null is one that is not elected yet. */
  private Map<String, Object> proposed(Elected m) {
    ReplaceableManager.Proposal p = m == null ? null : m.manager.proposal();
    boolean adds = p != null && !p.add().isEmpty();
    String kind = p == null ? "" : adds ? "add" : p.remove().isEmpty() ? "manager" : "remove";
    Map<String, Object> words = new TreeMap<>(Map.of("answers", Map.of(), "kind", kind));
    words.putAll(Map.of("crt", adds ? m.checkpointCrt : "none", "log", List.of()));
    words.putAll(Map.of("ts", 0, "vid", 0, "who", 0));
    if (p != null) {
      words.put("answers", by(m.answers.keySet(), n -> answer(m.answers.get(n), kind)));
      words.putAll(Map.of("log", m.checkpoint, "ts", 10 * p.addTime(), "vid", view(p.number())));
      String who = adds ? p.add() : p.remove().stream().findFirst().orElse("" + m.nid);
      words.put("who", Integer.valueOf(who));
    }
    return words;
  }

  private Map<String, Object> answer(ViewAck ack, String kind) {
    String crt =
        ack.crts().isEmpty()
            ? keeps(ack.parts()) ? "kept" : "none"
            : ack.crts().stream().anyMatch(Note::committed) ? COMMITTED : PREPARED;
    int ts =
        switch (kind) {
          case "add" -> stamp(ack.clock());
          case "manager" -> Math.max(stamp(ack.manager()), stamp(ack.anticipated()));
          default -> 0;
        };
    return Map.of("irts", ids(ack.irts()), "crt", crt, "ts", ts);
  }

  /** Whether the CRT's coordinator hands it to those who stay. */
  private boolean keeps(List<Note> parts) {
    return parts.stream()
        .anyMatch(note -> !note.committed() && note.coordinator().equals(role(crtCoord)));
  }

  private static List<String> ids(List<Note> notes) {
    return notes.stream().map(note -> note.txn().id()).toList();
  }

  /**
   * A change that a manager decided.
   *
   * @param proposed the proposal
   * @param old its clock before
   */
  private JsonNode decision(JsonNode proposed, Change made, Timestamp old) {
    String kind = proposed.get("kind").textValue();
    int ts = kind.equals("add") ? stamp(made.at()) : 0;
    if (kind.equals("manager")) {
      ts = stamp(old);
      for (JsonNode answer : proposed.get("answers")) {
        ts = Math.max(ts, answer.get("ts").intValue());
      }
    }
    ObjectNode o = Values.F.objectNode();
    o.put("aborted", made.crts().stream().anyMatch(note -> !note.committed()));
    o.put(COMMITTED, made.crts().stream().anyMatch(Note::committed));
    o.put("kept", keeps(made.parts()));
    o.set("irts", value("irts", ids(made.irts())));
    o.put("kind", kind).set("log", proposed.get("log"));
    return o.put("ts", ts).set("who", proposed.get("who"));
  }
}
