package dev.plumbline.dast;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumbline.dast.DastMessage.Clock;
import dev.plumbline.dast.DastMessage.CommitRemote;
import dev.plumbline.dast.DastMessage.From;
import dev.plumbline.dast.DastMessage.Install;
import dev.plumbline.dast.DastMessage.Join;
import dev.plumbline.dast.DastMessage.Keep;
import dev.plumbline.dast.DastMessage.Kept;
import dev.plumbline.dast.DastMessage.Note;
import dev.plumbline.dast.DastMessage.PrepCrt;
import dev.plumbline.dast.DastMessage.Resolve;
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

  /** Somebody is to be removed first. */
  @Test
  void aRoundThatAddsNobodyHoldsNoClock() {
    ReplaceableNode n2 = member("n2", CONFIG);
    deliver(n2, "m", 1, new ViewPrep(1, 1, List.of(), "n4", 500));
    assertThat(n2.node().heldBelow()).isEqualTo(500);
    deliver(n2, "m", 1, new ViewPrep(1, 2, List.of("n1"), "", 0));
    assertThat(n2.node().heldBelow()).isEqualTo(StretchableClock.FREE);
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
