package dev.plumbline.k2conf;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.plumbline.graph.Constants;
import dev.plumbline.graph.Outbox;
import dev.plumbline.graph.Values;
import dev.plumbline.k2.DataNode;
import dev.plumbline.k2.K2Timer;
import dev.plumbline.k2.TimestampSource;
import dev.plumbline.machine.Input;
import dev.plumbline.machine.Timer;
import dev.plumbline.sim.NodeSpec;
import dev.plumbline.sim.SeededBug;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * Runs K2's data nodes, as far as they cut epochs, by the actions of {@code EpochCut}; batches and
 * clocks are as in {@link TimestampBatchingAdapter}. A timer fires when it is due and the
 * specification says so, or at any time where {@code TimerKept} is false.
 *
 * <p>A machine compares a timestamp with the epoch's end in the step that gives it. Where it is too
 * early it sets its timer then, the specification in a step of its own: the adapter sets the timer
 * late, in {@code TooEarly}. A timer that was due before it was set has the delay 0; the
 * specification counts back.
 */
final class EpochCutAdapter extends TimestampBatchingAdapter {
  private static final Timer DUE = new K2Timer.EpochDue();
  private static final Timer OVER = new K2Timer.EpochOver();
  private static final long FOREVER_MICROS = 1_000_000_000_000L;

  private final boolean timerKept;
  private final int interval;
  private final int unitsAtLeast;

  /** A data node with its durable log and its timers. */
  private static final class Node extends Server {
    final List<Record> log;
    final Map<Timer, Long> delays;
    long due;
    long over;
    Client attempt;
    Long held;
    int cutAt;

    Node(String name, NodeSpec spec, List<Record> log, Map<Timer, Long> delays) {
      super(
          name,
          spec,
          new Outbox(spec.role()) {
            @Override
            public void persist(Record record) {
              log.add(record);
            }

            @Override
            public void setTimer(Timer timer, long delayMicros) {
              delays.put(timer, delayMicros);
            }
          });
      this.log = log;
      this.delays = delays;
    }

    DataNode dataNode() {
      return (DataNode) machine;
    }

    @Override
    TimestampSource source() {
      return dataNode().timestamps();
    }
  }

  /** A client here is an attempt, and what became of it once its node has forgotten it. */
  private static final class Attempt extends Client {
    String phase = "begun";
    int ts;
    int oracle;
    int local;
  }

  /**
   * @param constants the model's
   * @param bug a seeded bug to run with
   */
  EpochCutAdapter(Constants constants, Optional<SeededBug> bug) {
    super(constants, bug, variableNames(), parameters(constants));
    constants.demand("Compared", "TRUE");
    timerKept = constants.flag("TimerKept");
    interval = constants.number("Interval");
    unitsAtLeast = constants.number("Nominal") + constants.number("Drift");
  }

  private static String[] variableNames() {
    return new String[] {
      "batch",
      "clock",
      "cut",
      "incarnation",
      "last",
      "now",
      "pending",
      "replies",
      "requests",
      "sent",
      "txn"
    };
  }

  private static TreeMap<String, Long> parameters(Constants constants) {
    TreeMap<String, Long> parameters = new TreeMap<>();
    parameters.put(
        "epochMicros", (long) constants.number("Interval") * constants.number("Nominal"));
    parameters.put("leaseMicros", FOREVER_MICROS);
    return parameters;
  }

  @Override
  public Map<String, String> ghosts() {
    Map<String, String> all = new TreeMap<>(super.ghosts());
    all.put("cut.cutAt", "real time");
    all.put("txn.local", "the clock at the timestamp; the machine keeps when the wait is over");
    all.put("txn.phase", "a node forgets its attempts; that one is over is the machine's doing");
    return all;
  }

  @Override
  public void reset(ObjectNode initial) {
    super.reset(initial);
    clients.replaceAll((name, client) -> new Attempt());
  }

  @Override
  Server open(String name) {
    return new Node(
        name, deployment.owner("data-node", servers.size()), new ArrayList<>(), new HashMap<>());
  }

  @Override
  void start(Server server) {
    Node c = (Node) server;
    c.attempt = null;
    c.held = null;
    c.delays.clear();
    c.epoch++;
    c.machine = deployment.machine(c.spec);
    c.handle(new Input.Start(c.epoch, List.copyOf(c.log)));
    c.due = c.clock + c.delays.get(DUE);
  }

  @Override
  public void apply(String action, ObjectNode p) {
    switch (action) {
      case "TimerExpires" -> timerExpires((Attempt) client(p), (Node) server(p.get("c")));
      case "TooEarly" -> tooEarly(client(p), (Node) server(p.get("c")));
      case "CutEpoch" -> cutEpoch((Attempt) client(p), (Node) server(p.get("c")));
      case "CutNext" -> super.apply(batching(p), p);
      case "RestartNode" -> restart(server(p.get("c")));
      default -> super.apply(action, p);
    }
  }

  /** The steps of {@code TimestampBatching} have no name of their own in {@code CutNext}. */
  private static String batching(ObjectNode parameters) {
    return parameters.has("advance")
        ? "Tick"
        : parameters.has("q")
            ? "OracleReply"
            : parameters.has("r")
                ? "InstallBatch"
                : parameters.has("c") ? "RequestBatch" : "Assign";
  }

  private void timerExpires(Attempt t, Node c) {
    if (t.server != null || c.attempt != null || (timerKept && c.clock < c.due)) {
      return;
    }
    c.attempt = t;
    t.server = c;
    t.epoch = c.epoch;
    t.begun = now;
    c.handle(new Input.TimerFired(DUE));
  }

  @Override
  void assign(Client client) {
    Attempt t = (Attempt) client;
    if (!live(t) || !t.phase.equals("begun") || !t.server.source().usable(t.server.reading())) {
      return;
    }
    Node c = (Node) t.server;
    c.delays.clear();
    c.handle(new Input.TimerFired(new K2Timer.NextTimestamp()));
    if (!c.source().waiting().isEmpty()) {
      return;
    }
    t.phase = "running";
    t.ts = ticks(c.source().last());
    t.oracle = oracles.get(c.source().batch().oracle());
    t.local = (int) c.clock;
    t.real = now;
    c.held = c.delays.get(DUE);
    c.over = c.delays.containsKey(OVER) ? c.clock + c.delays.get(OVER) : Long.MAX_VALUE;
  }

  private void tooEarly(Client t, Node c) {
    if (c.attempt == t && c.held != null) {
      c.due = c.clock + c.held;
      c.held = null;
      c.attempt = null;
    }
  }

  private void cutEpoch(Attempt t, Node c) {
    if (c.attempt != t || !t.phase.equals("running") || c.clock < c.over) {
      return;
    }
    long ended = c.dataNode().epoch();
    c.delays.clear();
    c.handle(new Input.TimerFired(OVER));
    long delay = c.delays.get(DUE);
    c.due = c.clock + (delay > 0 ? delay : (interval * (1 + ended) - t.ts) * unitsAtLeast);
    c.attempt = null;
    c.cutAt = now;
    t.phase = "ended";
    t.ended = now;
  }

  @Override
  protected JsonNode value(String variable) {
    return variable.equals("cut")
        ? Values.function(servers, c -> cut((Node) c))
        : super.value(variable);
  }

  private ObjectNode cut(Node c) {
    String attempt = "";
    for (Map.Entry<String, Client> t : clients.entrySet()) {
      attempt = t.getValue() == c.attempt ? t.getKey() : attempt;
    }
    return F.objectNode()
        .put("attempt", attempt)
        .put("cutAt", c.cutAt)
        .put("due", (int) c.due)
        .put("epoch", (int) c.dataNode().epoch());
  }

  @Override
  ObjectNode transaction(Client client) {
    Attempt t = (Attempt) client;
    ObjectNode o = F.objectNode().put("begun", t.begun).put("real", t.real).put("ended", t.ended);
    o.put("coordinator", t.server == null ? "" : t.server.name);
    o.put("incarnation", t.server == null ? 0 : (int) t.epoch - 1);
    o.put("phase", t.server == null ? "idle" : t.phase);
    return o.put("ts", t.ts).put("oracle", t.oracle).put("local", t.local);
  }
}
