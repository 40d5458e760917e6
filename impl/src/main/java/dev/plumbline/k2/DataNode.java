package dev.plumbline.k2;

import dev.plumbline.machine.ClockReading;
import dev.plumbline.machine.Effects;
import dev.plumbline.machine.Input;
import dev.plumbline.machine.Machine;
import dev.plumbline.machine.SpecAction;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * Owns keys (K2, section 5.2 and Figure 10), records transactions, cuts epochs (section 6.3) and
 * feeds replicas.
 *
 * <p>Versions, records and epochs are persisted. Read trackers are not, and reads persist nothing:
 * a node answers reads only while it holds a lease, and one that takes over waits the old lease out
 * (section 5.3), then a commit wait, and starts its trackers at a timestamp taken then, the floor.
 * Until then it is only a recorder.
 */
public class DataNode implements Machine {
  private static final String NONE = "";

  protected final K2Config config;
  protected final Placement placement;
  protected final Recorder recorder;
  private final String role;
  private final TimestampSource timestamps;
  private final Versions versions = new Versions();
  private final Map<Long, Timestamp> trackers = new TreeMap<>();
  private final Set<Waiting> waiting = new LinkedHashSet<>();
  private final Set<Answered> answered = new LinkedHashSet<>();
  private final DataLog log;
  private Timestamp floor = Timestamp.ZERO;
  private boolean serving;
  private boolean oldLeaseOver;
  private long incarnation;
  private long renewedLocal;
  private long epoch = 1;
  private long attempts;
  private String floorAttempt = NONE;
  private String cutAttempt = NONE;
  private Timestamp cutTs;
  private boolean shipping;

  /** A read that waits for the decision on a writer. */
  public record Waiting(Txn reader, long key, Txn on) {}

  private record Answered(String txn, long key) {}

  /** A read that got its value. */
  protected record Served(Txn reader, long key, Version version) {}

  public DataNode(
      K2Config config,
      Placement placement,
      String role,
      TimestampSource timestamps,
      Recorder recorder) {
    this.config = config;
    this.placement = placement;
    this.role = role;
    this.timestamps = timestamps;
    this.recorder = recorder;
    this.log = new DataLog(placement.replicasOf(role));
    recorder.epochOf(() -> epoch);
  }

  @Override
  public final void handle(Input input, ClockReading clock, Effects effects) {
    if (input instanceof Input.Start start) {
      start(start, clock, effects);
    } else if (input instanceof Input.Deliver deliver) {
      deliver(deliver.from(), (K2Message) deliver.message(), clock, effects);
    } else if (input instanceof Input.TimerFired fired) {
      fire((K2Timer) fired.timer(), clock, effects);
    }
  }

  private void deliver(String from, K2Message message, ClockReading clock, Effects effects) {
    if (message instanceof K2Message.Push push) {
      recorder.handlePush(from, push, effects);
    } else if (message instanceof K2Message.Commit commit) {
      recorder.handleCommit(commit, effects);
    } else if (message instanceof K2Message.Abort abort) {
      recorder.handleAbort(abort, effects);
    } else if (message instanceof K2Message.Heartbeat heartbeat) {
      recorder.handleHeartbeat(from, heartbeat, clock);
    } else if (message instanceof K2Message.BatchReply reply) {
      timestamps.installBatch(reply, effects);
    } else if (message instanceof K2Message.LogAck ack) {
      log.acknowledged(from, ack.next(), effects);
    } else if (serving) {
      serve(message, clock, effects);
    }
  }

  private void serve(K2Message message, ClockReading clock, Effects effects) {
    if (message instanceof K2Message.Read read && leased(clock)) {
      handleRead(read, effects);
    } else if (message instanceof K2Message.Write write) {
      handleWrite(write, effects);
    } else if (message instanceof K2Message.PushReply reply) {
      handlePushReply(reply, clock, effects);
    } else if (message instanceof K2Message.Finalize finalize) {
      handleFinalize(finalize, clock, effects);
    }
  }

  private void fire(K2Timer timer, ClockReading clock, Effects effects) {
    if (timer instanceof K2Timer.NextTimestamp) {
      TimestampSource.Assigned assigned = timestamps.next(clock, effects);
      if (assigned != null && assigned.txn().equals(cutAttempt)) {
        cutTimestamp(assigned.ts(), effects);
      } else if (assigned != null && assigned.txn().equals(floorAttempt)) {
        recoverDataNode(assigned.ts(), effects);
      }
    } else if (timer instanceof K2Timer.Suspect suspect) {
      recorder.checkCoordinator(suspect.txn(), clock, effects);
    } else if (timer instanceof K2Timer.RenewLease) {
      renewLease(clock, effects);
    } else if (timer instanceof K2Timer.Recover) {
      recover(effects);
    } else if (timer instanceof K2Timer.EpochDue) {
      timerExpires(effects);
    } else if (timer instanceof K2Timer.EpochOver) {
      cutEpoch(effects);
    } else if (timer instanceof K2Timer.ShipLog) {
      log.resend(effects);
      shipping = !log.complete();
      if (shipping) {
        effects.setTimer(timer, config.resendMicros());
      }
    }
  }

  // ---- start, lease, failover (5.3) ----------------------------------------------------------

  private void start(Input.Start start, ClockReading clock, Effects effects) {
    incarnation = start.epoch();
    start.durable().forEach(record -> restore((K2Record) record));
    timestamps.start(incarnation, effects);
    recorder.start(incarnation, effects);
    log.start(effects);
    ship(effects);
    renewLease(clock, effects);
    if (incarnation == 1) {
      serving = true;
      effects.setTimer(new K2Timer.EpochDue(), config.waitAtLeast(config.epochMicros()));
    } else {
      awaitOldLease(effects);
      effects.setTimer(new K2Timer.EpochDue(), 0);
    }
  }

  private void restore(K2Record record) {
    if (record instanceof K2Record.Intent intent) {
      versions.add(intent);
      log.restore(intent);
    } else if (record instanceof K2Record.Resolved resolved) {
      versions.resolve(resolved);
      log.restore(resolved);
    } else if (record instanceof K2Record.EpochCut cut) {
      epoch = cut.epoch() + 1;
      log.restore(cut);
    } else if (record instanceof K2Record.Recorded recorded) {
      recorder.restore(recorded);
    }
  }

  /** Another node may answer reads until its lease ends. */
  protected void awaitOldLease(Effects effects) {
    effects.setTimer(new K2Timer.Recover(), config.leaseOver());
  }

  private void renewLease(ClockReading clock, Effects effects) {
    renewedLocal = clock.localMicros();
    effects.persist(new K2Record.LeaseRenewed());
    effects.setTimer(new K2Timer.RenewLease(), config.leaseMicros() / 3);
  }

  /** Whether no other node can have taken over and answered anything. */
  protected boolean leased(ClockReading clock) {
    return clock.localMicros() - renewedLocal < config.leaseMicros();
  }

  /** The old lease is over: wait out what it may have served, then take a floor above it. */
  protected void recover(Effects effects) {
    if (!config.repaired(K2Config.READ_FLOOR)) {
      recoverDataNode(Timestamp.ZERO, effects);
    } else if (!oldLeaseOver) {
      oldLeaseOver = true;
      effects.setTimer(new K2Timer.Recover(), config.commitWait());
    } else {
      floorAttempt = role + "-" + incarnation + ".floor";
      timestamps.begin(floorAttempt, effects);
    }
  }

  @SpecAction("Mvto.RecoverDataNode")
  protected void recoverDataNode(Timestamp newFloor, Effects effects) {
    floor = newFloor;
    serving = true;
    if (effects.tracing()) {
      effects.trace("Mvto.RecoverDataNode", Map.of("d", role, "floor", newFloor.parts()), Map.of());
    }
  }

  // ---- reads and writes (5.2) ----------------------------------------------------------------

  /** The read tracker of a key. */
  public final Timestamp tracker(long key) {
    return trackers.getOrDefault(key, floor);
  }

  /** Raises a read tracker. */
  protected void raise(long key, Timestamp ts) {
    trackers.put(key, tracker(key).max(ts));
  }

  /** Readable at once: committed, or the reader's own. */
  protected boolean readable(Version version, Txn reader) {
    return version.committed() || version.writer().id().equals(reader.id());
  }

  @SpecAction({"Mvto.HandleRead", "EpochVisibility.PrimaryRead"})
  protected void handleRead(K2Message.Read read, Effects effects) {
    Txn reader = read.txn();
    Version version = versions.newest(read.key(), reader.ts());
    boolean first = false;
    if (readable(version, reader)) {
      first = answer(reader, read.key(), version, effects);
    } else {
      if (!config.tracksAtReply()) {
        raise(read.key(), reader.ts());
      }
      await(reader, read.key(), version, effects);
    }
    if (effects.tracing()) {
      effects.trace(
          "Mvto.HandleRead", Words.m(read), keyState(read.key(), version.writer(), version));
      if (first) {
        tracePrimaryRead(new Served(reader, read.key(), version), effects);
      }
    }
  }

  /** Returns a value; true if this read had none before, as far as there is a log. */
  private boolean answer(Txn reader, long key, Version version, Effects effects) {
    raise(key, reader.ts());
    effects.send(
        reader.coordinator(),
        new K2Message.ReadReply(reader.id(), key, version.writer().id(), version.value()));
    return effects.tracing() && answered.add(new Answered(reader.id(), key));
  }

  private void await(Txn reader, long key, Version version, Effects effects) {
    waiting.add(new Waiting(reader, key, version.writer()));
    effects.send(
        placement.home(version.first()),
        new K2Message.Push(version.writer(), key, version.first()));
  }

  private static void tracePrimaryRead(Served read, Effects effects) {
    String writer = read.version().writer().id();
    effects.trace(
        "EpochVisibility.PrimaryRead",
        Map.of("t", read.reader().id(), "k", Words.key(read.key()), "w", writer));
  }

  @SpecAction({"Mvto.HandleWrite", "EpochVisibility.PrimaryWrite"})
  protected void handleWrite(K2Message.Write write, Effects effects) {
    Txn txn = write.txn();
    Version known = versions.of(write.key()).get(txn.ts());
    boolean refused = known == null && refuses(write);
    long at = known == null ? epoch : known.epoch();
    if (known == null && !refused) {
      K2Record.Intent intent =
          new K2Record.Intent(txn, write.key(), write.first(), epoch, write.value());
      create(intent, effects);
    }
    if (!refused && write.key() == write.first()) {
      recorder.create(txn, effects);
    }
    effects.send(txn.coordinator(), new K2Message.WriteReply(txn.id(), write.key(), !refused, at));
    if (effects.tracing()) {
      effects.trace("Mvto.HandleWrite", Words.m(write), keyState(write.key(), txn));
      if (known == null) {
        effects.trace(
            "EpochVisibility.PrimaryWrite",
            Map.of("t", txn.id(), "k", Words.key(write.key()), "refused", refused),
            Map.of("epoch", epoch));
      }
    }
  }

  /** Whether a later reader has already missed this write. */
  protected boolean refuses(K2Message.Write write) {
    return write.txn().ts().before(tracker(write.key()));
  }

  /** Creates a write intent. */
  protected void create(K2Record.Intent intent, Effects effects) {
    versions.add(intent);
    persistLogged(intent, effects);
  }

  /** Persists a record that replicas get too. */
  protected void persist(K2Record record, Effects effects) {
    effects.persist((Record) record);
  }

  private void persistLogged(K2Record record, Effects effects) {
    persist(record, effects);
    log.append(record, effects);
    ship(effects);
  }

  private void ship(Effects effects) {
    if (!shipping && !log.complete()) {
      shipping = true;
      effects.setTimer(new K2Timer.ShipLog(), config.resendMicros());
    }
  }

  // ---- decisions -----------------------------------------------------------------------------

  @SpecAction({"Mvto.HandlePushReply", "EpochVisibility.PrimaryRead"})
  protected void handlePushReply(K2Message.PushReply reply, ClockReading clock, Effects effects) {
    List<Served> reads =
        resolve(
            new K2Record.Resolved(reply.txn(), reply.key(), reply.committed(), reply.epoch()),
            clock,
            effects);
    if (effects.tracing()) {
      effects.trace("Mvto.HandlePushReply", Words.m(reply), keyState(reply.key(), reply.txn()));
      reads.forEach(read -> tracePrimaryRead(read, effects));
    }
  }

  @SpecAction({"Mvto.HandleFinalize", "EpochVisibility.PrimaryRead"})
  protected void handleFinalize(K2Message.Finalize finalize, ClockReading clock, Effects effects) {
    List<Served> reads =
        resolve(
            new K2Record.Resolved(
                finalize.txn(), finalize.key(), finalize.committed(), finalize.epoch()),
            clock,
            effects);
    effects.send(
        finalize.txn().coordinator(),
        new K2Message.FinalizeAck(finalize.txn().id(), finalize.key()));
    if (effects.tracing()) {
      effects.trace(
          "Mvto.HandleFinalize", Words.m(finalize), keyState(finalize.key(), finalize.txn()));
      reads.forEach(read -> tracePrimaryRead(read, effects));
    }
  }

  /**
   * The decision on a writer reaches a key: the intent becomes a version or goes, and the reads
   * that waited for it go on. Returns those that got their value, as far as there is a log.
   */
  protected List<Served> resolve(K2Record.Resolved resolved, ClockReading clock, Effects effects) {
    if (versions.concerns(resolved)) {
      versions.resolve(resolved);
      persistLogged(resolved, effects);
    }
    String writer = resolved.txn().id();
    List<Waiting> woken = new ArrayList<>();
    waiting.removeIf(
        read -> read.key() == resolved.key() && read.on().id().equals(writer) && woken.add(read));
    List<Served> served = new ArrayList<>();
    for (Waiting read : woken) {
      Version own = versions.of(read.key()).get(resolved.txn().ts());
      Version next =
          config.tracksAtReply() && resolved.committed() && own != null
              ? own
              : versions.newest(read.key(), read.reader().ts());
      if (!readable(next, read.reader())) {
        await(read.reader(), read.key(), next, effects);
      } else if (!leased(clock)) {
        raise(read.key(), read.reader().ts());
      } else if (answer(read.reader(), read.key(), next, effects)) {
        served.add(new Served(read.reader(), read.key(), next));
      }
    }
    return served;
  }

  // ---- epochs (6.3) --------------------------------------------------------------------------

  @SpecAction("EpochCut.TimerExpires")
  protected void timerExpires(Effects effects) {
    attempts++;
    cutAttempt = role + "-" + incarnation + ".cut" + attempts;
    timestamps.begin(cutAttempt, effects);
    if (effects.tracing()) {
      traceCut("TimerExpires", cutAttempt, effects);
    }
  }

  @SpecAction("EpochCut.TooEarly")
  protected void cutTimestamp(Timestamp ts, Effects effects) {
    if (ts.micros() > config.promised(epoch)) {
      cutTs = ts;
      effects.setTimer(new K2Timer.EpochOver(), config.commitWait());
    } else {
      String attempt = cutAttempt;
      cutAttempt = NONE;
      effects.setTimer(
          new K2Timer.EpochDue(), config.waitAtLeast(config.promised(epoch) - ts.micros()));
      if (effects.tracing()) {
        traceCut("TooEarly", attempt, effects);
      }
    }
  }

  /** One cut ends every epoch that was over at its timestamp: a node may have been away. */
  @SpecAction({"EpochCut.CutEpoch", "EpochVisibility.Cut"})
  protected void cutEpoch(Effects effects) {
    String attempt = cutAttempt;
    epoch = config.ceiling(cutTs);
    cutAttempt = NONE;
    persistLogged(new K2Record.EpochCut(epoch - 1), effects);
    long left = config.promised(epoch) - cutTs.micros();
    effects.setTimer(new K2Timer.EpochDue(), config.waitAtLeast(left));
    if (effects.tracing()) {
      timestamps.end(attempt, effects);
      traceCut("CutEpoch", attempt, effects);
      effects.trace("EpochVisibility.Cut", Map.of("n", role), Map.of("epoch", epoch));
    }
  }

  private void traceCut(String action, String attempt, Effects effects) {
    effects.trace("EpochCut." + action, Map.of("t", attempt, "c", role), Map.of("epoch", epoch));
  }

  // ---- projection ----------------------------------------------------------------------------

  /** The key's tracker, the reads that wait there, and the version that the step was about. */
  private Map<String, Object> keyState(long key, Txn writer, Version version) {
    Map<String, Object> state = new TreeMap<>();
    state.put("tracker", tracker(key).parts());
    String status = version == null ? "none" : version.committed() ? "committed" : "intent";
    state.put("version", Map.of("writer", writer.id(), "status", status));
    List<Map<String, String>> waits = new ArrayList<>();
    for (Waiting read : waiting) {
      if (read.key() == key) {
        waits.add(Map.of("t", read.reader().id(), "on", read.on().id()));
      }
    }
    state.put("waiting", waits);
    return state;
  }

  /** The same, for a step about a writer. */
  private Map<String, Object> keyState(long key, Txn writer) {
    return keyState(key, writer, versions.of(key).get(writer.ts()));
  }

  /** The transaction recorder that lives here. */
  public final Recorder recorder() {
    return recorder;
  }

  /** The write streams and versions. */
  public final Versions versions() {
    return versions;
  }

  /** The read trackers that differ from the floor. */
  public final Map<Long, Timestamp> trackers() {
    return Collections.unmodifiableMap(trackers);
  }

  /** The reads that wait for a decision. */
  public final Set<Waiting> waiting() {
    return Collections.unmodifiableSet(waiting);
  }

  /** The epoch that the node is in. */
  public final long epoch() {
    return epoch;
  }

  /** Whether reads and writes are served: false after a takeover, until the floor is known. */
  public final boolean serving() {
    return serving;
  }

  /** What replicas get. */
  public final DataLog log() {
    return log;
  }

  /** Where the node's own timestamps come from. */
  public final TimestampSource timestamps() {
    return timestamps;
  }
}
