package dev.plumbline.cluster;

import dev.plumbline.protocol.MicroOp;
import dev.plumbline.protocol.Protocols;
import dev.plumbline.protocol.Transaction;
import java.util.List;

/**
 * Numbers that a store has to keep, once acknowledged: items of a few lists, or, where clients have
 * sessions and no transactions, registers that are written once.
 */
public final class KeptNumbers {
  private final boolean registers;
  private final int lists;

  /**
   * @param lists how many, where the protocol has lists
   */
  public KeptNumbers(String protocol, int lists) {
    registers = Protocols.named(protocol).model().ofOperations();
    this.lists = lists;
  }

  /** The key under which a number is kept. */
  public long key(long number) {
    return registers ? number : number % lists;
  }

  /** Writes a number under its key, counted from another one. */
  public Transaction write(long from, long number) {
    long key = from + key(number);
    MicroOp op = registers ? MicroOp.write(key, number) : MicroOp.append(key, number);
    return new Transaction(Transaction.Kind.READ_WRITE, List.of(op), 0);
  }

  /** Reads a key. */
  public static Transaction read(long key) {
    return new Transaction(Transaction.Kind.READ_ONLY, List.of(MicroOp.read(key)), 0);
  }

  /** Whether a number is in what was read of its key. */
  public static boolean holds(Object found, long number) {
    return found instanceof List<?> list
        ? list.contains(number)
        : Long.valueOf(number).equals(found);
  }
}
