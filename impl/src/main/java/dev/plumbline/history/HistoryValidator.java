package dev.plumbline.history;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;

/**
 * Refuses histories that no checker may be asked about, because their verdict would mean nothing.
 *
 * <p>Indices rise, times do not fall, a process has one transaction open at a time and every
 * invocation is completed once, a process is spent after {@code info}, a completion has the
 * micro-operations of its invocation, reads are answered only by {@code ok}, a value is appended
 * (or written) to a key at most once, keys are of one type, nothing is read that nobody wrote, a
 * session does one operation at a time, and either all operations name a session or none.
 */
public final class HistoryValidator {
  private static final int MAX_PROBLEMS = 20;

  private final History history;
  private final DataModel workload;
  private final List<String> problems = new ArrayList<>();
  private final Map<Long, Integer> open = new HashMap<>();
  private final Map<String, Long> busy = new HashMap<>();
  private final Set<Long> spent = new HashSet<>();
  private final Map<Object, Map<Long, Integer>> writes = new HashMap<>();
  private final Set<Object> unknownWrites = new HashSet<>();
  private Integer first;
  private Class<?> keyType;
  private int timestampLength;

  private HistoryValidator(History history, DataModel workload) {
    this.history = history;
    this.workload = workload;
  }

  /**
   * Checks a history.
   *
   * @throws HistoryException with the problems, at most 20, each with its file and line
   */
  public static void validate(History history, DataModel workload) throws HistoryException {
    var validator = new HistoryValidator(history, workload);
    validator.run();
    if (!validator.problems.isEmpty()) {
      throw new HistoryException(validator.problems);
    }
  }

  private void run() {
    long index = -1;
    long time = 0;
    for (int i = 0; i < history.ops().size() && problems.size() < MAX_PROBLEMS; i++) {
      Op op = history.ops().get(i);
      if (op.index() <= index) {
        problem(i, "index " + op.index() + " does not rise above " + index);
      }
      if (op.time() < time) {
        problem(i, "time " + op.time() + " lies before " + time);
      }
      index = Math.max(index, op.index());
      time = Math.max(time, op.time());
      if (!op.nemesis()) {
        client(i, op);
      }
    }
    open.forEach(
        (process, i) ->
            problem(
                i,
                "process "
                    + process
                    + " never completes this transaction; complete it with info if nobody knows"));
    for (int i = 0; i < history.ops().size() && problems.size() < MAX_PROBLEMS; i++) {
      if (history.ops().get(i).type() == Op.Type.OK && !history.ops().get(i).nemesis()) {
        reads(i, history.ops().get(i));
      }
    }
  }

  private void client(int i, Op op) {
    if (op.visit() != null) {
      visit(i, op);
    } else if (!op.f().equals("txn")) {
      problem(i, "f is " + op.f() + "; a client's operation must be txn");
    }
    if (first == null) {
      first = i;
    } else if (op.type() == Op.Type.INVOKE
        && (op.visit() == null) != (history.ops().get(first).visit() == null)) {
      problem(
          i,
          "operation %d names %s session, unlike the one at %s; give every client's operation a session, or none"
              .formatted(op.index(), op.visit() == null ? "no" : "a", history.where(first)));
    }
    if (op.value().isEmpty()) {
      problem(i, "the transaction has no micro-operations");
    }
    for (ObservedMicroOp micro : op.value()) {
      shape(i, op, micro);
    }
    timestamps(i, op);
    if (op.type() == Op.Type.INVOKE) {
      if (spent.contains(op.process())) {
        problem(i, "process " + op.process() + " goes on after info; a client needs a new process");
      }
      Integer earlier = open.putIfAbsent(op.process(), i);
      if (earlier != null) {
        problem(
            i,
            "process "
                + op.process()
                + " invokes while its transaction of "
                + history.where(earlier)
                + " is open");
      }
      op.value().forEach(micro -> written(i, i, micro));
    } else {
      Integer invoke = open.remove(op.process());
      if (invoke == null) {
        problem(i, "process " + op.process() + " has no transaction open to complete");
      } else {
        completion(i, op, invoke, history.ops().get(invoke));
      }
      if (op.type() == Op.Type.INFO) {
        spent.add(op.process());
      }
    }
  }

  /** A session does one operation at a time, a read or a write of one register. */
  private void visit(int i, Op op) {
    String f =
        op.value().isEmpty() || op.value().get(0) instanceof ObservedMicroOp.Read
            ? "read"
            : "write";
    boolean append = op.value().stream().anyMatch(ObservedMicroOp.Append.class::isInstance);
    if (op.value().size() != 1 || append || !op.f().equals(f)) {
      problem(i, "an operation of a session reads or writes one register, and f says which");
    }
    if (workload != DataModel.RW_REGISTER) {
      problem(i, "an operation of a session belongs in a history of workload rw-register");
    }
    if (op.visit().last() && !f.equals("read")) {
      problem(i, "only a read can be marked as the last");
    }
    if (op.type() == Op.Type.INVOKE) {
      Long other = busy.putIfAbsent(op.visit().session(), op.process());
      if (other != null) {
        problem(i, "session " + op.visit().session() + " has an operation open");
      }
    } else {
      busy.remove(op.visit().session(), op.process());
    }
  }

  private void shape(int i, Op op, ObservedMicroOp micro) {
    if (keyType == null) {
      keyType = micro.key().getClass();
    } else if (micro.key().getClass() != keyType) {
      problem(
          i,
          "key "
              + OpFields.edn(micro.key())
              + " is a "
              + typeName(micro.key().getClass())
              + " where earlier keys are "
              + typeName(keyType)
              + "s");
    }
    boolean append = micro instanceof ObservedMicroOp.Append;
    if (!(micro instanceof ObservedMicroOp.Read) && append != (workload == DataModel.LIST_APPEND)) {
      problem(
          i, OpFields.edn(micro) + " does not belong in a history of workload " + workload.word());
    }
    if (micro instanceof ObservedMicroOp.Write write
        && write.value() == null
        && (workload != DataModel.BANK || op.type() == Op.Type.OK)) {
      problem(
          i, OpFields.edn(micro) + " writes no value; only a bank's invocation may leave it open");
    }
    if (micro instanceof ObservedMicroOp.Read read && read.result() != null) {
      if (op.type() == Op.Type.INVOKE) {
        problem(i, OpFields.edn(micro) + ": an invocation's read has no result yet");
      }
      if (op.type() == Op.Type.INFO) {
        problem(
            i,
            OpFields.edn(micro)
                + ": nobody knows whether an info transaction took effect, so its reads stay open");
      }
      if (read.result() instanceof List != (workload == DataModel.LIST_APPEND)) {
        problem(
            i,
            OpFields.edn(micro)
                + " must return "
                + (workload == DataModel.LIST_APPEND ? "a list" : "one value")
                + " in a history of workload "
                + workload.word());
      }
    }
  }

  private static String typeName(Class<?> type) {
    return type == Long.class ? "integer" : type == String.class ? "string" : "keyword";
  }

  private void timestamps(int i, Op op) {
    for (ClaimedTimestamp timestamp : new ClaimedTimestamp[] {op.ts(), op.at()}) {
      if (timestamp != null) {
        int length = timestamp.parts().size();
        if (timestampLength == 0) {
          timestampLength = length;
        } else if (length != timestampLength) {
          problem(
              i,
              "timestamp "
                  + timestamp
                  + " has "
                  + length
                  + " parts where earlier ones have "
                  + timestampLength);
        }
      }
    }
    if (op.read() == ReadMode.SNAPSHOT && op.at() == null) {
      problem(i, "a snapshot read must say which timestamp it asked for (at)");
    }
    if (op.read() != ReadMode.SNAPSHOT && op.at() != null) {
      problem(i, "only a snapshot read asks for a timestamp (at)");
    }
    if (op.read() != null
        && !op.value().stream().allMatch(ObservedMicroOp.Read.class::isInstance)) {
      problem(i, "a " + op.read().word() + " read at a replica must not write");
    }
  }

  private void completion(int i, Op op, int at, Op invoke) {
    String of = " of its invocation at " + history.where(at);
    if (op.value().size() != invoke.value().size()) {
      problem(
          i,
          "has " + op.value().size() + " micro-operations, not the " + invoke.value().size() + of);
      return;
    }
    for (int m = 0; m < op.value().size(); m++) {
      ObservedMicroOp asked = invoke.value().get(m);
      ObservedMicroOp done = op.value().get(m);
      boolean filledIn =
          asked instanceof ObservedMicroOp.Write write
              && write.value() == null
              && done instanceof ObservedMicroOp.Write
              && done.key().equals(asked.key());
      boolean read =
          asked instanceof ObservedMicroOp.Read
              && done instanceof ObservedMicroOp.Read
              && done.key().equals(asked.key());
      if (!read && !filledIn && !done.equals(asked)) {
        problem(i, OpFields.edn(done) + " is not " + OpFields.edn(asked) + of);
      }
      if (filledIn) {
        written(i, at, done);
      }
    }
    if (!Objects.equals(op.visit(), invoke.visit())) {
      problem(i, "session, node, asks or last is not that" + of);
    }
    if (op.read() != invoke.read() || (op.at() != null && !op.at().equals(invoke.at()))) {
      problem(i, "read mode or timestamp asked for (read, at) is not that" + of);
    }
  }

  /** Notes what a transaction writes; {@code transaction} is the position of its invocation. */
  private void written(int i, int transaction, ObservedMicroOp micro) {
    Long value = null;
    if (micro instanceof ObservedMicroOp.Append append) {
      value = append.value();
    } else if (micro instanceof ObservedMicroOp.Write write) {
      value = write.value();
      if (value == null) {
        unknownWrites.add(write.key());
        return;
      }
    } else {
      return;
    }
    Integer earlier =
        writes.computeIfAbsent(micro.key(), key -> new HashMap<>()).putIfAbsent(value, transaction);
    if (earlier != null && workload != DataModel.BANK) {
      problem(
          i,
          OpFields.edn(micro)
              + " was already written at "
              + history.where(earlier)
              + "; values must be unique for each key");
    }
  }

  private void reads(int i, Op op) {
    for (ObservedMicroOp micro : op.value()) {
      if (micro instanceof ObservedMicroOp.Read read && read.result() != null) {
        List<Long> values = read.result() instanceof Long single ? List.of(single) : read.list();
        Map<Long, Integer> known = writes.getOrDefault(read.key(), Map.of());
        for (Long value : values) {
          boolean couldBe = workload == DataModel.BANK && unknownWrites.contains(read.key());
          if (!known.containsKey(value) && !couldBe) {
            problem(i, OpFields.edn(micro) + " shows " + value + ", which nobody wrote");
          }
        }
      }
    }
  }

  private void problem(int i, String text) {
    if (problems.size() < MAX_PROBLEMS) {
      problems.add(history.where(i) + ": " + text);
    }
  }
}
