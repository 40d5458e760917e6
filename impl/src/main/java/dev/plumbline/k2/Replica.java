package dev.plumbline.k2;

import dev.plumbline.machine.ClockReading;
import dev.plumbline.machine.Effects;
import dev.plumbline.machine.Input;
import dev.plumbline.machine.Machine;
import dev.plumbline.machine.SpecAction;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * Replays a data node's log and serves reads at a timestamp (K2, section 6.4). What was replayed is
 * persisted; waiting reads and decisions learned by PUSHWS are volatile.
 */
public class Replica implements Machine {
  protected final K2Config config;
  private final Placement placement;
  private final String primary;
  private final Versions versions = new Versions();
  private final Map<String, Decision> decisions = new TreeMap<>();
  private final List<K2Record> received = new ArrayList<>();
  private final Map<Id, Reading> readings = new LinkedHashMap<>();
  private final Set<Id> answered = new LinkedHashSet<>();
  private long next;
  private long replayed;

  /** A decision on a transaction; {@code epoch} is the commit epoch. */
  public record Decision(boolean committed, long epoch) {}

  protected record Id(String txn, long key) {}

  /** A read that waits for a cut, or for the decision on a writer. */
  private record Reading(String from, Timestamp at, long local) {}

  /**
   * @param primary the data node whose log is replayed
   */
  public Replica(K2Config config, Placement placement, String primary) {
    this.config = config;
    this.placement = placement;
    this.primary = primary;
  }

  @Override
  public final void handle(Input input, ClockReading clock, Effects effects) {
    if (input instanceof Input.Start start) {
      for (Record record : start.durable()) {
        ((K2Record.Replayed) record).entries().forEach(this::apply);
      }
      effects.send(primary, new K2Message.LogAck(next));
    } else if (input instanceof Input.Deliver deliver) {
      deliver(deliver.from(), (K2Message) deliver.message(), clock, effects);
    } else if (input instanceof Input.TimerFired fired) {
      if (fired.timer() instanceof K2Timer.Attempt attempt) {
        attempt(new Id(attempt.txn(), attempt.key()), effects);
      } else if (fired.timer() instanceof K2Timer.ReplayNext) {
        replay(effects);
      }
    }
  }

  private void deliver(String from, K2Message message, ClockReading clock, Effects effects) {
    if (message instanceof K2Message.LogEntries entries) {
      receive(entries, effects);
    } else if (message instanceof K2Message.ReplicaRead read) {
      Id id = new Id(read.txn(), read.key());
      readings.remove(id);
      readings.put(id, new Reading(from, read.at(), clock.localMicros()));
      forgetOld(clock);
      attempt(id, effects);
    } else if (message instanceof K2Message.PushReply reply) {
      handlePushReply(reply, effects);
    }
  }

  // ---- replay --------------------------------------------------------------------------------

  private void receive(K2Message.LogEntries message, Effects effects) {
    long have = next + received.size();
    long end = message.from() + message.entries().size();
    if (message.from() > have || end <= have) {
      effects.send(primary, new K2Message.LogAck(next));
      return;
    }
    received.addAll(
        message.entries().subList((int) (have - message.from()), message.entries().size()));
    replay(effects);
  }

  /** Replays what was received, up to the next cut. */
  @SpecAction("EpochVisibility.Replay")
  protected void replay(Effects effects) {
    if (received.isEmpty()) {
      return;
    }
    List<K2Record> entries = upToCut();
    long before = replayed;
    entries.forEach(this::apply);
    effects.persist(new K2Record.Replayed(entries));
    effects.send(primary, new K2Message.LogAck(next));
    if (!received.isEmpty()) {
      effects.setTimer(new K2Timer.ReplayNext(), 0);
    }
    if (replayed != before) {
      readings.forEach(
          (id, reading) -> {
            if (config.ceiling(reading.at()) <= replayed) {
              effects.setTimer(new K2Timer.Attempt(id.txn(), id.key()), 0);
            }
          });
      if (effects.tracing()) {
        effects.trace("EpochVisibility.Replay", Map.of("n", primary), Map.of("replayed", replayed));
      }
    }
  }

  private List<K2Record> upToCut() {
    int end = 0;
    while (end < received.size() && !(received.get(end) instanceof K2Record.EpochCut)) {
      end++;
    }
    List<K2Record> head = received.subList(0, Math.min(end + 1, received.size()));
    List<K2Record> entries = List.copyOf(head);
    head.clear();
    return entries;
  }

  private void apply(K2Record entry) {
    next++;
    if (entry instanceof K2Record.Intent intent) {
      versions.add(intent);
    } else if (entry instanceof K2Record.Resolved resolved) {
      versions.resolve(resolved);
      decisions.remove(resolved.txn().id());
    } else if (entry instanceof K2Record.EpochCut cut) {
      replayed = cut.epoch();
    }
  }

  // ---- reads ---------------------------------------------------------------------------------

  /** Whoever still wants an answer has asked again by now: the last one asked is the last one. */
  private void forgetOld(ClockReading clock) {
    Iterator<Reading> oldest = readings.values().iterator();
    while (clock.localMicros() - oldest.next().local() > config.patienceMicros()) {
      oldest.remove();
    }
  }

  /** Answers a read if its view has been replayed and all that it must see is decided. */
  @SpecAction("EpochVisibility.ReplicaRead")
  protected void attempt(Id id, Effects effects) {
    Reading reading = readings.get(id);
    if (reading == null || !replayed(config.ceiling(reading.at()))) {
      return;
    }
    long view = config.ceiling(reading.at());
    Version found = Version.INITIAL;
    for (Version version :
        versions.of(id.key()).headMap(reading.at(), false).descendingMap().values()) {
      if (version.epoch() <= view) {
        Decision decision = decision(version);
        if (decision == null) {
          effects.send(
              placement.home(version.first()),
              new K2Message.Push(version.writer(), id.key(), version.first()));
          return;
        }
        if (decision.committed() && decision.epoch() <= view) {
          found = version;
          break;
        }
      }
    }
    readings.remove(id);
    effects.send(
        reading.from(),
        new K2Message.ReplicaReadReply(id.txn(), id.key(), found.writer().id(), found.value()));
    if (effects.tracing() && answered.add(id)) {
      effects.trace(
          "EpochVisibility.ReplicaRead",
          Map.of("r", id.txn(), "k", Words.key(id.key()), "w", found.writer().id()),
          Map.of("replayed", replayed));
    }
  }

  /** Whether the view of an epoch is complete here. */
  protected boolean replayed(long epoch) {
    return replayed >= epoch;
  }

  private Decision decision(Version version) {
    return version.committed()
        ? new Decision(true, version.commitEpoch())
        : decisions.get(version.writer().id());
  }

  private void handlePushReply(K2Message.PushReply reply, Effects effects) {
    Version version = versions.of(reply.key()).get(reply.txn().ts());
    if (version == null || version.committed()) {
      return;
    }
    decisions.put(reply.txn().id(), new Decision(reply.committed(), reply.epoch()));
    for (Id id : readings.keySet()) {
      if (id.key() == reply.key()) {
        effects.setTimer(new K2Timer.Attempt(id.txn(), id.key()), 0);
      }
    }
  }

  // ---- projection ----------------------------------------------------------------------------

  /** The last epoch whose cut was replayed. */
  public final long replayed() {
    return replayed;
  }

  /** How many entries of the primary's log were replayed. */
  public final long next() {
    return next;
  }

  /** The write streams and versions as replayed. */
  public final Versions versions() {
    return versions;
  }

  /** Decisions learned by PUSHWS on intents that the log has not decided yet. */
  public final Map<String, Decision> decisions() {
    return Collections.unmodifiableMap(decisions);
  }

  /** How many reads wait. */
  public final int waiting() {
    return readings.size();
  }
}
