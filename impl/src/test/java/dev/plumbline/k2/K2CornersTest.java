package dev.plumbline.k2;

import static dev.plumbline.k2.Fixtures.CONFIG;
import static dev.plumbline.k2.Fixtures.VALUE;
import static dev.plumbline.k2.Fixtures.commit;
import static dev.plumbline.k2.Fixtures.dataNode;
import static dev.plumbline.k2.Fixtures.read;
import static dev.plumbline.k2.Fixtures.ts;
import static dev.plumbline.k2.Fixtures.txn;
import static dev.plumbline.k2.Fixtures.write;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What machines do in corners that no stored behaviour leads to, and runs seldom do. */
class K2CornersTest {
  private static final long X = 2;

  /** The heir may have accepted a write below the reader by now. */
  @Test
  void aReadThatWaitedNeedsALeaseToo() {
    Recording a = Recording.started(dataNode(CONFIG));
    a.deliver("c", write(10, X)).deliver("c", read(20, X));
    a.after(CONFIG.leaseMicros()).deliver("a", new K2Message.PushReply(txn(10), X, true, 1));
    assertThat(a.sentTo("c")).isEmpty();
    a.fire(new K2Timer.RenewLease());
    a.deliver("c", read(20, X));
    assertThat(a.sentTo("c")).containsExactly(new K2Message.ReadReply("t20", X, "t10", VALUE));
  }

  /** The oracle's next answer is the one before, as where its clock stands still. */
  @Test
  void aBatchThatBeginsWhereTheLastOneEndedGoesOnAboveIt() {
    Recording c = Recording.started(Fixtures.coordinator(CONFIG));
    List<Long> micros = new ArrayList<>();
    for (int i = 0; i < 2; i++) {
      c.after(CONFIG.ttlMicros()).ask(new K2Request.Begin(K2Request.Mode.PRIMARY, null));
      c.fire(new K2Timer.NextTimestamp());
      long id = ((K2Message.BatchRequest) c.sentTo("o").get(0)).id();
      c.deliver("o", new K2Message.BatchReply(id, 1, 5_000));
      c.fire(new K2Timer.NextTimestamp());
      c.replies.forEach(reply -> micros.add(((K2Response.Begun) reply).ts().micros()));
    }
    assertThat(micros).hasSize(2).doesNotHaveDuplicates();
  }

  /** Its other write was made in epoch 2, and who reads epoch 1 sees none of both. */
  @Test
  void aDecisionLearnedByAPushCountsWithItsCommitEpoch() {
    Recording r = Recording.started(new Replica(CONFIG, Fixtures.PLACEMENT, "a"));
    r.deliver(
        "a",
        new K2Message.LogEntries(
            0, List.of(new K2Record.Intent(txn(10), X, X, 1, VALUE), new K2Record.EpochCut(1))));
    r.deliver("c", new K2Message.ReplicaRead("reader", ts(20), X));
    r.deliver("a", new K2Message.PushReply(txn(10), X, true, 2));
    r.fire(new K2Timer.Attempt("reader", X));
    assertThat(r.sentTo("c"))
        .containsExactly(new K2Message.ReplicaReadReply("reader", X, "NoTxn", List.of()));
  }

  /** Its coordinator may be gone with the node that recorded for it. */
  @Test
  void aTakeoverSuspectsTheCoordinatorsOfPendingTransactions() {
    Recording a = Recording.started(dataNode(CONFIG));
    List<Record> durable = new ArrayList<>();
    durable.addAll(a.deliver("c", write(10, X)).persisted);
    durable.addAll(a.deliver("c", write(11, X)).persisted);
    durable.addAll(a.deliver("c", commit(11, X)).persisted);
    DataNode heir = dataNode(CONFIG);
    Recording h = new Recording(heir).start(2, durable);
    assertThat(h.timers)
        .containsEntry(new K2Timer.Suspect("t10"), CONFIG.suspectMicros())
        .doesNotContainKey(new K2Timer.Suspect("t11"));
    h.after(CONFIG.suspectMicros()).fire(new K2Timer.Suspect("t10"));
    assertThat(heir.recorder().status("t10")).isEqualTo(Status.ABORTED);
  }

  /** Whose first key is another one, of another node: there is its recorder. */
  @Test
  void theRecorderIsAskedAboutTheKeyThatIsRead() {
    long first = 3;
    K2Message.Push push = new K2Message.Push(txn(10), X, first);
    Recording a = Recording.started(dataNode(CONFIG));
    a.deliver("c", new K2Message.Write(txn(10), X, first, VALUE)).deliver("c", read(20, X));
    assertThat(a.sent).containsExactly(new Recording.Sent("b", push));

    Recording r = Recording.started(new Replica(CONFIG, Fixtures.PLACEMENT, "a"));
    r.deliver(
        "a",
        new K2Message.LogEntries(
            0,
            List.of(new K2Record.Intent(txn(10), X, first, 1, VALUE), new K2Record.EpochCut(1))));
    r.deliver("c", new K2Message.ReplicaRead("reader", ts(20), X));
    assertThat(r.sent).containsExactly(new Recording.Sent("b", push));
  }

  /** A data node and a replica of it may wait for the same decision on the same key. */
  @Test
  void everyoneWhoWaitsForADecisionOnAKeyIsTold() {
    Recording a = Recording.started(dataNode(CONFIG));
    K2Message.Push push = new K2Message.Push(txn(10), 3, X);
    a.deliver("b", push).deliver("r", push).deliver("b", push);
    a.deliver("c", commit(10, X));
    K2Message.PushReply reply = new K2Message.PushReply(txn(10), 3, true, 1);
    assertThat(a.sentTo("b")).containsExactly(reply);
    assertThat(a.sentTo("r")).containsExactly(reply);
  }

  /** All writes of a transaction are of its commit epoch, in whichever epoch each was made. */
  @Test
  void aVersionIsOfTheEpochThatItsRecorderDecidedOn() {
    Record committed = new K2Record.Resolved(txn(10), X, true, 2);
    Recording a = Recording.started(dataNode(CONFIG));
    a.deliver("c", write(10, X)).deliver("a", new K2Message.PushReply(txn(10), X, true, 2));
    assertThat(a.persisted).containsExactly(committed);
    Recording other = Recording.started(dataNode(CONFIG));
    other.deliver("c", write(10, X)).deliver("c", new K2Message.Finalize(txn(10), X, true, 2));
    assertThat(other.persisted).containsExactly(committed);
  }

  /** Who acknowledges it has done it: it is not sent again. */
  @Test
  void aNodeThatDoesNotServeYetAcknowledgesNoFinalization() {
    Recording heir = new Recording(dataNode(CONFIG)).start(2, List.of());
    heir.deliver("c", new K2Message.Finalize(txn(10), X, true, 1));
    assertThat(heir.sent).isEmpty();
  }

  /** Its own write may never come. */
  @Test
  void aTransactionThatAPushMadeKnownIsWatched() {
    Recording a = Recording.started(dataNode(CONFIG));
    a.deliver("b", new K2Message.Push(txn(10), 3, X));
    assertThat(a.timers).containsEntry(new K2Timer.Suspect("t10"), CONFIG.suspectMicros());
    a.after(CONFIG.suspectMicros()).fire(new K2Timer.Suspect("t10"));
    assertThat(a.sentTo("b")).containsExactly(new K2Message.PushReply(txn(10), 3, false, 0));
  }

  /** Who lost patience before there was a timestamp is not there any more when one comes. */
  @Test
  void aTransactionThatEndedBeforeItsTimestampGetsNone() {
    Recording c = Recording.started(Fixtures.coordinator(CONFIG));
    c.ask(new K2Request.Begin(K2Request.Mode.PRIMARY, null)).fire(new K2Timer.NextTimestamp());
    long id = ((K2Message.BatchRequest) c.sentTo("o").get(0)).id();
    c.fire(new K2Timer.Patience("c-1.1"));
    assertThat(c.replies).containsExactly(new K2Response.Aborted("took too long"));
    c.ask(new K2Request.Begin(K2Request.Mode.PRIMARY, null));
    c.deliver("o", new K2Message.BatchReply(id, 1, 5_000)).fire(new K2Timer.NextTimestamp());
    assertThat(c.replies)
        .extracting(reply -> ((K2Response.Begun) reply).txn())
        .containsExactly("c-1.2");
  }

  /** Its recorder, which may be slow, would take its coordinator for dead. */
  @Test
  void heartbeatsGoOnUntilThereIsADecision() {
    Recording c = Recording.started(Fixtures.coordinator(CONFIG));
    c.ask(new K2Request.Begin(K2Request.Mode.PRIMARY, null)).fire(new K2Timer.NextTimestamp());
    long id = ((K2Message.BatchRequest) c.sentTo("o").get(0)).id();
    c.deliver("o", new K2Message.BatchReply(id, 1, 5_000)).fire(new K2Timer.NextTimestamp());
    c.ask(new K2Request.Put("c-1.1", X, VALUE));
    c.deliver("a", new K2Message.WriteReply("c-1.1", X, true, 1));
    c.after(CONFIG.commitWait()).ask(new K2Request.Commit("c-1.1"));
    assertThat(c.sentTo("a")).hasOnlyElementsOfType(K2Message.Commit.class).hasSize(1);
    c.fire(new K2Timer.SendHeartbeats());
    assertThat(c.sentTo("a")).containsExactly(new K2Message.Heartbeat(1));
    c.deliver("a", new K2Message.Decision("c-1.1", true, 1));
    c.fire(new K2Timer.SendHeartbeats());
    assertThat(c.sent).isEmpty();
  }

  /** As in a serial order: what is read there is what was before the writer. */
  @Test
  void aSnapshotAtAWritersTimestampIsFromBeforeIt() {
    Recording r = Recording.started(new Replica(CONFIG, Fixtures.PLACEMENT, "a"));
    r.deliver(
        "a",
        new K2Message.LogEntries(
            0,
            List.of(
                new K2Record.Intent(txn(10), X, X, 1, VALUE),
                new K2Record.Resolved(txn(10), X, true, 1),
                new K2Record.EpochCut(1))));
    r.deliver("c", new K2Message.ReplicaRead("at", ts(10), X));
    assertThat(r.sentTo("c"))
        .containsExactly(new K2Message.ReplicaReadReply("at", X, "NoTxn", List.of()));
    r.deliver("c", new K2Message.ReplicaRead("after", ts(11), X));
    assertThat(r.sentTo("c"))
        .containsExactly(new K2Message.ReplicaReadReply("after", X, "t10", VALUE));
  }

  /** One writer's decision says nothing of another's. */
  @Test
  void aReplicaTellsDecisionsApart() {
    Recording r = Recording.started(new Replica(CONFIG, Fixtures.PLACEMENT, "a"));
    r.deliver(
        "a",
        new K2Message.LogEntries(
            0,
            List.of(
                new K2Record.Intent(txn(10), X, X, 1, List.of(10L)),
                new K2Record.Intent(txn(11), X, X, 1, List.of(11L)),
                new K2Record.Intent(txn(12), X, X, 1, List.of(12L)),
                new K2Record.EpochCut(1))));
    r.deliver("c", new K2Message.ReplicaRead("reader", ts(20), X));
    r.deliver("a", new K2Message.PushReply(txn(12), X, false, 0));
    r.fire(new K2Timer.Attempt("reader", X));
    assertThat(r.sentTo("a")).containsExactly(new K2Message.Push(txn(11), X, X));
    r.deliver("a", new K2Message.PushReply(txn(11), X, false, 0));
    r.fire(new K2Timer.Attempt("reader", X));
    assertThat(r.sentTo("a")).containsExactly(new K2Message.Push(txn(10), X, X));
    r.deliver("a", new K2Message.PushReply(txn(10), X, true, 1));
    r.fire(new K2Timer.Attempt("reader", X));
    assertThat(r.sentTo("c"))
        .containsExactly(new K2Message.ReplicaReadReply("reader", X, "t10", List.of(10L)));
  }

  /** Sent before the restart, it is no sign of the coordinator that runs now, and hides none. */
  @Test
  void aLateHeartbeatOfAnEarlierIncarnationCountsForNothing() {
    DataNode node = dataNode(CONFIG);
    Recording a = Recording.started(node);
    Txn recent = new Txn("t10", "c", 2, ts(10));
    K2Timer suspect = new K2Timer.Suspect("t10");
    a.deliver("c", new K2Message.Write(recent, X, X, VALUE)).after(CONFIG.suspectMicros() - 1);
    a.deliver("c", new K2Message.Heartbeat(2)).deliver("c", new K2Message.Heartbeat(1));
    a.after(1).fire(suspect);
    assertThat(node.recorder().status("t10")).isEqualTo(Status.PENDING);
  }

  /** The old owner's clock may be the slowest allowed, the heir's the fastest. */
  @Test
  void aTakeoverWaitsForTheLeaseOfTheSlowestClockByTheFastest() {
    for (long ppm : new long[] {0, 200, 100_000}) {
      K2Config config = withDrift(ppm);
      Recording heir = new Recording(dataNode(config)).start(2, List.of());
      double drift = ppm / 1e6;
      // Readings are rounded down, and a timer may be late, but not much.
      double least = config.leaseMicros() / (1 - drift) * (1 + drift);
      assertThat((double) heir.timers.get(new K2Timer.Recover())).isBetween(least, least + 5);
    }
  }

  /** A commit wait is never too short, whatever the clock does, and a TTL never too long. */
  @Test
  void waitsBearTheDriftOfTheClock() {
    K2Config config = withDrift(100_000);
    assertThat(config.waitAtLeast(1_000)).isEqualTo(1_100);
    assertThat(config.waitAtLeast(1)).isEqualTo(2);
    assertThat(config.waitAtMost(1_000)).isEqualTo(900);
    assertThat(config.waitAtMost(1)).isZero();
    assertThat(config.commitWait()).isEqualTo(440);
  }

  private static K2Config withDrift(long ppm) {
    return new K2Config(
        100, 1, 100, ppm, 100_000, 300_000, 5_000, 250_000, 100_000, 500_000, 1_500_000, List.of());
  }

  /** What is received and waits behind a cut has its numbers already. */
  @Test
  void entriesThatWaitBehindACutAreReceivedOnce() {
    Replica replica = new Replica(CONFIG, Fixtures.PLACEMENT, "a");
    Recording r = Recording.started(replica);
    K2Record first = new K2Record.EpochCut(1);
    K2Record second = new K2Record.Intent(txn(10), X, X, 2, VALUE);
    K2Record third = new K2Record.EpochCut(2);
    r.deliver("a", new K2Message.LogEntries(0, List.of(first, second, third)));
    assertThat(replica.next()).isEqualTo(1);
    r.deliver("a", new K2Message.LogEntries(1, List.of(second, third)));
    while (r.timers.containsKey(new K2Timer.ReplayNext())) {
      r.fire(new K2Timer.ReplayNext());
    }
    assertThat(replica.next()).isEqualTo(3);
    r.deliver("a", new K2Message.LogEntries(3, List.of(new K2Record.EpochCut(3))));
    assertThat(replica.replayed()).isEqualTo(3);
  }

  /** It may fall silent later. */
  @Test
  void aCoordinatorThatWasLivelyIsLookedAtAgain() {
    DataNode node = dataNode(CONFIG);
    Recording a = Recording.started(node);
    K2Timer suspect = new K2Timer.Suspect("t10");
    a.deliver("c", write(10, X)).deliver("c", new K2Message.Heartbeat(1));
    a.after(CONFIG.suspectMicros() - 1).fire(suspect);
    assertThat(node.recorder().status("t10")).isEqualTo(Status.PENDING);
    assertThat(a.timers).containsEntry(suspect, 1L);
    a.after(1).fire(suspect);
    assertThat(node.recorder().status("t10")).isEqualTo(Status.ABORTED);
  }
}
