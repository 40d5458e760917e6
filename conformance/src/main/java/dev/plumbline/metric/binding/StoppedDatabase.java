package dev.plumbline.metric.binding;

import dev.plumbline.machine.Effects;
import dev.plumbline.metric.LocalDatabase;
import dev.plumbline.metric.MemoryDatabase;
import dev.plumbline.metric.Position;
import dev.plumbline.metric.Redo;
import dev.plumbline.metric.RequestId;
import dev.plumbline.metric.Statement;
import dev.plumbline.metric.Uuid;
import java.util.List;
import java.util.Optional;

/** A local database that outlives its process, and may refuse. */
final class StoppedDatabase implements LocalDatabase {
  final MemoryDatabase real = new MemoryDatabase();
  boolean refuses;

  @Override
  public void begin() {
    real.begin();
  }

  @Override
  public List<Long> execute(Statement statement) {
    return real.execute(statement);
  }

  @Override
  public boolean modified() {
    return real.modified();
  }

  @Override
  public void rollback() {
    real.rollback();
  }

  @Override
  public void commit(RequestId id, List<List<Long>> results, List<Long> place, Effects effects) {
    if (refuses) {
      throw new Unavailable("the database refuses to commit");
    }
    real.commit(id, results, place, effects);
  }

  @Override
  public List<Redo> queue() {
    if (refuses) {
      throw new Unavailable("the database does not answer");
    }
    return real.queue();
  }

  @Override
  public void clear(Uuid entry, int length, Effects effects) {
    real.clear(entry, length, effects);
  }

  @Override
  public void discard(long epoch, Effects effects) {
    real.discard(epoch, effects);
  }

  @Override
  public Optional<Position> position(String table) {
    return real.position(table);
  }

  @Override
  public void populate(String table, boolean anew, List<Redo> redo, Position at, Effects effects) {
    real.populate(table, anew, redo, at, effects);
  }

  @Override
  public Optional<Redo> answered(RequestId id) {
    return real.answered(id);
  }

  @Override
  public RequestId writer(String table) {
    return real.writer(table);
  }
}
