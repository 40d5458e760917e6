package dev.plumbline.dast;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumbline.dast.DastMessage.Clock;
import dev.plumbline.dast.DastMessage.ClockAck;
import dev.plumbline.dast.DastMessage.Commit;
import dev.plumbline.dast.DastMessage.CommitRemote;
import dev.plumbline.dast.DastMessage.From;
import dev.plumbline.dast.DastMessage.Install;
import dev.plumbline.dast.DastMessage.Join;
import dev.plumbline.dast.DastMessage.Keep;
import dev.plumbline.dast.DastMessage.Kept;
import dev.plumbline.dast.DastMessage.Note;
import dev.plumbline.dast.DastMessage.PrepCrt;
import dev.plumbline.dast.DastMessage.Prepare;
import dev.plumbline.dast.DastMessage.Resolve;
import dev.plumbline.dast.DastMessage.Result;
import dev.plumbline.dast.DastMessage.ViewAck;
import dev.plumbline.dast.DastMessage.ViewCommit;
import dev.plumbline.dast.DastMessage.ViewPrep;
import dev.plumbline.dast.DastMessage.Vote;
import dev.plumbline.machine.ClockReading;
import dev.plumbline.machine.Input;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** What machines do in corners that no stored behaviour leads to, and runs seldom do. */
class DastCornersTest extends OneShardNodes {
  private static final long JOINING = 2 * View.FIRST;
  private static final DastConfig CONFIG = config(List.of());

  /** The coordinator may be the next to go, and the other keeper may know less. */
  @Test
  void aNewReplicaKeepsWhatItsCheckpointKept() {
    ReplaceableNode n1 = new ReplaceableNode(LAYOUT, Procedures.standard(), "n1", CONFIG);
    n1.handle(new Input.Start(2, List.of()), ClockReading.local(1), out);
    Note note = new Note(txn("7", 0), true, at(10), "n3");
    View removed = new View(1, new TreeMap<>(Map.of("n2", FIRST, "n3", FIRST)), 1);
    Checkpoint told =
        new Checkpoint(
            removed, Map.of(), List.of(), List.of(), at(20), List.of(), List.of(note), List.of());
    deliver(n1, "n2", FIRST, new Install(JOINING, 1, 0, 1, told));
    View back = new View(2, new TreeMap<>(Map.of("n1", JOINING, "n2", FIRST, "n3", FIRST)), 1);
    Change added =
        new Change(back, List.of(), "n1", at(50), at(20), List.of(), List.of(), List.of());
    deliver(n1, "m", 1, new ViewCommit(List.of(added)));
    assertThat(n1.kept("7")).isEqualTo(note);
    deliver(n1, "m", 1, new ViewPrep(3, 1, List.of("n3"), "", 0));
    assertThat(of(ViewAck.class).get(0).crts()).containsExactly(note);
  }

  /** Nobody will say any more that it holds its clock no longer. */
  @Test
  void aRemovedMembersHoldsEndWithIt() {
    ReplaceableNode n2 = member("n2", CONFIG);
    deliver(n2, "n1", FIRST, new Clock(at(10), Map.of("9", 60L), List.of()));
    assertThat(told(n2, 500)).isEqualTo(59);
    deliver(n2, "m", 1, new ViewPrep(1, 1, List.of("n1"), "", 0));
    deliver(n2, "m", 1, new ViewCommit(List.of(removal("n1", "n3"))));
    assertThat(told(n2, 500)).isGreaterThanOrEqualTo(500);
  }

  private long told(ReplaceableNode node, long wall) {
    return toldN3(node, wall).ts().time();
  }

  private Clock toldN3(ReplaceableNode node, long wall) {
    sent.clear();
    receivers.clear();
    node.handle(new Input.TimerFired(new DastTimer.Tell()), ClockReading.local(wall), out);
    return (Clock) ((From) sent.get(receivers.indexOf("n3"))).body();
  }

  /** It may be committed at the time of the first vote, which the clock must not have passed. */
  @Test
  void whoIsAskedAgainForLaterVotesAsBefore() {
    ReplaceableNode n2 = member("n2", CONFIG);
    deliver(n2, "m", 1, new PrepCrt(txn("9", 0), at(200), "other"));
    deliver(n2, "m", 1, new PrepCrt(txn("9", 0), at(5_000), "other"));
    assertThat(of(Vote.class)).extracting(vote -> vote.at().time()).containsExactly(200L, 200L);
    assertThat(told(n2, 9_000)).isEqualTo(199);
  }

  /** The one that it has it from may be removed before it tells the others. */
  @Test
  void aCrtThatIsKnownFromAClockMessageIsToldOn() {
    ReplaceableNode n2 = member("n2", CONFIG);
    Note crt = new Note(txn("9", 0), true, new Timestamp(20, 0, 5), "other");
    deliver(n2, "n1", FIRST, new Clock(new Timestamp(30, 0, 1), Map.of(), List.of(crt)));
    assertThat(toldN3(n2, 500).notes()).containsExactly(crt);
  }

  /** Algorithm 2, line 7. */
  @Test
  void aCrtIsCommittedAboveItsCoordinatorsClock() {
    Coordinator coordinator =
        new Coordinator(LAYOUT, Procedures.standard(), "other", List.of(), CONFIG);
    coordinator.coordCrt(txn("9", 0), at(1), 1, out);
    coordinator.voted("n1", new Vote("9", at(50), 0));
    assertThat(coordinator.voted("n2", new Vote("9", at(60), 0))).isTrue();
    coordinator.commitCrt("9", new Timestamp(700, 0, 5), out);
    assertThat(of(CommitRemote.class)).isNotEmpty();
    assertThat(of(CommitRemote.class).get(0).ts().time()).isGreaterThan(700);
  }

  /** The coordinator's word that it is committed was lost on the way to its keeper. */
  @Test
  void aMemberThatKeepsACrtAsPreparedAndHasCommittedItReportsItAsCommitted() {
    ReplaceableNode n2 = member("n2", CONFIG);
    deliver(n2, "n1", FIRST, new Keep(new Note(txn("1", 0), false, at(10), "n1")));
    deliver(n2, "n1", FIRST, new CommitRemote(txn("1", 0), at(20), at(20)));
    deliver(n2, "m", 1, new ViewPrep(1, 1, List.of("n1"), "", 0));
    assertThat(of(ViewAck.class).get(0).crts()).extracting(Note::committed).containsExactly(true);
  }

  /** The manager's message to prepare it, which comes late, would hold the clock for ever. */
  @Test
  void aCrtThatWasAbortedBeforeItWasKnownIsNotPreparedAfterwards() {
    ReplaceableNode n2 = member("n2", CONFIG);
    Txn crt = txn("9", 0);
    deliver(n2, "other", FIRST, new Resolve(new Note(crt, false, at(10), "other")));
    deliver(n2, "m", 1, new PrepCrt(crt, at(5_000), "other"));
    assertThat(of(Vote.class)).isEmpty();
    assertThat(n2.node().known("9")).isNull();
  }

  /** The head is the time of a CRT that the clock stays below. */
  @Test
  void aStretchedClockDoesNotFollowToItsHead() {
    StretchableClock clock = new StretchableClock(1, true);
    clock.create(50, 60);
    clock.follow(new Timestamp(60, 0, 2), 60);
    assertThat(clock.last().time()).isLessThan(60);
    clock.follow(new Timestamp(59, 3, 2), 60);
    assertThat(clock.last()).isEqualTo(new Timestamp(59, 4, 1));
    assertThat(clock.create(60, 60)).isEqualTo(new Timestamp(59, 5, 1));
  }

  /** Repair Apart, for two CRTs of one coordinator. */
  @Test
  void aCoordinatorCommitsTwoCrtsAtDifferentTimes() {
    ReplaceableNode n2 = member("n2", CONFIG);
    for (String id : List.of("8", "9")) {
      Txn crt = txn(id, OneShard.REMOTE_KEY);
      n2.handle(new Input.ClientRequest(1, new DastRequest(crt)), ClockReading.local(50), out);
      deliver(n2, "n1", FIRST, new Kept(id, false));
      deliver(n2, "other", FIRST, new Vote(id, at(80), 0));
      deliver(n2, "n1", FIRST, new Kept(id, true));
    }
    assertThat(of(CommitRemote.class))
        .extracting(commit -> commit.ts().time())
        .hasSize(2)
        .doesNotHaveDuplicates();
  }

  /** Its clock may be past the vote, and other transactions may have that time. */
  @Test
  void aCrtIsCommittedAboveEveryVote() {
    for (long vote = 80; vote < 80 + LAYOUT.processes(); vote++) {
      Coordinator coordinator =
          new Coordinator(LAYOUT, Procedures.standard(), "other", List.of(), CONFIG);
      coordinator.coordCrt(txn("9", 0), at(1), 1, out);
      coordinator.voted("n1", new Vote("9", at(1), 0));
      coordinator.voted("n2", new Vote("9", at(1), 0));
      coordinator.voted("n3", new Vote("9", at(vote), 0));
      sent.clear();
      coordinator.commitCrt("9", at(1), out);
      assertThat(of(CommitRemote.class)).isNotEmpty();
      assertThat(of(CommitRemote.class).get(0).ts().time()).isGreaterThan(vote);
    }
  }

  /** Two coordinators, whose numbers are as far apart as can be, never use one time. */
  @Test
  void coordinatorsCommitCrtsAtDifferentTimes() {
    TreeMap<Long, String> used = new TreeMap<>();
    for (String self : List.of("n1", "n2", "n3", "other")) {
      Coordinator coordinator =
          new Coordinator(LAYOUT, Procedures.standard(), self, List.of(), CONFIG);
      for (long id = 1; id < 9; id++) {
        Txn crt = txn(Long.toString(id), OneShard.REMOTE_KEY);
        coordinator.coordCrt(crt, at(1), 1, out);
        coordinator.voted("other", new Vote(crt.id(), at(80), 0));
        sent.clear();
        coordinator.commitCrt(crt.id(), new Timestamp(1, 0, LAYOUT.nid(self)), out);
        long time = of(CommitRemote.class).get(0).ts().time();
        assertThat(used.put(time, self)).as("at %s", time).isNull();
      }
    }
  }

  /** Its fates come in no order. */
  @Test
  void aCrtGetsNoTimeBeforeThePredecessorsLast() {
    Coordinator coordinator =
        new Coordinator(LAYOUT, Procedures.standard(), "other", List.of(), CONFIG);
    coordinator.hasCommitted(at(700));
    coordinator.hasCommitted(at(100));
    coordinator.coordCrt(txn("9", OneShard.REMOTE_KEY), at(1), 1, out);
    coordinator.voted("other", new Vote("9", at(80), 0));
    coordinator.commitCrt("9", new Timestamp(1, 0, 5), out);
    assertThat(of(CommitRemote.class).get(0).ts().time()).isGreaterThan(700);
  }

  /** What it has decided it keeps to, whoever votes later and whatever comes late. */
  @Test
  void aCrtIsDecidedOnce() {
    ReplaceableNode n2 = member("n2", CONFIG);
    Txn crt = txn("9", OneShard.REMOTE_KEY);
    n2.handle(new Input.ClientRequest(1, new DastRequest(crt)), ClockReading.local(50), out);
    deliver(n2, "other", FIRST, new Vote("9", at(70), 0));
    assertThat(of(Keep.class)).as("not yet kept").allMatch(keep -> !keep.note().committed());
    deliver(n2, "n1", FIRST, new Kept("9", false));
    sent.clear();
    deliver(n2, "other", FIRST, new Vote("9", at(80), 0));
    Keep decided = of(Keep.class).get(0);
    deliver(n2, "other", FIRST, new Vote("9", at(600), 0));
    deliver(n2, "n3", FIRST, new Kept("9", false));
    assertThat(of(CommitRemote.class)).as("nobody keeps that").isEmpty();
    deliver(n2, "other", FIRST, new Vote("9", at(700), 0));
    deliver(n2, "n3", FIRST, new Kept("9", true));
    assertThat(of(Keep.class)).allMatch(decided::equals);
    assertThat(of(CommitRemote.class))
        .isNotEmpty()
        .allMatch(commit -> commit.ts().equals(decided.note().at()));
  }

  /** The message was repeated before it was known that it had arrived. */
  @Test
  void anIrtThatIsCommittedStaysSoWhateverComesLate() {
    ReplaceableNode n2 = member("n2", CONFIG);
    Txn irt = txn("1", 0);
    Timestamp stamped = new Timestamp(70, 0, 1);
    deliver(n2, "n1", FIRST, new Commit(irt, stamped));
    deliver(n2, "n1", FIRST, new Prepare(irt, stamped));
    assertThat(n2.node().known("1").committed()).isTrue();
  }

  /** A node that went past others alone could stamp below what it has executed. */
  @Test
  void nothingIsExecutedBeforeTheNodesOwnClockHasPassed() {
    ReplaceableNode n2 = member("n2", CONFIG);
    deliver(n2, "m", 1, new PrepCrt(txn("8", 0), at(60), "other"));
    deliver(n2, "n1", FIRST, new Commit(txn("1", 0), new Timestamp(70, 0, 1)));
    for (String peer : List.of("n1", "n3", "m")) {
      Timestamp passed = new Timestamp(95, 0, LAYOUT.nid(peer));
      deliver(n2, peer, peer.equals("m") ? 1 : FIRST, new Clock(passed, Map.of(), List.of()));
    }
    assertThat(n2.node().executed("1")).isFalse();
    deliver(n2, "other", FIRST, new Resolve(new Note(txn("8", 0), false, at(60), "other")));
    assertThat(n2.node().executed("1")).isTrue();
  }

  /** Repair TieBreak: by number, as ids are written in no fixed length. */
  @Test
  void ofOneTimestampTheTransactionWithTheSmallerNumberIsFirst() {
    ReplaceableNode n2 = member("n2", CONFIG);
    for (String id : List.of("10", "9")) {
      deliver(n2, "n1", FIRST, new Commit(txn(id, 0), new Timestamp(70, 0, 1)));
    }
    for (String peer : List.of("n1", "n3", "m")) {
      Timestamp passed = new Timestamp(95, 0, LAYOUT.nid(peer));
      deliver(n2, peer, peer.equals("m") ? 1 : FIRST, new Clock(passed, Map.of(), List.of()));
    }
    assertThat(of(Result.class)).extracting(Result::txn).containsExactly("9", "10");
  }

  /** Repair FreezeTime. */
  @Test
  void timestampsAreComparedByTimeAndFractionBeforeTheirNodes() {
    assertThat(new Timestamp(5, 0, 2).before(new Timestamp(5, 1, 1))).isTrue();
    assertThat(new Timestamp(5, 9, 9).before(new Timestamp(6, 0, 1))).isTrue();
    assertThat(new Timestamp(5, 1, 1).before(new Timestamp(5, 1, 2))).isTrue();
  }

  /** A wall clock that is set back does not take it below. */
  @Test
  void aClockThatStartsAboveATimestampIsAboveItsFraction() {
    StretchableClock clock = new StretchableClock(4, true);
    Timestamp told = new Timestamp(60, 3, 2);
    clock.startAbove(told, 100);
    assertThat(told.before(clock.create(0, StretchableClock.FREE))).isTrue();
  }

  /** Others stay below each. */
  @Test
  void aClockMessageTellsOfEveryCrtThatHoldsItsSender() {
    ReplaceableNode n2 = member("n2", CONFIG);
    deliver(n2, "m", 1, new PrepCrt(txn("8", 0), at(200), "other"));
    deliver(n2, "m", 1, new PrepCrt(txn("9", 0), at(300), "other"));
    assertThat(toldN3(n2, 500).holds()).isEqualTo(Map.of("8", 200L, "9", 300L));
  }

  /** What it was told of the transaction before counts no more. */
  @Test
  void aCrtIsExecutedAtTheTimeOfItsCommit() {
    ReplaceableNode n2 = member("n2", CONFIG);
    deliver(n2, "m", 1, new PrepCrt(txn("9", 0), at(60), "other"));
    deliver(n2, "other", FIRST, new CommitRemote(txn("9", 0), at(75), at(75)));
    assertThat(n2.node().known("9")).isEqualTo(new Note(txn("9", 0), true, at(75), "other"));
  }

  /** Nothing above it may be executed before it is, and it waits for another region. */
  @Test
  void aCommittedCrtThatWaitsForValuesHoldsTheClock() {
    ReplaceableNode n2 = member("n2", CONFIG);
    Step from = new Step(0, Step.Kind.ADD, OneShard.REMOTE_KEY, -5);
    Step to = new Step(1, Step.Kind.ADD, 0, 5);
    Txn transfer =
        new Txn(
            "9",
            Procedures.TRANSFER,
            Map.of(
                "t", new Txn.Part(Procedures.DEBIT, List.of(from)),
                "s", new Txn.Part(Procedures.CREDIT, List.of(to))));
    deliver(n2, "other", FIRST, new CommitRemote(transfer, at(75), at(75)));
    assertThat(toldN3(n2, 900).holds()).isEqualTo(Map.of("9", 75L));
    assertThat(told(n2, 950)).isEqualTo(74);
    deliver(n2, "other", FIRST, new DastMessage.Output("9", "t", Map.of("covered", 1L)));
    assertThat(told(n2, 950)).isGreaterThanOrEqualTo(950);
  }

  /** The first result was lost on its way. */
  @Test
  void whoIsToldAgainThatItIsCommittedAnswersAgain() {
    ReplaceableNode n2 = member("n2", CONFIG);
    Commit irt = new Commit(txn("1", 0), new Timestamp(70, 0, 1));
    CommitRemote crt = new CommitRemote(txn("9", 0), at(75), at(75));
    deliver(n2, "n1", FIRST, irt);
    deliver(n2, "other", FIRST, crt);
    for (String peer : List.of("n1", "n3", "m")) {
      Timestamp passed = new Timestamp(95, 0, LAYOUT.nid(peer));
      deliver(n2, peer, peer.equals("m") ? 1 : FIRST, new Clock(passed, Map.of(), List.of()));
    }
    assertThat(of(Result.class)).extracting(Result::txn).containsExactly("1", "9");
    deliver(n2, "n1", FIRST, irt);
    deliver(n2, "other", FIRST, crt);
    assertThat(of(Result.class)).extracting(Result::txn).containsExactly("1", "9", "1", "9");
  }

  /** Not all have executed it, whoever has and whoever has voted. */
  @Test
  void aCommitIsRepeatedToWhoHasNotExecutedIt() {
    ReplaceableNode n2 = member("n2", CONFIG);
    Txn irt = txn("1", 0);
    n2.handle(new Input.ClientRequest(1, new DastRequest(irt)), ClockReading.local(50), out);
    deliver(n2, "n3", FIRST, new DastMessage.Ack("1"));
    Result result = new Result("1", "s", true, Map.of(0, List.of(1L, 7L)));
    deliver(n2, "n1", FIRST, result);
    sent.clear();
    receivers.clear();
    n2.handle(new Input.TimerFired(new DastTimer.Resend()), ClockReading.local(90), out);
    assertThat(of(Commit.class)).hasSize(1);
    assertThat(receivers).containsExactly("n3");
  }

  /** Others commit it so when its coordinator is gone, and so does who takes its place. */
  @Test
  void whoKeepsACrtKeepsAtWhichTimeItIsCommitted() {
    ReplaceableNode n2 = member("n2", CONFIG);
    Txn crt = txn("9", OneShard.REMOTE_KEY);
    n2.handle(new Input.ClientRequest(1, new DastRequest(crt)), ClockReading.local(50), out);
    deliver(n2, "n1", FIRST, new Kept("9", false));
    assertThat(n2.kept("9")).isNull();
    sent.clear();
    deliver(n2, "other", FIRST, new Vote("9", at(80), 0));
    deliver(n2, "n1", FIRST, new Kept("9", true));
    Timestamp committed = of(CommitRemote.class).get(0).ts();
    Note note = new Note(crt, true, committed, "n2");
    assertThat(of(Keep.class)).contains(new Keep(note)).allMatch(k -> k.note().equals(note));
    assertThat(n2.kept("9")).isEqualTo(note);
  }

  /** It was overtaken on its way: what its sender held and noted then is over. */
  @Test
  void anOlderClockMessageChangesNothing() {
    ReplaceableNode n2 = member("n2", CONFIG);
    Timestamp newer = new Timestamp(40, 0, 1);
    deliver(n2, "n1", FIRST, new Clock(newer, Map.of("8", 70L), List.of()));
    Note crt = new Note(txn("9", 0), true, new Timestamp(20, 0, 5), "other");
    deliver(n2, "n1", FIRST, new Clock(new Timestamp(30, 0, 1), Map.of(), List.of(crt)));
    assertThat(n2.node().passedBy("n1")).isEqualTo(newer);
    assertThat(n2.node().told().get("n1")).containsEntry("8", 70L);
    assertThat(of(ClockAck.class)).isEmpty();
    deliver(n2, "n1", FIRST, new Clock(new Timestamp(50, 0, 1), Map.of(), List.of()));
    assertThat(n2.node().told().get("n1")).as("the newest counts").isEmpty();
  }

  /** Another one may have the very timestamp, and be told of with the next message. */
  @Test
  void aClockIsNotPastItsOwnTimestamp() {
    Region region = new Region(LAYOUT, "n2", CONFIG);
    Timestamp n1 = new Timestamp(40, 0, 1);
    region.heard("n1", new Clock(n1, Map.of(), List.of()), 1, Map.of(), out);
    for (String peer : List.of("n3", "m")) {
      Timestamp later = new Timestamp(90, 0, LAYOUT.nid(peer));
      region.heard(peer, new Clock(later, Map.of(), List.of()), 1, Map.of(), out);
    }
    assertThat(region.passed(n1)).isFalse();
    assertThat(region.passed(at(40))).isTrue();
  }

  /** The sender's notes until then, and no others. */
  @Test
  void aClockMessageIsAcknowledgedWithItsOwnTime() {
    ReplaceableNode n2 = member("n2", CONFIG);
    told(n2, 500);
    sent.clear();
    Timestamp theirs = new Timestamp(30, 0, 1);
    Note irt = new Note(txn("1", 0), false, new Timestamp(20, 0, 1), "n1");
    deliver(n2, "n1", FIRST, new Clock(theirs, Map.of(), List.of(irt)));
    assertThat(of(ClockAck.class)).containsExactly(new ClockAck(theirs, 0));
    deliver(n2, "m", 1, new ViewCommit(List.of(removal("n1", "n3"))));
    deliver(n2, "n3", FIRST, new Clock(new Timestamp(35, 0, 3), Map.of(), List.of(irt)));
    assertThat(of(ClockAck.class)).last().isEqualTo(new ClockAck(new Timestamp(35, 0, 3), 1));
  }

  /** The clock may be read again at that time, and is past what is asked for at once. */
  @Test
  void aCrtThatIsAnticipatedForTheTimeThatTheClockShowsIsVotedUp() {
    ReplaceableNode n2 = member("n2", CONFIG);
    long time = told(n2, 200);
    sent.clear();
    deliver(n2, "m", 1, new PrepCrt(txn("9", 0), at(time), "other"));
    assertThat(of(Vote.class)).extracting(vote -> vote.at().time()).containsExactly(time + 1);
    assertThat(told(n2, 900)).isEqualTo(time);
  }

  /** Somebody is to be removed first. */
  @Test
  void aRoundThatAddsNobodyHoldsNoClock() {
    ReplaceableNode n2 = member("n2", CONFIG);
    deliver(n2, "m", 1, new ViewPrep(1, 1, List.of(), "n4", 500));
    assertThat(n2.node().heldBelow()).isEqualTo(500);
    assertThat(told(n2, 900)).isEqualTo(499);
    deliver(n2, "m", 1, new ViewPrep(1, 2, List.of("n1"), "", 0));
    assertThat(n2.node().heldBelow()).isEqualTo(StretchableClock.FREE);
  }

  /** What it has stamped is below the new member's first timestamp, and so is what it will. */
  @Test
  void aClockThatIsPastTheAdditionIsHeldAboveItself() {
    ReplaceableNode n2 = member("n2", CONFIG);
    long time = told(n2, 700);
    deliver(n2, "m", 1, new ViewPrep(1, 1, List.of(), "n4", 500));
    assertThat(n2.node().heldBelow()).isEqualTo(time + 1);
    deliver(n2, "m", 1, new ViewCommit(List.of(removal("n1", "n3"))));
    assertThat(told(n2, 900)).as("until the next view").isEqualTo(900);
  }

  /** What was noted after the clock was read was not in the message that has that time. */
  @Test
  void aNoteIsToldAgainUntilAMessageThatHadItIsAcknowledged() {
    Region region = new Region(LAYOUT, "n2", CONFIG);
    Timestamp told = region.now(50, Map.of(), out);
    region.tell(told, Map.of(), out);
    Note note = new Note(txn("1", 0), false, told, "n2");
    region.note("n1", note);
    region.acknowledged("n1", told);
    assertThat(notesToN1(region, 60)).containsExactly(note);
    region.acknowledged("n1", region.clock.last());
    assertThat(notesToN1(region, 70)).isEmpty();
  }

  /** A message of before may be on its way to who is a member no more, and reach the new one. */
  @Test
  void aNewMemberIsToldUntilItAcknowledgesAMessageToItself() {
    Region region = new Region(LAYOUT, "n2", CONFIG);
    Timestamp stamped = region.now(50, Map.of(), out);
    Note note = new Note(txn("1", 0), false, stamped, "n2");
    region.note("n1", note);
    region.remove("n1");
    Timestamp executed = new Timestamp(stamped.time(), stamped.frac(), 1);
    assertThat(executed.before(stamped)).as("by its node alone").isTrue();
    region.add("n1", at(60), executed, LAYOUT);
    region.acknowledged("n1", at(stamped.time()));
    assertThat(notesToN1(region, 70)).containsExactly(note);
  }

  private List<Note> notesToN1(Region region, long wall) {
    sent.clear();
    receivers.clear();
    region.tell(region.now(wall, Map.of(), out), Map.of(), out);
    return ((Clock) sent.get(receivers.indexOf("n1"))).notes();
  }

  /** Whoever is removed for its silence again and again has been many by the time it is ended. */
  @Test
  void aNodeThatStartsAgainIsNoneOfThoseThatItWasBefore() {
    ReplaceableNode n1 = new ReplaceableNode(LAYOUT, Procedures.standard(), "n1", CONFIG);
    n1.handle(new Input.Start(2, List.of()), ClockReading.local(1), out);
    for (int i = 0; i < 5_000; i++) {
      long now = joining();
      TreeMap<String, Long> members = new TreeMap<>(Map.of("n1", now, "n2", FIRST));
      View without = new View(i + 1, members, 1);
      deliver(
          n1,
          "m",
          1,
          new ViewCommit(
              List.of(
                  new Change(
                      without, List.of(), "n1", at(9), at(9), List.of(), List.of(), List.of()))));
      assertThat(joining()).as("its checkpoint was lost").isEqualTo(now + 1);
    }
    long last = joining();
    n1.handle(new Input.Start(3, List.of()), ClockReading.local(1), out);
    assertThat(joining()).isGreaterThan(last);
  }

  private long joining() {
    From last = (From) sent.get(sent.size() - 1);
    assertThat(last.body()).isInstanceOf(Join.class);
    return last.incarnation();
  }

  private static Change removal(String gone, String other) {
    View view = new View(1, new TreeMap<>(Map.of("n2", FIRST, other, FIRST)), 1);
    return new Change(view, List.of(gone), "", at(0), at(0), List.of(), List.of(), List.of());
  }
}
