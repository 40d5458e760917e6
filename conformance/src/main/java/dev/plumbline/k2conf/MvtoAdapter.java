package dev.plumbline.k2conf;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.IntNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.node.TextNode;
import dev.plumbline.graph.Constants;
import dev.plumbline.graph.Deployment;
import dev.plumbline.graph.ProjectingAdapter;
import dev.plumbline.graph.Values;
import dev.plumbline.k2.Coordinator;
import dev.plumbline.k2.DataNode;
import dev.plumbline.k2.K2Config;
import dev.plumbline.k2.K2Message;
import dev.plumbline.k2.K2Request;
import dev.plumbline.k2.K2Timer;
import dev.plumbline.k2.Recorder;
import dev.plumbline.k2.Status;
import dev.plumbline.k2.Timestamp;
import dev.plumbline.k2.Transaction;
import dev.plumbline.k2.Version;
import dev.plumbline.machine.ClockReading;
import dev.plumbline.machine.Effects;
import dev.plumbline.machine.Input;
import dev.plumbline.machine.Machine;
import dev.plumbline.machine.Message;
import dev.plumbline.machine.NoEffects;
import dev.plumbline.machine.Timer;
import dev.plumbline.sim.NodeSpec;
import dev.plumbline.sim.SeededBug;
import dev.plumbline.sim.Settings;
import dev.plumbline.sim.k2.K2System;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;

/**
 * Runs K2's coordinators and data nodes (with their recorders) by the actions of {@code Mvto}.
 *
 * <p>Every transaction has a coordinator of its own, since they fail one by one in the
 * specification; every key has a data node of its own, named like it. Timestamp n is n ms; the
 * oracle's answers are made up so that the machines arrive at it. A data node and its recorder
 * restart together: where the specification restarts one of them, the adapter delivers again what
 * the other one had been holding, and the data node's floor is what its tracker was.
 */
final class MvtoAdapter extends ProjectingAdapter {
  private static final JsonNodeFactory F = JsonNodeFactory.instance;
  private static final String NO_TXN = "NoTxn";
  private static final String NO_KEY = "NoKey";

  /** Transactions and keys that a corpus may have. */
  private static final int MOST = 5;

  private static final long MILLI = 1_000;
  private static final long FOREVER_MICROS = 1_000_000_000_000L;

  /** Timestamps are assigned at local time 0; everything else happens after the commit wait. */
  private static final ClockReading EARLY = ClockReading.local(0);

  private static final ClockReading LATE = ClockReading.local(1_000_000);

  private static final Map<Transaction.Phase, String> PHASES =
      new EnumMap<>(Transaction.Phase.class);

  static {
    for (Transaction.Phase phase : Transaction.Phase.values()) {
      PHASES.put(phase, phase.name().toLowerCase(Locale.ROOT));
    }
  }

  private static final String[] VARIABLES = {
    "expelled",
    "first",
    "held",
    "msgs",
    "record",
    "seen",
    "told",
    "tracker",
    "ts",
    "txn",
    "versions",
    "waiting"
  };

  private final Deployment deployment;
  private final long ttlMicros;
  private final Set<String> changed = new HashSet<>();
  private final Map<String, Long> keys = new TreeMap<>();
  private final List<String> keyNames = new ArrayList<>();
  private final Map<String, Client> clients = new TreeMap<>();
  private final Map<String, Client> byId = new HashMap<>();
  private final Map<String, Node> nodes = new TreeMap<>();
  private final TreeMap<String, JsonNode> msgs = new TreeMap<>();
  private final Map<JsonNode, Delivery> deliveries = new HashMap<>();
  private final Net net = new Net();
  private ArrayNode told;

  private record Delivery(String from, String to, K2Message message) {}

  /** A transaction; its coordinator is null before it begins and once it is lost. */
  private static final class Client {
    final String name;
    final NodeSpec spec;
    Machine coordinator;
    Transaction txn;
    boolean lost;
    boolean over;
    int seen;

    Client(String name, NodeSpec spec) {
      this.name = name;
      this.spec = spec;
    }
  }

  /** A data node with its durable log. */
  private static final class Node {
    final String name;
    final NodeSpec spec;
    final List<Record> log = new ArrayList<>();
    DataNode machine;
    long epoch;

    Node(String name, NodeSpec spec) {
      this.name = name;
      this.spec = spec;
    }
  }

  /**
   * @param constants the model's
   * @param bug a seeded bug to run with
   */
  MvtoAdapter(Constants constants, Optional<SeededBug> bug) {
    super(VARIABLES);
    constants.demand("Fencing", "TRUE");
    constants.demand("TrackAt", "\"request\"");
    K2System system = new K2System();
    TreeMap<String, Long> parameters = new TreeMap<>();
    parameters.put("leaseMicros", FOREVER_MICROS);
    parameters.put("epochMicros", FOREVER_MICROS);
    Settings settings =
        new Settings(
            system.clockBounds(),
            constants.asPublished(List.of(K2Config.READ_FLOOR, K2Config.PUSH_REGISTERS)),
            parameters);
    deployment = Deployment.of(system, settings, bug).restricted(MOST, "coordinator", "data-node");
    ttlMicros = system.config(settings).ttlMicros();
  }

  @Override
  public Map<String, String> ghosts() {
    return Map.of(
        "expelled", "exists only without fencing, which the storage of every machine enforces",
        "seen", "what a client knew when it began; no machine tells clients apart",
        "told.t", "the order in which clients heard of their ends, over all coordinators",
        "txn.phase", "only where it is lost: the coordinator that knew it is gone");
  }

  @Override
  public void reset(ObjectNode initial) {
    keys.clear();
    keyNames.clear();
    clients.clear();
    byId.clear();
    nodes.clear();
    msgs.clear();
    deliveries.clear();
    told = F.arrayNode();
    changed(VARIABLES);
    initial
        .get("versions")
        .fieldNames()
        .forEachRemaining(
            key -> {
              keys.put(key, (long) keyNames.size());
              Node node = new Node(key, deployment.owner("data-node", keyNames.size()));
              keyNames.add(key);
              nodes.put(key, node);
              start(node);
            });
    initial
        .get("ts")
        .fieldNames()
        .forEachRemaining(
            t -> clients.put(t, new Client(t, deployment.owner("coordinator", clients.size()))));
  }

  private void start(Node node) {
    node.epoch++;
    node.machine = (DataNode) deployment.machine(node.spec);
    node.machine.handle(
        new Input.Start(node.epoch, List.copyOf(node.log)), LATE, net.of(node.spec.role(), node));
  }

  @Override
  public void apply(String action, ObjectNode p) {
    switch (action) {
      case "Begin" -> begin(client(p), p.get("n").intValue(), p.get("p").intValue());
      case "IssueRead" -> ask(client(p), new K2Request.Get(client(p).txn.txn().id(), key(p)));
      case "IssueWrite" ->
          ask(client(p), new K2Request.Put(client(p).txn.txn().id(), key(p), List.of(1L)));
      case "RequestCommit" -> ask(client(p), new K2Request.Commit(client(p).txn.txn().id()));
      case "RequestAbort" -> fire(client(p), new K2Timer.Patience(client(p).txn.txn().id()));
      case "CoordinatorFail" -> {
        client(p).lost = true;
        client(p).coordinator = null;
        changed("first", "ts", "txn");
      }
      case "SuspectCoordinator" -> {
        Client c = client(p);
        Node home = nodes.get(keyNames.get((int) firstKey(c.txn)));
        data(home, new Input.TimerFired(new K2Timer.Suspect(c.txn.txn().id())));
      }
      case "RecoverDataNode" ->
          recover(nodes.get(p.get("d").textValue()), p.get("floor").intValue());
      case "ReplaceRecorder" -> replaceRecorder(nodes.get(p.get("d").textValue()));
      case "HandleReadReply", "HandleWriteReply", "HandleDecision" -> toCoordinator(p.get("m"));
      case "HandleRead",
              "HandleWrite",
              "HandlePush",
              "HandlePushReply",
              "HandleFinalize",
              "HandleCommit",
              "HandleAbort" ->
          toDataNode(p.get("m"));
      default -> throw new IllegalArgumentException("no machine has an action " + action);
    }
  }

  private Client client(ObjectNode parameters) {
    return clients.get(parameters.get("t").textValue());
  }

  private long key(ObjectNode parameters) {
    return keys.get(parameters.get("k").textValue());
  }

  private long firstKey(Transaction t) {
    return Long.parseLong(t.first().substring(1));
  }

  private void begin(Client c, int n, int told) {
    c.seen = told;
    c.coordinator = deployment.machine(c.spec);
    Effects effects = net.of(c.spec.role(), null);
    Machine m = c.coordinator;
    m.handle(new Input.Start(1, List.of()), EARLY, effects);
    m.handle(
        new Input.ClientRequest(1, new K2Request.Begin(K2Request.Mode.PRIMARY, null)),
        EARLY,
        effects);
    timestamp(m, effects, EARLY, n, 1);
    c.txn = ((Coordinator) m).transactions().values().iterator().next();
    byId.put(c.txn.txn().id(), c);
    changed("first", "ts", "txn", "seen");
  }

  /** Answers the request for a batch so that the next timestamp is n. */
  private void timestamp(Machine m, Effects effects, ClockReading clock, int n, long oracle) {
    m.handle(new Input.TimerFired(new K2Timer.NextTimestamp()), clock, effects);
    long up = n * MILLI - ttlMicros;
    m.handle(
        new Input.Deliver("oracle", new K2Message.BatchReply(net.lastBatch, oracle, up)),
        clock,
        effects);
    m.handle(new Input.TimerFired(new K2Timer.NextTimestamp()), clock, effects);
  }

  private void ask(Client c, K2Request request) {
    coordinate(c, new Input.ClientRequest(net.nextRequest++, (Record) request));
  }

  private void fire(Client c, Timer timer) {
    coordinate(c, new Input.TimerFired(timer));
  }

  private void coordinate(Client c, Input input) {
    if (c == null || c.coordinator == null) {
      return;
    }
    c.coordinator.handle(input, LATE, net.of(c.spec.role(), null));
    if (c.txn != null && c.txn.phase() == Transaction.Phase.DONE && !c.over) {
      c.over = true;
      boolean committed = net.committed;
      told = told.deepCopy();
      told.addObject().put("outcome", committed ? "committed" : "aborted").put("t", c.name);
      changed("told");
    }
    changed("first", "txn");
  }

  private void toCoordinator(JsonNode m) {
    Delivery d = deliveries.get(m);
    net.committed = !m.get("s").textValue().equals("aborted");
    coordinate(clients.get(m.get("t").textValue()), new Input.Deliver(d.from(), d.message()));
    net.committed = true;
  }

  private void toDataNode(JsonNode m) {
    Delivery d = deliveries.get(m);
    for (Node node : nodes.values()) {
      if (node.spec.role().equals(d.to())) {
        data(node, new Input.Deliver(d.from(), d.message()));
      }
    }
  }

  private void data(Node node, Input input) {
    node.machine.handle(input, LATE, net.of(node.spec.role(), node));
    changed("held", "record", "tracker", "versions", "waiting");
  }

  private void recover(Node node, int floor) {
    List<JsonNode> again = pushesHeld(node);
    restart(node, floor);
    again.forEach(this::toDataNode);
  }

  private void replaceRecorder(Node node) {
    List<JsonNode> again = readsWaiting(node);
    restart(node, (int) (node.machine.tracker(keys.get(node.name)).micros() / MILLI));
    again.forEach(this::toDataNode);
  }

  private void restart(Node node, int floor) {
    start(node);
    Effects effects = net.of(node.spec.role(), node);
    node.machine.handle(new Input.TimerFired(new K2Timer.Recover()), LATE, effects);
    node.machine.handle(new Input.TimerFired(new K2Timer.Recover()), LATE, effects);
    timestamp(node.machine, effects, LATE, floor, 0);
    changed("held", "record", "tracker", "versions", "waiting");
  }

  private List<JsonNode> pushesHeld(Node node) {
    List<JsonNode> again = new ArrayList<>();
    for (Recorder.Held h : node.machine.recorder().held()) {
      again.add(message("push", h.txn().id(), h.key(), NO_TXN, ""));
    }
    return again;
  }

  private List<JsonNode> readsWaiting(Node node) {
    List<JsonNode> again = new ArrayList<>();
    for (DataNode.Waiting w : node.machine.waiting()) {
      again.add(message("read", w.reader().id(), w.key(), NO_TXN, ""));
    }
    return again;
  }

  private JsonNode message(String type, String id, long key, String value, String s) {
    ObjectNode m = F.objectNode();
    m.put("k", key < 0 ? NO_KEY : keyNames.get((int) key));
    m.put("s", s);
    m.put("t", name(id));
    m.put("type", type);
    m.put("v", name(value));
    return m;
  }

  private String name(String id) {
    return id.equals(NO_TXN) ? NO_TXN : byId.get(id).name;
  }

  private void changed(String... variables) {
    changed.addAll(List.of(variables));
  }

  @Override
  protected JsonNode value(String variable) {
    if (!changed.remove(variable)) {
      return null;
    }
    return switch (variable) {
      case "msgs" -> Values.sequence(msgs.values());
      case "told" -> told;
      case "expelled" -> Values.function(clients, c -> TextNode.valueOf(""));
      case "seen" -> Values.function(clients, c -> IntNode.valueOf(c.seen));
      case "ts" ->
          Values.function(
              clients, c -> IntNode.valueOf(c.txn == null ? 0 : number(c.txn.txn().ts())));
      case "first" ->
          Values.function(
              clients, c -> TextNode.valueOf(c.txn == null ? NO_KEY : key(c.txn.first())));
      case "txn" -> Values.function(clients, this::transaction);
      case "record" -> Values.function(clients, this::record);
      case "tracker" ->
          Values.function(nodes, n -> IntNode.valueOf(number(n.machine.tracker(keys.get(n.name)))));
      case "versions" -> Values.function(nodes, this::versions);
      case "held" -> {
        List<JsonNode> held = new ArrayList<>();
        for (Node n : nodes.values()) {
          for (Recorder.Held h : n.machine.recorder().held()) {
            held.add(
                F.objectNode().put("k", keyNames.get((int) h.key())).put("t", name(h.txn().id())));
          }
        }
        yield Values.set(held);
      }
      default -> {
        List<JsonNode> waiting = new ArrayList<>();
        for (Node n : nodes.values()) {
          for (DataNode.Waiting w : n.machine.waiting()) {
            waiting.add(
                F.objectNode()
                    .put("k", keyNames.get((int) w.key()))
                    .put("on", name(w.on().id()))
                    .put("t", name(w.reader().id())));
          }
        }
        yield Values.set(waiting);
      }
    };
  }

  private static int number(Timestamp ts) {
    return (int) (ts.micros() / MILLI);
  }

  private String key(String logged) {
    return logged.equals(NO_KEY) ? NO_KEY : keyNames.get(Integer.parseInt(logged.substring(1)));
  }

  private JsonNode record(Client c) {
    for (Node n : nodes.values()) {
      Status status = c.txn == null ? null : n.machine.recorder().status(c.txn.txn().id());
      if (status != null) {
        return TextNode.valueOf(status.name().toLowerCase(Locale.ROOT));
      }
    }
    return TextNode.valueOf("none");
  }

  private JsonNode versions(Node n) {
    List<JsonNode> found = new ArrayList<>();
    found.add(F.objectNode().put("status", "committed").put("writer", NO_TXN));
    Map<Timestamp, Version> stream = n.machine.versions().all().get(keys.get(n.name));
    if (stream != null) {
      for (Version v : stream.values()) {
        found.add(
            F.objectNode()
                .put("status", v.committed() ? "committed" : "intent")
                .put("writer", name(v.writer().id())));
      }
    }
    return Values.set(found);
  }

  private JsonNode transaction(Client c) {
    ObjectNode o = F.objectNode();
    if (c.txn == null) {
      o.putArray("acked");
      o.put("phase", c.lost ? "lost" : "idle").put("reading", NO_KEY);
      o.putArray("reads");
      o.putArray("writes");
      return o;
    }
    keySet(o.putArray("acked"), c.txn.acked());
    o.put("phase", c.lost ? "lost" : PHASES.get(c.txn.phase()));
    Long reading = c.txn.reading();
    o.put("reading", c.lost || reading == null ? NO_KEY : keyNames.get(reading.intValue()));
    ArrayNode reads = o.putArray("reads");
    c.txn
        .reads()
        .forEach((k, r) -> reads.addArray().add(keyNames.get(k.intValue())).add(name(r.writer())));
    keySet(o.putArray("writes"), c.txn.writes().keySet());
    return o;
  }

  /** Keys are numbered in the order of their names. */
  private void keySet(ArrayNode to, Set<Long> some) {
    some.forEach(k -> to.add(keyNames.get(k.intValue())));
  }

  /** Takes what a machine sends and persists. */
  private final class Net extends NoEffects {
    private String from;
    private Node node;
    private long lastBatch;
    private long nextRequest = 2;
    private boolean committed = true;

    Net of(String sender, Node sendingNode) {
      from = sender;
      node = sendingNode;
      return this;
    }

    @Override
    public void send(String to, Message message) {
      JsonNode m = null;
      if (message instanceof K2Message.BatchRequest r) {
        lastBatch = r.id();
      } else if (message instanceof K2Message.Read r) {
        m = message("read", r.txn().id(), r.key(), NO_TXN, "");
      } else if (message instanceof K2Message.ReadReply r) {
        m = message("readReply", r.txn(), r.key(), r.writer(), "");
      } else if (message instanceof K2Message.Write w) {
        m = message("write", w.txn().id(), w.key(), NO_TXN, "");
      } else if (message instanceof K2Message.WriteReply r) {
        m = message("writeReply", r.txn(), r.key(), NO_TXN, r.ok() ? "ok" : "refused");
      } else if (message instanceof K2Message.Commit c) {
        m = message("commit", c.txn().id(), c.first(), NO_TXN, "");
      } else if (message instanceof K2Message.Abort a) {
        m = message("abort", a.txn().id(), a.first(), NO_TXN, "");
      } else if (message instanceof K2Message.Decision d) {
        m = message("decision", d.txn(), -1, NO_TXN, outcome(d.committed()));
      } else if (message instanceof K2Message.Finalize f) {
        m = message("finalize", f.txn().id(), f.key(), NO_TXN, outcome(f.committed()));
      } else if (message instanceof K2Message.Push p) {
        m = message("push", p.txn().id(), p.key(), NO_TXN, "");
      } else if (message instanceof K2Message.PushReply r) {
        m = message("pushReply", r.txn().id(), r.key(), NO_TXN, outcome(r.committed()));
      }
      if (m != null
          && deliveries.putIfAbsent(m, new Delivery(from, to, (K2Message) message)) == null) {
        msgs.put(m.toString(), m);
        changed("msgs");
      }
    }

    private static String outcome(boolean committed) {
      return committed ? "committed" : "aborted";
    }

    @Override
    public void persist(Record record) {
      node.log.add(record);
    }
  }
}
