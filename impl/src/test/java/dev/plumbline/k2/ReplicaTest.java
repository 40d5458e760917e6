package dev.plumbline.k2;

import static dev.plumbline.k2.Fixtures.CONFIG;
import static dev.plumbline.k2.Fixtures.VALUE;
import static dev.plumbline.k2.Fixtures.ts;
import static dev.plumbline.k2.Fixtures.txn;
import static org.assertj.core.api.Assertions.assertThat;

import dev.plumbline.k2.system.K2System;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

class ReplicaTest {
  private static final long X = 2;
  private static final K2Record CUT = new K2Record.EpochCut(1);
  private static final K2Record INTENT = new K2Record.Intent(txn(10), X, X, 1, VALUE);
  private static final K2Record RESOLVED = new K2Record.Resolved(txn(10), X, true, 1);

  private final Replica replica = new Replica(CONFIG, Fixtures.PLACEMENT, "a");
  private final Recording r = Recording.started(replica);

  private void log(long from, K2Record... entries) {
    r.deliver("a", new K2Message.LogEntries(from, List.of(entries)));
  }

  private void read(long at) {
    r.deliver("c", new K2Message.ReplicaRead("reader", ts(at), X));
  }

  private void answers(String writer, List<Long> value) {
    assertThat(r.sentTo("c"))
        .containsExactly(new K2Message.ReplicaReadReply("reader", X, writer, value));
  }

  @Test
  void aReadWaitsUntilTheCutOfItsCeilingEpochIsReplayed() {
    log(0, INTENT, RESOLVED);
    read(20);
    assertThat(r.sent).isEmpty();
    log(2, CUT);
    assertThat(r.actions()).containsExactly("EpochVisibility.Replay");
    r.fire(new K2Timer.Attempt("reader", X));
    answers("t10", VALUE);
    assertThat(r.actions()).containsExactly("EpochVisibility.ReplicaRead");
  }

  @Test
  void anUndecidedWriteInTheViewIsPushed() {
    log(0, INTENT, CUT);
    read(20);
    assertThat(r.sentTo("a")).containsExactly(new K2Message.Push(txn(10), X, X));
    r.deliver("a", new K2Message.PushReply(txn(10), X, true, 1));
    r.fire(new K2Timer.Attempt("reader", X));
    answers("t10", VALUE);
  }

  /** Processes refuse what the protocol does not name, and end the connection. */
  @Test
  void aReplicaAndARecorderTakeFromEachOtherWhatTheySend() {
    K2System protocol = new K2System();
    log(0, INTENT, CUT);
    assertTaken(protocol.messages("replica", "data-node"), "a", r);
    Recording a = Recording.started(Fixtures.dataNode(CONFIG));
    read(20);
    assertTaken(protocol.messages("replica", "data-node"), "a", r);
    a.deliver("r", r.sentTo("a").get(0)).deliver("c", Fixtures.commit(10, X));
    assertTaken(protocol.messages("data-node", "replica"), "r", a);
    a.deliver("c", Fixtures.write(10, X));
    r.deliver("a", new K2Message.LogEntries(9, List.of()));
    a.deliver("r", r.sentTo("a").get(0));
    a.deliver("r", new K2Message.LogAck(0)).deliver("c", Fixtures.write(20, X));
    assertTaken(protocol.messages("data-node", "replica"), "r", a);
  }

  private static void assertTaken(Set<Class<?>> taken, String to, Recording by) {
    assertThat(by.sentTo(to))
        .isNotEmpty()
        .allSatisfy(message -> assertThat(taken).contains(message.getClass()));
  }

  @Test
  void abortedWritesAndCommitEpochsAfterTheViewAreInvisible() {
    log(0, INTENT, CUT);
    read(20);
    r.deliver("a", new K2Message.PushReply(txn(10), X, false, 0));
    r.fire(new K2Timer.Attempt("reader", X));
    answers("NoTxn", List.of());
    log(2, new K2Record.Resolved(txn(10), X, true, 2));
    read(20);
    answers("NoTxn", List.of());
  }

  @Test
  void aWriteLoggedAfterTheCutIsNotInTheView() {
    log(0, CUT, new K2Record.Intent(txn(10), X, X, 2, VALUE));
    r.fire(new K2Timer.ReplayNext());
    read(20);
    answers("NoTxn", List.of());
  }

  @Test
  void entriesAreReplayedInOrderOnceWhateverArrives() {
    log(1, RESOLVED);
    assertThat(r.persisted).isEmpty();
    assertThat(r.sentTo("a")).containsExactly(new K2Message.LogAck(0));
    log(0, INTENT);
    log(0, INTENT, RESOLVED);
    assertThat(r.persisted).containsExactly(new K2Record.Replayed(List.of(RESOLVED)));
    log(0, INTENT, RESOLVED);
    assertThat(r.persisted).isEmpty();
    assertThat(r.sentTo("a")).containsExactly(new K2Message.LogAck(2));
  }

  @Test
  void oneStepReplaysUpToOneCut() {
    log(0, CUT, new K2Record.EpochCut(2));
    assertThat(replica.replayed()).isEqualTo(1);
    assertThat(r.sentTo("a"))
        .as("the other is not on disk")
        .containsExactly(new K2Message.LogAck(1));
    r.fire(new K2Timer.ReplayNext());
    assertThat(replica.replayed()).isEqualTo(2);
  }

  /** Clients name snapshots, and may name any. */
  @Test
  void aReadFarInTheFutureIsNotAnswered() {
    log(0, INTENT, RESOLVED, CUT);
    for (long at : new long[] {CONFIG.epochMicros() + 1, Long.MAX_VALUE - 1, Long.MAX_VALUE}) {
      read(at);
      assertThat(r.sent).as("at %s", at).isEmpty();
    }
    read(Long.MIN_VALUE);
    answers("NoTxn", List.of());
  }

  /** Its coordinator gave it up, or sends it again; while the primary is cut off many come. */
  @Test
  void aReadThatIsNotRepeatedIsForgotten() {
    for (int i = 0; i < 100; i++) {
      r.deliver("c", new K2Message.ReplicaRead("old" + i, ts(20), X));
    }
    read(20);
    r.after(CONFIG.patienceMicros());
    read(20);
    assertThat(replica.waiting()).isEqualTo(101);
    r.after(1);
    read(20);
    assertThat(replica.waiting()).isEqualTo(1);
    log(0, CUT);
    r.fire(new K2Timer.Attempt("reader", X));
    answers("NoTxn", List.of());
  }

  @Test
  void readsAreRememberedForALogAlone() {
    log(0, CUT);
    r.tracing = false;
    read(20);
    r.tracing = true;
    read(20);
    assertThat(r.actions()).containsExactly("EpochVisibility.ReplicaRead");
    read(20);
    assertThat(r.actions()).isEmpty();
  }

  @Test
  void whatWasReplayedSurvivesARestart() {
    log(0, INTENT, RESOLVED, CUT);
    Replica again = new Replica(CONFIG, Fixtures.PLACEMENT, "a");
    Recording a = new Recording(again).start(2, List.copyOf(r.persisted));
    assertThat(again.versions().all()).isEqualTo(replica.versions().all());
    assertThat(again.replayed()).isEqualTo(1);
    assertThat(a.sentTo("a")).containsExactly(new K2Message.LogAck(3));
  }
}
