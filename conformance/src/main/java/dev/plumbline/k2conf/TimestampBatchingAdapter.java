package dev.plumbline.k2conf;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.IntNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.plumbline.graph.Constants;
import dev.plumbline.graph.Deployment;
import dev.plumbline.graph.Outbox;
import dev.plumbline.graph.ProjectingAdapter;
import dev.plumbline.graph.Values;
import dev.plumbline.k2.Coordinator;
import dev.plumbline.k2.K2Config;
import dev.plumbline.k2.K2Message;
import dev.plumbline.k2.K2Request;
import dev.plumbline.k2.K2Response;
import dev.plumbline.k2.K2Timer;
import dev.plumbline.k2.TimestampSource;
import dev.plumbline.k2.Transaction;
import dev.plumbline.machine.ClockReading;
import dev.plumbline.machine.Input;
import dev.plumbline.machine.Machine;
import dev.plumbline.sim.ClockBounds;
import dev.plumbline.sim.NodeSpec;
import dev.plumbline.sim.Protocols;
import dev.plumbline.sim.SeededBug;
import dev.plumbline.sim.Settings;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * Runs K2's coordinators and oracles by the actions of {@code TimestampBatching}. A unit of a local
 * clock is 1 µs, so that a tick is {@code Nominal} µs.
 *
 * <p>A coordinator serves waiting transactions in the order they came, the specification in any:
 * until they have timestamps they differ in nothing that a machine keeps, so the adapter gives a
 * machine's transaction its name when it gets one. Where a machine may not assign it asks for a
 * batch at once, which is another action of the specification; so the adapter asks the machine
 * first whether its batch is usable, and has it ask for batches where the specification does.
 */
class TimestampBatchingAdapter extends ProjectingAdapter {
  static final JsonNodeFactory F = JsonNodeFactory.instance;
  private static final long MILLION = 1_000_000;
  private static final List<String> REPAIRS =
      List.of(K2Config.TIE_REPLY, K2Config.DRIFT_MARGIN, K2Config.NAME_ISSUER);
  private static final String[] VARIABLES = {
    "batch", "clock", "incarnation", "last", "now", "pending", "replies", "requests", "sent", "txn"
  };
  private static final Map<String, String> GHOSTS =
      Map.of(
          "now", "real time, which no server reads",
          "clock", "what the machines are given",
          "requests.real", "real time",
          "replies.since", "real time",
          "pending.real", "real time",
          "batch.real", "real time",
          "txn.begun", "real time",
          "txn.real", "real time",
          "txn.ended", "real time",
          "txn.coordinator", "where its client went");

  final Deployment deployment;
  final long tick;
  private final long epsilon;
  final Map<String, Server> servers = new TreeMap<>();
  final Map<String, Client> clients = new TreeMap<>();
  final Map<Long, Integer> oracles = new HashMap<>();
  private final Map<String, JsonNode> requests = new TreeMap<>();
  private final Map<String, JsonNode> replies = new TreeMap<>();
  private final Map<JsonNode, K2Message> messages = new HashMap<>();
  int now;
  private long nextRequest;

  /** A coordinator; {@code sentBefore} counts the requests of its earlier instances. */
  static class Server {
    final String name;
    final NodeSpec spec;
    final Outbox out;
    final Map<Long, Integer> numbers = new HashMap<>();
    Machine machine;
    long epoch;
    long clock;
    int sentBefore;
    int pendingReal;
    int batchReal;

    Server(String name, NodeSpec spec, Outbox out) {
      this.name = name;
      this.spec = spec;
      this.out = out;
    }

    TimestampSource source() {
      return ((Coordinator) machine).timestamps();
    }

    ClockReading reading() {
      return ClockReading.local(clock);
    }

    void handle(Input input) {
      machine.handle(input, reading(), out);
    }
  }

  /** A client with a transaction, which has none at the coordinator before it has a timestamp. */
  static class Client {
    Server server;
    long epoch;
    Transaction txn;
    boolean asked;
    int begun;
    int real;
    int ended;
  }

  /**
   * @param constants the model's
   * @param bug a seeded bug to run with
   */
  TimestampBatchingAdapter(Constants constants, Optional<SeededBug> bug) {
    this(constants, bug, VARIABLES, new TreeMap<>());
  }

  /**
   * @param parameters of the machines, besides those of batches
   */
  TimestampBatchingAdapter(
      Constants constants,
      Optional<SeededBug> bug,
      String[] variables,
      TreeMap<String, Long> parameters) {
    super(variables);
    this.tick = constants.number("Nominal");
    this.epsilon = constants.number("Epsilon");
    parameters.put("ttlMicros", constants.number("TTL") * tick);
    parameters.put("stepMicros", constants.number("Step") * tick);
    Settings settings =
        new Settings(
            new ClockBounds(epsilon * tick, constants.number("Drift") * MILLION / tick),
            constants.asPublished(REPAIRS),
            parameters);
    deployment = Deployment.of(Protocols.named("k2"), settings, bug);
  }

  @Override
  public Map<String, String> ghosts() {
    return GHOSTS;
  }

  @Override
  public void reset(ObjectNode initial) {
    servers.clear();
    clients.clear();
    requests.clear();
    replies.clear();
    messages.clear();
    now = 0;
    initial
        .get("clock")
        .fieldNames()
        .forEachRemaining(
            c -> {
              Server server = open(c);
              servers.put(c, server);
              start(server);
            });
    initial.get("txn").fieldNames().forEachRemaining(t -> clients.put(t, new Client()));
  }

  /** A server before its first start. */
  Server open(String name) {
    NodeSpec spec = deployment.owner("coordinator", servers.size());
    return new Server(name, spec, new Outbox(spec.role()));
  }

  void start(Server c) {
    c.epoch++;
    c.machine = deployment.machine(c.spec);
    c.handle(new Input.Start(c.epoch, List.of()));
  }

  @Override
  public void apply(String action, ObjectNode p) {
    switch (action) {
      case "Tick" -> {
        now++;
        servers.values().forEach(c -> c.clock += p.get("advance").get(c.name).intValue());
      }
      case "RequestBatch" -> requestBatch(server(p.get("c")));
      case "OracleReply" ->
          oracleReply(p.get("o").intValue(), p.get("q"), p.get("error").intValue());
      case "InstallBatch" -> installBatch(p.get("r"));
      case "Begin" -> begin(client(p), server(p.get("c")));
      case "Assign" -> assign(client(p));
      case "End" -> end(client(p));
      case "RestartCoordinator" -> restart(server(p.get("c")));
      default -> throw new IllegalArgumentException("no machine has an action " + action);
    }
  }

  final void restart(Server c) {
    c.sentBefore += (int) c.source().sent();
    start(c);
  }

  final Server server(JsonNode name) {
    return servers.get(name.textValue());
  }

  final Client client(ObjectNode parameters) {
    return clients.get(parameters.get("t").textValue());
  }

  private void requestBatch(Server c) {
    c.out.sent.clear();
    c.source().requestBatch(c.reading(), c.out);
    c.pendingReal = now;
    for (Outbox.Sent s : c.out.sent) {
      K2Message.BatchRequest request = (K2Message.BatchRequest) s.message();
      c.numbers.put(request.id(), c.sentBefore + (int) c.source().sent());
      ObjectNode m = F.objectNode().put("coordinator", c.name);
      m.put("id", c.numbers.get(request.id())).put("real", now);
      requests.put(m.toString(), m);
      messages.put(m, request);
    }
  }

  private void oracleReply(int o, JsonNode q, int error) {
    Server c = server(q.get("coordinator"));
    NodeSpec spec = deployment.owner("oracle", o - 1);
    Outbox out = new Outbox(spec.role());
    deployment
        .machine(spec)
        .handle(
            new Input.Deliver(c.spec.role(), messages.get(q)),
            new ClockReading(now * tick, (now + error - 2 * epsilon) * tick, (now + error) * tick),
            out);
    for (Outbox.Sent s : out.sent) {
      K2Message.BatchReply reply = (K2Message.BatchReply) s.message();
      oracles.put(reply.oracle(), o);
      ObjectNode m = F.objectNode().put("coordinator", c.name);
      m.put("id", c.numbers.get(reply.id())).put("oracle", o);
      m.put("since", q.get("real").intValue()).put("up", ticks(reply.up()));
      replies.put(m.toString(), m);
      messages.put(m, reply);
    }
  }

  private void installBatch(JsonNode r) {
    Server c = server(r.get("coordinator"));
    TimestampSource.Batch old = c.source().batch();
    c.handle(new Input.Deliver("oracle", messages.get(r)));
    if (c.source().batch() != old) {
      c.batchReal = c.pendingReal;
    }
  }

  private void begin(Client t, Server c) {
    t.server = c;
    t.epoch = c.epoch;
    t.begun = now;
    c.handle(
        new Input.ClientRequest(nextRequest++, new K2Request.Begin(K2Request.Mode.PRIMARY, null)));
  }

  /** The instance that its client talked to is still there. */
  final boolean live(Client t) {
    return t.server != null && t.server.epoch == t.epoch;
  }

  void assign(Client t) {
    if (!live(t) || t.txn != null || !t.server.source().usable(t.server.reading())) {
      return;
    }
    Server c = t.server;
    c.out.replies.clear();
    c.handle(new Input.TimerFired(new K2Timer.NextTimestamp()));
    for (Record reply : c.out.replies) {
      t.txn = ((Coordinator) c.machine).transactions().get(((K2Response.Begun) reply).txn());
      t.real = now;
    }
  }

  /** The client asks for its commit; the machine's timer asks again. */
  private void end(Client t) {
    if (t.txn == null) {
      return;
    }
    String id = t.txn.txn().id();
    Server c = t.server;
    c.out.replies.clear();
    c.handle(
        t.asked
            ? new Input.TimerFired(new K2Timer.Proceed(id))
            : new Input.ClientRequest(nextRequest++, new K2Request.Commit(id)));
    t.asked = true;
    if (c.out.replies.stream().anyMatch(K2Response.Committed.class::isInstance)) {
      t.ended = now;
    }
  }

  @Override
  protected JsonNode value(String variable) {
    return switch (variable) {
      case "now" -> IntNode.valueOf(now);
      case "clock" -> Values.function(servers, c -> IntNode.valueOf((int) c.clock));
      case "incarnation" ->
          Values.function(servers, c -> IntNode.valueOf((int) c.source().incarnation() - 1));
      case "sent" ->
          Values.function(servers, c -> IntNode.valueOf(c.sentBefore + (int) c.source().sent()));
      case "last" -> Values.function(servers, c -> IntNode.valueOf(ticks(c.source().last())));
      case "pending" -> Values.function(servers, TimestampBatchingAdapter::pending);
      case "batch" -> Values.function(servers, this::batch);
      case "requests" -> Values.sequence(requests.values());
      case "replies" -> Values.sequence(replies.values());
      default -> Values.function(clients, this::transaction);
    };
  }

  /** Microseconds in ticks; rounded down, so that -1 stays what it is. */
  final int ticks(long micros) {
    return (int) Math.floorDiv(micros, tick);
  }

  private static ObjectNode pending(Server c) {
    TimestampSource.Pending p = c.source().pending();
    return p == null
        ? F.objectNode().put("id", 0).put("local", 0).put("real", 0)
        : F.objectNode()
            .put("id", c.numbers.get(p.id()))
            .put("local", (int) p.local())
            .put("real", c.pendingReal);
  }

  private ObjectNode batch(Server c) {
    TimestampSource.Batch b = c.source().batch();
    return b == null
        ? F.objectNode()
            .put("up", -1)
            .put("oracle", 0)
            .put("local", 0)
            .put("real", 0)
            .put("used", 0)
        : F.objectNode()
            .put("up", ticks(b.up()))
            .put("oracle", oracles.get(b.oracle()))
            .put("local", (int) b.local())
            .put("real", c.batchReal)
            .put("used", (int) b.used());
  }

  ObjectNode transaction(Client t) {
    ObjectNode o = F.objectNode().put("begun", t.begun).put("real", t.real).put("ended", t.ended);
    o.put("coordinator", t.server == null ? "" : t.server.name);
    if (t.txn == null) {
      o.put("phase", t.server == null ? "idle" : "begun");
      o.put("incarnation", t.server == null ? 0 : (int) t.epoch - 1);
      return o.put("ts", 0).put("oracle", 0).put("local", 0);
    }
    o.put("phase", phase(t.txn));
    o.put("incarnation", (int) t.txn.txn().ts().incarnation() - 1);
    o.put("ts", ticks(t.txn.txn().ts().micros()));
    o.put("oracle", oracles.get(t.txn.txn().ts().oracle()));
    return o.put("local", (int) t.txn.assignedLocal());
  }

  private static String phase(Transaction t) {
    return switch (t.phase()) {
      case RUNNING -> "running";
      case DONE -> "ended";
      default -> t.phase().name();
    };
  }
}
