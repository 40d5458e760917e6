package dev.plumbline.metricconf;

import dev.plumbline.bind.BoundProtocol;
import dev.plumbline.sim.Settings;
import dev.plumbline.sim.metric.MetricSystem;
import java.util.Optional;

/** Metric's side of conformance. */
public final class MetricConformance extends BoundProtocol {
  public MetricConformance() {
    super(new MetricSystem(), RedoLogBinding::new, EntryConsistencyBinding::new);
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
    }
    return module.equals("RedoLog") && system.severalQueries(settings)
        ? Optional.of("a transaction is one query there")
        : Optional.empty();
  }

  /** Its transactions are whole requests, which the process populates for and executes. */
  @Override
  public Optional<String> silentOverSql(String module) {
    return module.equals("RedoLog")
        ? Optional.of("sites lead their transactions query by query, on databases of their own")
        : Optional.empty();
  }
}
