package dev.plumbline.metric;

import dev.plumbline.machine.ClockReading;
import dev.plumbline.machine.Effects;
import dev.plumbline.machine.SpecAction;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * own() of a Metric process (Listing 2), and what it leaves: the tables that the process owns, and
 * the entry to which it appends. It has the repairs {@code directory}, {@code previous} and {@code
 * locksFirst} always.
 */
final class Ownership {
  private static final long LATER = 4;
  static final Uuid NO_ENTRY = Value.NONE.latest();

  private final MetricProcess process;
  private final MetricConfig config;
  private final StoreClient store;
  private final long site;
  private long lastTime;

  Uuid mine = NO_ENTRY;
  Value entry = Value.NONE;
  String table = "";
  Uuid found = NO_ENTRY;
  final SortedSet<String> want = new TreeSet<>();
  final SortedMap<String, MetricProcess.Key> keys = new TreeMap<>();
  final SortedSet<Uuid> held = new TreeSet<>();
  final SortedMap<String, Uuid> via = new TreeMap<>();
  final SortedSet<String> fresh = new TreeSet<>();

  /** Tables of the running transaction's queries so far. */
  final SortedSet<String> used = new TreeSet<>();

  Ownership(MetricProcess process, MetricProcess.Parts parts) {
    this.process = process;
    this.config = parts.config();
    this.store = process.store();
    this.site = parts.site();
  }

  /** Takes back what an earlier life persisted. */
  void recall(MetricRecord.Made made) {
    lastTime = made.entry().time();
  }

  /** A query wants tables. Returns whether the process owns them already. */
  boolean query(SortedSet<String> target, Effects effects) {
    if (process.owns(target)) {
      return true;
    }
    want.addAll(target);
    if (config.repaired(MetricConfig.HOLD)) {
      want.addAll(used);
    }
    if (used.isEmpty() || !config.repaired(MetricConfig.HOLD)) {
      letGoOfAll(effects);
    }
    process.go(Phase.CREATE, effects);
    return false;
  }

  /** What the process does by itself. */
  void step(Phase phase, ClockReading clock, Effects effects) {
    switch (phase) {
      case CREATE -> createEntry(clock, effects);
      case LOOP -> {
        if (want.isEmpty()) {
          ownDone(effects);
        } else {
          nextTable(effects);
        }
      }
      case LOCK_FOUND -> seek(effects);
      case ADD -> addTable(clock, effects);
      case POINT -> pointDirectory(clock, effects);
      default -> {
        // What the store answers ends the others.
      }
    }
  }

  /**
   * How long a lock is waited for. A led transaction in the middle has more to lose than those who
   * wait for its tables, and waits longer than they.
   */
  private long patience() {
    boolean inTheMiddle = !process.whole() && atStake();
    return inTheMiddle ? LATER * config.patienceMicros() : config.patienceMicros();
  }

  /** Whether a transaction in the middle is lost if own() fails. */
  private boolean atStake() {
    return !used.isEmpty();
  }

  /** The store has done what own() asked for. */
  void came(Phase phase, StoreClient.Event event, Effects effects) {
    switch (phase) {
      case LOCK_NEW -> lockNew(effects);
      case LOCK_DIRECTORY -> {
        if (event.outcome() == StoreClient.Outcome.LOCKED) {
          effects.cancelTimer(new MetricTimer.Patience());
          store.get(event.key(), effects);
        } else {
          lockDirectory(event.value(), effects);
        }
      }
      case LOCK_FOUND -> {
        effects.cancelTimer(new MetricTimer.Patience());
        lockFound(effects);
      }
      case ADDING -> addDone(effects);
      case POINTING -> pointDone(effects);
      default -> throw new IllegalStateException(event + " in " + phase);
    }
  }

  /** Gives everything back. */
  void letGoOfAll(Effects effects) {
    letGo(held, effects);
    held.clear();
    via.clear();
  }

  private void letGo(SortedSet<Uuid> entries, Effects effects) {
    entries.forEach(e -> store.release(MetricConfig.entryKey(e), effects));
  }

  /** Forgets everything, which the store has taken or will take back. */
  void forget() {
    mine = NO_ENTRY;
    entry = Value.NONE;
    table = "";
    found = NO_ENTRY;
    want.clear();
    keys.clear();
    held.clear();
    via.clear();
    fresh.clear();
    used.clear();
  }

  @SpecAction("Ownership.CreateEntry")
  private void createEntry(ClockReading clock, Effects effects) {
    lastTime = Math.max(lastTime + 1, clock.localMicros());
    mine = new Uuid(lastTime, site);
    entry = new Value(mine, new TreeMap<>(), List.of());
    effects.persist(new MetricRecord.Made(mine));
    process.turn(Phase.LOCK_NEW);
    store.acquire(MetricConfig.entryKey(mine), atStake(), effects);
    process.own("CreateEntry", effects);
  }

  @SpecAction("Ownership.LockNew")
  private void lockNew(Effects effects) {
    held.add(mine);
    process.go(Phase.LOOP, effects);
    process.locked("LockNew", MetricConfig.entryKey(mine), effects);
  }

  /** Keys of tables in the tables' order, then entries in theirs, then the changes. */
  String first() {
    Comparator<String> order = config.order();
    Optional<String> noKey = want.stream().filter(t -> !keys.containsKey(t)).min(order);
    if (noKey.isPresent()) {
      return noKey.get();
    }
    return keys.keySet().stream()
        .filter(t -> !keys.get(t).locked())
        .min(Comparator.comparing((String t) -> keys.get(t).entry()).thenComparing(order))
        .orElseGet(() -> want.stream().min(order).orElseThrow());
  }

  @SpecAction("Ownership.NextTable")
  private void nextTable(Effects effects) {
    table = process.first();
    MetricProcess.Key key = keys.get(table);
    if (key == null) {
      process.turn(Phase.LOCK_DIRECTORY);
      store.acquire(MetricConfig.tableKey(table), atStake(), effects);
      effects.setTimer(new MetricTimer.Patience(), patience());
    } else {
      found = key.entry();
      process.go(key.locked() ? Phase.ADD : Phase.LOCK_FOUND, effects);
    }
    process.own("NextTable", effects);
  }

  @SpecAction("Ownership.LockDirectory")
  private void lockDirectory(Value value, Effects effects) {
    boolean written = !value.latest().equals(NO_ENTRY);
    keys.put(table, new MetricProcess.Key(written ? value.latest() : config.first(table), false));
    String key = MetricConfig.tableKey(table);
    table = "";
    process.go(Phase.LOOP, effects);
    process.locked("LockDirectory", key, effects);
  }

  /** Goes for the lock of the entry found. */
  private void seek(Effects effects) {
    if (takenOver()) {
      process.rejected(effects);
    } else if (held.contains(found)) {
      lockFound(effects);
    } else {
      store.acquire(MetricConfig.entryKey(found), atStake(), effects);
      effects.setTimer(new MetricTimer.Patience(), patience());
    }
  }

  /** Whether a table that the transaction has used was somebody else's since. */
  boolean takenOver() {
    return config.repaired(MetricConfig.UNBROKEN)
        && used.contains(table)
        && !found.equals(via.get(table));
  }

  @SpecAction("Ownership.LockFound")
  private void lockFound(Effects effects) {
    held.add(found);
    keys.put(table, new MetricProcess.Key(found, true));
    String key = MetricConfig.entryKey(found);
    table = "";
    found = NO_ENTRY;
    process.go(Phase.LOOP, effects);
    process.locked("LockFound", key, effects);
  }

  @SpecAction("Ownership.AddTable")
  private void addTable(ClockReading clock, Effects effects) {
    entry = entry.with(table, process.follows(found));
    process.turn(Phase.ADDING);
    store.put(MetricConfig.entryKey(mine), entry, clock, effects);
    process.own("AddTable", effects);
  }

  @SpecAction("Ownership.AddDone")
  private void addDone(Effects effects) {
    process.go(Phase.POINT, effects);
    process.locked("AddDone", MetricConfig.entryKey(mine), effects);
  }

  @SpecAction("Ownership.PointDirectory")
  private void pointDirectory(ClockReading clock, Effects effects) {
    process.turn(Phase.POINTING);
    store.put(MetricConfig.tableKey(table), Value.latest(process.latest(mine)), clock, effects);
    process.own("PointDirectory", effects);
  }

  @SpecAction("Ownership.PointDone")
  private void pointDone(Effects effects) {
    String key = MetricConfig.tableKey(table);
    long reference = store.reference(key);
    store.release(key, effects);
    want.remove(table);
    if (!found.equals(via.get(table))) {
      fresh.add(table);
    }
    via.put(table, mine);
    keys.remove(table);
    table = "";
    found = NO_ENTRY;
    process.go(Phase.LOOP, effects);
    if (effects.tracing()) {
      effects.trace(
          "Ownership.PointDone", Map.of("p", site, "key", key, "ref", reference), state());
    }
  }

  @SpecAction({"Ownership.OwnDone", "RedoLog.Own"})
  private void ownDone(Effects effects) {
    SortedSet<Uuid> old = new TreeSet<>(held);
    if (config.repaired(MetricConfig.SINGLE)) {
      via.values().removeIf(e -> !e.equals(mine));
    }
    old.removeAll(via.values());
    letGo(old, effects);
    held.removeAll(old);
    process.go(Phase.READ, effects);
    process.own("OwnDone", effects);
    if (effects.tracing()) {
      String key = MetricConfig.entryKey(mine);
      effects.trace(
          "RedoLog.Own",
          Map.of(
              "p",
              site,
              "owned",
              new TreeSet<>(via.keySet()),
              "key",
              key,
              "ref",
              store.reference(key)));
    }
  }

  /** The part of the process that the module {@code Ownership} has. */
  Map<String, Object> state() {
    Map<String, Object> state = new TreeMap<>();
    state.put("pc", process.phase().ownership());
    state.put("mine", mine.words());
    state.put("want", new TreeSet<>(want));
    state.put("table", table);
    state.put("found", found.words());
    state.put("held", held.stream().map(Uuid::words).toList());
    SortedMap<String, List<Long>> owned = new TreeMap<>();
    via.forEach((t, e) -> owned.put(t, e.words()));
    state.put("via", owned);
    SortedMap<String, Map<String, Object>> known = new TreeMap<>();
    keys.forEach((t, k) -> known.put(t, Map.of("entry", k.entry().words(), "locked", k.locked())));
    state.put("keys", known);
    state.put("fresh", new TreeSet<>(fresh));
    return state;
  }
}
