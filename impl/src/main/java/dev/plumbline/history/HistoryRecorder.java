package dev.plumbline.history;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/**
 * Writes down what clients do, in the order of the calls. Not thread-safe.
 *
 * <p>A process has one transaction open at a time. After {@link #info} the process is spent: the
 * client goes on under a new number.
 */
public final class HistoryRecorder {
  private final Consumer<Op> sink;
  private final List<Op> kept;
  private final Map<Long, Op> open = new HashMap<>();
  private long next;

  /** Keeps the history in memory, for {@link #history}. */
  public HistoryRecorder() {
    kept = new ArrayList<>();
    sink = kept::add;
  }

  /** Hands every operation on, for example to a {@link HistoryFiles.Writer}, and keeps none. */
  public HistoryRecorder(Consumer<Op> sink) {
    kept = null;
    this.sink = sink;
  }

  /** A client starts a transaction. Reads carry a null result. */
  public void invoke(long process, long timeNanos, List<ObservedMicroOp> value) {
    invoke(process, timeNanos, value, null);
  }

  /** A client asks for an operation; {@code visit} is null where there are no sessions. */
  public void invoke(long process, long timeNanos, List<ObservedMicroOp> value, Visit visit) {
    start(process, timeNanos, value, null, null, visit);
  }

  /** A client starts a linearizable read at a replica. */
  public void invokeLinearizableRead(long process, long timeNanos, List<ObservedMicroOp> value) {
    start(process, timeNanos, value, ReadMode.LINEARIZABLE, null, null);
  }

  /** A client starts a read of the state as of {@code at}. */
  public void invokeSnapshotRead(
      long process, long timeNanos, List<ObservedMicroOp> value, ClaimedTimestamp at) {
    start(process, timeNanos, value, ReadMode.SNAPSHOT, at, null);
  }

  /**
   * The transaction took effect.
   *
   * @param value the invocation's micro-operations with the reads answered
   * @param ts its place in the serial order; null for snapshot reads
   */
  public void ok(long process, long timeNanos, List<ObservedMicroOp> value, ClaimedTimestamp ts) {
    end(process, timeNanos, Op.Type.OK, value, ts, null);
  }

  /** The transaction certainly had no effect. */
  public void fail(long process, long timeNanos, String error) {
    end(process, timeNanos, Op.Type.FAIL, null, null, error);
  }

  /**
   * Nobody knows whether the transaction took effect.
   *
   * @param ts its place in the serial order, should it have taken effect; null if not known
   */
  public void info(long process, long timeNanos, ClaimedTimestamp ts, String error) {
    end(process, timeNanos, Op.Type.INFO, null, ts, error);
  }

  /**
   * As {@link #info(long, long, ClaimedTimestamp, String)}, with micro-operations that the client
   * had computed by then.
   */
  public void info(
      long process,
      long timeNanos,
      List<ObservedMicroOp> value,
      ClaimedTimestamp ts,
      String error) {
    end(process, timeNanos, Op.Type.INFO, value, ts, error);
  }

  /** The processes that have a transaction open, in ascending order: end them with info. */
  public List<Long> open() {
    return open.keySet().stream().sorted().toList();
  }

  /** What was recorded. */
  public History history() {
    if (kept == null) {
      throw new IllegalStateException("this recorder hands its operations on and keeps none");
    }
    return History.of(kept);
  }

  private void start(
      long process,
      long time,
      List<ObservedMicroOp> value,
      ReadMode read,
      ClaimedTimestamp at,
      Visit visit) {
    String f =
        visit == null ? "txn" : value.get(0) instanceof ObservedMicroOp.Read ? "read" : "write";
    var op = new Op(next++, Op.Type.INVOKE, process, time, f, value, null, read, at, null, visit);
    if (open.put(process, op) != null) {
      throw new IllegalStateException("process " + process + " already has a transaction open");
    }
    sink.accept(op);
  }

  private void end(
      long process,
      long time,
      Op.Type type,
      List<ObservedMicroOp> value,
      ClaimedTimestamp ts,
      String error) {
    Op start = open.remove(process);
    if (start == null) {
      throw new IllegalStateException("process " + process + " has no transaction open");
    }
    List<ObservedMicroOp> done = value == null ? start.value() : value;
    sink.accept(
        new Op(
            next++,
            type,
            process,
            time,
            start.f(),
            done,
            ts,
            start.read(),
            start.at(),
            error,
            start.visit()));
  }
}
