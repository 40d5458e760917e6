package dev.plumbline.k2.binding;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.node.TextNode;
import dev.plumbline.bind.Binding;
import dev.plumbline.bind.LogReading;
import dev.plumbline.bind.Names;
import dev.plumbline.bind.Place;
import dev.plumbline.bind.Shape;
import dev.plumbline.bind.Sort;
import dev.plumbline.bind.Tla;
import dev.plumbline.graph.Constants;
import dev.plumbline.graph.Deployment;
import dev.plumbline.graph.Outbox;
import dev.plumbline.graph.SpecAdapter;
import dev.plumbline.graph.Values;
import dev.plumbline.k2.K2Config;
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
import dev.plumbline.k2.system.K2System;
import dev.plumbline.machine.ClockReading;
import dev.plumbline.protocol.ClockBounds;
import dev.plumbline.protocol.NodeSpec;
import dev.plumbline.protocol.SeededBug;
import dev.plumbline.protocol.Settings;
import dev.plumbline.tlc.Term;
import dev.plumbline.trace.TraceEvent;
import dev.plumbline.validate.MergedLog;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * How {@code EpochVisibility} reads in the terms of K2's coordinators, data nodes (with their
 * recorders) and replicas.
 */
final class EpochVisibilityBinding extends Binding {
  private static final String PREFIX = "EpochVisibility.";
  private static final String RECOVER = "Mvto.RecoverDataNode";

  /** Words retired between two rounds of forgetting. */
  private static final int ROUND = 32;

  /** Reads of the far past, such as snapshots at a new client's first timestamp, kept singly. */
  private static final int MOST_OLD_READS = 16;

  /** A read of the far past is this many epochs old. */
  private static final int OLD_EPOCHS = 4;

  /** How much later than asked for a snapshot read may be placed. */
  private static final int MOST_LATE_MICROS = 1_000;

  private static final Sort TXN = Sort.reused("transaction", "transactions", null, ROUND + 16);
  private static final Sort READER =
      Sort.reused("reader", "readers", null, ROUND + 16, n -> Term.of(-n.json().intValue()));

  /** A transaction or a reader. */
  private static final Sort WHO = Sort.own("transaction", "NoTxn");

  private static final Sort KEY = Sort.listed("key", "NoKey");

  private final K2Config config;

  EpochVisibilityBinding(Settings settings) {
    super("EpochVisibility", "specs/k2", settings);
    begins("timer", "Begin", "BeginLinearizable");
    begins("request", "BeginSnapshot");
    config = new K2System().config(settings);
    names(WHO, "t", "r", "w", "v", "writer");
    names(KEY, "k", "first");
    names(Shape.set(KEY), "writes");
    names(Shape.set(Shape.tuple(KEY, WHO)), "reads");
    names(Shape.set(Shape.PLAIN), "versions");
    names(Shape.SMALL, "record");
    shown("first");
    handles("PrimaryRead", "PrimaryWrite", "Commit");
    argument("t", e -> message(e, "t"));
    argument("k", e -> message(e, "k"));
    argument("w", e -> message(e, "v"));
    if (!settings.asPublished().contains(K2Config.TRACK_AT_REPLY)) {
      also("Mvto.HandleRead", "", "Ask");
    }
    also("Mvto.IssueWrite", "", "First");
    also("Mvto.HandleReadReply", "", "Returned");
    also(RECOVER, "", "Recover");
    constant("Old", 0);
    constant("Next", "<- Shown");
    constant("NoTxn", "NoTxn");
    constant("NoKey", "NoKey");
    repairs(K2Config.CLOSE_EPOCHS);
    forgotten("told", Term.sequence(List.of()));
    probes(Set.of(), Set.of("Cut", "Replay", "ReplicaRead", "Tell"));
    given("now", "real time, which no server reads");
    given("seen", "what a client knew when it began; no machine tells clients apart");
    ghost("told", "the order over all coordinators; that a client is told is the machine's doing");
    ghost("txn.phase", "done where a coordinator is lost, and snapshot: its client's choice");
    readBy(Reading::new);
  }

  /** A field of the message that an event of {@code Mvto} handles. */
  private static Object message(TraceEvent e, String field) {
    JsonNode m = e.args().get("m");
    return m == null ? null : m.path(field);
  }

  // ---- logs ----------------------------------------------------------------------------------

  /** A timestamp of the log; those that clients choose for snapshot reads may be equal. */
  private record Stamp(List<Long> parts, String snapshot) {
    static final Comparator<Stamp> ORDER =
        Comparator.<Stamp, Long>comparing(s -> s.parts().get(0))
            .thenComparing(s -> s.parts().get(1))
            .thenComparing(s -> s.parts().get(2))
            .thenComparing(s -> s.parts().get(3))
            .thenComparing(s -> s.snapshot().isEmpty())
            .thenComparing(Stamp::snapshot);

    long micros() {
      return parts.get(0);
    }
  }

  /** Actions of {@code Mvto} that are also actions here the first time, with their names here. */
  private static final Map<String, String> PAIRS =
      Map.of("HandleWrite", "PrimaryWrite", "HandleCommit", "Commit", "HandleAbort", "Abort");

  private static final Set<String> PAIRED =
      Set.of("PrimaryRead", "PrimaryWrite", "Commit", "Abort");

  private static String word(TraceEvent e, String name) {
    return (e.args().containsKey("m") ? e.arg("m").path(name) : e.arg(name)).asText();
  }

  /** What an event is about: a write, or the decision on a transaction. */
  private static String subject(TraceEvent e, String action) {
    return word(e, "t") + (action.equals("PrimaryWrite") ? " at " + word(e, "k") : "");
  }

  /** An event that has to follow event {@code index} in its step. */
  private record Owed(int index, String action, String about) {
    boolean is(TraceEvent e) {
      return e.action().equals(PREFIX + action) && subject(e, action).equals(about);
    }
  }

  private final class Reading extends LogReading {
    private final Set<String> readers = new HashSet<>();
    private final Map<String, String> primaryOf = new HashMap<>();
    private final Map<String, String> home = new TreeMap<>();
    private final Set<String> nodes = new TreeSet<>();

    /** By node, the last epochs that its cuts ended. */
    private final Map<String, TreeSet<Long>> cuts = new HashMap<>();

    private final TreeSet<Stamp> stamps = new TreeSet<>(Stamp.ORDER);
    private final Map<Stamp, Long> ticks = new HashMap<>();
    private final Map<String, Stamp> stampOf = new HashMap<>();
    private final int[] readAt = new int[events];
    private final TreeMap<Integer, Integer> readsToCome = new TreeMap<>();
    private int scale;
    private int passed;

    /** The last event of {@code Mvto} in each node's log. */
    private final Map<String, TraceEvent> before = new HashMap<>();

    /** By node, what its last event has to be followed by in the same step. */
    private final Map<String, Owed> owed = new HashMap<>();

    /** Transactions that were decided, and writes that were accepted. */
    private final Set<String> done = new HashSet<>();

    Reading(MergedLog log, int room) {
      super(EpochVisibilityBinding.this, log, room);
      round(ROUND);
      for (int i = 0; i < events; i++) {
        TraceEvent e = event(i);
        if (e.action().startsWith(PREFIX + "Begin") && !e.action().endsWith("Begin")) {
          readers.add(e.arg("r").asText());
        } else if (e.action().equals(PREFIX + "Replay")) {
          primaryOf.put(e.role(), e.arg("n").asText());
        }
      }
    }

    private Sort who(Sort sort, Object word) {
      return sort != WHO ? sort : readers.contains(Shape.text(word)) ? READER : TXN;
    }

    @Override
    protected void mention(int i, Sort sort, Object word) {
      super.mention(i, who(sort, word), word);
    }

    @Override
    protected Term term(int i, Sort sort, Object word) {
      return super.term(i, who(sort, word), word);
    }

    @Override
    protected void scan(int i, TraceEvent e) {
      together(i, e);
      switch (e.action()) {
        case PREFIX + "Begin", PREFIX + "BeginLinearizable", PREFIX + "BeginSnapshot" -> {
          Stamp stamp = stamp(e);
          stamps.add(stamp);
          stampOf.put(e.arg(e.action().equals(PREFIX + "Begin") ? "t" : "r").asText(), stamp);
        }
        case RECOVER -> stamps.add(stamp(e));
        case PREFIX + "PrimaryRead", PREFIX + "PrimaryWrite" -> {
          home.put(e.arg("k").asText(), e.role());
          nodes.add(e.role());
        }
        case PREFIX + "ReplicaRead" -> home.putIfAbsent(e.arg("k").asText(), primary(e));
        case PREFIX + "Cut" -> {
          String n = e.arg("n").asText();
          nodes.add(n);
          cuts.computeIfAbsent(n, none -> new TreeSet<>()).add(e.field("epoch").asLong() - 1);
        }
        case PREFIX + "Replay" -> nodes.add(e.arg("n").asText());
        default -> {}
      }
    }

    /**
     * What a replica has replayed before it replays a cut of its node; -1 if there is no such cut.
     */
    private long cutBefore(TraceEvent e) {
      TreeSet<Long> ended = cuts.getOrDefault(e.arg("n").asText(), new TreeSet<>());
      long cut = e.field("replayed").asLong();
      Long before = ended.lower(cut);
      return !ended.contains(cut) ? -1 : before == null ? 0 : before;
    }

    /**
     * What a data node or a recorder does is an event of both modules: {@code Mvto}'s, which is
     * first, has the message, and both are about the same transaction and key.
     */
    private void together(int i, TraceEvent e) {
      Owed due = owed.remove(e.node());
      boolean same = due != null && due.is(e);
      if (due != null && !same) {
        throw error(
            due.index(),
            due.action() + " of " + due.about() + " does not follow in the same step",
            "log it for both modules");
      }
      String action = e.actionName();
      boolean here = e.action().startsWith(PREFIX);
      if (here && PAIRED.contains(action)) {
        TraceEvent handled = before.get(e.node());
        boolean reads = action.equals("PrimaryRead");
        if (handled == null
            || handled.at() != e.at()
            || !handled.recv().equals(e.recv())
            || !(reads || subject(handled, action).equals(subject(e, action)))
            || (reads && !word(handled, "k").equals(word(e, "k")))) {
          throw error(
              i,
              e.action() + " of " + subject(e, action) + " is no part of the step before",
              "log it after Mvto's event of the step");
        }
        if (!reads && !e.arg("refused").asBoolean()) {
          done.add(subject(e, action));
        }
      } else if (e.action().startsWith("Mvto.")) {
        before.put(e.node(), e);
        String also = PAIRS.get(action);
        if (also != null && !done.contains(subject(e, also))) {
          owed.put(e.node(), new Owed(i, also, subject(e, also)));
        }
      }
    }

    private String primary(TraceEvent e) {
      return primaryOf.getOrDefault(e.role(), "");
    }

    private static Stamp stamp(TraceEvent e) {
      return e.action().equals(RECOVER)
          ? new Stamp(K2Times.floor(e), "")
          : new Stamp(K2Times.begun(e), e.action().endsWith("Snapshot") ? e.arg("r").asText() : "");
    }

    /**
     * Gives each timestamp its tick, of which a microsecond has the fewest that suffice. A snapshot
     * read's timestamp may lie later than asked for, by a little and in its epoch, as long as no
     * other one lies between: no view tells them apart.
     */
    @Override
    protected void scanned() {
      scale = 1;
      while (!placed(scale)) {
        scale++;
      }
      boolean old = false;
      for (int i = 0; i < events; i++) {
        readAt[i] = readAt(i);
        readsToCome.merge(readAt[i], 1, Integer::sum);
        old |= readAt[i] < oldAt(i);
      }
      names(TXN, Names.Reused.class).more(old ? home.size() : 0);
      names(READER, Names.Reused.class);
    }

    private boolean placed(int perMicro) {
      long last = Long.MIN_VALUE;
      for (Stamp s : stamps) {
        long tick = Math.max(last, (s.micros() - 1) * perMicro) + 1;
        boolean snapshot = !s.snapshot().isEmpty();
        if (tick > (s.micros() + (snapshot ? MOST_LATE_MICROS : 0)) * perMicro
            || epochOf(tick, perMicro) != epochOf(s.micros(), 1)) {
          return false;
        }
        ticks.put(s, tick);
        last = tick;
      }
      return true;
    }

    private long epochOf(long tick, int perMicro) {
      long interval = config.epochMicros() * perMicro;
      return Math.floorDiv(tick + interval - 1, interval);
    }

    /** The timestamp that event {@code i} reads at; the largest number if it is no read. */
    private int readAt(int i) {
      TraceEvent e = event(i);
      String id =
          switch (e.action()) {
            case PREFIX + "PrimaryRead" -> e.arg("t").asText();
            case PREFIX + "ReplicaRead" -> e.arg("r").asText();
            default -> null;
          };
      Stamp stamp = stampOf.get(id);
      return id == null
          ? Integer.MAX_VALUE
          : stamp == null ? 0 : number(i, ticks.get(stamp)).json().intValue();
    }

    /** Reads below this are old for event {@code i}. */
    private long oldAt(int i) {
      return (event(i).at() - OLD_EPOCHS * config.epochMicros()) * scale;
    }

    /**
     * Timestamps of reads after event {@code index}: old ones singly, then the least of the others.
     */
    private Term lows(int index) {
      for (; passed <= index; passed++) {
        readsToCome.computeIfPresent(readAt[passed], (at, n) -> n == 1 ? null : n - 1);
      }
      List<Term> lows = new ArrayList<>();
      for (int at : readsToCome.keySet()) {
        if (at == Integer.MAX_VALUE) {
          break;
        }
        lows.add(Term.of(at));
        if (at >= oldAt(index) || lows.size() > MOST_OLD_READS) {
          return Term.set(lows);
        }
      }
      lows.add(Term.of(Integer.MAX_VALUE - (int) config.epochMicros() * scale));
      return Term.set(lows);
    }

    @Override
    protected Term own(int i, String parameter) {
      TraceEvent e = event(i);
      switch (parameter) {
        case "n":
          boolean given = e.action().startsWith(PREFIX + "Begin") || e.action().equals(RECOVER);
          return given ? number(i, ticks.get(stamp(e))) : null;
        case "at":
          number(i, e.at() * scale);
          return null;
        case "cutBefore":
          return number(i, cutBefore(e));
        case "primary":
          return Term.string(primary(e));
        case "lows":
          return lows(i);
        default:
          return super.own(i, parameter);
      }
    }

    @Override
    protected void constants() {
      List<String> keys = names(KEY, Names.Listed.class).words();
      constant("Txns", Tla.range(0, size(TXN)));
      constant("Readers", Tla.range(-size(READER), -1));
      constant("Keys", Tla.range(1, keys.size()));
      constant("Home", keys.stream().map(k -> home.getOrDefault(k, "")).toList());
      constant("Nodes", nodes);
      constant("Scale", scale);
      constant("Interval", config.epochMicros() * scale);
      constant("Lead", 2 * (config.ttlMicros() + config.epsilonMicros()) * scale);
    }
  }

  // ---- machines ------------------------------------------------------------------------------

  @Override
  protected SpecAdapter world(Constants model, Optional<SeededBug> bug) {
    return new Machines(model, bug);
  }

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

  /**
   * A tick is 1 ms. The specification's commit wait is over once real time has passed the
   * timestamp, the machines' after a time by their coordinator's clock: that clock runs so that the
   * two are the same moment, faster for a timestamp that is near.
   *
   * <p>An action is several inputs here: what a machine sends is delivered at once, except what
   * later actions stand for. Log entries wait for {@code Replay}, decisions to commit for {@code
   * Tell}, reads at replicas that have to wait for the next {@code ReplicaRead}. Every transaction
   * has a coordinator of its own, every key a data node and a replica of its own.
   *
   * <p>Where the machines do more than the specification says: a coordinator asks for a commit only
   * after the commit wait, so {@code Commit} shows it a late clock; {@code Tell} shows it the true
   * one. The specification keeps the intents of aborted transactions, the machines do not. It knows
   * no writes but those that were not refused. A cut's timestamp lies just after the epoch's
   * promised end: it ends one epoch, as the step does. Where that end is not over, it is the
   * largest that is surely past.
   */
  private final class Machines extends K2World {
    private static final long TTL = 1;
    private static final long COMMIT_WAIT = 2 * MILLI;
    private static final ClockReading LATE = ClockReading.local(FOREVER_MICROS / 2);

    private final Group<Node> nodes = group((k, n) -> new Node(k, n, deployment));
    private final Group<Client> clients =
        group((t, n) -> new Client(t, deployment.owner("coordinator", n)));
    private final List<String> txnNames = new ArrayList<>();
    private final List<JsonNode> told = new ArrayList<>();
    private final long interval;

    Machines(Constants model, Optional<SeededBug> bug) {
      // TTL and ε make half a commit wait.
      super(
          EpochVisibilityBinding.this,
          new ClockBounds(MILLI - TTL, 0),
          asPublished(model),
          Map.of(
              "ttlMicros", TTL, "stepMicros", 1L, "epochMicros", model.number("Interval") * MILLI),
          bug);
      interval = model.number("Interval");
      function("epoch", nodes, n -> n.data().epoch());
      function("replayed", nodes, n -> n.copy().replayed());
      function("tracker", nodes, n -> n.data().tracker(n.key).micros() / MILLI);
      function("versions", nodes, this::versions, clients);
      function("ts", clients, Client::ts);
      function("txn", clients, Machines::transaction);
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
}
