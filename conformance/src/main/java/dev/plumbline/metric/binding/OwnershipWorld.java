package dev.plumbline.metric.binding;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.IntNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.plumbline.bind.Shape;
import dev.plumbline.bind.Sort;
import dev.plumbline.graph.Constants;
import dev.plumbline.graph.Values;
import dev.plumbline.machine.ClockReading;
import dev.plumbline.machine.Input;
import dev.plumbline.metric.MetricConfig;
import dev.plumbline.metric.MetricMessage;
import dev.plumbline.metric.MetricRequest;
import dev.plumbline.metric.MetricTimer;
import dev.plumbline.metric.Phase;
import dev.plumbline.metric.Query;
import dev.plumbline.metric.RequestId;
import dev.plumbline.metric.Statement;
import dev.plumbline.metric.Uuid;
import dev.plumbline.metric.Value;
import dev.plumbline.protocol.SeededBug;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.stream.Collectors;

/** A record is a table's only row, and has the number of the transaction that wrote it. */
final class OwnershipWorld extends MetricWorld {
  /** Where a process waits for its site. */
  private static final Map<LeadingSite.Stage, String> SITES =
      Map.of(LeadingSite.Stage.EXECUTE, "execute", LeadingSite.Stage.EXECUTED, "query");

  private final JsonNode plan;
  private final List<String> order;

  /** Who has the lock of a key. */
  private final Map<String, Object> locks = new HashMap<>();

  /** What a put wrote that was not acknowledged, by key. */
  private final Map<String, Value> half = new HashMap<>();

  /** Which entry each follows, as it was sent. */
  private final SortedMap<Uuid, Map<String, Uuid>> entries = new TreeMap<>();

  /** What a local database had where it has what was not committed in the end. */
  private final Map<Object, Map<String, Integer>> undone = new HashMap<>();

  OwnershipWorld(
      OwnershipBinding binding,
      Constants model,
      SortedSet<String> behaviours,
      boolean led,
      Optional<SeededBug> bug) {
    super(binding, behaviours, led, bug);
    plan = binding.defined(model, "Plan");
    order = List.copyOf(Values.strings(binding.defined(model, "TableOrder")));
    function("pc", processes, p -> next(p, Phase::ownership, SITES));
    function("mine", processes, p -> p.process().mine().words());
    function("want", processes, p -> p.process().want());
    function("table", processes, p -> p.process().table());
    function("found", processes, p -> p.process().found().words());
    function("held", processes, p -> p.process().held().stream().map(Uuid::words).toList());
    function("fresh", processes, p -> p.process().fresh());
    function("via", processes, p -> ofTables(t -> or(p.process().via().get(t)).words()));
    function("keys", processes, OwnershipWorld::keys);
    function("db", processes, p -> ofTables(t -> record(p, t)));
    function("query", processes, p -> 1 + (led() ? p.site.query() : p.process().queries()));
    function("reads", processes, this::read);
    function("put", processes, p -> Set.of());
    variable("lock", () -> ofEntries(e -> owner(MetricConfig.entryKey(e))), processes);
    variable("tset", () -> ofEntries(this::tableSet), processes);
    variable("adding", () -> ofEntries(this::adding), processes);
    variable("prev", () -> ofEntries(e -> ofTables(t -> followed(e, t).words())), processes);
    variable("queue", () -> ofEntries(this::queue), processes);
    variable("dir", () -> ofTables(t -> latest(t).words()), processes);
    variable("dirLock", () -> ofTables(t -> owner(MetricConfig.tableKey(t))), processes);
    variable("dirPut", () -> ofTables(t -> pointed(t).words()), processes);
    on("BeginTxn", p -> beginTxn(at(p)));
    for (String own : List.of("NextTable", "OwnDone")) {
      on(own, p -> step(at(p)));
    }
    on("StartQuery", p -> startQuery(at(p)));
    on("ExecuteQuery", p -> execute(at(p)));
    on("CreateEntry", p -> createEntry(at(p), p.get("t").longValue()));
    on("LockNew", p -> lock(at(p), MetricConfig.entryKey(at(p).process().mine())));
    on("LockDirectory", p -> lockDirectory(at(p), p.get("applied").booleanValue()));
    on("LockFound", p -> lockFound(at(p), p.get("applied").booleanValue()));
    on("AddTable", p -> send(at(p)));
    on("PointDirectory", p -> send(at(p)));
    on("AddDone", p -> acknowledge(at(p)));
    on("PointDone", p -> acknowledge(at(p)));
    on("Populate", p -> populate(at(p)));
    on("CommitPut", p -> commit(at(p)));
    on("Rejected", p -> reject(at(p)));
    on("LockTimeout", p -> lockTimeout(at(p)));
    on("ReleaseOwnership", p -> wanted(at(p)));
    on("ExpireLock", p -> expire(MetricConfig.entryKey(MetricReading.uuid(p.get("e")))));
    on("ExpireDirectory", p -> expire(MetricConfig.tableKey(p.get("T").textValue())));
    on("CrashProcess", p -> start(at(p)));
  }

  private Process at(ObjectNode parameters) {
    return processes.get(parameters.get("p"));
  }

  @Override
  protected void open(ObjectNode initial) {
    locks.clear();
    half.clear();
    entries.clear();
    undone.clear();
    for (String table : order) {
      entries.put(first(table), new TreeMap<>());
    }
    begin(initial.get("pc"), order);
    if (led()) {
      // Tables that no process lists have their first entries written down.
      order.forEach(
          t ->
              values.put(
                  MetricConfig.tableKey(t), new Value(first(t), new TreeMap<>(), List.of())));
    }
    for (Process p : processes.all()) {
      undone.put(p.name, new TreeMap<>());
    }
  }

  @Override
  protected JsonNode named(Sort sort, Object word) {
    return IntNode.valueOf(Shape.number(word).intValue());
  }

  @Override
  ClockReading clock(Process p) {
    return ClockReading.local(given("clock", p).longValue());
  }

  @Override
  void released(Process p, String key) {
    locks.remove(key, p.name);
  }

  // -- variables

  private Uuid first(String table) {
    return new Uuid(0, order.indexOf(table) + 1);
  }

  private Map<String, Object> ofTables(Function<String, Object> words) {
    return order.stream().collect(Collectors.toMap(table -> table, words));
  }

  private Map<List<Long>, Object> ofEntries(Function<Uuid, Object> words) {
    return entries.keySet().stream().collect(Collectors.toMap(Uuid::words, words));
  }

  private static Uuid or(Uuid uuid) {
    return uuid == null ? Value.NONE.latest() : uuid;
  }

  private Object owner(String key) {
    return locks.getOrDefault(key, 0);
  }

  private static Map<String, Object> keys(Process p) {
    Map<String, Object> keys = new TreeMap<>();
    p.process()
        .keys()
        .forEach((t, k) -> keys.put(t, Map.of("entry", k.entry().words(), "locked", k.locked())));
    return keys;
  }

  private Set<String> tableSet(Uuid e) {
    return e.time() == 0 ? Set.of(order.get((int) e.site() - 1)) : entry(e).tables().keySet();
  }

  private String adding(Uuid e) {
    Set<String> sent = new TreeSet<>();
    Value put = half.get(MetricConfig.entryKey(e));
    if (put != null) {
      sent.addAll(put.tables().keySet());
      sent.removeAll(tableSet(e));
    }
    return String.join(" ", sent);
  }

  private Uuid followed(Uuid e, String table) {
    return or(entries.get(e).get(table));
  }

  private List<Map<String, Object>> queue(Uuid e) {
    return entry(e).queue().stream()
        .map(redo -> Map.<String, Object>of("id", number(redo.id()), "tables", changed(redo)))
        .toList();
  }

  private Uuid latest(String table) {
    Value value = values.get(MetricConfig.tableKey(table));
    return value == null ? first(table) : value.latest();
  }

  private Uuid pointed(String table) {
    Value put = half.get(MetricConfig.tableKey(table));
    return put == null ? Value.NONE.latest() : put.latest();
  }

  @Override
  int record(Process p, String table) {
    Integer old = undone.get(p.name).get(table);
    return old == null ? super.record(p, table) : old;
  }

  /** What the transaction's queries read first of each table. */
  private Map<String, Integer> read(Process p) {
    Map<String, Integer> read = new TreeMap<>(p.site.read());
    if (!p.process().request().equals(RequestId.NONE)) {
      List<List<Long>> results = p.process().results();
      int i = 0;
      for (List<String> query : queries(p)) {
        for (String table : query) {
          if (i < results.size()) {
            read.putIfAbsent(table, record(results.get(i++)));
          }
        }
        i += query.size();
      }
    }
    return read;
  }

  // -- actions

  private List<List<String>> queries(Process p) {
    List<List<String>> queries = new ArrayList<>();
    Values.at(Values.at(plan, p.name), given("next", p).intValue())
        .forEach(query -> queries.add(List.copyOf(Values.strings(query))));
    return queries;
  }

  private void beginTxn(Process p) {
    int tried = given("id", p).intValue();
    int number = tried == 0 ? given("hist").size() + 1 : tried;
    if (led()) {
      List<SortedSet<String>> asked = new ArrayList<>();
      queries(p).forEach(query -> asked.add(new TreeSet<>(query)));
      SortedSet<String> all = new TreeSet<>();
      asked.forEach(all::addAll);
      ask(p, p.site.begin(number, asked, all));
      return;
    }
    List<Query> queries = new ArrayList<>();
    for (List<String> tables : queries(p)) {
      List<Statement> statements = new ArrayList<>();
      tables.forEach(t -> statements.add(new Statement(Statement.Kind.READ, t, ROW, 0)));
      tables.forEach(t -> statements.add(new Statement(Statement.Kind.WRITE, t, ROW, number)));
      queries.add(new Query(statements));
    }
    RequestId request = new RequestId("c" + number, 1);
    give(p, new Input.ClientRequest(1, new MetricRequest.Transact(request, queries)));
    step(p);
  }

  /** A site that has executed a query asks for the next one's tables. */
  private void startQuery(Process p) {
    if (p.site.stage() == LeadingSite.Stage.EXECUTED) {
      ask(p, p.site.keep());
      ask(p, p.site.next());
    } else {
      step(p);
    }
  }

  /** A site whose last query it is sends what it has written. */
  private void execute(Process p) {
    if (!led()) {
      step(p);
      return;
    }
    boolean last = p.site.last();
    p.site.execute();
    p.changed();
    if (last) {
      ask(p, p.site.append());
    }
  }

  @Override
  void appended(Process p) {
    p.site.clear();
    ask(p, p.site.release());
  }

  private void createEntry(Process p, long time) {
    give(p, new Input.TimerFired(new MetricTimer.Step()), ClockReading.local(time));
    entries.put(p.process().mine(), new TreeMap<>());
  }

  private void lock(Process p, String key) {
    locks.put(key, p.name);
    grant(p);
  }

  /** The last holder's half-done put is applied now, or gone. */
  private void settle(String key, boolean applied) {
    Value put = half.remove(key);
    if (put != null && applied) {
      values.put(key, put);
    }
  }

  private void lockDirectory(Process p, boolean applied) {
    String key = MetricConfig.tableKey(p.process().table());
    settle(key, applied);
    lock(p, key);
    serve(p);
  }

  private void lockFound(Process p, boolean applied) {
    String key = MetricConfig.entryKey(p.process().found());
    if (owner(key) != p.name) {
      settle(key, applied);
    }
    boolean known = p.process().held().contains(p.process().found());
    step(p);
    // What it takes for its own it does not ask for again; the store would take that for an end.
    if (p.acquiring != null && !known) {
      lock(p, key);
    }
  }

  private void send(Process p) {
    step(p);
    if (p.asking instanceof MetricMessage.Put put) {
      half.put(put.key(), put.value());
      if (put.key().equals(MetricConfig.entryKey(p.process().mine()))) {
        entries.get(p.process().mine()).putAll(put.value().tables());
      }
    }
  }

  private void acknowledge(Process p) {
    if (p.asking != null) {
      half.remove(p.asking.key());
    }
    serve(p);
  }

  /**
   * Patience ends after the lock was asked for. An earlier life's lock is not let go of. Who has
   * the lock already goes on at once, where the model may end its patience all the same. Who was
   * taken over gives up and does not ask.
   */
  private void lockTimeout(Process p) {
    String key = MetricConfig.entryKey(p.process().found());
    boolean finds = p.process().phase() == Phase.LOCK_FOUND;
    boolean asks = finds && !p.process().held().contains(p.process().found());
    if (finds && !asks) {
      p.out.timers.add(new MetricTimer.Patience());
    }
    Object holder = owner(key);
    if (asks) {
      step(p);
    }
    if (p.process().phase() != Phase.IDLE) {
      impatient(p);
    }
    if (asks) {
      locks.put(key, holder);
    }
  }

  private void populate(Process p) {
    undone.get(p.name).keySet().removeAll(p.process().fresh());
    until(p, Phase.EXECUTE, Phase.LED);
  }

  private void commit(Process p) {
    undone.get(p.name).keySet().removeAll(read(p).keySet());
    until(p, Phase.IDLE);
  }

  private void expire(String key) {
    locks.remove(key);
    processes.changed();
  }

  private void reject(Process p) {
    switch (p.process().phase()) {
      case LOCAL_COMMIT -> {
        Map<String, Integer> had = new TreeMap<>();
        queries(p).forEach(query -> query.forEach(t -> had.put(t, record(p, t))));
        step(p);
        step(p);
        refuse(p);
        undone.get(p.name).putAll(had);
      }
      case ADD, POINT -> {
        step(p);
        refuse(p);
      }
      case LOCK_FOUND -> step(p);
      default -> refuse(p);
    }
  }
}
