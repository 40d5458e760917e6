package dev.plumbline.dast.binding;

import dev.plumbline.bind.Binding;
import dev.plumbline.bind.Shape;
import dev.plumbline.bind.Sort;
import dev.plumbline.dast.DastConfig;
import dev.plumbline.dast.Layout;
import dev.plumbline.dast.system.DastSystem;
import dev.plumbline.graph.Constants;
import dev.plumbline.graph.SpecAdapter;
import dev.plumbline.protocol.SeededBug;
import dev.plumbline.protocol.Settings;
import dev.plumbline.tlc.InputError;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;

/** How {@code TwoPhaseAnticipation} reads in the terms of DAST's nodes and managers. */
final class TwoPhaseAnticipationBinding extends Binding {
  static final String PREFIX = "TwoPhaseAnticipation.";
  static final String READ = "StretchableClock.CreateTs";
  static final String CALIBRATED = "StretchableClock.Calibrate";

  /** Transactions that wait to be forgotten together. */
  static final int ROUND = 4;

  private static final Sort PROCESS = DastReading.PROCESS;
  static final Sort TIME = DastReading.TIME;
  static final Sort TXN = Sort.own("transaction", null);

  /** Actions that take a message out of {@code msgs}, with its type. */
  static final Map<String, String> TAKEN =
      Map.of(
          "CommitIrt", "ack",
          "CommitCrt", "vote",
          "Reply", "result",
          "Anticipate", "prep-remote",
          "HandlePrepare", "prepare",
          "HandleCommit", "commit",
          "HandlePrepCrt", "prep-crt",
          "HandleCommitCrt", "commit-remote",
          "HandleOutput", "output");

  /** Messages that only their coordinator's decision needs. */
  static final Set<String> COLLECTED = Set.of("ack", "vote", "result");

  /** Actions that look at the clock without reading it. */
  static final Set<String> FOLLOWING =
      Set.of("Hear", "HandlePrepare", "HandleCommit", "HandlePrepCrt");

  static final Pattern KEBAB = Pattern.compile("(?<=.)(?=[A-Z])");
  static final Map<String, Object> NO_MESSAGE =
      Map.of("no", 0, "shard", "", "val", 0, "wrote", false);

  final Layout layout;

  TwoPhaseAnticipationBinding(Settings settings) {
    super("TwoPhaseAnticipation", "specs/dast", settings);
    layout = new DastSystem().layout(settings);
    names(PROCESS, "n", "x", "m", "src", "dst", "from");
    names(Shape.set(PROCESS), "votes");
    names(TXN, "t");
    names(TIME, "ts", "at", "now", "last", "max");
    names(Shape.set(Shape.tuple(TXN, PROCESS, TIME)), "told", "holds");
    names(Shape.set(Shape.tuple(TXN, Shape.PLAIN)), "input");
    names(Shape.set(Shape.tuple(Shape.PLAIN)), "reads");
    names(Shape.set(Shape.PLAIN), "writes");
    names(Shape.set(TXN), "after");
    shown("at");
    handles(
        "Hear", "HandlePrepCrt", "HandleCommitCrt", "HandlePrepare", "HandleCommit", "Anticipate");
    argument("from", e -> e.sender().orElse(null));
    before(PREFIX + "CoordIrt", "Enlist");
    before(PREFIX + "CoordCrt", "Enlist");
    also(READ, "", "TraceRead");
    also(PREFIX + "CommitCrt", "CommitCrtAt", "TraceCommitCrt");
    constant("Majority", layout.replicas(layout.shardOf(firstNode(layout))).size() / 2 + 1);
    constant("Times", "{}");
    constant("Rtts", "{}");
    constant("Clocks", "\"sent\"");
    demand("Channels", "\"any\"");
    demand("Timely", "FALSE");
    demand("NoteKey", "\"now\"");
    demand("Notify", "\"always\"");
    always("FreezeTime", "TieBreak");
    repair("Follow", DastConfig.STRETCHED_STAYS);
    repair("Vote", DastConfig.LATE_PREPARE);
    repair("Apart", DastConfig.EQUAL_TIMES);
    repair("Climb", DastConfig.STRETCHED_LOW);
    corpora("copies", "notified", "sent");
    // Clients may ask again, answers may be incomplete, and clocks may not be far enough.
    probes(
        Set.of("clocks", "msgs"), Set.of("CoordIrt", "CoordCrt", "CommitIrt", "Execute", "Reply"));
    given("handled", "exists only with channels in order, which machines do not have");
    ghost("input", "only where the transaction is executed: machines keep no inputs then");
    ghost("told", "nid and frac of its timestamps: machines keep the time a clock stays below");
    ghost("txn.after", "which ends clients had heard of; no machine tells clients apart");
    readBy((log, room) -> new TwoPhaseAnticipationReading(this, log, room));
  }

  private static String firstNode(Layout layout) {
    return layout.nodes(layout.region(layout.managers().get(0))).get(0);
  }

  @Override
  protected SpecAdapter world(Constants model, Optional<SeededBug> bug) {
    ModelLayout deployed = ModelLayout.of(defined(model, "Region"), defined(model, "Replicas"));
    List<ModelPlan> plans = new ArrayList<>();
    defined(model, "Plan").forEach(plan -> plans.add(ModelPlan.of(plan)));
    if (model.repaired("Apart")) {
      throw new InputError(
          "", 0, "with Apart a model's commit times are free", "waive it in coverage.yaml");
    }
    int majority = model.number("Majority");
    for (String shard : plans.stream().flatMap(p -> p.shards().stream()).toList()) {
      int replicas = deployed.replicas(shard).size();
      if (majority != replicas / 2 + 1 || majority != replicas) {
        throw new InputError(
            "",
            0,
            "no machines commit with any " + majority + " or more of " + replicas + " replicas",
            "use a majority that is all, or waive the model in coverage.yaml");
      }
    }
    return new TwoPhaseAnticipationWorld(this, model, deployed, plans, bug);
  }
}
