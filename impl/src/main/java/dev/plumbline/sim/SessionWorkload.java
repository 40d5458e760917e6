package dev.plumbline.sim;

import dev.plumbline.history.Guarantee;
import dev.plumbline.protocol.MicroOp;
import dev.plumbline.protocol.Transaction;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeSet;

/**
 * Sessions' operations on registers: YCSB's workload A (half reads, half writes), keys by a Zipfian
 * distribution with theta 0.8. A client asks for all guarantees, for none, or for any set of them,
 * and moves to another replica now and then. Every written value is unique.
 */
final class SessionWorkload implements Workload {
  private static final int KEYS = 8;
  private static final double THETA = 0.8;
  private static final int PLACES = 12;

  private final Zipf slots = new Zipf(KEYS, THETA);
  private final TreeSet<Long> handedOut = new TreeSet<>();
  private long lastValue;

  @Override
  public Optional<Transaction> setup() {
    return Optional.empty();
  }

  @Override
  public Transaction next(Set<Transaction.Kind> kinds, SplittableRandom random) {
    long key = slots.next(random);
    handedOut.add(key);
    MicroOp op = random.nextBoolean() ? MicroOp.write(key, ++lastValue) : MicroOp.read(key);
    int place = random.nextBoolean() ? 1 + random.nextInt(PLACES) : 0;
    return Transaction.of(op, new Transaction.Choice(asks(random), place, false));
  }

  private static Set<Guarantee> asks(SplittableRandom random) {
    List<Guarantee> asks = new ArrayList<>();
    int draw = random.nextInt(10);
    for (Guarantee guarantee : Guarantee.values()) {
      if (draw < 4 || (draw > 5 && random.nextBoolean())) {
        asks.add(guarantee);
      }
    }
    return asks.isEmpty() ? EnumSet.noneOf(Guarantee.class) : EnumSet.copyOf(asks);
  }

  @Override
  public List<Long> keys() {
    return List.copyOf(handedOut);
  }

  @Override
  public dev.plumbline.history.DataModel model() {
    return dev.plumbline.history.DataModel.RW_REGISTER;
  }
}
