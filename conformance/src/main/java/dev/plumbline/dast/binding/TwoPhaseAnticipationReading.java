package dev.plumbline.dast.binding;

import static dev.plumbline.dast.binding.TwoPhaseAnticipationBinding.CALIBRATED;
import static dev.plumbline.dast.binding.TwoPhaseAnticipationBinding.COLLECTED;
import static dev.plumbline.dast.binding.TwoPhaseAnticipationBinding.FOLLOWING;
import static dev.plumbline.dast.binding.TwoPhaseAnticipationBinding.PREFIX;
import static dev.plumbline.dast.binding.TwoPhaseAnticipationBinding.READ;
import static dev.plumbline.dast.binding.TwoPhaseAnticipationBinding.ROUND;
import static dev.plumbline.dast.binding.TwoPhaseAnticipationBinding.TAKEN;
import static dev.plumbline.dast.binding.TwoPhaseAnticipationBinding.TIME;
import static dev.plumbline.dast.binding.TwoPhaseAnticipationBinding.TXN;

import com.fasterxml.jackson.databind.JsonNode;
import dev.plumbline.bind.Shape;
import dev.plumbline.bind.Sort;
import dev.plumbline.bind.Tla;
import dev.plumbline.graph.Values;
import dev.plumbline.tlc.Term;
import dev.plumbline.trace.TraceEvent;
import dev.plumbline.validate.MergedLog;
import dev.plumbline.validate.TraceModel.Step;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;

/** How a log of DAST reads as a behaviour of {@code TwoPhaseAnticipation}. */
final class TwoPhaseAnticipationReading extends DastReading {
  /** A transaction of a log. */
  private static final class Logged {
    final TraceEvent asked;
    final Set<String> executedBy = new TreeSet<>();
    Boolean applied;
    int last;

    Logged(TraceEvent asked) {
      this.asked = asked;
    }

    /** What it accesses, and may write. */
    Set<String> shards() {
      return Values.strings(asked.field("shards"));
    }

    Map<String, Object> plan(long coordinator) {
      Set<List<String>> deps = new HashSet<>();
      asked.field("deps").forEach(d -> deps.add(List.of(d.get(0).asText(), d.get(1).asText())));
      Set<String> writes = Boolean.FALSE.equals(applied) ? Set.of() : shards();
      return Map.of(
          "coord", coordinator, "shards", shards(), "writes", writes, "deps", deps, "cond", "");
    }
  }

  private final TreeMap<String, Logged> txns =
      new TreeMap<>(
          Comparator.comparingInt(String::length).thenComparing(Comparator.naturalOrder()));
  private final TreeMap<Integer, String> processes = new TreeMap<>();
  private final Set<Integer> heard;
  private final Map<String, Integer> lastUse = new HashMap<>();
  private final List<String> ids;

  /** The clock before a step that may have raised it by messages that are left out. */
  private final Map<Integer, JsonNode> before = new HashMap<>();

  private final Map<String, JsonNode> newest = new HashMap<>();
  private final Map<String, JsonNode> calibrated = new HashMap<>();

  /** The clocks that messages tell. */
  private final Map<String, String> tells = new HashMap<>();

  /** Clock messages that tell another clock than the sender's, or are heard as others than told. */
  private final Set<Integer> odd = new HashSet<>();

  TwoPhaseAnticipationReading(TwoPhaseAnticipationBinding binding, MergedLog log, int room) {
    super(binding, log, room, binding.layout, binding.settings());
    round(ROUND);
    for (String m : layout.managers()) {
      Stream.concat(Stream.of(m), layout.nodes(layout.region(m)).stream())
          .forEach(p -> processes.put((int) layout.nid(p), p));
    }
    for (int i = 0; i < end; i++) {
      look(i, event(i));
    }
    ids = List.copyOf(txns.keySet());
    heard = new NewsOfClocks(log, end, Set.copyOf(layout.managers()), this::accessed).hears();
    heard.forEach(i -> lastUse.put(clock(event(i)), i));
    txns.forEach(
        (id, t) -> {
          if (t.executedBy.containsAll(accessed(id))) {
            over(t.last, term(t.last, TXN, id));
          }
        });
  }

  private void look(int i, TraceEvent e) {
    if (e.action().equals(READ)) {
      newest.put(e.role(), e.field("ts"));
    } else if (e.action().equals(CALIBRATED)) {
      mention(i, TIME, e.field("last"));
      calibrated.put(e.recv().orElse(""), newest.get(e.role()));
      newest.put(e.role(), e.field("last"));
    }
    if (!e.action().startsWith(PREFIX)) {
      return;
    }
    String action = e.actionName();
    String id = e.field("t").asText();
    if (action.equals("Tell")) {
      String told = clock(e);
      e.sent().forEach(m -> tells.put(m, told));
      if (!e.field("now").equals(newest.get(e.role()))) {
        odd.add(i);
      }
    } else if (action.equals("Hear")) {
      if (!e.field("n").asText().equals(e.role())) {
        throw wrong(i, "another process than n hears it", "log who hears it as n");
      }
      if (!clock(e).equals(tells.get(e.recv().orElse("")))) {
        odd.add(i);
      }
    }
    if (FOLLOWING.contains(action)) {
      JsonNode last = calibrated.remove(e.recv().orElse(""));
      before.put(i, last == null ? newest.get(e.role()) : last);
    }
    if (TAKEN.containsKey(action)) {
      lastUse.put(use(TAKEN.get(action), id, e.role()), i);
    }
    if (action.equals("CoordIrt") || action.equals("CoordCrt")) {
      txns.put(id, new Logged(e));
    }
    Logged t = txns.get(id);
    if (t != null) {
      t.last = i;
      if (action.equals("Execute")) {
        t.executedBy.add(e.role());
        t.applied = t.applied == null ? e.field("wrote").asBoolean(true) : t.applied;
      }
    }
  }

  private static String use(String type, String txn, String by) {
    return type + " " + txn + (COLLECTED.contains(type) ? "" : " " + by);
  }

  private static String clock(TraceEvent e) {
    JsonNode now = e.field("now");
    return clock(e.field("x").asText(), now.path(0), now.path(1));
  }

  private static String clock(String process, Object time, Object frac) {
    return "clock " + process + " " + time + " " + frac;
  }

  private Set<String> accessed(String txn) {
    Set<String> nodes = new TreeSet<>();
    if (txns.containsKey(txn)) {
      txns.get(txn).asked.field("shards").forEach(s -> nodes.addAll(layout.replicas(s.asText())));
    }
    return nodes;
  }

  /** Clock messages count that say something, and those that cannot be. */
  @Override
  protected boolean concerns(int i) {
    return super.concerns(i)
        && switch (event(i).action()) {
          case PREFIX + "Tell" -> odd.contains(i) || lastUse.containsKey(clock(event(i)));
          case PREFIX + "Hear" -> odd.contains(i) || heard.contains(i);
          default -> true;
        };
  }

  @Override
  protected Term term(int i, Sort sort, Object word) {
    if (sort != TXN) {
      return super.term(i, sort, word);
    }
    String text = Shape.text(word);
    if (!txns.containsKey(text)) {
      throw wrong(i, "no log says what transaction " + text + " is", "log CoordIrt and CoordCrt");
    }
    return Term.of(ids.indexOf(text) + 1);
  }

  /** Clock messages name transactions that the log may not know. */
  @Override
  protected Term own(int i, String parameter) {
    if (!parameter.equals("prepared") && !parameter.equals("committed")) {
      return super.own(i, parameter);
    }
    Set<Term> named = new HashSet<>();
    for (JsonNode id : event(i).field(parameter)) {
      if (txns.containsKey(id.asText())) {
        named.add(term(i, TXN, id));
      }
    }
    return Term.set(named);
  }

  @Override
  public List<Step> steps(int i) {
    List<Step> steps = new ArrayList<>(super.steps(i));
    JsonNode last = before.get(i);
    if (!steps.isEmpty() && last != null) {
      List<Term> read = List.of(value(i, "n", event(i).field("n")), value(i, "last", last));
      steps.add(0, new Step("", "TraceRead", read, true));
    }
    return steps;
  }

  @Override
  protected int lastDelivery(Term message) {
    JsonNode m = message.json();
    String by = processes.get(m.get(m.has("holds") ? "src" : "dst").intValue());
    JsonNode ts = m.get("ts");
    String use =
        m.has("holds")
            ? clock(by, micros(ts.get(0).intValue()), ts.get(2))
            : use(m.get("type").textValue(), ids.get(m.get("t").intValue() - 1), by);
    return lastUse.getOrDefault(use, -1);
  }

  @Override
  public String specification() {
    return "TraceSpec";
  }

  @Override
  protected void constants() {
    Map<String, Set<Integer>> replicas = new TreeMap<>();
    Map<Integer, String> regions = new TreeMap<>();
    Set<Integer> nodes = new TreeSet<>();
    Set<Integer> managers = new TreeSet<>();
    processes.forEach(
        (nid, p) -> {
          regions.put(nid, layout.region(p));
          if (layout.managers().contains(p)) {
            managers.add(nid);
          } else {
            nodes.add(nid);
            replicas.computeIfAbsent(layout.shardOf(p), s -> new TreeSet<>()).add(nid);
          }
        });
    constant("Node", nodes);
    constant("Manager", managers);
    constant("Region", Tla.function(regions));
    constant("Replicas", Tla.function(replicas));
    constant("Fracs", Tla.text("Nat"));
    constant("Plan", txns.values().stream().map(t -> t.plan(layout.nid(t.asked.role()))).toList());
  }
}
