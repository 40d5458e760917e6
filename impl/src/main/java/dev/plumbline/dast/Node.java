package dev.plumbline.dast;

import dev.plumbline.dast.DastMessage.Ack;
import dev.plumbline.dast.DastMessage.AskOutput;
import dev.plumbline.dast.DastMessage.Clock;
import dev.plumbline.dast.DastMessage.ClockAck;
import dev.plumbline.dast.DastMessage.Commit;
import dev.plumbline.dast.DastMessage.CommitRemote;
import dev.plumbline.dast.DastMessage.Note;
import dev.plumbline.dast.DastMessage.Output;
import dev.plumbline.dast.DastMessage.PrepCrt;
import dev.plumbline.dast.DastMessage.Prepare;
import dev.plumbline.dast.DastMessage.Result;
import dev.plumbline.dast.DastMessage.Vote;
import dev.plumbline.machine.ClockReading;
import dev.plumbline.machine.Effects;
import dev.plumbline.machine.Input;
import dev.plumbline.machine.SpecAction;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;

/** An edge node: coordinates its clients' transactions and replicates one shard (section 3). */
public final class Node implements Replica {
  private final Layout layout;
  private final String self;
  private final DastConfig config;
  private final Region region;
  private final Participant participant;
  private final Coordinator coordinator;

  /** An IRT that was asked for since it last went on, or empty. */
  private String begun = "";

  /** The number of the view that it is in. */
  private long view;

  /** The number of the first view that it was in. */
  private long joined;

  /** Since then something changed that the region waits for. */
  private boolean news;

  /**
   * @param self its role
   */
  public Node(Layout layout, Procedures procedures, String self, DastConfig config) {
    this.layout = layout;
    this.self = self;
    this.config = config;
    region = new Region(layout, self, config);
    participant = new Participant(layout, procedures, self, region);
    coordinator =
        new Coordinator(
            layout, procedures, self, config.failover() ? keepers() : List.of(), config);
  }

  private List<String> keepers() {
    return layout.replicas(layout.shardOf(self)).stream().filter(n -> !n.equals(self)).toList();
  }

  Region region() {
    return region;
  }

  Participant participant() {
    return participant;
  }

  Coordinator coordinator() {
    return coordinator;
  }

  /** Its clock. */
  public StretchableClock clock() {
    return region.clock;
  }

  /** What it knows of the clocks of its region and is told by them; not to be changed. */
  public Map<String, Map<String, Long>> told() {
    return region.told();
  }

  /** The time that its clock stays below until the next view (Algorithm 4, line 15), or FREE. */
  public long heldBelow() {
    return region.heldBelow();
  }

  /** What a peer's clock is known to have passed. */
  public Timestamp passedBy(String peer) {
    return region.passedBy(peer);
  }

  /** What it has of a transaction that accesses it, executed or not; null if nothing. */
  public Note known(String txn) {
    return participant.knownOf(txn);
  }

  /** Whether it has executed its part of a transaction. */
  public boolean executed(String txn) {
    return participant.executed(txn);
  }

  /** The values that arrived for a transaction that it has not executed. */
  public Map<String, Long> inputs(String txn) {
    return participant.inputsOf(txn);
  }

  /** A transaction that it coordinates and that some participant has not executed; else null. */
  public Note coordinated(String txn) {
    return coordinator.coordinated(txn);
  }

  /** It votes in this view from now on. */
  void inView(long number) {
    view = number;
  }

  /** The first view that it is in. */
  void joins(long number) {
    view = number;
    joined = number;
  }

  /**
   * Repair ReportOwn: IRTs of its own that other members may not have. All may have executed them,
   * and one of those may have been replaced since: it has each of which it acknowledged the clock
   * message.
   */
  List<Note> ownIrts() {
    return known(
        Stream.concat(
            coordinator.ownIrts().stream(),
            region.due().stream().filter(note -> note.coordinator().equals(self) && !crt(note))));
  }

  /**
   * Repair ReportPart: CRTs that other members may not have, those of other regions and committed
   * ones of members that stay. Of those that are executed, every member has each of which it
   * acknowledged the clock message.
   */
  List<Note> parts(List<String> removed) {
    return known(
        Stream.concat(region.due().stream().filter(this::crt), participant.waiting().stream())
            .filter(
                note ->
                    elsewhere(note)
                        || (note.committed() && !removed.contains(note.coordinator()))));
  }

  /** Each once, as committed if that is known. */
  private static List<Note> known(Stream<Note> notes) {
    Map<String, Note> known = new TreeMap<>();
    notes.forEach(note -> known.merge(note.txn().id(), note, (a, b) -> a.committed() ? a : b));
    return List.copyOf(known.values());
  }

  private boolean crt(Note note) {
    return !note.txn().regions(layout).equals(List.of(layout.region(note.coordinator())));
  }

  private boolean elsewhere(Note note) {
    return !layout.region(note.coordinator()).equals(layout.region(self));
  }

  /** It has a CRT from the change of the view on, if it replicates its part. */
  void takePart(Note note, Effects effects) {
    if (!note.txn().participants(layout).contains(self)) {
      return;
    }
    if (!note.committed()) {
      participant.takePart(note);
    } else if (participant.commit(note.txn(), note.coordinator(), true, note.at())) {
      note(note.txn(), true, note.at(), note.coordinator());
      trace("HandleCommitCrt", note.txn().id(), effects);
    }
  }

  /**
   * Repair ViewVotes: votes again on CRTs of other regions that, as far as it knows, wait for that.
   */
  void voteAgain(Effects effects) {
    for (Note note : participant.prepared()) {
      if (elsewhere(note)) {
        effects.send(note.coordinator(), new Vote(note.txn().id(), note.at(), view));
      }
    }
  }

  /** A CRT's state is kept by another replica of this node's shard. */
  void kept(String by, String txn, boolean committed, long wall, Effects effects) {
    coordinator.kept(by, txn, committed, now(wall, effects), effects);
  }

  /** A committed transaction of a removed coordinator: as if this node coordinated it. */
  void inherit(Note note, boolean crt) {
    if (note.txn().participants(layout).contains(self)) {
      participant.commit(note.txn(), note.coordinator(), crt, note.at());
    }
    if (config.repaired(DastConfig.LEGACY_UNTOLD)) {
      note(note.txn(), true, note.at(), note.coordinator());
    }
  }

  @Override
  public Map<Long, List<Long>> store() {
    return participant.store();
  }

  @Override
  public void handle(Input input, ClockReading reading, Effects effects) {
    step(input, reading, effects);
    proceed(reading.localMicros(), effects);
  }

  /** What an input asks for, and nothing that the node then does of its own accord. */
  public void step(Input input, ClockReading reading, Effects effects) {
    long wall = reading.localMicros();
    if (input instanceof Input.Start) {
      effects.setTimer(new DastTimer.Tell(), config.tellMicros());
      effects.setTimer(new DastTimer.Resend(), config.resendMicros());
    } else if (input instanceof Input.ClientRequest request
        && request.request() instanceof DastRequest asked) {
      submit(request.requestId(), asked.txn(), wall, effects);
    } else if (input instanceof Input.TimerFired fired
        && fired.timer() instanceof DastTimer.Tell tell) {
      effects.setTimer(tell, config.tellMicros());
      announce(wall, effects);
    } else if (input instanceof Input.TimerFired fired
        && fired.timer() instanceof DastTimer.Resend resend) {
      effects.setTimer(resend, config.resendMicros());
      region.resend();
      coordinator.resend(now(wall, effects), effects);
      participant.askAgain(effects);
    } else if (input instanceof Input.Deliver deliver) {
      deliver(deliver.from(), deliver.message(), wall, effects);
    }
  }

  /** After an input: commits what it alone decides, tells what is new, executes what is due. */
  void proceed(long wall, Effects effects) {
    if (!begun.isEmpty() && coordinator.complete(begun)) {
      decided(coordinator.commitIrt(begun, effects));
    }
    begun = "";
    if (news) {
      announce(wall, effects);
    }
    news = false;
    boolean more = true;
    while (more) {
      more = executeNext(wall, effects);
    }
  }

  /** Executes the first transaction, if it is due. */
  public boolean executeNext(long wall, Effects effects) {
    return participant.executeNext(wall, effects);
  }

  private void deliver(String from, Object message, long wall, Effects effects) {
    if (message instanceof Prepare prepare) {
      handlePrepare(from, prepare, wall, effects);
    } else if (message instanceof Ack ack) {
      if (coordinator.acknowledged(from, ack.txn())) {
        decided(coordinator.commitIrt(ack.txn(), effects));
      }
    } else if (message instanceof Commit commit) {
      handleCommit(from, commit, wall, effects);
    } else if (message instanceof PrepCrt prepare) {
      handlePrepCrt(prepare, wall, effects);
    } else if (message instanceof Vote vote) {
      if (coordinator.voted(from, vote)) {
        coordinator.commitCrt(vote.txn(), now(wall, effects), effects);
      }
    } else if (message instanceof CommitRemote commit) {
      handleCommitCrt(from, commit, wall, effects);
    } else if (message instanceof Clock clock) {
      handleAnnounce(from, clock, wall, effects);
    } else if (message instanceof ClockAck ack) {
      if (ack.view() >= joined) {
        region.acknowledged(from, ack.ts());
      }
    } else if (message instanceof Output output) {
      handleOutput(output, wall, effects);
    } else if (message instanceof AskOutput ask) {
      participant.outputAgain(from, ask.txn(), effects);
    } else if (message instanceof Result result) {
      coordinator.result(from, result, effects);
    }
  }

  private Timestamp now(long wall, Effects effects) {
    return region.now(wall, participant.holds(), effects);
  }

  private void submit(long request, Txn asked, long wall, Effects effects) {
    if (coordinator.again(asked, request, effects)) {
      return;
    }
    String objection = coordinator.objection(asked);
    if (!objection.isEmpty()) {
      effects.reply(request, new DastResponse.Refused(objection));
      return;
    }
    Txn txn = asked.at(self, layout);
    Timestamp ts = now(wall, effects);
    if (coordinator.crossRegion(txn)) {
      coordinator.coordCrt(txn, ts, request, effects);
      return;
    }
    coordinator.coordIrt(txn, ts, request, effects);
    if (txn.participants(layout).contains(self)) {
      participant.prepareIrt(txn, self, ts);
    }
    note(txn, false, ts, self);
    begun = txn.id();
  }

  /** The coordinator's own part of committing an IRT. */
  private void decided(Coordinator.Decided irt) {
    if (irt.txn().participants(layout).contains(self)) {
      participant.commit(irt.txn(), self, false, irt.ts());
    }
    note(irt.txn(), true, irt.ts(), self);
  }

  /** Tells the participants of this region with the next clock message. */
  private void note(Txn txn, boolean committed, Timestamp at, String coordinatedBy) {
    for (String node : txn.participants(layout)) {
      region.note(node, new Note(txn, committed, at, coordinatedBy));
    }
  }

  /** Line 16. */
  @SpecAction("TwoPhaseAnticipation.HandlePrepare")
  private void handlePrepare(String from, Prepare prepare, long wall, Effects effects) {
    region.seen(prepare.ts(), wall, participant.holds(), effects);
    participant.prepareIrt(prepare.txn(), from, prepare.ts());
    effects.send(from, new Ack(prepare.txn().id()));
    trace("HandlePrepare", prepare.txn().id(), effects);
    news = true;
  }

  @SpecAction("TwoPhaseAnticipation.HandleCommit")
  private void handleCommit(String from, Commit commit, long wall, Effects effects) {
    region.seen(commit.ts(), wall, participant.holds(), effects);
    participant.resultAgain(from, commit.txn().id(), effects);
    participant.commit(commit.txn(), from, false, commit.ts());
    trace("HandleCommit", commit.txn().id(), effects);
  }

  /** Algorithm 2, lines 17 to 20, with the repair Vote. */
  @SpecAction("TwoPhaseAnticipation.HandlePrepCrt")
  private void handlePrepCrt(PrepCrt prepare, long wall, Effects effects) {
    Timestamp last = region.clock.last();
    boolean late = config.repaired(DastConfig.LATE_PREPARE) && last.time() >= prepare.at().time();
    Timestamp at = late ? new Timestamp(last.time() + 1, 0, layout.nid(self)) : prepare.at();
    Timestamp waits = participant.prepareCrt(prepare.txn(), prepare.coordinator(), at);
    if (waits != null) {
      effects.send(prepare.coordinator(), new Vote(prepare.txn().id(), waits, view));
      if (effects.tracing()) {
        effects.trace(
            "TwoPhaseAnticipation.HandlePrepCrt",
            Map.of("n", self, "t", prepare.txn().id(), "asked", prepare.at().parts()),
            Map.of("at", waits.parts()));
      }
      news = true;
    }
  }

  /** Algorithm 2, lines 21 to 26. */
  @SpecAction("TwoPhaseAnticipation.HandleCommitCrt")
  private void handleCommitCrt(String from, CommitRemote commit, long wall, Effects effects) {
    region.clock.hearRemote(self, wall, commit.now().time(), effects);
    participant.resultAgain(from, commit.txn().id(), effects);
    if (participant.commit(commit.txn(), from, true, commit.ts())) {
      note(commit.txn(), true, commit.ts(), from);
      trace("HandleCommitCrt", commit.txn().id(), effects);
      news = true;
    }
  }

  /** Values for a dependent shard (section 4.1). */
  @SpecAction("TwoPhaseAnticipation.HandleOutput")
  private void handleOutput(Output output, long wall, Effects effects) {
    if (participant.input(output)) {
      if (effects.tracing()) {
        effects.trace(
            "TwoPhaseAnticipation.HandleOutput",
            Map.of("n", self, "t", output.txn(), "shard", output.shard()),
            Map.of());
      }
      news = true;
    }
  }

  /** Sections 4.2 and 4.3: clocks and notifications, at the sender. */
  @SpecAction({"TwoPhaseAnticipation.Announce", "TwoPhaseAnticipation.Tell"})
  private void announce(long wall, Effects effects) {
    Timestamp now = now(wall, effects);
    region.tell(now, participant.holds(), effects);
    if (effects.tracing()) {
      effects.trace("TwoPhaseAnticipation.Tell", Map.of("x", self, "now", now.parts()), Map.of());
    }
  }

  /** The same at the receiver. */
  @SpecAction({"TwoPhaseAnticipation.Announce", "TwoPhaseAnticipation.Hear"})
  private void handleAnnounce(String from, Clock clock, long wall, Effects effects) {
    if (!region.heard(from, clock, wall, participant.holds(), effects)) {
      return;
    }
    for (Note note : clock.notes()) {
      boolean crt = crt(note);
      if (!note.committed()) {
        participant.prepareIrt(note.txn(), note.coordinator(), note.at());
      } else if (participant.commit(note.txn(), note.coordinator(), crt, note.at()) && crt) {
        note(note.txn(), true, note.at(), note.coordinator());
      }
    }
    if (!clock.notes().isEmpty()) {
      effects.send(from, new ClockAck(clock.ts(), view));
    }
    if (effects.tracing()) {
      TreeMap<String, Object> args =
          new TreeMap<>(Map.of("x", from, "n", self, "now", clock.ts().parts()));
      if (!clock.notes().isEmpty()) {
        args.put("prepared", ids(clock.notes(), false));
        args.put("committed", ids(clock.notes(), true));
      }
      effects.trace("TwoPhaseAnticipation.Hear", args, Map.of());
    }
  }

  /** The transactions of notes that say that they are committed, or that they are not. */
  static List<String> ids(Collection<Note> notes, boolean committed) {
    return notes.stream()
        .filter(note -> note.committed() == committed)
        .map(note -> note.txn().id())
        .toList();
  }

  private void trace(String action, String txn, Effects effects) {
    if (effects.tracing()) {
      effects.trace("TwoPhaseAnticipation." + action, Map.of("n", self, "t", txn), Map.of());
    }
  }
}
