package dev.plumbline.k2.binding;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.IntNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.plumbline.bind.Binding;
import dev.plumbline.bind.LogReading;
import dev.plumbline.bind.Names;
import dev.plumbline.bind.Place;
import dev.plumbline.bind.Shape;
import dev.plumbline.bind.Sort;
import dev.plumbline.bind.Tla;
import dev.plumbline.graph.Constants;
import dev.plumbline.graph.Outbox;
import dev.plumbline.graph.SpecAdapter;
import dev.plumbline.graph.Values;
import dev.plumbline.k2.DataNode;
import dev.plumbline.k2.K2Config;
import dev.plumbline.k2.K2Message;
import dev.plumbline.k2.K2Request;
import dev.plumbline.k2.K2Timer;
import dev.plumbline.k2.Recorder;
import dev.plumbline.k2.Status;
import dev.plumbline.k2.Transaction;
import dev.plumbline.k2.Txn;
import dev.plumbline.k2.Version;
import dev.plumbline.k2.Words;
import dev.plumbline.k2.system.K2System;
import dev.plumbline.machine.ClockReading;
import dev.plumbline.machine.Input;
import dev.plumbline.protocol.NodeSpec;
import dev.plumbline.protocol.SeededBug;
import dev.plumbline.protocol.Settings;
import dev.plumbline.tlc.Term;
import dev.plumbline.trace.TraceEvent;
import dev.plumbline.validate.MergedLog;
import dev.plumbline.validate.TraceModel.Step;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** How {@code Mvto} reads in the terms of K2's coordinators and data nodes with their recorders. */
final class MvtoBinding extends Binding {
  /** Before the name of a key. */
  private static final String KEYS = "key ";

  /** Events between two rounds of forgetting. */
  private static final int ROUND = 32;

  private static final Sort TXN = Sort.reused("transaction", "transactions", "NoTxn", ROUND + 16);
  private static final Sort KEY = Sort.listed("key", "NoKey");
  private static final Sort TIME = Sort.ranked("timestamp");

  MvtoBinding(Settings settings) {
    super("Mvto", "specs/k2", settings);
    begins("timer", "Begin");
    begins("request", "IssueRead", "IssueWrite");
    names(TXN, "t", "v", "on", "writer");
    names(KEY, "k", "reading", "first");
    names(Shape.set(KEY), "writes", "acked");
    names(Shape.set(Shape.tuple(KEY, TXN)), "reads");
    names(TIME, "n", "floor", "tracker");
    names(Shape.SMALL, "record");
    names(Shape.set(Shape.PLAIN), "waiting", "versions");
    names(Shape.set(KEY), "held");
    shown("txn", "first", "tracker", "version", "waiting", "held");
    argument("n", e -> e.action().endsWith(".Begin") ? K2Times.begun(e) : null);
    argument("floor", e -> e.action().endsWith(".RecoverDataNode") ? K2Times.floor(e) : null);
    messages("msgs", "m");
    constant("Old", 0);
    constant("NoTxn", "NoTxn");
    constant("NoKey", "NoKey");
    demand("Fencing", "TRUE");
    demand("TrackAt", "\"request\"");
    if (settings.asPublished().contains(K2Config.TRACK_AT_REPLY)) {
      constant("TrackAt", "\"reply\"");
    }
    constant("Faults", "{\"coordinator\", \"suspicion\", \"recorder\", \"datanode\", \"abort\"}");
    repairs(K2Config.READ_FLOOR, K2Config.PUSH_REGISTERS);
    forgotten("told", Term.sequence(List.of()));
    probes(Set.of("msgs"), Set.of());
    given("expelled", "exists only without fencing, which the storage of every machine enforces");
    given("seen", "what a client knew when it began; no machine tells clients apart");
    given("told", "which ends clients heard of in which order; phases and decisions are compared");
    ghost("txn.phase", "only where it is lost: the coordinator that knew it is gone");
    readBy(Reading::new);
  }

  // ---- logs ----------------------------------------------------------------------------------

  private final class Reading extends LogReading {
    private final Map<String, String> home = new TreeMap<>();
    private final Map<String, String> roles = new HashMap<>();

    /** The nodes on which a transaction's coordinator, or a key's data node, has run, by name. */
    private final Map<String, Set<String>> nodes = new HashMap<>();

    /** Of a transaction the event with which its coordinator heard the decision. */
    private final Map<String, Integer> decided = new HashMap<>();

    private final Map<String, Integer> sent = new HashMap<>();

    private final Map<String, String> owner = new HashMap<>();
    private final Map<String, Set<String>> open = new HashMap<>();
    private final Map<Integer, Set<String>> lost = new HashMap<>();
    private final Set<String> writers = new HashSet<>();
    private final Set<Integer> replaced = new HashSet<>();
    private int[] low;

    Reading(MergedLog log, int room) {
      super(MvtoBinding.this, log, room);
      round(ROUND);
    }

    @Override
    protected void scan(int i, TraceEvent e) {
      roles.put(e.node(), e.role());
      e.sent().forEach(message -> sent.put(message, i));
      if (e.ends()) {
        Set<String> victims = open.remove(e.role());
        if (victims != null) {
          lost.put(i, victims);
          victims.forEach(t -> mention(i, TXN, t));
        }
      }
      if (!concerns(i)) {
        return;
      }
      JsonNode m = e.args().get("m");
      String t = Shape.text(m == null ? e.args().get("t") : m.path("t"));
      Set<String> here = open.computeIfAbsent(e.role(), r -> new LinkedHashSet<>());
      switch (e.actionName()) {
        case "Begin" -> {
          here.add(t);
          nodes.put(t, Set.of(e.node()));
        }
        case "IssueWrite" -> writers.add(t);
        case "HandleDecision" -> {
          here.remove(t);
          decided.putIfAbsent(t, i);
          demandRole(i, home.get(Shape.text(e.state().get("first"))));
        }
        case "HandleFinalize" -> {
          demandSender(i, nodes.get(t));
          demandSince(i, decided.getOrDefault(t, 0));
        }
        case "RequestCommit" -> here.removeIf(x -> x.equals(t) && !writers.contains(t));
        case "ReplaceRecorder" -> owner.put(e.role(), e.node());
        case "HandleRead", "HandleWrite" -> {
          demandSender(i, nodes.get(t));
          String k = Shape.text(m.path("k"));
          home.put(k, e.role());
          nodes.computeIfAbsent(KEYS + k, of -> new TreeSet<>()).add(e.node());
        }
        case "HandleReadReply", "HandleWriteReply" ->
            demandSender(i, nodes.get(KEYS + Shape.text(m.path("k"))));
        default -> {}
      }
      if (!owner.computeIfAbsent(e.role(), r -> e.node()).equals(e.node())) {
        replaced.add(i);
      }
    }

    /** A message is of a node that has had a role; of any, where nobody is known to have it. */
    private void demandRole(int i, String role) {
      if (role != null) {
        demandSender(
            i,
            roles.keySet().stream()
                .filter(node -> role.equals(roles.get(node)))
                .collect(Collectors.toCollection(TreeSet::new)));
      }
    }

    /** A coordinator tells what was decided once it has heard it. */
    private void demandSince(int i, int since) {
      String message = event(i).recv().orElse("");
      if (sent.getOrDefault(message, since) < since) {
        throw error(
            i,
            event(i).action()
                + " handles message "
                + message
                + ", which was sent before the decision",
            "log recv with the message that the step handled");
      }
    }

    /** Of each event, the least timestamp of a read that is handled after it. */
    private int[] low() {
      Names.Ranked ranks = names(TIME, Names.Ranked.class);
      Map<String, Integer> begun = new HashMap<>();
      for (int i = 0; i < events; i++) {
        TraceEvent e = event(i);
        if (e.action().equals("Mvto.Begin")) {
          begun.put(Shape.text(e.args().get("t")), ranks.rank(K2Times.begun(e)));
        }
      }
      int[] least = new int[events + 1];
      least[events] = ranks.size(1, events) + 1;
      for (int i = events - 1; i >= 0; i--) {
        TraceEvent e = event(i);
        least[i] = least[i + 1];
        if (e.action().equals("Mvto.HandleRead")) {
          String t = Shape.text(e.args().get("m").path("t"));
          least[i] = Math.min(least[i], begun.getOrDefault(t, 0));
        }
      }
      return least;
    }

    @Override
    protected void constants() {
      List<String> keys = names(KEY, Names.Listed.class).words();
      constant("Txns", Tla.range(0, size(TXN)));
      constant("Keys", Tla.range(1, keys.size()));
      constant("Home", keys.stream().map(k -> home.getOrDefault(k, "")).toList());
    }

    @Override
    public List<Step> steps(int i) {
      if (lost.containsKey(i)) {
        return lost.get(i).stream()
            .map(t -> term(i, TXN, t))
            .map(t -> new Step("CoordinatorFail", "CoordinatorFail", List.of(t), true))
            .toList();
      }
      List<Step> steps = new ArrayList<>(super.steps(i));
      if (event(i).action().equals("Mvto.HandlePush") && fromReplica(event(i))) {
        steps.add(0, call(i, "", "ReplicaPushed"));
      }
      return steps;
    }

    /** PUSHWS of a reader at a replica: it comes from no data node. */
    private boolean fromReplica(TraceEvent e) {
      String role = roles.get(e.sender().orElse(""));
      return role != null && !home.containsValue(role);
    }

    @Override
    protected boolean shows(int i) {
      return !replaced.contains(i);
    }

    @Override
    protected Term own(int i, String parameter) {
      if (!parameter.equals("low")) {
        return super.own(i, parameter);
      }
      low = low == null ? low() : low;
      return Term.of(low[i + 1]);
    }
  }

  // ---- machines ------------------------------------------------------------------------------

  @Override
  protected SpecAdapter world(Constants model, Optional<SeededBug> bug) {
    return new Machines(model, bug);
  }

  /**
   * Every transaction has a coordinator of its own, since they fail one by one; every key has a
   * data node of its own, named like it. Timestamp n is n ms. A data node and its recorder restart
   * together: where the specification restarts one of them, what the other one had been holding is
   * delivered again, and the data node's floor is what its tracker was.
   */
  private final class Machines extends K2World {
    /** Timestamps are assigned at local time 0; everything else happens after the commit wait. */
    private static final ClockReading EARLY = ClockReading.local(0);

    private static final ClockReading LATE = ClockReading.local(1_000_000);

    private final Group<Client> clients =
        group((t, n) -> new Client(t, deployment.owner("coordinator", n)));
    private final Group<Keeping> nodes = group((k, n) -> new Keeping(k, n, deployment));
    private final Network msgs = network("msgs");

    private static final class Client extends Transacting {
      boolean lost;

      Client(Object name, NodeSpec spec) {
        super(name, spec);
      }

      Map<String, Object> state() {
        Map<String, Object> state = txn == null ? new TreeMap<>(Transaction.IDLE) : txn.state();
        if (lost) {
          state.put("phase", "lost");
          state.put("reading", Words.NO_KEY);
        }
        return state;
      }
    }

    Machines(Constants model, Optional<SeededBug> bug) {
      super(
          MvtoBinding.this,
          new K2System().clockBounds(),
          asPublished(model),
          Map.of("epochMicros", FOREVER_MICROS),
          bug);
      function("ts", clients, Client::ts);
      function("txn", clients, Client::state);
      function("first", clients, c -> c.txn == null ? Words.NO_KEY : c.txn.first());
      function("record", clients, this::record, nodes);
      function("tracker", nodes, n -> n.data().tracker(n.key).parts());
      function("versions", nodes, n -> versions(n.data(), n.key));
      variable("waiting", () -> nodes.all().stream().flatMap(this::waiting).toList(), nodes);
      variable("held", () -> Values.set(nodes.all().stream().flatMap(this::held).toList()), nodes);

      on("Begin", p -> begin(client(p), K2Request.Mode.PRIMARY, p.get("n").longValue(), EARLY));
      on("IssueRead", p -> ask(client(p), new K2Request.Get(client(p).id(), key(p))));
      on("IssueWrite", p -> ask(client(p), new K2Request.Put(client(p).id(), key(p), List.of(1L))));
      on("RequestCommit", p -> ask(client(p), new K2Request.Commit(client(p).id())));
      on(
          "RequestAbort",
          p -> coordinate(client(p), new Input.TimerFired(new K2Timer.Patience(client(p).id()))));
      on("CoordinatorFail", p -> fail(client(p)));
      on("SuspectCoordinator", p -> suspect(client(p).txn));
      on("RecoverDataNode", p -> recover(nodes.get(p.get("d")), p.get("floor").intValue()));
      on("ReplaceRecorder", p -> replace(nodes.get(p.get("d"))));
      for (String message : List.of("Read", "ReadReply", "Write", "WriteReply", "Decision")) {
        on("Handle" + message, p -> deliver(msgs.get(p.get("m")), LATE));
      }
      for (String message : List.of("Push", "PushReply", "Finalize", "Commit", "Abort")) {
        on("Handle" + message, p -> deliver(msgs.get(p.get("m")), LATE));
      }
    }

    @Override
    protected void open(ObjectNode initial) {
      open(nodes, initial.get("versions"));
      open(clients, initial.get("ts"));
      msgs.clear();
      for (Keeping n : nodes.all()) {
        name(Words.key(n.key), n.name);
        start(n, LATE);
      }
    }

    @Override
    protected JsonNode named(Sort sort, Object word) {
      return sort == TIME
          ? IntNode.valueOf((int) ((long) ((List<?>) word).get(0) / MILLI))
          : super.named(sort, word);
    }

    @Override
    protected void settle() {
      clients.all().forEach(this::take);
      nodes.all().forEach(this::take);
    }

    private void take(Place place) {
      for (Outbox.Sent sent : place.out.take()) {
        Map<String, String> m = Words.message((K2Message) sent.message());
        if (m != null) {
          msgs.add(value("m", m), sent);
        }
      }
    }

    private Client client(ObjectNode parameters) {
      return clients.get(parameters.get("t"));
    }

    private long key(ObjectNode parameters) {
      return nodes.get(parameters.get("k")).key;
    }

    private void ask(Client c, K2Request request) {
      coordinate(c, new Input.ClientRequest(2, (Record) request));
    }

    private void coordinate(Client c, Input input) {
      if (c.machine != null) {
        c.give(input, LATE);
      }
    }

    private void fail(Client c) {
      c.lost = true;
      c.lose();
    }

    private void suspect(Transaction t) {
      nodes.get(named(KEY, t.first())).fire(new K2Timer.Suspect(t.txn().id()), LATE);
    }

    private void recover(Keeping node, int floor) {
      Set<Recorder.Held> held = Set.copyOf(node.data().recorder().held());
      restart(node, floor * MILLI);
      for (Recorder.Held h : held) {
        node.give(new Input.Deliver(h.from(), new K2Message.Push(h.txn(), h.key(), h.key())), LATE);
      }
    }

    private void replace(Keeping node) {
      Set<DataNode.Waiting> waiting = Set.copyOf(node.data().waiting());
      restart(node, node.data().tracker(node.key).micros());
      for (DataNode.Waiting w : waiting) {
        Txn t = w.reader();
        node.give(new Input.Deliver(t.coordinator(), new K2Message.Read(t, w.key())), LATE);
      }
    }

    private void restart(Keeping node, long floor) {
      start(node, LATE);
      node.fire(new K2Timer.Recover(), LATE);
      node.fire(new K2Timer.Recover(), LATE);
      timestamp(node, LATE, 0, floor - ttl);
    }

    private String record(Client c) {
      for (Keeping n : nodes.all()) {
        Status status = c.txn == null ? null : n.data().recorder().status(c.id());
        if (status != null) {
          return status.name();
        }
      }
      return "none";
    }

    private static List<Map<String, String>> versions(DataNode node, long key) {
      List<Map<String, String>> found = new ArrayList<>();
      found.add(Map.of("status", "committed", "writer", Txn.NONE.id()));
      Map<?, Version> stream = node.versions().all().getOrDefault(key, new TreeMap<>());
      for (Version v : stream.values()) {
        String status = v.committed() ? "committed" : "intent";
        found.add(Map.of("status", status, "writer", v.writer().id()));
      }
      return found;
    }

    private Stream<Map<String, String>> waiting(Keeping n) {
      return n.data().waiting().stream()
          .map(w -> Map.of("k", Words.key(w.key()), "on", w.on().id(), "t", w.reader().id()));
    }

    private Stream<JsonNode> held(Keeping n) {
      return n.data().recorder().held().stream()
          .map(h -> value("m", Map.of("k", Words.key(h.key()), "t", h.txn().id())));
    }
  }
}
