package dev.plumbline.metric.binding;

import static dev.plumbline.metric.binding.EntryConsistencyBinding.REPLICA;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.plumbline.bind.Place;
import dev.plumbline.bind.World;
import dev.plumbline.graph.Deployment;
import dev.plumbline.graph.Outbox;
import dev.plumbline.machine.ClockReading;
import dev.plumbline.machine.Input;
import dev.plumbline.metric.LockService;
import dev.plumbline.metric.MetricConfig;
import dev.plumbline.metric.MetricMessage;
import dev.plumbline.metric.MetricProcess;
import dev.plumbline.metric.MetricTimer;
import dev.plumbline.metric.Stamp;
import dev.plumbline.metric.StoreClient;
import dev.plumbline.metric.StoreReplica;
import dev.plumbline.metric.Uuid;
import dev.plumbline.metric.Value;
import dev.plumbline.metric.system.MetricSystem;
import dev.plumbline.protocol.NodeSpec;
import dev.plumbline.protocol.SeededBug;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeMap;

final class EntryConsistencyWorld extends World {
  private static final ClockReading NOW = ClockReading.local(0);
  private static final String KEY = "x";

  private final Group<Client> clients = group((name, n) -> new Client(name));
  private final Group<Replica> replicas = group((name, n) -> new Replica(name));
  private final Map<JsonNode, Put> puts = new HashMap<>();
  private final List<Map<String, Object>> hist = new ArrayList<>();
  private final Deployment deployment;
  private final MetricConfig config;
  private Locks locks;

  /** The lock service. */
  private static final class Locks extends Place {
    Locks() {
      super("locks", NodeSpec.of("locks", "lock-service", "here", 1, 0));
    }

    LockService service() {
      return (LockService) machine;
    }
  }

  private static final class Replica extends Place {
    final Set<JsonNode> stored = new HashSet<>();

    Replica(Object name) {
      super(name, NodeSpec.of((String) name, REPLICA, "here", 1, 0));
    }

    StoreReplica replica() {
      return (StoreReplica) machine;
    }
  }

  /** A client, with answers to its operation that it has not got yet. */
  private static final class Client extends Place {
    final Map<String, MetricMessage> answers = new LinkedHashMap<>();
    StoreClient store;
    MetricMessage asking;
    long writes;
    int id;

    Client(Object name) {
      super(name, NodeSpec.of("c" + name, "metric-process", "here", 1, 0));
    }
  }

  /** A write that was sent. */
  private record Put(int client, MetricMessage.Put message) {}

  EntryConsistencyWorld(
      EntryConsistencyBinding binding, SortedSet<String> asPublished, Optional<SeededBug> bug) {
    super(binding);
    MetricSystem system = new MetricSystem();
    deployment = Deployment.of(system, system.clockBounds(), asPublished, Map.of(), bug);
    config = system.config(deployment.settings());
    variable("lastRef", () -> locks.service().last(KEY));
    variable("holder", () -> locks.service().holder(KEY));
    variable("forced", () -> locks.service().forced(KEY));
    function("ref", clients, c -> c.store.reference(KEY));
    function("op", clients, this::operation);
    function("count", clients, this::count);
    variable("writes", this::writes);
    function("stored", replicas, r -> r.stored);
    function("promised", replicas, r -> r.replica().promised(KEY));
    variable("hist", () -> hist);
    on("AcquireLock", p -> acquire(client(p)));
    on("ReleaseLock", p -> release(client(p)));
    on("ForcedRelease", p -> expire());
    on("GiveUp", p -> giveUp(client(p)));
    on("StartPut", p -> put(client(p)));
    on("StoreWrite", p -> storeWrite(replicas.get(p.get("r")), p.get("w")));
    on("StartGet", p -> get(client(p)));
    on("ReadReply", p -> readReply(client(p), replicas.get(p.get("r"))));
    on("FinishPut", p -> finish(client(p)));
    on("FinishGet", p -> finish(client(p)));
    on("SyncWriteBack", p -> finish(client(p)));
    on("FinishSync", p -> finish(client(p)));
    on("Reject", p -> reject(client(p)));
  }

  private Client client(ObjectNode parameters) {
    return clients.get(parameters.get("c"));
  }

  @Override
  protected void open(ObjectNode initial) {
    puts.clear();
    hist.clear();
    locks = new Locks();
    known(locks);
    locks.start(deployment.alone(locks.spec, new LockService(config)), NOW);
    open(replicas, initial.get("stored"));
    for (Replica r : replicas.all()) {
      r.start(deployment.alone(r.spec, new StoreReplica(config, (String) r.name)), NOW);
      r.stored.add(value("", write(Stamp.ZERO, Value.NONE)));
    }
    List<String> names = replicas.all().stream().map(r -> (String) r.name).toList();
    open(clients, initial.get("ref"));
    for (Client c : clients.all()) {
      MetricProcess correct =
          new MetricProcess(
              new MetricProcess.Parts(config, c.spec.role(), 1, "locks", names, Optional.empty()));
      c.store = ((MetricProcess) deployment.alone(c.spec, correct)).store();
      c.store.start(1);
    }
  }

  // -- variables

  private static Map<String, Object> write(Stamp stamp, Value value) {
    return Map.of("stamp", List.of(stamp.first(), stamp.second()), "val", number(value));
  }

  private static long number(Value value) {
    return Math.max(0, value.latest().time());
  }

  private Map<String, Object> operation(Client c) {
    String kind = c.store.operation();
    Set<String> from = new HashSet<>();
    Map<String, Object> best = write(Stamp.ZERO, Value.NONE);
    if (c.asking instanceof MetricMessage.Put put && !kind.equals("none")) {
      best = write(put.stamp(), put.value());
    } else if (!kind.equals("none")) {
      Stamp newest = Stamp.ZERO;
      for (Map.Entry<String, MetricMessage> answer : c.answers.entrySet()) {
        from.add(answer.getKey());
        MetricMessage.Newest said = (MetricMessage.Newest) answer.getValue();
        if (said.stamp().compareTo(newest) > 0) {
          newest = said.stamp();
          best = write(said.stamp(), said.value());
        }
      }
    }
    int id = kind.equals("get") || kind.equals("put") ? c.id : 0;
    return Map.of("best", best, "from", from, "id", id, "kind", kind);
  }

  private long count(Client c) {
    if (c.store.reference(KEY) != 0) {
      c.writes = c.store.writes(KEY);
    }
    return c.writes;
  }

  private Set<Map<String, Object>> writes() {
    Set<Map<String, Object>> all = new HashSet<>(Set.of(write(Stamp.ZERO, Value.NONE)));
    puts.values().forEach(p -> all.add(write(p.message.stamp(), p.message.value())));
    return all;
  }

  // -- the network

  /** What a client sent: to the lock service at once, or when an action says so. */
  private void take(Client c, boolean delivers) {
    for (Outbox.Sent sent : List.copyOf(c.out.sent)) {
      MetricMessage message = (MetricMessage) sent.message();
      if (message instanceof MetricMessage.Put put) {
        c.asking = put;
        puts.put(value("", write(put.stamp(), Value.NONE)), new Put((Integer) c.name, put));
      } else if (message instanceof MetricMessage.Get) {
        c.asking = message;
      } else if (delivers) {
        locks.give(new Input.Deliver(c.spec.role(), message), NOW);
        answer(c);
      }
    }
    c.out.sent.clear();
    c.changed();
  }

  private void answer(Client c) {
    for (Outbox.Sent sent : locks.out.take()) {
      if (sent.to().equals(c.spec.role())) {
        c.store.handle("locks", (MetricMessage) sent.message(), NOW, c.out);
      }
    }
    c.out.sent.removeIf(s -> s.message() instanceof MetricMessage.Acquire);
    for (Outbox.Sent sent : c.out.sent) {
      if (sent.message() instanceof MetricMessage.Get) {
        c.asking = (MetricMessage) sent.message();
      }
    }
  }

  // -- actions

  private void acquire(Client c) {
    c.answers.clear();
    c.store.acquire(KEY, false, c.out);
    take(c, true);
  }

  private void release(Client c) {
    c.store.release(KEY, c.out);
    take(c, true);
  }

  private void giveUp(Client c) {
    c.answers.clear();
    c.asking = null;
    c.store.abandon(c.out);
    c.asking = null;
    take(c, false);
  }

  private void expire() {
    long last = locks.service().last(KEY);
    locks.give(new Input.TimerFired(new MetricTimer.Lease(KEY, last)), NOW);
  }

  private int begin(boolean writes) {
    Set<Integer> after = new HashSet<>();
    for (int i = 0; i < hist.size(); i++) {
      if (hist.get(i).get("status").equals("ok")) {
        after.add(i + 1);
      }
    }
    Set<String> written = writes ? Set.of(KEY) : Set.of();
    hist.add(Map.of("after", after, "reads", Set.of(), "status", "unknown", "writes", written));
    return hist.size();
  }

  private void put(Client c) {
    c.answers.clear();
    c.id = begin(true);
    c.store.put(KEY, new Value(new Uuid(c.id, 0), new TreeMap<>(), List.of()), NOW, c.out);
    take(c, false);
  }

  private void get(Client c) {
    c.answers.clear();
    c.id = begin(false);
    c.store.get(KEY, c.out);
    take(c, false);
  }

  /** A write that was sent, also one that the replica has already, or has to refuse. */
  private void storeWrite(Replica r, JsonNode w) {
    ObjectNode stampOnly = w.deepCopy();
    stampOnly.put("val", 0);
    Put put = puts.get(stampOnly);
    if (put == null || !w.equals(value("", write(put.message.stamp(), put.message.value())))) {
      return;
    }
    Client from = clients.get((Object) put.client);
    r.give(new Input.Deliver(from.spec.role(), put.message), NOW);
    for (Outbox.Sent sent : r.out.take()) {
      if (sent.message() instanceof MetricMessage.Stored stored) {
        r.stored.add(w);
        if (from.asking instanceof MetricMessage.Put own && own.operation() == stored.operation()) {
          from.answers.put((String) r.name, stored);
        }
      }
    }
  }

  /** A replica is asked, also one that has to refuse, unless it or a quorum has answered. */
  private void readReply(Client c, Replica r) {
    boolean asks = c.asking instanceof MetricMessage.Get && !c.answers.containsKey(r.name);
    if (!asks || 2 * c.answers.size() > replicas.all().size()) {
      return;
    }
    r.give(new Input.Deliver(c.spec.role(), c.asking), NOW);
    for (Outbox.Sent sent : r.out.take()) {
      if (sent.message() instanceof MetricMessage.Newest newest) {
        c.answers.put((String) r.name, newest);
      }
    }
    c.changed();
  }

  /** The client gets its answers. */
  private void finish(Client c) {
    Map<String, MetricMessage> answers = new LinkedHashMap<>(c.answers);
    c.answers.clear();
    MetricMessage asked = c.asking;
    for (Map.Entry<String, MetricMessage> answer : answers.entrySet()) {
      StoreClient.Event event = c.store.handle(answer.getKey(), answer.getValue(), NOW, c.out);
      if (event != null && event.outcome() != StoreClient.Outcome.LOCKED) {
        told(c, asked, event);
      }
    }
    if (c.store.operation().equals("none")) {
      c.asking = null;
    }
    take(c, false);
  }

  private void told(Client c, MetricMessage asked, StoreClient.Event event) {
    Map<String, Object> op = new TreeMap<>(hist.get(c.id - 1));
    op.put("status", "ok");
    if (asked instanceof MetricMessage.Get) {
      op.put("reads", Set.of(List.of(KEY, number(event.value()))));
    }
    hist.set(c.id - 1, Map.copyOf(op));
  }

  private void reject(Client c) {
    if (c.asking == null || c.store.operation().equals("none")) {
      c.store.release(KEY, c.out);
    } else {
      long operation =
          c.asking instanceof MetricMessage.Put put
              ? put.operation()
              : ((MetricMessage.Get) c.asking).operation();
      c.store.handle("A", new MetricMessage.Refused(KEY, operation, Long.MAX_VALUE), NOW, c.out);
    }
    c.answers.clear();
    c.asking = null;
    take(c, false);
  }
}
