package dev.plumbline.node.metric;

import dev.plumbline.node.NodeConfig;
import dev.plumbline.node.Outside;
import dev.plumbline.sim.metric.MetricSystem;
import java.io.IOException;

/** Cassandra, in place of the lock service and the replicas. */
public final class CassandraProvider implements Outside.Provider {
  private static final MetricSystem SYSTEM = new MetricSystem();

  @Override
  public String protocol() {
    return SYSTEM.name();
  }

  @Override
  public Outside open(NodeConfig config, Outside.Answers answers) throws IOException {
    if (config.cassandra() == null) {
      throw new IOException(
          config.node()
              + ": with the parameter cassandra=1 the store is a Cassandra, and none is named"
              + "\n  remedy: give the key cassandra; ./plumb cluster up metric does with --store"
              + " cassandra");
    }
    return CassandraEntries.open(
        config.cassandra(), config.node(), SYSTEM.config(config.settings()), answers);
  }
}
