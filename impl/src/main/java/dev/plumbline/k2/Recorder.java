package dev.plumbline.k2;

import dev.plumbline.machine.ClockReading;
import dev.plumbline.machine.Effects;
import dev.plumbline.machine.SpecAction;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.LongSupplier;

/**
 * Keeps transaction records and answers PUSHWS (K2, sections 5.2 and 5.3). Lives in a data node and
 * shares its log. Records are persisted; held requests and what is known of coordinators are
 * volatile.
 */
public class Recorder {
  protected final K2Config config;
  private final String role;
  private final Map<String, K2Record.Recorded> records = new TreeMap<>();
  private final Set<Held> held = new LinkedHashSet<>();
  private final Map<String, Heard> heard = new TreeMap<>();
  private LongSupplier epoch = () -> 1;

  /** A PUSHWS that waits for the decision on {@code txn}. */
  public record Held(Txn txn, long key, String from) {}

  private record Heard(long incarnation, long local) {}

  /**
   * @param role the data node that it is part of
   */
  public Recorder(K2Config config, String role) {
    this.config = config;
    this.role = role;
  }

  /** Says where the node's epoch is found. */
  void epochOf(LongSupplier nodeEpoch) {
    epoch = nodeEpoch;
  }

  void restore(K2Record.Recorded recorded) {
    records.put(recorded.txn().id(), recorded);
  }

  /** A new recorder starts to suspect the coordinators of all pending transactions. */
  @SpecAction("Mvto.ReplaceRecorder")
  void start(long fencingEpoch, Effects effects) {
    for (K2Record.Recorded recorded : records.values()) {
      if (!recorded.status().decided()) {
        watch(recorded.txn(), effects);
      }
    }
    if (fencingEpoch > 1 && effects.tracing()) {
      effects.trace("Mvto.ReplaceRecorder", Map.of("d", role), Map.of());
    }
  }

  /** The first write of a transaction creates its record (5.2). */
  protected void create(Txn txn, Effects effects) {
    if (status(txn.id()) == null) {
      record(txn, Status.PENDING, 0, effects);
      watch(txn, effects);
    }
  }

  private void record(Txn txn, Status status, long commitEpoch, Effects effects) {
    K2Record.Recorded recorded = new K2Record.Recorded(txn, status, commitEpoch);
    records.put(txn.id(), recorded);
    persist(recorded, effects);
  }

  /** Persists a record. */
  protected void persist(K2Record.Recorded recorded, Effects effects) {
    effects.persist(recorded);
  }

  /** PUSHWS: answered once there is a decision. */
  @SpecAction("Mvto.HandlePush")
  protected void handlePush(String from, K2Message.Push push, Effects effects) {
    Txn txn = push.txn();
    K2Record.Recorded recorded = records.get(txn.id());
    if (recorded != null && recorded.status().decided()) {
      effects.send(from, reply(push.key(), recorded));
    } else {
      held.add(new Held(txn, push.key(), from));
      if (config.repaired(K2Config.PUSH_REGISTERS)) {
        create(txn, effects);
      }
    }
    if (effects.tracing()) {
      effects.trace("Mvto.HandlePush", Words.m(push), state(txn.id()));
    }
  }

  private static K2Message.PushReply reply(long key, K2Record.Recorded recorded) {
    return new K2Message.PushReply(
        recorded.txn(), key, recorded.status() == Status.COMMITTED, recorded.epoch());
  }

  /**
   * Commits, with the highest epoch that the writes met; as published, the recorder's own counts
   * too (6.3). If the writes' is above the ceiling epoch of the timestamp, the transaction is
   * aborted, and the request handled again to be answered.
   */
  @SpecAction({"Mvto.HandleCommit", "Mvto.SuspectCoordinator", "EpochVisibility.Commit"})
  protected void handleCommit(K2Message.Commit commit, Effects effects) {
    Txn txn = commit.txn();
    Status before = status(txn.id());
    boolean closing = config.repaired(K2Config.CLOSE_EPOCHS);
    long commitEpoch = closing ? commit.epoch() : Math.max(commit.epoch(), epoch.getAsLong());
    boolean undecided = before == null || !before.decided();
    boolean late = undecided && closing && commitEpoch > config.ceiling(txn.ts());
    if (late) {
      decide(txn, Status.ABORTED, 0, effects);
      effects.send(role, commit);
    } else {
      if (undecided) {
        decide(txn, Status.COMMITTED, commitEpoch, effects);
      }
      answer(txn, effects);
    }
    if (effects.tracing()) {
      Map<String, Object> state = state(txn.id());
      if (late) {
        effects.trace("Mvto.SuspectCoordinator", Map.of("t", txn.id()), state);
      } else {
        effects.trace("Mvto.HandleCommit", Words.m(commit), state);
      }
      if (undecided) {
        K2Record.Recorded recorded = records.get(txn.id());
        effects.trace(
            "EpochVisibility.Commit",
            Map.of("t", txn.id()),
            Map.of("record", recorded.status(), "epoch", recorded.epoch()));
      }
    }
  }

  @SpecAction({"Mvto.HandleAbort", "EpochVisibility.Abort"})
  protected void handleAbort(K2Message.Abort abort, Effects effects) {
    Txn txn = abort.txn();
    Status before = status(txn.id());
    boolean undecided = before == null || !before.decided();
    if (undecided) {
      decide(txn, Status.ABORTED, 0, effects);
    }
    answer(txn, effects);
    if (effects.tracing()) {
      effects.trace("Mvto.HandleAbort", Words.m(abort), state(txn.id()));
      if (undecided) {
        effects.trace("EpochVisibility.Abort", Map.of("t", txn.id()), Map.of());
      }
    }
  }

  /** Stores the decision and answers everyone who waits for it. */
  protected void decide(Txn txn, Status status, long commitEpoch, Effects effects) {
    record(txn, status, commitEpoch, effects);
    effects.cancelTimer(new K2Timer.Suspect(txn.id()));
    List<Held> waiting = new ArrayList<>();
    held.removeIf(request -> request.txn().id().equals(txn.id()) && waiting.add(request));
    for (Held request : waiting) {
      effects.send(request.from(), reply(request.key(), records.get(txn.id())));
    }
  }

  private void answer(Txn txn, Effects effects) {
    K2Record.Recorded recorded = records.get(txn.id());
    effects.send(
        txn.coordinator(),
        new K2Message.Decision(txn.id(), recorded.status() == Status.COMMITTED, recorded.epoch()));
  }

  // ---- suspicion (5.3) -----------------------------------------------------------------------

  void handleHeartbeat(String from, K2Message.Heartbeat heartbeat, ClockReading clock) {
    Heard before = heard.get(from);
    if (before == null || before.incarnation() <= heartbeat.incarnation()) {
      heard.put(from, new Heard(heartbeat.incarnation(), clock.localMicros()));
    }
  }

  private void watch(Txn txn, Effects effects) {
    effects.setTimer(new K2Timer.Suspect(txn.id()), config.suspectMicros());
  }

  void checkCoordinator(String id, ClockReading clock, Effects effects) {
    K2Record.Recorded recorded = records.get(id);
    if (recorded == null || recorded.status().decided()) {
      return;
    }
    Txn txn = recorded.txn();
    Heard last = heard.get(txn.coordinator());
    long silence =
        last == null || last.incarnation() != txn.incarnation()
            ? config.suspectMicros()
            : clock.localMicros() - last.local();
    if (silence >= config.suspectMicros()) {
      suspectCoordinator(txn, effects);
    } else {
      effects.setTimer(new K2Timer.Suspect(id), config.suspectMicros() - silence);
    }
  }

  @SpecAction({"Mvto.SuspectCoordinator", "EpochVisibility.Abort"})
  protected void suspectCoordinator(Txn txn, Effects effects) {
    decide(txn, Status.ABORTED, 0, effects);
    if (effects.tracing()) {
      effects.trace("Mvto.SuspectCoordinator", Map.of("t", txn.id()), state(txn.id()));
      effects.trace("EpochVisibility.Abort", Map.of("t", txn.id()), Map.of());
    }
  }

  // ---- projection ----------------------------------------------------------------------------

  private Map<String, Object> state(String id) {
    K2Record.Recorded recorded = records.get(id);
    Map<String, Object> state = new TreeMap<>();
    state.put("record", recorded == null ? "none" : recorded.status());
    state.put(
        "held",
        held.stream()
            .filter(request -> request.txn().id().equals(id))
            .map(request -> Words.key(request.key()))
            .toList());
    return state;
  }

  /** What the record of a transaction says, null if there is none. */
  public Status status(String id) {
    K2Record.Recorded recorded = records.get(id);
    return recorded == null ? null : recorded.status();
  }

  /** All records, by transaction. */
  public Map<String, K2Record.Recorded> records() {
    return Collections.unmodifiableMap(records);
  }

  /** The requests that wait for a decision. */
  public Set<Held> held() {
    return Collections.unmodifiableSet(held);
  }
}
