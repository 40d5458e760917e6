package dev.plumbline.k2.binding;

import static dev.plumbline.k2.binding.EpochVisibilityBinding.KEY;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.node.TextNode;
import dev.plumbline.bind.Place;
import dev.plumbline.graph.Constants;
import dev.plumbline.graph.Deployment;
import dev.plumbline.graph.Outbox;
import dev.plumbline.graph.Values;
import dev.plumbline.k2.K2Message;
import dev.plumbline.k2.K2Record;
import dev.plumbline.k2.K2Request;
import dev.plumbline.k2.K2Response;
import dev.plumbline.k2.K2Timer;
import dev.plumbline.k2.Replica;
import dev.plumbline.k2.Status;
import dev.plumbline.k2.Transaction;
import dev.plumbline.k2.Transaction.Phase;
import dev.plumbline.k2.Version;
import dev.plumbline.k2.Versions;
import dev.plumbline.k2.Words;
import dev.plumbline.machine.ClockReading;
import dev.plumbline.protocol.ClockBounds;
import dev.plumbline.protocol.NodeSpec;
import dev.plumbline.protocol.SeededBug;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * A tick is 1 ms. The specification's commit wait is over once real time has passed the timestamp,
 * the machines' after a time by their coordinator's clock: that clock runs so that the two are the
 * same moment, faster for a timestamp that is near.
 *
 * <p>An action is several inputs here: what a machine sends is delivered at once, except what later
 * actions stand for. Log entries wait for {@code Replay}, decisions to commit for {@code Tell},
 * reads at replicas that have to wait for the next {@code ReplicaRead}. Every transaction has a
 * coordinator of its own, every key a data node and a replica of its own.
 *
 * <p>Where the machines do more than the specification says: a coordinator asks for a commit only
 * after the commit wait, so {@code Commit} shows it a late clock; {@code Tell} shows it the true
 * one. The specification keeps the intents of aborted transactions, the machines do not. It knows
 * no writes but those that were not refused. A cut's timestamp lies just after the epoch's promised
 * end: it ends one epoch, as the step does. Where that end is not over, it is the largest that is
 * surely past.
 */
final class EpochVisibilityWorld extends K2World {
  /** A replica, and the log entries on their way to it. */
  private static final class Copy extends Place {
    final ArrayDeque<Outbox.Sent> entries = new ArrayDeque<>();

    Copy(Object name, NodeSpec spec) {
      super(name, spec);
    }
  }

  /** A key's data node and replica. */
  private static final class Node extends K2World.Keeping {
    final Copy replica;
    final Map<String, Long> intents = new TreeMap<>();
    long lastCut = Long.MIN_VALUE;

    Node(Object name, int number, Deployment deployment) {
      super(name, number, deployment);
      replica = new Copy(name, deployment.owner("replica", number));
    }

    Replica copy() {
      return (Replica) replica.machine;
    }
  }

  /** A transaction or reader with its coordinator, which is null once it is lost. */
  private static final class Client extends K2World.Transacting {
    Outbox.Sent decision;
    boolean snapshot;
    boolean asked;
    long begun;
    long ticksToWait = 1;

    Client(Object name, NodeSpec spec) {
      super(name, spec);
    }
  }

  private static final long TTL = 1;
  private static final long COMMIT_WAIT = 2 * MILLI;
  private static final ClockReading LATE = ClockReading.local(FOREVER_MICROS / 2);

  private final Group<Node> nodes = group((k, n) -> new Node(k, n, deployment));
  private final Group<Client> clients =
      group((t, n) -> new Client(t, deployment.owner("coordinator", n)));
  private final List<String> txnNames = new ArrayList<>();
  private final List<JsonNode> told = new ArrayList<>();
  private final long interval;

  EpochVisibilityWorld(EpochVisibilityBinding binding, Constants model, Optional<SeededBug> bug) {
    // TTL and ε make half a commit wait.
    super(
        binding,
        new ClockBounds(MILLI - TTL, 0),
        binding.asPublished(model),
        Map.of("ttlMicros", TTL, "stepMicros", 1L, "epochMicros", model.number("Interval") * MILLI),
        bug);
    interval = model.number("Interval");
    function("epoch", nodes, n -> n.data().epoch());
    function("replayed", nodes, n -> n.copy().replayed());
    function("tracker", nodes, n -> n.data().tracker(n.key).micros() / MILLI);
    function("versions", nodes, this::versions, clients);
    function("ts", clients, Client::ts);
    function("txn", clients, EpochVisibilityWorld::transaction);
    variable(
        "first",
        () -> Values.function(txnNames, t -> value("first", first(clients.get((Object) t)))),
        clients);
    variable(
        "record",
        () -> Values.function(txnNames, t -> value("", record(clients.get((Object) t)))),
        clients,
        nodes);
    variable("told", () -> Values.sequence(told), clients);

    outside("Tick");
    on("Cut", p -> cut(nodes.get(p.get("n"))));
    on("Replay", p -> replay(nodes.get(p.get("n"))));
    on("Begin", p -> begin(client(p, "t"), K2Request.Mode.PRIMARY, p));
    on("BeginLinearizable", p -> begin(client(p, "r"), K2Request.Mode.LINEARIZABLE, p));
    on("BeginSnapshot", p -> begin(client(p, "r"), K2Request.Mode.SNAPSHOT, p));
    on("PrimaryRead", p -> ask(client(p, "t"), t -> new K2Request.Get(t, key(p))));
    on("PrimaryWrite", p -> ask(client(p, "t"), t -> new K2Request.Put(t, key(p), List.of(1L))));
    on("Commit", p -> client(p, "t").ask(new K2Request.Commit(client(p, "t").id()), LATE));
    on("Abort", p -> abort(client(p, "t")));
    on("Tell", p -> tell(client(p, "t")));
    on("ReplicaRead", p -> replicaRead(client(p, "r"), key(p)));
  }

  @Override
  protected void open(ObjectNode initial) {
    txnNames.clear();
    told.clear();
    name("NoTxn", "NoTxn");
    open(nodes, initial.get("epoch"));
    open(clients, initial.get("ts"));
    initial.get("record").fieldNames().forEachRemaining(txnNames::add);
    for (Node n : nodes.all()) {
      name(Words.key(n.key), n.name);
      known(n.replica);
      start(n, clock());
      start(n.replica, clock());
    }
  }

  private Client client(ObjectNode parameters, String name) {
    return clients.get(parameters.get(name));
  }

  private long key(ObjectNode parameters) {
    return nodes.get(parameters.get("k")).key;
  }

  private Node node(long key) {
    return nodes.get(named(KEY, Words.key(key)));
  }

  private long now() {
    return given("now").longValue();
  }

  private ClockReading clock() {
    return ClockReading.local(now() * MILLI);
  }

  /** A commit wait after the transaction began, its timestamp has passed. */
  private ClockReading clock(Client c) {
    return ClockReading.local(c.begun * MILLI + (now() - c.begun) * COMMIT_WAIT / c.ticksToWait);
  }

  // ---- epochs

  private void cut(Node n) {
    n.lastCut = Math.max(n.lastCut, Math.min(now() - 1, n.data().epoch() * interval) * MILLI) + 1;
    n.fire(new K2Timer.EpochDue(), clock());
    timestamp(n, clock(), 1, n.lastCut - TTL);
    n.fireIfSet(new K2Timer.EpochOver(), clock());
  }

  private void replay(Node n) {
    long from = n.copy().replayed();
    while (n.copy().replayed() == from && !n.replica.entries.isEmpty()) {
      Outbox.Sent s = n.replica.entries.remove();
      n.replica.deliver(s, clock());
      n.changed();
    }
  }

  // ---- transactions

  private void begin(Client c, K2Request.Mode mode, ObjectNode p) {
    int n = p.get("n").intValue();
    c.snapshot = mode == K2Request.Mode.SNAPSHOT;
    c.begun = now();
    c.ticksToWait = Math.max(1, n + 1 - c.begun);
    begin(c, mode, n, clock());
  }

  private void ask(Client c, java.util.function.Function<String, K2Request> request) {
    c.ask((Record) request.apply(c.id()), clock(c));
  }

  /** Its coordinator is lost, and its recorder, which never heard of it, suspects that. */
  private void abort(Client c) {
    c.lose();
    Node home = nodes.get(named(KEY, c.txn.first()));
    home.fire(new K2Timer.Suspect(c.id()), clock());
  }

  /** The client asks for its commit; later the machine's timer, or the decision, comes again. */
  private void tell(Client c) {
    if (c.machine == null) {
      return;
    }
    c.out.replies.clear();
    if (c.decision != null) {
      c.deliver(c.decision, clock(c));
    } else if (c.txn.phase() == Phase.RUNNING
        && c.txn.writes().isEmpty()
        && !c.txn.reads().isEmpty()) {
      if (c.asked) {
        c.fire(new K2Timer.Proceed(c.id()), clock(c));
      } else {
        ask(c, K2Request.Commit::new);
      }
      c.asked = true;
    }
    if (c.out.replies.stream().anyMatch(K2Response.Committed.class::isInstance)) {
      told.add(TextNode.valueOf((String) c.name));
    }
  }

  /** The client asks for the key; where the read waits at the replica, it is tried again. */
  private void replicaRead(Client c, long key) {
    if (c.machine == null || c.txn.phase() != Phase.RUNNING) {
      return;
    }
    Long reading = c.txn.reading();
    if (reading != null) {
      attempt(node(reading), c.id());
    } else if (!c.txn.reads().containsKey(key)) {
      ask(c, t -> new K2Request.Get(t, key));
    }
    for (int decisions = 0; decisions < txnNames.size(); decisions++) {
      settle();
      attempt(node(key), c.id());
    }
  }

  /**
   * A read goes on once the decision that it asked for is there, up to the next undecided write.
   */
  private void attempt(Node n, String id) {
    n.replica.fireIfSet(new K2Timer.Attempt(id, n.key), clock());
  }

  // ---- network

  @Override
  protected void settle() {
    boolean some = true;
    while (some) {
      some = false;
      for (Node n : nodes.all()) {
        some |= deliverAll(n) | deliverAll(n.replica);
      }
      for (Client c : clients.all()) {
        some |= deliverAll(c);
      }
    }
  }

  private boolean deliverAll(Place from) {
    List<Outbox.Sent> sent = from.out.take();
    sent.forEach(this::deliver);
    return !sent.isEmpty();
  }

  private void deliver(Outbox.Sent s) {
    Place to = holder(s.to());
    if (to instanceof Client c && s.message() instanceof K2Message.Decision d) {
      if (d.committed()) {
        c.decision = s;
      } else {
        deliver(s, LATE);
      }
    } else if (to instanceof Copy copy && s.message() instanceof K2Message.LogEntries) {
      copy.entries.add(s);
    } else {
      deliver(s, to instanceof Client c ? clock(c) : clock());
    }
  }

  // ---- projection

  /** The first key whose write was not refused. */
  private static String first(Client c) {
    return c.txn == null || c.txn.acked().isEmpty() ? Words.NO_KEY : c.txn.first();
  }

  /** Intents there; and those that were there and went, if their transaction is aborted. */
  private List<Map<String, Object>> versions(Node n) {
    Map<String, Long> intents = new TreeMap<>();
    n.intents.forEach(
        (writer, epoch) -> {
          if (status(writer) == Status.ABORTED) {
            intents.put(writer, epoch);
          }
        });
    for (Version v : n.data().versions().all().getOrDefault(n.key, new TreeMap<>()).values()) {
      intents.put(v.writer().id(), v.epoch());
    }
    n.intents.putAll(intents);
    List<Map<String, Object>> found = new ArrayList<>();
    intents.forEach((writer, epoch) -> found.add(Map.of("epoch", epoch, "writer", writer)));
    return found;
  }

  /** What the recorder has; every finalized version, here or replayed, has the same epoch. */
  private Map<String, Object> record(Client c) {
    Map<String, Object> o = new TreeMap<>(Map.of("epoch", 0L, "status", "none"));
    if (c.txn == null) {
      return o;
    }
    K2Record.Recorded recorded = recorded(c.id());
    if (recorded != null) {
      o.put("epoch", recorded.epoch());
      o.put("status", recorded.status().toString());
    }
    for (Node n : nodes.all()) {
      finalized(o, "at " + n.spec.role(), n.data().versions(), n.key, c);
      finalized(o, "at " + n.replica.spec.role(), n.copy().versions(), n.key, c);
    }
    return o;
  }

  private K2Record.Recorded recorded(String id) {
    for (Node n : nodes.all()) {
      K2Record.Recorded recorded = n.data().recorder().records().get(id);
      if (recorded != null) {
        return recorded;
      }
    }
    return null;
  }

  private Status status(String id) {
    K2Record.Recorded recorded = recorded(id);
    return recorded == null ? null : recorded.status();
  }

  private static void finalized(
      Map<String, Object> record, String where, Versions of, long key, Client c) {
    Version v = of.all().getOrDefault(key, new TreeMap<>()).get(c.txn.txn().ts());
    if (v != null && v.committed() && !record.get("epoch").equals(v.commitEpoch())) {
      record.put(where, v.commitEpoch());
    }
  }

  private static Map<String, Object> transaction(Client c) {
    Map<String, Object> o = c.txn == null ? new TreeMap<>(Transaction.IDLE) : c.txn.state();
    o.remove("reading");
    Object acked = o.remove("acked");
    o.put("writes", acked);
    if (c.txn != null && c.machine == null) {
      o.put("phase", "done");
    } else if (c.snapshot && c.txn.phase() == Phase.RUNNING) {
      o.put("phase", "snapshot");
    }
    return o;
  }
}
