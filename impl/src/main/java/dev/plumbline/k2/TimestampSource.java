package dev.plumbline.k2;

import dev.plumbline.machine.ClockReading;
import dev.plumbline.machine.Effects;
import dev.plumbline.machine.SpecAction;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * K2-TB: makes many timestamps of one answer of an oracle (K2, section 4.3). Part of every machine
 * that needs timestamps; all of its state is volatile.
 */
public class TimestampSource {
  private static final long IDS_PER_INCARNATION = 1_000_000_000_000L;

  protected final K2Config config;
  private final String owner;
  private final long number;
  private final String oracle;
  private final ArrayDeque<String> waiting = new ArrayDeque<>();

  private long incarnation;
  private long sent;
  private Pending pending;
  private Batch batch;
  private long last = Long.MIN_VALUE;
  private boolean asked;
  private long pause;

  /** The request waited for; {@code local} is when its TTL began. */
  public record Pending(long id, long local) {}

  /** The batch in use; {@code used} counts the timestamps taken from it. */
  public record Batch(long up, long oracle, long local, long used) {}

  /** A timestamp that was given. */
  public record Assigned(String txn, Timestamp ts) {}

  /**
   * @param owner the role that asks
   * @param number breaks ties between timestamps of one oracle
   * @param oracle the role to ask
   */
  public TimestampSource(K2Config config, String owner, long number, String oracle) {
    this.config = config;
    this.owner = owner;
    this.number = number;
    this.oracle = oracle;
    pause = config.batchRetryMicros();
  }

  @SpecAction("TimestampBatching.RestartCoordinator")
  void start(long epoch, Effects effects) {
    incarnation = epoch;
    if (epoch > 1) {
      trace("RestartCoordinator", Map.of("c", owner), effects);
    }
  }

  /** A transaction wants a timestamp; {@link #next} will assign it. */
  @SpecAction("TimestampBatching.Begin")
  void begin(String txn, Effects effects) {
    waiting.add(txn);
    if (!asked) {
      effects.setTimer(new K2Timer.NextTimestamp(), 0);
    }
    if (effects.tracing()) {
      trace("Begin", Map.of("t", txn, "c", owner), effects);
    }
  }

  /** The transaction no longer wants one. */
  void forget(String txn) {
    waiting.remove(txn);
  }

  /** Gives the next waiting transaction its timestamp, or asks for a batch and returns null. */
  Assigned next(ClockReading clock, Effects effects) {
    if (waiting.isEmpty()) {
      asked = false;
      return null;
    }
    if (!usable(clock)) {
      requestBatch(clock, effects);
      return null;
    }
    return assign(clock, effects);
  }

  /**
   * Starts a TTL and asks the oracle; a newer request replaces an older one, whose answer is lost
   * then. So the pauses grow while there is no answer.
   */
  @SpecAction("TimestampBatching.RequestBatch")
  public void requestBatch(ClockReading clock, Effects effects) {
    sent++;
    asked = true;
    pending = new Pending(incarnation * IDS_PER_INCARNATION + sent, clock.localMicros());
    effects.send(oracle, new K2Message.BatchRequest(pending.id()));
    effects.setTimer(new K2Timer.NextTimestamp(), pause);
    pause = Math.min(2 * pause, Math.max(config.batchRetryMicros(), config.ttlMicros()));
    if (effects.tracing()) {
      trace("RequestBatch", Map.of("c", owner, "id", pending.id()), effects);
    }
  }

  /** Any reply as published; repaired, the one to the pending request. */
  @SpecAction("TimestampBatching.InstallBatch")
  protected void installBatch(K2Message.BatchReply reply, Effects effects) {
    boolean tied = config.repaired(K2Config.TIE_REPLY);
    if (pending == null || (tied && reply.id() != pending.id())) {
      return;
    }
    batch = new Batch(reply.up(), reply.oracle(), pending.local(), 0);
    if (tied) {
      pending = null;
    }
    asked = false;
    pause = config.batchRetryMicros();
    if (waiting.isEmpty()) {
      effects.cancelTimer(new K2Timer.NextTimestamp());
    } else {
      effects.setTimer(new K2Timer.NextTimestamp(), 0);
    }
    if (effects.tracing()) {
      Map<String, Object> r = new TreeMap<>();
      r.put("coordinator", owner);
      r.put("id", reply.id());
      r.put("oracle", reply.oracle());
      r.put("up", reply.up());
      trace("InstallBatch", Map.of("r", r), effects);
    }
  }

  @SpecAction("TimestampBatching.Assign")
  protected Assigned assign(ClockReading clock, Effects effects) {
    long micros = nextMicros();
    long base = batch.up() + config.ttlMicros();
    batch =
        new Batch(
            batch.up(), batch.oracle(), batch.local(), (micros - base) / config.stepMicros() + 1);
    last = micros;
    String txn = waiting.remove();
    if (!waiting.isEmpty()) {
      effects.setTimer(new K2Timer.NextTimestamp(), 0);
    }
    boolean named = config.repaired(K2Config.NAME_ISSUER);
    Timestamp ts =
        new Timestamp(micros, batch.oracle(), named ? number : 0, named ? incarnation : 0);
    if (effects.tracing()) {
      Map<String, Object> args = Words.begin("t", txn, ts);
      args.put("local", clock.localMicros());
      trace("Assign", args, effects);
    }
    return new Assigned(txn, ts);
  }

  /** 4.3: the TTL has not expired and the batch is not used up. */
  public boolean usable(ClockReading clock) {
    return batch != null
        && clock.localMicros() - batch.local() < config.waitAtMost(config.ttlMicros())
        && nextMicros() < batch.up() + 2 * config.ttlMicros();
  }

  private long nextMicros() {
    long base = batch.up() + config.ttlMicros() + batch.used() * config.stepMicros();
    return config.repaired(K2Config.NAME_ISSUER) && base <= last
        ? last + config.stepMicros()
        : base;
  }

  /** The end of a transaction whose commit wait is over. */
  @SpecAction("TimestampBatching.End")
  void end(String txn, Effects effects) {
    if (effects.tracing()) {
      trace("End", Map.of("t", txn), effects);
    }
  }

  private void trace(String action, Map<String, ?> args, Effects effects) {
    effects.trace("TimestampBatching." + action, args, effects.tracing() ? state() : Map.of());
  }

  /** The specification's {@code batch}, {@code pending} and {@code last} of this owner. */
  Map<String, Object> state() {
    Map<String, Object> state = new TreeMap<>();
    state.put(
        "pending",
        pending == null ? Map.of() : Map.of("id", pending.id(), "local", pending.local()));
    state.put(
        "batch",
        batch == null
            ? Map.of()
            : Map.of(
                "up", batch.up(),
                "oracle", batch.oracle(),
                "local", batch.local(),
                "used", batch.used()));
    state.put("last", last == Long.MIN_VALUE ? -1 : last);
    return state;
  }

  /** The batch in use, or null. */
  public Batch batch() {
    return batch;
  }

  /** The request waited for, or null. */
  public Pending pending() {
    return pending;
  }

  /** The newest timestamp issued since the start, -1 if none; microseconds. */
  public long last() {
    return last == Long.MIN_VALUE ? -1 : last;
  }

  /** Requests sent since the start. */
  public long sent() {
    return sent;
  }

  /** The fencing epoch of the owner. */
  public long incarnation() {
    return incarnation;
  }

  /** Who waits for a timestamp, in order. */
  public List<String> waiting() {
    return List.copyOf(waiting);
  }
}
