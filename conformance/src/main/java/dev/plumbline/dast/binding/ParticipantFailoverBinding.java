package dev.plumbline.dast.binding;

import static dev.plumbline.dast.binding.DastPlace.LATE;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.plumbline.bind.Binding;
import dev.plumbline.bind.Sort;
import dev.plumbline.dast.Change;
import dev.plumbline.dast.DastConfig;
import dev.plumbline.dast.DastMessage;
import dev.plumbline.dast.DastMessage.From;
import dev.plumbline.dast.DastMessage.Note;
import dev.plumbline.dast.DastMessage.Vote;
import dev.plumbline.dast.DastTimer;
import dev.plumbline.dast.ReplaceableManager;
import dev.plumbline.dast.Timestamp;
import dev.plumbline.graph.Constants;
import dev.plumbline.graph.Memento;
import dev.plumbline.graph.Outbox.Sent;
import dev.plumbline.graph.SpecAdapter;
import dev.plumbline.machine.Input;
import dev.plumbline.protocol.SeededBug;
import dev.plumbline.protocol.Settings;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;

/**
 * How {@code ParticipantFailover} reads in the terms of DAST's replaceable nodes: one region's
 * nodes and manager, and the coordinator of a CRT elsewhere.
 */
final class ParticipantFailoverBinding extends Binding {
  private static final String IRT = "1";
  private static final String CRT = "2";
  private static final int MANAGER = 80;

  ParticipantFailoverBinding(Settings settings) {
    super("ParticipantFailover", "specs/dast", settings);
    names(Sort.own("process", null), "n", "x");
    repair("ReportPart", DastConfig.PART_UNREPORTED);
    repair("ViewVotes", DastConfig.VOTES_MIXED);
    corpora("passed");
    untraced(); // A change of the view is one step there, and many in a log.
    // All but what 4.6 assumes (Prepare) and the environment's removals.
    probes(
        Set.of(),
        Set.of(
            "Decide",
            "HandleCommit",
            "CoordIrt",
            "PrepareIrt",
            "CommitIrt",
            "Announce",
            "Execute"));
    ghost("max", "of nodes that were removed: machines forget it");
    ghost("votes", "those that were asked for by a step; machines vote again when a view begins");
  }

  @Override
  protected SpecAdapter world(Constants model, Optional<SeededBug> bug) {
    return new Machines(model, bug);
  }

  /** The CRT's timestamp is the one that was anticipated. */
  private static SortedSet<String> equalTimes(SortedSet<String> behaviours) {
    SortedSet<String> all = new TreeSet<>(behaviours);
    all.add(DastConfig.EQUAL_TIMES);
    return all;
  }

  /**
   * Machines take one step at a time, but for a change of the view, which they go through as one.
   * Spares are replicas that were removed before a model begins: its views are one more there.
   * Nothing is delivered to nodes that were removed. The manager's clock is past everything: the
   * module has none. A step is taken back if a clock does not show what the action says, or if what
   * the action is about does not happen.
   */
  private final class Machines extends RegionWorld {
    private final int irtCoord;
    private final Timestamp crtAt;
    private final int irtAt;
    private final Group<NodePlace> nodes = group((nid, n) -> node((int) nid));
    private final TreeMap<Integer, TreeMap<Integer, Integer>> max = new TreeMap<>();
    private final TreeMap<Integer, List<String>> log = new TreeMap<>();
    private final TreeSet<List<Integer>> votes =
        new TreeSet<>(
            (a, b) -> a.get(1).equals(b.get(1)) ? a.get(0) - b.get(0) : a.get(1) - b.get(1));
    private final LinkedHashSet<Sent> network = new LinkedHashSet<>();
    private NodePlace coordinator;
    private ManagerPlace manager;

    Machines(Constants model, Optional<SeededBug> bug) {
      super(
          ParticipantFailoverBinding.this,
          model,
          MANAGER,
          List.of(ModelPlan.simple(model.number("IrtCoord"), "X"), ModelPlan.simple(REMOTE, "X")),
          1,
          equalTimes(asPublished(model)),
          bug);
      irtCoord = model.number("IrtCoord");
      crtAt = new Timestamp(model.number("CrtAt"), 0, 0);
      irtAt = model.number("IrtAt");
      variable("members", () -> value("", members()));
      variable("view", () -> value("", view(now())));
      function("clock", nodes, n -> n.now() == null ? 0 : (int) n.clock().last().time());
      function("max", nodes, n -> max.get(n.nid));
      function("crt", nodes, n -> phase(n, CRT));
      variable("votes", () -> value("", votes));
      variable("decided", () -> value("", commits().findFirst().isPresent()));
      variable("stamped", () -> value("", nodes.get((Object) irtCoord).known(IRT) != null));
      function("irt", nodes, n -> phase(n, IRT));
      function("log", nodes, n -> log.get(n.nid));

      on("Prepare", p -> member(p, "n").ifPresent(this::prepare));
      on("Decide", p -> decide());
      on(
          "HandleCommit",
          p -> member(p, "n").ifPresent(n -> take(n, DastMessage.CommitRemote.class)));
      on("CoordIrt", p -> coordIrt());
      on("PrepareIrt", p -> member(p, "n").ifPresent(n -> take(n, DastMessage.Prepare.class)));
      on("CommitIrt", p -> commitIrt());
      on(
          "Announce",
          p ->
              member(p, "x")
                  .ifPresent(x -> member(p, "n").ifPresent(n -> announce(x, n, time(p)))));
      on(
          "Execute",
          p -> member(p, "n").ifPresent(n -> execute(n, p.get("t").textValue(), time(p))));
      on("Remove", p -> remove(number(p, "n")));
      on("Add", p -> member(p, "x").ifPresent(x -> add(nodes.get(p.get("n")), x, time(p))));
    }

    @Override
    protected void open(ObjectNode initial) {
      votes.clear();
      network.clear();
      open(nodes, initial.get("log"));
      nodes.all().forEach(this::begin);
      coordinator = watched(node(REMOTE));
      begin(coordinator);
      String name = String.valueOf(MANAGER);
      manager =
          watched(
              new ManagerPlace(
                  MANAGER,
                  spec(MANAGER, "manager"),
                  new ReplaceableManager(layout, name, config),
                  deployment));
      List<Change> register = register();
      manager.run(new Input.Start(FIRST_MANAGER, List.copyOf(register)), 0);
      coordinator.submit(2, txns.get(1), 0);
      for (NodePlace n : nodes.all()) {
        if (!spares.contains(n.nid)) {
          if (!register.isEmpty()) {
            fromManager(n, new DastMessage.ViewCommit(register));
            toManager(n.nid, new DastMessage.ViewTaken(1));
          }
          isPast(n);
          isHeard(n.nid);
        }
        TreeMap<Integer, Integer> none = new TreeMap<>();
        nodes.all().forEach(x -> none.put(x.nid, 0));
        max.put(n.nid, none);
        log.put(n.nid, List.of());
        n.out.sent.clear();
      }
      coordinator.out.sent.clear();
      manager.out.sent.clear();
    }

    private NodePlace node(int nid) {
      return new NodePlace(nid, spec(nid, "node"), replaceable(nid), deployment);
    }

    /** A node hears that the manager is past everything. */
    private void isPast(NodePlace n) {
      Timestamp past = new Timestamp(LATE / 2, 0, MANAGER);
      fromManager(n, new DastMessage.Clock(past, Map.of(), List.of()));
    }

    private int now() {
      return (int) manager.manager.view().number();
    }

    private SortedSet<Integer> members() {
      SortedSet<Integer> members = new TreeSet<>();
      manager.manager.view().members().keySet().forEach(n -> members.add(Integer.valueOf(n)));
      return members;
    }

    /** The node that an action names, if it is a member. */
    private Optional<NodePlace> member(ObjectNode p, String name) {
      return Optional.of(number(p, name))
          .filter(members()::contains)
          .map(n -> nodes.get((Object) n));
    }

    // -- network

    private void fromManager(NodePlace to, DastMessage body) {
      to.deliver(String.valueOf(MANAGER), new From(FIRST_MANAGER, body), LATE);
    }

    private void toManager(int from, DastMessage body) {
      manager.deliver(String.valueOf(from), from(from, body), 0);
    }

    private From from(int n, DastMessage body) {
      return new From(spares.contains(n) ? 2 * FIRST_NODE : FIRST_NODE, body);
    }

    private <M extends DastMessage> void take(NodePlace n, Class<M> type) {
      network.stream()
          .filter(s -> s.to().equals(String.valueOf(n.nid)) && DastPlace.is(s, type, m -> true))
          .findFirst()
          .ifPresent(s -> n.deliver(s.from(), s.message(), LATE));
    }

    private Stream<Sent> commits() {
      return network.stream()
          .filter(s -> DastPlace.is(s, DastMessage.CommitRemote.class, m -> true));
    }

    @Override
    protected void settle() {
      List<NodePlace> all = new ArrayList<>(nodes.all());
      all.add(coordinator);
      for (NodePlace from : all) {
        for (Sent s : from.out.take()) {
          DastMessage body = DastPlace.body(s);
          if (body instanceof DastMessage.Result r && log.containsKey(from.nid)) {
            String kind = r.txn().equals(CRT) ? "crt" : "irt";
            if (!log.get(from.nid).contains(kind)) {
              List<String> more = new ArrayList<>(log.get(from.nid));
              more.add(kind);
              log.put(from.nid, List.copyOf(more));
            }
          } else if (body instanceof DastMessage.Prepare
              || body instanceof DastMessage.CommitRemote
              || body instanceof Vote) {
            network.add(new Sent(String.valueOf(from.nid), s.to(), s.message()));
          }
        }
        from.out.replies.clear();
      }
      manager.out.sent.clear();
      for (NodePlace n : nodes.all()) {
        for (int x : members()) {
          if (members().contains(n.nid) && n.now() != null && x != n.nid) {
            max.get(n.nid).put(x, (int) n.now().passedBy(String.valueOf(x)).time());
          }
        }
      }
    }

    // -- the CRT

    private Optional<Sent> vote(int n, long view) {
      return network.stream()
          .filter(s -> s.from().equals(String.valueOf(n)))
          .filter(s -> DastPlace.is(s, Vote.class, v -> v.view() == view))
          .findFirst();
    }

    /** A member votes when it is asked, and again of its own accord when a view begins. */
    private void prepare(NodePlace n) {
      int view = now();
      if (vote(n.nid, view).isEmpty()) {
        fromManager(n, new DastMessage.PrepCrt(txns.get(1), crtAt, String.valueOf(REMOTE)));
        settle();
      }
      if (vote(n.nid, view).isPresent()) {
        votes.add(List.of(n.nid, view(view)));
      }
    }

    /** The votes arrive, those of older views first. */
    private void decide() {
      coordinator.only(
          () -> {
            for (List<Integer> v : votes) {
              vote(v.get(0), v.get(1) + (spares.isEmpty() ? 0 : 1))
                  .ifPresent(s -> coordinator.deliver(s.from(), s.message(), 0));
            }
            return coordinator.sent(DastMessage.CommitRemote.class, m -> true);
          });
    }

    // -- the IRT

    private void coordIrt() {
      NodePlace c = nodes.get((Object) irtCoord);
      if (members().contains(irtCoord)) {
        c.only(
            () -> {
              c.submit(1, txns.get(0), irtAt);
              return c.shows(irtAt);
            });
      }
    }

    /** Whoever has the IRT has acknowledged it. */
    private void commitIrt() {
      NodePlace c = nodes.get((Object) irtCoord);
      c.only(
          () -> {
            for (int n : members()) {
              if (nodes.get((Object) n).known(IRT) != null) {
                c.deliver(String.valueOf(n), from(n, new DastMessage.Ack(IRT)), LATE);
              }
            }
            return c.sent(DastMessage.Commit.class, m -> true);
          });
    }

    // -- clocks and execution

    private void announce(NodePlace x, NodePlace n, long time) {
      boolean heard =
          x.only(
              () -> {
                List<Sent> told = x.tell(time);
                return x.shows(time)
                    && told.stream()
                        .filter(s -> s.to().equals(String.valueOf(n.nid)))
                        .anyMatch(s -> n.only(() -> hears(n, s)));
              });
      for (Sent s : heard ? n.out.take() : List.<Sent>of()) {
        if (DastPlace.body(s) instanceof DastMessage.ClockAck) {
          x.deliver(s.from(), s.message(), LATE);
        }
      }
    }

    /** Whether a clock message says more than what was heard before. */
    private boolean hears(NodePlace n, Sent told) {
      Timestamp before = n.now().passedBy(told.from());
      n.deliver(told.from(), told.message(), LATE);
      Timestamp ts = ((DastMessage.Clock) DastPlace.body(told)).ts();
      return before.time() < ts.time() && n.now().passedBy(told.from()).equals(ts);
    }

    private void execute(NodePlace n, String kind, long time) {
      int t = Integer.parseInt(kind.equals("crt") ? CRT : IRT);
      n.only(() -> n.execute(t, time) && n.shows(time));
    }

    // -- views

    /** The manager hears of all members but one, and all others answer it and take the view. */
    private void remove(int gone) {
      SortedSet<Integer> stay = members();
      if (!stay.remove(gone) || stay.isEmpty()) {
        return;
      }
      Memento clock = Memento.of(manager.clock());
      for (int i = 0; i < 2; i++) {
        hear(stay, 0);
      }
      clock.restore();
      change(stay);
    }

    /** The manager's timer is due, and then it hears of these. */
    private void hear(SortedSet<Integer> members, long wall) {
      manager.run(new Input.TimerFired(new DastTimer.Tell()), wall);
      members.forEach(this::isHeard);
    }

    private void isHeard(int n) {
      toManager(n, new DastMessage.Clock(Timestamp.ZERO, Map.of(), List.of()));
    }

    private void change(SortedSet<Integer> members) {
      pass(members, DastMessage.ViewPrep.class, DastMessage.ViewAck.class);
      pass(members(), DastMessage.ViewCommit.class, DastMessage.ViewTaken.class);
    }

    /** The spare asks to join, the replica hands it a checkpoint, and the view changes. */
    private void add(NodePlace n, NodePlace x, long time) {
      SortedSet<Integer> members = members();
      hear(members, time - config.tellMicros() - manager.clock().offset());
      manager.out.sent.clear();
      n.run(new Input.TimerFired(new DastTimer.Resend()), LATE);
      handOver(n, manager, DastMessage.Join.class);
      handOver(manager, x, DastMessage.Transfer.class);
      handOver(x, n, DastMessage.Install.class);
      handOver(n, manager, DastMessage.Installed.class);
      change(members);
      isPast(n);
      if (n.now() != null) {
        log.put(
            n.nid,
            log.get(x.nid).stream()
                .filter(kind -> n.now().executed(kind.equals("crt") ? CRT : IRT))
                .toList());
      }
    }

    private void handOver(DastPlace from, DastPlace to, Class<? extends DastMessage> type) {
      for (Sent s : from.out.take()) {
        if (type.isInstance(DastPlace.body(s))) {
          to.deliver(String.valueOf(from.nid), s.message(), to == manager ? 0 : LATE);
          return;
        }
      }
    }

    /** What the manager tells those who stay, and what each of them answers. */
    private void pass(
        SortedSet<Integer> stay,
        Class<? extends DastMessage> told,
        Class<? extends DastMessage> answered) {
      for (Sent s : manager.out.take()) {
        if (told.isInstance(DastPlace.body(s)) && stay.contains(Integer.valueOf(s.to()))) {
          NodePlace n = nodes.get((Object) Integer.valueOf(s.to()));
          n.deliver(s.from(), s.message(), LATE);
          for (Sent answer : List.copyOf(n.out.sent)) {
            if (answered.isInstance(DastPlace.body(answer))) {
              toManager(n.nid, DastPlace.body(answer));
            }
          }
        }
      }
    }

    // -- what is seen

    private static String phase(NodePlace n, String txn) {
      Note known = n.known(txn);
      return known == null ? "none" : known.committed() ? "committed" : "prepared";
    }
  }
}
