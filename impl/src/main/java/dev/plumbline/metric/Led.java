package dev.plumbline.metric;

import dev.plumbline.machine.ClockReading;
import dev.plumbline.machine.Effects;
import dev.plumbline.machine.Input;
import dev.plumbline.machine.SpecAction;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * Transactions that a site leads query by query. The site populates and executes on its own
 * database, in its own time; the process owns the tables, reads the redo log and appends to it. One
 * transaction is led at a time, as whole ones run one at a time.
 *
 * <p>A leader that says nothing for its lease is given up. Where a transaction ends otherwise than
 * by an append or a confirmation, the process gives all its tables back, as it does where it fails.
 */
final class Led {
  /** The longest text of one transaction. */
  static final int LONGEST_TEXT = 2 << 20;

  private static final int LONGEST_NAME = 300;
  private static final int MOST_TABLES = 10_000;
  private static final long LONGEST_LEASE = 600_000_000L;

  /** How long a leader has, once it owns tables, to say something for the first time. */
  private static final long FIRST_WORD = 2_000_000;

  /** An answer has no more text than this, or one record. */
  private static final int LONG_ANSWER = 1 << 20;

  private final MetricProcess process;
  private final MetricConfig config;
  private final StoreClient store;
  private final Ownership ownership;
  private final RedoLogReader log;

  /** Who leads a transaction; empty for nobody. */
  private String leader = "";

  private long leaseMicros;

  /** Whether the leader went on after its first own(); one that came to nothing may be gone. */
  private boolean goesOn;

  /** Whether the transaction is committed. */
  private boolean committed;

  private SortedSet<String> target = new TreeSet<>();
  private String text = "";

  /** What is to be answered, with a Since of nobody's transaction too. */
  private Asked asked;

  // What a Since has found.
  private final SortedMap<String, Uuid> newest = new TreeMap<>();
  private final SortedMap<String, Uuid> last = new TreeMap<>();
  private final SortedMap<String, Uuid> reached = new TreeMap<>();
  private String reading = "";

  /** What a leader, or a site that leads nothing, waits for. */
  record Asked(long requestId, String leader, MetricRequest request) implements MetricProcess.Job {}

  Led(MetricProcess process, MetricProcess.Parts parts, Ownership ownership, RedoLogReader log) {
    this.process = process;
    this.config = parts.config();
    this.store = process.store();
    this.ownership = ownership;
    this.log = log;
  }

  /** Whether a transaction is led. */
  boolean leads() {
    return !leader.isEmpty();
  }

  /** A request of a leader, or of who wants to be one. */
  void asked(Input.ClientRequest input, ClockReading clock, Effects effects) {
    MetricRequest.OfLeader request = (MetricRequest.OfLeader) input.request();
    String who = input.client() + " " + request.transaction();
    Asked now = new Asked(input.requestId(), who, (MetricRequest) request);
    String wrong = wrong(request, who);
    if (!wrong.isEmpty()) {
      effects.reply(now.requestId, new MetricResponse.Refused(wrong));
    } else if (request instanceof MetricRequest.Release) {
      process.dismiss(who);
      if (leads(who)) {
        release(effects);
      }
      effects.reply(now.requestId, new MetricResponse.Ok());
    } else if (leads(who) && request instanceof MetricRequest.Keep) {
      goesOn = true;
      heard(effects);
      effects.reply(now.requestId, new MetricResponse.Ok());
    } else if (leads(who) && process.phase() == Phase.LED) {
      goesOn = true;
      if (committed) {
        effects.reply(now.requestId, new MetricResponse.Refused("the transaction is committed"));
      } else {
        goOn(now, clock, effects);
      }
    } else if (leads(who)) {
      effects.reply(
          now.requestId,
          new MetricResponse.Refused("the transaction's last request is not answered yet"));
    } else if (request.transaction().isEmpty()
        || request instanceof MetricRequest.Own own && own.first()) {
      process.dismiss(who);
      process.await(now.requestId, now, effects);
    } else {
      effects.reply(
          now.requestId,
          new MetricResponse.Failed(
              "the process knows no such transaction: it began anew, or gave the transaction up"));
    }
  }

  private boolean leads(String who) {
    return leader.equals(who);
  }

  /** What no process can do about it; empty if it makes sense. */
  private String wrong(MetricRequest.OfLeader request, String who) {
    Collection<String> tables = tables(request);
    boolean named = !request.transaction().isEmpty() || request instanceof MetricRequest.Since;
    if (!named || request.transaction().length() > LONGEST_NAME) {
      return "a transaction has a name of 1 to " + LONGEST_NAME + " characters";
    } else if (tables.size() > MOST_TABLES) {
      return "a request names " + MOST_TABLES + " tables at most";
    }
    for (String t : tables) {
      if (t.isEmpty() || t.length() > LONGEST_NAME) {
        return "a table has a name of 1 to " + LONGEST_NAME + " characters";
      } else if (config.tables().contains(t)) {
        return "table " + t + " is for whole transactions";
      }
    }
    if (request instanceof MetricRequest.Own own
        && (own.leaseMicros() < 1 || own.leaseMicros() > LONGEST_LEASE)) {
      return "a lease is 1 to " + LONGEST_LEASE + " microseconds";
    } else if (request instanceof MetricRequest.Append append
        && (leads(who) ? text.length() : 0) + append.redo().length() > LONGEST_TEXT) {
      return "a transaction leaves " + LONGEST_TEXT + " characters in the redo log at most";
    }
    boolean names =
        request instanceof MetricRequest.Own
            || request instanceof MetricRequest.Since
            || request instanceof MetricRequest.Append;
    return names && tables.isEmpty() ? "no table is named" : "";
  }

  private static Collection<String> tables(MetricRequest.OfLeader request) {
    if (request instanceof MetricRequest.Own own) {
      return own.tables();
    } else if (request instanceof MetricRequest.Since since) {
      return since.positions().keySet();
    }
    return request instanceof MetricRequest.Append append ? append.tables() : List.of();
  }

  /** It is the turn of a request that has waited. */
  void begin(Asked next, Effects effects) {
    if (next.request instanceof MetricRequest.Own own) {
      receiveCall(next, own, effects);
      own(next, own, effects);
    } else {
      since(next, effects);
    }
  }

  /** What the transaction will ask for is not known yet. */
  @SpecAction({"RedoLog.ReceiveCall", "Ownership.BeginTxn"})
  private void receiveCall(Asked next, MetricRequest.Own own, Effects effects) {
    leader = next.leader;
    committed = false;
    goesOn = false;
    leaseMicros = own.leaseMicros();
    process.turn(Phase.QUERY);
    if (effects.tracing()) {
      Map<String, Object> args = Map.of("p", process.site(), "req", request().toString());
      effects.trace("RedoLog.ReceiveCall", args);
      effects.trace("Ownership.BeginTxn", args);
    }
  }

  /** What logs call the transaction; empty for none. */
  String transaction() {
    return leads() ? request().toString() : "";
  }

  /** What the redo log calls the transaction. */
  private RequestId request() {
    return new RequestId(leader, 1);
  }

  /** A request of the transaction that is led. */
  private void goOn(Asked now, ClockReading clock, Effects effects) {
    if (now.request instanceof MetricRequest.Own own) {
      executed(Phase.QUERY, effects);
      own(now, own, effects);
    } else if (now.request instanceof MetricRequest.Since) {
      since(now, effects);
    } else if (now.request instanceof MetricRequest.Append append) {
      append(now, append, clock, effects);
    } else {
      confirm(now, effects);
    }
  }

  // ---- own -------------------------------------------------------------------------------------

  /** The site has run the last query that it had tables for. */
  @SpecAction("Ownership.ExecuteQuery")
  private void executed(Phase next, Effects effects) {
    process.turn(next);
    process.own("ExecuteQuery", effects);
  }

  @SpecAction("Ownership.StartQuery")
  private void own(Asked now, MetricRequest.Own own, Effects effects) {
    asked = now;
    target = new TreeSet<>(own.tables());
    if (ownership.query(target, effects)) {
      use(effects);
    }
    if (effects.tracing()) {
      effects.trace(
          "Ownership.StartQuery", Map.of("p", process.site(), "tables", target), ownership.state());
    }
  }

  /** The tables are the process's; the site brings them forward. */
  @SpecAction("Ownership.Populate")
  void owned(Effects effects) {
    ownership.fresh.clear();
    use(effects);
    process.own("Populate", effects);
  }

  private void use(Effects effects) {
    ownership.used.addAll(target);
    answer(new MetricResponse.Ok(), effects);
  }

  private void answer(MetricResponse response, Effects effects) {
    effects.reply(asked.requestId, (Record) response);
    asked = null;
    if (leads()) {
      process.turn(Phase.LED);
      heard(effects);
    } else {
      process.go(Phase.IDLE, effects);
    }
  }

  // ---- the redo log ----------------------------------------------------------------------------

  private void since(Asked now, Effects effects) {
    asked = now;
    newest.clear();
    last.clear();
    reached.clear();
    reading = "";
    process.go(Phase.LED_READ, effects);
  }

  private SortedMap<String, Position> positions() {
    return ((MetricRequest.Since) asked.request).positions();
  }

  /** Asks for the next that is not known yet, until all is. */
  void read(Effects effects) {
    for (String t : positions().keySet()) {
      if (!last.containsKey(t) && !finds(t, effects)) {
        return;
      }
      for (Uuid e = reached.get(t); e != null; e = earlier(e, t)) {
        reached.put(t, e);
        if (log.reads(e, effects)) {
          return;
        }
      }
      reached.remove(t);
    }
    SortedMap<String, Position> told = positions();
    boolean ofTransaction = leads();
    MetricResponse said = lacking();
    answer(said, effects);
    if (ofTransaction && said instanceof MetricResponse.Lacking lacking && !lacking.more()) {
      forward(told, lacking, effects);
    }
  }

  /** The site brings its tables forward, and reads them. */
  @SpecAction({"RedoLog.Populate", "RedoLog.Execute"})
  private void forward(
      SortedMap<String, Position> from, MetricResponse.Lacking lacking, Effects effects) {
    if (effects.tracing()) {
      SortedMap<String, Position> to = new TreeMap<>(from);
      lacking.records().forEach(missing -> to.putAll(missing.tables()));
      SortedMap<String, String> at = new TreeMap<>();
      to.forEach((t, position) -> at.put(t, position.toString()));
      effects.trace("RedoLog.Execute", Map.of("p", process.site()), Map.of("at", at));
    }
  }

  /** The entry that one follows for a table; null if the table has all before that one. */
  private Uuid earlier(Uuid entry, String t) {
    return positions().get(t).entry().equals(entry) ? null : log.before(entry, t);
  }

  /**
   * Finds the last entry of a table that counts. Who owns the table counts its own. For others the
   * latest does not: its owner may be writing it. They count the one that it follows.
   */
  private boolean finds(String t, Effects effects) {
    if (ownership.via.containsKey(t)) {
      found(t, process.reach(t));
    } else if (!newest.containsKey(t)) {
      reading = t;
      store.read(MetricConfig.tableKey(t), effects);
      return false;
    } else if (newest.get(t).time() > 0) {
      reading = t;
      store.read(MetricConfig.entryKey(newest.get(t)), effects);
      return false;
    } else {
      found(t, null);
    }
    return true;
  }

  private void found(String t, Uuid entry) {
    Uuid none = Position.NONE.entry();
    last.put(t, entry == null ? none : entry);
    if (entry != null && entry.time() > 0) {
      reached.put(t, entry);
    }
  }

  /** What the store has under a key. */
  void came(StoreClient.Event event, Effects effects) {
    if (reading.isEmpty()) {
      log.came(event);
    } else if (newest.containsKey(reading)) {
      found(reading, event.value().tables().get(reading));
    } else {
      Uuid latest = event.value().latest();
      newest.put(reading, latest.equals(Ownership.NO_ENTRY) ? Position.NONE.entry() : latest);
    }
    reading = "";
    process.go(Phase.LED_READ, effects);
  }

  /** What the tables lack, an entry after all that it follows for one of them. */
  private MetricResponse lacking() {
    SortedMap<String, LinkedHashSet<Uuid>> chains = new TreeMap<>();
    for (Map.Entry<String, Position> had : positions().entrySet()) {
      String t = had.getKey();
      ArrayDeque<Uuid> followed = new ArrayDeque<>();
      Uuid end = last.get(t).time() > 0 ? last.get(t) : null;
      for (Uuid e = end; e != null; e = earlier(e, t)) {
        followed.addFirst(e);
      }
      Uuid at = had.getValue().entry();
      if (at.time() > 0 && !at.equals(followed.peekFirst())) {
        return owns(t)
            ? new MetricResponse.Refused("table " + t + " is at " + at + ", which the log lacks")
            : new MetricResponse.Lacking(List.of(), false);
      }
      chains.put(t, new LinkedHashSet<>(followed));
    }
    List<MetricResponse.Missing> missing = new ArrayList<>();
    long length = 0;
    for (Uuid e = next(chains); e != null; e = next(chains)) {
      SortedSet<String> tables = new TreeSet<>();
      for (Map.Entry<String, LinkedHashSet<Uuid>> chain : chains.entrySet()) {
        if (chain.getValue().remove(e)) {
          tables.add(chain.getKey());
        }
      }
      List<Redo> queue = log.value(e).queue();
      for (int i = 0; i < queue.size(); i++) {
        SortedMap<String, Position> to = moved(tables, queue.get(i), e, i);
        if (!to.isEmpty()) {
          length += queue.get(i).text().length();
          if (length > LONG_ANSWER && !missing.isEmpty()) {
            return new MetricResponse.Lacking(missing, true);
          }
          missing.add(new MetricResponse.Missing(to, queue.get(i).text()));
        }
      }
    }
    if (chains.values().stream().anyMatch(chain -> !chain.isEmpty())) {
      return new MetricResponse.Refused(
          "the log has no order of the entries of " + chains.keySet());
    }
    SortedMap<String, Position> ends = new TreeMap<>();
    last.forEach(
        (t, e) -> {
          if (e.time() > 0 && !positions().get(t).entry().equals(e)) {
            ends.put(t, new Position(e, log.value(e).queue().size()));
          }
        });
    // What is read last may be what goes: entries are named by clocks that show anything.
    log.shorten();
    if (!ends.isEmpty()) {
      missing.add(new MetricResponse.Missing(ends, ""));
    }
    return new MetricResponse.Lacking(missing, false);
  }

  private boolean owns(String t) {
    return ownership.via.containsKey(t);
  }

  /** The first entry that is the first of all chains that have it; null once none is left. */
  private static Uuid next(SortedMap<String, LinkedHashSet<Uuid>> chains) {
    for (LinkedHashSet<Uuid> chain : chains.values()) {
      Uuid first = first(chain);
      if (first != null
          && chains.values().stream().allMatch(c -> !c.contains(first) || first.equals(first(c)))) {
        return first;
      }
    }
    return null;
  }

  private static Uuid first(LinkedHashSet<Uuid> chain) {
    return chain.isEmpty() ? null : chain.iterator().next();
  }

  /** Of some tables those that a record changed and that lack it, and where they are with it. */
  private SortedMap<String, Position> moved(
      SortedSet<String> tables, Redo redo, Uuid entry, int number) {
    SortedMap<String, Position> to = new TreeMap<>();
    for (String t : redo.tables()) {
      Position had = positions().get(t);
      if (tables.contains(t) && !(had.entry().equals(entry) && number < had.length())) {
        to.put(t, new Position(entry, number + 1));
      }
    }
    return to;
  }

  // ---- the end ---------------------------------------------------------------------------------

  private void append(Asked now, MetricRequest.Append append, ClockReading clock, Effects effects) {
    asked = now;
    text += append.redo();
    if (!append.last()) {
      answer(new MetricResponse.Ok(), effects);
    } else if (!used(append.tables())) {
      text = "";
      answer(new MetricResponse.Refused("it changed tables that it does not own"), effects);
    } else {
      sendAppend(append.tables(), clock, effects);
    }
  }

  @SpecAction({"RedoLog.LocalCommit", "RedoLog.SendAppend"})
  private void sendAppend(SortedSet<String> tables, ClockReading clock, Effects effects) {
    Redo redo = Redo.text(request(), tables, text);
    text = "";
    ownership.entry = ownership.entry.with(List.of(redo));
    process.append(clock, effects);
    executed(Phase.APPENDING, effects);
    if (effects.tracing()) {
      effects.trace(
          "RedoLog.SendAppend",
          Map.of(
              "p",
              process.site(),
              "req",
              request().toString(),
              "tables",
              tables,
              "at",
              new Position(ownership.mine, ownership.entry.queue().size()).toString()));
    }
  }

  private boolean used(SortedSet<String> tables) {
    return ownership.used.containsAll(tables)
        && tables.stream().allMatch(t -> ownership.mine.equals(ownership.via.get(t)));
  }

  /** A quorum has it. */
  @SpecAction({"RedoLog.AppendDone", "Ownership.CommitPut"})
  void appended(Effects effects) {
    Position at = new Position(ownership.mine, ownership.entry.queue().size());
    committed = true;
    answer(new MetricResponse.Appended(at), effects);
    process.committed("RedoLog.AppendDone", effects);
  }

  private void confirm(Asked now, Effects effects) {
    asked = now;
    if (!config.repaired(MetricConfig.READ_CHECK)) {
      committed = true;
      answer(new MetricResponse.Ok(), effects);
    } else {
      process.check(effects);
      executed(Phase.CHECK, effects);
    }
  }

  /** The process had the tables to the end. */
  @SpecAction({"RedoLog.CheckRead", "Ownership.CommitPut"})
  void confirmed(Effects effects) {
    committed = true;
    answer(new MetricResponse.Ok(), effects);
    process.committed("RedoLog.CheckRead", effects);
  }

  private void release(Effects effects) {
    if (process.phase() == Phase.LED && committed) {
      replyOk(effects);
    } else {
      process.nack("its site gave it up", effects);
    }
  }

  /** The site has told its client, and its own tx-queue is empty. */
  @SpecAction({"RedoLog.ClearLocalQueue", "RedoLog.ReplyOk"})
  private void replyOk(Effects effects) {
    String req = request().toString();
    forget(effects);
    process.finish(effects);
    if (effects.tracing()) {
      effects.trace("RedoLog.ReplyOk", Map.of("p", process.site(), "req", req));
    }
  }

  private void forget(Effects effects) {
    leader = "";
    asked = null;
    text = "";
    effects.cancelTimer(new MetricTimer.Silence());
  }

  /** The transaction's tables are lost. */
  void failed(Record said, Effects effects) {
    if (asked != null) {
      effects.reply(asked.requestId, said);
    }
    forget(effects);
  }

  private void heard(Effects effects) {
    effects.setTimer(
        new MetricTimer.Silence(), goesOn ? leaseMicros : Math.min(leaseMicros, FIRST_WORD));
  }

  /** Nothing was heard of the leader for its lease. */
  void silent(Effects effects) {
    if (process.phase() == Phase.LED) {
      release(effects);
    }
  }
}
