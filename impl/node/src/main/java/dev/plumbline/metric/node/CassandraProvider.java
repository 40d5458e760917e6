package dev.plumbline.metric.node;

import dev.plumbline.metric.MetricConfig;
import dev.plumbline.metric.system.MetricSystem;
import dev.plumbline.node.NodeConfig;
import dev.plumbline.node.Outside;
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
    MetricConfig metric = SYSTEM.config(config.settings());
    AwaitedStore.Opening opening =
        () -> CassandraEntries.open(config.cassandra(), config.node(), metric, answers);
    return config.cassandra().near() == null
        ? opening.open()
        : AwaitedStore.of(config.node(), opening);
  }
}
