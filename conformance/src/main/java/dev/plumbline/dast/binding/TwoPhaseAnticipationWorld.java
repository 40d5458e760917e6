package dev.plumbline.dast.binding;

import static dev.plumbline.dast.binding.DastPlace.LATE;
import static dev.plumbline.dast.binding.DastPlace.NEVER;
import static dev.plumbline.dast.binding.TwoPhaseAnticipationBinding.KEBAB;
import static dev.plumbline.dast.binding.TwoPhaseAnticipationBinding.NO_MESSAGE;
import static dev.plumbline.dast.binding.TwoPhaseAnticipationBinding.TAKEN;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.plumbline.bind.Shape;
import dev.plumbline.dast.DastConfig;
import dev.plumbline.dast.DastMessage;
import dev.plumbline.dast.DastMessage.Note;
import dev.plumbline.dast.DastResponse.Executed;
import dev.plumbline.dast.Manager;
import dev.plumbline.dast.Node;
import dev.plumbline.dast.StretchableClock;
import dev.plumbline.dast.Timestamp;
import dev.plumbline.dast.Txn;
import dev.plumbline.graph.Constants;
import dev.plumbline.graph.Memento;
import dev.plumbline.graph.Outbox.Sent;
import dev.plumbline.graph.Values;
import dev.plumbline.machine.ClockReading;
import dev.plumbline.machine.Machine;
import dev.plumbline.protocol.NodeSpec;
import dev.plumbline.protocol.SeededBug;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.function.IntFunction;
import java.util.function.Predicate;
import java.util.stream.IntStream;

/**
 * Machines take one step at a time; in their own run they commit, tell and execute at once where
 * they can.
 *
 * <p>A process's wall clock shows what the action's {@code time} says. Clock readings that the
 * specification leaves out are put back: the one of a coordinator that starts a CRT, and the one of
 * a process that tells its newest timestamp once more. A step is taken back if a clock's frac would
 * leave {@code Fracs}, the model's bound; and an execution if it is not the transaction's or needs
 * another reading of the clock than the action's. Estimates of a round trip come from made-up
 * pongs. A clock message's notes are acknowledged at once where it is sent and received in one
 * step, and never where these are two.
 */
final class TwoPhaseAnticipationWorld extends DastWorld {
  /** A node or a manager, and what is kept of it besides. */
  private static final class Process extends DastPlace {
    final Node node;
    final Manager manager;
    final TreeMap<String, Map<String, Timestamp>> heldBy = new TreeMap<>();
    final TreeMap<Integer, Map<String, Long>> inputs = new TreeMap<>();
    final List<Map<String, Object>> log = new ArrayList<>();

    Process(int nid, NodeSpec spec, Node node, Manager manager) {
      super(nid, spec);
      this.node = node;
      this.manager = manager;
    }

    @Override
    StretchableClock clock() {
      return node == null ? manager.clock() : node.clock();
    }
  }

  private final List<ModelPlan> plans;
  private final List<Integer> numbers;
  private final Map<Integer, List<Integer>> accessing = new HashMap<>();
  private final int mostFrac;
  private final Group<Process> nodes = group((nid, n) -> node((int) nid));
  private final Group<Process> managers = group((nid, n) -> manager((int) nid));
  private final Network msgs = network("msgs");
  private final Network clocks = network("clocks");
  private final Map<JsonNode, Map<String, Sent>> told = new HashMap<>();
  private final TreeMap<Integer, List<Integer>> after = new TreeMap<>();

  TwoPhaseAnticipationWorld(
      TwoPhaseAnticipationBinding binding,
      Constants model,
      ModelLayout deployed,
      List<ModelPlan> plans,
      Optional<SeededBug> bug) {
    super(
        binding,
        deployed,
        plans,
        1,
        false,
        binding.asPublished(model),
        DastConfig.EQUAL_TIMES,
        bug);
    this.plans = plans;
    numbers = IntStream.rangeClosed(1, plans.size()).boxed().toList();
    mostFrac = model.numbers("Fracs").last();
    function("input", nodes, this::inputs);
    function("known", nodes, n -> notes(accessing(n.nid), t -> n.node.known("" + t)));
    function("log", nodes, n -> n.log);
    function("max", nodes, this::newest);
    function("told", nodes, TwoPhaseAnticipationWorld::waiting);
    variable("last", this::last, nodes, managers);
    variable("txn", () -> Values.function(numbers, t -> value("txn", transaction(t))), nodes);

    on("CoordIrt", p -> bounded(coordinator(number(p, "t")), c -> submit(p, time(p))));
    on("CoordCrt", this::coordCrt);
    on("CommitIrt", this::commitIrt);
    on("CommitCrtAt", p -> bounded(coordinator(number(p, "t")), c -> commitCrt(p)));
    on("Announce", p -> announce(process(p.get("x")), process(p.get("n")), time(p)));
    on("Tell", p -> tell(process(p.get("x")), time(p)));
    on("Hear", p -> hear(process(p.get("n")), p.get("m")));
    on("Anticipate", this::anticipate);
    on("Execute", p -> execute(process(p.get("n")), number(p, "t"), time(p)));
    on("Reply", this::reply);
    for (String action : TAKEN.keySet()) {
      if (action.startsWith("Handle")) {
        on(action, p -> bounded(process(p.get("n")), n -> deliver(msgs.get(p.get("m")), LATE)));
      }
    }
  }

  private Process node(int nid) {
    Node node = new Node(layout, procedures, String.valueOf(nid), config);
    Process p = new Process(nid, spec(nid, "node"), node, null);
    Machine steps = DastPlace.oneByOne(node, node::step, node::executeNext);
    p.start(deployment.seeded(p.spec, steps), ClockReading.local(0));
    return p;
  }

  private Process manager(int nid) {
    Manager manager = new Manager(layout, String.valueOf(nid), config);
    Process p = new Process(nid, spec(nid, "manager"), null, manager);
    p.start(deployment.seeded(p.spec, manager), ClockReading.local(0));
    return p;
  }

  @Override
  protected void open(ObjectNode initial) {
    msgs.clear();
    clocks.clear();
    told.clear();
    after.clear();
    open(nodes, initial.get("known"));
    ObjectNode others = Values.F.objectNode();
    layout.managers().forEach(m -> others.put(m, 0));
    open(managers, others);
  }

  private Process process(JsonNode nid) {
    return process(nid.asText());
  }

  private Process process(String role) {
    return (Process) holder(role);
  }

  private Process coordinator(int t) {
    return nodes.get((Object) plans.get(t - 1).coord());
  }

  private void deliver(Sent sent, long wall) {
    if (sent != null) {
      process(sent.to()).deliver(sent.from(), sent.message(), wall);
    }
  }

  /** A step that is taken back if it leaves the model's bound. */
  private void bounded(Process p, Consumer<Process> step) {
    p.only(
        () -> {
          step.accept(p);
          return p.clock().last().frac() <= mostFrac;
        });
  }

  private void submit(ObjectNode p, long wall) {
    int t = number(p, "t");
    coordinator(t).submit(t, txns.get(t - 1), wall);
  }

  private void coordCrt(ObjectNode p) {
    Memento clock = Memento.of(coordinator(number(p, "t")).clock());
    submit(p, LATE);
    clock.restore();
  }

  /** The coordinator gets all acknowledgements that are on their way, and counts itself. */
  private void commitIrt(ObjectNode p) {
    collect("ack", p, m -> true);
    Process c = coordinator(number(p, "t"));
    c.deliver(c.spec.role(), new DastMessage.Ack(p.get("t").asText()), LATE);
  }

  private void reply(ObjectNode p) {
    collect("result", p, m -> m.get("src").equals(p.get("pick").get(m.get("shard").textValue())));
  }

  private void collect(String type, ObjectNode p, Predicate<JsonNode> which) {
    for (JsonNode m : msgs.all()) {
      if (m.get("type").textValue().equals(type)
          && m.get("t").equals(p.get("t"))
          && which.test(m)) {
        deliver(msgs.get(m), LATE);
      }
    }
  }

  /** The coordinator gets the votes of {@code got} when its clock shows {@code now}. */
  private void commitCrt(ObjectNode p) {
    p.get("got").forEach(vote -> deliver(msgs.get(vote), p.get("now").get(0).longValue()));
  }

  private void announce(Process x, Process n, long time) {
    for (Sent clock : x.tell(time)) {
      if (clock.to().equals(n.spec.role())) {
        hear(n, clock);
      }
    }
    List.copyOf(n.out.sent).stream()
        .filter(sent -> sent.message() instanceof DastMessage.ClockAck)
        .forEach(ack -> deliver(ack, LATE));
  }

  private void tell(Process x, long time) {
    Map<String, Sent> sent = new TreeMap<>();
    TreeMap<Integer, Note> notes = new TreeMap<>();
    for (Sent s : x.tell(time)) {
      sent.put(s.to(), s);
      clock(s).notes().forEach(note -> notes.put(Integer.valueOf(note.txn().id()), note));
    }
    if (sent.isEmpty()) {
      return;
    }
    Sent any = sent.values().iterator().next();
    SortedSet<Integer> said = new TreeSet<>(notes.keySet());
    List<List<Object>> holds = new ArrayList<>();
    if (x.node != null) {
      layout.peers(x.nid).stream()
          .filter(layout.nodes()::contains)
          .forEach(peer -> said.addAll(accessing(peer)));
      holds(x, clock(any)).forEach((t, at) -> holds.add(List.of(t, x.nid, at)));
    }
    Map<String, Object> words = new TreeMap<>(Map.of("src", x.nid, "ts", clock(any).ts()));
    words.put("holds", holds);
    words.put("notes", notes(said, notes::get));
    clocks.add(value("clock", words), any);
    told.putIfAbsent(value("clock", words), sent);
  }

  private static DastMessage.Clock clock(Sent sent) {
    return (DastMessage.Clock) sent.message();
  }

  private void hear(Process n, JsonNode m) {
    Sent sent = told.getOrDefault(m, Map.of()).get(n.spec.role());
    if (sent != null) {
      bounded(n, to -> hear(to, sent));
    }
  }

  private void hear(Process n, Sent sent) {
    deliver(sent, LATE);
    if (n.node != null && n.node.passedBy(sent.from()).equals(clock(sent).ts())) {
      n.heldBy.put(sent.from(), holds(process(sent.from()), clock(sent)));
    }
  }

  /** A teller's part of waitQ with whole timestamps. */
  private static Map<String, Timestamp> holds(Process x, DastMessage.Clock clock) {
    Map<String, Timestamp> whole = new TreeMap<>();
    clock
        .holds()
        .forEach(
            (txn, time) -> {
              Note known = x.node.known(txn);
              whole.put(txn, known == null ? bare(time) : orBare(known.at(), time));
            });
    return whole;
  }

  private static Timestamp bare(long time) {
    return new Timestamp(time, 0, 0);
  }

  private static Timestamp orBare(Timestamp at, long time) {
    return at.time() == time ? at : bare(time);
  }

  private void anticipate(ObjectNode p) {
    Process m = process(p.get("m"));
    Sent asked = msgs.get(p.get("q"));
    if (asked == null) {
      return;
    }
    for (String other : layout.managers()) {
      if (!other.equals(m.spec.role())) {
        m.estimate(other, p.get("rtt").longValue(), pong -> pong);
      }
    }
    Txn txn = ((DastMessage.PrepRemote) asked.message()).txn();
    Sent prepare = DastPlace.with(asked, new DastMessage.PrepRemote(txn, NEVER));
    bounded(m, to -> deliver(prepare, time(p)));
  }

  private void execute(Process n, int t, long time) {
    n.only(() -> n.execute(t, time) && n.clock().last().frac() <= mostFrac);
  }

  /** What the step sent is on its way, and who asked is answered. */
  @Override
  protected void settle() {
    nodes.all().forEach(this::take);
    managers.all().forEach(this::take);
    for (int t : numbers) {
      if (coordinator(t).node.coordinated("" + t) != null && !after.containsKey(t)) {
        after.put(t, numbers.stream().filter(u -> answer(u) != null).toList());
      }
    }
  }

  private void take(Process p) {
    for (Sent sent : p.out.take()) {
      Map<String, Object> m = message(sent);
      if (m != null) {
        msgs.add(value("msg", m), sent);
        if (m.get("type").equals("result")
            && p.log.stream().noneMatch(done -> done.get("t").equals(m.get("t")))) {
          p.log.add(Map.of("read", m.get("val"), "t", m.get("t"), "wrote", m.get("wrote")));
        }
      }
    }
    p.out.replies.clear();
  }

  /** A message in the specification's words, null if that has no such message. */
  private Map<String, Object> message(Sent sent) {
    String type = KEBAB.matcher(sent.message().getClass().getSimpleName()).replaceAll("-");
    if (!TAKEN.containsValue(type.toLowerCase(Locale.ROOT))) {
      return null;
    }
    Map<String, Object> m = new TreeMap<>(NO_MESSAGE);
    m.putAll(Map.of("type", type.toLowerCase(Locale.ROOT), "src", sent.from(), "dst", sent.to()));
    Map<String, Object> words = Shape.words((Record) sent.message());
    Object txn = words.get("txn");
    m.put("t", txn instanceof Txn whole ? whole.id() : txn);
    m.put("ts", words.getOrDefault("ts", words.getOrDefault("at", Timestamp.ZERO)));
    if (sent.message() instanceof DastMessage.Output o) {
      m.putAll(Map.of("shard", o.shard(), "val", o.values().get(o.shard())));
    } else if (sent.message() instanceof DastMessage.Result r) {
      boolean wrote =
          r.applied() && plans.get(Integer.parseInt(r.txn()) - 1).writes().contains(r.shard());
      long read = r.seen().values().iterator().next().get(0);
      m.putAll(Map.of("shard", r.shard(), "val", read, "wrote", wrote));
    }
    return m;
  }

  private JsonNode notes(Collection<Integer> txns, IntFunction<Note> known) {
    return Values.function(txns, t -> value("note", note(known.apply(t))));
  }

  private static Map<String, Object> note(Note note) {
    Timestamp at = note == null ? Timestamp.ZERO : note.at();
    return new TreeMap<>(Map.of("phase", DastValues.phase(note), "at", at));
  }

  private List<Integer> accessing(int node) {
    return accessing.computeIfAbsent(
        node,
        n -> {
          String shard = layout.shardOf(String.valueOf(n));
          return numbers.stream().filter(t -> plans.get(t - 1).shards().contains(shard)).toList();
        });
  }

  private JsonNode last() {
    TreeMap<Integer, Timestamp> last = new TreeMap<>();
    nodes.all().forEach(p -> last.put(p.nid, p.clock().last()));
    managers.all().forEach(p -> last.put(p.nid, p.clock().last()));
    return Values.function(last, ts -> value("last", ts));
  }

  private List<List<Object>> inputs(Process n) {
    List<List<Object>> all = new ArrayList<>();
    for (int t : accessing(n.nid)) {
      if (!n.node.executed("" + t)) {
        n.inputs.put(t, new TreeMap<>(n.node.inputs("" + t)));
      }
      n.inputs.getOrDefault(t, Map.of()).forEach((s, value) -> all.add(List.of(t, s, value)));
    }
    return all;
  }

  private JsonNode newest(Process n) {
    return Values.function(
        layout.peers(n.nid),
        x -> {
          Timestamp ts = n.node.passedBy(String.valueOf(x));
          return value("max", ts.equals(Timestamp.ZERO) ? new Timestamp(0, 0, x) : ts);
        });
  }

  private static List<List<Object>> waiting(Process n) {
    List<List<Object>> all = new ArrayList<>();
    n.node
        .told()
        .forEach(
            (x, holds) ->
                holds.forEach(
                    (t, time) -> {
                      Timestamp at = n.heldBy.getOrDefault(x, Map.of()).getOrDefault(t, NEVER);
                      all.add(List.of(t, x, orBare(at, time)));
                    }));
    return all;
  }

  private Executed answer(int t) {
    return coordinator(t).answers.get((long) t) instanceof Executed answer ? answer : null;
  }

  private Map<String, Object> transaction(int t) {
    Note note = coordinator(t).node.coordinated("" + t);
    Executed answer = answer(t);
    Map<String, Object> o = note(note);
    Object at = o.remove("at");
    String home = coordinator(t).spec.region();
    boolean crt =
        plans.get(t - 1).shards().stream().anyMatch(s -> !home.equals(layout.shardRegion(s)));
    o.put("ts", crt && note != null && !note.committed() ? Timestamp.ZERO : at);
    List<List<Object>> reads = new ArrayList<>();
    if (answer != null) {
      o.put("phase", "done");
      o.put("ts", answer.ts());
      answer.seen().forEach((key, v) -> reads.add(List.of(layout.shard(key), v.get(0))));
    } else if (note == null) {
      o.put("phase", "new");
    }
    o.put("reads", reads);
    o.put("writes", answer != null && answer.applied() ? plans.get(t - 1).writes() : List.of());
    o.put("after", after.getOrDefault(t, List.of()));
    return o;
  }
}
