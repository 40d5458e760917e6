package dev.plumbline.metric.sql.local;

import net.jqwik.api.lifecycle.LifecycleContext;
import net.jqwik.api.lifecycle.SkipExecutionHook;

/** Skips the properties of a class, with the reason, where no embedded PostgreSQL starts. */
public final class WherePostgresRuns implements SkipExecutionHook {
  @Override
  public SkipResult shouldBeSkipped(LifecycleContext context) {
    String missing = TestPostgres.missing();
    return missing.isEmpty() ? SkipResult.doNotSkip() : SkipResult.skip(missing);
  }
}
