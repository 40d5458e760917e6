package dev.plumbline.k2.binding;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.plumbline.bind.Sort;
import dev.plumbline.bind.Tla;
import dev.plumbline.graph.Constants;
import dev.plumbline.graph.SpecAdapter;
import dev.plumbline.k2.DataNode;
import dev.plumbline.k2.K2Timer;
import dev.plumbline.machine.Timer;
import dev.plumbline.protocol.NodeSpec;
import dev.plumbline.protocol.SeededBug;
import dev.plumbline.protocol.Settings;
import dev.plumbline.tlc.Term;
import dev.plumbline.trace.TraceEvent;
import dev.plumbline.validate.MergedLog;
import dev.plumbline.validate.TraceModel.Step;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * How {@code EpochCut} reads in the terms of K2's data nodes, as far as they cut epochs, and of
 * oracles for them; batches and clocks are as in {@link TimestampBatchingBinding}.
 */
final class EpochCutBinding extends TimestampBatchingBinding {
  private static final String PREFIX = "EpochCut.";
  private static final String BATCHING = "TimestampBatching.";

  EpochCutBinding(Settings settings) {
    super(
        "EpochCut",
        settings,
        Sort.reused("attempt", "transactions", null, 1, number -> Term.string("t" + number)));
    // The core module's name for the steps that it takes from TimestampBatching.
    for (String action : List.of("RequestBatch", "OracleReply", "InstallBatch", "Assign")) {
      also(BATCHING + action, "CutNext", "Cut" + action);
    }
    also(BATCHING + "Begin", "", "CutBegin");
    also(BATCHING + "RestartCoordinator", "RestartNode", "CutRestartCoordinator");
    argument("named", e -> e.args().get("c"));
    constant("WaitAtLeast", "<- CutWaitAtLeast");
    constant("Interval", config.epochMicros());
    constant("TimerKept", "TRUE");
    demand("Compared", "TRUE");
    probes(Set.of("requests", "replies"), Set.of("TimerExpires", "CutEpoch"));
    ghost("cut.cutAt", "real time");
    ghost("txn.local", "the clock at the timestamp; the machine keeps when the wait is over");
    ghost("txn.phase", "a node forgets its attempts; that one is over is the machine's doing");
    readBy(CutReading::new);
  }

  // ---- logs ----------------------------------------------------------------------------------

  private final class CutReading extends Reading {
    private final Set<String> cutters = new HashSet<>();
    private final Set<String> attempts = new HashSet<>();
    private final Set<Integer> starts = new HashSet<>();
    private final Map<String, String> roleOf = new TreeMap<>();

    CutReading(MergedLog log, int room) {
      super(log, room);
      for (MergedLog.Entry entry : log.entries()) {
        TraceEvent e = entry.event();
        if (e.action().startsWith(PREFIX)) {
          cutters.add(e.role());
        }
        if (e.action().equals(PREFIX + "TimerExpires")) {
          attempts.add(e.arg("t").asText());
        }
      }
    }

    /** An attempt begins with its timer; CutEpoch ends it. */
    @Override
    protected boolean concerns(int i) {
      TraceEvent e = event(i);
      return switch (e.action()) {
        case BATCHING + "OracleReply" ->
            cutters.contains(e.args().get("q").path("coordinator").asText());
        case BATCHING + "End" -> false;
        case BATCHING + "Begin" ->
            cutters.contains(e.role()) && !attempts.contains(e.arg("t").asText());
        default ->
            cutters.contains(e.role())
                && (e.action().startsWith(PREFIX) || e.action().startsWith(BATCHING));
      };
    }

    @Override
    protected void scan(int i, TraceEvent e) {
      super.scan(i, e);
      boolean own = cutters.contains(e.role()) && !e.action().endsWith(".OracleReply");
      if (own
          && (e.action().startsWith(PREFIX) || e.action().startsWith(BATCHING))
          && roleOf.put(e.node(), e.role()) == null) {
        starts.add(i);
      }
    }

    @Override
    protected String operator(String wanted) {
      return known("Cut" + wanted) ? "Cut" + wanted : wanted;
    }

    @Override
    public List<Step> steps(int i) {
      List<Step> steps = new ArrayList<>();
      if (starts.contains(i)) {
        steps.add(call(i, "", "CutStart"));
      }
      steps.addAll(super.steps(i));
      return steps;
    }

    @Override
    public String specification() {
      return "CutSpec";
    }

    @Override
    protected void constants() {
      super.constants();
      constant("Coordinators", roleOf.keySet());
      constant(
          "Txns",
          IntStream.rangeClosed(1, size(txn)).mapToObj(i -> "t" + i).collect(Collectors.toSet()));
      String roles = Tla.cases("n", roleOf).tla();
      constant("RoleOf", Tla.text("[n \\in LogCoordinators |-> " + roles + "]"));
    }
  }

  // ---- machines ------------------------------------------------------------------------------

  @Override
  protected SpecAdapter world(Constants model, Optional<SeededBug> bug) {
    TreeMap<String, Long> parameters = new TreeMap<>();
    parameters.put("epochMicros", (long) model.number("Interval") * model.number("Nominal"));
    return new Cutters(model, parameters, bug);
  }

  /** A data node with its timers. */
  private static final class Cutter extends Server {
    long due;
    long over;
    Attempt attempt;
    Long held;
    int cutAt;

    Cutter(Object name, NodeSpec spec) {
      super(name, spec);
    }
  }

  /** A client here is an attempt, and what became of it once its node has forgotten it. */
  private static final class Attempt extends Client {
    String phase = "begun";
    int ts;
    int oracle;
    long local;

    Attempt(Object name) {
      super(name);
    }
  }

  /**
   * A timer fires when it is due and the specification says so, or at any time where {@code
   * TimerKept} is false.
   *
   * <p>A machine compares a timestamp with the epoch's end in the step that gives it. Where it is
   * too early it sets its timer then, the specification in a step of its own: the timer is set
   * late, in {@code TooEarly}.
   */
  private final class Cutters extends Machines {
    private static final Timer DUE = new K2Timer.EpochDue();
    private static final Timer OVER = new K2Timer.EpochOver();

    Cutters(Constants model, TreeMap<String, Long> parameters, Optional<SeededBug> bug) {
      super(model, parameters, bug);
      boolean timerKept = model.flag("TimerKept");
      function("cut", servers, c -> cut((Cutter) c));
      on("TimerExpires", p -> timerExpires(attempt(p), cutter(p), timerKept));
      on("TooEarly", p -> tooEarly(attempt(p), cutter(p)));
      on("CutEpoch", p -> cutEpoch(attempt(p), cutter(p)));
      on("RestartNode", p -> restart(cutter(p)));
      on("CutNext", this::batching);
    }

    private Attempt attempt(ObjectNode p) {
      return (Attempt) clients.get(p.get("t"));
    }

    private Cutter cutter(ObjectNode p) {
      return (Cutter) servers.get(p.get("c"));
    }

    @Override
    Server server(Object name, int number) {
      return new Cutter(name, deployment.owner("data-node", number));
    }

    @Override
    Client client(Object name) {
      return new Attempt(name);
    }

    @Override
    void boot(Server server) {
      Cutter c = (Cutter) server;
      c.attempt = null;
      c.held = null;
      super.boot(c);
      c.due = clock(c) + c.delays.get(DUE);
    }

    /** The steps of {@code TimestampBatching} have no name of their own in {@code CutNext}. */
    private void batching(ObjectNode p) {
      if (p.has("q")) {
        oracleReply(p);
      } else if (p.has("r")) {
        installBatch(p.get("r"));
      } else if (p.has("c")) {
        requestBatch(cutter(p));
      } else if (p.has("t")) {
        assign(attempt(p));
      }
    }

    private void timerExpires(Attempt t, Cutter c, boolean timerKept) {
      if (t.server != null || c.attempt != null || (timerKept && clock(c) < c.due)) {
        return;
      }
      c.attempt = t;
      t.server = c;
      t.start = c.starts;
      t.begun = now();
      c.fire(DUE, reading(c));
    }

    @Override
    void assign(Client client) {
      Attempt t = (Attempt) client;
      if (!t.live() || !t.phase.equals("begun") || !t.server.source().usable(reading(t.server))) {
        return;
      }
      Cutter c = (Cutter) t.server;
      c.delays.clear();
      c.fire(new K2Timer.NextTimestamp(), reading(c));
      if (!c.source().waiting().isEmpty()) {
        return;
      }
      t.phase = "running";
      t.ts = ticks(c.source().last());
      t.oracle = oracles.get(c.source().batch().oracle());
      t.local = clock(c);
      t.real = now();
      c.held = c.delays.get(DUE);
      c.over = c.delays.containsKey(OVER) ? clock(c) + c.delays.get(OVER) : Long.MAX_VALUE;
    }

    private void tooEarly(Attempt t, Cutter c) {
      if (c.attempt == t && c.held != null) {
        c.changed();
        c.due = clock(c) + c.held;
        c.held = null;
        c.attempt = null;
      }
    }

    private void cutEpoch(Attempt t, Cutter c) {
      if (c.attempt != t || !t.phase.equals("running") || clock(c) < c.over) {
        return;
      }
      c.delays.clear();
      c.fire(OVER, reading(c));
      c.due = clock(c) + c.delays.get(DUE);
      c.attempt = null;
      c.cutAt = now();
      t.phase = "ended";
      t.ended = now();
    }

    private static Map<String, Object> cut(Cutter c) {
      return Map.of(
          "attempt",
          c.attempt == null ? "" : c.attempt.name,
          "cutAt",
          c.cutAt,
          "due",
          c.due,
          "epoch",
          ((DataNode) c.machine).epoch());
    }

    @Override
    Map<String, Object> transaction(Client client) {
      Attempt t = (Attempt) client;
      Map<String, Object> o = super.transaction(t);
      o.put("phase", t.server == null ? "idle" : t.phase);
      o.putAll(Map.of("ts", t.ts, "oracle", t.oracle, "local", t.local));
      return o;
    }
  }
}
