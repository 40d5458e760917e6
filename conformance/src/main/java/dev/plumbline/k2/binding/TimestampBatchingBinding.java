package dev.plumbline.k2.binding;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.IntNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.plumbline.bind.Binding;
import dev.plumbline.bind.LogReading;
import dev.plumbline.bind.Place;
import dev.plumbline.bind.Sort;
import dev.plumbline.bind.Tla;
import dev.plumbline.graph.Constants;
import dev.plumbline.graph.Outbox;
import dev.plumbline.graph.SpecAdapter;
import dev.plumbline.graph.Values;
import dev.plumbline.k2.Coordinator;
import dev.plumbline.k2.DataNode;
import dev.plumbline.k2.K2Config;
import dev.plumbline.k2.K2Message;
import dev.plumbline.k2.K2Request;
import dev.plumbline.k2.K2Response;
import dev.plumbline.k2.K2Timer;
import dev.plumbline.k2.TimestampSource;
import dev.plumbline.k2.Transaction;
import dev.plumbline.k2.system.K2System;
import dev.plumbline.machine.ClockReading;
import dev.plumbline.machine.Input;
import dev.plumbline.protocol.ClockBounds;
import dev.plumbline.protocol.NodeSpec;
import dev.plumbline.protocol.SeededBug;
import dev.plumbline.protocol.Settings;
import dev.plumbline.tlc.Term;
import dev.plumbline.trace.TraceEvent;
import dev.plumbline.validate.MergedLog;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * How {@code TimestampBatching} reads in the terms of K2's coordinators and oracles. In a log
 * coordinators are nodes, since two nodes of one role may run at once, and requests are numbered by
 * node.
 */
class TimestampBatchingBinding extends Binding {
  private static final String PREFIX = "TimestampBatching.";
  private static final Sort COORDINATOR = Sort.own("node", null);
  private static final Sort REQUEST = Sort.own("request", null);
  private static final Sort MESSAGE = Sort.own("message", null);

  final Sort txn;
  final K2Config config;

  TimestampBatchingBinding(Settings settings) {
    this("TimestampBatching", settings, Sort.reused("transaction", "transactions", null, 1));
    probes(Set.of("requests", "replies"), Set.of("Assign", "End"));
    also("EpochVisibility.Tell", "", "Ended");
    also("EpochCut.CutEpoch", "", "Ended");
    self("c");
    readBy(Reading::new);
  }

  TimestampBatchingBinding(String module, Settings settings, Sort txn) {
    super(module, "specs/k2", settings);
    this.txn = txn;
    config = new K2System().config(settings);
    names(txn, "t");
    names(COORDINATOR, "c");
    names(REQUEST, "id");
    names(MESSAGE, "q", "r");
    handles("OracleReply", "InstallBatch");
    begins("timer", "RequestBatch", "Assign");
    begins("start", "RestartCoordinator");
    for (String action :
        List.of("RequestBatch", "InstallBatch", "Begin", "End", "RestartCoordinator")) {
      shows(PREFIX + action, "Shown");
    }
    shows(PREFIX + "Assign", "AssignShown");
    constant("Epsilon", config.epsilonMicros());
    constant("TTL", config.ttlMicros());
    constant("Step", config.stepMicros());
    constant("Nominal", 1_000_000);
    constant("Drift", config.driftPpm());
    constant("DriftPpm", config.driftPpm());
    constant("Advances", "{}");
    constant("Errors", "{}");
    constant("WaitAtLeast", "<- TraceWaitAtLeast");
    constant("WaitAtMost", "<- TraceWaitAtMost");
    repairs(K2Config.TIE_REPLY, K2Config.DRIFT_MARGIN, K2Config.NAME_ISSUER);
    given("now", "real time, which no server reads");
    given("clock", "what the machines are given");
    for (String field :
        List.of("requests.real", "replies.since", "pending.real", "batch.real", "txn.begun")) {
      ghost(field, "real time");
    }
    ghost("txn.real", "real time");
    ghost("txn.ended", "real time");
    ghost("txn.coordinator", "where its client went");
  }

  // ---- logs ----------------------------------------------------------------------------------

  /** How far a node's clocks moved since its event before; zero after a start. */
  private record Passed(long ticks, long units) {}

  /** Reads the events that concern the module. */
  class Reading extends LogReading {
    final Set<String> coordinators = new TreeSet<>();
    private final Set<Integer> oracles = new TreeSet<>();
    private final Map<String, Integer> sent = new HashMap<>();
    private final Map<String, Map<String, Term>> requests = new HashMap<>();
    private final Map<JsonNode, Integer> last = new HashMap<>();
    private final Map<String, TraceEvent> before = new HashMap<>();
    private final Map<Integer, Passed> passed = new HashMap<>();
    private final Set<String> begun = new HashSet<>();

    /** Of each request for a batch, who sent it, and who answered. */
    private final Map<String, Set<String>> asked = new HashMap<>();

    private final Map<String, Set<String>> answered = new HashMap<>();

    /** Whom timestamps name, and the first process that issued such a one. */
    private final Map<List<Long>, String> issuers = new HashMap<>();

    private final Map<String, Integer> restarts = new HashMap<>();

    /** Timestamps that name who issued others before. */
    private final Set<Integer> borrowed = new HashSet<>();

    Reading(MergedLog log, int room) {
      super(TimestampBatchingBinding.this, log, room);
    }

    /** An end counts where the transaction began here. */
    @Override
    protected boolean concerns(int i) {
      TraceEvent e = event(i);
      return e.action().startsWith(PREFIX)
          || (super.concerns(i) && begun.contains(e.arg("t").asText()));
    }

    @Override
    protected void scan(int i, TraceEvent e) {
      TraceEvent last = before.get(e.node());
      if (e.ends()) {
        before.remove(e.node());
      } else {
        before.put(e.node(), e);
      }
      if (!concerns(i)) {
        return;
      }
      passed.put(
          i,
          last == null
              ? new Passed(0, 0)
              : new Passed(e.at() - last.at(), e.local() - last.local()));
      if (!e.action().startsWith(PREFIX)) {
        return;
      }
      switch (e.actionName()) {
        case "OracleReply" -> {
          oracles.add(e.args().get("o").asInt());
          String request = named(e.args().get("q"));
          demandSender(i, asked.get(request));
          answered.computeIfAbsent(request, q -> new HashSet<>()).add(e.node());
          this.last.put(key(message(e.args().get("q")).json()), i);
          return;
        }
        case "RequestBatch" -> {
          String name = e.role() + " " + e.args().get("id");
          requests.put(name, request(e.node(), sent.merge(e.node(), 1, Integer::sum)));
          asked.computeIfAbsent(name, q -> new HashSet<>()).add(e.node());
        }
        case "InstallBatch" -> {
          demandSender(i, answered.get(named(e.args().get("r"))));
          this.last.put(key(message(e.args().get("r")).json()), i);
        }
        case "Begin" -> begun.add(e.arg("t").asText());
        case "RestartCoordinator" -> restarts.merge(e.node(), 1, Integer::sum);
        case "Assign" -> {
          String process = e.node() + " " + restarts.getOrDefault(e.node(), 0);
          List<Long> issuer = List.of(e.arg("coordinator").asLong(), e.arg("incarnation").asLong());
          if (!issuers.computeIfAbsent(issuer, of -> process).equals(process)) {
            borrowed.add(i);
          }
        }
        default -> {}
      }
      coordinators.add(e.node());
    }

    /** The request that a message is, or answers. */
    private static String named(JsonNode message) {
      return message.path("coordinator").asText() + " " + message.path("id");
    }

    private static Map<String, Term> request(String node, int number) {
      return Map.of("coordinator", Term.string(node), "id", Term.of(number));
    }

    /** The request that a message names; one that nobody sent gets a number that none has. */
    private Map<String, Term> request(String role, Object id, int unknown) {
      return requests.getOrDefault(role + " " + id, request(role, unknown));
    }

    private Term message(JsonNode m) {
      Map<String, Term> fields =
          new TreeMap<>(request(m.path("coordinator").asText(), m.path("id"), 0));
      if (m.has("up")) {
        fields.put("oracle", Term.of(m.path("oracle").asInt()));
        fields.put("up", Term.of(m.path("up").asInt()));
      }
      return Term.record(fields);
    }

    /** What tells messages apart: all but real times. */
    private static JsonNode key(JsonNode message) {
      return ((ObjectNode) message).without(Set.of("real", "since"));
    }

    @Override
    protected int lastDelivery(Term message) {
      return last.getOrDefault(key(message.json()), -1);
    }

    @Override
    public List<String> messageVariables() {
      return List.of("requests", "replies");
    }

    @Override
    protected Term term(int i, Sort sort, Object word) {
      if (sort == COORDINATOR) {
        return Term.string(event(i).node());
      } else if (sort == MESSAGE) {
        return message((JsonNode) word);
      } else if (sort == REQUEST) {
        return request(event(i).role(), word, -1).get("id");
      }
      return super.term(i, sort, word);
    }

    @Override
    protected Term own(int i, String parameter) {
      return switch (parameter) {
        case "ticks" -> number(i, passed.get(i).ticks());
        case "units" -> number(i, passed.get(i).units());
        case "borrowed" -> Term.of(borrowed.contains(i));
        default -> super.own(i, parameter);
      };
    }

    @Override
    protected void constants() {
      constant("Coordinators", coordinators);
      constant("Oracles", oracles);
      constant("Txns", Tla.range(1, size(txn)));
    }
  }

  // ---- machines ------------------------------------------------------------------------------

  @Override
  protected SpecAdapter world(Constants model, Optional<SeededBug> bug) {
    return new Machines(model, new TreeMap<>(), bug);
  }

  /** A coordinator; {@code sentBefore} counts the requests of its earlier instances. */
  static class Server extends Place {
    final Map<Long, Integer> numbers = new HashMap<>();
    int sentBefore;
    int pendingReal;
    int batchReal;

    Server(Object name, NodeSpec spec) {
      super(name, spec);
    }

    TimestampSource source() {
      return machine instanceof DataNode node
          ? node.timestamps()
          : ((Coordinator) machine).timestamps();
    }
  }

  /** A client with a transaction, which has none at the coordinator before it has a timestamp. */
  static class Client extends Place {
    Server server;
    long start;
    Transaction txn;
    boolean asked;
    int begun;
    int real;
    int ended;

    Client(Object name) {
      super(name, null);
    }

    /** The instance that it talked to is still there. */
    boolean live() {
      return server != null && server.starts == start;
    }
  }

  /**
   * A unit of a local clock is 1 µs, so that a tick is {@code Nominal} µs.
   *
   * <p>A coordinator serves waiting transactions in the order they came, the specification in any:
   * until they have timestamps they differ in nothing that a machine keeps, so a machine's
   * transaction gets its name when it gets one. Where a machine may not assign it asks for a batch
   * at once, which is another action of the specification; so the machine is asked first whether
   * its batch is usable, and asks for batches where the specification does.
   */
  class Machines extends K2World {
    final Group<Server> servers = group(this::server);
    final Group<Client> clients = group((t, n) -> client(t));
    final long tick;
    final Map<Long, Integer> oracles = new HashMap<>();
    private final long epsilon;
    private final Network requests = network("requests");
    private final Network replies = network("replies");

    /**
     * @param parameters of the machines, besides those of batches
     */
    Machines(Constants model, TreeMap<String, Long> parameters, Optional<SeededBug> bug) {
      super(
          TimestampBatchingBinding.this,
          new ClockBounds(
              model.number("Epsilon") * (long) model.number("Nominal"),
              model.number("Drift") * 1_000_000L / model.number("Nominal")),
          asPublished(model),
          batches(model, parameters),
          bug);
      tick = model.number("Nominal");
      epsilon = model.number("Epsilon");
      function("incarnation", servers, c -> c.source().incarnation() - 1);
      function("sent", servers, c -> c.sentBefore + c.source().sent());
      function("last", servers, c -> ticks(c.source().last()));
      function("pending", servers, Machines::pending);
      function("batch", servers, this::batch);
      function("txn", clients, this::transaction, servers);

      outside("Tick");
      on("RequestBatch", p -> requestBatch(servers.get(p.get("c"))));
      on("OracleReply", this::oracleReply);
      on("InstallBatch", p -> installBatch(p.get("r")));
      on("Begin", p -> begin(clients.get(p.get("t")), servers.get(p.get("c"))));
      on("Assign", p -> assign(clients.get(p.get("t"))));
      on("End", p -> end(clients.get(p.get("t"))));
      on("RestartCoordinator", p -> restart(servers.get(p.get("c"))));
    }

    private static TreeMap<String, Long> batches(Constants m, TreeMap<String, Long> parameters) {
      parameters.put("ttlMicros", (long) m.number("TTL") * m.number("Nominal"));
      parameters.put("stepMicros", (long) m.number("Step") * m.number("Nominal"));
      return parameters;
    }

    Server server(Object name, int number) {
      return new Server(name, deployment.owner("coordinator", number));
    }

    Client client(Object name) {
      return new Client(name);
    }

    void boot(Server c) {
      start(c, reading(c));
    }

    @Override
    protected void open(ObjectNode initial) {
      requests.clear();
      replies.clear();
      open(servers, initial.get("clock"));
      open(clients, initial.get("txn"));
      servers.all().forEach(this::boot);
    }

    @Override
    protected JsonNode named(Sort sort, Object word) {
      return IntNode.valueOf((Integer) word);
    }

    final int now() {
      return given("now").intValue();
    }

    final long clock(Server c) {
      return given("clock", c).longValue();
    }

    final ClockReading reading(Server c) {
      return ClockReading.local(clock(c));
    }

    final void restart(Server c) {
      c.sentBefore += (int) c.source().sent();
      boot(c);
    }

    final void requestBatch(Server c) {
      c.out.sent.clear();
      c.source().requestBatch(reading(c), c.out);
      c.changed();
      c.pendingReal = now();
      for (Outbox.Sent s : c.out.sent) {
        long id = ((K2Message.BatchRequest) s.message()).id();
        c.numbers.put(id, c.sentBefore + (int) c.source().sent());
        ObjectNode m = Values.F.objectNode().put("coordinator", (String) c.name);
        requests.add(m.put("id", c.numbers.get(id)).put("real", now()), s);
      }
    }

    final void oracleReply(ObjectNode p) {
      JsonNode q = p.get("q");
      int o = p.get("o").intValue();
      long up = now() + p.get("error").intValue();
      Server c = servers.get(q.get("coordinator"));
      Place oracle = new Server(o, deployment.owner("oracle", o - 1));
      oracle.machine = deployment.machine(oracle.spec);
      oracle.give(
          new Input.Deliver(c.spec.role(), requests.get(q).message()),
          new ClockReading(now() * tick, (up - 2 * epsilon) * tick, up * tick));
      for (Outbox.Sent s : oracle.out.sent) {
        K2Message.BatchReply reply = (K2Message.BatchReply) s.message();
        oracles.put(reply.oracle(), o);
        ObjectNode m = Values.F.objectNode().put("coordinator", (String) c.name);
        m.put("id", c.numbers.get(reply.id())).put("oracle", o);
        replies.add(m.put("since", q.get("real").intValue()).put("up", ticks(reply.up())), s);
      }
    }

    final void installBatch(JsonNode r) {
      Server c = servers.get(r.get("coordinator"));
      TimestampSource.Batch old = c.source().batch();
      c.give(new Input.Deliver("oracle", replies.get(r).message()), reading(c));
      if (c.source().batch() != old) {
        c.batchReal = c.pendingReal;
      }
    }

    private void begin(Client t, Server c) {
      t.server = c;
      t.start = c.starts;
      t.begun = now();
      c.ask(new K2Request.Begin(K2Request.Mode.PRIMARY, null), reading(c));
    }

    void assign(Client t) {
      if (!t.live() || t.txn != null || !t.server.source().usable(reading(t.server))) {
        return;
      }
      Server c = t.server;
      c.out.replies.clear();
      c.fire(new K2Timer.NextTimestamp(), reading(c));
      for (Record reply : c.out.replies) {
        t.txn = ((Coordinator) c.machine).transactions().get(((K2Response.Begun) reply).txn());
        t.real = now();
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
      if (t.asked) {
        c.fire(new K2Timer.Proceed(id), reading(c));
      } else {
        c.ask(new K2Request.Commit(id), reading(c));
      }
      t.asked = true;
      if (c.out.replies.stream().anyMatch(K2Response.Committed.class::isInstance)) {
        t.ended = now();
      }
    }

    /** Microseconds in ticks; rounded down, so that -1 stays what it is. */
    final int ticks(long micros) {
      return (int) Math.floorDiv(micros, tick);
    }

    private static Map<String, Object> pending(Server c) {
      TimestampSource.Pending p = c.source().pending();
      return p == null
          ? Map.of("id", 0, "local", 0, "real", 0)
          : Map.of("id", c.numbers.get(p.id()), "local", p.local(), "real", c.pendingReal);
    }

    private Map<String, Object> batch(Server c) {
      TimestampSource.Batch b = c.source().batch();
      return b == null
          ? Map.of("up", -1, "oracle", 0, "local", 0, "real", 0, "used", 0)
          : Map.of(
              "up", ticks(b.up()),
              "oracle", oracles.get(b.oracle()),
              "local", b.local(),
              "real", c.batchReal,
              "used", b.used());
    }

    Map<String, Object> transaction(Client t) {
      Map<String, Object> o = new TreeMap<>(Map.of("ts", 0, "oracle", 0, "local", 0));
      o.putAll(Map.of("begun", t.begun, "real", t.real, "ended", t.ended));
      o.put("coordinator", t.server == null ? "" : t.server.name);
      o.put("phase", t.server == null ? "idle" : "begun");
      o.put("incarnation", t.server == null ? 0 : t.start - 1);
      if (t.txn != null) {
        o.put("phase", t.txn.phase() == Transaction.Phase.DONE ? "ended" : phase(t.txn));
        o.put("incarnation", t.txn.txn().ts().incarnation() - 1);
        o.put("ts", ticks(t.txn.txn().ts().micros()));
        o.put("oracle", oracles.get(t.txn.txn().ts().oracle()));
        o.put("local", t.txn.assignedLocal());
      }
      return o;
    }

    private static String phase(Transaction t) {
      return t.phase() == Transaction.Phase.RUNNING ? "running" : t.phase().name();
    }
  }
}
