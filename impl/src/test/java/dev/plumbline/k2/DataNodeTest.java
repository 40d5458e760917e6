package dev.plumbline.k2;

import static dev.plumbline.k2.Fixtures.CONFIG;
import static dev.plumbline.k2.Fixtures.VALUE;
import static dev.plumbline.k2.Fixtures.commit;
import static dev.plumbline.k2.Fixtures.dataNode;
import static dev.plumbline.k2.Fixtures.published;
import static dev.plumbline.k2.Fixtures.read;
import static dev.plumbline.k2.Fixtures.ts;
import static dev.plumbline.k2.Fixtures.txn;
import static dev.plumbline.k2.Fixtures.write;
import static org.assertj.core.api.Assertions.assertThat;

import dev.plumbline.machine.Message;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;

class DataNodeTest {
  private static final long X = 2;

  private final DataNode node = dataNode(CONFIG);
  private final Recording a = Recording.started(node);

  private static K2Message.ReadReply answer(long reader, String writer, List<Long> value) {
    return new K2Message.ReadReply("t" + reader, X, writer, value);
  }

  private static K2Message.Finalize finalized(long micros, boolean committed) {
    return new K2Message.Finalize(txn(micros), X, committed, 1);
  }

  @Test
  void aReadReturnsTheNewestVersionBelowItAndRaisesTheTracker() {
    a.deliver("c", write(10, X)).deliver("c", finalized(10, true));
    a.deliver("c", read(20, X));
    assertThat(a.sentTo("c")).containsExactly(answer(20, "t10", VALUE));
    assertThat(a.actions()).containsExactly("Mvto.HandleRead", "EpochVisibility.PrimaryRead");
    assertThat(node.tracker(X)).isEqualTo(ts(20));
    a.deliver("c", read(5, X));
    assertThat(a.sentTo("c")).containsExactly(answer(5, "NoTxn", List.of()));
    assertThat(node.tracker(X)).isEqualTo(ts(20));
  }

  @Test
  void aWriteBelowTheTrackerIsRefusedAndOneAboveIsPersistedWithItsRecord() {
    a.deliver("c", read(20, X));
    a.deliver("c", write(10, X));
    assertThat(a.sentTo("c")).containsExactly(new K2Message.WriteReply("t10", X, false, 1));
    assertThat(a.persisted).isEmpty();
    a.deliver("c", write(20, X));
    assertThat(a.sentTo("c")).containsExactly(new K2Message.WriteReply("t20", X, true, 1));
    assertThat(a.persisted)
        .containsExactly(
            new K2Record.Intent(txn(20), X, X, 1, VALUE),
            new K2Record.Recorded(txn(20), Status.PENDING, 0));
  }

  @Test
  void writesNeverRefuseEachOther() {
    a.deliver("c", write(30, X)).deliver("c", write(10, X));
    assertThat(a.sentTo("c")).containsExactly(new K2Message.WriteReply("t10", X, true, 1));
  }

  @Test
  void aRepeatedWriteIsAcknowledgedAgainThoughItsKeyWasReadSince() {
    a.deliver("c", write(10, X)).deliver("c", read(20, X)).deliver("c", write(10, X));
    assertThat(a.sentTo("c")).containsExactly(new K2Message.WriteReply("t10", X, true, 1));
    assertThat(a.persisted).isEmpty();
  }

  @Test
  void aReadOfAnIntentPushesAndWaitsForTheDecision() {
    a.deliver("c", write(10, X)).deliver("c", read(20, X));
    assertThat(a.sent).containsExactly(new Recording.Sent("a", new K2Message.Push(txn(10), X, X)));
    assertThat(node.tracker(X)).isEqualTo(ts(20));
    a.deliver("a", new K2Message.Push(txn(10), X, X));
    assertThat(a.sent).isEmpty();
    a.deliver("c", commit(10, X));
    assertThat(a.sent)
        .containsExactly(
            new Recording.Sent("a", new K2Message.PushReply(txn(10), X, true, 1)),
            new Recording.Sent("c", new K2Message.Decision("t10", true, 1)));
    a.deliver("a", new K2Message.PushReply(txn(10), X, true, 1));
    assertThat(a.sentTo("c")).containsExactly(answer(20, "t10", VALUE));
    assertThat(node.waiting()).isEmpty();
  }

  @Test
  void aReaderGoesOnToTheNextIntentWhenTheFirstIsAborted() {
    a.deliver("c", write(5, X)).deliver("c", write(10, X)).deliver("c", read(20, X));
    a.deliver("a", new K2Message.PushReply(txn(10), X, false, 0));
    assertThat(a.sentTo("a")).containsExactly(new K2Message.Push(txn(5), X, X));
    a.deliver("a", new K2Message.PushReply(txn(5), X, false, 0));
    assertThat(a.sentTo("c")).containsExactly(answer(20, "NoTxn", List.of()));
  }

  @Test
  void trackingAtTheReplyLetsAWriteSlipUnderAWaitingRead() {
    DataNode published = dataNode(published(K2Config.TRACK_AT_REPLY));
    Recording p = Recording.started(published);
    p.deliver("c", write(10, X)).deliver("c", read(20, X)).deliver("c", write(15, X));
    assertThat(p.sentTo("c")).containsExactly(new K2Message.WriteReply("t15", X, true, 1));
    p.deliver("a", new K2Message.PushReply(txn(10), X, true, 1));
    assertThat(p.sentTo("c")).containsExactly(answer(20, "t10", VALUE));

    a.deliver("c", write(10, X)).deliver("c", read(20, X)).deliver("c", write(15, X));
    assertThat(a.sentTo("c")).containsExactly(new K2Message.WriteReply("t15", X, false, 1));
  }

  @Test
  void anAbortedTransactionStaysAborted() {
    a.deliver("c", write(10, X)).deliver("c", new K2Message.Abort(txn(10), X));
    a.deliver("c", commit(10, X));
    assertThat(a.sentTo("c")).containsExactly(new K2Message.Decision("t10", false, 0));
    assertThat(a.persisted).isEmpty();
  }

  @Test
  void aSilentCoordinatorIsSuspectedAndALivelyOneIsNot() {
    K2Timer suspect = new K2Timer.Suspect("t10");
    a.deliver("c", write(10, X)).after(CONFIG.suspectMicros() - 1);
    a.deliver("c", new K2Message.Heartbeat(1)).after(1).fire(suspect);
    assertThat(node.recorder().status("t10")).isEqualTo(Status.PENDING);
    a.deliver("c", new K2Message.Heartbeat(2)).after(CONFIG.suspectMicros()).fire(suspect);
    assertThat(node.recorder().status("t10")).isEqualTo(Status.ABORTED);
    assertThat(a.actions()).containsExactly("Mvto.SuspectCoordinator", "EpochVisibility.Abort");
  }

  @Test
  void aCoordinatorThatStartedAgainHasForgottenItsTransactions() {
    a.deliver("c", write(10, X)).deliver("c", new K2Message.Heartbeat(2));
    a.fire(new K2Timer.Suspect("t10"));
    assertThat(node.recorder().status("t10")).isEqualTo(Status.ABORTED);
  }

  @Test
  void allWhoWaitForADecisionAreTold() {
    a.deliver("b", new K2Message.Push(txn(10), 3, X));
    a.deliver("b", new K2Message.Push(txn(10), 5, X));
    a.deliver("c", commit(10, X));
    assertThat(a.sentTo("b"))
        .containsExactly(
            new K2Message.PushReply(txn(10), 3, true, 1),
            new K2Message.PushReply(txn(10), 5, true, 1));
  }

  @Test
  void aPushAboutAnUnknownTransactionRegistersIt() {
    a.deliver("b", new K2Message.Push(txn(10), 3, X));
    assertThat(a.persisted).containsExactly(new K2Record.Recorded(txn(10), Status.PENDING, 0));
    a.after(CONFIG.suspectMicros()).fire(new K2Timer.Suspect("t10"));
    assertThat(a.sentTo("b")).containsExactly(new K2Message.PushReply(txn(10), 3, false, 0));

    Recording p = Recording.started(dataNode(published(K2Config.PUSH_REGISTERS)));
    p.deliver("b", new K2Message.Push(txn(10), 3, X));
    assertThat(p.persisted).isEmpty();
    assertThat(p.timers).doesNotContainKey(new K2Timer.Suspect("t10"));
  }

  @Test
  void aTransactionWhoseEpochIsOverIsAborted() {
    long late = CONFIG.epochMicros() + 1;
    K2Message.Commit tooLate = new K2Message.Commit(txn(10), X, 2);
    a.deliver("c", tooLate);
    assertThat(a.actions()).containsExactly("Mvto.SuspectCoordinator", "EpochVisibility.Commit");
    assertThat(a.sentTo("a")).containsExactly(tooLate);
    a.deliver("a", tooLate);
    assertThat(a.sentTo("c")).containsExactly(new K2Message.Decision("t10", false, 0));
    a.deliver("c", new K2Message.Commit(txn(late), X, 2));
    assertThat(a.sentTo("c")).containsExactly(new K2Message.Decision("t" + late, true, 2));

    Recording p = Recording.started(dataNode(published(K2Config.CLOSE_EPOCHS)));
    p.deliver("c", tooLate);
    assertThat(p.sentTo("c")).containsExactly(new K2Message.Decision("t10", true, 2));
  }

  @Test
  void readsNeedALease() {
    a.after(CONFIG.leaseMicros()).deliver("c", read(20, X));
    assertThat(a.sent).isEmpty();
    a.fire(new K2Timer.RenewLease());
    assertThat(a.persisted).containsExactly(new K2Record.LeaseRenewed());
    a.deliver("c", read(20, X));
    assertThat(a.sentTo("c")).hasSize(1);
  }

  @Test
  void aTakeoverWaitsForTheOldLeaseAndStartsItsTrackersAtAFreshTimestamp() {
    a.deliver("c", write(10, X));
    List<Record> durable = new ArrayList<>(a.persisted);
    DataNode heir = dataNode(CONFIG);
    Recording h = new Recording(heir).start(2, durable);
    assertThat(h.actions())
        .containsExactly("TimestampBatching.RestartCoordinator", "Mvto.ReplaceRecorder");
    h.deliver("c", read(20, X));
    assertThat(h.sent).isEmpty();
    K2Timer recover = new K2Timer.Recover();
    assertThat(h.timers.get(recover)).isGreaterThan(CONFIG.leaseMicros());
    h.after(h.timers.get(recover)).fire(recover);
    assertThat(h.timers.get(recover)).isEqualTo(CONFIG.commitWait());
    h.after(h.timers.get(recover)).fire(recover);
    for (int i = 0; i < 10 && !heir.serving(); i++) {
      h.fire(new K2Timer.NextTimestamp());
      for (Message message : List.copyOf(h.sentTo("o"))) {
        h.deliver(
            "o", new K2Message.BatchReply(((K2Message.BatchRequest) message).id(), 1, 50_000));
      }
    }
    assertThat(heir.serving()).isTrue();
    assertThat(heir.tracker(X).micros()).isBetween(50_100L, 50_199L);
    h.deliver("c", write(11, X));
    assertThat(h.sentTo("c")).containsExactly(new K2Message.WriteReply("t11", X, false, 1));
    h.deliver("c", write(10, X));
    assertThat(h.sentTo("c")).containsExactly(new K2Message.WriteReply("t10", X, true, 1));
  }

  /** What it was to answer may be all reads: nobody wrote anything that it could know of. */
  @Test
  void aTakeoverThatFindsNothingWaitsToo() {
    DataNode heir = dataNode(CONFIG);
    Recording h = new Recording(heir).start(2, List.of());
    assertThat(heir.serving()).isFalse();
    assertThat(h.timers).containsKey(new K2Timer.Recover());
  }

  /** Replicas count entries: one that is left out gives all later ones another number. */
  @Test
  void theLogOfATakeoverHasEveryEntry() {
    List<Record> durable = new ArrayList<>();
    a.deliver("c", write(10, X));
    durable.addAll(a.persisted);
    a.deliver("c", finalized(10, false));
    durable.addAll(a.persisted);
    DataNode heir = dataNode(CONFIG);
    new Recording(heir).start(2, durable);
    assertThat(heir.log().entries()).hasSize(2).isEqualTo(node.log().entries());
  }

  @Test
  void aTakeoverAsPublishedHasForgottenItsTrackers() {
    DataNode heir = dataNode(published(K2Config.READ_FLOOR));
    Recording h = new Recording(heir).start(2, List.of());
    h.fire(new K2Timer.Recover());
    assertThat(h.actions()).containsExactly("Mvto.RecoverDataNode");
    assertThat(heir.tracker(X)).isEqualTo(Timestamp.ZERO);
  }

  @Test
  void recordsVersionsAndEpochsSurviveATakeover() {
    List<Record> durable = new ArrayList<>();
    a.deliver("c", write(10, X));
    durable.addAll(a.persisted);
    a.deliver("c", commit(10, X));
    durable.addAll(a.persisted);
    durable.add(new K2Record.EpochCut(1));
    DataNode heir = dataNode(CONFIG);
    new Recording(heir).start(2, durable);
    assertThat(heir.versions().all()).isEqualTo(node.versions().all());
    assertThat(heir.recorder().records()).isEqualTo(node.recorder().records());
    assertThat(heir.epoch()).isEqualTo(2);
  }

  @Test
  void anEpochIsCutOnceATimestampIsPastItsEndAndItsUncertaintyIsOver() {
    cutAttempt(CONFIG.epochMicros() - 1_000);
    assertThat(a.actions()).contains("EpochCut.TooEarly");
    assertThat(a.timers).containsKey(new K2Timer.EpochDue());
    cutAttempt(CONFIG.epochMicros() + 1);
    assertThat(a.timers.get(new K2Timer.EpochOver())).isEqualTo(CONFIG.commitWait());
    assertThat(node.epoch()).isEqualTo(1);
    a.fire(new K2Timer.EpochOver());
    assertThat(a.persisted).containsExactly(new K2Record.EpochCut(1));
    assertThat(node.epoch()).isEqualTo(2);
  }

  @Test
  void aWriteIsOfTheEpochInWhichItWasMadeHoweverOftenItComes() {
    a.deliver("c", write(10, X));
    cutAttempt(CONFIG.epochMicros() + 1);
    a.fire(new K2Timer.EpochOver());
    a.deliver("c", write(10, X));
    assertThat(a.sentTo("c")).containsExactly(new K2Message.WriteReply("t10", X, true, 1));
  }

  /** Products of such times and of parts per million do not go into 64 bits. */
  @Test
  void aNodeThatWasAwayForLongCutsAllEpochsAtOnce() {
    for (long days : new long[] {1, 107, 200, 20_000}) {
      long ts = days * 86_400_000_000L;
      cutAttempt(ts - CONFIG.ttlMicros());
      a.fire(new K2Timer.EpochOver());
      long epoch = ts / CONFIG.epochMicros();
      assertThat(node.epoch()).as("%s days", days).isEqualTo(epoch);
      assertThat(a.persisted).containsExactly(new K2Record.EpochCut(epoch - 1));
      assertThat(a.timers).as("%s days", days).containsEntry(new K2Timer.EpochDue(), 0L);
    }
  }

  @Test
  void aCutEndsTheEpochsThatWereOverAtItsTimestampAndNoOther() {
    long end = CONFIG.promised(5);
    cutAttempt(end - CONFIG.ttlMicros());
    a.fire(new K2Timer.EpochOver());
    assertThat(node.epoch()).as("epoch 5 ends at this very timestamp").isEqualTo(5);
    assertThat(a.timers).containsEntry(new K2Timer.EpochDue(), 0L);
    cutAttempt(end + 1 - CONFIG.ttlMicros());
    a.fire(new K2Timer.EpochOver());
    assertThat(node.epoch()).isEqualTo(6);
    assertThat(a.timers)
        .containsEntry(new K2Timer.EpochDue(), CONFIG.waitAtLeast(CONFIG.epochMicros() - 1));
  }

  /** An hour later by its clock, one attempt is enough. */
  @Test
  void aNodeThatTakesOverAfterAnHourIsInTheEpochOfItsFirstCut() {
    DataNode heir = dataNode(CONFIG);
    Recording h = new Recording(heir).start(2, List.of(new K2Record.EpochCut(10)));
    long now = CONFIG.promised(11) + 3_600_000_000L;
    cutAttempt(h, now);
    h.fire(new K2Timer.EpochOver());
    assertThat(heir.epoch()).isEqualTo(CONFIG.ceiling(ts(now + CONFIG.ttlMicros())));
    assertThat(h.persisted).hasSize(1);
  }

  /** A process without origin counts epochs from 1970. */
  @Test
  void aReplicaAnswersReadsAfterTheFirstCutOfANodeWithAWallClock() {
    long now = 1_700_000_000_000_000L;
    Replica replica = new Replica(CONFIG, Fixtures.PLACEMENT, "a");
    Recording r = Recording.started(replica);
    a.deliver("c", write(now, X));
    a.sentTo("r").forEach(m -> r.deliver("a", m));
    a.deliver("r", new K2Message.LogAck(1));
    a.deliver("c", finalized(now, true));
    a.sentTo("r").forEach(m -> r.deliver("a", m));
    long later = now + CONFIG.epochMicros();
    cutAttempt(later);
    a.fire(new K2Timer.EpochOver());
    a.sentTo("r").forEach(m -> r.deliver("a", m));
    assertThat(replica.replayed()).isEqualTo(node.epoch() - 1);
    r.deliver("c", new K2Message.ReplicaRead("t", ts(now + 1), X));
    assertThat(r.sentTo("c"))
        .containsExactly(new K2Message.ReplicaReadReply("t", X, "t" + now, VALUE));
    a.deliver("c", write(later + 1_000, X));
    assertThat(a.sentTo("c"))
        .containsExactly(new K2Message.WriteReply("t" + (later + 1_000), X, true, node.epoch()));
  }

  /** A process drops a message that is longer than any may be, however often it is sent. */
  @Test
  void replicasGetLongEntriesInMessagesThatAreNotTooLong() {
    List<Long> value = Collections.nCopies(50_000, Long.MIN_VALUE);
    for (long t = 1; t <= 100; t++) {
      a.deliver("c", new K2Message.Write(txn(t), X, X, value));
    }
    int got = 0;
    while (got < 100) {
      a.deliver("r", new K2Message.LogAck(got));
      if (a.sentTo("r").isEmpty()) {
        a.fire(new K2Timer.ShipLog());
      }
      K2Message.LogEntries entries = (K2Message.LogEntries) a.sentTo("r").get(0);
      assertThat(entries.from()).isEqualTo(got);
      assertThat(entries.entries().size() * 50_000L * 21).isBetween(1L, 30_000_000L);
      got += entries.entries().size();
    }
  }

  /** What is kept to log a read once grows with every read. */
  @Test
  void readsAreRememberedForALogAlone() {
    a.tracing = false;
    a.deliver("c", read(20, X));
    a.tracing = true;
    a.deliver("c", read(20, X));
    assertThat(a.actions()).containsExactly("Mvto.HandleRead", "EpochVisibility.PrimaryRead");
    a.deliver("c", read(20, X));
    assertThat(a.actions()).containsExactly("Mvto.HandleRead");
  }

  private void cutAttempt(long up) {
    cutAttempt(a, up);
  }

  private static void cutAttempt(Recording node, long up) {
    K2Timer next = new K2Timer.NextTimestamp();
    node.after(CONFIG.epochMicros()).fire(new K2Timer.EpochDue());
    node.fire(next);
    long id = ((K2Message.BatchRequest) node.sentTo("o").get(0)).id();
    node.deliver("o", new K2Message.BatchReply(id, 1, up));
    node.fire(next);
  }
}
