package dev.plumbline.metric.binding;

import static dev.plumbline.metric.binding.OwnershipBinding.ENTRY_KEY;
import static dev.plumbline.metric.binding.OwnershipBinding.STATELESS;
import static dev.plumbline.metric.binding.OwnershipBinding.TIME;

import dev.plumbline.bind.Shape;
import dev.plumbline.bind.Sort;
import dev.plumbline.bind.Tla;
import dev.plumbline.graph.Values;
import dev.plumbline.metric.MetricConfig;
import dev.plumbline.metric.system.MetricSystem;
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
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;

/** How a log of Metric reads as a behaviour of {@code Ownership}. */
final class OwnershipReading extends MetricReading {
  private final SortedMap<Long, Integer> times = new TreeMap<>();
  private final Map<List<Set<String>>, Integer> plans = new LinkedHashMap<>();

  /** By the event that begins a transaction which a site leads, its queries. */
  private final Map<Integer, List<Set<String>>> led = new HashMap<>();

  private final Map<String, Integer> begun = new HashMap<>();

  /** The numbers of their queries, by event. */
  private final Map<Integer, Integer> numbers = new HashMap<>();

  /** The transaction that each process last took up, and its tables. */
  private final Map<String, String> requests = new HashMap<>();

  private final Map<String, SortedSet<String>> reads = new HashMap<>();

  private final SortedSet<String> others = new TreeSet<>();

  /** The last event of each node, if it is a nack, and nacks that an action of the module is. */
  private final Map<String, Integer> nack = new HashMap<>();

  private final Set<Integer> explained = new HashSet<>();
  private final List<String> tables;
  private final MetricConfig config;

  OwnershipReading(OwnershipBinding binding, MergedLog log, int room) {
    super(binding, log, room, !binding.settings().asPublished(MetricConfig.SYNC));
    tables = binding.tables;
    config = new MetricSystem().config(binding.settings());
  }

  @Override
  protected void scan(int i, TraceEvent e) {
    super.scan(i, e);
    Integer before = nack.remove(e.node());
    switch (e.action()) {
      case "Ownership.BeginTxn" -> {
        if (e.args().containsKey("queries")) {
          plans.putIfAbsent(plan(i), plans.size() + 1);
          SortedSet<String> used = new TreeSet<>();
          e.args().get("queries").forEach(query -> used.addAll(Values.strings(query)));
          agrees(i, used.toString(), String.valueOf(reads.get(e.node())));
        } else {
          agrees(i, e.arg("req").asText(), requests.getOrDefault(e.node(), ""));
          led.put(i, new ArrayList<>());
          begun.put(e.node(), i);
        }
      }
      case "Ownership.StartQuery" -> {
        if (e.args().containsKey("tables") && begun.containsKey(e.node())) {
          Set<String> query = Values.strings(e.args().get("tables"));
          led.get(begun.get(e.node())).add(query);
          numbers.put(i, led.get(begun.get(e.node())).size());
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
      case "RedoLog.ReceiveCall" -> {
        requests.put(e.node(), e.arg("req").asText());
        if (e.args().containsKey("reads")) {
          reads.put(e.node(), new TreeSet<>(Values.strings(e.args().get("reads"))));
        }
      }
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
    Map<String, Object> first = new LinkedHashMap<>();
    all.forEach(table -> first.put(table, List.of(0, config.first(table).site())));
    constant("TableOrder", all);
    constant("FirstEntry(T)", Tla.cases("T", first));
    constant(
        "Plan",
        Collections.nCopies(OwnershipBinding.PROCESSES.size(), List.copyOf(plans.keySet())));
  }

  /** Every event but those that show nothing has the process's state. */
  @Override
  protected String operator(String wanted) {
    return wanted.endsWith("Shows") ? "StateShows" : wanted;
  }

  @Override
  protected boolean shows(int i) {
    String action = event(i).action();
    return !STATELESS.contains(action) && !action.startsWith("RedoLog.");
  }

  @Override
  List<Step> stepsOf(int i) {
    TraceEvent e = event(i);
    if (explained.contains(i)) {
      return List.of();
    }
    return e.action().equals("RedoLog.Nack") && e.args().containsKey("req")
        ? List.of(call(i, "", "RollBack"))
        : super.stepsOf(i);
  }

  @Override
  protected Term own(int i, String parameter) {
    return switch (parameter) {
      case "nth" -> Term.of(plans.get(plan(i)));
      case "number" -> numbers.containsKey(i) ? Term.of(numbers.get(i)) : null;
      case "asked" -> Term.of(!event(i).by().equals("timer"));
      case "on" -> on(i, event(i).arg("key").asText());
      default -> super.own(i, parameter);
    };
  }

  /** The table or the entry that a key is of. */
  private Term on(int i, String key) {
    Matcher entry = ENTRY_KEY.matcher(key);
    if (entry.matches()) {
      long time = Long.parseLong(entry.group(1));
      if (time <= 0 || times.containsKey(time)) {
        Term site = number(i, Long.parseLong(entry.group(2)));
        return Term.sequence(List.of(term(i, TIME, time), site));
      }
    }
    return Term.string(key.replaceFirst(".*? ", ""));
  }
}
