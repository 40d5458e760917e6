package dev.plumbline.history;

import java.util.ArrayList;
import java.util.List;

/** An invocation with its completion. */
public record ObservedTransaction(Op invoke, Op completion) {

  /** What was done: results where it ended well, else what was asked for. */
  public List<ObservedMicroOp> value() {
    return completion.value().isEmpty() ? invoke.value() : completion.value();
  }

  public boolean ok() {
    return completion.type() == Op.Type.OK;
  }

  public boolean failed() {
    return completion.type() == Op.Type.FAIL;
  }

  public boolean unknown() {
    return completion.type() == Op.Type.INFO;
  }

  public boolean readOnly() {
    return value().stream().allMatch(ObservedMicroOp.Read.class::isInstance);
  }

  public ReadMode read() {
    return completion.read() != null ? completion.read() : invoke.read();
  }

  public boolean snapshot() {
    return read() == ReadMode.SNAPSHOT;
  }

  /** The timestamp that a snapshot read asked for. */
  public ClaimedTimestamp at() {
    return completion.at() != null ? completion.at() : invoke.at();
  }

  /** The claimed place in the serial order, or null. */
  public ClaimedTimestamp ts() {
    return completion.ts();
  }

  /** Whether this ended before the other began. */
  public boolean before(ObservedTransaction other) {
    return !unknown() && completion.index() < other.invoke.index();
  }

  /** The transactions of a well-formed history, by invocation. */
  public static List<ObservedTransaction> of(History history) {
    var open = new java.util.HashMap<Long, Integer>();
    var transactions = new ArrayList<ObservedTransaction>();
    for (Op op : history.ops()) {
      if (op.nemesis()) {
        continue;
      }
      if (op.type() == Op.Type.INVOKE) {
        open.put(op.process(), transactions.size());
        transactions.add(new ObservedTransaction(op, null));
      } else {
        int at = open.remove(op.process());
        transactions.set(at, new ObservedTransaction(transactions.get(at).invoke(), op));
      }
    }
    return transactions;
  }
}
