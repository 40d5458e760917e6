package dev.plumbline.k2conf;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.MissingNode;
import dev.plumbline.k2.K2Config;
import dev.plumbline.tlc.InputError;
import dev.plumbline.tlc.Spec;
import dev.plumbline.tlc.Term;
import dev.plumbline.trace.TraceEvent;
import dev.plumbline.validate.MergedLog;
import dev.plumbline.validate.Pool;
import dev.plumbline.validate.TraceModel;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/**
 * Reads a log as steps of {@code TimestampBatching}; see {@code
 * specs/k2/TraceTimestampBatching.tla}.
 */
class TimestampBatchingTrace implements TraceModel {
  private static final String MODULE = "TimestampBatching";
  static final String PREFIX = MODULE + ".";
  static final String WAIT_AT_LEAST = "WaitAtLeast <- TraceWaitAtLeast";

  private final K2Config config;

  TimestampBatchingTrace(K2Config config) {
    this.config = config;
  }

  @Override
  public String module() {
    return MODULE;
  }

  @Override
  public Path folder() {
    return Path.of("specs/k2");
  }

  @Override
  public Reading read(MergedLog log, int room) {
    return new TbReading(log, room, e -> e.action().startsWith(PREFIX));
  }

  final K2Config config() {
    return config;
  }

  static String quoted(Collection<String> names) {
    return names.stream().map(n -> '"' + n + '"').collect(Collectors.joining(", "));
  }

  /** Events of other modules that mean the end of a transaction here. */
  private static final Set<String> ENDS = Set.of("EpochVisibility.Tell", "EpochCut.CutEpoch");

  /** A request for a batch: who asked, and the how manieth of its requests it was. */
  private record Request(String node, int number) {}

  private record Reply(Request request, int oracle, int up) {}

  /** How far a node's clocks moved since its event before; zero after a start. */
  private record Passed(int ticks, int units) {}

  /** Reads the events that concern the module. */
  class TbReading implements Reading {
    private final MergedLog log;
    private final Predicate<TraceEvent> concerns;
    private final int events;
    private final int slots;
    private final Pool txns = new Pool("transactions");
    private final Set<String> coordinators = new TreeSet<>();
    private final Set<Integer> oracles = new TreeSet<>();
    private final Map<String, Request> requests = new HashMap<>();
    private final Map<Request, Integer> lastAnswer = new HashMap<>();
    private final Map<Reply, Integer> lastInstall = new HashMap<>();
    private final Map<Integer, Passed> passed = new HashMap<>();
    private final Set<String> begun = new HashSet<>();

    TbReading(MergedLog log, int room, Predicate<TraceEvent> concerns) {
      this.log = log;
      this.concerns = concerns;
      this.events = log.entries().size();
      Map<String, Integer> sent = new HashMap<>();
      Map<String, TraceEvent> before = new HashMap<>();
      for (int i = 0; i < events; i++) {
        scan(i, log.entries().get(i).event(), sent, before);
      }
      slots = (txns.overlap(events) + 1) * room;
    }

    private void scan(
        int i, TraceEvent e, Map<String, Integer> sent, Map<String, TraceEvent> before) {
      TraceEvent last = before.get(e.node());
      if (e.action().equals(TraceEvent.CRASH)) {
        before.remove(e.node());
      } else {
        before.put(e.node(), e);
      }
      if (ends(e)) {
        txns.mention(e.args().get("t").asText(), i);
      }
      if (!concerns.test(e)) {
        return;
      }
      passed.put(
          i,
          last == null
              ? new Passed(0, 0)
              : new Passed((int) (e.at() - last.at()), (int) (e.local() - last.local())));
      if (e.args().containsKey("t")) {
        txns.mention(e.args().get("t").asText(), i);
      }
      switch (e.action().substring(e.action().indexOf('.') + 1)) {
        case "RequestBatch" -> {
          int number = sent.merge(e.node(), 1, Integer::sum);
          requests.put(key(e.role(), e.args().get("id")), new Request(e.node(), number));
          coordinators.add(e.node());
        }
        case "OracleReply" -> {
          oracles.add(e.args().get("o").asInt());
          lastAnswer.put(request(e.args().get("q")), i);
        }
        case "InstallBatch" -> {
          coordinators.add(e.node());
          lastInstall.put(reply(e.args().get("r")), i);
        }
        case "Begin" -> {
          coordinators.add(e.node());
          begun.add(e.args().get("t").asText());
        }
        default -> coordinators.add(e.node());
      }
    }

    /** Whether the event tells of the end of a transaction that began here. */
    boolean ends(TraceEvent e) {
      return ENDS.contains(e.action())
          && begun.contains(e.args().getOrDefault("t", MissingNode.getInstance()).asText());
    }

    private String key(String role, JsonNode id) {
      return role + " " + id;
    }

    /** The request that a message names; one that nobody sent gets number 0. */
    private Request request(JsonNode m) {
      String role = m.path("coordinator").asText();
      return requests.getOrDefault(key(role, m.path("id")), new Request(role, 0));
    }

    private Reply reply(JsonNode r) {
      return new Reply(request(r), r.path("oracle").asInt(), r.path("up").asInt());
    }

    @Override
    public List<String> definitions() {
      return List.of(
          "LogCoordinators == {" + quoted(coordinators) + "}", "LogTxns == 1 .. " + slots);
    }

    @Override
    public List<String> configuration() {
      List<String> repairs =
          new ArrayList<>(List.of(K2Config.TIE_REPLY, K2Config.DRIFT_MARGIN, K2Config.NAME_ISSUER));
      repairs.removeAll(config.asPublished());
      return List.of(
          "CONSTANTS",
          "Coordinators <- LogCoordinators",
          "Txns <- LogTxns",
          "Oracles = {"
              + oracles.stream().map(String::valueOf).collect(Collectors.joining(", "))
              + "}",
          "Epsilon = " + config.epsilonMicros(),
          "TTL = " + config.ttlMicros(),
          "Step = " + config.stepMicros(),
          "Nominal = 1000000",
          "Drift = " + config.driftPpm(),
          "DriftPpm = " + config.driftPpm(),
          "Advances = {}",
          "Errors = {}",
          WAIT_AT_LEAST,
          "WaitAtMost <- TraceWaitAtMost",
          "Repairs = {" + quoted(repairs) + "}");
    }

    @Override
    public void load(Spec spec) {
      txns.load(slots, events);
    }

    @Override
    public List<Step> steps(int i) {
      MergedLog.Entry entry = log.entries().get(i);
      TraceEvent e = entry.event();
      if (ends(e)) {
        return List.of(step("", "Ended", txn(e)));
      }
      if (!concerns.test(e)) {
        return List.of();
      }
      Term node = Term.string(e.node());
      String action = e.action().substring(PREFIX.length());
      Map<String, JsonNode> a = e.args();
      Step step =
          switch (action) {
            case "RequestBatch" ->
                step(
                    action,
                    "TraceRequestBatch",
                    node,
                    Term.of(requests.get(key(e.role(), a.get("id"))).number()));
            case "OracleReply" -> {
              Request q = request(a.get("q"));
              yield step(
                  action,
                  "TraceOracleReply",
                  Term.of(a.get("o").asInt()),
                  Term.string(q.node()),
                  Term.of(q.number()),
                  number(entry, a.get("up").asLong()));
            }
            case "InstallBatch" -> {
              Reply r = reply(a.get("r"));
              yield step(
                  action,
                  "TraceInstallBatch",
                  Term.string(r.request().node()),
                  Term.of(r.request().number()),
                  Term.of(r.oracle()),
                  Term.of(r.up()));
            }
            case "Begin" -> step(action, "Begin", txn(e), node);
            case "Assign" ->
                step(
                    action,
                    "TraceAssign",
                    txn(e),
                    number(entry, a.get("n").asLong()),
                    Term.of(a.get("oracle").asInt()));
            case "End" -> step(action, "TraceEnd", txn(e));
            case "RestartCoordinator" -> step(action, action, node);
            default ->
                throw new InputError(
                    entry.file(),
                    entry.line(),
                    MODULE + " has no action " + action,
                    "log the specification's actions");
          };
      List<Step> steps = new ArrayList<>(List.of(tick(i), step));
      if (!action.equals("OracleReply")) {
        steps.add(shows(entry));
      }
      if (action.equals("Assign")) {
        steps.add(
            step(
                "",
                "Named",
                node,
                number(entry, a, "coordinator"),
                number(entry, a, "incarnation")));
      }
      return steps;
    }

    private Step shows(MergedLog.Entry entry) {
      TraceEvent e = entry.event();
      JsonNode pending = e.state().getOrDefault("pending", MissingNode.getInstance());
      JsonNode batch = e.state().getOrDefault("batch", MissingNode.getInstance());
      boolean asked = pending.has("id");
      boolean has = batch.has("up");
      Term none = Term.of(0);
      return step(
          "",
          "TraceShows",
          Term.string(e.node()),
          asked
              ? Term.of(
                  requests
                      .getOrDefault(key(e.role(), pending.get("id")), new Request(e.node(), -1))
                      .number())
              : none,
          asked ? number(entry, pending.path("local").asLong()) : none,
          has ? number(entry, batch.path("up").asLong()) : Term.of(-1),
          has ? Term.of(batch.path("oracle").asInt()) : none,
          has ? number(entry, batch.path("local").asLong()) : none,
          has ? number(entry, batch.path("used").asLong()) : none,
          number(entry, e.state(), "last"));
    }

    private Term number(MergedLog.Entry entry, Map<String, JsonNode> of, String name) {
      return number(entry, of.getOrDefault(name, MissingNode.getInstance()).asLong(-2));
    }

    /** The passing of time before event {@code i}. */
    final Step tick(int i) {
      MergedLog.Entry entry = log.entries().get(i);
      TraceEvent e = entry.event();
      return step(
          "",
          "TraceTick",
          Term.string(e.node()),
          number(entry, e.at()),
          number(entry, e.local()),
          Term.of(passed.get(i).ticks()),
          Term.of(passed.get(i).units()));
    }

    final Step step(String action, String operator, Term... arguments) {
      return new Step(action, operator, List.of(arguments), false);
    }

    final Term txn(TraceEvent e) {
      return slot(txns.term(e.args().getOrDefault("t", MissingNode.getInstance()).asText()));
    }

    /** What the module calls the transaction of a number. */
    Term slot(Term number) {
      return number;
    }

    /** How many names of transactions there are. */
    final int slots() {
      return slots;
    }

    final Term number(MergedLog.Entry entry, long value) {
      if (value != (int) value) {
        throw new InputError(
            entry.file(), entry.line(), value + " exceeds 32 bits", "validate shorter runs");
      }
      return Term.of((int) value);
    }

    @Override
    public List<String> messageVariables() {
      return List.of("requests", "replies");
    }

    @Override
    public boolean deliveredAfter(int index, Term message) {
      JsonNode m = message.json();
      Request request = new Request(m.get("coordinator").asText(), m.get("id").asInt());
      Integer last =
          m.has("up")
              ? lastInstall.get(new Reply(request, m.get("oracle").asInt(), m.get("up").asInt()))
              : lastAnswer.get(request);
      return last != null && last > index;
    }

    @Override
    public List<Step> housekeeping(int index) {
      txns.retire(index);
      return txns.retired().isEmpty()
          ? List.of()
          : List.of(step("", "Forget", Term.set(txns.retired().stream().map(this::slot).toList())));
    }

    @Override
    public void cleaned(List<Spec.State> candidates) {
      txns.reuse(List.copyOf(txns.retired()));
    }
  }
}
