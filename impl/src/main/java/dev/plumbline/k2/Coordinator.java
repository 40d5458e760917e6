package dev.plumbline.k2;

import dev.plumbline.k2.Transaction.Phase;
import dev.plumbline.machine.ClockReading;
import dev.plumbline.machine.Effects;
import dev.plumbline.machine.Input;
import dev.plumbline.machine.Machine;
import dev.plumbline.machine.SpecAction;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * Runs transactions for clients (K2, section 5.2 and Figure 9). Stateless: a restart loses all
 * transactions. The commit wait is over before a recorder is asked to commit and before a client is
 * told anything.
 */
public class Coordinator implements Machine {
  protected final K2Config config;
  protected final Placement placement;
  private final String role;
  private final TimestampSource timestamps;
  private final Map<String, Transaction> transactions = new TreeMap<>();
  private long incarnation;
  private long begun;
  private boolean beating;

  public Coordinator(
      K2Config config, Placement placement, String role, TimestampSource timestamps) {
    this.config = config;
    this.placement = placement;
    this.role = role;
    this.timestamps = timestamps;
  }

  @Override
  public final void handle(Input input, ClockReading clock, Effects effects) {
    if (input instanceof Input.Start start) {
      incarnation = start.epoch();
      timestamps.start(start.epoch(), effects);
    } else if (input instanceof Input.ClientRequest request) {
      request(request, (K2Request) request.request(), clock, effects);
    } else if (input instanceof Input.Deliver deliver) {
      deliver((K2Message) deliver.message(), clock, effects);
    } else if (input instanceof Input.TimerFired fired) {
      fire((K2Timer) fired.timer(), clock, effects);
    }
  }

  private void deliver(K2Message message, ClockReading clock, Effects effects) {
    if (message instanceof K2Message.BatchReply reply) {
      timestamps.installBatch(reply, effects);
    } else if (message instanceof K2Message.ReadReply reply) {
      handleReadReply(reply, effects);
    } else if (message instanceof K2Message.WriteReply reply) {
      handleWriteReply(reply, clock, effects);
    } else if (message instanceof K2Message.Decision decision) {
      handleDecision(decision, clock, effects);
    } else if (message instanceof K2Message.FinalizeAck ack) {
      handleFinalizeAck(ack, effects);
    } else if (message instanceof K2Message.ReplicaReadReply reply) {
      handleReplicaReadReply(reply, effects);
    }
  }

  private void fire(K2Timer timer, ClockReading clock, Effects effects) {
    if (timer instanceof K2Timer.NextTimestamp) {
      TimestampSource.Assigned assigned = timestamps.next(clock, effects);
      if (assigned != null) {
        begin(assigned, clock, effects);
      }
    } else if (timer instanceof K2Timer.Proceed proceed) {
      Transaction t = transactions.get(proceed.txn());
      if (t != null && t.commitAsked) {
        requestCommit(t, clock, effects);
      }
    } else if (timer instanceof K2Timer.Resend resend) {
      resend(transactions.get(resend.txn()), effects);
    } else if (timer instanceof K2Timer.Patience patience) {
      losePatience(transactions.get(patience.txn()), effects);
    } else if (timer instanceof K2Timer.SendHeartbeats) {
      sendHeartbeats(effects);
    }
  }

  // ---- clients -------------------------------------------------------------------------------

  private void request(
      Input.ClientRequest asked, K2Request request, ClockReading clock, Effects effects) {
    long requestId = asked.requestId();
    if (request instanceof K2Request.Begin begin) {
      open(asked, begin, clock, effects);
      return;
    }
    Transaction t = transactions.get(idOf(request));
    if (t == null || !t.client.equals(asked.client())) {
      effects.reply(requestId, new K2Response.Unknown("the coordinator knows no such transaction"));
      return;
    }
    if (t.asked() || t.phase == Phase.IDLE || t.phase == Phase.COMMITTING) {
      return;
    }
    t.ask(requestId);
    effects.setTimer(new K2Timer.Patience(t.id), config.patienceMicros());
    if (t.phase == Phase.DONE) {
      tell(t, effects);
    } else if (t.phase == Phase.ABORTING) {
      return;
    } else if (request instanceof K2Request.Get get) {
      read(t, get.key(), effects);
    } else if (request instanceof K2Request.Put put) {
      write(t, put, effects);
    } else if (request instanceof K2Request.Commit) {
      t.commitAsked = true;
      requestCommit(t, clock, effects);
    } else if (t.writes.isEmpty()) {
      forget(t, "rolled back", effects);
    } else {
      requestAbort(t, "rolled back", effects);
    }
  }

  private static String idOf(K2Request request) {
    if (request instanceof K2Request.Get get) {
      return get.txn();
    } else if (request instanceof K2Request.Put put) {
      return put.txn();
    } else if (request instanceof K2Request.Commit commit) {
      return commit.txn();
    }
    return ((K2Request.Abort) request).txn();
  }

  private void open(
      Input.ClientRequest asked, K2Request.Begin begin, ClockReading clock, Effects effects) {
    begun++;
    Transaction t =
        new Transaction(role + "-" + incarnation + "." + begun, begin.mode(), asked.client());
    transactions.put(t.id, t);
    t.ask(asked.requestId());
    effects.setTimer(new K2Timer.Patience(t.id), config.patienceMicros());
    if (begin.mode() == K2Request.Mode.SNAPSHOT) {
      beginSnapshot(t, begin.at(), clock, effects);
    } else {
      timestamps.begin(t.id, effects);
    }
  }

  /** Tells the client how its transaction ended, once it asks. */
  private void tell(Transaction t, Effects effects) {
    if (t.asked()) {
      effects.reply(
          t.answered(),
          t.committed ? new K2Response.Committed(t.txn.ts()) : new K2Response.Aborted(t.why));
      dropIfOver(t, effects);
    }
  }

  /** Ends a transaction that nobody else knows of. */
  private void forget(Transaction t, String why, Effects effects) {
    timestamps.forget(t.id);
    t.phase = Phase.DONE;
    t.why = why;
    tell(t, effects);
    dropIfOver(t, effects);
  }

  private void dropIfOver(Transaction t, Effects effects) {
    if (t.phase == Phase.DONE && t.finalized.containsAll(t.writes.keySet())) {
      transactions.remove(t.id);
      effects.cancelTimer(new K2Timer.Resend(t.id));
      effects.cancelTimer(new K2Timer.Patience(t.id));
      effects.cancelTimer(new K2Timer.Proceed(t.id));
    }
  }

  // ---- begin ---------------------------------------------------------------------------------

  @SpecAction({"Mvto.Begin", "EpochVisibility.Begin", "EpochVisibility.BeginLinearizable"})
  protected void begin(TimestampSource.Assigned assigned, ClockReading clock, Effects effects) {
    Transaction t = transactions.get(assigned.txn());
    start(t, assigned.ts(), clock, effects);
    if (effects.tracing()) {
      if (t.atPrimaries()) {
        trace("Mvto.Begin", Words.begin("t", t.id, assigned.ts()), t, effects);
        effects.trace(
            "EpochVisibility.Begin",
            Words.begin("t", t.id, assigned.ts()),
            Map.of("first", t.first()));
      } else {
        effects.trace(
            "EpochVisibility.BeginLinearizable", Words.begin("r", t.id, assigned.ts()), Map.of());
      }
    }
  }

  @SpecAction("EpochVisibility.BeginSnapshot")
  protected void beginSnapshot(Transaction t, Timestamp at, ClockReading clock, Effects effects) {
    start(t, at, clock, effects);
    if (effects.tracing()) {
      effects.trace("EpochVisibility.BeginSnapshot", Words.begin("r", t.id, at), Map.of());
    }
  }

  private void start(Transaction t, Timestamp ts, ClockReading clock, Effects effects) {
    t.txn = new Txn(t.id, role, incarnation, ts);
    t.phase = Phase.RUNNING;
    t.assignedLocal = clock.localMicros();
    effects.reply(t.answered(), new K2Response.Begun(t.id, ts));
  }

  // ---- execution -----------------------------------------------------------------------------

  private void read(Transaction t, long key, Effects effects) {
    List<Long> own = t.writes.get(key);
    Transaction.ReadValue known = t.reads.get(key);
    if (own != null) {
      effects.reply(t.answered(), new K2Response.Value(own));
    } else if (known != null) {
      effects.reply(t.answered(), new K2Response.Value(known.value()));
    } else if (t.atPrimaries()) {
      issueRead(t, key, effects);
    } else {
      t.reading = key;
      sendRead(t, effects);
      effects.setTimer(new K2Timer.Resend(t.id), config.resendMicros());
    }
  }

  @SpecAction("Mvto.IssueRead")
  protected void issueRead(Transaction t, long key, Effects effects) {
    t.reading = key;
    sendRead(t, effects);
    effects.setTimer(new K2Timer.Resend(t.id), config.resendMicros());
    if (effects.tracing()) {
      trace("Mvto.IssueRead", Map.of("t", t.id, "k", Words.key(key)), t, effects);
    }
  }

  private void sendRead(Transaction t, Effects effects) {
    if (t.atPrimaries()) {
      effects.send(placement.home(t.reading), new K2Message.Read(t.txn, t.reading));
    } else {
      effects.send(
          placement.replica(t.reading), new K2Message.ReplicaRead(t.id, t.txn.ts(), t.reading));
    }
  }

  @SpecAction("Mvto.HandleReadReply")
  protected void handleReadReply(K2Message.ReadReply reply, Effects effects) {
    Transaction t = transactions.get(reply.txn());
    if (t == null || !t.atPrimaries() || !awaits(t, reply.key())) {
      return;
    }
    take(t, reply.key(), reply.writer(), reply.value(), effects);
    if (effects.tracing()) {
      trace("Mvto.HandleReadReply", Words.m(reply), t, effects);
    }
  }

  private void handleReplicaReadReply(K2Message.ReplicaReadReply reply, Effects effects) {
    Transaction t = transactions.get(reply.txn());
    if (t != null && !t.atPrimaries() && awaits(t, reply.key())) {
      take(t, reply.key(), reply.writer(), reply.value(), effects);
    }
  }

  private static boolean awaits(Transaction t, long key) {
    return t.phase == Phase.RUNNING && t.reading != null && t.reading == key;
  }

  private void take(Transaction t, long key, String writer, List<Long> value, Effects effects) {
    t.reading = null;
    t.reads.put(key, new Transaction.ReadValue(writer, value));
    effects.reply(t.answered(), new K2Response.Value(value));
  }

  private void write(Transaction t, K2Request.Put put, Effects effects) {
    if (!t.atPrimaries()) {
      forget(t, "a write at a replica", effects);
    } else if (put.value().equals(t.writes.get(put.key()))) {
      effects.reply(t.answered(), new K2Response.Accepted());
    } else if (t.writes.containsKey(put.key())) {
      requestAbort(t, "a second write of a key", effects);
    } else {
      issueWrite(t, put, effects);
    }
  }

  @SpecAction("Mvto.IssueWrite")
  protected void issueWrite(Transaction t, K2Request.Put put, Effects effects) {
    t.writes.put(put.key(), put.value());
    if (t.first == null) {
      t.first = put.key();
    }
    sendWrite(t, put.key(), effects);
    effects.setTimer(new K2Timer.Resend(t.id), config.resendMicros());
    if (!beating) {
      beating = true;
      effects.setTimer(new K2Timer.SendHeartbeats(), config.heartbeatMicros());
    }
    effects.reply(t.answered(), new K2Response.Accepted());
    if (effects.tracing()) {
      trace("Mvto.IssueWrite", Map.of("t", t.id, "k", Words.key(put.key())), t, effects);
    }
  }

  private void sendWrite(Transaction t, long key, Effects effects) {
    effects.send(placement.home(key), new K2Message.Write(t.txn, key, t.first, t.writes.get(key)));
  }

  @SpecAction("Mvto.HandleWriteReply")
  protected void handleWriteReply(K2Message.WriteReply reply, ClockReading clock, Effects effects) {
    Transaction t = transactions.get(reply.txn());
    if (t == null
        || t.phase != Phase.RUNNING
        || !t.writes.containsKey(reply.key())
        || t.acked.contains(reply.key())) {
      return;
    }
    if (reply.ok()) {
      t.acked.add(reply.key());
      t.epoch = Math.max(t.epoch, reply.epoch());
      if (t.commitAsked) {
        effects.setTimer(new K2Timer.Proceed(t.id), commitWaitLeft(t, clock));
      }
    } else {
      sendAbort(t, "a later transaction has read key " + reply.key(), effects);
    }
    if (effects.tracing()) {
      trace("Mvto.HandleWriteReply", Words.m(reply), t, effects);
    }
  }

  // ---- commit --------------------------------------------------------------------------------

  /** The local time left of the commit wait (section 4.4). */
  protected long commitWaitLeft(Transaction t, ClockReading clock) {
    if (t.mode == K2Request.Mode.SNAPSHOT) {
      return 0;
    }
    return Math.max(0, t.assignedLocal + config.commitWait() - clock.localMicros());
  }

  /** Whether every write succeeded. */
  protected boolean acknowledged(Transaction t) {
    return t.acked().containsAll(t.writes().keySet());
  }

  /** Commits, unless writes are unanswered or the commit wait goes on: then this comes again. */
  @SpecAction({"Mvto.RequestCommit", "TimestampBatching.End", "EpochVisibility.Tell"})
  protected void requestCommit(Transaction t, ClockReading clock, Effects effects) {
    if (!t.idleAndRunning() || !acknowledged(t)) {
      return;
    }
    long left = commitWaitLeft(t, clock);
    if (left > 0) {
      effects.setTimer(new K2Timer.Proceed(t.id), left);
      return;
    }
    if (t.writes.isEmpty()) {
      t.phase = Phase.DONE;
      t.committed = true;
      tell(t, effects);
    } else {
      t.phase = Phase.COMMITTING;
      sendDecisionRequest(t, effects);
      effects.setTimer(new K2Timer.Resend(t.id), config.resendMicros());
    }
    boolean something = !t.reads.isEmpty() || !t.writes.isEmpty();
    if (effects.tracing() && something) {
      if (t.atPrimaries()) {
        trace("Mvto.RequestCommit", Map.of("t", t.id), t, effects);
      }
      if (t.phase == Phase.DONE) {
        traceTold(t, effects);
      }
    }
  }

  private void traceTold(Transaction t, Effects effects) {
    if (t.mode != K2Request.Mode.SNAPSHOT) {
      timestamps.end(t.id, effects);
    }
    if (t.committed) {
      effects.trace("EpochVisibility.Tell", Map.of("t", t.id), Map.of());
    }
  }

  @SpecAction("Mvto.RequestAbort")
  protected void requestAbort(Transaction t, String why, Effects effects) {
    sendAbort(t, why, effects);
    if (effects.tracing()) {
      trace("Mvto.RequestAbort", Map.of("t", t.id), t, effects);
    }
  }

  private void sendAbort(Transaction t, String why, Effects effects) {
    t.phase = Phase.ABORTING;
    t.reading = null;
    t.why = why;
    sendDecisionRequest(t, effects);
    effects.setTimer(new K2Timer.Resend(t.id), config.resendMicros());
  }

  private void sendDecisionRequest(Transaction t, Effects effects) {
    effects.send(
        placement.home(t.first),
        t.phase == Phase.COMMITTING
            ? new K2Message.Commit(t.txn, t.first, t.epoch)
            : new K2Message.Abort(t.txn, t.first));
  }

  /** A decision that comes before the commit wait is over is asked for again then. */
  @SpecAction({"Mvto.HandleDecision", "TimestampBatching.End", "EpochVisibility.Tell"})
  protected void handleDecision(K2Message.Decision decision, ClockReading clock, Effects effects) {
    Transaction t = transactions.get(decision.txn());
    if (t == null || (t.phase != Phase.COMMITTING && t.phase != Phase.ABORTING)) {
      return;
    }
    long left = commitWaitLeft(t, clock);
    if (left > 0) {
      effects.setTimer(new K2Timer.Resend(t.id), left);
      return;
    }
    t.phase = Phase.DONE;
    t.committed = decision.committed();
    t.epoch = decision.epoch();
    if (!t.committed && t.why.isEmpty()) {
      t.why = "aborted by its recorder";
    }
    t.writes.keySet().forEach(key -> sendFinalize(t, key, effects));
    effects.setTimer(new K2Timer.Resend(t.id), config.resendMicros());
    tell(t, effects);
    if (effects.tracing()) {
      trace("Mvto.HandleDecision", Words.m(decision), t, effects);
      traceTold(t, effects);
    }
  }

  private void sendFinalize(Transaction t, long key, Effects effects) {
    effects.send(
        placement.home(key), new K2Message.Finalize(t.txn, key, t.committed, finalEpoch(t)));
  }

  /** The epoch that all writes of a decided transaction are assigned to (6.3). */
  protected long finalEpoch(Transaction t) {
    return t.epoch();
  }

  private void handleFinalizeAck(K2Message.FinalizeAck ack, Effects effects) {
    Transaction t = transactions.get(ack.txn());
    if (t != null && t.phase == Phase.DONE && t.writes.containsKey(ack.key())) {
      t.finalized.add(ack.key());
      dropIfOver(t, effects);
    }
  }

  // ---- loss and silence ----------------------------------------------------------------------

  private void resend(Transaction t, Effects effects) {
    if (t == null) {
      return;
    }
    if (t.phase == Phase.RUNNING) {
      if (t.reading != null) {
        sendRead(t, effects);
      }
      for (long key : t.writes.keySet()) {
        if (!t.acked.contains(key)) {
          sendWrite(t, key, effects);
        }
      }
    } else if (t.phase == Phase.DONE) {
      for (long key : t.writes.keySet()) {
        if (!t.finalized.contains(key)) {
          sendFinalize(t, key, effects);
        }
      }
    } else {
      sendDecisionRequest(t, effects);
    }
    effects.setTimer(new K2Timer.Resend(t.id), config.resendMicros());
  }

  private void losePatience(Transaction t, Effects effects) {
    if (t == null) {
      return;
    }
    if (t.phase == Phase.RUNNING && !t.writes.isEmpty()) {
      requestAbort(t, "took too long", effects);
    } else if (t.phase == Phase.RUNNING || t.phase == Phase.IDLE) {
      forget(t, "took too long", effects);
    }
  }

  private void sendHeartbeats(Effects effects) {
    TreeSet<String> recorders = new TreeSet<>();
    for (Transaction t : transactions.values()) {
      if (t.first != null && t.phase != Phase.DONE) {
        recorders.add(placement.home(t.first));
      }
    }
    recorders.forEach(recorder -> effects.send(recorder, new K2Message.Heartbeat(incarnation)));
    beating = !recorders.isEmpty();
    if (beating) {
      effects.setTimer(new K2Timer.SendHeartbeats(), config.heartbeatMicros());
    }
  }

  // ---- projection ----------------------------------------------------------------------------

  private static void trace(String action, Map<String, ?> args, Transaction t, Effects effects) {
    effects.trace(action, args, Map.of("txn", t.state(), "first", t.first()));
  }

  /** The transactions that this coordinator runs or has to finalize, by id. */
  public Map<String, Transaction> transactions() {
    return Collections.unmodifiableMap(transactions);
  }

  /** Where its timestamps come from. */
  public TimestampSource timestamps() {
    return timestamps;
  }
}
