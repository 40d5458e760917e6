package dev.plumbline.metric;

import dev.plumbline.machine.ClockReading;
import dev.plumbline.machine.Effects;
import dev.plumbline.machine.Input;
import dev.plumbline.machine.Machine;
import dev.plumbline.machine.SpecAction;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * A Metric process (sections 3.2 and 3.3): runs one transaction after the other on its site's
 * database, as the owner of the tables that it uses.
 *
 * <p>own() has the repairs {@code directory}, {@code previous} and {@code locksFirst} always. A
 * commit goes to one entry, so that only with {@code hold} and {@code single} it is right.
 */
public class MetricProcess implements Machine {
  private static final int MOST_KEPT = 1_000;
  private static final int MOST_WAITING = 1_000;
  private static final long MOST_BYTES = 1 << 20;
  private static final Uuid NO_ENTRY = Value.NONE.latest();

  private final Parts parts;
  private final MetricConfig config;
  private final String name;
  private final long site;
  private final StoreClient store;
  private final MemoryDatabase memory;
  private final LocalDatabase db;
  private final List<Job> jobs = new ArrayList<>();
  private long epoch;
  private long lastTime;
  private long lastPlace;

  private Phase phase = Phase.IDLE;
  private Job job;

  // own()
  private Uuid mine = NO_ENTRY;
  private Value entry = Value.NONE;
  private String table = "";
  private Uuid found = NO_ENTRY;
  private final SortedSet<String> want = new TreeSet<>();
  private final SortedMap<String, Key> keys = new TreeMap<>();
  private final SortedSet<Uuid> held = new TreeSet<>();
  private final SortedMap<String, Uuid> via = new TreeMap<>();
  private final SortedSet<String> fresh = new TreeSet<>();

  /** Entries that were read for populate: what others follow does not change any more. */
  private final TreeMap<Uuid, Value> log = new TreeMap<>();

  // the transaction
  private int query;
  private final SortedSet<String> used = new TreeSet<>();
  private final List<List<Long>> results = new ArrayList<>();
  private List<Long> place = List.of();
  private MetricResponse answer;
  private long transactions;

  /** Whether the database may have what a transaction that was not finished left. */
  private boolean unsettled;

  /** A transaction that a client waits for. */
  private record Job(long requestId, RequestId id, List<Query> queries) {}

  /** What a table's key names, and whether that entry is locked, too. */
  public record Key(Uuid entry, boolean locked) {}

  /**
   * What a process is made of.
   *
   * @param site its number, from 1 on
   * @param locks the lock service's role
   * @param database which keeps by itself what it has to; empty for one in memory, which keeps it
   *     in the process's log
   */
  public record Parts(
      MetricConfig config,
      String name,
      long site,
      String locks,
      List<String> replicas,
      Optional<LocalDatabase> database) {

    public Parts {
      replicas = List.copyOf(replicas);
    }

    /** The same, with this repair switched off as well. */
    public Parts without(String repair) {
      return new Parts(config.without(repair), name, site, locks, replicas, database);
    }
  }

  public MetricProcess(Parts parts) {
    this(parts, new StoreClient(parts));
  }

  /** One with this client of the store. */
  public MetricProcess(Parts parts, StoreClient store) {
    this.parts = parts;
    this.config = parts.config;
    this.name = parts.name;
    this.site = parts.site;
    this.store = store;
    this.memory = parts.database.isEmpty() ? new MemoryDatabase() : null;
    this.db = parts.database.orElse(memory);
  }

  @Override
  public final void handle(Input input, ClockReading clock, Effects effects) {
    if (input instanceof Input.Start start) {
      start(start, effects);
    } else if (input instanceof Input.Deliver deliver) {
      StoreClient.Event event =
          store.handle(deliver.from(), (MetricMessage) deliver.message(), clock, effects);
      if (event != null) {
        came(event, effects);
      }
      if (phase == Phase.IDLE && store.wanted()) {
        step(effects);
      }
    } else if (input instanceof Input.ClientRequest request) {
      transact(request.requestId(), (MetricRequest.Transact) request.request(), effects);
    } else if (input instanceof Input.TimerFired fired) {
      if (fired.timer() instanceof MetricTimer.Step) {
        go(clock, effects);
      } else if (fired.timer() instanceof MetricTimer.Resend) {
        store.resend(effects);
      } else if (fired.timer() instanceof MetricTimer.Heartbeat) {
        store.heartbeat(effects);
      } else if (fired.timer() instanceof MetricTimer.Patience) {
        lockTimeout(effects);
      }
    }
  }

  private void start(Input.Start start, Effects effects) {
    for (Record record : start.durable()) {
      if (record instanceof MetricRecord.Made made) {
        lastTime = made.entry().time();
      } else if (memory != null) {
        memory.recall(record);
      }
    }
    epoch = start.epoch();
    store.start(epoch);
    discard(effects);
    store.heartbeat(effects);
  }

  /** What a transaction that was not finished left in the database is gone, if that answers. */
  private void discard(Effects effects) {
    try {
      db.rollback();
      if (config.repaired(MetricConfig.DISCARD)) {
        db.discard(epoch, effects);
      }
      unsettled = false;
    } catch (LocalDatabase.Unavailable e) {
      unsettled = true;
    }
  }

  private void step(Effects effects) {
    effects.setTimer(new MetricTimer.Step(), 0);
  }

  private void go(Phase next, Effects effects) {
    phase = next;
    step(effects);
  }

  /** What the process does by itself. */
  private void go(ClockReading clock, Effects effects) {
    switch (phase) {
      case IDLE -> next(effects);
      case QUERY -> startQuery(effects);
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
      case READ -> readLog(effects);
      case POPULATE -> populate(effects);
      case EXECUTE -> {
        if (logged().isPresent()) {
          answerFromLog(effects);
        } else {
          execute(clock, effects);
        }
      }
      case LOCAL_COMMIT -> localCommit(clock, effects);
      case APPEND -> sendAppend(clock, effects);
      case CLEAR -> clearLocalQueue(effects);
      case REPLY -> replyOk(effects);
      default -> {
        // What the store answers ends the others.
      }
    }
  }

  /** The store has done what it was asked for. */
  private void came(StoreClient.Event event, Effects effects) {
    if (event.outcome() == StoreClient.Outcome.REJECTED) {
      rejected(effects);
      return;
    }
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
      case READ -> {
        log.put(found, event.value());
        step(effects);
      }
      case CHECK -> checkRead(effects);
      case APPENDING -> appendDone(effects);
      default -> throw new IllegalStateException(event + " in " + phase);
    }
  }

  // ---- requests --------------------------------------------------------------------------------

  private void transact(long requestId, MetricRequest.Transact request, Effects effects) {
    String wrong = request.wrong(config.tables());
    if (!wrong.isEmpty()) {
      effects.reply(requestId, new MetricResponse.Refused(wrong));
      return;
    }
    Job asked = new Job(requestId, request.id(), request.queries());
    if (job != null && job.id.equals(asked.id)) {
      job = new Job(requestId, job.id, job.queries);
      return;
    }
    jobs.removeIf(j -> j.id.client().equals(asked.id.client()));
    if (jobs.size() == MOST_WAITING) {
      effects.reply(requestId, new MetricResponse.Failed(MOST_WAITING + " requests wait already"));
      return;
    }
    jobs.add(asked);
    if (phase == Phase.IDLE) {
      step(effects);
    }
  }

  /** The next transaction, unless it is time to give the tables back. */
  private void next(Effects effects) {
    boolean due = transactions >= config.alpha() || store.wanted() && jobs.isEmpty() || heavy();
    if (due && !held.isEmpty()) {
      releaseOwnership(effects);
    } else if (!jobs.isEmpty()) {
      receiveCall(effects);
    }
  }

  /** Whether the entry that it appends to is written in a message that gets long. */
  private boolean heavy() {
    return entry.bytes() > MOST_BYTES;
  }

  @SpecAction({"RedoLog.ReceiveCall", "Ownership.BeginTxn"})
  private void receiveCall(Effects effects) {
    job = jobs.remove(0);
    query = 0;
    go(Phase.QUERY, effects);
    if (effects.tracing()) {
      SortedSet<String> writes = new TreeSet<>();
      SortedSet<String> target = new TreeSet<>();
      for (Query q : job.queries) {
        target.addAll(q.tables());
        q.statements().stream()
            .filter(s -> s.kind() != Statement.Kind.READ)
            .forEach(s -> writes.add(s.table()));
      }
      effects.trace(
          "RedoLog.ReceiveCall",
          Map.of("p", site, "req", job.id.toString(), "reads", target, "writes", writes));
      effects.trace(
          "Ownership.BeginTxn",
          Map.of("p", site, "queries", job.queries.stream().map(Query::tables).toList()));
    }
  }

  @SpecAction("Ownership.ReleaseOwnership")
  private void releaseOwnership(Effects effects) {
    letGo(held, effects);
    held.clear();
    via.clear();
    transactions = 0;
    step(effects);
    trace("RedoLog.ReleaseOwnership", effects);
    own("ReleaseOwnership", effects);
  }

  private void letGo(SortedSet<Uuid> entries, Effects effects) {
    entries.forEach(e -> store.release(MetricConfig.entryKey(e), effects));
  }

  // ---- own() -----------------------------------------------------------------------------------

  @SpecAction("Ownership.StartQuery")
  private void startQuery(Effects effects) {
    SortedSet<String> target = job.queries.get(query).tables();
    if (via.keySet().containsAll(target)) {
      go(Phase.EXECUTE, effects);
    } else {
      want.addAll(target);
      if (config.repaired(MetricConfig.HOLD)) {
        want.addAll(used);
      }
      if (query == 0 || !config.repaired(MetricConfig.HOLD)) {
        letGo(held, effects);
        held.clear();
        via.clear();
      }
      go(Phase.CREATE, effects);
    }
    if (effects.tracing()) {
      effects.trace("Ownership.StartQuery", Map.of("p", site, "number", query + 1), own());
    }
  }

  @SpecAction("Ownership.CreateEntry")
  private void createEntry(ClockReading clock, Effects effects) {
    lastTime = Math.max(lastTime + 1, clock.localMicros());
    mine = new Uuid(lastTime, site);
    entry = new Value(mine, new TreeMap<>(), List.of());
    effects.persist(new MetricRecord.Made(mine));
    phase = Phase.LOCK_NEW;
    store.acquire(MetricConfig.entryKey(mine), effects);
    own("CreateEntry", effects);
  }

  @SpecAction("Ownership.LockNew")
  private void lockNew(Effects effects) {
    held.add(mine);
    go(Phase.LOOP, effects);
    locked("LockNew", MetricConfig.entryKey(mine), effects);
  }

  /** Keys of tables in the tables' order, then entries in theirs, then the changes. */
  protected String first() {
    Comparator<String> order = Comparator.comparing(config.tables()::indexOf);
    Optional<String> noKey = want.stream().filter(t -> !keys.containsKey(t)).min(order);
    if (noKey.isPresent()) {
      return noKey.get();
    }
    return keys.keySet().stream()
        .filter(t -> !keys.get(t).locked)
        .min(Comparator.comparing((String t) -> keys.get(t).entry).thenComparing(order))
        .orElseGet(() -> want.stream().min(order).orElseThrow());
  }

  @SpecAction("Ownership.NextTable")
  private void nextTable(Effects effects) {
    table = first();
    Key key = keys.get(table);
    if (key == null) {
      phase = Phase.LOCK_DIRECTORY;
      store.acquire(MetricConfig.tableKey(table), effects);
      effects.setTimer(new MetricTimer.Patience(), config.patienceMicros());
    } else {
      found = key.entry;
      go(key.locked ? Phase.ADD : Phase.LOCK_FOUND, effects);
    }
    own("NextTable", effects);
  }

  @SpecAction("Ownership.LockDirectory")
  private void lockDirectory(Value value, Effects effects) {
    boolean written = !value.latest().equals(NO_ENTRY);
    keys.put(table, new Key(written ? value.latest() : config.first(table), false));
    String key = MetricConfig.tableKey(table);
    table = "";
    go(Phase.LOOP, effects);
    locked("LockDirectory", key, effects);
  }

  /** Goes for the lock of the entry found. */
  private void seek(Effects effects) {
    if (takenOver()) {
      rejected(effects);
    } else if (held.contains(found)) {
      lockFound(effects);
    } else {
      store.acquire(MetricConfig.entryKey(found), effects);
      effects.setTimer(new MetricTimer.Patience(), config.patienceMicros());
    }
  }

  /** Whether a table that the transaction has used was somebody else's since. */
  private boolean takenOver() {
    return config.repaired(MetricConfig.UNBROKEN)
        && used.contains(table)
        && !found.equals(via.get(table));
  }

  @SpecAction("Ownership.LockFound")
  private void lockFound(Effects effects) {
    held.add(found);
    keys.put(table, new Key(found, true));
    String key = MetricConfig.entryKey(found);
    table = "";
    found = NO_ENTRY;
    go(Phase.LOOP, effects);
    locked("LockFound", key, effects);
  }

  @SpecAction("Ownership.AddTable")
  private void addTable(ClockReading clock, Effects effects) {
    entry = entry.with(table, follows(found));
    phase = Phase.ADDING;
    store.put(MetricConfig.entryKey(mine), entry, clock, effects);
    own("AddTable", effects);
  }

  /** What the new entry says it follows for a table (repair {@code previous}). */
  protected Uuid follows(Uuid latest) {
    return latest;
  }

  @SpecAction("Ownership.AddDone")
  private void addDone(Effects effects) {
    go(Phase.POINT, effects);
    locked("AddDone", MetricConfig.entryKey(mine), effects);
  }

  @SpecAction("Ownership.PointDirectory")
  private void pointDirectory(ClockReading clock, Effects effects) {
    phase = Phase.POINTING;
    store.put(MetricConfig.tableKey(table), Value.latest(latest(mine)), clock, effects);
    own("PointDirectory", effects);
  }

  /** What a table's key says from now on (repair {@code directory}). */
  protected Uuid latest(Uuid made) {
    return made;
  }

  @SpecAction("Ownership.PointDone")
  private void pointDone(Effects effects) {
    String key = MetricConfig.tableKey(table);
    long reference = store.reference(key);
    store.release(key, effects);
    want.remove(table);
    if (!via.containsKey(table)) {
      fresh.add(table);
    }
    via.put(table, mine);
    keys.remove(table);
    table = "";
    found = NO_ENTRY;
    go(Phase.LOOP, effects);
    if (effects.tracing()) {
      effects.trace("Ownership.PointDone", Map.of("p", site, "key", key, "ref", reference), own());
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
    go(Phase.READ, effects);
    own("OwnDone", effects);
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

  // ---- populate --------------------------------------------------------------------------------

  /** Reads the entries that the tables just acquired follow, from the latest on (getQuorum). */
  private void readLog(Effects effects) {
    for (String t : fresh) {
      for (Uuid e = before(mine, t); e != null; e = before(e, t)) {
        if (!log.containsKey(e)) {
          found = e;
          store.read(MetricConfig.entryKey(e), effects);
          return;
        }
      }
    }
    found = NO_ENTRY;
    go(Phase.POPULATE, effects);
  }

  /** The entry before one for a table, as far as the database does not have the log; or null. */
  private Uuid before(Uuid e, String t) {
    boolean had = db.position(t).map(p -> p.entry().equals(e)).orElse(false);
    Value value = e.equals(mine) ? entry : log.get(e);
    Uuid previous = value.tables().get(t);
    return had || previous == null || previous.time() == 0 ? null : previous;
  }

  @SpecAction({"Ownership.Populate", "RedoLog.Populate"})
  private void populate(Effects effects) {
    for (String t : fresh) {
      List<Uuid> entries = new ArrayList<>();
      for (Uuid e = before(mine, t); e != null; e = before(e, t)) {
        entries.add(0, e);
      }
      LocalDatabase.Position had = db.position(t).orElse(null);
      int from =
          had == null ? -1 : had.entry().equals(config.first(t)) ? 0 : entries.indexOf(had.entry());
      boolean anew = from < 0;
      List<Redo> redo = new ArrayList<>();
      for (int i = Math.max(0, from); i < entries.size(); i++) {
        List<Redo> queue = log.get(entries.get(i)).queue();
        boolean partly = had != null && entries.get(i).equals(had.entry());
        redo.addAll(queue.subList(partly ? Math.min(had.length(), queue.size()) : 0, queue.size()));
      }
      Uuid last = entries.isEmpty() ? config.first(t) : entries.get(entries.size() - 1);
      int length = entries.isEmpty() ? 0 : log.get(last).queue().size();
      db.populate(
          t,
          anew && config.repaired(MetricConfig.REBUILD),
          redo,
          new LocalDatabase.Position(last, length),
          effects);
    }
    SortedSet<String> populated = new TreeSet<>(fresh);
    fresh.clear();
    while (log.size() > MOST_KEPT) {
      log.pollFirstEntry();
    }
    go(Phase.EXECUTE, effects);
    own("Populate", effects);
    if (effects.tracing()) {
      SortedMap<String, String> records = new TreeMap<>();
      populated.forEach(t -> records.put(t, db.writer(t).toString()));
      effects.trace("RedoLog.Populate", Map.of("p", site), Map.of("records", records));
    }
  }

  // ---- the transaction -------------------------------------------------------------------------

  /** What the request left in the log already (repair {@code dedupe}). */
  private Optional<Redo> logged() {
    return config.repaired(MetricConfig.DEDUPE) ? db.answered(job.id) : Optional.empty();
  }

  @SpecAction("RedoLog.AnswerFromLog")
  private void answerFromLog(Effects effects) {
    Redo redo = logged().orElseThrow();
    db.rollback();
    answer = new MetricResponse.Done(redo.results(), redo.place());
    go(Phase.REPLY, effects);
    trace("RedoLog.AnswerFromLog", effects);
  }

  @SpecAction({"Ownership.ExecuteQuery", "RedoLog.Execute"})
  private void execute(ClockReading clock, Effects effects) {
    boolean last = query == job.queries.size() - 1;
    SortedMap<String, String> read = new TreeMap<>();
    try {
      if (unsettled) {
        discard(effects);
      }
      if (unsettled) {
        throw new LocalDatabase.Unavailable("the local database does not answer");
      }
      if (query == 0) {
        db.begin();
      }
      Query running = job.queries.get(query);
      running.tables().forEach(t -> read.put(t, db.writer(t).toString()));
      running.statements().forEach(s -> results.add(db.execute(s)));
    } catch (LocalDatabase.Unavailable e) {
      nack(e.getMessage(), effects);
      return;
    } catch (LocalDatabase.Refused e) {
      giveUp(new MetricResponse.Refused(e.getMessage()), effects);
      return;
    }
    used.addAll(job.queries.get(query).tables());
    if (!last) {
      query++;
      go(Phase.QUERY, effects);
    } else if (db.modified()) {
      go(Phase.LOCAL_COMMIT, effects);
    } else {
      place = place(clock);
      db.rollback();
      answer = new MetricResponse.Done(List.copyOf(results), place);
      if (config.repaired(MetricConfig.READ_CHECK)) {
        phase = Phase.CHECK;
        check(effects);
      } else {
        go(Phase.REPLY, effects);
      }
    }
    own("ExecuteQuery", effects);
    if (last && effects.tracing()) {
      effects.trace("RedoLog.Execute", Map.of("p", site), Map.of("read", read));
    }
  }

  /** The critical operation at the end of a read-only transaction. */
  protected void check(Effects effects) {
    store.get(MetricConfig.entryKey(mine), effects);
  }

  /** A place after all that this process knows of, where the site has a good clock; else none. */
  private List<Long> place(ClockReading clock) {
    if (!clock.hasTrueTime()) {
      return List.of();
    }
    lastPlace = Math.max(lastPlace + 1, clock.upMicros());
    return List.of(lastPlace, site);
  }

  @SpecAction("RedoLog.CheckRead")
  private void checkRead(Effects effects) {
    go(Phase.REPLY, effects);
    committed("RedoLog.CheckRead", effects);
  }

  @SpecAction("RedoLog.LocalCommit")
  private void localCommit(ClockReading clock, Effects effects) {
    try {
      db.commit(job.id, results, place(clock), effects);
    } catch (LocalDatabase.Unavailable e) {
      nack(e.getMessage(), effects);
      return;
    }
    place = db.queue().get(db.queue().size() - 1).place();
    answer = new MetricResponse.Done(List.copyOf(results), place);
    go(Phase.APPEND, effects);
    trace("RedoLog.LocalCommit", effects);
  }

  @SpecAction("RedoLog.SendAppend")
  private void sendAppend(ClockReading clock, Effects effects) {
    try {
      entry = entry.with(db.queue());
    } catch (LocalDatabase.Unavailable e) {
      nack(e.getMessage(), effects);
      return;
    }
    phase = Phase.APPENDING;
    store.put(MetricConfig.entryKey(mine), entry, clock, effects);
    trace("RedoLog.SendAppend", effects);
  }

  @SpecAction({"RedoLog.AppendDone", "Ownership.CommitPut"})
  private void appendDone(Effects effects) {
    go(Phase.CLEAR, effects);
    committed("RedoLog.AppendDone", effects);
  }

  /** The commit point of one module, which is another's. */
  private void committed(String action, Effects effects) {
    String key = MetricConfig.entryKey(mine);
    locked(action, key, effects);
    if (effects.tracing()) {
      effects.trace(
          "Ownership.CommitPut",
          Map.of("p", site, "e", mine.toString(), "key", key, "ref", store.reference(key)));
    }
  }

  @SpecAction("RedoLog.ClearLocalQueue")
  private void clearLocalQueue(Effects effects) {
    db.clear(mine, entry.queue().size(), effects);
    go(Phase.REPLY, effects);
    trace("RedoLog.ClearLocalQueue", effects);
  }

  @SpecAction("RedoLog.ReplyOk")
  private void replyOk(Effects effects) {
    effects.reply(job.requestId, (Record) answer);
    transactions++;
    over();
    go(Phase.IDLE, effects);
    trace("RedoLog.ReplyOk", effects);
  }

  private void over() {
    job = null;
    answer = null;
    place = List.of();
    used.clear();
    results.clear();
    query = 0;
  }

  // ---- failures --------------------------------------------------------------------------------

  @SpecAction({"Ownership.Rejected", "RedoLog.Nack"})
  private void rejected(Effects effects) {
    boolean waited = phase == Phase.LOCK_DIRECTORY || phase == Phase.LOCK_FOUND && !takenOver();
    nack("another process has taken the tables over", effects);
    own(waited ? "LockTimeout" : "Rejected", effects);
  }

  @SpecAction({"Ownership.LockTimeout", "RedoLog.Nack"})
  private void lockTimeout(Effects effects) {
    if (phase == Phase.LOCK_DIRECTORY || phase == Phase.LOCK_FOUND) {
      nack("another process keeps the tables", effects);
      own("LockTimeout", effects);
    }
  }

  private void nack(String why, Effects effects) {
    boolean sent = phase == Phase.APPENDING && config.repaired(MetricConfig.UNKNOWN);
    giveUp(sent ? new MetricResponse.Unknown(why) : new MetricResponse.Failed(why), effects);
  }

  /** The transaction is not committed here; all tables are given back. */
  private void giveUp(MetricResponse told, Effects effects) {
    effects.reply(job.requestId, (Record) told);
    discard(effects);
    effects.cancelTimer(new MetricTimer.Patience());
    store.abandon(effects);
    mine = NO_ENTRY;
    entry = Value.NONE;
    table = "";
    found = NO_ENTRY;
    want.clear();
    keys.clear();
    held.clear();
    via.clear();
    fresh.clear();
    transactions = 0;
    over();
    go(Phase.IDLE, effects);
    if (effects.tracing()) {
      String kind = told instanceof MetricResponse.Unknown ? "unknown" : "failed";
      effects.trace("RedoLog.Nack", Map.of("p", site, "kind", kind));
    }
  }

  // ---- what the log shows ----------------------------------------------------------------------

  private void trace(String action, Effects effects) {
    if (effects.tracing()) {
      effects.trace(action, Map.of("p", site));
    }
  }

  /** An end of a critical operation on a key. */
  private void locked(String action, String key, Effects effects) {
    if (effects.tracing()) {
      boolean ownership = !action.startsWith("RedoLog.");
      effects.trace(
          ownership ? "Ownership." + action : action,
          Map.of("p", site, "key", key, "ref", store.reference(key)),
          ownership ? own() : Map.of());
    }
  }

  private void own(String action, Effects effects) {
    if (effects.tracing()) {
      effects.trace("Ownership." + action, Map.of("p", site), own());
    }
  }

  /** The part of the process that the module {@code Ownership} has. */
  private Map<String, Object> own() {
    Map<String, Object> state = new TreeMap<>();
    state.put("pc", phase.ownership());
    state.put("mine", mine.toString());
    state.put("want", new TreeSet<>(want));
    state.put("table", table);
    state.put("held", texts(held));
    SortedMap<String, String> owned = new TreeMap<>();
    via.forEach((t, e) -> owned.put(t, e.toString()));
    state.put("via", owned);
    SortedMap<String, String> known = new TreeMap<>();
    keys.forEach((t, k) -> known.put(t, k.entry.toString()));
    state.put("keys", known);
    state.put("fresh", new TreeSet<>(fresh));
    return state;
  }

  private static SortedSet<String> texts(SortedSet<Uuid> entries) {
    SortedSet<String> texts = new TreeSet<>();
    entries.forEach(e -> texts.add(e.toString()));
    return texts;
  }

  public final Parts parts() {
    return parts;
  }

  public final String name() {
    return name;
  }

  public final long site() {
    return site;
  }

  public final StoreClient store() {
    return store;
  }

  public final Phase phase() {
    return phase;
  }

  public final Uuid mine() {
    return mine;
  }

  /** The new entry as it was written last. */
  public final Value entry() {
    return entry;
  }

  public final SortedSet<String> want() {
    return new TreeSet<>(want);
  }

  public final String table() {
    return table;
  }

  public final Uuid found() {
    return found;
  }

  public final SortedMap<String, Key> keys() {
    return new TreeMap<>(keys);
  }

  public final SortedSet<Uuid> held() {
    return new TreeSet<>(held);
  }

  public final SortedMap<String, Uuid> via() {
    return new TreeMap<>(via);
  }

  public final SortedSet<String> fresh() {
    return new TreeSet<>(fresh);
  }

  public final LocalDatabase database() {
    return db;
  }

  /** The request that it works on; {@link RequestId#NONE} for none. */
  public final RequestId request() {
    return job == null ? RequestId.NONE : job.id;
  }

  /** How many requests wait. */
  public final int waiting() {
    return jobs.size();
  }

  /** What the client will be told, or what the running transaction has read and written so far. */
  public final List<List<Long>> results() {
    return answer instanceof MetricResponse.Done done ? done.results() : List.copyOf(results);
  }
}
