package dev.plumbline.dast;

import dev.plumbline.dast.DastMessage.AskEnd;
import dev.plumbline.dast.DastMessage.AskPart;
import dev.plumbline.dast.DastMessage.From;
import dev.plumbline.dast.DastMessage.Install;
import dev.plumbline.dast.DastMessage.Join;
import dev.plumbline.dast.DastMessage.Keep;
import dev.plumbline.dast.DastMessage.Kept;
import dev.plumbline.dast.DastMessage.Note;
import dev.plumbline.dast.DastMessage.Out;
import dev.plumbline.dast.DastMessage.PrepCrt;
import dev.plumbline.dast.DastMessage.Resolve;
import dev.plumbline.dast.DastMessage.Resolved;
import dev.plumbline.dast.DastMessage.Transfer;
import dev.plumbline.dast.DastMessage.ViewAck;
import dev.plumbline.dast.DastMessage.ViewCommit;
import dev.plumbline.dast.DastMessage.ViewPrep;
import dev.plumbline.dast.DastMessage.ViewTaken;
import dev.plumbline.machine.ClockReading;
import dev.plumbline.machine.Effects;
import dev.plumbline.machine.Input;
import dev.plumbline.machine.SpecAction;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * A {@link Node} that can be removed from its region's view and come back from a checkpoint
 * (section 4.4, Algorithms 3 and 4, {@code specs/dast/Failover.tla} with its repairs).
 *
 * <p>It persists nothing: whoever starts again, or learns that it was removed, knows nothing, asks
 * to join, and takes part as another incarnation once it has a checkpoint and a view with it.
 */
public final class ReplaceableNode implements Replica {
  private final Layout layout;
  private final Procedures procedures;
  private final String self;
  private final DastConfig config;
  private final String manager;
  private final Handover handover;

  /** What it is while it is a member, else null. */
  private Node node;

  private View view;
  private long incarnation;
  private long promised;
  private Timestamp anticipated;

  /** CRTs of removed coordinators, as the last input told how they end. */
  private List<Note> decided = new ArrayList<>();

  /** Whether the last input may let the node go on. */
  private boolean goesOn;

  private final TreeSet<String> ignored = new TreeSet<>();
  private final TreeMap<String, Note> fates = new TreeMap<>();
  private final TreeMap<String, Note> kept = new TreeMap<>();
  private final Pace pace = new Pace();

  /** CRTs that were prepared at the timer's last turn. */
  private TreeSet<String> prepared = new TreeSet<>();

  /**
   * @param self its role
   */
  public ReplaceableNode(Layout layout, Procedures procedures, String self, DastConfig config) {
    this.layout = layout;
    this.procedures = procedures;
    this.self = self;
    this.config = config;
    manager = layout.manager(layout.region(self));
    handover = new Handover(config.partBytes());
  }

  /** Whether it takes part. */
  public boolean member() {
    return node != null;
  }

  /** What it is while it takes part, else null. */
  public Node node() {
    return node;
  }

  /** The view that it is in; null if it does not take part. */
  public View view() {
    return view;
  }

  /** Members that it was asked to remove. */
  public Set<String> ignored() {
    return ignored;
  }

  /** The epoch of the newest manager that it answered: it takes nothing from older ones. */
  public long promised() {
    return promised;
  }

  /** The newest anticipated timestamp that it accepted from the manager of a view. */
  public Timestamp anticipated() {
    return anticipated;
  }

  /**
   * What it keeps of a CRT of a replica of its shard (Algorithm 2, lines 2 and 8), or null; of its
   * own once another one keeps it as committed.
   */
  public Note kept(String txn) {
    return kept.get(txn);
  }

  @Override
  public Map<Long, List<Long>> store() {
    return node == null ? Map.of() : node.store();
  }

  @Override
  public void handle(Input input, ClockReading reading, Effects plain) {
    step(input, reading, plain);
    if (node != null && goesOn) {
      for (Note note : decided) {
        resolve(note, reading, plain);
      }
      node.proceed(reading.localMicros(), stamped(plain));
    }
  }

  /** What an input asks for, and nothing that the node then does of its own accord. */
  public void step(Input input, ClockReading reading, Effects plain) {
    goesOn = false;
    decided = new ArrayList<>();
    if (input instanceof Input.Start start) {
      incarnation = start.epoch() * View.FIRST;
      if (start.epoch() == 1) {
        node = new Node(layout, procedures, self, config);
        enter(View.first(layout, layout.region(self)));
        toNode(input, reading, plain);
      } else {
        leave();
        askToJoin(plain);
      }
    } else if (input instanceof Input.Deliver deliver) {
      if (deliver.message() instanceof From from) {
        deliver(deliver.from(), from.incarnation(), from.body(), reading, plain);
      }
    } else if (input instanceof Input.TimerFired fired
        && fired.timer() instanceof DastTimer.Resend) {
      pace.interval();
      if (node == null) {
        askToJoin(plain);
      } else {
        toNode(input, reading, plain);
        askEnds(plain);
      }
    } else if (node == null) {
      return;
    } else if (input instanceof Input.ClientRequest request
        && request.request() instanceof DastRequest asked
        && fates.containsKey(asked.txn().at(self, layout).id())) {
      ended(request.requestId(), asked.txn(), plain);
    } else {
      toNode(input, reading, plain);
    }
  }

  private void toNode(Input input, ClockReading reading, Effects plain) {
    goesOn = true;
    node.step(input, reading, stamped(plain));
  }

  /** Executes the first transaction, if it takes part and that is due. */
  public void executeNext(long wall, Effects plain) {
    if (node != null) {
      node.executeNext(wall, stamped(plain));
    }
  }

  /** Asks how CRTs ended that were prepared at the timer's last turn as well. */
  private void askEnds(Effects plain) {
    TreeSet<String> now = new TreeSet<>();
    for (Note note : node.participant().prepared()) {
      String id = note.txn().id();
      now.add(id);
      if (prepared.contains(id)) {
        String theirs = layout.region(note.coordinator());
        stamped(plain).send(layout.manager(theirs), new AskEnd(id));
      }
    }
    prepared = now;
  }

  private Effects stamped(Effects plain) {
    return new Stamped(plain, incarnation);
  }

  private void enter(View entered) {
    view = entered;
    promised = entered.manager();
    anticipated = Timestamp.ZERO;
  }

  private void leave() {
    node = null;
    view = null;
    handover.forgetTaken();
    handover.forgetGiven();
    ignored.clear();
    fates.clear();
    kept.clear();
  }

  private void askToJoin(Effects plain) {
    plain.setTimer(new DastTimer.Resend(), config.resendMicros());
    stamped(plain).send(manager, new Join());
  }

  /** A client asks for a transaction that a lost coordinator had: it happens once, or never. */
  private void ended(long request, Txn asked, Effects plain) {
    Txn txn = asked.at(self, layout);
    Note fate = fates.get(txn.id());
    if (!fate.txn().equals(txn)) {
      plain.reply(request, Coordinator.taken(asked));
    } else if (!fate.committed()) {
      plain.reply(
          request, new DastResponse.Refused("its node failed before it was committed; aborted"));
    } else if (!node.coordinator().again(asked, request, plain)) {
      boolean crt = !fate.txn().regions(layout).equals(List.of(layout.region(self)));
      node.coordinator().adopt(fate, crt, request);
      node.participant().resultAgain(self, txn.id(), stamped(plain));
    }
  }

  private void deliver(
      String from, long theirs, DastMessage body, ClockReading reading, Effects plain) {
    if (body instanceof Install install) {
      if (node == null && install.incarnation() == incarnation) {
        handover
            .take(from, theirs, install)
            .ifPresent(told -> stamped(plain).send(told instanceof AskPart ? from : manager, told));
      }
    } else if (body instanceof ViewCommit commit && from.equals(manager)) {
      commit.changes().forEach(change -> handleViewCommit(change, reading, plain));
      if (node != null) {
        stamped(plain).send(manager, new ViewTaken(view.number()));
        goesOn = true;
      }
    } else if (node == null) {
      return;
    } else if (body instanceof AskPart ask) {
      handover.asked(from, theirs, ask).ifPresent(part -> stamped(plain).send(from, part));
    } else if (body instanceof Resolve resolve) {
      resolve(resolve.note(), reading, plain);
      stamped(plain).send(from, new Resolved(resolve.note().txn().id()));
      goesOn = true;
    } else if (from.equals(manager)) {
      fromManager(theirs, body, reading, plain);
    } else if (!layout.region(from).equals(layout.region(self))) {
      toNode(new Input.Deliver(from, body), reading, plain);
    } else if (view.has(from, theirs) && !ignored.contains(from)) {
      fromMember(from, body, reading, plain);
    }
  }

  private void fromMember(String from, DastMessage body, ClockReading reading, Effects plain) {
    if (body instanceof Keep keep) {
      keep(keep.note());
      stamped(plain).send(from, new Kept(keep.note().txn().id(), keep.note().committed()));
    } else if (body instanceof Kept answer) {
      Note own = node.coordinator().ownCrt(answer.txn());
      if (own != null && answer.committed()) {
        kept.put(answer.txn(), own);
      }
      node.kept(from, answer.txn(), answer.committed(), reading.localMicros(), stamped(plain));
    } else {
      toNode(new Input.Deliver(from, body), reading, plain);
    }
  }

  private void keep(Note note) {
    kept.merge(note.txn().id(), note, (old, now) -> old.committed() ? old : now);
  }

  private void fromManager(long theirs, DastMessage body, ClockReading reading, Effects plain) {
    if (body instanceof Out out && out.incarnation() == incarnation && theirs >= promised) {
      incarnation++;
      leave();
      askToJoin(plain);
    } else if (body instanceof Transfer transfer
        && theirs == view.manager()
        && !view.has(transfer.to(), transfer.incarnation())) {
      handover
          .transfer(transfer, this::checkpoint)
          .ifPresent(part -> stamped(plain).send(transfer.to(), part));
    } else if (body instanceof ViewPrep prep) {
      handleViewPrep(theirs, prep, plain);
    } else if (theirs == view.manager() && theirs >= promised) {
      if (body instanceof PrepCrt prepare) {
        anticipated = anticipated.max(prepare.at());
      }
      toNode(new Input.Deliver(manager, body), reading, plain);
    }
  }

  private Checkpoint checkpoint() {
    return node.participant()
        .checkpoint(view, List.copyOf(fates.values()), List.copyOf(kept.values()));
  }

  /** Algorithm 3, lines 20 to 22; Algorithm 4, lines 14 to 16. */
  @SpecAction("Failover.HandleViewPrep")
  private void handleViewPrep(long theirs, ViewPrep prep, Effects plain) {
    String answer = theirs + "." + prep.number() + "." + prep.round();
    if (prep.number() != view.number() + 1
        || theirs < promised
        || prep.remove().contains(self)
        || pace.waits(answer)) {
      return;
    }
    promised = theirs;
    ignored.addAll(prep.remove());
    Timestamp last = node.region().clock.last();
    long held =
        prep.add().isEmpty()
            ? StretchableClock.FREE
            : config.repaired(DastConfig.JOIN_LOW)
                ? Math.max(prep.addTime(), last.time() + 1)
                : prep.addTime();
    node.region().hold(held);
    TreeMap<String, Note> crts = new TreeMap<>();
    for (Note note : node.participant().coordinatedBy(prep.remove(), true)) {
      crts.merge(note.txn().id(), note, (a, b) -> a.committed() ? a : b);
    }
    for (Note note : kept.values()) {
      if (prep.remove().contains(note.coordinator())) {
        crts.merge(note.txn().id(), note, (a, b) -> a.committed() ? a : b);
      }
    }
    if (config.repaired(DastConfig.OWN_CRT_UNREPORTED) && !prep.remove().isEmpty()) {
      node.coordinator().ownCrts().forEach(note -> crts.put(note.txn().id(), note));
    }
    crts.keySet().removeAll(fates.keySet());
    List<Note> irts = new ArrayList<>(node.participant().coordinatedBy(prep.remove(), false));
    if (config.repaired(DastConfig.OWN_UNREPORTED) && !prep.remove().isEmpty()) {
      irts.addAll(node.ownIrts());
      node.coordinator().forget(prep.remove());
    }
    irts.removeIf(
        note ->
            fates.containsKey(note.txn().id())
                || (note.committed() && !config.repaired(DastConfig.COMMITTED_UNREPORTED)));
    List<Note> parts =
        config.repaired(DastConfig.PART_UNREPORTED)
            ? new ArrayList<>(node.parts(prep.remove()))
            : new ArrayList<>();
    if (config.repaired(DastConfig.PREPARED_FORGOTTEN) && !prep.remove().isEmpty()) {
      parts.addAll(node.coordinator().undecidedCrts());
    }
    pace.starts(answer, irts.size() + crts.size() + parts.size());
    if (plain.tracing()) {
      plain.trace(
          "Failover.HandleViewPrep",
          Map.of(
              "n",
              self,
              "epoch",
              theirs,
              "vid",
              prep.number(),
              "round",
              prep.round(),
              "remove",
              prep.remove(),
              "held",
              held == StretchableClock.FREE ? -1 : held,
              "irts",
              irts.stream().map(note -> note.txn().id()).toList(),
              "prepared",
              Node.ids(crts.values(), false),
              "committed",
              Node.ids(crts.values(), true)),
          Map.of("last", last.parts()));
    }
    stamped(plain)
        .send(
            manager,
            new ViewAck(
                prep.number(),
                prep.round(),
                List.copyOf(ignored),
                irts,
                List.copyOf(crts.values()),
                parts,
                last,
                node.region().passedBy(manager),
                anticipated));
  }

  /** Algorithm 3, lines 23 to 26; Algorithm 4, lines 17 to 21. */
  @SpecAction("Failover.HandleViewCommit")
  private void handleViewCommit(Change change, ClockReading reading, Effects plain) {
    if (node == null) {
      if (change.added().equals(self) && change.view().has(self, incarnation)) {
        Checkpoint checkpoint = handover.whole();
        if (checkpoint != null && change.view().number() <= checkpoint.view().number()) {
          return; // It was removed again since, as the same incarnation.
        }
        if (checkpoint != null && !checkpoint.upTo().before(change.executed())) {
          admit(change, checkpoint, reading, plain);
        } else {
          // Members will repeat what came after that time, and nothing from before.
          incarnation++;
          leave();
          askToJoin(plain);
        }
      }
      return;
    }
    if (change.view().number() != view.number() + 1) {
      return;
    }
    if (!change.view().has(self, incarnation)) {
      incarnation++;
      leave();
      askToJoin(plain);
      return;
    }
    if (plain.tracing()) {
      plain.trace(
          "Failover.HandleViewCommit", Map.of("n", self, "vid", change.view().number()), Map.of());
    }
    view = change.view();
    promised = Math.max(promised, view.manager());
    ignored.removeAll(change.removed());
    Region region = node.region();
    region.hold(StretchableClock.FREE);
    change.removed().forEach(region::remove);
    node.coordinator().forget(change.removed());
    for (Note note : change.irts()) {
      fates.put(note.txn().id(), note);
      node.inherit(note, false);
    }
    for (Note note : change.crts()) {
      fates.put(note.txn().id(), note);
      decided.add(note);
    }
    node.inView(view.number());
    takeParts(change, plain);
    handover.forgetGiven();
    if (!change.added().isEmpty()) {
      region.add(change.added(), change.at(), change.executed(), layout);
    }
    for (Note note : node.participant().prepared()) {
      if (fates.containsKey(note.txn().id())) {
        continue;
      }
      for (String peer : layout.replicas(layout.shardOf(self))) {
        if (!peer.equals(self)) {
          stamped(plain).send(peer, new PrepCrt(note.txn(), note.at(), note.coordinator()));
        }
      }
    }
  }

  private Timestamp startOf(Change change) {
    return new Timestamp(change.at().time(), 0, layout.nid(change.added()));
  }

  /** Starts from the checkpoint as a member. */
  private void admit(Change change, Checkpoint checkpoint, ClockReading reading, Effects plain) {
    node = new Node(layout, procedures, self, config);
    enter(change.view());
    for (String peer : layout.nodes(layout.region(self))) {
      if (!view.members().containsKey(peer)) {
        node.region().remove(peer);
      }
    }
    node.region().clock.startAbove(startOf(change), reading.localMicros());
    node.joins(view.number());
    node.participant().install(checkpoint);
    for (Note note : checkpoint.fates()) {
      fates.put(note.txn().id(), note);
      if (note.committed() && note.coordinator().equals(self)) {
        node.coordinator().hasCommitted(note.at());
      }
    }
    checkpoint.kept().forEach(note -> kept.put(note.txn().id(), note));
    if (plain.tracing()) {
      List<Note> waiting = checkpoint.pending().stream().map(Checkpoint.Waiting::note).toList();
      plain.trace(
          "Failover.HandleViewCommit",
          Map.of(
              "n",
              self,
              "vid",
              view.number(),
              "incarnation",
              incarnation,
              "executed",
              Node.ids(checkpoint.inOrder(), true),
              "prepared",
              Node.ids(waiting, false),
              "committed",
              Node.ids(waiting, true),
              "aborted",
              checkpoint.aborted()),
          Map.of());
    }
    handover.forgetTaken();
    takeParts(change, plain);
    toNode(new Input.Start(1, List.of()), reading, plain);
  }

  /** Repairs ReportPart, KeepPrepared and ViewVotes. */
  private void takeParts(Change change, Effects plain) {
    for (Note note : change.parts()) {
      String coordinator = note.coordinator();
      if (note.committed() || !layout.region(coordinator).equals(layout.region(self))) {
        node.takePart(note, stamped(plain));
      } else if (!coordinator.equals(self)
          && layout.shardOf(coordinator).equals(layout.shardOf(self))) {
        keep(note);
      }
    }
    if (config.repaired(DastConfig.VOTES_MIXED)) {
      node.voteAgain(stamped(plain));
    }
  }

  /** How a CRT of a removed coordinator ended. */
  @SpecAction({"Failover.HandleAbort", "Failover.HandleResolved"})
  private void resolve(Note note, ClockReading reading, Effects plain) {
    boolean mine = note.txn().participants(layout).contains(self);
    if (!note.committed()) {
      node.participant().abort(note.txn().id());
    } else {
      node.region().clock.calibrate(reading.localMicros(), note.at().time());
      if (mine || layout.region(note.coordinator()).equals(layout.region(self))) {
        node.inherit(note, true);
      }
    }
    if (mine && plain.tracing()) {
      plain.trace(
          note.committed() ? "Failover.HandleResolved" : "Failover.HandleAbort",
          Map.of("n", self, "t", note.txn().id()),
          Map.of());
    }
  }
}
