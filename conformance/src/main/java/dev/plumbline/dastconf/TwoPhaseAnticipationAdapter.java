package dev.plumbline.dastconf;

import static dev.plumbline.dastconf.ModelProcess.LATE;
import static dev.plumbline.dastconf.ModelProcess.NEVER;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.plumbline.dast.DastConfig;
import dev.plumbline.dast.DastMessage;
import dev.plumbline.dast.DastMessage.Ack;
import dev.plumbline.dast.DastMessage.Clock;
import dev.plumbline.dast.DastMessage.ClockAck;
import dev.plumbline.dast.DastMessage.Commit;
import dev.plumbline.dast.DastMessage.CommitRemote;
import dev.plumbline.dast.DastMessage.Note;
import dev.plumbline.dast.DastMessage.Output;
import dev.plumbline.dast.DastMessage.PrepCrt;
import dev.plumbline.dast.DastMessage.PrepRemote;
import dev.plumbline.dast.DastMessage.Prepare;
import dev.plumbline.dast.DastMessage.Result;
import dev.plumbline.dast.DastMessage.Vote;
import dev.plumbline.dast.DastRequest;
import dev.plumbline.dast.DastResponse;
import dev.plumbline.dast.Manager;
import dev.plumbline.dast.Node;
import dev.plumbline.dast.Procedures;
import dev.plumbline.dast.StretchableClock;
import dev.plumbline.dast.Timestamp;
import dev.plumbline.dast.Txn;
import dev.plumbline.graph.Constants;
import dev.plumbline.graph.Deployment;
import dev.plumbline.graph.Memento;
import dev.plumbline.graph.ProjectingAdapter;
import dev.plumbline.graph.Values;
import dev.plumbline.machine.Input;
import dev.plumbline.machine.Machine;
import dev.plumbline.sim.NodeSpec;
import dev.plumbline.sim.SeededBug;
import dev.plumbline.sim.Settings;
import dev.plumbline.sim.dast.DastSystem;
import dev.plumbline.tlc.InputError;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.stream.IntStream;

/**
 * Runs DAST's nodes and managers by the actions of {@code TwoPhaseAnticipation}, configured to take
 * one step at a time ({@link DastConfig#stepwise}): in their own run they commit, tell and execute
 * at once where they can.
 *
 * <p>A process's wall clock shows what the action's {@code time} says. Clock readings that the
 * specification leaves out are put back: the one of a coordinator that starts a CRT, and the one of
 * a process that tells its newest timestamp once more. A step is taken back if a clock's frac would
 * leave {@code Fracs}, the model's bound; and an execution if it is not the transaction's or needs
 * another reading of the clock than the action's. Estimates of a round trip come from made-up
 * pongs. A clock message's notes are acknowledged at once where it is sent and received in one
 * step, and never where these are two.
 */
final class TwoPhaseAnticipationAdapter extends ProjectingAdapter {
  private static final String[] VARIABLES = {
    "clocks", "handled", "input", "known", "last", "log", "max", "msgs", "told", "txn"
  };

  private static final Timestamp NO_TS = Timestamp.ZERO;

  private final ModelLayout layout;
  private final List<ModelPlan> plans;
  private final DastConfig config;
  private final Deployment deployment;
  private final int mostFrac;
  private final List<Txn> txns = new ArrayList<>();
  private final TreeMap<Integer, Process> processes = new TreeMap<>();
  private final TreeMap<String, JsonNode> msgs = new TreeMap<>();
  private final Map<JsonNode, Mail> deliveries = new HashMap<>();
  private final TreeMap<String, JsonNode> clocks = new TreeMap<>();
  private final Map<JsonNode, TreeMap<Integer, Clock>> told = new HashMap<>();
  private final TreeMap<Integer, DastResponse.Executed> answers = new TreeMap<>();
  private final TreeMap<Integer, TreeSet<Integer>> after = new TreeMap<>();
  private final StepEffects out = new StepEffects();

  /** A node or a manager, what is kept of it besides, and its part of the variables. */
  private static final class Process extends ModelProcess {
    final Node node;
    final Manager manager;
    final TreeMap<Integer, ArrayNode> heldBy = new TreeMap<>();
    final TreeMap<Integer, TreeMap<String, Long>> inputs = new TreeMap<>();
    final TreeMap<String, JsonNode> parts = new TreeMap<>();
    ArrayNode log = Values.F.arrayNode();

    Process(int nid, Node node, Manager manager, Machine machine, StepEffects out) {
      super(nid, machine, out);
      this.node = node;
      this.manager = manager;
    }

    @Override
    StretchableClock clock() {
      return node == null ? manager.clock() : node.clock();
    }

    @Override
    void run(Input input, long wall) {
      super.run(input, wall);
      parts.clear();
    }

    boolean executed(int t) {
      for (JsonNode entry : log) {
        if (entry.get("t").intValue() == t) {
          return true;
        }
      }
      return false;
    }
  }

  /**
   * @param constants the model's
   * @param bug a seeded bug to run with
   */
  TwoPhaseAnticipationAdapter(Constants constants, Optional<SeededBug> bug) {
    super(VARIABLES);
    constants.demandRepairs("FreezeTime", "TieBreak");
    constants.demand("Channels", "\"any\"");
    constants.demand("Timely", "FALSE");
    constants.demand("NoteKey", "\"now\"");
    constants.demand("Notify", "\"always\"");
    if (constants.repaired("Apart")) {
      throw new InputError(
          "", 0, "with Apart a model's commit times are free", "waive it in coverage.yaml");
    }
    ModelConstants definitions = new ModelConstants(constants);
    layout = definitions.layout();
    plans = definitions.plans();
    plans.forEach(plan -> plan.shards().forEach(s -> demandAll(s, constants.number("Majority"))));
    SortedSet<String> asPublished =
        constants.asPublished(
            Map.of(
                "Climb", DastConfig.STRETCHED_LOW,
                "Follow", DastConfig.STRETCHED_STAYS,
                "Vote", DastConfig.LATE_PREPARE));
    asPublished.add(DastConfig.EQUAL_TIMES);
    config = new DastConfig(1, 1, 1, 0, true, List.copyOf(asPublished));
    mostFrac = constants.numbers("Fracs").last();
    DastSystem system = new DastSystem();
    Settings settings = new Settings(system.clockBounds(), asPublished, new TreeMap<>());
    deployment = Deployment.of(system, settings, bug);
  }

  /** Machines commit with the first majority of answers, a model with any; these are the same. */
  private void demandAll(String shard, int majority) {
    int replicas = layout.replicas(shard).size();
    if (majority != replicas / 2 + 1 || majority != replicas) {
      throw new InputError(
          "",
          0,
          "no machines commit with any " + majority + " or more of " + replicas + " replicas",
          "use a majority that is all, or waive the model in coverage.yaml");
    }
  }

  @Override
  public Map<String, String> ghosts() {
    return Map.of(
        "handled", "exists only with channels in order, which machines do not have",
        "input", "only where the transaction is executed: machines keep no inputs then",
        "told", "nid and frac of its timestamps: machines keep the time that a clock stays below",
        "txn.after", "which ends clients had heard of; no machine tells clients apart");
  }

  @Override
  public void reset(ObjectNode initial) {
    processes.clear();
    msgs.clear();
    deliveries.clear();
    clocks.clear();
    told.clear();
    answers.clear();
    after.clear();
    txns.clear();
    out.clear();
    Procedures procedures = new Procedures();
    for (int t = 1; t <= plans.size(); t++) {
      plans.get(t - 1).register(t, procedures);
      txns.add(plans.get(t - 1).txn(t, layout));
    }
    for (int nid : layout.regionOf().keySet()) {
      String role = String.valueOf(nid);
      boolean isNode = layout.nodes().contains(nid);
      Node node = isNode ? new Node(layout, procedures, role, config) : null;
      Manager manager = isNode ? null : new Manager(layout, role, config);
      Machine correct = isNode ? node : manager;
      NodeSpec spec = NodeSpec.of(role, isNode ? "node" : "manager", layout.region(role), 1, 0);
      Machine machine = deployment.seeded(spec, correct);
      processes.put(nid, new Process(nid, node, manager, machine, out));
    }
  }

  @Override
  public void apply(String action, ObjectNode p) {
    switch (action) {
      case "CoordIrt" -> {
        Process c = coordinator(p);
        bounded(c, () -> submit(c, t(p), time(p)));
      }
      case "CoordCrt" -> {
        Process c = coordinator(p);
        Memento clock = Memento.of(c.clock());
        submit(c, t(p), LATE);
        clock.restore();
      }
      case "CommitIrt" -> commitIrt(p);
      case "CommitCrtAt" -> bounded(coordinator(p), () -> commitCrt(p));
      case "Announce" -> announce(processes.get(p.get("x").intValue()), number(p, "n"), time(p));
      case "Tell" -> tell(processes.get(p.get("x").intValue()), time(p));
      case "Hear" -> hear(processes.get(number(p, "n")), p.get("m"));
      case "Anticipate" -> anticipate(p);
      case "Execute" -> execute(processes.get(number(p, "n")), t(p), time(p));
      case "Reply" -> reply(p);
      case "HandlePrepare", "HandleCommit", "HandlePrepCrt", "HandleCommitCrt", "HandleOutput" -> {
        Process n = processes.get(number(p, "n"));
        bounded(n, () -> deliver(deliveries.get(p.get("m")), LATE));
      }
      default -> throw new IllegalArgumentException("no machine has an action " + action);
    }
    settle();
  }

  private static int number(ObjectNode p, String name) {
    return p.get(name).intValue();
  }

  private static int t(ObjectNode p) {
    return number(p, "t");
  }

  private static long time(ObjectNode p) {
    return p.get("time").longValue();
  }

  private Process coordinator(ObjectNode p) {
    return processes.get(plans.get(t(p) - 1).coord());
  }

  private void deliver(Mail m, long wall) {
    if (m != null) {
      Process to = processes.get(Integer.valueOf(m.to()));
      to.run(new Input.Deliver(String.valueOf(m.from()), m.message()), wall);
    }
  }

  private void takeBack(Memento snapshot) {
    snapshot.restore();
    out.clear();
  }

  /** A step that is taken back if it leaves the model's bound. */
  private void bounded(Process p, Runnable step) {
    Memento snapshot = Memento.of(p);
    step.run();
    if (p.clock().last().frac() > mostFrac) {
      takeBack(snapshot);
    }
  }

  private void submit(Process c, int t, long wall) {
    c.run(new Input.ClientRequest(t, new DastRequest(txns.get(t - 1))), wall);
  }

  /** The coordinator gets all acknowledgements that are on their way, and counts itself. */
  private void commitIrt(ObjectNode p) {
    for (JsonNode m : msgs.values()) {
      if (m.get("type").textValue().equals("ack") && m.get("t").intValue() == t(p)) {
        deliver(deliveries.get(m), LATE);
      }
    }
    Process c = coordinator(p);
    Ack own = new Ack(String.valueOf(t(p)));
    c.run(new Input.Deliver(String.valueOf(c.nid), own), LATE);
  }

  /** The coordinator gets the votes of {@code got} when its clock shows {@code now}. */
  private void commitCrt(ObjectNode p) {
    for (JsonNode vote : p.get("got")) {
      deliver(deliveries.get(vote), p.get("now").get(0).longValue());
    }
  }

  private void reply(ObjectNode p) {
    for (JsonNode m : msgs.values()) {
      if (m.get("type").textValue().equals("result")
          && m.get("t").intValue() == t(p)
          && m.get("src").equals(p.get("pick").get(m.get("shard").textValue()))) {
        deliver(deliveries.get(m), LATE);
      }
    }
  }

  /** The clock messages that a process sends, by receiver. */
  private static TreeMap<Integer, Clock> clockMessages(Process x, long time) {
    TreeMap<Integer, Clock> sent = new TreeMap<>();
    x.tell(time).forEach(m -> sent.put(Integer.valueOf(m.to()), (Clock) m.message()));
    return sent;
  }

  private void announce(Process x, int to, long time) {
    Clock clock = clockMessages(x, time).get(to);
    if (clock == null) {
      return;
    }
    ArrayNode holds = holds(x, clock.holds());
    hear(processes.get(to), x.nid, clock, holds);
    for (Mail m : List.copyOf(out.messages)) {
      if (m.message() instanceof ClockAck) {
        deliver(m, LATE);
      }
    }
  }

  /** A teller's part of waitQ with whole timestamps. */
  private ArrayNode holds(Process x, Map<String, Long> times) {
    List<JsonNode> entries = new ArrayList<>();
    times.forEach(
        (txn, time) -> {
          Note known = x.node.known(txn);
          Timestamp at =
              known != null && known.at().time() == time ? known.at() : new Timestamp(time, 0, 0);
          entries.add(
              Values.F.arrayNode()
                  .add(Integer.parseInt(txn))
                  .add(x.nid)
                  .add(DastValues.triple(at)));
        });
    return Values.set(entries);
  }

  private void tell(Process x, long time) {
    TreeMap<Integer, Clock> sent = clockMessages(x, time);
    if (sent.isEmpty()) {
      return;
    }
    Clock any = sent.firstEntry().getValue();
    TreeMap<Integer, Note> notes = new TreeMap<>();
    if (x.node != null) {
      for (int peer : layout.peers(x.nid)) {
        if (processes.get(peer).node != null) {
          accessing(peer).forEach(t -> notes.put(t, null));
        }
      }
    }
    for (Clock clock : sent.values()) {
      for (Note note : clock.notes()) {
        notes.put(Integer.valueOf(note.txn().id()), note);
      }
    }
    ObjectNode m = Values.F.objectNode();
    m.set("holds", holds(x, any.holds()));
    m.set("notes", Values.function(notes, TwoPhaseAnticipationAdapter::phase));
    m.put("src", x.nid);
    m.set("ts", DastValues.triple(any.ts()));
    if (told.putIfAbsent(m, sent) == null) {
      clocks.put(m.toString(), m);
    }
  }

  private void hear(Process n, JsonNode m) {
    TreeMap<Integer, Clock> sent = told.get(m);
    if (sent != null && sent.containsKey(n.nid)) {
      Clock clock = sent.get(n.nid);
      bounded(n, () -> hear(n, m.get("src").intValue(), clock, (ArrayNode) m.get("holds")));
    }
  }

  private void hear(Process n, int from, Clock clock, ArrayNode holds) {
    n.run(new Input.Deliver(String.valueOf(from), clock), LATE);
    if (n.node != null && n.node.passedBy(String.valueOf(from)).equals(clock.ts())) {
      n.heldBy.put(from, holds);
    }
  }

  private void anticipate(ObjectNode p) {
    Process m = processes.get(number(p, "m"));
    Mail asked = deliveries.get(p.get("q"));
    if (asked == null) {
      return;
    }
    for (String other : layout.managers()) {
      if (!other.equals(String.valueOf(m.nid))) {
        m.estimate(other, p.get("rtt").longValue(), pong -> pong);
      }
    }
    PrepRemote prepare = new PrepRemote(((PrepRemote) asked.message()).txn(), NEVER);
    bounded(m, () -> deliver(asked.with(prepare), time(p)));
  }

  private void execute(Process n, int t, long time) {
    Memento snapshot = Memento.of(n);
    if (!n.execute(t, time) || n.clock().last().frac() > mostFrac) {
      takeBack(snapshot);
    }
  }

  /** What the step sent is on its way, and who asked is answered. */
  private void settle() {
    for (Mail sent : out.messages) {
      JsonNode m = message(sent);
      if (m != null && deliveries.putIfAbsent(m, sent) == null) {
        msgs.put(m.toString(), m);
      }
      if (sent.message() instanceof Result r) {
        note(processes.get(sent.from()), r);
      }
    }
    out.executed.forEach(answers::putIfAbsent);
    for (int t = 1; t <= plans.size(); t++) {
      Process c = processes.get(plans.get(t - 1).coord());
      if (c.node.coordinated(String.valueOf(t)) != null) {
        after.putIfAbsent(t, new TreeSet<>(answers.keySet()));
      }
    }
    out.clear();
  }

  private void note(Process n, Result r) {
    int t = Integer.parseInt(r.txn());
    if (!n.executed(t)) {
      n.log = n.log.deepCopy();
      ObjectNode entry = n.log.addObject();
      entry.put("read", read(r));
      entry.put("t", t);
      entry.put("wrote", r.applied() && plans.get(t - 1).writes().contains(r.shard()));
      n.parts.remove("log");
    }
  }

  private static int read(Result r) {
    return r.seen().values().iterator().next().get(0).intValue();
  }

  /** A message in the specification's terms; null if that has no such message. */
  private JsonNode message(Mail sent) {
    DastMessage m = sent.message();
    if (m instanceof Prepare prepare) {
      return message("prepare", prepare.txn().id(), sent, prepare.ts(), "", 0, false);
    } else if (m instanceof Ack ack) {
      return message("ack", ack.txn(), sent, NO_TS, "", 0, false);
    } else if (m instanceof Commit commit) {
      return message("commit", commit.txn().id(), sent, commit.ts(), "", 0, false);
    } else if (m instanceof PrepRemote prepare) {
      return message("prep-remote", prepare.txn().id(), sent, NO_TS, "", 0, false);
    } else if (m instanceof PrepCrt prepare) {
      return message("prep-crt", prepare.txn().id(), sent, prepare.at(), "", 0, false);
    } else if (m instanceof Vote vote) {
      return message("vote", vote.txn(), sent, vote.at(), "", 0, false);
    } else if (m instanceof CommitRemote commit) {
      return message("commit-remote", commit.txn().id(), sent, commit.ts(), "", 0, false);
    } else if (m instanceof Output o) {
      int value = o.values().get(o.shard()).intValue();
      return message("output", o.txn(), sent, NO_TS, o.shard(), value, false);
    } else if (m instanceof Result r) {
      boolean wrote =
          r.applied() && plans.get(Integer.parseInt(r.txn()) - 1).writes().contains(r.shard());
      return message("result", r.txn(), sent, NO_TS, r.shard(), read(r), wrote);
    }
    return null;
  }

  private static JsonNode message(
      String type, String txn, Mail sent, Timestamp ts, String shard, int value, boolean wrote) {
    ObjectNode m = Values.F.objectNode();
    m.put("dst", Integer.parseInt(sent.to())).put("no", 0);
    m.put("shard", shard).put("src", sent.from());
    m.put("t", Integer.parseInt(txn)).set("ts", DastValues.triple(ts));
    return m.put("type", type).put("val", value).put("wrote", wrote);
  }

  private static ObjectNode phase(Note note) {
    ObjectNode o = Values.F.objectNode();
    o.set("at", DastValues.triple(note == null ? NO_TS : note.at()));
    return o.put("phase", DastValues.phase(note));
  }

  private List<Integer> accessing(int node) {
    String shard = layout.shardOf(String.valueOf(node));
    return numbers().stream().filter(t -> plans.get(t - 1).shards().contains(shard)).toList();
  }

  private List<Integer> numbers() {
    return IntStream.rangeClosed(1, plans.size()).boxed().toList();
  }

  @Override
  protected JsonNode value(String variable) {
    return switch (variable) {
      case "clocks" -> Values.sequence(clocks.values());
      case "handled" -> Values.F.arrayNode();
      case "msgs" -> Values.sequence(msgs.values());
      case "txn" -> Values.function(numbers(), this::transaction);
      case "last" -> ofProcesses(variable, p -> DastValues.triple(p.clock().last()));
      case "input" -> ofProcesses(variable, this::inputs);
      case "known" -> ofProcesses(variable, this::known);
      case "log" -> ofProcesses(variable, p -> p.log);
      case "max" -> ofProcesses(variable, this::newest);
      default -> ofProcesses(variable, this::waiting);
    };
  }

  /** A function of nodes; {@code last} is one of all processes. */
  private JsonNode ofProcesses(String variable, Function<Process, JsonNode> value) {
    return Values.function(
        variable.equals("last") ? processes.keySet() : layout.nodes(),
        nid -> {
          Process p = processes.get(nid);
          return p.parts.computeIfAbsent(variable, v -> value.apply(p));
        });
  }

  private JsonNode known(Process n) {
    return Values.function(accessing(n.nid), t -> phase(n.node.known(String.valueOf(t))));
  }

  private JsonNode inputs(Process n) {
    List<JsonNode> all = new ArrayList<>();
    for (int t : accessing(n.nid)) {
      String txn = String.valueOf(t);
      if (!n.node.executed(txn)) {
        n.inputs.put(t, new TreeMap<>(n.node.inputs(txn)));
      }
      n.inputs
          .getOrDefault(t, new TreeMap<>())
          .forEach(
              (shard, value) ->
                  all.add(Values.F.arrayNode().add(t).add(shard).add(value.intValue())));
    }
    return Values.set(all);
  }

  private JsonNode newest(Process n) {
    return Values.function(
        layout.peers(n.nid),
        x -> {
          Timestamp ts = n.node.passedBy(String.valueOf(x));
          return DastValues.triple(ts.equals(Timestamp.ZERO) ? new Timestamp(0, 0, x) : ts);
        });
  }

  private JsonNode waiting(Process n) {
    List<JsonNode> all = new ArrayList<>();
    n.node
        .told()
        .forEach(
            (peer, holds) -> {
              int x = Integer.parseInt(peer);
              ArrayNode whole = n.heldBy.getOrDefault(x, Values.F.arrayNode());
              holds.forEach((txn, time) -> all.add(entry(Integer.parseInt(txn), x, time, whole)));
            });
    return Values.set(all);
  }

  private static JsonNode entry(int t, int x, long time, ArrayNode whole) {
    for (JsonNode e : whole) {
      if (e.get(0).intValue() == t && e.get(2).get(0).longValue() == time) {
        return e;
      }
    }
    return Values.F.arrayNode().add(t).add(x).add(DastValues.triple(new Timestamp(time, 0, 0)));
  }

  private JsonNode transaction(int t) {
    ModelPlan plan = plans.get(t - 1);
    DastResponse.Executed answer = answers.get(t);
    Note note = processes.get(plan.coord()).node.coordinated(String.valueOf(t));
    ObjectNode o = Values.F.objectNode();
    ArrayNode ended = o.putArray("after");
    after.getOrDefault(t, new TreeSet<>()).forEach(ended::add);
    List<JsonNode> reads = new ArrayList<>();
    Set<String> writes = new TreeSet<>();
    Timestamp ts = NO_TS;
    if (answer != null) {
      o.put("phase", "done");
      ts = answer.ts();
      answer
          .seen()
          .forEach(
              (key, value) ->
                  reads.add(
                      Values.F.arrayNode().add(layout.shard(key)).add(value.get(0).intValue())));
      if (answer.applied()) {
        writes.addAll(plan.writes());
      }
    } else if (note != null) {
      o.put("phase", DastValues.phase(note));
      String home = layout.regionOf().get(plan.coord());
      boolean crt = plan.shards().stream().anyMatch(x -> !layout.shardRegion(x).equals(home));
      ts = crt && !note.committed() ? NO_TS : note.at();
    } else {
      o.put("phase", "new");
    }
    o.set("reads", Values.set(reads));
    o.set("ts", DastValues.triple(ts));
    ArrayNode wrote = o.putArray("writes");
    writes.forEach(wrote::add);
    return o;
  }
}
