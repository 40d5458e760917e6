package dev.plumbline.dast;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumbline.dast.DastMessage.Clock;
import dev.plumbline.dast.DastMessage.Commit;
import dev.plumbline.dast.DastMessage.CommitRemote;
import dev.plumbline.dast.DastMessage.From;
import dev.plumbline.dast.DastMessage.Installed;
import dev.plumbline.dast.DastMessage.Join;
import dev.plumbline.dast.DastMessage.Keep;
import dev.plumbline.dast.DastMessage.Kept;
import dev.plumbline.dast.DastMessage.Note;
import dev.plumbline.dast.DastMessage.PrepCrt;
import dev.plumbline.dast.DastMessage.PrepRemote;
import dev.plumbline.dast.DastMessage.Result;
import dev.plumbline.dast.DastMessage.Transfer;
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
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The failures of {@code specs/dast/Failover.tla} that its repairs are for, at the machines: each
 * happens with one repair taken out, and not with all of them.
 */
class FailoverRepairsTest extends OneShardNodes {
  private static final long AHEAD = 5_000_000;

  private static DastConfig config(boolean repaired, String behaviour) {
    return config(repaired ? List.of() : List.of(behaviour));
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void aCrtThatAMemberHasCommittedIsCommittedEverywhere(boolean repaired) {
    ReplaceableManager manager = manager(1, config(repaired, DastConfig.COMMITTED_ABORTED));
    remove(manager);
    Note prepared = new Note(txn("1"), false, at(10), "n1");
    Note committed = new Note(txn("1"), true, at(20), "n1");
    answer(manager, "n2", List.of(), List.of(prepared), List.of());
    answer(manager, "n3", List.of(), List.of(committed), List.of());
    assertThat(decided).hasSize(1);
    assertThat(decided.get(0).crts()).extracting(Note::committed).containsExactly(repaired);
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void aCommittedIrtOfARemovedNodeIsReported(boolean repaired) {
    ReplaceableNode n2 = member("n2", config(repaired, DastConfig.COMMITTED_UNREPORTED));
    deliver(n2, "n1", FIRST, new Commit(txn("1"), at(10)));
    deliver(n2, "m", 1, new ViewPrep(1, 1, List.of("n1"), "", 0));
    assertThat(of(ViewAck.class)).hasSize(1);
    assertThat(of(ViewAck.class).get(0).irts()).hasSize(repaired ? 1 : 0);
  }

  /** One of those who acknowledged it goes, and a new replica may know nothing of it. */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void anIrtOfAMemberThatStaysIsReported(boolean repaired) {
    ReplaceableNode n2 = member("n2", config(repaired, DastConfig.OWN_UNREPORTED));
    n2.handle(new Input.ClientRequest(1, new DastRequest(txn("1"))), ClockReading.local(50), out);
    deliver(n2, "m", 1, new ViewPrep(1, 1, List.of("n1"), "", 0));
    assertThat(of(ViewAck.class)).hasSize(1);
    assertThat(of(ViewAck.class).get(0).irts()).hasSize(repaired ? 1 : 0);
  }

  /** One of those who keep the commit goes, and a new replica may know nothing of it. */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void aCrtThatItsCoordinatorHasDecidedIsReported(boolean repaired) {
    ReplaceableNode n2 = coordinating(config(repaired, DastConfig.OWN_CRT_UNREPORTED));
    deliver(n2, "n1", FIRST, new Kept("9", true));
    assertThat(of(CommitRemote.class)).hasSize(1);
    deliver(n2, "m", 1, new ViewPrep(1, 1, List.of("n1"), "", 0));
    assertThat(of(ViewAck.class).get(0).crts()).hasSize(repaired ? 1 : 0);
    assertThat(of(ViewAck.class).get(0).crts()).allMatch(Note::committed);
  }

  /** So is one that perhaps nobody else keeps yet, as in the specification. */
  @Test
  void aCrtThatIsDecidedIsReportedBeforeAnybodyKeepsThat() {
    ReplaceableNode n2 = coordinating(config(true, ""));
    deliver(n2, "m", 1, new ViewPrep(1, 1, List.of("n1"), "", 0));
    assertThat(of(ViewAck.class).get(0).crts()).extracting(Note::committed).containsExactly(true);
  }

  /** The other keeper may still say that it is prepared, which would abort it. */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void aCrtIsNotForgottenBeforeAllWhoKeepItKnowThatItIsCommitted(boolean repaired) {
    ReplaceableNode n2 = coordinating(config(repaired, DastConfig.OWN_CRT_UNREPORTED));
    deliver(n2, "n1", FIRST, new Kept("9", true));
    deliver(n2, "other", FIRST, new Result("9", "t", true, Map.of()));
    assertThat(n2.node().coordinated("9") != null).isEqualTo(repaired);
    deliver(n2, "n3", FIRST, new Kept("9", true));
    assertThat(n2.node().coordinated("9")).isNull();
  }

  /** n1 alone keeps it and goes; who stays would say nothing of it when its coordinator goes. */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void aCrtWhoseKeeperIsRemovedIsKeptByWhoStays(boolean repaired) {
    DastConfig config = config(repaired, DastConfig.PREPARED_FORGOTTEN);
    ReplaceableNode n2 = asking(config);
    ReplaceableNode n3 = member("n3", config);
    ReplaceableManager manager = manager(1, config);
    remove(manager);
    sent.clear();
    deliver(n2, "m", 1, new ViewPrep(1, 1, List.of("n1"), "", 0));
    ViewAck own = of(ViewAck.class).get(0);
    assertThat(own.crts()).as("it is not to be aborted").isEmpty();
    manager.handle(new Input.TimerFired(new DastTimer.Resend()), ClockReading.local(100), out);
    answer(manager, "n2", own.irts(), own.crts(), own.parts());
    answer(manager, "n3", List.of(), List.of(), List.of());
    deliver(n3, "m", 1, new ViewCommit(decided));
    sent.clear();
    deliver(n3, "m", 1, new ViewPrep(2, 2, List.of("n2"), "", 0));
    assertThat(of(ViewAck.class).get(0).crts()).hasSize(repaired ? 1 : 0);
    assertThat(of(ViewAck.class).get(0).crts()).noneMatch(Note::committed);
    assertThat(n3.node().known("9")).as("it takes no part").isNull();
  }

  /** Nobody is removed: those who keep it stay. */
  @Test
  void aCrtIsNotHandedOverWhereAReplicaIsAdded() {
    ReplaceableNode n2 = asking(config(true, ""));
    deliver(n2, "m", 1, new ViewPrep(1, 1, List.of(), "n4", 200));
    assertThat(of(ViewAck.class).get(0).parts()).isEmpty();
  }

  /** A member that has the commit does not go back to what the view says. */
  @Test
  void aCrtThatIsKeptAsCommittedStaysSoInTheNextView() {
    ReplaceableNode n3 = member("n3", config(true, ""));
    deliver(n3, "n2", FIRST, new Keep(new Note(remote("9"), true, at(90), "n2")));
    List<Note> parts = List.of(new Note(remote("9"), false, at(50), "n2"));
    View next = new View(1, Map.of("n2", FIRST, "n3", FIRST), 1);
    deliver(
        n3,
        "m",
        1,
        new ViewCommit(
            List.of(
                new Change(next, List.of("n1"), "", at(0), at(0), List.of(), List.of(), parts))));
    deliver(n3, "m", 1, new ViewPrep(2, 2, List.of("n2"), "", 0));
    assertThat(of(ViewAck.class).get(0).crts()).extracting(Note::committed).containsExactly(true);
  }

  /** n2 has asked the other region for a CRT that n1 keeps. */
  private ReplaceableNode asking(DastConfig config) {
    ReplaceableNode n2 = member("n2", config);
    n2.handle(
        new Input.ClientRequest(1, new DastRequest(remote("9"))), ClockReading.local(50), out);
    deliver(n2, "n1", FIRST, new Kept("9", false));
    assertThat(of(PrepRemote.class)).hasSize(1);
    return n2;
  }

  private static Txn remote(String id) {
    return txn(id, OneShard.REMOTE_KEY);
  }

  /** n2 has decided to commit a CRT of the other region's shard, and nobody knows of that. */
  private ReplaceableNode coordinating(DastConfig config) {
    ReplaceableNode n2 = member("n2", config);
    Step step = new Step(0, Step.Kind.APPEND, OneShard.REMOTE_KEY, 7);
    Txn.Part part = new Txn.Part(Procedures.ACCESS, List.of(step));
    Txn crt = new Txn("9", Procedures.ACCESS, Map.of("t", part));
    n2.handle(new Input.ClientRequest(1, new DastRequest(crt)), ClockReading.local(50), out);
    deliver(n2, "n1", FIRST, new Kept("9", false));
    deliver(n2, "other", FIRST, new Vote("9", at(80), 0));
    assertThat(of(CommitRemote.class)).isEmpty();
    return n2;
  }

  /** Copies of messages come late. */
  @Test
  void aCrtThatIsKeptAsCommittedStaysSo() {
    ReplaceableNode n2 = member("n2", config(true, ""));
    deliver(n2, "n1", FIRST, new Keep(new Note(txn("1"), true, at(20), "n1")));
    deliver(n2, "n1", FIRST, new Keep(new Note(txn("1"), false, at(10), "n1")));
    deliver(n2, "m", 1, new ViewPrep(1, 1, List.of("n1"), "", 0));
    assertThat(of(ViewAck.class).get(0).crts()).extracting(Note::committed).containsExactly(true);
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void membersTellOfARemovedNodesTransactions(boolean repaired) {
    ReplaceableNode n2 = member("n2", config(repaired, DastConfig.LEGACY_UNTOLD));
    Note irt = new Note(txn("1"), true, at(10), "n1");
    deliver(n2, "m", 1, new ViewCommit(List.of(removal(List.of(irt)))));
    sent.clear();
    n2.handle(new Input.TimerFired(new DastTimer.Tell()), ClockReading.local(100), out);
    assertThat(of(Clock.class)).isNotEmpty();
    assertThat(of(Clock.class).stream().flatMap(c -> c.notes().stream()).toList())
        .hasSize(repaired ? 1 : 0);
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void aNewReplicaStampsAboveWhatMembersHaveStamped(boolean repaired) {
    ReplaceableManager manager = manager(1, config(repaired, DastConfig.JOIN_LOW));
    remove(manager);
    answer(manager, "n2", List.of(), List.of(), List.of());
    answer(manager, "n3", List.of(), List.of(), List.of());
    deliver(manager, "n1", FIRST + 1, new Installed(1, at(0)));
    answer(manager, "n2", List.of(), List.of(), List.of(), at(AHEAD), at(0));
    answer(manager, "n3", List.of(), List.of(), List.of());
    assertThat(decided).hasSize(2);
    assertThat(decided.get(1).added()).isEqualTo("n1");
    assertThat(at(AHEAD).before(decided.get(1).at())).isEqualTo(repaired);
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void aNewManagerAnticipatesAboveTheOldOne(boolean repaired) {
    ReplaceableManager manager = manager(2, config(repaired, DastConfig.ANTICIPATED_LOST));
    for (String member : List.of("n1", "n2", "n3")) {
      answer(manager, member, List.of(), List.of(), List.of(), at(1), at(AHEAD));
    }
    assertThat(decided).hasSize(1);
    deliver(manager, "other", FIRST, new PrepRemote(txn("1"), at(1)));
    assertThat(of(PrepCrt.class)).hasSize(3);
    assertThat(at(AHEAD).before(of(PrepCrt.class).get(0).at())).isEqualTo(repaired);
  }

  /** A new manager waits for every member, and this one it has never heard. */
  @Test
  void aMemberThatANewManagerNeverHeardIsRemoved() {
    ReplaceableManager manager = manager(2, config(true, ""));
    for (int i = 0; i <= 1_000; i++) {
      manager.handle(new Input.TimerFired(new DastTimer.Tell()), ClockReading.local(100), out);
    }
    sent.clear();
    for (String member : List.of("n2", "n3")) {
      deliver(manager, member, FIRST, new Clock(at(1), Map.of(), List.of()));
    }
    manager.handle(new Input.TimerFired(new DastTimer.Tell()), ClockReading.local(100), out);
    manager.handle(new Input.TimerFired(new DastTimer.Resend()), ClockReading.local(100), out);
    assertThat(of(ViewPrep.class)).isNotEmpty();
    assertThat(of(ViewPrep.class).get(0).remove()).containsExactly("n1");
  }

  /** A majority is one of the members: a new replica of the same name may know nothing. */
  @Test
  void theVoteOfARemovedNodeDoesNotCount() {
    Coordinator coordinator =
        new Coordinator(LAYOUT, Procedures.standard(), "other", List.of(), config(true, ""));
    coordinator.coordCrt(txn("1"), at(1), 1, out);
    assertThat(coordinator.voted("n1", new Vote("1", at(5), 0))).isFalse();
    coordinator.forget(List.of("n1"));
    assertThat(coordinator.voted("n2", new Vote("1", at(5), 0))).isFalse();
    assertThat(coordinator.voted("n3", new Vote("1", at(5), 0))).isTrue();
  }

  /** n1 starts again between its checkpoint and the view that adds it: it has none as 3. */
  @Test
  void theIncarnationThatHasACheckpointIsAddedAndANewerOneReplacesIt() {
    ReplaceableManager manager = manager(1, config(true, ""));
    remove(manager);
    answerBoth(manager);
    deliver(manager, "n2", FIRST, new ViewTaken(1));
    deliver(manager, "n1", FIRST + 1, new Installed(1, at(70)));
    deliver(manager, "n1", FIRST + 2, new Join());
    assertThat(of(Transfer.class)).endsWith(new Transfer("n1", FIRST + 2));
    assertThat(manager.proposal().add()).isEqualTo("n1");
    answerBoth(manager);
    assertThat(decided.get(1).view().members()).containsEntry("n1", FIRST + 1);
    assertThat(decided.get(1).executed()).isEqualTo(at(70));
    manager.handle(new Input.TimerFired(new DastTimer.Tell()), ClockReading.local(100), out);
    assertThat(manager.proposal().remove()).containsExactly("n1");
  }

  /** The checkpoint of an incarnation that is gone is no reason to add the node. */
  @Test
  void aNewerIncarnationNeedsACheckpointOfItsOwn() {
    ReplaceableManager manager = manager(1, config(true, ""));
    remove(manager);
    answerBoth(manager);
    deliver(manager, "n2", FIRST, new ViewTaken(1));
    deliver(manager, "n1", FIRST + 2, new Join());
    deliver(manager, "n1", FIRST + 1, new Installed(1, at(70)));
    assertThat(manager.proposal()).isNull();
    sent.clear();
    deliver(manager, "n1", FIRST + 2, new Join());
    assertThat(of(Transfer.class)).containsExactly(new Transfer("n1", FIRST + 2));
    deliver(manager, "n1", FIRST + 2, new Installed(1, at(70)));
    assertThat(manager.proposal().add()).isEqualTo("n1");
    sent.clear();
    deliver(manager, "n1", FIRST + 2, new Join());
    assertThat(of(Transfer.class)).as("it has one").isEmpty();
  }

  /** Whoever answers has taken the view before: a new manager need not repeat all history. */
  @Test
  void aNewManagerTellsMembersWhatTheyLackAlone() {
    ReplaceableManager manager = new ReplaceableManager(LAYOUT, "m", config(true, ""));
    manager.handle(new Input.Start(2, List.of(removal(List.of()))), ClockReading.local(100), out);
    answerBoth(manager);
    assertThat(of(ViewCommit.class)).hasSize(2).allMatch(commit -> commit.changes().size() == 1);
  }

  /** Its own view may never be decided, and the old manager's would have other members. */
  @Test
  void whoAnsweredANewManagerTakesNothingFromTheOldOne() {
    ReplaceableNode n2 = member("n2", config(true, ""));
    deliver(n2, "m", 2, new ViewPrep(1, 1, List.of(), "", 0));
    assertThat(of(ViewAck.class)).hasSize(1);
    deliver(n2, "m", 1, new ViewPrep(1, 9, List.of("n1"), "", 0));
    deliver(n2, "m", 1, new PrepCrt(txn("1"), at(AHEAD), "other"));
    assertThat(of(ViewAck.class)).hasSize(1);
    assertThat(of(Vote.class)).isEmpty();
    assertThat(n2.anticipated()).isEqualTo(Timestamp.ZERO);
  }

  /** What it does after it was asked to be removed nobody reports. */
  @Test
  void nothingIsTakenOfAMemberThatIsToBeRemovedUntilItComesBack() {
    ReplaceableNode n2 = member("n2", config(true, ""));
    deliver(n2, "m", 1, new ViewPrep(1, 1, List.of("n1"), "", 0));
    deliver(n2, "n1", FIRST, new Commit(txn("1"), at(10)));
    assertThat(n2.node().known("1")).isNull();
    View back = new View(2, new TreeMap<>(Map.of("n1", FIRST + 1, "n2", FIRST, "n3", FIRST)), 1);
    Change added =
        new Change(back, List.of(), "n1", at(50), at(20), List.of(), List.of(), List.of());
    deliver(n2, "m", 1, new ViewCommit(List.of(removal(List.of()), added)));
    deliver(n2, "n1", FIRST + 1, new Commit(txn("2"), at(60)));
    assertThat(n2.node().known("2")).isNotNull();
    assertThat(n2.node().region().passedBy("n1"))
        .as("no further than it was told")
        .isEqualTo(at(50));
  }

  /** What it knew is lost, and so is what it said. */
  @Test
  void nothingIsTakenOfAnEarlierIncarnation() {
    ReplaceableNode n2 = member("n2", config(true, ""));
    View back = new View(2, new TreeMap<>(Map.of("n1", FIRST + 1, "n2", FIRST, "n3", FIRST)), 1);
    Change added =
        new Change(back, List.of(), "n1", at(50), at(20), List.of(), List.of(), List.of());
    deliver(n2, "m", 1, new ViewCommit(List.of(removal(List.of()), added)));
    deliver(n2, "n1", FIRST, new Commit(txn("1"), at(60)));
    assertThat(n2.node().known("1")).isNull();
  }

  /** It goes on ignoring who it was once asked to remove, and says so in every round. */
  @Test
  void aMemberSaysWhomItEverWasAskedToRemove() {
    ReplaceableNode n2 = member("n2", config(true, ""));
    deliver(n2, "m", 1, new ViewPrep(1, 1, List.of("n1"), "", 0));
    deliver(n2, "m", 1, new ViewPrep(1, 2, List.of("n3"), "", 0));
    assertThat(of(ViewAck.class).get(1).ignored()).containsExactlyInAnyOrder("n1", "n3");
  }

  @Test
  void whomAMemberIgnoresIsRemoved() {
    ReplaceableManager manager = manager(2, config(true, ""));
    ViewPrep prep = of(ViewPrep.class).get(0);
    assertThat(prep.remove()).isEmpty();
    ViewAck ignoring =
        new ViewAck(
            prep.number(),
            prep.round(),
            List.of("n1"),
            List.of(),
            List.of(),
            List.of(),
            at(1),
            at(0),
            at(0));
    deliver(manager, "n2", FIRST, ignoring);
    List<ViewPrep> asked = of(ViewPrep.class);
    assertThat(asked.get(asked.size() - 1).remove()).containsExactly("n1");
  }

  @Test
  void anAnswerOfAnotherIncarnationIsNone() {
    ReplaceableManager manager = manager(2, config(true, ""));
    ViewPrep prep = of(ViewPrep.class).get(0);
    deliver(manager, "n1", FIRST + 1, ack(prep, at(0)));
    deliver(manager, "n2", FIRST, ack(prep, at(0)));
    deliver(manager, "n3", FIRST, ack(prep, at(0)));
    assertThat(decided).isEmpty();
    deliver(manager, "n1", FIRST, ack(prep, at(0)));
    assertThat(decided).hasSize(1);
  }

  /** Members tell it only of what came after the checkpoint in its own view. */
  @Test
  void whoHasACheckpointOfAnEarlierViewIsNotAdded() {
    ReplaceableManager manager = manager(2, config(true, ""));
    deliver(manager, "n1", FIRST + 1, new Join());
    answerBoth(manager);
    assertThat(manager.view().number()).isEqualTo(1);
    deliver(manager, "n1", FIRST + 1, new Installed(0, at(5)));
    assertThat(of(ViewPrep.class)).allMatch(prep -> prep.add().isEmpty());
    deliver(manager, "n1", FIRST + 1, new Installed(1, at(5)));
    assertThat(of(ViewPrep.class)).anyMatch(prep -> prep.add().equals("n1"));
  }

  /** It did not know then who is removed. */
  @Test
  void anAnswerToAnEarlierRoundIsNone() {
    ReplaceableManager manager = manager(2, config(true, ""));
    ViewPrep first = of(ViewPrep.class).get(0);
    deliver(manager, "n1", FIRST + 1, new Join());
    for (String member : List.of("n2", "n3")) {
      deliver(manager, member, FIRST, ack(first, at(0)));
    }
    assertThat(decided).isEmpty();
    answerBoth(manager);
    assertThat(decided).hasSize(1);
    assertThat(decided.get(0).removed()).containsExactly("n1");
  }

  /** Members have passed what it said, and execute up to there. */
  @Test
  void aNewManagersClockIsAboveThatOfTheOldOne() {
    ReplaceableManager manager = manager(2, config(true, ""));
    for (String member : List.of("n1", "n2", "n3")) {
      deliver(manager, member, FIRST, ack(of(ViewPrep.class).get(0), at(AHEAD)));
    }
    assertThat(decided).hasSize(1);
    assertThat(at(AHEAD).before(manager.clock().last())).isTrue();
  }

  private static ViewAck ack(ViewPrep prep, Timestamp passed) {
    return new ViewAck(
        prep.number(),
        prep.round(),
        prep.remove(),
        List.of(),
        List.of(),
        List.of(),
        at(1),
        passed,
        at(0));
  }

  /** The other replica of its name may know nothing. */
  @Test
  void aKeeperThatIsRemovedKeepsNothing() {
    ReplaceableNode n2 = coordinating(config(true, ""));
    deliver(n2, "n1", FIRST, new Kept("9", true));
    deliver(n2, "other", FIRST, new Result("9", "t", true, Map.of()));
    deliver(n2, "m", 1, new ViewPrep(1, 1, List.of("n1"), "", 0));
    deliver(n2, "m", 1, new ViewCommit(List.of(removal(List.of()))));
    deliver(n2, "n3", FIRST, new Kept("9", true));
    assertThat(n2.node().coordinated("9")).as("n1 may come back without it").isNotNull();
  }

  /** Its checkpoint is older than what this node has stamped since. */
  @Test
  void aNewMemberIsToldOfWhatCameAfterItsCheckpoint() {
    ReplaceableNode n2 = member("n2", config(true, ""));
    deliver(n2, "m", 1, new ViewPrep(1, 1, List.of("n1"), "", 0));
    deliver(n2, "m", 1, new ViewCommit(List.of(removal(List.of()))));
    n2.handle(new Input.ClientRequest(1, new DastRequest(txn("1"))), ClockReading.local(50), out);
    Timestamp stamped = n2.node().known("1").at();
    View back = new View(2, new TreeMap<>(Map.of("n1", FIRST + 1, "n2", FIRST, "n3", FIRST)), 1);
    Timestamp before = at(stamped.time() - 1);
    Change added =
        new Change(back, List.of(), "n1", at(50), before, List.of(), List.of(), List.of());
    deliver(n2, "m", 1, new ViewCommit(List.of(added)));
    sent.clear();
    receivers.clear();
    n2.handle(new Input.TimerFired(new DastTimer.Tell()), ClockReading.local(100), out);
    Clock told = (Clock) ((From) sent.get(receivers.indexOf("n1"))).body();
    assertThat(told.notes()).extracting(note -> note.txn().id()).containsExactly("1");
  }

  private void answerBoth(ReplaceableManager manager) {
    answer(manager, "n2", List.of(), List.of(), List.of());
    answer(manager, "n3", List.of(), List.of(), List.of());
  }

  private ReplaceableManager manager(long epoch, DastConfig config) {
    ReplaceableManager manager = new ReplaceableManager(LAYOUT, "m", config);
    manager.handle(new Input.Start(epoch, List.of()), ClockReading.local(100), out);
    return manager;
  }

  /** n1 lost what it knew and wants to come back. */
  private void remove(ReplaceableManager manager) {
    deliver(manager, "n1", FIRST + 1, new Join());
    assertThat(of(ViewPrep.class)).isNotEmpty();
  }

  private static Change removal(List<Note> irts) {
    View view = new View(1, new TreeMap<>(Map.of("n2", FIRST, "n3", FIRST)), 1);
    return new Change(view, List.of("n1"), "", at(0), at(0), irts, List.of(), List.of());
  }

  private static Txn txn(String id) {
    return txn(id, 0);
  }
}
