package dev.plumbline.metric;

import dev.plumbline.machine.Effects;
import java.util.List;
import java.util.Optional;

/**
 * The SQL database of a site, as a Metric process uses it. What it keeps survives a crash of the
 * process, and its own: an open transaction does not. Whatever throws {@link Unavailable} has left
 * the database as it was; the process rolls back and returns a nack.
 */
public interface LocalDatabase {

  /** The database does not answer, or refuses. */
  final class Unavailable extends RuntimeException {
    private static final long serialVersionUID = 1L;

    public Unavailable(String why) {
      super(why);
    }
  }

  /** The database does not take a statement; its transaction has no effect, wherever it runs. */
  final class Refused extends RuntimeException {
    private static final long serialVersionUID = 1L;

    public Refused(String why) {
      super(why);
    }
  }

  /** Opens a transaction. */
  void begin();

  /**
   * Runs a statement in the open transaction; returns the row after it.
   *
   * @throws Refused if it does not suit what is there
   */
  List<Long> execute(Statement statement);

  /** Whether the open transaction has modified anything. */
  boolean modified();

  /** Ends the open transaction, if there is one, without effect. */
  void rollback();

  /**
   * Commits the open transaction; the rows that it modified are in the local tx-queue with it.
   *
   * @param id whose it is, with what was answered and its place
   */
  void commit(RequestId id, List<List<Long>> results, List<Long> place, Effects effects);

  /** The local tx-queue: what was committed here and is not known to be in the redo log. */
  List<Redo> queue();

  /** All of the local tx-queue stands in an entry, which has this many records now. */
  void clear(Uuid entry, int length, Effects effects);

  /** Empties the local tx-queue: its tables differ from the redo log from now on. */
  void discard(long epoch, Effects effects);

  /** How far a table has the redo log; empty if it has anything else. */
  Optional<Position> position(String table);

  /**
   * Brings a table up to the redo log.
   *
   * @param anew whether what the table has is to be replaced
   * @param redo what it lacks, oldest first; changes of other tables are left out
   * @param at how far it has the log then
   */
  void populate(String table, boolean anew, List<Redo> redo, Position at, Effects effects);

  /** What a request left in the redo log, as far as this database has it. */
  Optional<Redo> answered(RequestId id);

  /** The request that a table's newest record came from. */
  RequestId writer(String table);
}
