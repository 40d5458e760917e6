package dev.plumbline.metric.binding;

import dev.plumbline.bind.BothWays;
import dev.plumbline.bind.Shape;
import dev.plumbline.bind.Sort;
import dev.plumbline.bind.World;
import dev.plumbline.graph.Constants;
import dev.plumbline.graph.SpecAdapter;
import dev.plumbline.metric.MetricConfig;
import dev.plumbline.metric.Uuid;
import dev.plumbline.protocol.SeededBug;
import dev.plumbline.protocol.Settings;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SortedSet;
import java.util.regex.Pattern;

/** How {@code Ownership} reads in the terms of Metric processes. An entry is its UUID. */
final class OwnershipBinding extends MetricModule {
  /** What a site's clock showed: in a log numbered in its order, so that TLC has the numbers. */
  static final Sort TIME = Sort.own("time", null);

  /** Events that show nothing. */
  static final Set<String> STATELESS = Set.of("Ownership.BeginTxn", "Ownership.CommitPut");

  static final Pattern ENTRY_KEY =
      Pattern.compile(MetricConfig.entryKey(new Uuid(0, 0)).replace("0.0", "(-?\\d+)\\.(-?\\d+)"));

  private static final Shape ENTRY = Shape.tuple(TIME, Shape.PLAIN);

  OwnershipBinding(Settings settings) {
    super("Ownership", settings);
    names(TIME, "t", "clock");
    names(ENTRY, "mine", "found", "e", "entry");
    names(Shape.set(ENTRY), "held");
    names(Shape.function(ENTRY), "via");
    names(Shape.function(Shape.PLAIN), "keys");
    names(Shape.set(Shape.PLAIN), "want", "fresh");
    shown("mine", "found", "held", "via", "keys");
    argument("t", e -> e.state().containsKey("mine") ? e.state().get("mine").get(0) : null);
    argument("T", e -> e.state().get("table"));
    also("RedoLog.Nack", "", "GiveUp");
    also("RedoLog.AnswerFromLog", "", "Answered");
    begins(
        "timer",
        "BeginTxn",
        "StartQuery",
        "CreateEntry",
        "NextTable",
        "AddTable",
        "PointDirectory",
        "OwnDone",
        "Populate",
        "ExecuteQuery",
        "LockFound",
        "ReleaseOwnership");
    begins("request", "StartQuery", "ExecuteQuery");
    for (String answer : List.of("", "store")) {
      begins(answer, "LockNew", "LockDirectory", "LockFound", "AddDone", "PointDone", "CommitPut");
    }
    before("Ownership.BeginTxn", "Arrives");
    after("Ownership.BeginTxn", "Trim");
    before("Ownership.LockDirectory", "TakeDirectory");
    before("Ownership.LockFound", "TakeEntry");
    before("Ownership.Rejected", "Lose");
    constant("Times", "{0}");
    constant("Clocks", "\"free\"");
    demand("Across", "\"release\"");
    always("directory", "previous", "locksFirst");
    repairs(MetricConfig.HOLD, MetricConfig.UNBROKEN, MetricConfig.SINGLE);
    corpora("failures", "apart");
    given("clock", "what the machines are given");
    given("hist", "what clients asked, and were told of what they read");
    given("id", "which of them a client tries, also after a nack; no machine keeps it");
    given("next", "which of its transactions a client is at; no machine keeps it");
    readBy((log, room) -> new OwnershipReading(this, log, room));
  }

  @Override
  protected SpecAdapter world(Constants model, Optional<SeededBug> bug) {
    SortedSet<String> behaviours = asPublished(model);
    World whole = new OwnershipWorld(this, model, behaviours, false, bug);
    return behaviours.isEmpty()
        ? new BothWays(
            "whole", whole, "led", new OwnershipWorld(this, model, behaviours, true, bug))
        : whole;
  }
}
