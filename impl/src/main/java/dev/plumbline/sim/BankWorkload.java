package dev.plumbline.sim;

import dev.plumbline.protocol.MicroOp;
import dev.plumbline.protocol.Transaction;
import java.util.List;
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
  public dev.plumbline.history.DataModel model() {
    return dev.plumbline.history.DataModel.BANK;
  }
}
