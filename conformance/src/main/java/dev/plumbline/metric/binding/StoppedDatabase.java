package dev.plumbline.metric.binding;

import dev.plumbline.machine.Effects;
import dev.plumbline.metric.MemoryDatabase;
import dev.plumbline.metric.Redo;
import dev.plumbline.metric.RequestId;
import java.util.List;

/** A local database that outlives its process, and may refuse. */
final class StoppedDatabase extends MemoryDatabase {
  boolean refuses;

  @Override
  public void commit(RequestId id, List<List<Long>> results, List<Long> place, Effects effects) {
    if (refuses) {
      throw new Unavailable("the database refuses to commit");
    }
    super.commit(id, results, place, effects);
  }

  @Override
  public List<Redo> queue() {
    if (refuses) {
      throw new Unavailable("the database does not answer");
    }
    return super.queue();
  }
}
