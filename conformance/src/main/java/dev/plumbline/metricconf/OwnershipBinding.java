package dev.plumbline.metricconf;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.IntNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.plumbline.bind.Binding;
import dev.plumbline.bind.LogReading;
import dev.plumbline.bind.Shape;
import dev.plumbline.bind.Sort;
import dev.plumbline.bind.Tla;
import dev.plumbline.graph.Constants;
import dev.plumbline.graph.SpecAdapter;
import dev.plumbline.graph.Values;
import dev.plumbline.machine.ClockReading;
import dev.plumbline.machine.Input;
import dev.plumbline.metric.MetricConfig;
import dev.plumbline.metric.MetricMessage;
import dev.plumbline.metric.MetricRequest;
import dev.plumbline.metric.MetricTimer;
import dev.plumbline.metric.Phase;
import dev.plumbline.metric.Query;
import dev.plumbline.metric.Redo;
import dev.plumbline.metric.RequestId;
import dev.plumbline.metric.Statement;
import dev.plumbline.metric.Uuid;
import dev.plumbline.metric.Value;
import dev.plumbline.sim.SeededBug;
import dev.plumbline.sim.Settings;
import dev.plumbline.sim.metric.MetricSystem;
import dev.plumbline.tlc.Term;
import dev.plumbline.trace.TraceEvent;
import dev.plumbline.validate.MergedLog;
import dev.plumbline.validate.TraceModel.Step;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Function;

/** How {@code Ownership} reads in the terms of Metric processes. An entry is its UUID. */
final class OwnershipBinding extends Binding {
  /** What a site's clock showed: in a log numbered in its order, so that TLC has the numbers. */
  private static final Sort TIME = Sort.own("time", null);

  private static final Shape ENTRY = Shape.tuple(TIME, Shape.PLAIN);

  private final List<String> tables;

  OwnershipBinding(Settings settings) {
    super("Ownership", "specs/metric", settings);
    tables = new MetricSystem().tables(settings);
    names(TIME, "t", "clock");
    names(ENTRY, "mine", "found", "e", "entry");
    names(Shape.set(ENTRY), "held");
    names(Shape.function(ENTRY), "via");
    names(Shape.function(Shape.PLAIN), "keys");
    names(Shape.set(Shape.PLAIN), "want", "fresh");
    shown("mine", "found", "held", "via", "keys");
    argument("t", e -> e.state().containsKey("mine") ? e.state().get("mine").get(0) : null);
    argument("T", e -> e.state().get("table"));
    also("RedoLog.Nack", "", "GiveUp");
    also("RedoLog.AnswerFromLog", "", "Answered");
    constant("Procs", "{1, 2, 3}");
    constant("Times", "{0}");
    constant("Clocks", "\"free\"");
    constant("Timeouts", "TRUE");
    constant("MaxExpiries", 1);
    constant("MaxCrashes", 1);
    demand("Across", "\"release\"");
    always("directory", "previous", "locksFirst");
    repairs(MetricConfig.HOLD, MetricConfig.UNBROKEN, MetricConfig.SINGLE);
    Term zero = Term.of(0);
    forgotten("faults", Term.record(Map.of("expiries", zero, "crashes", zero)));
    corpora("failures", "apart");
    given("clock", "what the machines are given");
    given("faults", "counts what the environment did");
    given("hist", "what clients asked, and were told of what they read");
    given("id", "which of them a client tries, also after a nack; no machine keeps it");
    given("next", "which of its transactions a client is at; no machine keeps it");
  }

  // ---- logs ------------------------------------------------------------------------------------

  @Override
  protected LogReading reading(MergedLog log, int room) {
    return new Reading(log, room);
  }

  private final class Reading extends MetricReading {
    private final SortedMap<Long, Integer> times = new TreeMap<>();
    private final Map<List<Set<String>>, Integer> plans = new LinkedHashMap<>();

    /** By the event that begins a transaction which a site leads, its queries. */
    private final Map<Integer, List<Set<String>>> led = new HashMap<>();

    private final Map<String, Integer> begun = new HashMap<>();
    private final SortedSet<String> others = new TreeSet<>();

    /** The last event of each node, if it is a nack, and nacks that an action of the module is. */
    private final Map<String, Integer> nack = new HashMap<>();

    private final Set<Integer> explained = new HashSet<>();

    Reading(MergedLog log, int room) {
      super(OwnershipBinding.this, log, room);
    }

    @Override
    protected void scan(int i, TraceEvent e) {
      super.scan(i, e);
      Integer before = nack.remove(e.node());
      switch (e.action()) {
        case "Ownership.BeginTxn" -> {
          if (e.args().containsKey("queries")) {
            plans.putIfAbsent(plan(i), plans.size() + 1);
          } else {
            led.put(i, new ArrayList<>());
            begun.put(e.node(), i);
          }
        }
        case "Ownership.StartQuery" -> {
          if (e.args().containsKey("tables") && begun.containsKey(e.node())) {
            Set<String> query = Values.strings(e.args().get("tables"));
            led.get(begun.get(e.node())).add(query);
            others.addAll(query);
          }
        }
        case "Ownership.LockNew", "Ownership.LockDirectory", "Ownership.LockFound" ->
            gets(i, e.arg("key").asText(), e.args().get("ref").asLong());
        case "Ownership.Rejected", "Ownership.LockTimeout" -> {
          if (before != null) {
            explained.add(before);
          }
        }
        case "RedoLog.Nack" -> nack.put(e.node(), i);
        default -> {}
      }
    }

    /** The tables of each query of a transaction. */
    private List<Set<String>> plan(int i) {
      if (led.containsKey(i)) {
        return led.get(i);
      }
      List<Set<String>> queries = new ArrayList<>();
      event(i).args().get("queries").forEach(query -> queries.add(Values.strings(query)));
      return queries;
    }

    @Override
    protected void mention(int i, Sort sort, Object word) {
      if (sort == TIME) {
        times.put(Shape.number(word), 0);
      } else {
        super.mention(i, sort, word);
      }
    }

    /** A time's place among those of the log; 0 and what is before it mean themselves. */
    @Override
    protected Term term(int i, Sort sort, Object word) {
      if (sort != TIME) {
        return super.term(i, sort, word);
      }
      long time = Shape.number(word);
      return Term.of(time <= 0 ? (int) time : times.get(time));
    }

    @Override
    protected void constants() {
      int place = 0;
      for (Map.Entry<Long, Integer> time : times.tailMap(1L).entrySet()) {
        time.setValue(++place);
      }
      for (int begin : new TreeSet<>(led.keySet())) {
        plans.putIfAbsent(plan(begin), plans.size() + 1);
      }
      List<String> all = new ArrayList<>(tables);
      all.addAll(others);
      MetricConfig config = new MetricSystem().config(settings);
      Map<String, Object> first = new LinkedHashMap<>();
      all.forEach(table -> first.put(table, List.of(0, config.first(table).site())));
      constant("TableOrder", all);
      constant("FirstEntry(T)", Tla.cases("T", first));
      constant("Plan", Collections.nCopies(3, List.copyOf(plans.keySet())));
    }

    /** Every event that has a state has the process's. */
    @Override
    protected String operator(String wanted) {
      return wanted.endsWith("Shows") ? "StateShows" : wanted;
    }

    @Override
    protected boolean shows(int i) {
      return !event(i).state().isEmpty() && !event(i).action().startsWith("RedoLog.");
    }

    @Override
    List<Step> stepsOf(int i) {
      TraceEvent e = event(i);
      if (explained.contains(i)) {
        return List.of();
      }
      List<Step> steps = new ArrayList<>(super.stepsOf(i));
      switch (e.action()) {
        case "RedoLog.Nack" -> {
          if (e.args().containsKey("req")) {
            return List.of(call(i, "", "RollBack"));
          }
        }
        case "Ownership.BeginTxn" -> {
          steps.add(0, call(i, "", "Arrives"));
          steps.add(call(i, "", "Trim"));
        }
        case "Ownership.LockDirectory" -> steps.add(0, call(i, "", "TakeDirectory"));
        case "Ownership.LockFound" -> steps.add(0, call(i, "", "TakeEntry"));
        case "Ownership.Rejected" -> steps.add(0, call(i, "", "Lose"));
        default -> {}
      }
      return steps;
    }

    @Override
    protected Term own(int i, String parameter) {
      return parameter.equals("nth") ? Term.of(plans.get(plan(i))) : super.own(i, parameter);
    }
  }

  // ---- machines --------------------------------------------------------------------------------

  @Override
  protected SpecAdapter world(Constants model, Optional<SeededBug> bug) {
    return new Machines(model, asPublished(model), bug);
  }

  /** A record is a table's only row, and has the number of the transaction that wrote it. */
  private final class Machines extends MetricWorld {
    private static final String ROW = "r";

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

    Machines(Constants model, SortedSet<String> behaviours, Optional<SeededBug> bug) {
      super(OwnershipBinding.this, behaviours, bug);
      plan = defined(model, "Plan");
      order = strings(defined(model, "TableOrder"));
      function("pc", processes, p -> p.process().phase().ownership());
      function("mine", processes, p -> p.process().mine().words());
      function("want", processes, p -> p.process().want());
      function("table", processes, p -> p.process().table());
      function("found", processes, p -> p.process().found().words());
      function("held", processes, p -> p.process().held().stream().map(Uuid::words).toList());
      function("fresh", processes, p -> p.process().fresh());
      function("via", processes, p -> ofTables(t -> via(p, t)));
      function("keys", processes, this::keys);
      function("db", processes, p -> ofTables(t -> Values.F.numberNode(record(p, t))));
      function("query", processes, p -> p.process().queries() + 1);
      function("reads", processes, p -> Values.function(read(p), IntNode::valueOf));
      function("put", processes, p -> Values.set(List.of()));
      variable("lock", () -> ofEntries(e -> number(holder(MetricConfig.entryKey(e)))), processes);
      variable("tset", () -> ofEntries(e -> Values.set(texts(tableSet(e)))), processes);
      variable("adding", () -> ofEntries(this::adding), processes);
      variable("prev", () -> ofEntries(e -> ofTables(t -> words(followed(e, t)))), processes);
      variable("queue", () -> ofEntries(this::queue), processes);
      variable("dir", () -> ofTables(t -> words(latest(t))), processes);
      variable("dirLock", () -> ofTables(t -> number(holder(MetricConfig.tableKey(t)))), processes);
      variable("dirPut", () -> ofTables(t -> words(pointed(t))), processes);
      on("BeginTxn", p -> beginTxn(at(p)));
      for (String own : List.of("StartQuery", "NextTable", "OwnDone", "ExecuteQuery")) {
        on(own, p -> step(at(p)));
      }
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
      on("LockTimeout", p -> impatient(at(p)));
      on("ReleaseOwnership", p -> wanted(at(p)));
      on("ExpireLock", p -> expire(MetricConfig.entryKey(uuid(p.get("e")))));
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

    private JsonNode ofTables(Function<String, JsonNode> value) {
      return Values.function(order, value);
    }

    private JsonNode ofEntries(Function<Uuid, JsonNode> value) {
      Map<String, Uuid> keys = new TreeMap<>();
      entries.keySet().forEach(e -> keys.put(words(e).toString(), e));
      return Values.function(keys, value);
    }

    private JsonNode words(Uuid uuid) {
      return value("entry", uuid.words());
    }

    private Uuid uuid(JsonNode words) {
      return new Uuid(words.get(0).longValue(), words.get(1).longValue());
    }

    private JsonNode number(Object process) {
      return IntNode.valueOf((Integer) process);
    }

    private List<JsonNode> texts(Set<String> words) {
      return words.stream().<JsonNode>map(Values.F::textNode).toList();
    }

    private Object holder(String key) {
      return locks.getOrDefault(key, 0);
    }

    private JsonNode via(Process p, String table) {
      return words(p.process().via().getOrDefault(table, Value.NONE.latest()));
    }

    private JsonNode keys(Process p) {
      return Values.function(
          p.process().keys(),
          k -> {
            ObjectNode key = Values.F.objectNode();
            key.set("entry", words(k.entry()));
            key.put("locked", k.locked());
            return key;
          });
    }

    private Set<String> tableSet(Uuid e) {
      return e.time() == 0 ? Set.of(order.get((int) e.site() - 1)) : entry(e).tables().keySet();
    }

    private JsonNode adding(Uuid e) {
      Set<String> sent = new TreeSet<>();
      Value put = half.get(MetricConfig.entryKey(e));
      if (put != null) {
        sent.addAll(put.tables().keySet());
        sent.removeAll(tableSet(e));
      }
      return Values.F.textNode(String.join(" ", sent));
    }

    private Uuid followed(Uuid e, String table) {
      return entries.get(e).getOrDefault(table, Value.NONE.latest());
    }

    private JsonNode queue(Uuid e) {
      List<JsonNode> all = new ArrayList<>();
      for (Redo redo : entry(e).queue()) {
        Set<String> changed = new TreeSet<>();
        redo.changes().forEach(c -> changed.add(c.table()));
        ObjectNode words = Values.F.objectNode();
        words.put("id", number(redo.id()));
        words.set("tables", Values.set(texts(changed)));
        all.add(words);
      }
      return Values.sequence(all);
    }

    private Uuid latest(String table) {
      Value value = values.get(MetricConfig.tableKey(table));
      return value == null ? first(table) : value.latest();
    }

    private Uuid pointed(String table) {
      Value put = half.get(MetricConfig.tableKey(table));
      return put == null ? Value.NONE.latest() : put.latest();
    }

    private int number(RequestId request) {
      return Integer.parseInt(request.client().substring(1));
    }

    private int record(Process p, String table) {
      Integer old = undone.get(p.name).get(table);
      return old == null ? stored(p, table) : old;
    }

    private int stored(Process p, String table) {
      List<Long> row = p.database.real.rows(table).getOrDefault(ROW, List.of());
      return row.isEmpty() ? 0 : row.get(1).intValue();
    }

    /** What the transaction's queries read first of each table. */
    private Map<String, Integer> read(Process p) {
      Map<String, Integer> read = new TreeMap<>();
      if (!p.process().request().equals(RequestId.NONE)) {
        List<List<Long>> results = p.process().results();
        int i = 0;
        for (List<String> query : queries(p)) {
          for (String table : query) {
            if (i < results.size()) {
              List<Long> row = results.get(i++);
              read.putIfAbsent(table, row.isEmpty() ? 0 : row.get(1).intValue());
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
          .forEach(query -> queries.add(strings(query)));
      return queries;
    }

    private void beginTxn(Process p) {
      int tried = given("id", p).intValue();
      int number = tried == 0 ? given("hist").size() + 1 : tried;
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
      if (holder(key) != p.name) {
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

    private void populate(Process p) {
      undone.get(p.name).keySet().removeAll(p.process().fresh());
      until(p, Phase.EXECUTE);
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
}
