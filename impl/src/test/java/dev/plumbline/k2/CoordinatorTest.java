package dev.plumbline.k2;

import static dev.plumbline.k2.Fixtures.CONFIG;
import static dev.plumbline.k2.Fixtures.VALUE;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class CoordinatorTest {
  private static final String T = "c-1.1";
  private static final long WAIT = CONFIG.commitWait();
  private static final long X = 2;
  private static final long Y = 3;

  private final Coordinator coordinator = Fixtures.coordinator(CONFIG);
  private final Recording c = Recording.started(coordinator);

  private void begin(K2Request.Mode mode) {
    c.ask(new K2Request.Begin(mode, null));
    c.fire(new K2Timer.NextTimestamp());
    long id = ((K2Message.BatchRequest) c.sentTo("o").get(0)).id();
    c.deliver("o", new K2Message.BatchReply(id, 1, 1_000));
    c.fire(new K2Timer.NextTimestamp());
    assertThat(c.replies).hasSize(1);
  }

  private Txn txn() {
    return coordinator.transactions().get(T).txn();
  }

  private void write(long key) {
    c.ask(new K2Request.Put(T, key, VALUE));
    assertThat(c.replies).containsExactly(new K2Response.Accepted());
  }

  private void acknowledge(long key) {
    c.deliver(Fixtures.PLACEMENT.home(key), new K2Message.WriteReply(T, key, true, 1));
  }

  @Test
  void anotherClientCanNeitherEndNorSeeATransaction() {
    begin(K2Request.Mode.PRIMARY);
    write(X);
    for (K2Request request :
        List.of(
            new K2Request.Abort(T),
            new K2Request.Commit(T),
            new K2Request.Get(T, X),
            new K2Request.Put(T, Y, VALUE))) {
      assertThat(c.ask("another", request).replies)
          .containsExactly(new K2Response.Unknown("the coordinator knows no such transaction"));
      assertThat(c.sent).isEmpty();
    }
    write(Y);
    assertThat(coordinator.transactions().get(T).phase()).isEqualTo(Transaction.Phase.RUNNING);
  }

  @Test
  void writesGoOutWithoutWaitingAndTheCommitWaitsForAllOfThem() {
    begin(K2Request.Mode.PRIMARY);
    write(X);
    write(Y);
    assertThat(c.sentTo("b")).containsExactly(new K2Message.Write(txn(), Y, X, VALUE));
    c.after(WAIT).ask(new K2Request.Commit(T));
    assertThat(c.sent).isEmpty();
    acknowledge(X);
    acknowledge(Y);
    assertThat(c.timers).containsEntry(new K2Timer.Proceed(T), 0L);
    c.fire(new K2Timer.Proceed(T));
    assertThat(c.sentTo("a")).containsExactly(new K2Message.Commit(txn(), X, 1));
    c.deliver("a", new K2Message.Decision(T, true, 4));
    assertThat(c.replies).containsExactly(new K2Response.Committed(txn().ts()));
    assertThat(c.sentTo("a")).containsExactly(new K2Message.Finalize(txn(), X, true, 4));
    assertThat(c.sentTo("b")).containsExactly(new K2Message.Finalize(txn(), Y, true, 4));
    assertThat(c.actions())
        .containsExactly("Mvto.HandleDecision", "TimestampBatching.End", "EpochVisibility.Tell");
    c.deliver("a", new K2Message.FinalizeAck(T, X)).deliver("b", new K2Message.FinalizeAck(T, Y));
    assertThat(coordinator.transactions()).isEmpty();
  }

  @Test
  void nothingIsAskedOfTheRecorderBeforeTheCommitWaitIsOver() {
    begin(K2Request.Mode.PRIMARY);
    write(X);
    acknowledge(X);
    c.after(WAIT - 1).ask(new K2Request.Commit(T));
    assertThat(c.sent).isEmpty();
    assertThat(c.timers).containsEntry(new K2Timer.Proceed(T), 1L);
    c.after(1).fire(new K2Timer.Proceed(T));
    assertThat(c.sentTo("a")).containsExactly(new K2Message.Commit(txn(), X, 1));
  }

  /** Answers come in any order, and a write is of the epoch in which it was made. */
  @Test
  void theCommitIsOfTheHighestEpochThatAWriteMet() {
    begin(K2Request.Mode.PRIMARY);
    write(X);
    write(Y);
    c.deliver("a", new K2Message.WriteReply(T, X, true, 3));
    c.deliver("b", new K2Message.WriteReply(T, Y, true, 2));
    c.after(WAIT).ask(new K2Request.Commit(T));
    assertThat(c.sentTo("a")).containsExactly(new K2Message.Commit(txn(), X, 3));
  }

  /** Its recorder decides, perhaps for the commit: the client is not told otherwise. */
  @Test
  void whoHasAskedToCommitDoesNotLosePatience() {
    begin(K2Request.Mode.PRIMARY);
    write(X);
    acknowledge(X);
    c.after(WAIT).ask(new K2Request.Commit(T));
    c.fire(new K2Timer.Patience(T));
    assertThat(c.replies).isEmpty();
    c.deliver("a", new K2Message.Decision(T, true, 1));
    assertThat(c.replies).containsExactly(new K2Response.Committed(txn().ts()));
  }

  @Test
  void aReadOnlyTransactionNeedsNoRecorderButTheCommitWait() {
    begin(K2Request.Mode.PRIMARY);
    c.ask(new K2Request.Get(T, X));
    assertThat(c.sentTo("a")).containsExactly(new K2Message.Read(txn(), X));
    c.deliver("a", new K2Message.ReadReply(T, X, "t0", VALUE));
    assertThat(c.replies).containsExactly(new K2Response.Value(VALUE));
    c.ask(new K2Request.Commit(T));
    assertThat(c.replies).isEmpty();
    Timestamp ts = txn().ts();
    c.after(WAIT).fire(new K2Timer.Proceed(T));
    assertThat(c.replies).containsExactly(new K2Response.Committed(ts));
    assertThat(c.actions())
        .containsExactly("Mvto.RequestCommit", "TimestampBatching.End", "EpochVisibility.Tell");
  }

  @Test
  void readsAtReplicasGoThere() {
    begin(K2Request.Mode.LINEARIZABLE);
    c.ask(new K2Request.Get(T, X));
    assertThat(c.sentTo("r")).containsExactly(new K2Message.ReplicaRead(T, txn().ts(), X));
    c.deliver("a", new K2Message.ReadReply(T, X, "t0", VALUE));
    assertThat(c.replies).isEmpty();
    c.deliver("r", new K2Message.ReplicaReadReply(T, X, "t0", VALUE));
    assertThat(c.replies).containsExactly(new K2Response.Value(VALUE));
  }

  @Test
  void aSnapshotReadTakesTheTimestampThatItsClientNames() {
    Timestamp at = Fixtures.ts(77);
    c.ask(new K2Request.Begin(K2Request.Mode.SNAPSHOT, at));
    assertThat(c.replies).containsExactly(new K2Response.Begun(T, at));
    assertThat(c.actions()).containsExactly("EpochVisibility.BeginSnapshot");
    c.ask(new K2Request.Commit(T));
    assertThat(c.replies).containsExactly(new K2Response.Committed(at));
  }

  @Test
  void ownWritesAndRepeatedReadsAskNobody() {
    begin(K2Request.Mode.PRIMARY);
    write(X);
    c.ask(new K2Request.Get(T, X));
    assertThat(c.replies).containsExactly(new K2Response.Value(VALUE));
    assertThat(c.sent).isEmpty();
  }

  @Test
  void aRefusedWriteAbortsAndADecisionBeforeTheCommitWaitIsAskedForAgain() {
    begin(K2Request.Mode.PRIMARY);
    write(X);
    c.deliver("a", new K2Message.WriteReply(T, X, false, 1));
    K2Message.Abort abort = new K2Message.Abort(txn(), X);
    assertThat(c.sentTo("a")).containsExactly(abort);
    c.ask(new K2Request.Commit(T));
    c.deliver("a", new K2Message.Decision(T, false, 0));
    assertThat(c.replies).isEmpty();
    K2Timer resend = new K2Timer.Resend(T);
    c.after(c.timers.get(resend)).fire(resend);
    assertThat(c.sentTo("a")).containsExactly(abort);
    c.deliver("a", new K2Message.Decision(T, false, 0));
    assertThat(c.replies).hasSize(1).first().isInstanceOf(K2Response.Aborted.class);
  }

  @Test
  void unansweredMessagesAreSentAgain() {
    begin(K2Request.Mode.PRIMARY);
    write(X);
    List<Recording.Sent> first = List.copyOf(c.sent);
    c.fire(new K2Timer.Resend(T));
    assertThat(c.sent).isEqualTo(first);
    acknowledge(X);
    c.fire(new K2Timer.Resend(T));
    assertThat(c.sent).isEmpty();
  }

  @Test
  void aSilentClientsTransactionIsGivenUp() {
    begin(K2Request.Mode.PRIMARY);
    write(X);
    c.fire(new K2Timer.Patience(T));
    assertThat(c.actions()).containsExactly("Mvto.RequestAbort");
    assertThat(c.sentTo("a")).containsExactly(new K2Message.Abort(txn(), X));
  }

  /** Who is told that nothing will be written is not told of a commit afterwards. */
  @Test
  void aTransactionThatIsToldThatItEndedHasEnded() {
    begin(K2Request.Mode.PRIMARY);
    write(X);
    c.ask(new K2Request.Put(T, X, List.of(8L)));
    assertThat(c.sentTo("a")).containsExactly(new K2Message.Abort(txn(), X));
    c.after(WAIT).deliver("a", new K2Message.Decision(T, false, 0));
    assertThat(c.replies).containsExactly(new K2Response.Aborted("a second write of a key"));
  }

  @Test
  void aWriteThatIsAskedForAgainIsAcceptedAgain() {
    begin(K2Request.Mode.PRIMARY);
    write(X);
    write(X);
    assertThat(c.sent).isEmpty();
  }

  @Test
  void readersAtReplicasEndWithTheirFirstWrite() {
    begin(K2Request.Mode.LINEARIZABLE);
    c.ask(new K2Request.Put(T, X, VALUE));
    assertThat(c.replies).hasSize(1).first().isInstanceOf(K2Response.Aborted.class);
    assertThat(coordinator.transactions()).isEmpty();
  }

  /** A write that nobody acknowledged may have arrived: its intent would stay for good. */
  @Test
  void whatAbortsIsFinalizedAgainWhereItsWriteWasNotAcknowledged() {
    begin(K2Request.Mode.PRIMARY);
    write(X);
    acknowledge(X);
    write(Y);
    c.ask(new K2Request.Abort(T)).after(WAIT).deliver("a", new K2Message.Decision(T, false, 0));
    c.deliver("a", new K2Message.FinalizeAck(T, X));
    c.fire(new K2Timer.Resend(T));
    assertThat(c.sent)
        .containsExactly(new Recording.Sent("b", new K2Message.Finalize(txn(), Y, false, 0)));
  }

  @Test
  void heartbeatsGoToRecordersOfOpenTransactions() {
    K2Timer beat = new K2Timer.SendHeartbeats();
    begin(K2Request.Mode.PRIMARY);
    assertThat(c.timers).doesNotContainKey(beat);
    write(X);
    c.fire(beat);
    assertThat(c.sent).containsExactly(new Recording.Sent("a", new K2Message.Heartbeat(1)));
    assertThat(c.timers).containsKey(beat);
  }

  /** "Aborted" would be a lie: the transaction is committed. */
  @Test
  void whoAsksAgainForACommitThatNobodyKnowsIsNotToldThatItWasAborted() {
    begin(K2Request.Mode.PRIMARY);
    write(X);
    acknowledge(X);
    c.after(WAIT).ask(new K2Request.Commit(T));
    assertThat(c.sentTo("a")).containsExactly(new K2Message.Commit(txn(), X, 1));
    Recording restarted = new Recording(Fixtures.coordinator(CONFIG)).start(2, List.of());
    Recording another =
        Recording.started(
            new Coordinator(CONFIG, Fixtures.PLACEMENT, "d", Fixtures.source(CONFIG, "d")));
    c.deliver("a", new K2Message.Decision(T, true, 1));
    assertThat(c.replies).containsExactly(new K2Response.Committed(txn().ts()));
    c.deliver("a", new K2Message.FinalizeAck(T, X));
    for (Recording asked : List.of(c, restarted, another)) {
      assertThat(asked.ask(new K2Request.Commit(T)).replies)
          .hasSize(1)
          .first()
          .isInstanceOf(K2Response.Unknown.class);
    }
  }
}
