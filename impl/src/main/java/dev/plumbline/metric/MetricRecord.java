package dev.plumbline.metric;

import java.util.List;

/** What the machines keep on disk: what happened to them, in order. */
public final class MetricRecord {
  private MetricRecord() {}

  /** The lock service gave a lock. */
  public record Locked(String key, long reference, String client, long request) {}

  /** A lock is free; {@code forced} as in {@link MetricMessage.Granted}. */
  public record Freed(String key, boolean forced) {}

  /** A replica stored a write, and refuses smaller references from then on. */
  public record Wrote(String key, Stamp stamp, Value value, long promised) {}

  /** A replica promised to refuse smaller references. */
  public record Promised(String key, long reference) {}

  /** A process made the name of an entry. */
  public record Made(Uuid entry) {}

  /** The local database committed; its triggers' rows are in the local tx-queue. */
  public record Committed(Redo redo) {}

  /**
   * The local tx-queue is empty; what was in it stands in an entry, which has this many records.
   */
  public record Cleared(Uuid entry, int length) {}

  /** The local tx-queue is empty; what was in it stands nowhere else. */
  public record Discarded(long epoch) {}

  /**
   * A table has what the redo log has.
   *
   * @param anew whether what it had before is gone
   * @param entry the last that was read, with its first {@code length} records
   */
  public record Populated(String table, boolean anew, List<Redo> redo, Uuid entry, int length) {

    public Populated {
      redo = List.copyOf(redo);
    }
  }
}
