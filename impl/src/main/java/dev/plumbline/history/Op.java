package dev.plumbline.history;

import java.util.List;
import java.util.Locale;

/**
 * One line of a history.
 *
 * @param index place in the history, from 0
 * @param type whether the transaction starts or how it ended
 * @param process the client; {@link #NEMESIS} for the fault injector, whose lines are not judged
 * @param time nanoseconds since the start
 * @param f the kind of operation, {@code txn} for every client
 * @param value the transaction's micro-operations in order; empty for the fault injector
 * @param ts the transaction's place in the claimed serial order, or null
 * @param read how a read at a replica is judged, or null for an ordinary transaction
 * @param at the timestamp that a snapshot read asked for, else null
 * @param error why it failed or is unknown, or null
 * @param visit for a store with session guarantees, who asked where; else null
 */
public record Op(
    long index,
    Type type,
    long process,
    long time,
    String f,
    List<ObservedMicroOp> value,
    ClaimedTimestamp ts,
    ReadMode read,
    ClaimedTimestamp at,
    String error,
    Visit visit) {

  /** An operation of a store without sessions. */
  public Op(
      long index,
      Type type,
      long process,
      long time,
      String f,
      List<ObservedMicroOp> value,
      ClaimedTimestamp ts,
      ReadMode read,
      ClaimedTimestamp at,
      String error) {
    this(index, type, process, time, f, value, ts, read, at, error, null);
  }

  /** The process number that stands for Jepsen's {@code :nemesis}. */
  public static final long NEMESIS = -1;

  /** How a line begins or ends a transaction. */
  public enum Type {
    INVOKE,
    OK,
    FAIL,
    INFO;

    /** The name used in histories. */
    public String word() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  public Op {
    value = List.copyOf(value);
  }

  public boolean nemesis() {
    return process == NEMESIS;
  }
}
