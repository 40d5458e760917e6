package dev.plumbline.metric.binding;

import dev.plumbline.bind.Binding;
import dev.plumbline.graph.Constants;
import dev.plumbline.graph.SpecAdapter;
import dev.plumbline.metric.MetricConfig;
import dev.plumbline.metric.system.MetricSystem;
import dev.plumbline.protocol.SeededBug;
import dev.plumbline.protocol.Settings;
import dev.plumbline.tlc.Term;
import dev.plumbline.trace.TraceEvent;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/**
 * How {@code EntryConsistency} reads in the terms of the lock service, the replicas and the store's
 * client. It has one key; of a log, each key is a part, tables' and redo-log entries'. The module
 * has one operation a client: where one goes on under a reference after it was granted the next, it
 * is two clients that take turns. Left out are keys where one goes on after it was granted two
 * more, and those beyond the {@link #MOST} of each kind that the log has most of.
 */
final class EntryConsistencyBinding extends Binding {
  static final String PREFIX = "EntryConsistency.";

  /** How many keys of a kind are read at most. */
  static final int MOST = 1_000;

  static final String REPLICA = "store-replica";

  EntryConsistencyBinding(Settings settings) {
    super("EntryConsistency", "specs/metric", settings);
    constant("Times", "{0}");
    before(PREFIX + "AcquireLock", "BeforeGrant");
    after(PREFIX + "AcquireLock", "Trim");
    always(MetricConfig.REF_STAMP);
    repairs(MetricConfig.SYNC, MetricConfig.FENCE);
    forgotten("hist", Term.sequence(List.of()));
    handles(
        "ReleaseLock",
        "ReadReply",
        "StoreWrite",
        "FinishGet",
        "FinishPut",
        "SyncWriteBack",
        "FinishSync",
        "Reject");
    begins("", "AcquireLock", "ForcedRelease", "StartGet");
    begins("timer", "AcquireLock", "ForcedRelease", "StartGet", "StartPut");
    begins("request", "StartGet", "StartPut");
    self("r");
    self(
        "c",
        "GiveUp",
        "Reject",
        "StartGet",
        "StartPut",
        "FinishGet",
        "FinishPut",
        "SyncWriteBack",
        "FinishSync");
    from(e -> Set.of(e.arg("c").asText()), "ReadReply", "ReleaseLock", "ForcedRelease");
    from(e -> heard(e), "FinishGet", "SyncWriteBack");
    Set<String> all = new TreeSet<>(new MetricSystem().topology(settings).rolesOf(REPLICA));
    from(e -> all, "FinishPut", "FinishSync");
    corpora("quorum");
    probes(Set.of(), Set.of("StoreWrite", "ReadReply"));
    ghost("hist", "what clients asked and were told; no machine keeps it");
    ghost("writes", "what was sent; no machine keeps it");
    given("clock", "no clock is read where lock references order writes");
    readBy((log, room) -> new EntryConsistencyReading(this, log, room));
  }

  /** The replicas that a client says it heard from. */
  private static Set<String> heard(TraceEvent e) {
    Set<String> all = new TreeSet<>();
    e.arg("from").forEach(r -> all.add(r.asText()));
    return all;
  }

  @Override
  protected SpecAdapter world(Constants model, Optional<SeededBug> bug) {
    return new EntryConsistencyWorld(this, asPublished(model), bug);
  }
}
