package dev.plumbline.k2;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/** A coordinator's volatile state of one transaction. */
public final class Transaction {

  /** How far it is; the names are the specification's. */
  public enum Phase {
    IDLE,
    RUNNING,
    COMMITTING,
    ABORTING,
    DONE
  }

  /** What a read returned. */
  public record ReadValue(String writer, List<Long> value) {}

  private static final long NOTHING = -1;

  final String id;
  final K2Request.Mode mode;
  final String client;
  final Map<Long, ReadValue> reads = new TreeMap<>();
  final Map<Long, List<Long>> writes = new TreeMap<>();
  final TreeSet<Long> acked = new TreeSet<>();
  final TreeSet<Long> finalized = new TreeSet<>();
  Txn txn;
  Phase phase = Phase.IDLE;
  Long reading;
  Long first;
  long epoch;
  long assignedLocal;
  boolean commitAsked;
  boolean committed;
  String why = "";
  private long request = NOTHING;

  /**
   * @param client the only one that may go on with it
   */
  Transaction(String id, K2Request.Mode mode, String client) {
    this.id = id;
    this.client = client;
    this.mode = mode;
  }

  /** A client's request now waits for an answer. */
  void ask(long requestId) {
    request = requestId;
  }

  boolean asked() {
    return request != NOTHING;
  }

  /** Takes the request that waits for an answer. */
  long answered() {
    long answered = request;
    request = NOTHING;
    return answered;
  }

  boolean atPrimaries() {
    return mode == K2Request.Mode.PRIMARY;
  }

  boolean idleAndRunning() {
    return phase == Phase.RUNNING && reading == null;
  }

  /** What reads returned, by key. */
  public Map<Long, ReadValue> reads() {
    return Collections.unmodifiableMap(reads);
  }

  /** The key being read, or null. */
  public Long reading() {
    return reading;
  }

  /** The keys written, with their values. */
  public Map<Long, List<Long>> writes() {
    return Collections.unmodifiableMap(writes);
  }

  /** The keys whose writes were acknowledged. */
  public Set<Long> acked() {
    return Collections.unmodifiableSet(acked);
  }

  /** The highest epoch of the writes; once decided, the commit epoch. */
  public long epoch() {
    return epoch;
  }

  public Phase phase() {
    return phase;
  }

  /** The coordinator's interval clock when it got its timestamp, where the commit wait starts. */
  public long assignedLocal() {
    return assignedLocal;
  }

  /** The transaction, null before it has a timestamp. */
  public Txn txn() {
    return txn;
  }

  /** The specification's {@code txn[t]} before it begins. */
  public static final Map<String, Object> IDLE =
      new Transaction("", K2Request.Mode.PRIMARY, "").state();

  /** The specification's {@code txn[t]} and {@code first[t]}. */
  public Map<String, Object> state() {
    Map<String, Object> state = new TreeMap<>();
    state.put("phase", phase.name().toLowerCase(Locale.ROOT));
    state.put("reading", reading == null ? Words.NO_KEY : Words.key(reading));
    List<List<String>> read = new ArrayList<>();
    reads.forEach((key, value) -> read.add(List.of(Words.key(key), value.writer())));
    state.put("reads", read);
    state.put("writes", writes.keySet().stream().map(Words::key).toList());
    state.put("acked", acked.stream().map(Words::key).toList());
    return state;
  }

  /** The first key written, {@code NoKey} if none. */
  public String first() {
    return first == null ? Words.NO_KEY : Words.key(first);
  }
}
