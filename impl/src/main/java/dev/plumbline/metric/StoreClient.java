package dev.plumbline.metric;

import dev.plumbline.machine.ClockReading;
import dev.plumbline.machine.Effects;
import dev.plumbline.machine.SpecAction;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * The store's client, which a Metric process includes (section 6): acquires locks, and reads and
 * writes at quorums. It has one lock to wait for and one operation in progress at a time, and sends
 * everything again until it is answered.
 */
public class StoreClient {
  private static final int EPOCH_BITS = 32;

  private final MetricConfig config;
  private final String me;
  private final long number;
  private final String locks;
  private final List<String> replicas;
  private final SortedMap<String, Section> held = new TreeMap<>();
  private final SortedMap<Long, MetricMessage.Release> letting = new TreeMap<>();
  private Section pending;
  private Operation operation;
  private long count;
  private long lastStamp;
  private boolean wanted;
  private boolean armed;

  /** What came of something. */
  public enum Outcome {
    LOCKED,
    GOT,
    STORED,
    /** The lock will not come, since others wait for what the client holds. */
    DEADLOCK,
    /** The lock is somebody else's by now. */
    REJECTED
  }

  /** What came of what the process asked for, with the value that was read. */
  public record Event(Outcome outcome, String key, Value value) {}

  /** A critical section, from the request for its lock on. */
  private static final class Section {
    final String key;
    final long request;
    final boolean atStake;
    long reference;
    long writes;

    Section(String key, long request, boolean atStake) {
      this.key = key;
      this.request = request;
      this.atStake = atStake;
    }

    MetricMessage.Acquire acquire() {
      return new MetricMessage.Acquire(key, request, atStake);
    }
  }

  private enum Kind {
    GET("get"),
    PUT("put"),
    SYNC_READ("syncRead"),
    SYNC_WRITE("syncWrite"),
    READ("getQuorum");

    final String word;

    Kind(String word) {
      this.word = word;
    }

    boolean writes() {
      return this == PUT || this == SYNC_WRITE;
    }
  }

  private static final class Operation {
    final Kind kind;
    final Section section;
    final String key;
    final long number;
    final SortedSet<String> from = new TreeSet<>();
    Stamp stamp = Stamp.ZERO;
    Value value = Value.NONE;

    Operation(Kind kind, Section section, String key, long number) {
      this.kind = kind;
      this.section = section;
      this.key = key;
      this.number = number;
    }
  }

  public StoreClient(MetricProcess.Parts parts) {
    this.config = parts.config();
    this.me = parts.name();
    this.number = parts.site();
    this.locks = parts.locks();
    this.replicas = parts.replicas();
  }

  /** Begins a life in which nothing is named as in an earlier one. */
  public final void start(long epoch) {
    count = epoch << EPOCH_BITS;
  }

  /** The life in which a lock was asked for. */
  public static long epoch(long request) {
    return request >> EPOCH_BITS;
  }

  // ---- what the process asks for ---------------------------------------------------------------

  /**
   * acquireLock: answered by {@link Outcome#LOCKED}, or by {@link Outcome#DEADLOCK}, rather if
   * nothing is at stake.
   */
  public final void acquire(String key, boolean atStake, Effects effects) {
    pending = new Section(key, ++count, atStake);
    effects.send(locks, pending.acquire());
    again(effects);
  }

  /** criticalGet: answered by {@link Outcome#GOT}. */
  @SpecAction("EntryConsistency.StartGet")
  public final void get(String key, Effects effects) {
    begin(Kind.GET, held.get(key), key, effects);
    trace("StartGet", held.get(key), Map.of(), effects);
  }

  /** criticalPut: answered by {@link Outcome#STORED}. */
  @SpecAction("EntryConsistency.StartPut")
  public final void put(String key, Value value, ClockReading clock, Effects effects) {
    Section section = held.get(key);
    write(Kind.PUT, section, value, clock, effects);
    trace("StartPut", section, Map.of("stamp", operation.stamp.words()), effects);
  }

  /** getQuorum, without a lock: answered by {@link Outcome#GOT}. */
  public final void read(String key, Effects effects) {
    begin(Kind.READ, null, key, effects);
  }

  /** releaseLock, with nothing in progress. */
  public final void release(String key, Effects effects) {
    Section section = held.remove(key);
    if (section != null) {
      letGo(section, true, effects);
    }
  }

  /** Gives up whatever is in progress, and all locks. */
  public final void abandon(Effects effects) {
    if (pending != null) {
      giveUp(pending, needsNothing(pending.reference), effects);
    }
    for (Section section : List.copyOf(held.values())) {
      giveUp(section, operation == null || operation.section != section, effects);
    }
    pending = null;
    operation = null;
    held.clear();
  }

  /**
   * Whether the client is sure that a lock that it waits for, or synchronizes, needs nothing before
   * its next holder. A lock that it was not told of may be its own by now.
   */
  protected boolean needsNothing(long reference) {
    return false;
  }

  @SpecAction("EntryConsistency.GiveUp")
  private void giveUp(Section section, boolean clean, Effects effects) {
    if (!clean && section.reference != 0) {
      trace("GiveUp", section, Map.of(), effects);
    }
    letGo(section, clean, effects);
  }

  private void letGo(Section section, boolean clean, Effects effects) {
    MetricMessage.Release release =
        new MetricMessage.Release(section.key, section.request, section.reference, clean);
    letting.put(section.request, release);
    effects.send(locks, release);
    again(effects);
  }

  /** Whether somebody wants what the process holds, or has got it. */
  public final boolean wanted() {
    return wanted;
  }

  /** The reference under which it has a key's lock, synchronized or not yet; 0 for none. */
  public final long reference(String key) {
    Section section = section(key);
    return section == null ? 0 : section.reference;
  }

  /** How many writes it has sent under that reference. */
  public final long writes(String key) {
    Section section = section(key);
    return section == null ? 0 : section.writes;
  }

  private Section section(String key) {
    return pending != null && pending.key.equals(key) ? pending : held.get(key);
  }

  /** The operation in progress, as the specification calls it. */
  public final String operation() {
    return operation == null ? "none" : operation.kind.word;
  }

  // ---- operations ------------------------------------------------------------------------------

  private void begin(Kind kind, Section section, String key, Effects effects) {
    operation = new Operation(kind, section, key, ++count);
    ask(effects);
    again(effects);
  }

  private void write(Kind kind, Section section, Value value, ClockReading clock, Effects effects) {
    operation = new Operation(kind, section, section.key, ++count);
    operation.stamp = stamp(section, clock);
    operation.value = value;
    ask(effects);
    again(effects);
  }

  private Stamp stamp(Section section, ClockReading clock) {
    if (config.repaired(MetricConfig.REF_STAMP)) {
      return new Stamp(section.reference, ++section.writes);
    }
    lastStamp = Math.max(lastStamp + 1, clock.localMicros());
    return new Stamp(lastStamp, number);
  }

  private void ask(Effects effects) {
    long reference = operation.section == null ? 0 : operation.section.reference;
    for (String replica : replicas) {
      if (!operation.from.contains(replica)) {
        effects.send(
            replica,
            operation.kind.writes()
                ? new MetricMessage.Put(
                    operation.key, operation.number, reference, operation.stamp, operation.value)
                : new MetricMessage.Get(
                    operation.key, operation.number, reference, operation.kind == Kind.SYNC_READ));
      }
    }
  }

  private void again(Effects effects) {
    if (!armed) {
      armed = true;
      effects.setTimer(new MetricTimer.Resend(), config.resendMicros());
    }
  }

  /** Sends again what was not answered. */
  public final void resend(Effects effects) {
    armed = false;
    if (pending != null && pending.reference == 0) {
      effects.send(locks, pending.acquire());
    }
    if (operation != null) {
      ask(effects);
    }
    letting.values().forEach(release -> effects.send(locks, release));
    if (pending != null || operation != null || !letting.isEmpty()) {
      again(effects);
    }
  }

  /** Tells the lock service that the process is there. */
  public final void heartbeat(Effects effects) {
    held.values().forEach(s -> effects.send(locks, new MetricMessage.Renew(s.key, s.request)));
    if (pending != null && pending.reference != 0) {
      effects.send(locks, new MetricMessage.Renew(pending.key, pending.request));
    }
    effects.setTimer(new MetricTimer.Heartbeat(), config.heartbeatMicros());
  }

  // ---- answers ---------------------------------------------------------------------------------

  /** A message of the store; returns what came of it, or null. */
  public final Event handle(
      String from, MetricMessage message, ClockReading clock, Effects effects) {
    if (message instanceof MetricMessage.Granted granted) {
      return granted(granted, effects);
    } else if (message instanceof MetricMessage.Released released) {
      if (letting.remove(released.request()) == null) {
        wanted |= mine(released.key(), released.request());
      }
    } else if (message instanceof MetricMessage.Wanted want) {
      wanted |= mine(want.key(), want.request());
    } else if (message instanceof MetricMessage.Deadlock deadlock) {
      return waitsForLock(deadlock.request())
          ? new Event(Outcome.DEADLOCK, deadlock.key(), Value.NONE)
          : null;
    } else if (message instanceof MetricMessage.Newest newest && awaits(newest.operation())) {
      return newest(from, newest, clock, effects);
    } else if (message instanceof MetricMessage.Stored stored && awaits(stored.operation())) {
      return stored(from, effects);
    } else if (message instanceof MetricMessage.Refused refused && awaits(refused.operation())) {
      return reject(effects);
    }
    return null;
  }

  private boolean mine(String key, long request) {
    return held.containsKey(key) && held.get(key).request == request;
  }

  private boolean waitsForLock(long request) {
    return pending != null && pending.request == request && pending.reference == 0;
  }

  private boolean awaits(long operationNumber) {
    return operation != null && operation.number == operationNumber;
  }

  private Event granted(MetricMessage.Granted granted, Effects effects) {
    if (pending != null && pending.request == granted.request()) {
      if (pending.reference != 0) {
        return null;
      }
      pending.reference = granted.reference();
      if (granted.forced() && config.repaired(MetricConfig.SYNC)) {
        begin(Kind.SYNC_READ, pending, pending.key, effects);
        return null;
      }
      return locked();
    }
    boolean known =
        mine(granted.key(), granted.request()) || letting.containsKey(granted.request());
    if (!known) {
      // What an earlier life did under it, nobody knows.
      letGo(new Section(granted.key(), granted.request(), false), false, effects);
    }
    return null;
  }

  private Event locked() {
    Section section = pending;
    pending = null;
    wanted = false;
    held.put(section.key, section);
    return new Event(Outcome.LOCKED, section.key, Value.NONE);
  }

  private boolean quorum() {
    return enough(operation.from.size(), replicas.size());
  }

  /** Whether so many answers are a quorum's. */
  protected boolean enough(int answers, int all) {
    return 2 * answers > all;
  }

  private Event newest(
      String from, MetricMessage.Newest newest, ClockReading clock, Effects effects) {
    operation.from.add(from);
    if (better(newest.stamp(), operation.stamp)) {
      operation.stamp = newest.stamp();
      operation.value = newest.value();
    }
    if (!quorum()) {
      return null;
    }
    if (operation.kind == Kind.SYNC_READ) {
      syncWriteBack(clock, effects);
      return null;
    }
    return finishGet(effects);
  }

  /** Whether a replica's answer is to be preferred to those before. */
  protected boolean better(Stamp arrived, Stamp best) {
    return arrived.compareTo(best) > 0;
  }

  @SpecAction("EntryConsistency.FinishGet")
  private Event finishGet(Effects effects) {
    Operation done = operation;
    operation = null;
    if (done.kind == Kind.GET) {
      trace("FinishGet", done.section, read(done), effects);
    }
    return new Event(Outcome.GOT, done.key, done.value);
  }

  private static Map<String, Object> read(Operation done) {
    return Map.of("from", done.from, "best", done.stamp.words());
  }

  @SpecAction("EntryConsistency.SyncWriteBack")
  private void syncWriteBack(ClockReading clock, Effects effects) {
    Map<String, Object> read = new TreeMap<>(read(operation));
    write(Kind.SYNC_WRITE, operation.section, operation.value, clock, effects);
    read.put("stamp", operation.stamp.words());
    trace("SyncWriteBack", operation.section, read, effects);
  }

  private Event stored(String from, Effects effects) {
    operation.from.add(from);
    if (!quorum()) {
      return null;
    }
    return operation.kind == Kind.SYNC_WRITE ? finishSync(effects) : finishPut(effects);
  }

  @SpecAction("EntryConsistency.FinishPut")
  private Event finishPut(Effects effects) {
    Operation done = operation;
    operation = null;
    trace("FinishPut", done.section, Map.of(), effects);
    return new Event(Outcome.STORED, done.key, done.value);
  }

  @SpecAction("EntryConsistency.FinishSync")
  private Event finishSync(Effects effects) {
    trace("FinishSync", operation.section, Map.of(), effects);
    operation = null;
    return locked();
  }

  @SpecAction("EntryConsistency.Reject")
  private Event reject(Effects effects) {
    Section section = operation.section;
    trace("Reject", section, Map.of(), effects);
    operation = null;
    held.remove(section.key);
    if (pending == section) {
      pending = null;
    }
    letGo(section, false, effects);
    return new Event(Outcome.REJECTED, section.key, Value.NONE);
  }

  private void trace(String action, Section section, Map<String, ?> more, Effects effects) {
    if (effects.tracing()) {
      Map<String, Object> args = new TreeMap<>(more);
      args.put("key", section.key);
      args.put("c", me);
      args.put("ref", section.reference);
      effects.trace("EntryConsistency." + action, args);
    }
  }
}
