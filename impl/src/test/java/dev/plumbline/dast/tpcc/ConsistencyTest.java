package dev.plumbline.dast.tpcc;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumbline.dast.DastRequest;
import dev.plumbline.dast.Piece;
import dev.plumbline.dast.Procedures;
import dev.plumbline.dast.Txn;
import dev.plumbline.dast.system.DastSystem;
import dev.plumbline.dast.system.TpccLoad;
import dev.plumbline.protocol.Settings;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** The mix of the paper's Table 2, one transaction after the other, by wrong executors. */
class ConsistencyTest {
  private static final DastSystem DAST = new DastSystem();
  private static final Settings SETTINGS =
      new Settings(DAST.clockBounds(), new TreeSet<>(), new TreeMap<>());
  private static final List<String> SHARDS =
      List.of("r1s1", "r1s2", "r2s1", "r2s2", "r3s1", "r3s2");
  private static final int TRANSACTIONS = 3_000;

  /** What an executor makes of the writes of a piece. */
  interface Wrong {
    void change(String piece, Map<Long, List<Long>> before, Map<Long, List<Long>> writes);
  }

  /** Executes transactions of the mix; the stores afterwards. */
  private static List<Map<Long, List<Long>>> run(Wrong wrong, int transactions) {
    Procedures procedures = Procedures.standard();
    Tpcc.register(procedures, SHARDS.size());
    TpccLoad load = new TpccLoad(SETTINGS);
    SplittableRandom random = new SplittableRandom(7);
    Map<String, Map<Long, List<Long>>> stores = new LinkedHashMap<>();
    SHARDS.forEach(shard -> stores.put(shard, new TreeMap<>()));
    for (int i = 0; i < transactions; i++) {
      String region = "r" + (1 + random.nextInt(3));
      Txn txn = ((DastRequest) load.next(region, i, random).call().request()).txn();
      Map<String, Long> values = new LinkedHashMap<>();
      List<String> left = new ArrayList<>(txn.parts().keySet());
      while (!left.isEmpty()) {
        for (String shard : List.copyOf(left)) {
          Txn.Part part = txn.parts().get(shard);
          Piece piece = procedures.named(txn.procedure()).piece(part.piece());
          if (values.keySet().containsAll(piece.inputs())) {
            Map<Long, List<Long>> store = stores.get(shard);
            Map<String, Long> inputs = new LinkedHashMap<>(values);
            inputs.keySet().retainAll(piece.inputs());
            Piece.Effect effect =
                piece.body().run(k -> store.getOrDefault(k, List.of()), part.steps(), inputs);
            Map<Long, List<Long>> writes = new LinkedHashMap<>(effect.writes());
            wrong.change(txn.procedure() + " " + part.piece(), store, writes);
            store.putAll(writes);
            values.putAll(effect.outputs());
            left.remove(shard);
          }
        }
      }
    }
    return List.copyOf(stores.values());
  }

  @Test
  void aRightExecutorLeavesNothingToFind() {
    assertThat(Consistency.violations(run((piece, before, writes) -> {}, TRANSACTIONS))).isEmpty();
  }

  /** Rows of a table among the writes. */
  private static List<Long> keys(Map<Long, List<Long>> writes, Table table) {
    return writes.keySet().stream().filter(k -> Table.of(k, SHARDS.size()) == table).toList();
  }

  private static Wrong column(String piece, Table table, int column, long more) {
    return (ran, before, writes) -> {
      if (ran.endsWith(piece)) {
        for (long key : keys(writes, table)) {
          List<Long> row = new ArrayList<>(writes.get(key));
          row.set(column + 1, row.get(column + 1) + more);
          writes.put(key, row);
        }
      }
    };
  }

  private static Wrong lost(String piece, Table table) {
    return (ran, before, writes) -> {
      if (ran.endsWith(piece)) {
        writes.keySet().removeAll(keys(writes, table));
      }
    };
  }

  /** Another row of the table gets the values. */
  private static Wrong elsewhere(String piece, Table table) {
    return (ran, before, writes) -> {
      if (ran.endsWith(piece)) {
        for (long key : keys(writes, table)) {
          int warehouses = SHARDS.size();
          long next = Table.id(key, warehouses) + 1;
          writes.put(
              table.key(Table.warehouse(key, warehouses), warehouses, next), writes.remove(key));
        }
      }
    };
  }

  /** A row is as it was before the last write of it. */
  private static Wrong stale(String piece, Table table) {
    Map<Long, List<Long>> last = new TreeMap<>();
    return (ran, before, writes) -> {
      for (long key : keys(writes, table)) {
        List<Long> now = writes.get(key);
        if (ran.endsWith(piece) && last.containsKey(key)) {
          writes.put(key, last.get(key));
        }
        last.put(key, now);
      }
    };
  }

  static Stream<Arguments> wrong() {
    return Stream.of(
        Arguments.of("a delivery forgets the customer", lost(Tpcc.DELIVERY, Table.CUSTOMER)),
        Arguments.of("a delivery pays a little more", column(Tpcc.DELIVERY, Table.CUSTOMER, 0, 1)),
        Arguments.of("a delivery counts twice", column(Tpcc.DELIVERY, Table.CUSTOMER, 3, 1)),
        Arguments.of("a delivery forgets lines", lost(Tpcc.DELIVERY, Table.LINE)),
        Arguments.of("a payment is another customer's", elsewhere(Tpcc.CUSTOMER, Table.CUSTOMER)),
        Arguments.of("a payment is booked elsewhere", elsewhere(Tpcc.BOOK, Table.DISTRICT)),
        Arguments.of("a payment has no history", lost(Tpcc.LOCAL, Table.HISTORY)),
        Arguments.of("a payment only counts", column(Tpcc.LOCAL, Table.CUSTOMER, 0, 1)),
        Arguments.of("a line costs more", column(Tpcc.ORDER, Table.LINE, 3, 1)),
        Arguments.of("an order is another customer's", column(Tpcc.ORDER, Table.ORDER, 0, 1)),
        Arguments.of("a stock does not get less", column(Tpcc.ORDER, Table.STOCK, 0, 1)),
        Arguments.of("a stock counts no orders", column(Tpcc.ORDER, Table.STOCK, 2, -1)),
        Arguments.of("others' orders are not counted", column(Tpcc.SUPPLY, Table.STOCK, 3, -1)),
        Arguments.of("a supply is another item's", elsewhere(Tpcc.SUPPLY, Table.STOCK)),
        Arguments.of("a customer forgets the order", lost(Tpcc.ORDER, Table.CUSTOMER)),
        Arguments.of("a district is overwritten", stale(Tpcc.BOOK, Table.DISTRICT)),
        Arguments.of("a stock is overwritten", stale(Tpcc.SUPPLY, Table.STOCK)));
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("wrong")
  void aWrongExecutorIsNoticed(String what, Wrong wrong) {
    assertThat(Consistency.violations(run(wrong, TRANSACTIONS))).isNotEmpty();
  }
}
