package dev.plumbline.metric.binding;

import static dev.plumbline.metric.binding.RedoLogBinding.OUTCOMES;
import static dev.plumbline.metric.binding.RedoLogBinding.REQUEST;

import com.fasterxml.jackson.databind.JsonNode;
import dev.plumbline.bind.Names;
import dev.plumbline.graph.Values;
import dev.plumbline.metric.MetricConfig;
import dev.plumbline.metric.Position;
import dev.plumbline.metric.Uuid;
import dev.plumbline.tlc.Term;
import dev.plumbline.trace.TraceEvent;
import dev.plumbline.validate.MergedLog;
import dev.plumbline.validate.TraceModel.Step;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;

/** How a log of Metric reads as a behaviour of {@code RedoLog}. */
final class RedoLogReading extends MetricReading {
  /** What names the request that its process has taken up. */
  private static final Set<String> OF_RUNNING =
      Set.of("RedoLog.SendAppend", "RedoLog.ReplyOk", "RedoLog.Nack");

  private final Map<String, Map<String, Set<String>>> work = new TreeMap<>();
  private final Map<String, Map<String, Long>> locked = new HashMap<>();
  private final Map<String, List<Integer>> calls = new TreeMap<>();
  private final Map<String, String> running = new HashMap<>();
  private final Map<String, Integer> over = new HashMap<>();

  /** What transactions that sites lead use and write, and the redo log that they leave. */
  private final Map<String, SortedSet<String>> used = new TreeMap<>();

  private final Map<String, SortedSet<String>> written = new TreeMap<>();
  private final Chain chain = new Chain();
  private final List<String> tables;

  RedoLogReading(RedoLogBinding binding, MergedLog log, int room) {
    super(binding, log, room, !binding.settings().asPublished(MetricConfig.SYNC));
    tables = binding.tables;
  }

  @Override
  protected void scan(int i, TraceEvent e) {
    super.scan(i, e);
    String request = e.arg("req").asText();
    if (OF_RUNNING.contains(e.action()) && !request.isEmpty()) {
      agrees(i, request, running.getOrDefault(e.node(), ""));
    }
    switch (e.action()) {
      case "RedoLog.ReceiveCall" -> {
        calls.computeIfAbsent(request, r -> new ArrayList<>()).add(i);
        running.put(e.node(), request);
        over.remove(request);
        if (e.args().containsKey("reads")) {
          work.put(
              request,
              work(Values.strings(e.args().get("reads")), Values.strings(e.args().get("writes"))));
        } else {
          used.put(request, new TreeSet<>());
          written.put(request, new TreeSet<>());
        }
      }
      case "Ownership.StartQuery" -> {
        if (e.args().containsKey("tables") && running.containsKey(e.node())) {
          used.get(running.get(e.node())).addAll(Values.strings(e.args().get("tables")));
        }
      }
      case "Ownership.AddTable" -> chain.follows(e);
      case "RedoLog.AppendDone" -> chain.acknowledge(e.node());
      case "RedoLog.SendAppend" -> {
        if (e.args().containsKey("req")) {
          written
              .computeIfAbsent(request, r -> new TreeSet<>())
              .addAll(Values.strings(e.args().get("tables")));
          chain.append(e);
        }
      }
      case "Ownership.CreateEntry" -> locked.put(e.node(), new TreeMap<>());
      case "Ownership.LockFound" ->
          locked.get(e.node()).put(e.arg("key").asText(), e.args().get("ref").asLong());
      case "RedoLog.Own" ->
          locked.get(e.node()).forEach((key, reference) -> gets(i, key, reference));
      case "RedoLog.ReplyOk", "RedoLog.Nack" -> over(i, e);
      default -> {
        if (e.ends()) {
          over(i, e);
        }
      }
    }
  }

  /** The node's transaction is over. */
  private void over(int i, TraceEvent e) {
    if (running.containsKey(e.node())) {
      over.put(running.remove(e.node()), i);
    }
  }

  private static Map<String, Set<String>> work(Set<String> reads, Set<String> writes) {
    return Map.of("reads", reads, "writes", writes);
  }

  @Override
  protected void constants() {
    SortedSet<String> keys = new TreeSet<>(tables);
    used.forEach(
        (request, of) -> {
          keys.addAll(of);
          work.put(request, work(of, written.get(request)));
        });
    // What the log mentions and no process took up.
    List<String> requests = names(REQUEST, Names.Listed.class).words();
    requests.forEach(r -> work.putIfAbsent(r, work(Set.of(), Set.of())));
    constant("Keys", keys);
    constant("Led", !used.isEmpty());
    constant("Work", requests.stream().map(work::get).toList());
  }

  /** An event of a transaction that a site leads. */
  private boolean led(TraceEvent e) {
    return e.state().containsKey("at") || used.containsKey(e.arg("req").asText());
  }

  @Override
  List<Step> stepsOf(int i) {
    TraceEvent e = event(i);
    if (e.action().equals("RedoLog.Execute") && led(e)) {
      return List.of(
          call(i, "Populate", "PopulateLed"),
          call(i, "Execute", "ExecuteLed"),
          call(i, "", "ReadLed"));
    }
    List<Step> steps = new ArrayList<>(super.stepsOf(i));
    if (e.action().equals("RedoLog.SendAppend") && led(e)) {
      steps.add(0, call(i, "LocalCommit", "LocalCommit"));
    } else if (e.action().equals("RedoLog.ReplyOk") && led(e)) {
      steps.add(0, call(i, "ClearLocalQueue", "ClearLed"));
    }
    return steps;
  }

  /** Requests that were executed, perhaps, and come again or are still at some process. */
  private Term live(int i) {
    int now = place(i);
    List<Term> live = new ArrayList<>();
    calls.forEach(
        (request, at) -> {
          if (at.size() > 1 && at.get(0) < now && over.getOrDefault(request, events) > now) {
            live.add(value(i, "req", request));
          }
        });
    return Term.set(live);
  }

  /** Tables with the requests that their records come from; 0 for none. */
  @Override
  protected Term own(int i, String parameter) {
    if (parameter.equals("live")) {
      return live(i);
    } else if (parameter.equals("at")) {
      Map<Term, Term> records = new HashMap<>();
      event(i)
          .state()
          .get("at")
          .properties()
          .forEach(
              field -> {
                List<Term> writers = new ArrayList<>();
                chain
                    .writers(field.getKey(), Position.of(field.getValue().asText()))
                    .forEach(writer -> writers.add(record(i, writer)));
                records.put(Term.string(field.getKey()), Term.set(writers));
              });
      return Term.function(records);
    } else if (!OUTCOMES.contains(parameter)) {
      return super.own(i, parameter);
    }
    JsonNode words = event(i).state().get(parameter);
    if (words == null) {
      return null;
    }
    Map<Term, Term> records = new HashMap<>();
    words
        .properties()
        .forEach(
            field ->
                records.put(Term.string(field.getKey()), record(i, field.getValue().asText())));
    return Term.function(records);
  }

  private Term record(int i, String writer) {
    return writer.isEmpty() ? Term.of(0) : value(i, "req", writer);
  }

  /** The redo log that transactions leave which sites lead, as it was sent. */
  private static final class Chain {
    /** What a transaction appended. */
    private record Appended(String request, Set<String> tables) {}

    private final Map<Uuid, Map<String, Uuid>> before = new HashMap<>();
    private final Map<Uuid, List<Appended>> queues = new HashMap<>();
    private final Map<String, String> last = new HashMap<>();
    private final Set<String> acknowledged = new TreeSet<>();

    /** An entry follows another for a table. */
    void follows(TraceEvent e) {
      before
          .computeIfAbsent(MetricReading.uuid(e.state().get("mine")), entry -> new HashMap<>())
          .put(e.state().get("table").asText(), MetricReading.uuid(e.state().get("found")));
    }

    void append(TraceEvent e) {
      Position at = Position.of(e.arg("at").asText());
      List<Appended> queue = queues.computeIfAbsent(at.entry(), entry -> new ArrayList<>());
      while (queue.size() < at.length()) {
        queue.add(new Appended("", Set.of()));
      }
      last.put(e.node(), e.args().get("req").asText());
      queue.set(
          at.length() - 1,
          new Appended(e.args().get("req").asText(), Values.strings(e.args().get("tables"))));
    }

    /** The last append of a node's process is acknowledged. */
    void acknowledge(String node) {
      if (last.containsKey(node)) {
        acknowledged.add(last.get(node));
      }
    }

    /**
     * Who wrote a table that is at a position; empty for nobody. An append that was not
     * acknowledged may stand there or not.
     */
    SortedSet<String> writers(String table, Position at) {
      SortedSet<String> writers = new TreeSet<>();
      int length = at.length();
      Uuid e = at.entry();
      while (e != null && e.time() > 0) {
        List<Appended> queue = queues.getOrDefault(e, List.of());
        for (int i = Math.min(length, queue.size()) - 1; i >= 0; i--) {
          if (queue.get(i).tables.contains(table)) {
            writers.add(queue.get(i).request);
            if (acknowledged.contains(queue.get(i).request)) {
              return writers;
            }
          }
        }
        length = Integer.MAX_VALUE;
        e = before.getOrDefault(e, Map.of()).get(table);
      }
      writers.add("");
      return writers;
    }
  }
}
