package dev.plumbline.metric;

import java.util.List;

/** What service replicas ask of a Metric process. */
public sealed interface MetricRequest {

  /** A transaction, whole. Whoever sends it again gives it the same name. */
  record Transact(RequestId id, List<Query> queries) implements MetricRequest {

    public Transact {
      queries = List.copyOf(queries);
    }
  }
}
