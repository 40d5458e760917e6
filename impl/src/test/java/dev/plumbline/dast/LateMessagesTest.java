package dev.plumbline.dast;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumbline.dast.DastMessage.Ack;
import dev.plumbline.dast.DastMessage.Clock;
import dev.plumbline.dast.DastMessage.ClockAck;
import dev.plumbline.dast.DastMessage.CommitRemote;
import dev.plumbline.dast.DastMessage.From;
import dev.plumbline.dast.DastMessage.Install;
import dev.plumbline.dast.DastMessage.Join;
import dev.plumbline.dast.DastMessage.Keep;
import dev.plumbline.dast.DastMessage.Kept;
import dev.plumbline.dast.DastMessage.Note;
import dev.plumbline.dast.DastMessage.PrepCrt;
import dev.plumbline.dast.DastMessage.PrepRemote;
import dev.plumbline.dast.DastMessage.Result;
import dev.plumbline.dast.DastMessage.ViewAck;
import dev.plumbline.dast.DastMessage.ViewCommit;
import dev.plumbline.dast.DastMessage.ViewPrep;
import dev.plumbline.dast.DastMessage.ViewTaken;
import dev.plumbline.dast.DastMessage.Vote;
import dev.plumbline.machine.ClockReading;
import dev.plumbline.machine.Input;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** Messages that come late or not at all while one member after the other is replaced. */
class LateMessagesTest extends OneShardNodes {
  private static final long BACK = 2 * View.FIRST;

  private static View view(long number, long n1) {
    TreeMap<String, Long> members = new TreeMap<>(Map.of("n2", FIRST, "n3", FIRST));
    if (n1 > 0) {
      members.put("n1", n1);
    }
    return new View(number, members, 1);
  }

  private static Change removal(long number, String gone) {
    return new Change(
        view(number, 0), List.of(gone), "", at(0), at(0), List.of(), List.of(), List.of());
  }

  /** n1 is added as an incarnation, with a checkpoint up to a time. */
  private static Change addition(long number, long n1, Timestamp from, Timestamp executed) {
    return new Change(
        view(number, n1), List.of(), "n1", from, executed, List.of(), List.of(), List.of());
  }

  private static Install checkpoint(long view, long upTo) {
    return new Install(
        BACK,
        view,
        0,
        1,
        new Checkpoint(
            view(view, 0),
            Map.of(),
            List.of(),
            List.of(),
            at(upTo),
            List.of(),
            List.of(),
            List.of()));
  }

  // ------------------------------------------------------------------ what comes late

  /**
   * Who answered the old manager was asked something else, perhaps to remove others, and still
   * takes messages from whom the new one removes.
   */
  @Test
  void anAnswerToTheManagerBeforeIsNone() {
    ReplaceableNode n2 = member("n2", config(List.of()));
    ReplaceableManager before = new ReplaceableManager(LAYOUT, "m", config(List.of()));
    before.handle(new Input.Start(2, List.of()), ClockReading.local(100), out);
    deliver(n2, "m", 2, of(ViewPrep.class).get(0));
    ViewAck late = of(ViewAck.class).get(0);
    sent.clear();
    ReplaceableManager manager = new ReplaceableManager(LAYOUT, "m", config(List.of()));
    manager.handle(new Input.Start(3, List.of()), ClockReading.local(100), out);
    for (String member : List.of("n1", "n2", "n3")) {
      deliver(manager, member, FIRST, late);
    }
    assertThat(decided).isEmpty();
    for (String member : List.of("n1", "n2", "n3")) {
      answer(manager, member, List.of(), List.of(), List.of());
    }
    assertThat(decided).hasSize(1);
  }

  /**
   * n1 was added, removed again because it had not heard of that, and added once more. Then the
   * first addition arrives: its clock would start below what was executed since, as a member of
   * whom the others take messages.
   */
  @Test
  void anAdditionThatIsOverIsNone() {
    ReplaceableNode n1 =
        new ReplaceableNode(LAYOUT, Procedures.standard(), "n1", config(List.of()));
    n1.handle(new Input.Start(2, List.of()), ClockReading.local(1), out);
    deliver(n1, "n2", FIRST, checkpoint(3, 5_000));
    deliver(n1, "m", 1, new ViewCommit(List.of(addition(2, BACK, at(1_000), at(20)))));
    assertThat(n1.member()).isFalse();
    deliver(n1, "m", 1, new ViewCommit(List.of(addition(4, BACK, at(6_000), at(5_000)))));
    assertThat(n1.member()).isTrue();
    assertThat(n1.view().number()).isEqualTo(4);
    assertThat(n1.node().clock().last().time()).isEqualTo(6_000);
  }

  /** It was told so as what it was before. */
  @Test
  void aMemberDoesNotLeaveBecauseItsPredecessorWasRemoved() {
    ReplaceableManager manager = new ReplaceableManager(LAYOUT, "m", config(List.of()));
    Change removed = removal(1, "n1");
    manager.handle(new Input.Start(1, List.of(removed)), ClockReading.local(100), out);
    deliver(manager, "n1", FIRST, new Clock(at(5), Map.of(), List.of()));
    DastMessage out1 = ((From) sent.get(sent.size() - 1)).body();
    ReplaceableNode n1 = member("n1", config(List.of()));
    deliver(n1, "m", 1, out1);
    assertThat(n1.member()).isFalse();
    long incarnation = ((From) sent.get(sent.size() - 1)).incarnation();
    assertThat(of(Join.class)).hasSize(1);
    Install whole = new Install(incarnation, 1, 0, 1, checkpoint(1, 20).checkpoint());
    deliver(n1, "n2", FIRST, whole);
    deliver(n1, "m", 1, new ViewCommit(List.of(addition(2, incarnation, at(50), at(20)))));
    assertThat(n1.member()).isTrue();
    deliver(n1, "m", 1, out1);
    assertThat(n1.member()).isTrue();
  }

  /**
   * The n1 of before was ahead of members whose clocks a CRT held, so that the new one stamps below
   * what n2 has heard. n2's old answer says nothing of what the new one notes: n2 would take its
   * clock to be past an IRT that it does not know.
   */
  @Test
  void anAnswerToThePredecessorsClockIsNone() {
    ReplaceableNode n1 =
        new ReplaceableNode(LAYOUT, Procedures.standard(), "n1", config(List.of()));
    n1.handle(new Input.Start(2, List.of()), ClockReading.local(1), out);
    deliver(n1, "n2", FIRST, checkpoint(1, 20));
    deliver(n1, "m", 1, new ViewCommit(List.of(addition(2, BACK, at(1_000), at(20)))));
    n1.handle(new Input.ClientRequest(1, new DastRequest(txn("1", 0))), ClockReading.local(5), out);
    deliver(n1, "n2", FIRST, new ClockAck(at(9_000), 0));
    assertThat(toldN2(n1)).extracting(note -> note.txn().id()).containsExactly("1");
    deliver(n1, "n2", FIRST, new ClockAck(at(9_000), 2));
    assertThat(toldN2(n1)).isEmpty();
  }

  private List<Note> toldN2(ReplaceableNode node) {
    sent.clear();
    receivers.clear();
    node.handle(new Input.TimerFired(new DastTimer.Tell()), ClockReading.local(60), out);
    return ((Clock) ((From) sent.get(receivers.indexOf("n2"))).body()).notes();
  }

  /** It waits below another time now than before it was removed: its clock may be past that one. */
  @Test
  void aVoteOfAnEarlierIncarnationDoesNotLowerALaterOne() {
    Coordinator coordinator =
        new Coordinator(LAYOUT, Procedures.standard(), "other", List.of(), config(List.of()));
    coordinator.coordCrt(txn("1", 0), at(1), 1, out);
    assertThat(coordinator.voted("n1", new Vote("1", at(90), 2))).isFalse();
    assertThat(coordinator.voted("n1", new Vote("1", at(50), 0))).isFalse();
    assertThat(coordinator.voted("n2", new Vote("1", at(60), 2))).isTrue();
    coordinator.commitCrt("1", at(1), out);
    assertThat(of(CommitRemote.class)).isNotEmpty();
    assertThat(of(CommitRemote.class).get(0).ts().time()).isGreaterThanOrEqualTo(90);
  }

  // ------------------------------------------------------------------ what does not come

  /** n3 as it was when it had executed what it coordinates, as all replicas had. */
  private ReplaceableNode executedByAll(Txn txn, Runnable votes) {
    ReplaceableNode n3 = member("n3", config(List.of()));
    n3.handle(new Input.ClientRequest(1, new DastRequest(txn)), ClockReading.local(50), out);
    this.n3 = n3;
    votes.run();
    for (String peer : List.of("n1", "n2", "m")) {
      Timestamp passed = new Timestamp(9_000, 0, LAYOUT.nid(peer));
      deliver(n3, peer, peer.equals("m") ? 1 : FIRST, new Clock(passed, Map.of(), List.of()));
    }
    assertThat(n3.node().executed(txn.id())).isTrue();
    Result result = of(Result.class).get(0);
    for (String replica : List.of("n1", "n2", "n3")) {
      deliver(n3, replica, FIRST, result);
    }
    return n3;
  }

  private ReplaceableNode n3;

  /** n1 is replaced by one that has a checkpoint of before; then n2 is to be replaced. */
  private ViewAck replaced(ReplaceableNode n3, Timestamp before) {
    deliver(n3, "m", 1, new ViewPrep(1, 1, List.of("n1"), "", 0));
    deliver(n3, "m", 1, new ViewCommit(List.of(removal(1, "n1"))));
    deliver(n3, "m", 1, new ViewCommit(List.of(addition(2, BACK, at(9_500), before))));
    sent.clear();
    deliver(n3, "m", 1, new ViewPrep(3, 2, List.of("n2"), "", 0));
    return of(ViewAck.class).get(0);
  }

  /**
   * The new n1 does not hear n3, which is then the only one to know of the IRT: n2 goes, and the
   * new n2 has a checkpoint of n1's.
   */
  @Test
  void anExecutedIrtThatANewReplicaMayLackIsReported() {
    Txn irt = txn("1", 0);
    ReplaceableNode n3 = executedByAll(irt, () -> deliver(this.n3, "n1", FIRST, new Ack("1")));
    assertThat(n3.node().coordinated("1")).as("all have executed it").isNull();
    Timestamp stamped = n3.node().known("1").at();
    assertThat(replaced(n3, at(stamped.time() - 1)).irts())
        .extracting(note -> note.txn().id())
        .containsExactly("1");
  }

  /** What the checkpoint has is not told again. */
  @Test
  void anIrtThatAllMembersHaveIsNotReported() {
    ReplaceableNode n3 =
        executedByAll(txn("1", 0), () -> deliver(this.n3, "n1", FIRST, new Ack("1")));
    deliver(n3, "n1", FIRST, new ClockAck(at(8_000), 0));
    deliver(n3, "n2", FIRST, new ClockAck(at(8_000), 0));
    assertThat(replaced(n3, at(8_000)).irts()).isEmpty();
  }

  /** The same with a CRT of this region. */
  @Test
  void anExecutedCrtThatANewReplicaMayLackIsReported() {
    Txn crt = both("9");
    ReplaceableNode n3 =
        executedByAll(
            crt,
            () -> {
              deliver(this.n3, "n1", FIRST, new Kept("9", false));
              deliver(this.n3, "n1", FIRST, new Vote("9", at(200), 0));
              deliver(this.n3, "n2", FIRST, new Vote("9", at(200), 0));
              deliver(this.n3, "other", FIRST, new Vote("9", at(200), 0));
              deliver(this.n3, "n1", FIRST, new Kept("9", true));
              deliver(this.n3, "n2", FIRST, new Kept("9", true));
              deliver(this.n3, "n3", FIRST, of(CommitRemote.class).get(0));
            });
    deliver(n3, "other", FIRST, new Result("9", "t", true, Map.of(1, List.of(1L, 7L))));
    assertThat(n3.node().coordinated("9")).as("all have executed and keep it").isNull();
    Timestamp committed = n3.node().known("9").at();
    ViewAck ack = replaced(n3, at(committed.time() - 1));
    assertThat(ack.parts()).containsExactly(new Note(crt, true, committed, "n3"));
  }

  /**
   * n1 kept it, and the message to n3 was lost. When the new n1 keeps nothing and n2 fails, nobody
   * aborts the CRT, and the clocks of the other region stand still before it for good.
   */
  @Test
  void aCrtThatWaitsForVotesIsKeptByANewReplicaToo() {
    ReplaceableNode n2 = member("n2", config(List.of()));
    Txn crt = txn("9", OneShard.REMOTE_KEY);
    n2.handle(new Input.ClientRequest(1, new DastRequest(crt)), ClockReading.local(50), out);
    deliver(n2, "n1", FIRST, new Kept("9", false));
    deliver(n2, "n3", FIRST, new Kept("9", false));
    deliver(n2, "m", 1, new ViewPrep(1, 1, List.of("n1"), "", 0));
    deliver(n2, "m", 1, new ViewCommit(List.of(removal(1, "n1"))));
    deliver(n2, "m", 1, new ViewCommit(List.of(addition(2, BACK, at(60), at(0)))));
    resends(n2);
    assertThat(of(Keep.class)).extracting(keep -> keep.note().committed()).containsExactly(false);
    assertThat(receivers.get(sent.size() - 1 - lastOf(Keep.class))).isEqualTo("n1");
    deliver(n2, "n1", BACK, new Kept("9", false));
    resends(n2);
    assertThat(of(Keep.class)).isEmpty();
    assertThat(of(PrepRemote.class)).as("no vote has come").hasSize(1);
  }

  private void resends(ReplaceableNode node) {
    sent.clear();
    receivers.clear();
    node.handle(new Input.TimerFired(new DastTimer.Resend()), ClockReading.local(500), out);
  }

  /** How far from the end the last message of a kind is. */
  private int lastOf(Class<?> kind) {
    for (int i = sent.size() - 1; i >= 0; i--) {
      if (kind.isInstance(((From) sent.get(i)).body())) {
        return sent.size() - 1 - i;
      }
    }
    throw new AssertionError("no " + kind);
  }

  // ------------------------------------------------------------------ what was anticipated

  /** n1 to n3 are replaced, one after the other, and none of the new ones has heard it. */
  @Test
  void aManagerRemembersWhatItAnticipatedForMembersThatAreGone() {
    ReplaceableManager first = new ReplaceableManager(LAYOUT, "m", config(List.of()));
    first.handle(new Input.Start(1, List.of()), ClockReading.local(100), out);
    first.handle(new Input.TimerFired(new DastTimer.Tell()), ClockReading.local(9_000_000), out);
    deliver(first, "other", FIRST, new PrepRemote(txn("1", 0), at(1)));
    Timestamp anticipated = of(PrepCrt.class).get(0).at();
    assertThat(anticipated.time()).isGreaterThan(9_000_000);
    deliver(first, "n1", FIRST + 1, new Join());
    answer(first, "n2", List.of(), List.of(), List.of());
    answer(first, "n3", List.of(), List.of(), List.of());
    assertThat(decided).hasSize(1);

    ReplaceableManager next = new ReplaceableManager(LAYOUT, "m", config(List.of()));
    next.handle(new Input.Start(2, List.copyOf(decided)), ClockReading.local(100), out);
    answer(next, "n2", List.of(), List.of(), List.of());
    answer(next, "n3", List.of(), List.of(), List.of());
    assertThat(decided).hasSize(2);
    sent.clear();
    deliver(next, "other", FIRST, new PrepRemote(txn("2", 0), at(1)));
    assertThat(anticipated.before(of(PrepCrt.class).get(0).at())).isTrue();
  }

  /**
   * Without that memory a CRT is asked for below what was executed. A member whose clock is past
   * that votes for the next time of its own, so that it is committed above.
   */
  @Test
  void aTimeBelowWhatWasExecutedIsVotedUp() {
    ReplaceableNode n1 =
        new ReplaceableNode(LAYOUT, Procedures.standard(), "n1", config(List.of()));
    n1.handle(new Input.Start(2, List.of()), ClockReading.local(1), out);
    deliver(n1, "n2", FIRST, checkpoint(1, 5_000));
    deliver(n1, "m", 1, new ViewCommit(List.of(addition(2, BACK, at(6_000), at(5_000)))));
    deliver(n1, "m", 1, new PrepCrt(txn("1", 0), at(100), "other"));
    assertThat(of(Vote.class)).hasSize(1).allMatch(vote -> vote.at().time() > 6_000);
    assertThat(of(ViewTaken.class)).hasSize(1);
  }
}
