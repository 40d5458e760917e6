package dev.plumbline.sim;

import dev.plumbline.history.Op;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.stream.LongStream;

/** Transfers between accounts; every reading of all of them must show the same total. */
final class BankWorkload implements Workload {
  private static final int ACCOUNTS = 8;
  private static final long OPENING_BALANCE = 100;
  private static final long MOST_MOVED = 20;

  @Override
  public Optional<Transaction> setup() {
    List<MicroOp> ops = keys().stream().map(key -> MicroOp.write(key, OPENING_BALANCE)).toList();
    return Optional.of(new Transaction(Transaction.Kind.READ_WRITE, ops, 0));
  }

  @Override
  public Transaction next(Set<Transaction.Kind> kinds, SplittableRandom random) {
    Transaction.Kind kind = Workload.kind(kinds, random);
    if (kind != Transaction.Kind.READ_WRITE) {
      List<MicroOp> reads = keys().stream().map(MicroOp::read).toList();
      return new Transaction(kind, reads, Workload.staleness(kind, random));
    }
    long from = random.nextInt(ACCOUNTS);
    long to = (from + 1 + random.nextInt(ACCOUNTS - 1)) % ACCOUNTS;
    long amount = random.nextLong(1, MOST_MOVED + 1);
    return new Transaction(
        kind,
        List.of(
            MicroOp.read(from),
            MicroOp.read(to),
            MicroOp.add(from, -amount),
            MicroOp.add(to, amount)),
        0);
  }

  @Override
  public List<Long> keys() {
    return LongStream.range(0, ACCOUNTS).boxed().toList();
  }

  @Override
  public List<String> violations(List<Op> history) {
    List<String> violations = new ArrayList<>();
    for (Op op : history) {
      List<Object> balances =
          op.value().stream()
              .filter(dev.plumbline.history.MicroOp.Read.class::isInstance)
              .map(read -> ((dev.plumbline.history.MicroOp.Read) read).result())
              .toList();
      if (op.type() != Op.Type.OK || balances.size() != ACCOUNTS) {
        continue;
      }
      boolean beforeSetup = op.at() != null && balances.stream().allMatch(Objects::isNull);
      long total = balances.stream().mapToLong(b -> b == null ? 0 : (Long) b).sum();
      if (!beforeSetup && total != ACCOUNTS * OPENING_BALANCE) {
        violations.add(
            "operation "
                + op.index()
                + " saw a total of "
                + total
                + " where there is "
                + ACCOUNTS * OPENING_BALANCE);
      }
    }
    return violations;
  }
}
