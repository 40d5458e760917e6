package dev.plumbline.metric.binding;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.IntNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.plumbline.bind.Sort;
import dev.plumbline.graph.Constants;
import dev.plumbline.graph.Values;
import dev.plumbline.machine.Input;
import dev.plumbline.metric.MetricConfig;
import dev.plumbline.metric.MetricMessage;
import dev.plumbline.metric.MetricProcess;
import dev.plumbline.metric.MetricRequest;
import dev.plumbline.metric.MetricResponse;
import dev.plumbline.metric.Phase;
import dev.plumbline.metric.Query;
import dev.plumbline.metric.Redo;
import dev.plumbline.metric.RequestId;
import dev.plumbline.metric.Statement;
import dev.plumbline.metric.Uuid;
import dev.plumbline.metric.Value;
import dev.plumbline.protocol.SeededBug;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;

/** A record is a table's only row, and has the number of the request that wrote it. */
final class RedoLogWorld extends MetricWorld {
  /** Where a process waits for its site. */
  private static final Map<LeadingSite.Stage, String> SITES =
      Map.of(
          LeadingSite.Stage.EXECUTE, "execute",
          LeadingSite.Stage.EXECUTED, "localCommit",
          LeadingSite.Stage.COMMITTED, "append",
          LeadingSite.Stage.APPENDED, "clear",
          LeadingSite.Stage.DONE, "reply");

  private final JsonNode work;
  private final List<Entry> log = new ArrayList<>();
  private final Set<Map<String, Object>> replies = new HashSet<>();
  private final Map<Object, RequestId> asked = new TreeMap<>();
  private final Map<Object, Integer> attempts = new TreeMap<>();
  private Set<String> keys;

  /** An entry of the redo log; the first is that of initialization. */
  private static final class Entry {
    final Uuid uuid;
    final Set<String> tables;
    int lock;
    Value half;

    Entry(Uuid uuid, Set<String> tables) {
      this.uuid = uuid;
      this.tables = tables;
    }
  }

  RedoLogWorld(
      RedoLogBinding binding,
      Constants model,
      SortedSet<String> behaviours,
      boolean led,
      Optional<SeededBug> bug) {
    super(binding, behaviours, led, bug);
    work = binding.defined(model, "Work");
    function("pc", processes, p -> next(p, Phase::redoLog, SITES));
    function("job", processes, this::job);
    function("mine", processes, p -> index(p.process()));
    function("owned", processes, p -> p.process().via().keySet());
    function("fresh", processes, p -> p.process().fresh());
    function("result", processes, this::result);
    function("db", processes, this::database);
    function("localQueue", processes, this::localQueue);
    variable("log", this::log);
    variable("replies", () -> replies);
    outside("Submit", "Retry", "ReceiveReply");
    on("ReceiveCall", p -> receiveCall(processes.get(p.get("p")), p.get("m")));
    on("Own", p -> own(processes.get(p.get("p")), p.get("applied").booleanValue()));
    on("Populate", p -> until(processes.get(p.get("p")), Phase.EXECUTE, Phase.LED));
    for (String local :
        List.of("Execute", "AnswerFromLog", "LocalCommit", "ClearLocalQueue", "ReplyOk")) {
      on(local, p -> local(local, processes.get(p.get("p"))));
    }
    on("CheckRead", p -> serve(processes.get(p.get("p"))));
    on("SendAppend", p -> sendAppend(processes.get(p.get("p"))));
    on("AppendDone", p -> appendDone(processes.get(p.get("p"))));
    on("Nack", p -> nack(processes.get(p.get("p"))));
    on("ReleaseOwnership", p -> release(processes.get(p.get("p"))));
    on("CrashProcess", p -> start(processes.get(p.get("p"))));
    on("ExpireLock", p -> log.get(p.get("e").intValue() - 1).lock = 0);
  }

  @Override
  protected void open(ObjectNode initial) {
    keys = Values.strings(initial.get("log").get(0).get("tables"));
    log.clear();
    log.add(new Entry(null, keys));
    replies.clear();
    begin(initial.get("pc"), List.copyOf(keys));
  }

  @Override
  protected void settle() {
    for (Process p : processes.all()) {
      p.out.replies.forEach(r -> replied(p, r));
      p.out.replies.clear();
    }
  }

  private JsonNode work(RequestId request) {
    return work.get(number(request) - 1);
  }

  @Override
  protected JsonNode named(Sort sort, Object word) {
    return IntNode.valueOf(number((RequestId) word));
  }

  // -- variables

  private Map<String, Object> job(Process p) {
    RequestId request = led() ? p.site.request() : p.process().request();
    return Map.of("att", number(request) == 0 ? 0 : attempts.get(p.name), "req", request);
  }

  private int index(MetricProcess machine) {
    if (machine.held().isEmpty()) {
      return 0;
    }
    for (int i = 1; i < log.size(); i++) {
      if (log.get(i).uuid.equals(machine.mine())) {
        return i + 1;
      }
    }
    return 0;
  }

  private Set<List<Object>> result(Process p) {
    if (led()) {
      return pairs(p.site.read());
    }
    boolean executed = p.process().phase().compareTo(Phase.EXECUTE) > 0;
    return executed ? reads(p.process().request(), p.process().results()) : Set.of();
  }

  /** What a site has read, of tables that its request reads. */
  private Set<List<Object>> pairs(Map<String, Integer> read) {
    Set<List<Object>> pairs = new HashSet<>();
    read.forEach((table, writer) -> pairs.add(List.of(table, writer)));
    return pairs;
  }

  /** What a request's first statements, which read, returned. */
  private Set<List<Object>> reads(RequestId request, List<List<Long>> results) {
    Set<List<Object>> reads = new HashSet<>();
    int i = 0;
    for (String table : Values.strings(work(request).get("reads"))) {
      List<Long> row = i < results.size() ? results.get(i++) : List.of();
      reads.add(List.of(table, record(row)));
    }
    return reads;
  }

  private Map<String, Integer> database(Process p) {
    Map<String, Integer> records = new TreeMap<>();
    keys.forEach(table -> records.put(table, record(p, table)));
    return records;
  }

  private List<Map<String, Object>> localQueue(Process p) {
    String text = p.site.queue();
    List<Redo> left =
        text.isEmpty()
            ? List.of()
            : List.of(
                new Redo(
                    p.site.request(),
                    List.of(),
                    List.of(),
                    List.of(),
                    new TreeSet<>(LeadingSite.written(text).keySet()),
                    text));
    return queue(led() ? left : p.database.queue());
  }

  private List<Map<String, Object>> queue(List<Redo> queue) {
    List<Map<String, Object>> all = new ArrayList<>();
    for (Redo redo : queue) {
      Set<List<Object>> reads =
          led() ? pairs(LeadingSite.readBy(redo.text())) : reads(redo.id(), redo.results());
      all.add(Map.of("keys", changed(redo), "reads", reads, "req", redo.id()));
    }
    return all;
  }

  private List<Map<String, Object>> log() {
    List<Map<String, Object>> all = new ArrayList<>();
    for (Entry entry : log) {
      List<Redo> stored = entry.uuid == null ? List.of() : entry(entry.uuid).queue();
      List<Redo> sent =
          entry.half == null
              ? List.of()
              : entry.half.queue().subList(stored.size(), entry.half.queue().size());
      Map<String, Object> words = new TreeMap<>(Map.of("lock", entry.lock));
      words.putAll(Map.of("queue", queue(stored), "sent", queue(sent), "tables", entry.tables));
      all.add(words);
    }
    return all;
  }

  private void replied(Process p, Record response) {
    Set<List<Object>> reads =
        response instanceof MetricResponse.Done done
            ? reads(asked.get(p.name), done.results())
            : Set.of();
    replied(p, response, reads);
  }

  private void replied(Process p, Record response, Set<List<Object>> reads) {
    RequestId request = asked.get(p.name);
    String kind =
        response instanceof MetricResponse.Done
            ? "ok"
            : response instanceof MetricResponse.Unknown ? "unknown" : "failed";
    int attempt = attempts.get(p.name);
    replies.add(Map.of("att", attempt, "kind", kind, "reads", reads, "req", request));
  }

  // -- actions

  private void receiveCall(Process p, JsonNode m) {
    int number = m.get("req").intValue();
    RequestId request = new RequestId("c" + number, 1);
    asked.put(p.name, request);
    attempts.put(p.name, m.get("att").intValue());
    if (led()) {
      SortedSet<String> writes = new TreeSet<>(Values.strings(work(request).get("writes")));
      ask(p, p.site.begin(number, List.of(target(request)), writes));
      step(p);
      return;
    }
    List<Statement> statements = new ArrayList<>();
    Values.strings(work(request).get("reads"))
        .forEach(t -> statements.add(new Statement(Statement.Kind.READ, t, ROW, 0)));
    Values.strings(work(request).get("writes"))
        .forEach(t -> statements.add(new Statement(Statement.Kind.WRITE, t, ROW, number)));
    List<Query> queries = List.of(new Query(statements));
    give(p, new Input.ClientRequest(1, new MetricRequest.Transact(request, queries)));
    step(p);
    Set<String> target = new TreeSet<>();
    statements.forEach(s -> target.add(s.table()));
    if (p.process().via().keySet().containsAll(target)) {
      step(p);
    }
  }

  /** What a request reads or writes. */
  private SortedSet<String> target(RequestId request) {
    SortedSet<String> all = new TreeSet<>(Values.strings(work(request).get("reads")));
    all.addAll(Values.strings(work(request).get("writes")));
    return all;
  }

  /** What is the local database's, or the site's that leads. */
  private void local(String action, Process p) {
    if (!led()) {
      step(p);
      return;
    }
    p.changed();
    switch (action) {
      case "Execute" -> {
        p.site.execute();
        if (!p.site.writes()) {
          ask(p, p.site.confirm());
        }
      }
      case "LocalCommit" -> p.site.commit();
      case "ClearLocalQueue" -> p.site.clear();
      case "ReplyOk" -> {
        replied(p, new MetricResponse.Done(List.of(), List.of()), pairs(p.site.read()));
        ask(p, p.site.release());
      }
      default -> throw new IllegalArgumentException("no site has an action " + action);
    }
  }

  @Override
  void failed(Process p, Record answer) {
    replied(p, answer, Set.of());
  }

  private void own(Process p, boolean applied) {
    SortedSet<String> need = target(asked.get(p.name));
    for (String table : need) {
      Entry old = latest(table);
      if (old.half != null) {
        if (applied) {
          values.put(MetricConfig.entryKey(old.uuid), old.half);
        }
        old.half = null;
      }
    }
    log.stream().filter(e -> e.lock == (Integer) p.name).forEach(e -> e.lock = 0);
    until(p, Phase.READ);
    Entry made = new Entry(p.process().mine(), Set.copyOf(need));
    made.lock = (Integer) p.name;
    log.add(made);
  }

  private Entry latest(String table) {
    for (int i = log.size() - 1; i > 0; i--) {
      if (log.get(i).tables.contains(table)) {
        return log.get(i);
      }
    }
    return log.get(0);
  }

  private boolean holds(Process p) {
    int mine = index(p.process());
    return mine != 0 && log.get(mine - 1).lock == (Integer) p.name;
  }

  private void sendAppend(Process p) {
    if (led()) {
      ask(p, p.site.append());
    } else {
      step(p);
    }
    if (holds(p) && p.asking instanceof MetricMessage.Put put) {
      log.get(index(p.process()) - 1).half = put.value();
    }
  }

  private void appendDone(Process p) {
    log.get(index(p.process()) - 1).half = null;
    serve(p);
  }

  private void nack(Process p) {
    if (led() && p.asking == null) {
      giveUp(p);
      return;
    }
    switch (p.process().phase()) {
      case QUERY -> {
        until(p, Phase.LOCK_DIRECTORY);
        impatient(p);
      }
      case LOCAL_COMMIT, APPEND -> {
        p.database.refuses = true;
        step(p);
        p.database.refuses = false;
      }
      default -> refuse(p);
    }
  }

  /** Who leads a transaction gives it up; an own() under way is answered, too. */
  private void giveUp(Process p) {
    boolean tells = p.site.stage() == LeadingSite.Stage.OWN;
    ask(p, p.site.release());
    if (!tells) {
      replied(p, new MetricResponse.Failed("its site gave it up"), Set.of());
    }
  }

  private void release(Process p) {
    if (holds(p)) {
      log.get(index(p.process()) - 1).lock = 0;
    }
    wanted(p);
  }
}
