package dev.plumbline.metric;

import dev.plumbline.machine.ClockReading;
import dev.plumbline.machine.Effects;
import dev.plumbline.machine.Input;
import dev.plumbline.machine.Machine;
import dev.plumbline.machine.SpecAction;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * A Metric process (sections 3.2 and 3.3): runs one transaction after the other on its site's
 * database, as the owner of the tables that it uses. A transaction comes whole, or its site leads
 * it query by query ({@link Led}).
 *
 * <p>A commit goes to one entry, so that only with {@code hold} and {@code single} it is right.
 */
public class MetricProcess implements Machine {
  private static final int MOST_WAITING = 1_000;
  private static final long MOST_BYTES = 1 << 20;

  private final Parts parts;
  private final MetricConfig config;
  private final String name;
  private final long site;
  private final StoreClient store;
  private final MemoryDatabase memory;
  private final LocalDatabase db;
  private final Ownership ownership;
  private final RedoLogReader log;
  private final Led led;
  private final List<Job> jobs = new ArrayList<>();
  private long epoch;
  private long lastPlace;

  private Phase phase = Phase.IDLE;
  private Whole job;

  // the transaction
  private int query;
  private final List<List<Long>> results = new ArrayList<>();
  private List<Long> place = List.of();
  private MetricResponse answer;
  private long transactions;

  /** Whether the database may have what a transaction that was not finished left. */
  private boolean unsettled;

  /** What a client waits for, in its turn. */
  sealed interface Job permits Whole, Led.Asked {}

  /** A transaction, whole. */
  private record Whole(long requestId, RequestId id, List<Query> queries) implements Job {}

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
    this.ownership = new Ownership(this, parts);
    this.log = new RedoLogReader(ownership, store);
    this.led = new Led(this, parts, ownership, log);
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
      if (request.request() instanceof MetricRequest.Transact transact) {
        transact(request.requestId(), transact, effects);
      } else {
        led.asked(request, clock, effects);
      }
    } else if (input instanceof Input.TimerFired fired) {
      if (fired.timer() instanceof MetricTimer.Step) {
        go(clock, effects);
      } else if (fired.timer() instanceof MetricTimer.Resend) {
        store.resend(effects);
      } else if (fired.timer() instanceof MetricTimer.Heartbeat) {
        store.heartbeat(effects);
      } else if (fired.timer() instanceof MetricTimer.Patience) {
        lockTimeout("another process keeps the tables", effects);
      } else if (fired.timer() instanceof MetricTimer.Silence) {
        led.silent(effects);
      }
    }
  }

  private void start(Input.Start start, Effects effects) {
    for (Record record : start.durable()) {
      if (record instanceof MetricRecord.Made made) {
        ownership.recall(made);
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

  /** The next handler, at once. */
  final void go(Phase next, Effects effects) {
    turn(next);
    step(effects);
  }

  /** The next handler, once there is an answer. */
  final void turn(Phase next) {
    phase = next;
  }

  /** What the process does by itself. */
  private void go(ClockReading clock, Effects effects) {
    switch (phase) {
      case IDLE -> next(effects);
      case QUERY -> startQuery(effects);
      case READ -> {
        if (led.leads()) {
          led.owned(effects);
        } else {
          readLog(effects);
        }
      }
      case LED_READ -> led.read(effects);
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
      default -> ownership.step(phase, clock, effects);
    }
  }

  /** The store has done what it was asked for. */
  private void came(StoreClient.Event event, Effects effects) {
    if (event.outcome() == StoreClient.Outcome.REJECTED) {
      rejected(effects);
      return;
    } else if (event.outcome() == StoreClient.Outcome.DEADLOCK) {
      lockTimeout("this process and others wait for each other's tables", effects);
      return;
    }
    switch (phase) {
      case READ -> {
        log.came(event);
        step(effects);
      }
      case LED_READ -> led.came(event, effects);
      case CHECK -> {
        if (led.leads()) {
          led.confirmed(effects);
        } else {
          checkRead(effects);
        }
      }
      case APPENDING -> {
        if (led.leads()) {
          led.appended(effects);
        } else {
          appendDone(effects);
        }
      }
      default -> ownership.came(phase, event, effects);
    }
  }

  // ---- requests --------------------------------------------------------------------------------

  /**
   * A client that asks again keeps its turn; one that asks for a later thing has given the earlier
   * one up, and a copy of that which comes late changes nothing.
   */
  private void transact(long requestId, MetricRequest.Transact request, Effects effects) {
    String wrong = request.wrong(config.tables());
    if (!wrong.isEmpty()) {
      effects.reply(requestId, new MetricResponse.Refused(wrong));
      return;
    }
    Whole asked = new Whole(requestId, request.id(), request.queries());
    if (job != null && job.id.equals(asked.id)) {
      job = new Whole(requestId, job.id, job.queries);
      return;
    }
    for (int i = 0; i < jobs.size(); i++) {
      if (jobs.get(i) instanceof Whole waiting
          && waiting.id.client().equals(asked.id.client())
          && waiting.id.number() >= asked.id.number()) {
        if (waiting.id.equals(asked.id)) {
          jobs.set(i, asked);
        }
        return;
      }
    }
    jobs.removeIf(j -> j instanceof Whole w && w.id.client().equals(asked.id.client()));
    await(requestId, asked, effects);
  }

  /** Something waits for its turn, if not too much does. */
  final void await(long requestId, Job asked, Effects effects) {
    if (jobs.size() == MOST_WAITING) {
      effects.reply(requestId, new MetricResponse.Failed(MOST_WAITING + " requests wait already"));
      return;
    }
    jobs.add(asked);
    if (phase == Phase.IDLE) {
      step(effects);
    }
  }

  /** A site does not wait any more for what it asked. */
  final void dismiss(String leader) {
    jobs.removeIf(j -> j instanceof Led.Asked asked && asked.leader().equals(leader));
  }

  /** The next transaction, unless it is time to give the tables back. */
  private void next(Effects effects) {
    boolean due = transactions >= config.alpha() || store.wanted() && jobs.isEmpty() || heavy();
    if (due && !ownership.held.isEmpty()) {
      releaseOwnership(effects);
    } else if (!jobs.isEmpty()) {
      Job next = jobs.remove(0);
      if (next instanceof Whole whole) {
        receiveCall(whole, effects);
      } else {
        led.begin((Led.Asked) next, effects);
      }
    }
  }

  /** Whether the entry that it appends to is written in a message that gets long. */
  private boolean heavy() {
    return ownership.entry.bytes() > MOST_BYTES;
  }

  @SpecAction({"RedoLog.ReceiveCall", "Ownership.BeginTxn"})
  private void receiveCall(Whole next, Effects effects) {
    job = next;
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
    ownership.letGoOfAll(effects);
    transactions = 0;
    step(effects);
    trace("RedoLog.ReleaseOwnership", effects);
    own("ReleaseOwnership", effects);
  }

  // ---- own() -----------------------------------------------------------------------------------

  @SpecAction("Ownership.StartQuery")
  private void startQuery(Effects effects) {
    if (ownership.query(job.queries.get(query).tables(), effects)) {
      go(Phase.EXECUTE, effects);
    }
    if (effects.tracing()) {
      effects.trace(
          "Ownership.StartQuery", Map.of("p", site, "number", query + 1), ownership.state());
    }
  }

  /** Whether the process owns all of a query's tables. */
  protected boolean owns(SortedSet<String> tables) {
    return ownership.via.keySet().containsAll(tables);
  }

  /** Up to which entry a site that leads is told of a table that the process owns. */
  protected Uuid reach(String table) {
    return ownership.mine;
  }

  /** Which table's key, entry or change is next. */
  protected String first() {
    return ownership.first();
  }

  /** What the new entry says it follows for a table (repair {@code previous}). */
  protected Uuid follows(Uuid latest) {
    return latest;
  }

  /** What a table's key says from now on (repair {@code directory}). */
  protected Uuid latest(Uuid made) {
    return made;
  }

  // ---- populate --------------------------------------------------------------------------------

  /** Reads the entries that the tables just acquired follow. */
  private void readLog(Effects effects) {
    if (!log.reads(ownership.fresh, this::before, effects)) {
      go(Phase.POPULATE, effects);
    }
  }

  /** The entry before one for a table, as far as the database does not have the log; or null. */
  private Uuid before(Uuid e, String t) {
    return db.position(t).map(p -> p.entry().equals(e)).orElse(false) ? null : log.before(e, t);
  }

  @SpecAction({"Ownership.Populate", "RedoLog.Populate"})
  private void populate(Effects effects) {
    for (String t : ownership.fresh) {
      List<Uuid> entries = new ArrayList<>();
      for (Uuid e = before(ownership.mine, t); e != null; e = before(e, t)) {
        entries.add(0, e);
      }
      Position had = db.position(t).orElse(null);
      int from =
          had == null ? -1 : had.entry().equals(config.first(t)) ? 0 : entries.indexOf(had.entry());
      boolean anew = from < 0;
      List<Redo> redo = new ArrayList<>();
      for (int i = Math.max(0, from); i < entries.size(); i++) {
        List<Redo> queue = log.value(entries.get(i)).queue();
        boolean partly = had != null && entries.get(i).equals(had.entry());
        redo.addAll(queue.subList(partly ? Math.min(had.length(), queue.size()) : 0, queue.size()));
      }
      Uuid last = entries.isEmpty() ? config.first(t) : entries.get(entries.size() - 1);
      int length = entries.isEmpty() ? 0 : log.value(last).queue().size();
      db.populate(
          t,
          anew && config.repaired(MetricConfig.REBUILD),
          redo,
          new Position(last, length),
          effects);
    }
    SortedSet<String> populated = new TreeSet<>(ownership.fresh);
    ownership.fresh.clear();
    log.shorten();
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
    ownership.used.addAll(job.queries.get(query).tables());
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
    store.get(MetricConfig.entryKey(ownership.mine), effects);
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
      ownership.entry = ownership.entry.with(db.queue());
    } catch (LocalDatabase.Unavailable e) {
      nack(e.getMessage(), effects);
      return;
    }
    append(clock, effects);
    trace("RedoLog.SendAppend", effects);
  }

  /** The new entry, as it is now, goes to the store. */
  final void append(ClockReading clock, Effects effects) {
    turn(Phase.APPENDING);
    store.put(MetricConfig.entryKey(ownership.mine), ownership.entry, clock, effects);
  }

  @SpecAction({"RedoLog.AppendDone", "Ownership.CommitPut"})
  private void appendDone(Effects effects) {
    go(Phase.CLEAR, effects);
    committed("RedoLog.AppendDone", effects);
  }

  /** The commit point of one module, which is another's. */
  final void committed(String action, Effects effects) {
    String key = MetricConfig.entryKey(ownership.mine);
    locked(action, key, effects);
    commitPut(key, effects);
  }

  /** The transaction's commit point in the module {@code Ownership}. */
  private void commitPut(String key, Effects effects) {
    if (effects.tracing()) {
      effects.trace(
          "Ownership.CommitPut",
          Map.of("p", site, "e", ownership.mine.words(), "key", key, "ref", store.reference(key)));
    }
  }

  @SpecAction("RedoLog.ClearLocalQueue")
  private void clearLocalQueue(Effects effects) {
    db.clear(ownership.mine, ownership.entry.queue().size(), effects);
    go(Phase.REPLY, effects);
    trace("RedoLog.ClearLocalQueue", effects);
  }

  @SpecAction("RedoLog.ReplyOk")
  private void replyOk(Effects effects) {
    effects.reply(job.requestId, (Record) answer);
    finish(effects);
    trace("RedoLog.ReplyOk", effects);
  }

  /** The transaction is over, and its tables stay the process's. */
  final void finish(Effects effects) {
    transactions++;
    ownership.used.clear();
    over();
    go(Phase.IDLE, effects);
  }

  private void over() {
    job = null;
    answer = null;
    place = List.of();
    results.clear();
    query = 0;
  }

  // ---- failures --------------------------------------------------------------------------------

  @SpecAction({"Ownership.Rejected", "RedoLog.Nack"})
  final void rejected(Effects effects) {
    boolean waited =
        phase == Phase.LOCK_DIRECTORY || phase == Phase.LOCK_FOUND && !ownership.takenOver();
    nack("another process has taken the tables over", effects);
    own(waited ? "LockTimeout" : "Rejected", effects);
  }

  @SpecAction({"Ownership.LockTimeout", "RedoLog.Nack"})
  private void lockTimeout(String why, Effects effects) {
    if (phase == Phase.LOCK_DIRECTORY || phase == Phase.LOCK_FOUND) {
      nack(why, effects);
      own("LockTimeout", effects);
    }
  }

  final void nack(String why, Effects effects) {
    boolean sent = phase == Phase.APPENDING && config.repaired(MetricConfig.UNKNOWN);
    giveUp(sent ? new MetricResponse.Unknown(why) : new MetricResponse.Failed(why), effects);
  }

  /** The transaction is not committed here; all tables are given back. */
  private void giveUp(MetricResponse told, Effects effects) {
    boolean whole = whole();
    String leads = led.transaction();
    if (whole) {
      effects.reply(job.requestId, (Record) told);
      discard(effects);
    } else {
      led.failed((Record) told, effects);
    }
    effects.cancelTimer(new MetricTimer.Patience());
    store.abandon(effects);
    ownership.forget();
    transactions = 0;
    over();
    go(Phase.IDLE, effects);
    if (effects.tracing()) {
      String kind = told instanceof MetricResponse.Unknown ? "unknown" : "failed";
      effects.trace(
          "RedoLog.Nack",
          whole ? Map.of("p", site, "kind", kind) : Map.of("p", site, "kind", kind, "req", leads));
    }
  }

  /** Whether the transaction came whole. */
  final boolean whole() {
    return job != null;
  }

  // ---- what the log shows ----------------------------------------------------------------------

  private void trace(String action, Effects effects) {
    if (effects.tracing()) {
      effects.trace(action, Map.of("p", site));
    }
  }

  /** An end of a critical operation on a key. */
  final void locked(String action, String key, Effects effects) {
    if (effects.tracing()) {
      boolean ofOwnership = !action.startsWith("RedoLog.");
      effects.trace(
          ofOwnership ? "Ownership." + action : action,
          Map.of("p", site, "key", key, "ref", store.reference(key)),
          ofOwnership ? ownership.state() : Map.of());
    }
  }

  final void own(String action, Effects effects) {
    if (effects.tracing()) {
      effects.trace("Ownership." + action, Map.of("p", site), ownership.state());
    }
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
    return ownership.mine;
  }

  /** The new entry as it was written last. */
  public final Value entry() {
    return ownership.entry;
  }

  public final SortedSet<String> want() {
    return new TreeSet<>(ownership.want);
  }

  public final String table() {
    return ownership.table;
  }

  public final Uuid found() {
    return ownership.found;
  }

  public final SortedMap<String, Key> keys() {
    return new TreeMap<>(ownership.keys);
  }

  public final SortedSet<Uuid> held() {
    return new TreeSet<>(ownership.held);
  }

  public final SortedMap<String, Uuid> via() {
    return new TreeMap<>(ownership.via);
  }

  public final SortedSet<String> fresh() {
    return new TreeSet<>(ownership.fresh);
  }

  public final LocalDatabase database() {
    return db;
  }

  /** The request that it works on; {@link RequestId#NONE} for none. */
  public final RequestId request() {
    return job == null ? RequestId.NONE : job.id;
  }

  /** How many of its queries are behind it. */
  public final int queries() {
    return query;
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
