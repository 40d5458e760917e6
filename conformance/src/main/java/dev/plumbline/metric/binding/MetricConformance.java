package dev.plumbline.metric.binding;

import dev.plumbline.bind.BoundProtocol;
import dev.plumbline.graph.LoggedTransactions;
import dev.plumbline.metric.MetricConfig;
import dev.plumbline.metric.system.MetricSystem;
import dev.plumbline.protocol.Settings;
import dev.plumbline.trace.TraceEvent;
import java.util.List;
import java.util.Optional;

/** Metric's side of conformance. */
public final class MetricConformance extends BoundProtocol {
  public MetricConformance() {
    super(
        new MetricSystem(),
        RedoLogBinding::new,
        EntryConsistencyBinding::new,
        OwnershipBinding::new);
  }

  @Override
  public LoggedTransactions transactions(List<TraceEvent> log) {
    return new MetricTransactions(log);
  }

  /** A run costs some three seconds, logs read and judged. */
  @Override
  public int quickSeeds() {
    return 6;
  }

  @Override
  public Optional<String> silent(String module, Settings settings) {
    MetricSystem system = new MetricSystem();
    if (module.equals("EntryConsistency") && system.outside(settings)) {
      return Optional.of("what Cassandra does inside is in no log");
    } else if (module.equals("RedoLog")
        && system.severalQueries(settings)
        && !system.led(settings)) {
      return Optional.of("a transaction is one query there");
    } else if (module.equals("Ownership")
        && settings.asPublished().contains(MetricConfig.READ_CHECK)) {
      return Optional.of("a transaction ends with a critical operation there");
    }
    return Optional.empty();
  }
}
