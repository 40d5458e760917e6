package dev.plumbline.dast.binding;

import static dev.plumbline.dast.binding.FailoverBinding.COMMITTED;
import static dev.plumbline.dast.binding.FailoverBinding.LISTS;
import static dev.plumbline.dast.binding.FailoverBinding.OTHERS;
import static dev.plumbline.dast.binding.FailoverBinding.PREFIX;
import static dev.plumbline.dast.binding.FailoverBinding.PROCESS;
import static dev.plumbline.dast.binding.FailoverBinding.ROUND;
import static dev.plumbline.dast.binding.FailoverBinding.TIME;
import static dev.plumbline.dast.binding.FailoverBinding.madeUp;

import com.fasterxml.jackson.databind.JsonNode;
import dev.plumbline.bind.LogReading;
import dev.plumbline.bind.Names;
import dev.plumbline.bind.Shape;
import dev.plumbline.bind.Sort;
import dev.plumbline.dast.Layout;
import dev.plumbline.graph.Values;
import dev.plumbline.tlc.Term;
import dev.plumbline.trace.TraceEvent;
import dev.plumbline.validate.MergedLog;
import dev.plumbline.validate.TraceModel.Step;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/** How a log of DAST reads as a behaviour of {@code Failover}. */
final class FailoverReading extends LogReading {
  /** A new replica's first view. */
  private record Join(int at, int instance, Set<Attempt> executed) {}

  /** What a process is between two failures: a node's incarnation, a manager's epoch. */
  private record Instance(String role, long incarnation) {}

  /** A transaction; a client that asks a coordinator which lost its state may begin it again. */
  private static final class Attempt {
    final int from;
    final int coordinator;
    final boolean crt;
    final Set<String> shards;
    final Set<Integer> executedBy = new HashSet<>();

    /** What each instance voted for. */
    final Map<Integer, JsonNode> voted = new HashMap<>();

    /** Whether the first to execute it wrote. */
    JsonNode wrote;

    boolean committed;
    int number;

    /** The last event that mentions it. */
    int last;

    Attempt(int from, int coordinator, TraceEvent asked) {
      this.from = from;
      this.coordinator = coordinator;
      this.crt = asked.action().endsWith("CoordCrt");
      this.shards = Values.strings(asked.field("shards"));
    }
  }

  private final Layout layout;
  private final Map<Instance, Integer> instances = new LinkedHashMap<>();
  private final Map<Integer, String> shardOf = new HashMap<>();

  /** The instance of each event's role. */
  private final int[] acting;

  /** The members of each region's views. */
  private final Map<String, List<Map<String, Integer>>> views = new TreeMap<>();

  private final Map<String, List<Attempt>> txns =
      new TreeMap<>(
          Comparator.comparingInt(String::length).thenComparing(Comparator.naturalOrder()));
  private final Set<Integer> heard = new TreeSet<>();
  private final Map<String, Map<String, Integer>> newest = new HashMap<>();

  /** Who sent a message. */
  private final Map<String, Integer> senders = new HashMap<>();

  /** The clocks that messages tell. */
  private final Map<String, JsonNode> tells = new HashMap<>();

  /** Clocks that are heard as others than told. */
  private final Set<Integer> odd = new HashSet<>();

  /** What each manager anticipated for a transaction. */
  private final Map<List<Object>, Object> anticipated = new HashMap<>();

  /** The instances whose votes a coordinator has. */
  private final Map<Integer, Set<Integer>> votes = new HashMap<>();

  private final List<Join> joins = new ArrayList<>();
  private final Map<Integer, Integer> lastExecution = new HashMap<>();

  FailoverReading(FailoverBinding binding, MergedLog log, int room) {
    super(binding, log, room);
    layout = binding.layout;
    round(ROUND);
    acting =
        new int[DastReading.hasViews(log) ? events : DastReading.beforeViewChange(log, layout)];
    Map<String, Integer> now = new HashMap<>();
    for (String m : layout.managers()) {
      now.put(m, instance(m, RegionWorld.FIRST_MANAGER));
      Map<String, Integer> members = new TreeMap<>();
      layout
          .nodes(layout.region(m))
          .forEach(n -> members.put(n, instance(n, RegionWorld.FIRST_NODE)));
      now.putAll(members);
      views.put(layout.region(m), new ArrayList<>(List.of(members)));
    }
    for (int i = 0; i < acting.length; i++) {
      TraceEvent e = event(i);
      become(e, now);
      acting[i] = now.getOrDefault(e.role(), 0);
      if (super.concerns(i)) {
        look(i, e);
      }
      if (e.action().equals(OTHERS + "Tell")) {
        demandTeller(i, e.role());
        e.sent().forEach(id -> tells.put(id, e.field("now")));
      } else if (e.args().containsKey("votes")) {
        Set<Integer> voters = new TreeSet<>();
        e.field("votes").forEach(n -> voters.add(now.getOrDefault(n.asText(), 0)));
        votes.put(i, voters);
      }
      for (String id : e.sent()) {
        senders.put(id, acting[i]);
      }
    }
    int number = 0;
    for (Attempt t : attempts()) {
      t.number = ++number;
      if (isOver(t)) {
        over(t.last, Term.of(t.number));
      }
    }
  }

  private void demandTeller(int i, String teller) {
    if (!event(i).field("x").asText().equals(teller)) {
      throw error(i, "another process than x tells this clock", "log who tells it as x");
    }
  }

  /** A role goes on as another instance. */
  private void become(TraceEvent e, Map<String, Integer> now) {
    String role = e.field("role").asText();
    if (e.action().equals(TraceEvent.RESTART) && layout.managers().contains(role)) {
      now.put(role, instance(role, e.field("epoch").asLong()));
    } else if (isJoin(e)) {
      now.put(e.role(), instance(e.role(), e.args().get("incarnation").asLong()));
    }
  }

  private static boolean isJoin(TraceEvent e) {
    return e.action().equals(PREFIX + "HandleViewCommit") && e.args().containsKey("incarnation");
  }

  private int instance(String role, long incarnation) {
    int number =
        instances.computeIfAbsent(new Instance(role, incarnation), i -> instances.size() + 1);
    if (!layout.managers().contains(role)) {
      shardOf.put(number, layout.shardOf(role));
    }
    return number;
  }

  private void look(int i, TraceEvent e) {
    String id = e.field("t").asText();
    String action = e.actionName();
    switch (action) {
      case "CoordIrt", "CoordCrt" ->
          txns.computeIfAbsent(id, t -> new ArrayList<>()).add(new Attempt(i, acting[i], e));
      case "CommitCrt", "HandleCommitCrt", "HandleResolved" ->
          known(i, id).ifPresent(t -> t.committed = true);
      case "Anticipate" -> anticipated.put(List.of(acting[i], id), madeUp(e));
      case "HandlePrepCrt" ->
          known(i, id).ifPresent(t -> t.voted.putIfAbsent(acting[i], e.field("at")));
      case "Hear" -> {
        demandTeller(i, e.sender().orElse(""));
        JsonNode told = tells.get(e.recv().orElse(""));
        if (!e.field("now").equals(told)) {
          odd.add(i);
          if (told != null) {
            mention(i, TIME, told);
          }
        }
        if (!layout.managers().contains(e.role())) {
          newest.computeIfAbsent(e.role(), n -> new HashMap<>()).put(e.field("x").asText(), i);
          if (e.args().containsKey(COMMITTED)) {
            heard.add(i);
          }
        }
      }
      case "Execute" -> {
        heard.addAll(newest.getOrDefault(e.role(), Map.of()).values());
        newest.remove(e.role());
        lastExecution.put(acting[i], i);
        known(i, id)
            .ifPresent(
                t -> {
                  t.executedBy.add(acting[i]);
                  t.wrote = t.wrote == null ? e.field("wrote") : t.wrote;
                });
      }
      case "DecideView" -> {
        Map<String, Integer> members = new TreeMap<>();
        e.field("members")
            .properties()
            .forEach(n -> members.put(n.getKey(), instance(n.getKey(), n.getValue().asLong())));
        views.get(layout.region(e.role())).add(members);
      }
      default -> {}
    }
    if (isJoin(e)) {
      Set<Attempt> executed = new HashSet<>();
      e.field("executed").forEach(t -> known(i, t.asText()).ifPresent(executed::add));
      executed.forEach(t -> t.executedBy.add(acting[i]));
      joins.add(new Join(i, acting[i], executed));
    }
    known(i, id).ifPresent(t -> t.last = i);
    for (String name : LISTS) {
      e.field(name).forEach(t -> known(i, t.asText()).ifPresent(k -> k.last = i));
    }
  }

  /**
   * Whether nothing after its last mention can tell that it is forgotten: who executes anything
   * later, or joins, has executed it; or it is a CRT that nobody committed.
   */
  private boolean isOver(Attempt t) {
    if (t.executedBy.isEmpty()) {
      return t.crt && !t.committed;
    }
    return lastExecution.entrySet().stream()
            .filter(e -> e.getValue() > t.last && t.shards.contains(shardOf.get(e.getKey())))
            .allMatch(e -> t.executedBy.contains(e.getKey()))
        && joins.stream()
            .filter(join -> join.at() > t.last && t.shards.contains(shardOf.get(join.instance())))
            .allMatch(join -> join.executed().contains(t));
  }

  private List<Attempt> attempts() {
    return txns.values().stream().flatMap(List::stream).toList();
  }

  private Optional<Attempt> known(int i, String id) {
    return txns.getOrDefault(id, List.of()).stream().filter(a -> a.from <= i).reduce((a, b) -> b);
  }

  @Override
  protected boolean concerns(int i) {
    return i < acting.length
        && super.concerns(i)
        && (heard.contains(i) || odd.contains(i) || !event(i).action().equals(OTHERS + "Hear"));
  }

  @Override
  protected void mention(int i, Sort sort, Object word) {
    if (sort == TIME) {
      super.mention(i, sort, word);
    }
  }

  @Override
  protected Term term(int i, Sort sort, Object word) {
    String text = Shape.text(word);
    if (sort == TIME) {
      if (names(TIME, Names.Ranked.class).rank(word) < 0) {
        throw error(i, event(i).action() + ": no timestamp", "log the machines' timestamps");
      }
      return super.term(i, sort, word);
    } else if (sort == PROCESS) {
      if (acting[i] == 0) {
        throw error(i, "no process " + text, "name the deployment's parameters with --set");
      } else if (!text.equals(event(i).role())) {
        throw error(
            i,
            event(i).action() + " of " + event(i).role() + " says that it is of " + text,
            "log a step where it is taken");
      }
      return Term.of(acting[i]);
    }
    return Term.of(
        known(i, text)
            .orElseThrow(
                () ->
                    error(
                        i,
                        "no log says what transaction " + text + " is",
                        "log CoordIrt and CoordCrt"))
            .number);
  }

  /** What is said in terms of another moment: senders, members, an epoch's manager. */
  @Override
  protected Term own(int i, String parameter) {
    TraceEvent e = event(i);
    int vid = e.field("vid").asInt();
    return switch (parameter) {
      case "x", "s" -> sender(i);
      case "m" -> e.args().containsKey("epoch") ? manager(i) : null;
      case "told" -> told(i);
      case "anticipatedFor" -> anticipated(i);
      case "votes" -> Term.set(votes(i).stream().map(Term::of).toList());
      case "voted" -> {
        Attempt t = known(i, e.field("t").asText()).orElseThrow();
        yield Term.set(
            votes(i).stream()
                .filter(t.voted::containsKey)
                .map(n -> term(i, TIME, t.voted.get(n)))
                .toList());
      }
      case "wroteFirst" -> Term.of(known(i, e.field("t").asText()).orElseThrow().wrote.asBoolean());
      case "remove" -> {
        Set<Term> nodes = new HashSet<>();
        for (JsonNode n : e.field("remove")) {
          nodes.add(Term.of(view(i, vid - 1).getOrDefault(n.asText(), 0)));
        }
        yield Term.set(nodes);
      }
      case "members" -> Term.set(view(i, vid).values().stream().map(Term::of).toList());
      case "add" -> Term.of(view(i, vid).getOrDefault(e.field("add").asText(), 0));
      default -> super.own(i, parameter);
    };
  }

  private Term sender(int i) {
    String id = event(i).recv().orElse("");
    if (!senders.containsKey(id)) {
      throw error(i, "no log says who sent message " + id, "log what is sent");
    }
    return Term.of(senders.get(id));
  }

  private Set<Integer> votes(int i) {
    if (!votes.containsKey(i)) {
      throw error(i, event(i).action() + " does not say who voted", "log its votes");
    }
    return votes.get(i);
  }

  /** The manager of an event's epoch. */
  private Term manager(int i) {
    TraceEvent e = event(i);
    long epoch = e.field("epoch").asLong();
    Integer m = instances.get(new Instance(layout.manager(layout.region(e.role())), epoch));
    if (m == null || (layout.managers().contains(e.role()) && m != acting[i])) {
      throw error(
          i,
          e.action() + " of " + e.role() + ": its manager is not of epoch " + epoch,
          "log the epoch that the manager's Restart says, 1 before");
    }
    return Term.of(m);
  }

  /** The clock that a message tells. */
  private Term told(int i) {
    String id = event(i).recv().orElse("");
    if (!tells.containsKey(id)) {
      throw error(i, "no log says which clock message " + id + " tells", "log Tell");
    }
    return term(i, TIME, tells.get(id));
  }

  /** What a manager that asks has anticipated; what a replica asks with is in no other event. */
  private Term anticipated(int i) {
    TraceEvent e = event(i);
    if (!layout.managers().contains(e.sender().orElse(""))) {
      return value(i, "asked", e.field("asked"));
    }
    sender(i);
    String id = e.field("t").asText();
    Object at = anticipated.get(List.of(senders.get(e.recv().orElseThrow()), id));
    if (at == null) {
      throw error(
          i, "no log says what " + e.sender().get() + " anticipated for " + id, "log Anticipate");
    }
    return value(i, "at", at);
  }

  private Map<String, Integer> view(int i, int number) {
    List<Map<String, Integer>> known = views.get(layout.region(event(i).role()));
    if (number < 0 || number >= known.size()) {
      throw error(i, "no log says what view " + number + " is", "log DecideView");
    }
    return known.get(number);
  }

  @Override
  public List<Step> steps(int i) {
    return i < acting.length && isJoin(event(i))
        ? List.of(call(i, "HandleViewCommit", "TraceJoin"))
        : super.steps(i);
  }

  @Override
  public Map<String, String> names(int index) {
    Map<String, String> names = new TreeMap<>(super.names(index));
    Integer sender = senders.get(event(index).recv().orElse(""));
    if (sender != null) {
      names.put(event(index).sender().orElseThrow(), "process " + sender);
    }
    return names;
  }

  @Override
  public String specification() {
    return "TraceSpec";
  }

  @Override
  protected void constants() {
    List<Instance> all = List.copyOf(instances.keySet());
    constant("Member", numbers(i -> isNode(i) && i.incarnation() == RegionWorld.FIRST_NODE));
    constant("Spare", numbers(i -> isNode(i) && i.incarnation() > RegionWorld.FIRST_NODE));
    constant("Manager", numbers(i -> !isNode(i)));
    constant("RegionOf", all.stream().map(i -> layout.region(i.role())).toList());
    constant("Shard", all.stream().map(i -> isNode(i) ? layout.shardOf(i.role()) : "").toList());
    constant("Epoch", all.stream().map(Instance::incarnation).toList());
    constant("Coord", attempts().stream().map(a -> a.coordinator).toList());
    constant("Shards", attempts().stream().map(a -> a.shards).toList());
    constant(
        "Crts",
        attempts().stream().filter(a -> a.crt).map(a -> a.number).collect(Collectors.toSet()));
  }

  private boolean isNode(Instance i) {
    return !layout.managers().contains(i.role());
  }

  private Set<Integer> numbers(Predicate<Instance> which) {
    Set<Integer> numbers = new TreeSet<>();
    instances.forEach(
        (instance, number) -> {
          if (which.test(instance)) {
            numbers.add(number);
          }
        });
    return numbers;
  }
}
