package dev.plumbline.dast;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumbline.dast.DastMessage.AskEnd;
import dev.plumbline.dast.DastMessage.Clock;
import dev.plumbline.dast.DastMessage.ClockAck;
import dev.plumbline.dast.DastMessage.Commit;
import dev.plumbline.dast.DastMessage.CommitRemote;
import dev.plumbline.dast.DastMessage.From;
import dev.plumbline.dast.DastMessage.Install;
import dev.plumbline.dast.DastMessage.Join;
import dev.plumbline.dast.DastMessage.Note;
import dev.plumbline.dast.DastMessage.PrepCrt;
import dev.plumbline.dast.DastMessage.Resolve;
import dev.plumbline.dast.DastMessage.Resolved;
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
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A CRT of another region, whose voters here are replaced one by one (DAST-F17, {@code
 * ParticipantFailover} with its repairs). n1 and n2 voted on it, n3 has nothing of it.
 */
class TakingPartTest extends OneShardNodes {
  private static final Note PREPARED = new Note(txn("9", 0), false, at(50), "other");
  private static final Note COMMITTED = new Note(txn("9", 0), true, at(50), "other");

  private static DastConfig with(boolean repaired, String published) {
    return config(repaired ? List.of() : List.of(published));
  }

  private static Change change(long number, List<String> members, String gone, List<Note> parts) {
    TreeMap<String, Long> all = new TreeMap<>();
    members.forEach(member -> all.put(member, FIRST));
    View view = new View(number, all, 1);
    return new Change(view, List.of(gone), "", at(0), at(0), List.of(), List.of(), parts);
  }

  /** Otherwise n3 passes the CRT and executes what is above, and the commit comes too late. */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void whoTakesPartReportsItAndEverybodyHasItAfterwards(boolean repaired) {
    DastConfig config = with(repaired, DastConfig.PART_UNREPORTED);
    ReplaceableNode n2 = member("n2", config);
    deliver(n2, "m", 1, new PrepCrt(PREPARED.txn(), PREPARED.at(), "other"));
    assertThat(of(Vote.class)).containsExactly(new Vote("9", at(50), 0));
    deliver(n2, "m", 1, new ViewPrep(1, 1, List.of("n1"), "", 0));
    List<Note> parts = of(ViewAck.class).get(0).parts();
    assertThat(parts).isEqualTo(repaired ? List.of(PREPARED) : List.of());

    ReplaceableNode n3 = member("n3", config);
    deliver(n3, "m", 1, new ViewCommit(List.of(change(1, List.of("n2", "n3"), "n1", parts))));
    deliver(n3, "m", 1, new ViewCommit(List.of(change(2, List.of("n3"), "n2", List.of()))));
    sent.clear();
    n3.handle(new Input.TimerFired(new DastTimer.Tell()), ClockReading.local(500), out);
    assertThat(of(Clock.class).get(0).ts().time()).isEqualTo(repaired ? 49 : 500);
  }

  /** Its clock may have passed the CRT before it heard of it; what it has not executed waits. */
  @Test
  void nothingIsExecutedAboveACrtThatAChangeOfTheViewBrought() {
    ReplaceableNode n3 = member("n3", config(List.of()));
    deliver(n3, "n2", FIRST, new Commit(txn("8", 0), new Timestamp(60, 0, 2)));
    n3.handle(new Input.TimerFired(new DastTimer.Tell()), ClockReading.local(90), out);
    List<Note> parts = List.of(PREPARED);
    deliver(n3, "m", 1, new ViewCommit(List.of(change(1, List.of("n2", "n3"), "n1", parts))));
    for (String peer : List.of("n2", "m")) {
      Timestamp passed = new Timestamp(95, 0, LAYOUT.nid(peer));
      deliver(n3, peer, peer.equals("m") ? 1 : FIRST, new Clock(passed, Map.of(), List.of()));
    }
    assertThat(n3.node().executed("8")).isFalse();
    deliver(n3, "other", FIRST, new CommitRemote(PREPARED.txn(), at(50), at(50)));
    assertThat(of(Result.class)).extracting(Result::txn).containsExactly("9", "8");
  }

  /** A member that has executed it may be the only one that knows of its commit. */
  @Test
  void aCrtIsReportedUntilAllMembersAreKnownToHaveIt() {
    ReplaceableNode n2 = member("n2", config(List.of()));
    deliver(n2, "other", FIRST, new CommitRemote(COMMITTED.txn(), at(50), at(50)));
    n2.handle(new Input.TimerFired(new DastTimer.Tell()), ClockReading.local(90), out);
    for (String peer : List.of("n1", "n3", "m")) {
      Timestamp passed = new Timestamp(95, 0, LAYOUT.nid(peer));
      deliver(n2, peer, peer.equals("m") ? 1 : FIRST, new Clock(passed, Map.of(), List.of()));
    }
    assertThat(n2.node().executed("9")).isTrue();
    deliver(n2, "n1", FIRST, new ClockAck(at(100), 0));
    deliver(n2, "m", 1, new ViewPrep(1, 1, List.of(), "", 0));
    deliver(n2, "n3", FIRST, new ClockAck(at(100), 0));
    deliver(n2, "m", 1, new ViewPrep(1, 2, List.of(), "", 0));
    assertThat(of(ViewAck.class))
        .extracting(ViewAck::parts)
        .containsExactly(List.of(COMMITTED), List.of());
  }

  /** Who had the commit told nobody before it went. */
  @Test
  void aChangeBringsACommitThatAMemberMissed() {
    ReplaceableNode n3 = member("n3", config(List.of()));
    List<Note> parts = List.of(COMMITTED);
    deliver(n3, "m", 1, new ViewCommit(List.of(change(1, List.of("n2", "n3"), "n1", parts))));
    assertThat(n3.node().known("9")).isEqualTo(COMMITTED);
    sent.clear();
    n3.handle(new Input.TimerFired(new DastTimer.Tell()), ClockReading.local(90), out);
    assertThat(of(Clock.class)).anyMatch(clock -> clock.notes().contains(COMMITTED));
  }

  /** A region has several shards, and a change brings the CRTs of all. */
  @Test
  void whoReplicatesNothingOfACrtTakesNoPart() {
    ReplaceableNode n3 = member("n3", config(List.of()));
    Note other = new Note(txn("7", OneShard.REMOTE_KEY), false, at(50), "other");
    List<Note> parts = List.of(other);
    deliver(n3, "m", 1, new ViewCommit(List.of(change(1, List.of("n2", "n3"), "n1", parts))));
    assertThat(n3.node().known("7")).isNull();
    assertThat(of(Vote.class)).isEmpty();
  }

  @Test
  void aManagersChangeHasWhatAnyMemberReported() {
    ReplaceableManager manager = new ReplaceableManager(LAYOUT, "m", config(List.of()));
    manager.handle(new Input.Start(1, List.of()), ClockReading.local(1), out);
    deliver(manager, "n1", FIRST + 1, new Join());
    answer(manager, "n2", List.of(), List.of(), List.of(COMMITTED));
    answer(manager, "n3", List.of(), List.of(), List.of(PREPARED));
    assertThat(decided).singleElement().extracting(Change::parts).isEqualTo(List.of(COMMITTED));
  }

  /** The second incarnation of n1, with an empty checkpoint and a part that others reported. */
  private ReplaceableNode joined(Note part) {
    return joined(part, List.of(), 30);
  }

  /**
   * The same.
   *
   * @param pending what waits in the checkpoint
   * @param start where its clock starts
   */
  private ReplaceableNode joined(Note part, List<Checkpoint.Waiting> pending, long start) {
    ReplaceableNode n1 =
        new ReplaceableNode(LAYOUT, Procedures.standard(), "n1", config(List.of()));
    n1.handle(new Input.Start(2, List.of()), ClockReading.local(1), out);
    View removed = new View(1, new TreeMap<>(Map.of("n2", FIRST, "n3", FIRST)), 1);
    Checkpoint told =
        new Checkpoint(
            removed, Map.of(), List.of(), pending, at(20), List.of(), List.of(), List.of());
    deliver(n1, "n2", FIRST, new Install(2 * FIRST, 1, 0, 1, told));
    View back = new View(2, new TreeMap<>(Map.of("n1", 2 * FIRST, "n2", FIRST, "n3", FIRST)), 1);
    List<Note> parts = List.of(part);
    Change added =
        new Change(back, List.of(), "n1", at(start), at(20), List.of(), List.of(), parts);
    deliver(n1, "m", 1, new ViewCommit(List.of(added)));
    return n1;
  }

  /** A new replica whose checkpoint is of before has what others report, and votes in its view. */
  @Test
  void whoIsAddedTakesPartAsWell() {
    ReplaceableNode n1 = joined(PREPARED);
    assertThat(n1.node().known("9")).isEqualTo(PREPARED);
    assertThat(of(Vote.class)).containsExactly(new Vote("9", at(50), 2));
  }

  /**
   * Its clock starts above a CRT that waits in its checkpoint, as do those that it was brought to.
   */
  @Test
  void aNewReplicaExecutesNothingAboveACrtOfItsCheckpoint() {
    ReplaceableNode n1 =
        joined(PREPARED, List.of(new Checkpoint.Waiting(PREPARED, true, Map.of())), 80);
    deliver(n1, "n2", FIRST, new Commit(txn("8", 0), new Timestamp(60, 0, 2)));
    for (String peer : List.of("n2", "n3", "m")) {
      Timestamp passed = new Timestamp(95, 0, LAYOUT.nid(peer));
      deliver(n1, peer, peer.equals("m") ? 1 : FIRST, new Clock(passed, Map.of(), List.of()));
    }
    assertThat(n1.node().executed("8")).isFalse();
    deliver(n1, "other", FIRST, new CommitRemote(PREPARED.txn(), at(50), at(50)));
    assertThat(of(Result.class)).extracting(Result::txn).containsExactly("9", "8");
  }

  /** The abort was told to n1 as it was before, and to n2 after n2 had sent its checkpoint. */
  @Test
  void aNewReplicaAsksHowACrtEndedThatItsPredecessorKnewOf() {
    ReplaceableManager theirs = new ReplaceableManager(LAYOUT, "m", config(List.of()));
    View first = new View(0, new TreeMap<>(Map.of("other", FIRST)), 1);
    Change aborts =
        new Change(
            first, List.of("gone"), "", at(0), at(0), List.of(), List.of(PREPARED), List.of());
    theirs.handle(new Input.Start(1, List.of(aborts)), ClockReading.local(1), out);
    for (String told : List.of("n1", "n2", "n3")) {
      deliver(theirs, told, FIRST, new Resolved("9"));
    }
    ReplaceableNode n1 = joined(PREPARED);
    sent.clear();
    theirs.handle(new Input.TimerFired(new DastTimer.Resend()), ClockReading.local(200), out);
    assertThat(of(Resolve.class)).as("all have answered").isEmpty();

    n1.handle(new Input.TimerFired(new DastTimer.Resend()), ClockReading.local(200), out);
    assertThat(of(AskEnd.class)).as("it may come yet").isEmpty();
    n1.handle(new Input.TimerFired(new DastTimer.Resend()), ClockReading.local(300), out);
    assertThat(of(AskEnd.class)).containsExactly(new AskEnd("9"));
    deliver(theirs, "n1", 2 * FIRST, new AskEnd("8"));
    assertThat(of(Resolve.class)).as("nobody aborted that").isEmpty();
    deliver(theirs, "n1", 2 * FIRST, new AskEnd("9"));
    deliver(n1, "m", 1, of(Resolve.class).get(0));
    sent.clear();
    n1.handle(new Input.TimerFired(new DastTimer.Tell()), ClockReading.local(500), out);
    assertThat(of(Clock.class).get(0).ts().time()).as("nothing holds it").isEqualTo(500);
    n1.handle(new Input.TimerFired(new DastTimer.Resend()), ClockReading.local(600), out);
    assertThat(of(AskEnd.class)).isEmpty();
  }

  /** What its own region's coordinator asks for is that coordinator's to report. */
  @Test
  void crtsOfItsOwnRegionAreNeitherReportedNorVotedOnAgain() {
    ReplaceableNode n2 = member("n2", config(List.of()));
    deliver(n2, "m", 1, new PrepCrt(PREPARED.txn(), PREPARED.at(), "n3"));
    deliver(n2, "m", 1, new ViewPrep(1, 1, List.of("n1"), "", 0));
    assertThat(of(ViewAck.class).get(0).parts()).isEmpty();
    sent.clear();
    deliver(n2, "m", 1, new ViewCommit(List.of(change(1, List.of("n2", "n3"), "n1", List.of()))));
    assertThat(of(Vote.class)).isEmpty();
  }

  /** Two votes of different views are a majority that no view had. */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void votesOfOneViewMakeAMajority(boolean repaired) {
    DastConfig config = with(repaired, DastConfig.VOTES_MIXED);
    Coordinator coordinator =
        new Coordinator(LAYOUT, Procedures.standard(), "other", List.of(), config);
    coordinator.coordCrt(PREPARED.txn(), at(1), 1, out);
    assertThat(coordinator.voted("n1", new Vote("9", at(50), 0))).isFalse();
    assertThat(coordinator.voted("n3", new Vote("9", at(55), 1))).isEqualTo(!repaired);
    assertThat(coordinator.voted("n1", new Vote("9", at(50), 1))).isTrue();
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void aMemberVotesAgainInANewView(boolean repaired) {
    ReplaceableNode n2 = member("n2", with(repaired, DastConfig.VOTES_MIXED));
    deliver(n2, "m", 1, new PrepCrt(PREPARED.txn(), PREPARED.at(), "other"));
    sent.clear();
    deliver(n2, "m", 1, new ViewCommit(List.of(change(1, List.of("n2", "n3"), "n1", List.of()))));
    assertThat(of(Vote.class)).isEqualTo(repaired ? List.of(new Vote("9", at(50), 1)) : List.of());
    deliver(n2, "m", 1, new PrepCrt(PREPARED.txn(), PREPARED.at(), "other"));
    assertThat(of(Vote.class)).last().isEqualTo(new Vote("9", at(50), 1));
    assertThat(sent).allMatch(message -> message instanceof From);
  }
}
