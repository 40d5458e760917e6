package dev.plumbline.node;

import java.io.IOException;
import java.util.List;

/**
 * Where a durable log lies. Calls come in this order: {@link #look} once, {@link #take} once, then
 * {@link #write} and {@link #sync}.
 */
interface LogStore extends AutoCloseable {
  /**
   * What an earlier opening left.
   *
   * @param epoch the highest that was taken, 0 if none was
   * @param trace of the last step that persisted something; empty if there was none
   */
  record Found(long epoch, String trace) {}

  /** Gets the records of earlier openings, in the order of their numbers. */
  interface Sink {
    void record(long number, byte[] value) throws LostLog;
  }

  /**
   * Reads all that there is, and changes nothing.
   *
   * @param expected whether there has to be something
   * @throws LostLog if what there is cannot be all
   */
  Found look(boolean expected, Sink sink) throws IOException;

  /**
   * Takes an epoch, durably. From now on nobody who took a lower one can append anything.
   *
   * @param records how many there were to see
   * @throws IOException if another process has the log, or had it since {@link #look}
   */
  void take(long epoch, long records) throws IOException;

  /** Adds a step's records, the first of which has this number; lost unless it is synced. */
  void write(long first, List<byte[]> records, byte[] trace) throws IOException;

  /**
   * Makes durable what was written, all of it or nothing.
   *
   * @throws IOException if that cannot be, or is not known, or a higher epoch was taken
   */
  void sync() throws IOException;

  /** What tells that this store lost something. */
  LostLog lost(String what, Throwable cause);

  @Override
  void close();
}
