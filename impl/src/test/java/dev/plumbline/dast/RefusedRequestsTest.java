package dev.plumbline.dast;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import dev.plumbline.dast.tpcc.Table;
import dev.plumbline.dast.tpcc.Tpcc;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** Whatever steps a piece of TPC-C is asked for, and whatever is stored: refused, or run. */
class RefusedRequestsTest {
  private static final int WAREHOUSES = 2;
  private static final DastConfig CONFIG = new DastConfig(1_000, 10_000, 100, List.of());
  private static final List<List<String>> PIECES =
      List.of(
          List.of(Tpcc.NEW_ORDER, Tpcc.ORDER),
          List.of(Tpcc.NEW_ORDER, Tpcc.SUPPLY),
          List.of(Tpcc.PAYMENT_BY_ID, Tpcc.LOCAL),
          List.of(Tpcc.PAYMENT_BY_ID, Tpcc.BOOK),
          List.of(Tpcc.PAYMENT_BY_ID, Tpcc.CUSTOMER),
          List.of(Tpcc.PAYMENT_BY_NAME, Tpcc.LOCAL),
          List.of(Tpcc.PAYMENT_BY_NAME, Tpcc.CUSTOMER),
          List.of(Tpcc.ORDER_STATUS, Tpcc.ORDER_STATUS),
          List.of(Tpcc.DELIVERY, Tpcc.DELIVERY),
          List.of(Tpcc.STOCK_LEVEL, Tpcc.STOCK_LEVEL));

  private final Procedures procedures = Procedures.standard();
  private final Coordinator coordinator;

  RefusedRequestsTest() {
    Tpcc.register(procedures, WAREHOUSES);
    coordinator = new Coordinator(new TwoWarehouses(), procedures, "n0", List.of(), CONFIG);
  }

  private String objection(String procedure, String piece, Step... steps) {
    Txn.Part part = new Txn.Part(piece, List.of(steps));
    return coordinator.objection(new Txn("1", procedure, Map.of("0", part)));
  }

  private static Step step(Table table, long id, long value) {
    return new Step(0, Step.Kind.ADD, table.key(0, WAREHOUSES, id), value);
  }

  @Test
  void stepsThatMakeNoSenseToTpccAreRefused() {
    Step district = step(Table.DISTRICT, 9, 2_999);
    Step line = step(Table.STOCK, 7, Tpcc.ordered(1, 99));
    assertThat(objection(Tpcc.NEW_ORDER, Tpcc.ORDER, district, line)).isEmpty();
    assertThat(objection(Tpcc.NEW_ORDER, Tpcc.ORDER, district))
        .isEqualTo("piece order takes 2 to 16 steps, not 1");
    assertThat(objection(Tpcc.NEW_ORDER, Tpcc.ORDER, line, district))
        .isEqualTo("piece order needs the key of a row of DISTRICT in step 1, not 236");
    assertThat(objection(Tpcc.NEW_ORDER, Tpcc.ORDER, step(Table.DISTRICT, 10, 0), line))
        .contains("a row of DISTRICT");
    assertThat(objection(Tpcc.NEW_ORDER, Tpcc.ORDER, step(Table.DISTRICT, 9, 3_000), line))
        .isEqualTo("piece order cannot have the operand 3000 in step 1");
    for (long value : List.of(-1L, 0L, 200L, Long.MIN_VALUE, Long.MAX_VALUE)) {
      assertThat(objection(Tpcc.NEW_ORDER, Tpcc.ORDER, district, step(Table.STOCK, 7, value)))
          .contains("piece order cannot have the operand " + value + " in step 2");
    }
    assertThat(objection(Tpcc.DELIVERY, Tpcc.DELIVERY, new Step(0, Step.Kind.READ, -4, 1)))
        .contains("a row of WAREHOUSE");
    for (List<String> piece : PIECES) {
      assertThat(objection(piece.get(0), piece.get(1))).isEqualTo("nothing is asked of shard 0");
    }
  }

  @Test
  void whatIsTakenRunsOnAnyState() {
    SplittableRandom random = new SplittableRandom(1);
    Map<String, Integer> applied = new TreeMap<>();
    Map<String, Integer> withheld = new TreeMap<>();
    for (int i = 0; i < 40_000; i++) {
      List<String> named = PIECES.get(random.nextInt(PIECES.size()));
      Map<Long, List<Long>> store = new HashMap<>();
      List<Step> steps = new ArrayList<>();
      for (int n = 1 + random.nextInt(3); n > 0; n--) {
        steps.add(step(table(random), random.nextInt(12), number(random)));
      }
      if (!objection(named.get(0), named.get(1), steps.toArray(Step[]::new)).isEmpty()) {
        continue;
      }
      Piece piece = procedures.named(named.get(0)).piece(named.get(1));
      Piece.Effect[] effects = new Piece.Effect[2];
      assertThatCode(
              () -> {
                for (int again = 0; again < 2; again++) {
                  effects[again] =
                      piece
                          .body()
                          .run(
                              key -> store.computeIfAbsent(key, k -> value(random)),
                              steps,
                              Map.of());
                }
              })
          .as("%s %s", named, steps)
          .doesNotThrowAnyException();
      assertThat(effects[1]).isEqualTo(effects[0]);
      assertThat(effects[0].seen()).hasSameSizeAs(steps);
      assertThat(effects[0].outputs().keySet()).containsAll(piece.outputs());
      assertThat(effects[0].applied()).as("of other shards nothing is known").isTrue();
      boolean none = effects[0].seen().get(0).isEmpty();
      assertThat(none && !effects[0].writes().isEmpty()).isFalse();
      (none ? withheld : applied).merge(String.join(" ", named), 1, Integer::sum);
    }
    assertThat(applied).hasSizeGreaterThan(7);
    assertThat(withheld).hasSizeGreaterThan(7);
  }

  /** A payment whose customer's row is none is booked nowhere. */
  @Test
  void aBookingWithoutItsCustomerIsNone() {
    Piece customer = procedures.named(Tpcc.PAYMENT_BY_NAME).piece(Tpcc.CUSTOMER);
    Piece book = procedures.named(Tpcc.PAYMENT_BY_NAME).piece(Tpcc.BOOK);
    Piece.Effect none =
        customer
            .body()
            .run(key -> List.of(0L, 5L), List.of(step(Table.CUSTOMER, 1, 100)), Map.of());
    Piece.Effect booked =
        book.body()
            .run(
                key -> List.of(),
                List.of(step(Table.DISTRICT, 1, 100), step(Table.WAREHOUSE, 0, 0)),
                none.outputs());
    assertThat(none.writes()).isEmpty();
    assertThat(booked.writes()).isEmpty();
  }

  private static Table table(SplittableRandom random) {
    return Table.values()[random.nextInt(4)];
  }

  private static long number(SplittableRandom random) {
    long[] edges = {Long.MIN_VALUE, -1, 0, 1, 3, 101, 3_000, Long.MAX_VALUE};
    return edges[random.nextInt(edges.length)];
  }

  /** Nothing, a number, or a list of up to five numbers. */
  private static List<Long> value(SplittableRandom random) {
    if (random.nextInt(3) > 0) {
      return List.of();
    }
    List<Long> value = new ArrayList<>(List.of((long) random.nextInt(2)));
    for (int n = value.get(0) == 0 ? 1 : 1 + random.nextInt(5); n > 0; n--) {
      value.add(number(random));
    }
    return List.copyOf(value);
  }

  /** One region; every warehouse is a shard with one replica. */
  private static final class TwoWarehouses implements Layout {
    @Override
    public String shard(long key) {
      return Long.toString(Math.floorMod(key / 2, (long) WAREHOUSES));
    }

    @Override
    public String shardOf(String node) {
      return node.substring(1);
    }

    @Override
    public List<String> replicas(String shard) {
      return List.of("n" + shard);
    }

    @Override
    public String region(String process) {
      return "A";
    }

    @Override
    public String shardRegion(String shard) {
      return "A";
    }

    @Override
    public List<String> nodes(String region) {
      return List.of("n0", "n1");
    }

    @Override
    public String manager(String region) {
      return "m";
    }

    @Override
    public List<String> managers() {
      return List.of("m");
    }

    @Override
    public int processes() {
      return 3;
    }

    @Override
    public long nid(String process) {
      return List.of("n0", "n1", "m").indexOf(process) + 1L;
    }
  }
}
