package dev.plumbline.dast.binding;

import com.fasterxml.jackson.databind.JsonNode;
import dev.plumbline.bind.Binding;
import dev.plumbline.bind.Shape;
import dev.plumbline.bind.Sort;
import dev.plumbline.dast.DastConfig;
import dev.plumbline.dast.Layout;
import dev.plumbline.dast.system.DastSystem;
import dev.plumbline.graph.Constants;
import dev.plumbline.graph.SpecAdapter;
import dev.plumbline.graph.Values;
import dev.plumbline.protocol.SeededBug;
import dev.plumbline.protocol.Settings;
import dev.plumbline.tlc.InputError;
import dev.plumbline.trace.TraceEvent;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** How {@code Failover} reads in the terms of DAST's replaceable nodes and managers. */
final class FailoverBinding extends Binding {
  static final String PREFIX = "Failover.";
  static final String OTHERS = "TwoPhaseAnticipation.";
  static final String COMMITTED = "committed";
  static final String PREPARED = "prepared";

  /** Transactions that wait to be forgotten together. */
  static final int ROUND = 16;

  static final Sort PROCESS = Sort.own("process", null);
  private static final Sort TXN = Sort.own("transaction", null);
  static final Sort TIME = Sort.ranked("time");

  /** What events say of several transactions. */
  static final List<String> LISTS = List.of("irts", PREPARED, COMMITTED, "aborted");

  final Layout layout;

  FailoverBinding(Settings settings) {
    super("Failover", "specs/dast", settings);
    layout = new DastSystem().layout(settings);
    names(PROCESS, "n", "m");
    names(TXN, "t");
    names(Shape.set(TXN), LISTS.toArray(String[]::new));
    names(Shape.tuple(TXN), "executed");
    names(TIME, "ts", "at", "now", "asked", "last", "held");
    shown("at", "last");
    argument("at", FailoverBinding::madeUp);
    argument("held", e -> e.args().containsKey("held") ? start(e, "held") : null);
    LISTS.forEach(list -> argument(list, e -> e.args().getOrDefault(list, Values.F.arrayNode())));
    for (String action :
        List.of("CoordIrt", "HandlePrepare", "CommitIrt", "HandleCommit", "Execute", "Reply")) {
      also(OTHERS + action, action, "Trace" + action);
    }
    for (String action : List.of("Anticipate", "CommitCrt", "HandleCommitCrt")) {
      also(OTHERS + action, action, "Trace" + action);
    }
    also(OTHERS + "Hear", "Announce", "TraceHear");
    also(OTHERS + "CoordCrt", "PrepareCrt", "TraceCoordCrt");
    also(OTHERS + "HandlePrepCrt", "PrepareCrt", "TraceHandlePrepCrt");
    before(OTHERS + "Hear", "HeardAsTold");
    before(OTHERS + "HandlePrepCrt", "AskedAsAnticipated");
    before(OTHERS + "CommitIrt", "HasVotes");
    before(OTHERS + "CommitCrt", "HasVotes", "NotBelowVotes");
    before(OTHERS + "Execute", "IsDue", "WroteAsOthers");
    before(OTHERS + "Reply", "RepliesAtItsTime");
    String node = layout.nodes(layout.region(layout.managers().get(0))).get(0);
    constant("Majority", layout.replicas(layout.shardOf(node)).size() / 2 + 1);
    constant("CrtCoord", 0);
    constant("Suspects", "{}");
    constant("Times", "{}");
    constant("Rtts", "{}");
    constant("Ahead", 0);
    constant("MaxViews", 0);
    repair("CommittedWins", DastConfig.COMMITTED_ABORTED);
    repair("ReportAll", DastConfig.COMMITTED_UNREPORTED);
    repair("Inherit", DastConfig.LEGACY_UNTOLD);
    repair("AddVote", DastConfig.JOIN_LOW);
    repair("KeepAnticipated", DastConfig.ANTICIPATED_LOST);
    repair("ReportOwn", DastConfig.OWN_UNREPORTED);
    repair("ReportOwnCrt", DastConfig.OWN_CRT_UNREPORTED);
    repair("KeepPrepared", DastConfig.PREPARED_FORGOTTEN);
    invariant("AnticipatedInv");
    corpora("add", "crt", "manager");
    // All but the environment's: suspicions, elections, joins and when a CRT is anticipated.
    probes(
        Set.of(),
        Set.of(
            "CoordIrt",
            "HandlePrepare",
            "CommitIrt",
            "HandleCommit",
            "Announce",
            "Execute",
            "Reply",
            "PrepareCrt",
            "CommitCrt",
            "HandleCommitCrt",
            "HandleAbort",
            "HandleResolved",
            "HandleViewPrep",
            "DecideView",
            "HandleViewCommit"));
    ghost("decided.log", "machines keep up to where a checkpoint goes; the log is the one sent");
    ghost("decided.ts", "of a new manager: machines keep it as its clock");
    ghost("ignored", "nodes that were removed: machines know that they are no members");
    given("leader", "who opened the register with the highest epoch");
    ghost("max", "of removed nodes and replaced managers: machines forget it");
    given("wentBack", "whether anticipated timestamps ever did; they are compared");
    readBy((log, room) -> new FailoverReading(this, log, room));
  }

  /** Timestamps that events say in other words. */
  static Object madeUp(TraceEvent e) {
    if (e.action().equals(PREFIX + "AddReplica")) {
      return start(e, "at");
    }
    JsonNode now = e.field("now");
    if (!e.action().equals(OTHERS + "Anticipate") || now.size() != 3) {
      return null;
    }
    long time = now.get(0).asLong() + e.field("rtt").asLong();
    return List.of(time, now.get(1).asLong(), now.get(2).asLong());
  }

  /** Below all timestamps of that time; zero for none. */
  private static List<Long> start(TraceEvent e, String time) {
    return List.of(Math.max(0, e.field(time).asLong()), 0L, 0L);
  }

  @Override
  protected SpecAdapter world(Constants model, Optional<SeededBug> bug) {
    if (model.number("Ahead") < 1) {
      throw new InputError(
          "",
          0,
          "managers install replicas ahead of their clocks, not " + model.number("Ahead"),
          "use Ahead = 1, or waive the model in coverage.yaml");
    }
    List<ModelPlan> plans = new ArrayList<>();
    defined(model, "Coord").forEach(c -> plans.add(ModelPlan.simple(c.intValue(), "X")));
    if (model.number("CrtCoord") != 0) {
      plans.add(ModelPlan.simple(model.number("CrtCoord"), "X", "Y"));
    }
    return new FailoverWorld(this, model, plans, bug);
  }
}
