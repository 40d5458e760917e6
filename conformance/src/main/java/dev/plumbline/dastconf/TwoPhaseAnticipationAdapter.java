package dev.plumbline.dastconf;

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
import dev.plumbline.dast.DastMessage.Pong;
import dev.plumbline.dast.DastMessage.PrepCrt;
import dev.plumbline.dast.DastMessage.PrepRemote;
import dev.plumbline.dast.DastMessage.Prepare;
import dev.plumbline.dast.DastMessage.Result;
import dev.plumbline.dast.DastMessage.Vote;
import dev.plumbline.dast.DastRequest;
import dev.plumbline.dast.DastResponse;
import dev.plumbline.dast.DastTimer;
import dev.plumbline.dast.Manager;
import dev.plumbline.dast.Node;
import dev.plumbline.dast.Procedures;
import dev.plumbline.dast.StretchableClock;
import dev.plumbline.dast.Timestamp;
import dev.plumbline.dast.Txn;
import dev.plumbline.graph.Constants;
import dev.plumbline.graph.Memento;
import dev.plumbline.graph.Outbox;
import dev.plumbline.graph.SpecAdapter;
import dev.plumbline.machine.ClockReading;
import dev.plumbline.machine.Input;
import dev.plumbline.machine.Machine;
import dev.plumbline.machine.Message;
import dev.plumbline.sim.NodeSpec;
import dev.plumbline.sim.SeededBug;
import dev.plumbline.sim.Settings;
import dev.plumbline.sim.Topology;
import dev.plumbline.sim.dast.DastSystem;
import dev.plumbline.tlc.InputError;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Function;

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
final class TwoPhaseAnticipationAdapter implements SpecAdapter {
  private static final String[] VARIABLES = {
    "clocks", "handled", "input", "known", "last", "log", "max", "msgs", "told", "txn"
  };

  /** A wall clock for steps that read none: calibration changes nothing. */
  private static final long LATE = 1L << 40;

  private static final Timestamp NEVER = new Timestamp(-LATE, 0, 0);
  private static final Timestamp NO_TS = Timestamp.ZERO;

  private final ModelLayout layout;
  private final List<ModelPlan> plans;
  private final DastConfig config;
  private final Optional<SeededBug> bug;
  private final Settings settings;
  private final Topology topology;
  private final int mostFrac;
  private final List<Txn> txns = new ArrayList<>();
  private final TreeMap<Integer, Process> processes = new TreeMap<>();
  private final TreeMap<String, JsonNode> msgs = new TreeMap<>();
  private final Map<JsonNode, Delivery> deliveries = new HashMap<>();
  private final TreeMap<String, JsonNode> clocks = new TreeMap<>();
  private final Map<JsonNode, TreeMap<Integer, Clock>> told = new HashMap<>();
  private final TreeMap<Integer, DastResponse.Executed> answers = new TreeMap<>();
  private final TreeMap<Integer, TreeSet<Integer>> after = new TreeMap<>();
  private final Out out = new Out();
  private final JsonNode[] before = new JsonNode[VARIABLES.length];

  private record Delivery(int from, int to, DastMessage message) {}

  /** A node or a manager, what is kept of it besides, and its part of the variables. */
  private static final class Process {
    final int nid;
    final Node node;
    final Manager manager;
    final Machine machine;
    final TreeMap<String, Long> rtt = new TreeMap<>();
    final TreeMap<Integer, ArrayNode> heldBy = new TreeMap<>();
    final TreeMap<Integer, TreeMap<String, Long>> inputs = new TreeMap<>();
    final JsonNode[] parts = new JsonNode[VARIABLES.length];
    ArrayNode log = Values.F.arrayNode();

    Process(int nid, Node node, Manager manager, Machine machine) {
      this.nid = nid;
      this.node = node;
      this.manager = manager;
      this.machine = machine;
    }

    StretchableClock clock() {
      return node == null ? manager.clock() : node.clock();
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

  /** What the machines send and answer in a step. */
  private static final class Out extends Outbox {
    private int from;
    private final List<Delivery> messages = new ArrayList<>();
    private final TreeMap<Integer, DastResponse.Executed> executed = new TreeMap<>();

    Out() {
      super("");
    }

    @Override
    public void send(String to, Message message) {
      messages.add(new Delivery(from, Integer.parseInt(to), (DastMessage) message));
    }

    @Override
    public void reply(long requestId, Record response) {
      if (response instanceof DastResponse.Executed answer) {
        executed.put((int) requestId, answer);
      }
    }

    void clear() {
      messages.clear();
      executed.clear();
    }
  }

  /**
   * @param constants the model's
   * @param bug a seeded bug to run with
   */
  TwoPhaseAnticipationAdapter(Constants constants, Optional<SeededBug> bug) {
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
    TreeSet<String> asPublished = new TreeSet<>();
    asPublished.add(DastConfig.EQUAL_TIMES);
    if (!constants.repaired("Climb")) {
      asPublished.add(DastConfig.STRETCHED_LOW);
    }
    if (!constants.repaired("Follow")) {
      asPublished.add(DastConfig.STRETCHED_STAYS);
    }
    if (!constants.repaired("Vote")) {
      asPublished.add(DastConfig.LATE_PREPARE);
    }
    config = new DastConfig(1, 1, 1, 0, true, List.copyOf(asPublished));
    mostFrac = constants.numbers("Fracs").last();
    this.bug = bug;
    DastSystem system = new DastSystem();
    settings = new Settings(system.clockBounds(), asPublished, new TreeMap<>());
    topology = system.topology(settings);
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
  public String[] variables() {
    return VARIABLES.clone();
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
      Machine machine = bug.map(b -> b.machine(spec, topology, settings, correct)).orElse(correct);
      processes.put(nid, new Process(nid, node, manager, machine));
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

  private void run(Process p, Input input, long wall) {
    out.from = p.nid;
    p.machine.handle(input, ClockReading.local(wall), out);
    Arrays.fill(p.parts, null);
  }

  private void deliver(Delivery d, long wall) {
    if (d != null) {
      run(processes.get(d.to), new Input.Deliver(String.valueOf(d.from), d.message), wall);
    }
  }

  private Memento snapshot(Process p) {
    return Memento.of(p.node == null ? p.manager : p.node);
  }

  private void takeBack(Memento snapshot) {
    snapshot.restore();
    out.clear();
  }

  /** A step that is taken back if it leaves the model's bound. */
  private void bounded(Process p, Runnable step) {
    Memento snapshot = snapshot(p);
    step.run();
    if (p.clock().last().frac() > mostFrac) {
      takeBack(snapshot);
    }
  }

  private void submit(Process c, int t, long wall) {
    run(c, new Input.ClientRequest(t, new DastRequest(txns.get(t - 1))), wall);
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
    run(c, new Input.Deliver(String.valueOf(c.nid), own), LATE);
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
  private TreeMap<Integer, Clock> clockMessages(Process x, long time) {
    boolean newest = time == x.clock().last().time();
    Memento clock = Memento.of(x.clock());
    run(x, new Input.TimerFired(new DastTimer.Tell()), time);
    Timestamp made = x.clock().last();
    if (newest) {
      clock.restore();
    }
    TreeMap<Integer, Clock> sent = new TreeMap<>();
    for (Delivery d : out.messages) {
      if (d.message instanceof Clock c) {
        Timestamp ts = c.ts().equals(made) ? x.clock().last() : c.ts();
        sent.put(d.to, new Clock(ts, c.holds(), c.notes()));
      }
    }
    out.clear();
    return sent;
  }

  private void announce(Process x, int to, long time) {
    Clock clock = clockMessages(x, time).get(to);
    if (clock == null) {
      return;
    }
    ArrayNode holds = holds(x, clock.holds());
    hear(processes.get(to), x.nid, clock, holds);
    for (Delivery d : List.copyOf(out.messages)) {
      if (d.message instanceof ClockAck) {
        deliver(d, LATE);
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
              Values.F.arrayNode().add(Integer.parseInt(txn)).add(x.nid).add(Values.json(at)));
        });
    return Values.set(entries);
  }

  private void tell(Process x, long time) {
    TreeMap<Integer, Clock> sent = clockMessages(x, time);
    if (sent.isEmpty()) {
      return;
    }
    Clock any = sent.firstEntry().getValue();
    TreeMap<Integer, JsonNode> notes = new TreeMap<>();
    if (x.node != null) {
      for (int peer : layout.peers(x.nid)) {
        if (processes.get(peer).node != null) {
          accessing(peer).forEach(t -> notes.put(t, phase("none", NO_TS)));
        }
      }
    }
    for (Clock clock : sent.values()) {
      for (Note note : clock.notes()) {
        notes.put(
            Integer.valueOf(note.txn().id()),
            phase(note.committed() ? "committed" : "prepared", note.at()));
      }
    }
    ObjectNode m = Values.F.objectNode();
    m.set("holds", holds(x, any.holds()));
    m.set("notes", Values.function(notes));
    m.put("src", x.nid);
    m.set("ts", Values.json(any.ts()));
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
    run(n, new Input.Deliver(String.valueOf(from), clock), LATE);
    if (n.node != null && n.node.passedBy(String.valueOf(from)).equals(clock.ts())) {
      n.heldBy.put(from, holds);
    }
  }

  private void anticipate(ObjectNode p) {
    Process m = processes.get(number(p, "m"));
    Delivery asked = deliveries.get(p.get("q"));
    if (asked == null) {
      return;
    }
    for (String other : layout.managers()) {
      if (!other.equals(String.valueOf(m.nid))) {
        estimate(m, other, p.get("rtt").longValue());
      }
    }
    PrepRemote prepare = new PrepRemote(((PrepRemote) asked.message).txn(), NEVER);
    bounded(m, () -> deliver(new Delivery(asked.from, asked.to, prepare), time(p)));
  }

  /** Pongs until the manager's moving average is {@code rtt}. */
  private void estimate(Process m, String other, long rtt) {
    Long old = m.rtt.get(other);
    while (old == null || old != rtt) {
      long measured = old == null ? rtt : Math.max(0, 8 * rtt - 7 * old);
      run(m, new Input.Deliver(other, new Pong(LATE - measured, NO_TS)), LATE);
      old = old == null ? measured : (7 * old + measured) / 8;
    }
    m.rtt.put(other, rtt);
  }

  private void execute(Process n, int t, long time) {
    Memento snapshot = snapshot(n);
    if (time != n.clock().last().time()) {
      run(n, new Input.TimerFired(new DastTimer.Resend()), time);
    }
    Timestamp now = n.clock().last();
    run(n, new Input.TimerFired(new DastTimer.Execute()), time);
    boolean done =
        out.messages.stream()
            .anyMatch(d -> d.message instanceof Result r && r.txn().equals(String.valueOf(t)));
    if (!done || !n.clock().last().equals(now) || now.frac() > mostFrac) {
      takeBack(snapshot);
    }
  }

  /** What the step sent is on its way, and who asked is answered. */
  private void settle() {
    for (Delivery d : out.messages) {
      JsonNode m = message(d);
      if (m != null && deliveries.putIfAbsent(m, d) == null) {
        msgs.put(m.toString(), m);
      }
      if (d.message instanceof Result r) {
        note(processes.get(d.from), r);
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
      n.parts[5] = null;
    }
  }

  private static int read(Result r) {
    return r.seen().values().iterator().next().get(0).intValue();
  }

  /** A message in the specification's terms; null if that has no such message. */
  private JsonNode message(Delivery d) {
    DastMessage m = d.message;
    if (m instanceof Prepare prepare) {
      return message("prepare", prepare.txn().id(), d, prepare.ts(), "", 0, false);
    } else if (m instanceof Ack ack) {
      return message("ack", ack.txn(), d, NO_TS, "", 0, false);
    } else if (m instanceof Commit commit) {
      return message("commit", commit.txn().id(), d, commit.ts(), "", 0, false);
    } else if (m instanceof PrepRemote prepare) {
      return message("prep-remote", prepare.txn().id(), d, NO_TS, "", 0, false);
    } else if (m instanceof PrepCrt prepare) {
      return message("prep-crt", prepare.txn().id(), d, prepare.at(), "", 0, false);
    } else if (m instanceof Vote vote) {
      return message("vote", vote.txn(), d, vote.at(), "", 0, false);
    } else if (m instanceof CommitRemote commit) {
      return message("commit-remote", commit.txn().id(), d, commit.ts(), "", 0, false);
    } else if (m instanceof Output o) {
      int value = o.values().get(o.shard()).intValue();
      return message("output", o.txn(), d, NO_TS, o.shard(), value, false);
    } else if (m instanceof Result r) {
      boolean wrote =
          r.applied() && plans.get(Integer.parseInt(r.txn()) - 1).writes().contains(r.shard());
      return message("result", r.txn(), d, NO_TS, r.shard(), read(r), wrote);
    }
    return null;
  }

  private static JsonNode message(
      String type, String txn, Delivery d, Timestamp ts, String shard, int value, boolean wrote) {
    ObjectNode m = Values.F.objectNode();
    m.put("dst", d.to).put("no", 0).put("shard", shard).put("src", d.from);
    m.put("t", Integer.parseInt(txn)).set("ts", Values.json(ts));
    return m.put("type", type).put("val", value).put("wrote", wrote);
  }

  private static ObjectNode phase(String phase, Timestamp at) {
    ObjectNode o = Values.F.objectNode();
    o.set("at", Values.json(at));
    return o.put("phase", phase);
  }

  private List<Integer> accessing(int node) {
    List<Integer> numbers = new ArrayList<>();
    String shard = layout.shardOf(String.valueOf(node));
    for (int t = 1; t <= plans.size(); t++) {
      if (plans.get(t - 1).shards().contains(shard)) {
        numbers.add(t);
      }
    }
    return numbers;
  }

  @Override
  public JsonNode project(int variable) {
    JsonNode value =
        switch (VARIABLES[variable]) {
          case "clocks" -> array(clocks);
          case "handled" -> Values.F.arrayNode();
          case "msgs" -> array(msgs);
          case "txn" -> transactions();
          case "last" -> ofProcesses(variable, p -> Values.json(p.clock().last()));
          case "input" -> ofProcesses(variable, this::inputs);
          case "known" -> ofProcesses(variable, this::known);
          case "log" -> ofProcesses(variable, p -> p.log);
          case "max" -> ofProcesses(variable, this::newest);
          default -> ofProcesses(variable, this::waiting);
        };
    if (!value.equals(before[variable])) {
      before[variable] = value;
    }
    return before[variable];
  }

  private static ArrayNode array(SortedMap<String, JsonNode> set) {
    ArrayNode all = Values.F.arrayNode();
    set.values().forEach(all::add);
    return all;
  }

  /** A function of nodes; {@code last} is one of all processes. */
  private JsonNode ofProcesses(int variable, Function<Process, JsonNode> value) {
    TreeMap<Integer, JsonNode> all = new TreeMap<>();
    for (Process p : processes.values()) {
      if (p.node != null || VARIABLES[variable].equals("last")) {
        if (p.parts[variable] == null) {
          p.parts[variable] = value.apply(p);
        }
        all.put(p.nid, p.parts[variable]);
      }
    }
    return Values.function(all);
  }

  private JsonNode known(Process n) {
    TreeMap<Integer, JsonNode> all = new TreeMap<>();
    for (int t : accessing(n.nid)) {
      Note note = n.node.known(String.valueOf(t));
      all.put(
          t,
          note == null
              ? phase("none", NO_TS)
              : phase(note.committed() ? "committed" : "prepared", note.at()));
    }
    return Values.function(all);
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
    TreeMap<Integer, JsonNode> all = new TreeMap<>();
    for (int x : layout.peers(n.nid)) {
      Timestamp ts = n.node.passedBy(String.valueOf(x));
      all.put(x, Values.json(ts.equals(Timestamp.ZERO) ? new Timestamp(0, 0, x) : ts));
    }
    return Values.function(all);
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
    return Values.F.arrayNode().add(t).add(x).add(Values.json(new Timestamp(time, 0, 0)));
  }

  private JsonNode transactions() {
    TreeMap<Integer, JsonNode> all = new TreeMap<>();
    for (int t = 1; t <= plans.size(); t++) {
      all.put(t, transaction(t, plans.get(t - 1)));
    }
    return Values.function(all);
  }

  private JsonNode transaction(int t, ModelPlan plan) {
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
      o.put("phase", note.committed() ? "committed" : "prepared");
      String home = layout.regionOf().get(plan.coord());
      boolean crt = plan.shards().stream().anyMatch(x -> !layout.shardRegion(x).equals(home));
      ts = crt && !note.committed() ? NO_TS : note.at();
    } else {
      o.put("phase", "new");
    }
    o.set("reads", Values.set(reads));
    o.set("ts", Values.json(ts));
    ArrayNode wrote = o.putArray("writes");
    writes.forEach(wrote::add);
    return o;
  }
}
