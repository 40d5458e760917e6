package dev.plumbline.dastconf;

import static dev.plumbline.dastconf.FailoverRegion.FIRST_MANAGER;
import static dev.plumbline.dastconf.FailoverRegion.FIRST_NODE;
import static dev.plumbline.dastconf.FailoverRegion.REMOTE;
import static dev.plumbline.dastconf.FailoverRegion.REMOTE_MANAGER;
import static dev.plumbline.dastconf.ModelProcess.LATE;
import static dev.plumbline.dastconf.ModelProcess.NEVER;

import com.fasterxml.jackson.databind.JsonNode;
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
import dev.plumbline.dast.DastTimer;
import dev.plumbline.dast.Node;
import dev.plumbline.dast.Timestamp;
import dev.plumbline.dast.Txn;
import dev.plumbline.dast.View;
import dev.plumbline.dastconf.FailoverRegion.Instance;
import dev.plumbline.dastconf.FailoverRegion.Member;
import dev.plumbline.graph.Constants;
import dev.plumbline.graph.Memento;
import dev.plumbline.graph.ProjectingAdapter;
import dev.plumbline.machine.Input;
import dev.plumbline.sim.SeededBug;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;

/**
 * Runs DAST's replaceable nodes and managers by the actions of {@code Failover}, one step at a time
 * ({@link DastConfig#stepwise}).
 *
 * <p>What was sent may arrive at any time, and is taken from its sender's first message of that
 * kind; a manager's answers are those that members sent, and reach it together when it decides. A
 * manager hears of all members after each of its own clock messages, but those that it is to
 * suspect. Who learns of an IRT from its coordinator's clock message acknowledges it, too.
 *
 * <p>Left out: calibration (the machines run without {@code Follow}, and their wall clocks are late
 * where no clock is read), and how a CRT's timestamp is anticipated while it is committed: the
 * members get zero. A CRT's state that is kept by a member and the CRT that is prepared there are
 * one. A step is taken back if a clock does not show what the action says, if its message is
 * refused, or if the decision that it is about does not fall.
 */
final class FailoverAdapter extends ProjectingAdapter {
  private final FailoverRegion region;
  private final FailoverProjection projection;

  /**
   * @param constants the model's
   * @param bug a seeded bug to run with
   */
  FailoverAdapter(Constants constants, Optional<SeededBug> bug) {
    super(FailoverProjection.VARIABLES);
    region = new FailoverRegion(constants, bug);
    projection = new FailoverProjection(region);
  }

  @Override
  public Map<String, String> ghosts() {
    return FailoverProjection.GHOSTS;
  }

  @Override
  protected JsonNode value(String variable) {
    return projection.value(variable);
  }

  @Override
  public void reset(ObjectNode initial) {
    region.reset();
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
        region
            .first(c.nid, c.nid, Result.class, m -> m.txn().equals(name(p, "t")))
            .ifPresent(s -> region.deliver(s, c, LATE));
      }
      case "PrepareCrt" -> prepareCrt(number(p, "n"));
      case "CommitCrt" -> commitCrt();
      case "HandleCommitCrt" -> handleCommitCrt(number(p, "n"));
      case "HandleAbort", "HandleResolved" -> {
        boolean committed = action.equals("HandleResolved");
        int n = number(p, "n") == 0 ? REMOTE : number(p, "n");
        take(n, Resolve.class, m -> m.note().committed() == committed);
      }
      case "RemoveNode" -> removeNode(region.instances.get(number(p, "m")), number(p, "n"));
      case "AddReplica" ->
          addReplica(region.instances.get(number(p, "m")), node(p, "n"), node(p, "x"), time(p));
      case "Elect" -> region.elect(number(p, "m"), region.instances.size() + 1L);
      case "HandleViewPrep" -> handleViewPrep(node(p, "n"), region.instances.get(number(p, "m")));
      case "DecideView" -> decideView(region.instances.get(number(p, "m")));
      case "HandleViewCommit" -> handleViewCommit(node(p, "n"));
      case "Anticipate" ->
          anticipate(
              region.instances.get(number(p, "m")),
              node(p, "n"),
              time(p),
              p.get("rtt").longValue());
      default -> throw new IllegalArgumentException("no machine has an action " + action);
    }
    region.settle();
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
    return region.nodes.get(number(p, name));
  }

  private Member coordinator(ObjectNode p) {
    return region.nodes.get(region.coordinators.get(number(p, "t") - 1));
  }

  private <M extends DastMessage> void take(int n, Class<M> type, Predicate<M> which) {
    region.first(0, n, type, which).ifPresent(s -> region.deliver(s, region.nodes.get(n), LATE));
  }

  /** A step that is taken back unless the clock shows {@code time} after it. */
  private void exactly(Member n, long time, Runnable step) {
    Memento snapshot = Memento.of(n);
    step.run();
    if (!n.shows(time)) {
      takeBack(snapshot);
    }
  }

  private void takeBack(Memento... snapshots) {
    for (Memento snapshot : snapshots) {
      snapshot.restore();
    }
    region.out.clear();
  }

  private void submit(Member c, int t, long wall) {
    c.run(new Input.ClientRequest(t, new DastRequest(region.txns.get(t - 1))), wall);
  }

  /** The coordinator gets all acknowledgements that are on their way, its own last. */
  private void commitIrt(Member c, int t) {
    Memento snapshot = Memento.of(c);
    String txn = String.valueOf(t);
    for (Mail s : List.copyOf(region.network)) {
      if (s.to().equals(region.role(c.nid)) && s.is(Ack.class, m -> m.txn().equals(txn))) {
        region.deliver(s, c, LATE);
      }
    }
    if (c.now() != null) {
      long incarnation = c.node.view().members().get(region.role(c.nid));
      region.deliver(c.nid, c, new From(incarnation, new Ack(txn)), LATE);
    }
    if (!region.out.sent(Commit.class, m -> true)) {
      takeBack(snapshot);
    }
  }

  private void announce(int x, Member n, long time) {
    Member node = region.nodes.get(x);
    Instance manager = region.instances.get(x);
    ModelProcess teller = node == null ? manager : node;
    if (teller == null || node != null && node.now() == null) {
      return;
    }
    Memento telling = Memento.of(teller);
    Memento hearing = Memento.of(n);
    Optional<Mail> told =
        teller.tell(time).stream().filter(m -> m.to().equals(region.role(n.nid))).findFirst();
    if (told.isEmpty() || !teller.clock().last().equals(new Timestamp(time, 0, x))) {
      takeBack(telling);
      return;
    }
    region.deliver(told.get(), n, LATE);
    Timestamp ts = ((Clock) told.get().body()).ts();
    if (n.now() == null || !n.now().passedBy(region.role(x)).equals(ts)) {
      takeBack(telling, hearing);
      return;
    }
    for (Mail s : List.copyOf(region.out.messages)) {
      if (s.body() instanceof ClockAck && node != null) {
        region.deliver(s, node, LATE);
      }
    }
    region.out.clear();
    if (manager != null) {
      region.hearFromAllBut(manager, 0);
    } else {
      acknowledge(x, n);
    }
  }

  /** Whoever has a coordinator's transactions from its clock message gets the prepare, too. */
  private void acknowledge(int coordinator, Member n) {
    for (Mail s : List.copyOf(region.network)) {
      if (s.from() == coordinator
          && s.to().equals(region.role(n.nid))
          && s.is(Prepare.class, m -> n.now().known(m.txn().id()) != null)) {
        region.deliver(s, n, LATE);
      }
    }
  }

  private void execute(Member n, int t, long time) {
    if (n.now() == null) {
      return;
    }
    Memento snapshot = Memento.of(n);
    if (!n.execute(t, time) || !n.shows(time)) {
      takeBack(snapshot);
    }
  }

  /** A step of the CRT's coordinator; clocks are no part of it. */
  private void atCoordinator(Runnable step) {
    Memento clock = Memento.of(region.nodes.get(region.crtCoord).clock());
    step.run();
    clock.restore();
  }

  private void prepareCrt(int n) {
    Member c = region.nodes.get(region.crtCoord);
    if (n == region.crtCoord) {
      atCoordinator(() -> submit(c, region.coordinators.size() + 1, LATE));
    } else if (n != 0) {
      take(n, Keep.class, m -> !m.note().committed());
      region.settle();
      region
          .first(n, c.nid, Kept.class, m -> !m.committed())
          .ifPresent(s -> atCoordinator(() -> region.deliver(s, c, LATE)));
    }
    region.settle();
    if (region.first(c.nid, region.managers.first(), PrepRemote.class, m -> true).isEmpty()) {
      return;
    }
    for (Member x : region.nodes.values()) {
      boolean here =
          x.nid == REMOTE ? n == 0 : x.nid == region.crtCoord || x.node.kept(region.crt()) != null;
      if (here && x.now() != null && x.now().known(region.crt()) == null) {
        int manager = x.nid == REMOTE ? REMOTE_MANAGER : region.managers.first();
        DastMessage prepare =
            new PrepCrt(
                region.txns.get(region.coordinators.size()),
                Timestamp.ZERO,
                region.role(region.crtCoord));
        From message = new From(x.node.view().manager(), prepare);
        region.deliver(manager, x, message, LATE);
      }
    }
  }

  /** The votes of those that are prepared, and not more, arrive. */
  private void commitCrt() {
    Member c = region.nodes.get(region.crtCoord);
    Memento snapshot = Memento.of(c);
    for (Member x : region.nodes.values()) {
      if (region.ofCrt(x).equals("prepared")) {
        region
            .first(x.nid, region.crtCoord, Vote.class, m -> true)
            .ifPresent(s -> atCoordinator(() -> region.deliver(s, c, LATE)));
      }
    }
    if (!region.out.sent(Keep.class, m -> m.note().committed())) {
      takeBack(snapshot);
    }
  }

  private void handleCommitCrt(int n) {
    if (n != 0 && n != region.crtCoord) {
      take(n, Keep.class, m -> m.note().committed());
      return;
    }
    Member c = region.nodes.get(region.crtCoord);
    if (n == 0 && !region.ofCrt(c).equals("committed")) {
      return;
    }
    for (Mail s : List.copyOf(region.network)) {
      if (s.is(Kept.class, Kept::committed)) {
        atCoordinator(() -> region.deliver(s, c, LATE));
      }
    }
    region.settle();
    take(n == 0 ? REMOTE : n, CommitRemote.class, m -> true);
  }

  /** A member is silent for as long as it takes. */
  private void removeNode(Instance m, int n) {
    Memento clock = Memento.of(m.clock());
    for (int i = 0; i < 2; i++) {
      m.run(new Input.TimerFired(new DastTimer.Tell()), LATE);
      region.hearFromAllBut(m, n);
    }
    clock.restore();
    m.answers.clear();
  }

  /** The spare asks to join, the replica hands it a checkpoint, and the manager proposes. */
  private void addReplica(Instance m, Member n, Member x, long time) {
    m.run(new Input.TimerFired(new DastTimer.Tell()), time - m.clock().offset());
    region.hearFromAllBut(m, 0);
    region.out.clear();
    n.run(new Input.TimerFired(new DastTimer.Resend()), LATE);
    region.deliver(only(Join.class), m, LATE);
    region.deliver(only(Transfer.class), x, LATE);
    Mail install = only(Install.class);
    region.deliver(install, n, LATE);
    region.deliver(only(Installed.class), m, LATE);
    m.checkpoint = executed(((Install) install.body()).checkpoint());
    m.checkpointCrt = region.ofCrt(x);
    m.answers.clear();
  }

  /** The only message of a kind that was sent. */
  private Mail only(Class<? extends DastMessage> type) {
    Mail message =
        region.out.messages.stream()
            .filter(s -> type.isInstance(s.body()))
            .findFirst()
            .orElseThrow(() -> new IllegalStateException("no " + type.getSimpleName()));
    region.out.clear();
    return message;
  }

  private static List<Integer> executed(Checkpoint checkpoint) {
    return checkpoint.executed().stream()
        .map(Checkpoint.Done::note)
        .sorted(Comparator.comparing(Note::at))
        .map(note -> Integer.valueOf(note.txn().id()))
        .toList();
  }

  private void handleViewPrep(Member n, Instance m) {
    if (m == null) {
      return;
    }
    List<Mail> asked =
        region.network.stream()
            .filter(s -> s.from() == m.nid && s.body() instanceof ViewPrep)
            .toList();
    if (asked.isEmpty()) {
      return;
    }
    Mail newest = asked.get(asked.size() - 1);
    ViewPrep prep = (ViewPrep) newest.body();
    region.deliver(newest, n, LATE);
    for (Mail s : region.out.messages) {
      if (s.body() instanceof ViewAck ack && m.manager.proposal() != null) {
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
    ObjectNode change = projection.proposed(m);
    View old = m.manager.view();
    Timestamp last = m.clock().last();
    for (Map.Entry<Integer, ViewAck> answer : Map.copyOf(m.answers).entrySet()) {
      From ack = new From(old.members().get(region.role(answer.getKey())), answer.getValue());
      region.deliver(answer.getKey(), m, ack, 0);
    }
    if (region.out.changes.isEmpty() || m.nid != region.leader) {
      takeBack(snapshot);
      return;
    }
    Change made = region.out.changes.get(0);
    region.register.add(made);
    region.decided.add(FailoverProjection.decision(change, made, last));
    m.answers.clear();
    region.settle();
    if (made.view().manager() != old.manager()) {
      m.run(new Input.TimerFired(new DastTimer.Tell()), 0);
      region.hearFromAllBut(m, 0);
      region.out.clear();
    }
    if (!made.added().isEmpty()) {
      Member n = region.nodes.get(Integer.valueOf(made.added()));
      take(n.nid, ViewCommit.class, commit -> commit.changes().contains(made));
      n.log = m.checkpoint;
      taken(n);
    }
    m.checkpoint = List.of();
  }

  /** Members tell the manager that they took a view. */
  private void taken(Member n) {
    for (Mail s : List.copyOf(region.out.messages)) {
      if (s.body() instanceof ViewTaken) {
        region.deliver(s, region.leading(), LATE);
      }
    }
  }

  private void handleViewCommit(Member n) {
    if (n.now() == null) {
      return;
    }
    long next = n.node.view().number() + 1;
    for (Change change : region.register) {
      if (change.view().number() == next
          && change.view().members().containsKey(region.role(n.nid))) {
        From commit = new From(change.view().manager(), new ViewCommit(List.of(change)));
        region.deliver(region.managers.first(), n, commit, LATE);
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
    m.estimate(String.valueOf(REMOTE_MANAGER), rtt, pong -> new From(FIRST_MANAGER, pong));
    int t = 1_000 + region.anticipations++;
    PrepRemote asked = new PrepRemote(ModelPlan.simple(REMOTE, "X").txn(t, region.layout), NEVER);
    region.deliver(REMOTE, m, new From(FIRST_NODE, asked), time - m.clock().offset());
    boolean read = m.clock().last().equals(new Timestamp(time, 0, m.nid));
    Optional<Mail> prepare =
        region.out.messages.stream()
            .filter(s -> s.to().equals(region.role(n.nid)) && s.body() instanceof PrepCrt)
            .findFirst();
    region.out.clear();
    prepare.ifPresent(s -> region.deliver(s, n, LATE));
    if (!read || n.now().known(String.valueOf(t)) == null) {
      takeBack(anticipating, hearing);
      return;
    }
    region.wentBack |= !old.before(((PrepCrt) prepare.orElseThrow().body()).at());
    region.out.clear();
  }
}
