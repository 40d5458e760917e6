package dev.plumbline.k2.system;

import dev.plumbline.k2.K2Request;
import dev.plumbline.k2.K2Response;
import dev.plumbline.k2.Timestamp;
import dev.plumbline.protocol.ClientDriver;
import dev.plumbline.protocol.MicroOp;
import dev.plumbline.protocol.Transaction;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Runs generic transactions by a coordinator's requests, one operation after the other. An append
 * reads the list and writes it with one more element. A key is written once, with the last value
 * that the transaction gives it.
 *
 * <p>To K2 a value is a list of numbers, empty before the first write. Here the first number tells
 * a register from a list, and the rest is its content.
 */
final class K2Client implements ClientDriver {
  private static final long REGISTER = 0;
  private static final long LIST = 1;

  private final String coordinator;
  private Transaction transaction;
  private String id;
  private Timestamp ts;
  private Timestamp asked;
  private long newest = 1;
  private boolean committing;
  private int next;
  private final List<MicroOp> done = new ArrayList<>();
  private final Map<Long, List<Long>> known = new HashMap<>();

  K2Client(String coordinator) {
    this.coordinator = coordinator;
  }

  @Override
  public Call begin(Transaction begun) {
    transaction = begun;
    id = null;
    ts = null;
    committing = false;
    next = 0;
    done.clear();
    known.clear();
    asked = new Timestamp(Math.max(1, newest - begun.stalenessMicros()), 0, 0, 0);
    return switch (begun.kind()) {
      case READ_WRITE, READ_ONLY -> begin(K2Request.Mode.PRIMARY, Timestamp.ZERO);
      case REPLICA_LINEARIZABLE -> begin(K2Request.Mode.LINEARIZABLE, Timestamp.ZERO);
      case REPLICA_SNAPSHOT -> begin(K2Request.Mode.SNAPSHOT, asked);
    };
  }

  private Call begin(K2Request.Mode mode, Timestamp at) {
    return new Call(coordinator, new K2Request.Begin(mode, at));
  }

  @Override
  public List<Long> asked() {
    return asked.parts();
  }

  @Override
  public Next answered(Record response) {
    if (response instanceof K2Response.Aborted aborted) {
      return Outcome.aborted(transaction, aborted.why());
    } else if (response instanceof K2Response.Unknown unknown) {
      return lost(unknown.why());
    } else if (response instanceof K2Response.Committed) {
      boolean snapshot = transaction.kind() == Transaction.Kind.REPLICA_SNAPSHOT;
      newest = Math.max(newest, snapshot ? newest : ts.micros());
      return Outcome.committed(List.copyOf(done), snapshot ? List.of() : ts.parts());
    } else if (response instanceof K2Response.Begun begun) {
      id = begun.txn();
      ts = begun.ts();
    } else if (response instanceof K2Response.Value value) {
      known.put(transaction.ops().get(next).key(), value.value());
    } else if (response instanceof K2Response.Accepted) {
      next++;
    }
    return advance();
  }

  /** Runs what needs no request; returns the next one. */
  private Next advance() {
    while (next < transaction.ops().size()) {
      MicroOp op = transaction.ops().get(next);
      List<Long> before = known.get(op.key());
      if (before == null && op.kind() != MicroOp.Kind.WRITE) {
        return new Call(coordinator, new K2Request.Get(id, op.key()));
      }
      List<Long> after = after(op, before);
      known.put(op.key(), after);
      done.add(reported(op, after));
      if (op.kind() != MicroOp.Kind.READ && lastWrite()) {
        return new Call(coordinator, new K2Request.Put(id, op.key(), after));
      }
      next++;
    }
    committing = true;
    return new Call(coordinator, new K2Request.Commit(id));
  }

  private static List<Long> after(MicroOp op, List<Long> before) {
    return switch (op.kind()) {
      case READ -> before;
      case WRITE -> List.of(REGISTER, (Long) op.value());
      case ADD -> List.of(REGISTER, (before.isEmpty() ? 0 : before.get(1)) + (Long) op.value());
      case APPEND -> {
        List<Long> list = new ArrayList<>(before.isEmpty() ? List.of(LIST) : before);
        list.add((Long) op.value());
        yield List.copyOf(list);
      }
    };
  }

  /** Whether the transaction writes this operation's key no more after it. */
  private boolean lastWrite() {
    long key = transaction.ops().get(next).key();
    return transaction.ops().stream()
        .skip(next + 1L)
        .noneMatch(op -> op.key() == key && op.kind() != MicroOp.Kind.READ);
  }

  private static MicroOp reported(MicroOp op, List<Long> after) {
    return switch (op.kind()) {
      case READ -> new MicroOp(MicroOp.Kind.READ, op.key(), content(after));
      case ADD -> MicroOp.write(op.key(), after.get(1));
      default -> op;
    };
  }

  private static Object content(List<Long> value) {
    if (value.isEmpty()) {
      return null;
    }
    return value.get(0) == LIST ? value.subList(1, value.size()) : value.get(1);
  }

  @Override
  public Outcome timedOut() {
    return lost("no answer in time");
  }

  /** It may have been committed if that was asked for. */
  private Outcome lost(String why) {
    List<Long> place = ts == null ? List.of() : ts.parts();
    return committing && transaction.kind() == Transaction.Kind.READ_WRITE
        ? Outcome.unknown(List.copyOf(done), place, why)
        : Outcome.aborted(transaction, why);
  }
}
