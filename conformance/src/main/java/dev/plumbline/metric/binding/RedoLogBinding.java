package dev.plumbline.metric.binding;

import dev.plumbline.bind.BothWays;
import dev.plumbline.bind.Shape;
import dev.plumbline.bind.Sort;
import dev.plumbline.bind.World;
import dev.plumbline.graph.Constants;
import dev.plumbline.graph.SpecAdapter;
import dev.plumbline.metric.MetricConfig;
import dev.plumbline.protocol.SeededBug;
import dev.plumbline.protocol.Settings;
import dev.plumbline.tlc.Term;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SortedSet;

/** How {@code RedoLog} reads in the terms of Metric processes and their databases. */
final class RedoLogBinding extends MetricModule {
  static final Sort REQUEST = Sort.listed("request", null);
  static final Set<String> OUTCOMES = Set.of("records", "read");

  RedoLogBinding(Settings settings) {
    super("RedoLog", settings);
    names(REQUEST, "req");
    names(Shape.set(Shape.PLAIN), "owned");
    begins(
        "timer",
        "ReceiveCall",
        "Own",
        "Populate",
        "AnswerFromLog",
        "LocalCommit",
        "SendAppend",
        "ClearLocalQueue",
        "ReplyOk",
        "ReleaseOwnership");
    begins("request", "SendAppend", "ReplyOk");
    begins("", "AppendDone", "CheckRead");
    begins("store", "AppendDone", "CheckRead");
    before("RedoLog.ReceiveCall", "Arrives");
    before("RedoLog.Own", "Take");
    after("RedoLog.Own", "Trim");
    before("RedoLog.Nack", "Lose");
    demand("TargetSet", "\"accessed\"");
    constant("Leftover", "\"append\"");
    constant("MaxAttempts", 1);
    repairs(
        MetricConfig.READ_CHECK,
        MetricConfig.REBUILD,
        MetricConfig.DISCARD,
        MetricConfig.DEDUPE,
        MetricConfig.UNKNOWN,
        MetricConfig.UNBROKEN);
    forgotten("replies", Term.set(List.of()));
    corpora("retry");
    given("calls", "what is on its way to a process; no machine keeps it");
    given("client", "what service replicas know; no machine keeps it");
    readBy((log, room) -> new RedoLogReading(this, log, room));
  }

  @Override
  protected SpecAdapter world(Constants model, Optional<SeededBug> bug) {
    SortedSet<String> behaviours = asPublished(model);
    if (model.text().get("Leftover").equals("\"discard\"")) {
      behaviours.remove(MetricConfig.DISCARD);
    }
    World whole = new RedoLogWorld(this, model, behaviours, false, bug);
    return led(model, behaviours)
        ? new BothWays("whole", whole, "led", new RedoLogWorld(this, model, behaviours, true, bug))
        : whole;
  }

  /**
   * Whether sites may lead the transactions of a model: they send none twice, keep nothing of one
   * that failed, and read tables anew.
   */
  private static boolean led(Constants model, SortedSet<String> behaviours) {
    return model.number("MaxAttempts") == 1
        && !behaviours.contains(MetricConfig.DISCARD)
        && !behaviours.contains(MetricConfig.REBUILD);
  }
}
