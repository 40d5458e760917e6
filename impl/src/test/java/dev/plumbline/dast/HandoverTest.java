package dev.plumbline.dast;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.plumbline.dast.DastMessage.AskPart;
import dev.plumbline.dast.DastMessage.Commit;
import dev.plumbline.dast.DastMessage.CommitRemote;
import dev.plumbline.dast.DastMessage.From;
import dev.plumbline.dast.DastMessage.Install;
import dev.plumbline.dast.DastMessage.Installed;
import dev.plumbline.dast.DastMessage.Join;
import dev.plumbline.dast.DastMessage.Kept;
import dev.plumbline.dast.DastMessage.Note;
import dev.plumbline.dast.DastMessage.Output;
import dev.plumbline.dast.DastMessage.Result;
import dev.plumbline.dast.DastMessage.Transfer;
import dev.plumbline.dast.DastMessage.ViewCommit;
import dev.plumbline.dast.DastMessage.Vote;
import dev.plumbline.machine.ClockReading;
import dev.plumbline.machine.Effects;
import dev.plumbline.machine.Input;
import dev.plumbline.machine.Message;
import dev.plumbline.machine.NoEffects;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** n2 hands n1, which lost what it knew, a checkpoint (Algorithm 4, lines 2 to 13). */
class HandoverTest {
  private static final Layout LAYOUT = new OneShard(3);
  private static final long FIRST = View.FIRST;
  private static final long JOINING = 2 * View.FIRST;
  private static final View REMOVED =
      new View(1, new TreeMap<>(Map.of("n2", FIRST, "n3", FIRST)), 1);
  private static final int TRANSACTIONS = 5;

  private final List<DastMessage> sent = new ArrayList<>();
  private final Effects out =
      new NoEffects() {
        @Override
        public void send(String to, Message message) {
          sent.add(((From) message).body());
        }
      };

  private final ReplaceableNode n2 = node("n2", 1_000);
  private final ReplaceableNode n1 = node("n1", 1_000);

  private static ReplaceableNode node(String self, long partBytes) {
    DastConfig config = new DastConfig(1_000, 10_000, 100, 1_000_000, partBytes, List.of());
    return new ReplaceableNode(LAYOUT, Procedures.standard(), self, config);
  }

  @BeforeEach
  void n1WasRemovedAndWantsToComeBack() {
    n2.handle(new Input.Start(1, List.of()), ClockReading.local(1), out);
    for (int i = 1; i <= TRANSACTIONS; i++) {
      deliver(n2, "n3", FIRST, new Commit(txn(i), at(1_000 + i)));
    }
    deliver(n2, "m", 1, new ViewCommit(List.of(change(REMOVED, "n1", ""))));
    n1.handle(new Input.Start(2, List.of()), ClockReading.local(1), out);
    assertThat(take(Join.class)).hasSize(1);
    sent.clear();
  }

  @Test
  void aLongCheckpointIsAskedForPartByPart() {
    Install part = transfer();
    assertThat(part.of()).isGreaterThan(2);
    for (int i = 1; i < part.of(); i++) {
      part = following(part);
      assertThat(part.part()).isEqualTo(i);
    }
    assertThat(toN1(part)).isEmpty();
    assertThat(take(Installed.class)).hasSize(1);
    comesBack();
  }

  @Test
  void aShortOneIsOneMessageMadeAnewEachTime() {
    ReplaceableNode giver = node("n2", DastConfig.PART_BYTES);
    giver.handle(new Input.Start(1, List.of()), ClockReading.local(1), out);
    deliver(giver, "m", 1, new Transfer("n1", JOINING));
    deliver(giver, "n3", FIRST, new Commit(txn(1), at(1_000)));
    deliver(giver, "m", 1, new Transfer("n1", JOINING));
    List<Install> installs = take(Install.class);
    assertThat(installs).extracting(Install::of).containsExactly(1, 1);
    assertThat(installs.get(0).checkpoint().pending()).isEmpty();
    assertThat(installs.get(1).checkpoint().pending()).hasSize(1);
    toN1(installs.get(0));
    toN1(installs.get(1));
    assertThat(take(Installed.class)).hasSize(2);
  }

  @Test
  void partsThatAreRepeatedOrComeTooEarlyChangeNothing() {
    Install first = transfer();
    Install second = following(first);
    Install third = following(second);
    assertThat(toN1(second)).isEmpty();
    assertThat(toN1(first)).extracting(AskPart::part).containsExactly(2);
    Install last = third;
    while (last.part() + 2 < last.of()) {
      last = following(last);
    }
    toN1(last);
    deliver(n2, "n1", JOINING, new AskPart(last.number(), last.of() - 1));
    Install end = take(Install.class).get(0);
    assertThat(toN1(third)).isEmpty();
    assertThat(take(Installed.class)).isEmpty();
    toN1(end);
    toN1(end);
    assertThat(take(Installed.class)).hasSize(1);
    toN1(first);
    assertThat(take(Installed.class)).as("the first one may be lost").hasSize(1);
    comesBack();
  }

  @Test
  void aLaterPartAloneIsNothing() {
    Install first = transfer();
    deliver(n2, "n1", JOINING, new AskPart(first.number(), 1));
    assertThat(toN1(take(Install.class).get(0))).isEmpty();
    assertThat(toN1(first)).extracting(AskPart::part).containsExactly(1);
  }

  @Test
  void theManagerAsksAgainAndALongCheckpointStaysTheSameInItsView() {
    Install first = transfer();
    Install late = following(first);
    deliver(n2, "n3", FIRST, new Commit(txn(9), at(2_000)));
    assertThat(again()).as("n1 has just asked").isEmpty();
    assertThat(again()).containsExactly(first);
    deliver(n2, "n1", JOINING, new AskPart(first.number(), 1));
    assertThat(take(Install.class)).containsExactly(late);
    assertThat(again()).as("again").isEmpty();
    for (int i = 1; i < 10; i++) {
      assertThat(again()).as("its question may be lost").containsExactly(first);
    }
    Install next = again().get(0);
    assertThat(next.number()).as("what n1 has got is old").isGreaterThan(first.number());
    assertThat(next.of()).isGreaterThan(first.of());
    assertThat(toN1(next)).extracting(AskPart::number).containsExactly(next.number());
    assertThat(toN1(late)).as("a part of the one before").isEmpty();
    assertThat(toN1(first)).as("the first one, too").isEmpty();
    assertThat(toN1(following(next))).extracting(AskPart::part).containsExactly(2);
  }

  @Test
  void anotherViewHasItsOwnCheckpoint() {
    Install first = transfer();
    View next = new View(2, REMOVED.members(), 1);
    deliver(n2, "m", 1, new ViewCommit(List.of(change(next, "", ""))));
    sent.clear();
    deliver(n2, "n1", JOINING, new AskPart(first.number(), 1));
    assertThat(take(Install.class)).as("the manager would not take it").isEmpty();
    Install anew = transfer();
    assertThat(anew.number()).isGreaterThan(first.number());
    assertThat(toN1(first)).hasSize(1);
    assertThat(toN1(anew)).extracting(AskPart::number).containsExactly(anew.number());
    deliver(n1, "n3", FIRST, new Install(JOINING, 9, 0, 2, checkpoint(5)));
    assertThat(take(AskPart.class)).as("one of an earlier view").isEmpty();
  }

  @Test
  void aMemberGetsNoCheckpoint() {
    deliver(n2, "m", 1, new Transfer("n3", FIRST));
    assertThat(take(Install.class)).isEmpty();
  }

  @Test
  void anotherIncarnationOfTheReceiverGetsACheckpointOfItsOwn() {
    Install first = transfer();
    deliver(n2, "n1", JOINING + 1, new AskPart(first.number(), 1));
    deliver(n2, "n3", JOINING, new AskPart(first.number(), 1));
    deliver(n2, "n1", JOINING, new AskPart(first.number() + 1, 1));
    deliver(n2, "n1", JOINING, new AskPart(first.number(), first.of()));
    deliver(n2, "n1", JOINING, new AskPart(first.number(), -1));
    assertThat(take(Install.class)).isEmpty();
    deliver(n2, "m", 1, new Transfer("n1", JOINING + 1));
    Install other = take(Install.class).get(0);
    assertThat(other.number()).isGreaterThan(first.number());
    assertThat(again()).as("that n1 is gone").isEmpty();
    assertThat(toN1(other)).as("n1 is not that incarnation").isEmpty();
  }

  /** A delayed one would leave a gap: members repeat what came after the one they were told of. */
  @Test
  void anOlderCheckpointDoesNotReplaceANewerOne() {
    Checkpoint newer = checkpoint(20);
    toN1(new Install(JOINING, 2, 0, 1, newer));
    deliver(n1, "n3", FIRST, new Install(JOINING, 1, 0, 1, checkpoint(10)));
    assertThat(take(Installed.class))
        .extracting(Installed::upTo)
        .containsExactly(newer.upTo(), newer.upTo());
    toN1(new Install(JOINING, 3, 0, 1, checkpoint(30)));
    assertThat(take(Installed.class)).extracting(Installed::upTo).containsExactly(at(30));
    View next = new View(2, REMOVED.members(), 1);
    Checkpoint less = empty(next, 15);
    toN1(new Install(JOINING, 4, 0, 1, less));
    assertThat(take(Installed.class))
        .as("the manager wants one of its view")
        .containsExactly(new Installed(2, at(15)));
  }

  /** Members repeat what came after 20 alone. */
  @Test
  void whoHasLessThanTheMembersWereToldJoinsAgain() {
    toN1(new Install(JOINING, 1, 0, 1, checkpoint(15)));
    assertThat(take(Installed.class)).hasSize(1);
    View back = new View(2, new TreeMap<>(Map.of("n1", JOINING, "n2", FIRST, "n3", FIRST)), 1);
    Change added =
        new Change(back, List.of(), "n1", at(50), at(20), List.of(), List.of(), List.of());
    deliver(n1, "m", 1, new ViewCommit(List.of(added)));
    assertThat(n1.member()).isFalse();
    assertThat(take(Join.class)).hasSize(1);
    toN1(new Install(JOINING, 2, 0, 1, checkpoint(20)));
    assertThat(take(Installed.class)).as("it is another incarnation now").isEmpty();
  }

  @Test
  void whoHasWhatTheMembersWereToldIsAdmitted() {
    toN1(new Install(JOINING, 1, 0, 1, checkpoint(20)));
    View back = new View(2, new TreeMap<>(Map.of("n1", JOINING, "n2", FIRST, "n3", FIRST)), 1);
    Change added =
        new Change(back, List.of(), "n1", at(50), at(20), List.of(), List.of(), List.of());
    deliver(n1, "m", 1, new ViewCommit(List.of(added)));
    assertThat(n1.member()).isTrue();
  }

  @Test
  void whatWasAbortedIsAbortedForTheNewReplicaToo() {
    Checkpoint told =
        new Checkpoint(
            REMOVED, Map.of(), List.of(), List.of(), at(20), List.of(), List.of(), List.of("7"));
    toN1(new Install(JOINING, 1, 0, 1, told));
    View back = new View(2, new TreeMap<>(Map.of("n1", JOINING, "n2", FIRST, "n3", FIRST)), 1);
    Change added =
        new Change(back, List.of(), "n1", at(50), at(20), List.of(), List.of(), List.of());
    deliver(n1, "m", 1, new ViewCommit(List.of(added)));
    deliver(n1, "n3", FIRST, new Commit(txn(7), at(60)));
    assertThat(n1.node().known("7")).isNull();
  }

  /** Repair Apart: what an earlier incarnation committed counts as well. */
  @Test
  void aCrtGetsNoTimeThatThePredecessorUsed() {
    ReplaceableNode before = node("n1", 1_000);
    before.handle(new Input.Start(1, List.of()), ClockReading.local(1), out);
    Timestamp used = commits(before, "8");
    Note fate = new Note(OneShardNodes.txn("8", OneShard.REMOTE_KEY), true, used, "n1");
    Checkpoint told =
        new Checkpoint(
            REMOVED, Map.of(), List.of(), List.of(), at(20), List.of(fate), List.of(), List.of());
    toN1(new Install(JOINING, 1, 0, 1, told));
    View back = new View(2, new TreeMap<>(Map.of("n1", JOINING, "n2", FIRST, "n3", FIRST)), 1);
    Change added =
        new Change(back, List.of(), "n1", at(50), at(20), List.of(), List.of(), List.of());
    deliver(n1, "m", 1, new ViewCommit(List.of(added)));
    assertThat(commits(n1, "9")).isGreaterThan(used);
  }

  /** The timestamp of a CRT that is voted for at 200. */
  private Timestamp commits(ReplaceableNode node, String id) {
    Txn crt = OneShardNodes.txn(id, OneShard.REMOTE_KEY);
    node.handle(new Input.ClientRequest(1, new DastRequest(crt)), ClockReading.local(60), out);
    deliver(node, "n2", FIRST, new Kept(id, false));
    deliver(node, "other", FIRST, new Vote(id, at(200), 0));
    deliver(node, "n2", FIRST, new Kept(id, true));
    return take(CommitRemote.class).get(0).ts();
  }

  @ParameterizedTest
  @CsvSource({"-1, 1", "-1, 0", "0, 0", "1, 1", "0, -1"})
  void aPartThatThereCannotBeIsIgnored(int part, int of) {
    toN1(new Install(JOINING, 1, part, of, checkpoint(10)));
    assertThat(take(Installed.class)).isEmpty();
  }

  @ParameterizedTest
  @CsvSource({"1, 10", "2000, 6", "100000, 1"})
  void thePartsOfACheckpointAreTheCheckpoint(long bytes, int size) {
    Note note = new Note(txn(1), true, at(10), "n3");
    Checkpoint all =
        new Checkpoint(
            REMOVED,
            Map.of(1L, List.of(1L, 2L), 2L, List.of(3L)),
            List.of(done(2, 0), done(3, 500)),
            List.of(new Checkpoint.Waiting(note, true, Map.of("covered", 1L))),
            at(30),
            List.of(note, new Note(txn(4), false, at(5), "n1")),
            List.of(note),
            List.of("5", "6"));
    List<Checkpoint> parts = all.parts(bytes);
    assertThat(Checkpoint.joined(parts)).isEqualTo(all);
    assertThat(parts).hasSize(size);
    assertThat(parts.get(0).upTo()).isEqualTo(at(30));
  }

  /** An estimate above that may be no frame. */
  @ParameterizedTest
  @ValueSource(longs = {-1, 0, 2 * DastConfig.PART_BYTES + 1})
  void aPartHasSomethingAndIsNotLongerThanAMessage(long bytes) {
    assertThatThrownBy(() -> node("n1", bytes))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("partBytes is " + bytes + "; it is from 1 to 2097152");
    assertThat(node("n1", 2 * DastConfig.PART_BYTES).member()).isFalse();
  }

  private static Checkpoint.Done done(int id, int values) {
    List<Long> seen = new ArrayList<>();
    for (long i = 0; i < values; i++) {
      seen.add(Long.MIN_VALUE + i);
    }
    String txn = String.valueOf(id);
    return new Checkpoint.Done(
        new Result(txn, "s", true, Map.of(0, seen)),
        new Output(txn, "s", Map.of()),
        new Note(txn(id), true, at(id), "n3"),
        false);
  }

  private static Checkpoint checkpoint(long upTo) {
    return empty(REMOVED, upTo);
  }

  private static Checkpoint empty(View view, long upTo) {
    return new Checkpoint(
        view, Map.of(), List.of(), List.of(), at(upTo), List.of(), List.of(), List.of());
  }

  /** What n2 sends when the manager asks it once more. */
  private List<Install> again() {
    deliver(n2, "m", 1, new Transfer("n1", JOINING));
    return take(Install.class);
  }

  /** n2's answer to the manager. */
  private Install transfer() {
    List<Install> installs = again();
    assertThat(installs).hasSize(1);
    return installs.get(0);
  }

  /** n2's answer to n1's to a part. */
  private Install following(Install part) {
    List<AskPart> asked = toN1(part);
    assertThat(asked).hasSize(1);
    deliver(n2, "n1", JOINING, asked.get(0));
    return take(Install.class).get(0);
  }

  private List<AskPart> toN1(Install part) {
    deliver(n1, "n2", FIRST, part);
    return take(AskPart.class);
  }

  private void comesBack() {
    View back = new View(2, new TreeMap<>(Map.of("n1", JOINING, "n2", FIRST, "n3", FIRST)), 1);
    deliver(n1, "m", 1, new ViewCommit(List.of(change(back, "", "n1"))));
    assertThat(n1.member()).isTrue();
    for (int i = 1; i <= TRANSACTIONS; i++) {
      assertThat(n1.node().known(String.valueOf(i)))
          .isEqualTo(new Note(txn(i), true, at(1_000 + i), "n3"));
    }
  }

  private static Change change(View view, String removed, String added) {
    List<String> gone = removed.isEmpty() ? List.of() : List.of(removed);
    return new Change(view, gone, added, at(0), at(0), List.of(), List.of(), List.of());
  }

  private void deliver(ReplaceableNode node, String from, long incarnation, DastMessage body) {
    node.handle(new Input.Deliver(from, new From(incarnation, body)), ClockReading.local(100), out);
  }

  /** What was sent of a kind since it was taken last. */
  private <M> List<M> take(Class<M> kind) {
    List<M> taken = sent.stream().filter(kind::isInstance).map(kind::cast).toList();
    sent.removeIf(kind::isInstance);
    return taken;
  }

  private static Timestamp at(long time) {
    return new Timestamp(time, 0, 0);
  }

  private static Txn txn(int id) {
    Step step = new Step(0, Step.Kind.APPEND, 0, 7);
    return new Txn(
        String.valueOf(id),
        Procedures.ACCESS,
        Map.of("s", new Txn.Part(Procedures.ACCESS, List.of(step))));
  }
}
