package dev.plumbline.sim;

import dev.plumbline.protocol.MicroOp;
import dev.plumbline.protocol.Transaction;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeSet;

/**
 * Lists or registers, in the mix of YCSB-T: three operations a transaction, half of them writes,
 * keys by a Zipfian distribution with theta 0.8. Every written value is unique. A key is retired
 * after a number of writes, so that lists stay short.
 */
final class KeyValueWorkload implements Workload {
  private static final int KEYS = 60;
  private static final double THETA = 0.8;
  private static final int OPERATIONS = 3;
  private static final int WRITES_PER_KEY = 64;

  private final MicroOp.Kind write;
  private final Zipf slots = new Zipf(KEYS, THETA);
  private final int[] writes = new int[KEYS];
  private final int[] generation = new int[KEYS];
  private final TreeSet<Long> handedOut = new TreeSet<>();
  private long lastValue;

  KeyValueWorkload(MicroOp.Kind write) {
    this.write = write;
  }

  @Override
  public Optional<Transaction> setup() {
    return Optional.empty();
  }

  @Override
  public Transaction next(Set<Transaction.Kind> kinds, SplittableRandom random) {
    Transaction.Kind kind = Workload.kind(kinds, random);
    List<MicroOp> ops = new ArrayList<>(OPERATIONS);
    for (int i = 0; i < OPERATIONS; i++) {
      int slot = slots.next(random);
      long key = (long) generation[slot] * KEYS + slot;
      handedOut.add(key);
      if (kind == Transaction.Kind.READ_WRITE && random.nextBoolean()) {
        ops.add(new MicroOp(write, key, ++lastValue));
        if (++writes[slot] % WRITES_PER_KEY == 0) {
          generation[slot]++;
        }
      } else {
        ops.add(MicroOp.read(key));
      }
    }
    return new Transaction(kind, ops, Workload.staleness(kind, random));
  }

  @Override
  public List<Long> keys() {
    return List.copyOf(handedOut);
  }

  @Override
  public dev.plumbline.history.DataModel model() {
    return write == MicroOp.Kind.APPEND
        ? dev.plumbline.history.DataModel.LIST_APPEND
        : dev.plumbline.history.DataModel.RW_REGISTER;
  }
}
