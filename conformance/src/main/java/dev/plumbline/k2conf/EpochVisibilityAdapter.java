package dev.plumbline.k2conf;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.IntNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.node.TextNode;
import dev.plumbline.graph.Constants;
import dev.plumbline.graph.Deployment;
import dev.plumbline.graph.Outbox;
import dev.plumbline.graph.ProjectingAdapter;
import dev.plumbline.graph.Values;
import dev.plumbline.k2.Coordinator;
import dev.plumbline.k2.DataNode;
import dev.plumbline.k2.K2Config;
import dev.plumbline.k2.K2Message;
import dev.plumbline.k2.K2Record;
import dev.plumbline.k2.K2Request;
import dev.plumbline.k2.K2Response;
import dev.plumbline.k2.K2Timer;
import dev.plumbline.k2.Replica;
import dev.plumbline.k2.Timestamp;
import dev.plumbline.k2.Transaction;
import dev.plumbline.k2.Transaction.Phase;
import dev.plumbline.k2.Txn;
import dev.plumbline.k2.Version;
import dev.plumbline.k2.Versions;
import dev.plumbline.machine.ClockReading;
import dev.plumbline.machine.Input;
import dev.plumbline.machine.Machine;
import dev.plumbline.machine.Timer;
import dev.plumbline.sim.ClockBounds;
import dev.plumbline.sim.NodeSpec;
import dev.plumbline.sim.Protocols;
import dev.plumbline.sim.SeededBug;
import dev.plumbline.sim.Settings;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * Runs K2's coordinators, data nodes (with their recorders) and replicas by the actions of {@code
 * EpochVisibility}. A tick is 1 ms. The specification's commit wait is over once real time has
 * passed the timestamp, the machines' after a time by their coordinator's clock: that clock runs so
 * that the two are the same moment, faster for a timestamp that is near.
 *
 * <p>An action is several inputs here: what a machine sends is delivered at once, except what later
 * actions stand for. Log entries wait for {@code Replay}, decisions to commit for {@code Tell},
 * reads at replicas that have to wait for the next {@code ReplicaRead}. Every transaction has a
 * coordinator of its own, every key a data node and a replica of its own.
 *
 * <p>Where the machines do more than the specification says: a coordinator asks for a commit only
 * after the commit wait, so {@code Commit} shows it a late clock; {@code Tell} shows it the true
 * one. The specification keeps the intents of aborted transactions, the machines do not. It knows
 * no writes but those that were not refused. A cut's timestamp is within the tick that ends now:
 * the largest that is surely past.
 */
final class EpochVisibilityAdapter extends ProjectingAdapter {
  private static final JsonNodeFactory F = JsonNodeFactory.instance;
  private static final String NO_TXN = "NoTxn";
  private static final long TICK = 1_000;
  private static final long TTL = 1;
  private static final long FOREVER_MICROS = 1_000_000_000_000L;

  /** TTL and ε make half a commit wait. */
  private static final ClockBounds BOUNDS = new ClockBounds(TICK - TTL, 0);

  private static final long COMMIT_WAIT = 2 * TICK;

  private static final ClockReading LATE = ClockReading.local(FOREVER_MICROS / 2);
  private static final String[] VARIABLES = {
    "epoch",
    "first",
    "now",
    "record",
    "replayed",
    "seen",
    "told",
    "tracker",
    "ts",
    "txn",
    "versions"
  };
  private static final Map<String, String> GHOSTS =
      Map.of(
          "now", "real time, which no server reads",
          "seen", "what a client knew when it began; no machine tells clients apart",
          "told", "the order over all coordinators; that a client is told is the machine's doing",
          "txn.phase", "done where a coordinator is lost, and snapshot: its client's choice");

  private final Deployment deployment;
  private final Map<String, Node> nodes = new TreeMap<>();
  private final Map<String, Client> clients = new TreeMap<>();
  private final Map<String, String> names = new HashMap<>();
  private final List<String> keyNames = new ArrayList<>();
  private final List<String> txnNames = new ArrayList<>();
  private final List<String> told = new ArrayList<>();
  private long now;
  private long nextRequest;

  /** The last action was {@code Tick}, which reaches no machine. */
  private boolean ticked;

  /** A key's data node and replica, and the log entries between them. */
  private static final class Node {
    final long key;
    final NodeSpec spec;
    final Outbox out;
    final NodeSpec replicaSpec;
    final Outbox replicaOut;
    final ArrayDeque<Outbox.Sent> entries = new ArrayDeque<>();
    final Map<String, Long> intents = new TreeMap<>();
    DataNode machine;
    Replica replica;
    long lastCut = Long.MIN_VALUE;

    Node(long key, NodeSpec spec, NodeSpec replicaSpec) {
      this.key = key;
      this.spec = spec;
      this.out = new Outbox(spec.role());
      this.replicaSpec = replicaSpec;
      this.replicaOut = new Outbox(replicaSpec.role());
    }
  }

  /** A transaction or reader with its coordinator, which is null once it is lost. */
  private static final class Client {
    final String name;
    final NodeSpec spec;
    final Outbox out;
    Coordinator machine;
    Transaction txn;
    Outbox.Sent decision;
    boolean snapshot;
    boolean asked;
    int seen;
    long begun;
    long ticksToWait = 1;

    Client(String name, NodeSpec spec) {
      this.name = name;
      this.spec = spec;
      this.out = new Outbox(spec.role());
    }
  }

  /**
   * @param constants the model's
   * @param bug a seeded bug to run with
   */
  EpochVisibilityAdapter(Constants constants, Optional<SeededBug> bug) {
    super(VARIABLES);
    TreeMap<String, Long> parameters = new TreeMap<>();
    parameters.put("ttlMicros", TTL);
    parameters.put("stepMicros", 1L);
    parameters.put("epochMicros", constants.number("Interval") * TICK);
    parameters.put("leaseMicros", FOREVER_MICROS);
    Settings settings =
        new Settings(BOUNDS, constants.asPublished(List.of(K2Config.CLOSE_EPOCHS)), parameters);
    deployment = Deployment.of(Protocols.named("k2"), settings, bug);
  }

  @Override
  public Map<String, String> ghosts() {
    return GHOSTS;
  }

  @Override
  public void reset(ObjectNode initial) {
    nodes.clear();
    clients.clear();
    names.clear();
    names.put(NO_TXN, NO_TXN);
    keyNames.clear();
    txnNames.clear();
    told.clear();
    now = 0;
    ticked = false;
    initial.get("epoch").fieldNames().forEachRemaining(this::open);
    initial
        .get("ts")
        .fieldNames()
        .forEachRemaining(
            t -> clients.put(t, new Client(t, deployment.owner("coordinator", clients.size()))));
    initial.get("record").fieldNames().forEachRemaining(txnNames::add);
    deliverAll();
  }

  private void open(String key) {
    int index = nodes.size();
    Node n =
        new Node(index, deployment.owner("data-node", index), deployment.owner("replica", index));
    keyNames.add(key);
    nodes.put(key, n);
    n.machine = (DataNode) deployment.machine(n.spec);
    n.replica = (Replica) deployment.machine(n.replicaSpec);
    n.machine.handle(new Input.Start(1, List.of()), clock(), n.out);
    n.replica.handle(new Input.Start(1, List.of()), clock(), n.replicaOut);
  }

  private ClockReading clock() {
    return ClockReading.local(now * TICK);
  }

  /**
   * Its coordinator's clock: a commit wait after the transaction began, its timestamp has passed.
   */
  private ClockReading clock(Client c) {
    return ClockReading.local(c.begun * TICK + (now - c.begun) * COMMIT_WAIT / c.ticksToWait);
  }

  @Override
  public void apply(String action, ObjectNode p) {
    ticked = action.equals("Tick");
    switch (action) {
      case "Tick" -> now++;
      case "Cut" -> cut(nodes.get(p.get("n").textValue()));
      case "Replay" -> replay(nodes.get(p.get("n").textValue()));
      case "Begin" -> begin(client(p, "t"), K2Request.Mode.PRIMARY, p.get("n").intValue());
      case "BeginLinearizable" ->
          begin(client(p, "r"), K2Request.Mode.LINEARIZABLE, p.get("n").intValue());
      case "BeginSnapshot" -> begin(client(p, "r"), K2Request.Mode.SNAPSHOT, p.get("n").intValue());
      case "PrimaryRead" -> {
        Client t = client(p, "t");
        ask(t, new K2Request.Get(t.txn.txn().id(), key(p)), clock(t));
      }
      case "PrimaryWrite" -> {
        Client t = client(p, "t");
        ask(t, new K2Request.Put(t.txn.txn().id(), key(p), List.of(1L)), clock(t));
      }
      case "Commit" -> {
        Client t = client(p, "t");
        ask(t, new K2Request.Commit(t.txn.txn().id()), LATE);
      }
      case "Abort" -> abort(client(p, "t"));
      case "Tell" -> tell(client(p, "t"));
      case "ReplicaRead" -> replicaRead(client(p, "r"), key(p));
      default -> throw new IllegalArgumentException("no machine has an action " + action);
    }
    deliverAll();
  }

  private Client client(ObjectNode parameters, String name) {
    return clients.get(parameters.get(name).textValue());
  }

  private long key(ObjectNode parameters) {
    return nodes.get(parameters.get("k").textValue()).key;
  }

  // ---- epochs --------------------------------------------------------------------------------

  private void cut(Node n) {
    n.lastCut = Math.max(n.lastCut, (now - 1) * TICK) + 1;
    n.out.timers.clear();
    fire(n, new K2Timer.EpochDue());
    timestamp(n.machine, n.out, n.lastCut);
    if (n.out.timers.contains(new K2Timer.EpochOver())) {
      fire(n, new K2Timer.EpochOver());
    }
  }

  private void fire(Node n, Timer timer) {
    n.machine.handle(new Input.TimerFired(timer), clock(), n.out);
  }

  /** Answers the request for a batch, which holds one timestamp, so that it is this one. */
  private void timestamp(Machine m, Outbox out, long micros) {
    m.handle(new Input.TimerFired(new K2Timer.NextTimestamp()), clock(), out);
    K2Message.BatchRequest request = (K2Message.BatchRequest) out.sent.removeLast().message();
    m.handle(
        new Input.Deliver("oracle", new K2Message.BatchReply(request.id(), 1, micros - TTL)),
        clock(),
        out);
    m.handle(new Input.TimerFired(new K2Timer.NextTimestamp()), clock(), out);
  }

  private void replay(Node n) {
    long from = n.replica.replayed();
    while (n.replica.replayed() == from && !n.entries.isEmpty()) {
      Outbox.Sent s = n.entries.remove();
      n.replica.handle(new Input.Deliver(s.from(), s.message()), clock(), n.replicaOut);
    }
  }

  // ---- transactions --------------------------------------------------------------------------

  private void begin(Client c, K2Request.Mode mode, int n) {
    c.seen = told.size();
    c.snapshot = mode == K2Request.Mode.SNAPSHOT;
    c.begun = now;
    c.ticksToWait = Math.max(1, n + 1 - now);
    c.machine = (Coordinator) deployment.machine(c.spec);
    c.machine.handle(new Input.Start(1, List.of()), clock(), c.out);
    Timestamp at = c.snapshot ? new Timestamp(n * TICK, 0, 0, 0) : null;
    c.machine.handle(
        new Input.ClientRequest(nextRequest++, new K2Request.Begin(mode, at)), clock(), c.out);
    if (!c.snapshot) {
      timestamp(c.machine, c.out, n * TICK);
    }
    c.txn = c.machine.transactions().values().iterator().next();
    names.put(c.txn.txn().id(), c.name);
  }

  private void ask(Client c, K2Request request, ClockReading clock) {
    c.machine.handle(new Input.ClientRequest(nextRequest++, (Record) request), clock, c.out);
  }

  /** Its coordinator is lost, and its recorder, which never heard of it, suspects that. */
  private void abort(Client c) {
    c.machine = null;
    Node home = nodes.get(key(c.txn.first()));
    fire(home, new K2Timer.Suspect(c.txn.txn().id()));
  }

  /** The client asks for its commit; later the machine's timer, or the decision, comes again. */
  private void tell(Client c) {
    if (c.machine == null) {
      return;
    }
    c.out.replies.clear();
    if (c.decision != null) {
      coordinate(c, c.decision, clock(c));
    } else if (c.txn.phase() == Phase.RUNNING
        && c.txn.writes().isEmpty()
        && !c.txn.reads().isEmpty()) {
      String id = c.txn.txn().id();
      if (c.asked) {
        c.machine.handle(new Input.TimerFired(new K2Timer.Proceed(id)), clock(c), c.out);
      } else {
        ask(c, new K2Request.Commit(id), clock(c));
      }
      c.asked = true;
    }
    if (c.out.replies.stream().anyMatch(K2Response.Committed.class::isInstance)) {
      told.add(c.name);
    }
  }

  /** The client asks for the key; where the read waits at the replica, it is tried again. */
  private void replicaRead(Client c, long key) {
    if (c.machine == null || c.txn.phase() != Phase.RUNNING) {
      return;
    }
    String id = c.txn.txn().id();
    Long reading = c.txn.reading();
    if (reading == null) {
      if (!c.txn.reads().containsKey(key)) {
        ask(c, new K2Request.Get(id, key), clock(c));
      }
    } else {
      attempt(nodes.get(keyName(reading)), id);
    }
    for (int decisions = 0; decisions < txnNames.size(); decisions++) {
      deliverAll();
      attempt(nodes.get(keyName(key)), id);
    }
  }

  /**
   * A read goes on once the decision that it asked for is there, up to the next undecided write.
   */
  private void attempt(Node n, String id) {
    n.replica.handle(new Input.TimerFired(new K2Timer.Attempt(id, n.key)), clock(), n.replicaOut);
  }

  // ---- network -------------------------------------------------------------------------------

  private void deliverAll() {
    boolean some = true;
    while (some) {
      some = false;
      for (Node n : nodes.values()) {
        some |= deliver(n.out) | deliver(n.replicaOut);
      }
      for (Client c : clients.values()) {
        some |= deliver(c.out);
      }
    }
  }

  private boolean deliver(Outbox out) {
    boolean some = !out.sent.isEmpty();
    while (!out.sent.isEmpty()) {
      deliver(out.sent.remove());
    }
    return some;
  }

  private void deliver(Outbox.Sent s) {
    for (Node n : nodes.values()) {
      if (n.replicaSpec.role().equals(s.to())) {
        if (s.message() instanceof K2Message.LogEntries) {
          n.entries.add(s);
        } else {
          n.replica.handle(new Input.Deliver(s.from(), s.message()), clock(), n.replicaOut);
        }
      } else if (n.spec.role().equals(s.to())) {
        n.machine.handle(new Input.Deliver(s.from(), s.message()), clock(), n.out);
      }
    }
    for (Client c : clients.values()) {
      if (c.machine != null && c.spec.role().equals(s.to())) {
        if (s.message() instanceof K2Message.Decision d && d.committed()) {
          c.decision = s;
        } else {
          coordinate(c, s, s.message() instanceof K2Message.Decision ? LATE : clock(c));
        }
      }
    }
  }

  private void coordinate(Client c, Outbox.Sent s, ClockReading clock) {
    c.machine.handle(new Input.Deliver(s.from(), s.message()), clock, c.out);
  }

  // ---- projection ----------------------------------------------------------------------------

  @Override
  protected JsonNode value(String variable) {
    if (ticked && !variable.equals("now")) {
      return null;
    }
    return switch (variable) {
      case "now" -> IntNode.valueOf((int) now);
      case "epoch" -> Values.function(nodes, n -> IntNode.valueOf((int) n.machine.epoch()));
      case "replayed" -> Values.function(nodes, n -> IntNode.valueOf((int) n.replica.replayed()));
      case "tracker" ->
          Values.function(nodes, n -> IntNode.valueOf(number(n.machine.tracker(n.key))));
      case "versions" -> Values.function(nodes, this::versions);
      case "seen" -> Values.function(clients, c -> IntNode.valueOf(c.seen));
      case "ts" ->
          Values.function(
              clients, c -> IntNode.valueOf(c.txn == null ? 0 : number(c.txn.txn().ts())));
      case "txn" -> Values.function(clients, this::transaction);
      case "first" -> Values.function(txnNames, t -> TextNode.valueOf(first(clients.get(t))));
      case "record" -> Values.function(txnNames, t -> record(clients.get(t)));
      default -> Values.sequence(told.stream().map(TextNode::valueOf).toList());
    };
  }

  private static int number(Timestamp ts) {
    return (int) (ts.micros() / TICK);
  }

  private String keyName(long key) {
    return keyNames.get((int) key);
  }

  private String key(String logged) {
    return logged.equals("NoKey") ? logged : keyNames.get(Integer.parseInt(logged.substring(1)));
  }

  /** The first key whose write was not refused. */
  private String first(Client c) {
    return c.txn == null || c.txn.acked().isEmpty() ? "NoKey" : key(c.txn.first());
  }

  /** Intents there; and those that were there and went, if their transaction is aborted. */
  private ArrayNode versions(Node n) {
    Map<String, Long> intents = new TreeMap<>();
    n.intents.forEach(
        (writer, epoch) -> {
          if (status(clients.get(writer)).equals("aborted")) {
            intents.put(writer, epoch);
          }
        });
    for (Version v : n.machine.versions().all().getOrDefault(n.key, new TreeMap<>()).values()) {
      intents.put(names.get(v.writer().id()), v.epoch());
    }
    n.intents.putAll(intents);
    List<ObjectNode> found = new ArrayList<>();
    intents.forEach(
        (writer, epoch) ->
            found.add(F.objectNode().put("epoch", epoch.intValue()).put("writer", writer)));
    return Values.set(found);
  }

  /** What the recorder has; every finalized version, here or replayed, has the same epoch. */
  private JsonNode record(Client c) {
    ObjectNode o = F.objectNode().put("epoch", 0).put("status", "none");
    if (c.txn == null) {
      return o;
    }
    Txn txn = c.txn.txn();
    K2Record.Recorded recorded = recorded(c);
    if (recorded != null) {
      o.put("epoch", (int) recorded.epoch());
      o.put("status", status(c));
    }
    for (Node n : nodes.values()) {
      finalized(o, "at " + n.spec.role(), n.machine.versions(), n.key, txn);
      finalized(o, "at " + n.replicaSpec.role(), n.replica.versions(), n.key, txn);
    }
    return o;
  }

  private K2Record.Recorded recorded(Client c) {
    for (Node n : nodes.values()) {
      K2Record.Recorded recorded = n.machine.recorder().records().get(c.txn.txn().id());
      if (recorded != null) {
        return recorded;
      }
    }
    return null;
  }

  private String status(Client c) {
    K2Record.Recorded recorded = recorded(c);
    return recorded == null ? "none" : recorded.status().name().toLowerCase(Locale.ROOT);
  }

  private static void finalized(ObjectNode record, String where, Versions of, long key, Txn txn) {
    Version v = of.all().getOrDefault(key, new TreeMap<>()).get(txn.ts());
    if (v != null && v.committed() && v.commitEpoch() != record.get("epoch").intValue()) {
      record.put(where, (int) v.commitEpoch());
    }
  }

  private JsonNode transaction(Client c) {
    ObjectNode o = F.objectNode();
    ArrayNode reads = o.putArray("reads");
    ArrayNode writes = o.putArray("writes");
    if (c.txn == null) {
      return o.put("phase", "idle");
    }
    c.txn.reads().forEach((k, r) -> reads.addArray().add(keyName(k)).add(names.get(r.writer())));
    c.txn.acked().forEach(k -> writes.add(keyName(k)));
    String phase = c.txn.phase().name().toLowerCase(Locale.ROOT);
    boolean running = c.txn.phase() == Phase.RUNNING;
    return o.put("phase", c.machine == null ? "done" : running && c.snapshot ? "snapshot" : phase);
  }
}
