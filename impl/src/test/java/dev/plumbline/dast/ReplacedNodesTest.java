package dev.plumbline.dast;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumbline.dast.DastMessage.Ack;
import dev.plumbline.dast.DastMessage.AskEnd;
import dev.plumbline.dast.DastMessage.Clock;
import dev.plumbline.dast.DastMessage.Commit;
import dev.plumbline.dast.DastMessage.Install;
import dev.plumbline.dast.DastMessage.Installed;
import dev.plumbline.dast.DastMessage.Join;
import dev.plumbline.dast.DastMessage.Keep;
import dev.plumbline.dast.DastMessage.Kept;
import dev.plumbline.dast.DastMessage.Note;
import dev.plumbline.dast.DastMessage.Out;
import dev.plumbline.dast.DastMessage.PrepCrt;
import dev.plumbline.dast.DastMessage.PrepRemote;
import dev.plumbline.dast.DastMessage.Resolve;
import dev.plumbline.dast.DastMessage.Resolved;
import dev.plumbline.dast.DastMessage.Result;
import dev.plumbline.dast.DastMessage.Transfer;
import dev.plumbline.dast.DastMessage.ViewAck;
import dev.plumbline.dast.DastMessage.ViewCommit;
import dev.plumbline.dast.DastMessage.ViewPrep;
import dev.plumbline.dast.DastMessage.ViewTaken;
import dev.plumbline.dast.DastMessage.Vote;
import dev.plumbline.machine.ClockReading;
import dev.plumbline.machine.Effects;
import dev.plumbline.machine.Input;
import dev.plumbline.machine.NoEffects;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What members answer, keep and forget while one after the other is replaced. */
class ReplacedNodesTest extends OneShardNodes {
  private static final DastConfig CONFIG = config(List.of());
  private static final Note IRT = new Note(txn("1", 0), true, new Timestamp(10, 0, 1), "n1");

  private static Change change(
      long number, Map<String, Long> members, List<String> removed, String added) {
    return change(number, members, removed, added, List.of(), List.of());
  }

  private static Change change(
      long number,
      Map<String, Long> members,
      List<String> removed,
      String added,
      List<Note> irts,
      List<Note> crts) {
    View view = new View(number, new TreeMap<>(members), 1);
    return new Change(view, removed, added, at(60), at(20), irts, crts, List.of());
  }

  private void commit(ReplaceableNode node, Change change) {
    deliver(node, "m", 1, new ViewCommit(List.of(change)));
  }

  /** Whom these have passed, at most. */
  private void hears(ReplaceableNode node, long time, String... peers) {
    for (String peer : peers) {
      Timestamp passed = new Timestamp(time, 0, LAYOUT.nid(peer));
      deliver(node, peer, peer.equals("m") ? 1 : FIRST, new Clock(passed, Map.of(), List.of()));
    }
  }

  private static Checkpoint empty(long view) {
    View members = new View(view, new TreeMap<>(Map.of("n2", FIRST)), 1);
    return new Checkpoint(
        members, Map.of(), List.of(), List.of(), at(20), List.of(), List.of(), List.of());
  }

  /** What it hands to a new n3. */
  private Checkpoint handed(ReplaceableNode node) {
    sent.clear();
    deliver(node, "m", 1, new Transfer("n3", 3 * FIRST));
    return of(Install.class).get(0).checkpoint();
  }

  // ------------------------------------------------------------------ answers

  /** A client may have been told of it, and the others may not know it as committed. */
  @Test
  void anExecutedIrtOfARemovedNodeIsReported() {
    ReplaceableNode n2 = member("n2", CONFIG);
    deliver(n2, "n1", FIRST, new Commit(IRT.txn(), IRT.at()));
    hears(n2, 90, "n1", "n3", "m");
    assertThat(n2.node().executed("1")).isTrue();
    deliver(n2, "m", 1, new ViewPrep(1, 1, List.of("n1"), "", 0));
    assertThat(of(ViewAck.class).get(0).irts()).containsExactly(IRT);
  }

  /** The clock of a new manager has to be above. */
  @Test
  void aMemberAnswersWhichClockOfTheManagerItHasHeard() {
    ReplaceableNode n2 = member("n2", CONFIG);
    hears(n2, 77, "m");
    deliver(n2, "m", 2, new ViewPrep(1, 1, List.of(), "", 0));
    assertThat(of(ViewAck.class).get(0).manager()).isEqualTo(new Timestamp(77, 0, 4));
  }

  /**
   * What one view has decided of a CRT no later one is asked about, and it counts at once: of a
   * coordinator that is removed, and of one that stays.
   */
  @ParameterizedTest
  @ValueSource(strings = {"n1", "n3"})
  void aCrtThatAViewHasEndedIsNotReportedAgain(String coordinator) {
    ReplaceableNode n2 = member("n2", CONFIG);
    Note crt = new Note(txn("9", 0), true, at(50), coordinator);
    deliver(n2, coordinator, FIRST, new Keep(new Note(crt.txn(), false, at(5), coordinator)));
    Map<String, Long> left = Map.of("n2", FIRST, "n3", FIRST);
    commit(n2, change(1, left, List.of("n1"), "", List.of(), List.of(crt)));
    assertThat(n2.node().known("9")).isEqualTo(crt);
    deliver(n2, "m", 1, new ViewPrep(2, 1, List.of(coordinator), "", 0));
    assertThat(of(ViewAck.class).get(0).crts()).isEmpty();
  }

  /** Algorithm 2, line 7, between the two messages of a change. */
  @Test
  void theVoteOfAMemberThatIsToBeRemovedDoesNotCount() {
    ReplaceableNode n2 = member("n2", CONFIG);
    n2.handle(new Input.ClientRequest(1, new DastRequest(both("9"))), ClockReading.local(50), out);
    deliver(n2, "n3", FIRST, new Kept("9", false));
    deliver(n2, "other", FIRST, new Vote("9", at(80), 0));
    deliver(n2, "n1", FIRST, new Vote("9", at(80), 0));
    deliver(n2, "m", 1, new ViewPrep(1, 1, List.of("n1"), "", 0));
    sent.clear();
    deliver(n2, "n2", FIRST, new Vote("9", at(80), 0));
    assertThat(of(Keep.class)).isEmpty();
    deliver(n2, "n3", FIRST, new Vote("9", at(80), 0));
    assertThat(of(Keep.class)).isNotEmpty().allMatch(keep -> keep.note().committed());
  }

  /** It has not taken what the view before it changed. */
  @Test
  void viewsComeOneAfterTheOther() {
    ReplaceableNode n2 = member("n2", CONFIG);
    Map<String, Long> two = Map.of("n2", FIRST, "n3", FIRST);
    Map<String, Long> one = Map.of("n2", FIRST);
    deliver(n2, "m", 1, new ViewPrep(2, 2, List.of("n3"), "", 0));
    assertThat(of(ViewAck.class)).isEmpty();
    commit(n2, change(2, one, List.of("n3"), ""));
    assertThat(n2.view().number()).isZero();
    commit(n2, change(1, two, List.of("n1"), ""));
    commit(n2, change(2, one, List.of("n3"), ""));
    assertThat(n2.view().number()).isEqualTo(2);
  }

  /** Somebody else is removed first. */
  @Test
  void whoIsToBeRemovedIsIgnoredUntilThen() {
    ReplaceableNode n2 = member("n2", CONFIG);
    deliver(n2, "m", 1, new ViewPrep(1, 1, List.of("n3"), "", 0));
    deliver(n2, "m", 2, new ViewPrep(1, 2, List.of("n1"), "", 0));
    commit(n2, change(1, Map.of("n2", FIRST, "n3", FIRST), List.of("n1"), ""));
    assertThat(n2.ignored()).containsExactly("n3");
  }

  /** A manager may be asked again for what it has anticipated long ago. */
  @Test
  void aMemberAnswersTheNewestAnticipatedTimestamp() {
    ReplaceableNode n2 = member("n2", CONFIG);
    deliver(n2, "m", 1, new PrepCrt(txn("8", 0), at(200), "other"));
    deliver(n2, "m", 1, new PrepCrt(txn("9", 0), at(100), "other"));
    deliver(n2, "m", 2, new ViewPrep(1, 1, List.of(), "", 0));
    assertThat(of(ViewAck.class).get(0).anticipated()).isEqualTo(at(200));
  }

  /** Members still take the timestamps of the manager before, and may have newer ones. */
  @ParameterizedTest
  @ValueSource(strings = {"n1", "other"})
  void aManagerAnticipatesNothingBeforeAllMembersHaveAnswered(String coordinator) {
    ReplaceableManager manager = new ReplaceableManager(LAYOUT, "m", CONFIG);
    manager.handle(new Input.Start(2, List.of()), ClockReading.local(100), out);
    PrepRemote asked = new PrepRemote(txn("9", 0), at(1));
    deliver(manager, coordinator, FIRST, asked);
    assertThat(of(PrepCrt.class)).isEmpty();
    for (String member : List.of("n1", "n2", "n3")) {
      answer(manager, member, List.of(), List.of(), List.of());
    }
    deliver(manager, coordinator, FIRST, asked);
    Timestamp first = of(PrepCrt.class).get(0).at();
    deliver(manager, coordinator, FIRST, asked);
    assertThat(of(PrepCrt.class))
        .as("to each of three replicas, twice")
        .hasSize(6)
        .allMatch(prepare -> prepare.at().equals(first));
  }

  /** Nobody would have its state. */
  @Test
  void theLastReplicaOfAShardIsNotRemoved() {
    ReplaceableManager manager = new ReplaceableManager(LAYOUT, "m", CONFIG);
    View last = new View(2, new TreeMap<>(Map.of("n3", FIRST)), 1);
    Change alone =
        new Change(last, List.of("n2"), "", at(0), at(0), List.of(), List.of(), List.of());
    manager.handle(new Input.Start(1, List.of(alone)), ClockReading.local(100), out);
    deliver(manager, "n3", FIRST + 1, new Join());
    assertThat(manager.proposal()).isNull();
  }

  /** It says that it is in the view before. */
  @Test
  void aMemberIsToldOfAViewUntilItIsInThatOne() {
    ReplaceableManager manager = managed();
    deliver(manager, "n2", FIRST, new ViewTaken(0));
    deliver(manager, "n3", FIRST, new ViewTaken(1));
    sent.clear();
    receivers.clear();
    manager.handle(new Input.TimerFired(new DastTimer.Resend()), ClockReading.local(200), out);
    assertThat(of(ViewCommit.class)).hasSize(1);
    assertThat(receivers.get(0)).isEqualTo("n2");
  }

  /** Whoever takes its place is not silent yet. */
  @Test
  void aNewMemberIsNotRemovedForItsPredecessorsSilence() {
    ReplaceableManager manager = managed();
    for (int i = 0; i < 2_000; i++) {
      manager.handle(new Input.TimerFired(new DastTimer.Tell()), ClockReading.local(200), out);
      for (String member : List.of("n2", "n3")) {
        deliver(manager, member, FIRST, new Clock(at(1), Map.of(), List.of()));
      }
    }
    deliver(manager, "n1", FIRST + 1, new Installed(1, at(5)));
    answer(manager, "n2", List.of(), List.of(), List.of());
    answer(manager, "n3", List.of(), List.of(), List.of());
    assertThat(manager.view().members()).containsKey("n1");
    manager.handle(new Input.TimerFired(new DastTimer.Tell()), ClockReading.local(200), out);
    assertThat(manager.proposal()).isNull();
  }

  /** A manager, and n1 has been removed since it was silent. */
  private ReplaceableManager managed() {
    ReplaceableManager manager = new ReplaceableManager(LAYOUT, "m", CONFIG);
    manager.handle(new Input.Start(1, List.of()), ClockReading.local(100), out);
    for (String member : List.of("n1", "n2", "n3")) {
      deliver(manager, member, FIRST, new Clock(at(1), Map.of(), List.of()));
    }
    while (manager.proposal() == null) {
      manager.handle(new Input.TimerFired(new DastTimer.Tell()), ClockReading.local(200), out);
      for (String member : List.of("n2", "n3")) {
        deliver(manager, member, FIRST, new Clock(at(1), Map.of(), List.of()));
      }
    }
    deliver(manager, "n1", FIRST + 1, new Join());
    answer(manager, "n2", List.of(), List.of(), List.of());
    answer(manager, "n3", List.of(), List.of(), List.of());
    assertThat(manager.view().members()).containsOnlyKeys("n2", "n3");
    return manager;
  }

  /** How CRTs ended: all participants are told until each has answered, of any view. */
  @Test
  void aManagerTellsHowCrtsOfEveryViewEnded() {
    ReplaceableManager manager = new ReplaceableManager(LAYOUT, "m", CONFIG);
    Note aborted = new Note(txn("8", 0), false, at(40), "gone");
    View same = View.first(LAYOUT, "A");
    Change first =
        new Change(same, List.of(), "", at(0), at(0), List.of(), List.of(aborted), List.of());
    Change second = new Change(same, List.of(), "", at(0), at(0), List.of(), List.of(), List.of());
    manager.handle(new Input.Start(1, List.of(first, second)), ClockReading.local(1), out);
    deliver(manager, "n1", FIRST, new Resolved("8"));
    sent.clear();
    receivers.clear();
    manager.handle(new Input.TimerFired(new DastTimer.Resend()), ClockReading.local(9), out);
    assertThat(of(Resolve.class)).hasSize(2).allMatch(resolve -> resolve.note().equals(aborted));
    assertThat(receivers).contains("n2", "n3").doesNotContain("n1");
    sent.clear();
    deliver(manager, "n1", FIRST, new AskEnd("8"));
    assertThat(of(Resolve.class)).containsExactly(new Resolve(aborted));
  }

  /** Algorithm 3, line 26. */
  @Test
  void aCrtIsAskedForAgainAtTheTimeThatWasAnticipated() {
    ReplaceableNode n2 = member("n2", CONFIG);
    deliver(n2, "m", 1, new PrepCrt(txn("8", 0), at(50), "other"));
    commit(n2, change(1, Map.of("n2", FIRST, "n3", FIRST), List.of("n1"), ""));
    assertThat(of(PrepCrt.class)).isNotEmpty().allMatch(prepare -> prepare.at().equals(at(50)));
  }

  /** Members tell it of what came after the checkpoint in its own view, and not before. */
  @Test
  void aCheckpointIsOfNoUseOnceTheViewHasChanged() {
    ReplaceableManager manager = new ReplaceableManager(LAYOUT, "m", CONFIG);
    manager.handle(new Input.Start(1, List.of()), ClockReading.local(100), out);
    deliver(manager, "n1", FIRST + 1, new Join());
    answer(manager, "n2", List.of(), List.of(), List.of());
    answer(manager, "n3", List.of(), List.of(), List.of());
    deliver(manager, "n1", FIRST + 1, new Installed(1, at(5)));
    deliver(manager, "n2", FIRST + 1, new Join());
    answer(manager, "n3", List.of(), List.of(), List.of());
    assertThat(manager.view().members()).containsOnlyKeys("n3");
    sent.clear();
    deliver(manager, "n2", FIRST + 1, new Installed(1, at(5)));
    assertThat(of(ViewPrep.class)).isEmpty();
    deliver(manager, "n1", FIRST + 1, new Installed(2, at(5)));
    assertThat(of(ViewPrep.class)).extracting(ViewPrep::add).containsExactly("n1");
  }

  // ------------------------------------------------------------------ new replicas

  /** It would ignore who is a member again, and report what has ended otherwise. */
  @Test
  void whoComesBackHasNothingOfBefore() {
    ReplaceableNode n1 = member("n1", CONFIG);
    deliver(n1, "n2", FIRST, new Keep(new Note(txn("7", 0), false, at(5), "n2")));
    Note theirs = new Note(txn("3", 0), true, new Timestamp(10, 0, 3), "n3");
    Map<String, Long> left = Map.of("n1", FIRST, "n2", FIRST);
    commit(n1, change(1, left, List.of("n3"), "", List.of(theirs), List.of()));
    deliver(n1, "m", 1, new ViewPrep(2, 1, List.of("n2"), "", 0));
    assertThat(n1.ignored()).containsExactly("n2");
    assertThat(handed(n1).fates()).containsExactly(theirs);
    deliver(n1, "m", 1, new Out(FIRST));
    deliver(n1, "n2", FIRST, new Install(FIRST + 1, 1, 0, 1, empty(3)));
    commit(n1, change(4, Map.of("n1", FIRST + 1, "n2", FIRST), List.of(), "n1"));
    assertThat(n1.member()).isTrue();
    assertThat(n1.ignored()).isEmpty();
    Checkpoint now = handed(n1);
    assertThat(now.fates()).isEmpty();
    assertThat(now.kept()).isEmpty();
  }

  /** Nobody hears of a clock of n3 while that is not a member. */
  @Test
  void aNewReplicaWaitsForMembersAlone() {
    ReplaceableNode n1 = new ReplaceableNode(LAYOUT, Procedures.standard(), "n1", CONFIG);
    n1.handle(new Input.Start(2, List.of()), ClockReading.local(1), out);
    deliver(n1, "n2", FIRST, new Install(2 * FIRST, 1, 0, 1, empty(2)));
    commit(n1, change(3, Map.of("n1", 2 * FIRST, "n2", FIRST), List.of(), "n1"));
    deliver(n1, "n2", FIRST, new Commit(txn("5", 0), new Timestamp(70, 0, 2)));
    hears(n1, 95, "n2", "m");
    assertThat(n1.node().executed("5")).isTrue();
  }

  /** A view has told all of it, and its coordinator has answered before. */
  @Test
  void whatWasAnsweredIsAnsweredAgainWhateverAViewHasSaidOfIt() {
    ReplaceableNode n2 = member("n2", CONFIG);
    Txn irt = txn("1", 0);
    n2.handle(new Input.ClientRequest(1, new DastRequest(irt)), ClockReading.local(50), told);
    Note note = new Note(irt, true, n2.node().known("1").at(), "n2");
    Map<String, Long> left = Map.of("n2", FIRST, "n3", FIRST);
    deliver(n2, "n3", FIRST, new Ack("1"));
    n2.handle(
        new Input.Deliver(
            "n2",
            new DastMessage.From(FIRST, new Result("1", "s", true, Map.of(0, List.of(1L, 7L))))),
        ClockReading.local(60),
        told);
    assertThat(replies).hasSize(1);
    commit(n2, change(1, left, List.of("n1"), "", List.of(note), List.of()));
    n2.handle(new Input.ClientRequest(2, new DastRequest(irt)), ClockReading.local(70), told);
    assertThat(replies).hasSize(2);
    assertThat(replies.get(1)).isEqualTo(replies.get(0));
  }

  private final List<Object> replies = new ArrayList<>();
  private final Effects told =
      new NoEffects() {
        @Override
        public void reply(long request, Record response) {
          replies.add(response);
        }
      };

  /** A coordinator forgets what all have executed, it too. */
  @Test
  void whoTakesUpWhatItHasExecutedTellsItself() {
    ReplaceableNode n1 = new ReplaceableNode(LAYOUT, Procedures.standard(), "n1", CONFIG);
    n1.handle(new Input.Start(2, List.of()), ClockReading.local(1), out);
    Result result = new Result("1", "s", true, Map.of(0, List.of(1L, 7L)));
    Checkpoint executed =
        new Checkpoint(
            empty(1).view(),
            Map.of(0L, List.of(1L, 7L)),
            List.of(
                new Checkpoint.Done(
                    result, new DastMessage.Output("1", "s", Map.of()), IRT, false)),
            List.of(),
            at(20),
            List.of(IRT),
            List.of(),
            List.of());
    deliver(n1, "n2", FIRST, new Install(2 * FIRST, 1, 0, 1, executed));
    commit(n1, change(2, Map.of("n1", 2 * FIRST, "n2", FIRST), List.of(), "n1"));
    sent.clear();
    receivers.clear();
    n1.handle(new Input.ClientRequest(1, new DastRequest(IRT.txn())), ClockReading.local(99), out);
    assertThat(of(Result.class)).containsExactly(result);
    assertThat(receivers.get(sent.indexOf(new DastMessage.From(2 * FIRST, result))))
        .isEqualTo("n1");
  }
}
