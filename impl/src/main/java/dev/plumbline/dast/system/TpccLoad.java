package dev.plumbline.dast.system;

import dev.plumbline.dast.DastRequest;
import dev.plumbline.dast.Step;
import dev.plumbline.dast.Txn;
import dev.plumbline.dast.tpcc.Table;
import dev.plumbline.dast.tpcc.Tpcc;
import dev.plumbline.protocol.ClientDriver.Call;
import dev.plumbline.protocol.Settings;
import dev.plumbline.sim.LoadRun;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;

/**
 * TPC-C in the mix of the paper's Table 2. A client belongs to a warehouse of its region and asks a
 * replica of it. 60% of payments and order-statuses are by name, as TPC-C has it.
 *
 * <p>Reduced: a new order or payment that crosses regions has one line or its customer elsewhere,
 * all others stay in one warehouse, so that the shares of CRTs are those of Table 2.
 */
public final class TpccLoad implements LoadRun.Source {
  /** What latencies are booked under: transaction and kind. */
  public static final List<String> KINDS =
      List.of(
          "new-order IRT",
          "new-order CRT",
          "payment IRT",
          "payment by id CRT",
          "payment by name CRT",
          "order-status IRT",
          "delivery IRT",
          "stock-level IRT");

  private static final int BY_NAME_PERCENT = 60;

  private final DastDeployment layout;
  private final int warehouses;
  private long count;

  public TpccLoad(Settings settings) {
    layout = DastDeployment.of(settings);
    warehouses = layout.shards().size();
  }

  @Override
  public LoadRun.Asked next(String region, int client, SplittableRandom random) {
    List<String> here =
        layout.shards().stream().filter(s -> layout.shardRegion(s).equals(region)).toList();
    int home = layout.shards().indexOf(here.get(client % here.size()));
    int draw = random.nextInt(10_000);
    if (draw < 3960) {
      return newOrder(home, home, random);
    } else if (draw < 3960 + 438) {
      return newOrder(home, elsewhere(home, random), random);
    } else if (draw < 4398 + 3751) {
      return payment(home, home, random);
    } else if (draw < 8149 + 657) {
      return payment(home, elsewhere(home, random), random);
    } else if (draw < 8806 + 396) {
      return orderStatus(home, random);
    } else if (draw < 9202 + 396) {
      Step step = step(0, Table.WAREHOUSE, home, 0, 1 + random.nextInt(10));
      return asked(
          Tpcc.DELIVERY, "delivery IRT", home, Map.of(home, part(Tpcc.DELIVERY, step)), random);
    }
    Step step = step(0, Table.DISTRICT, home, district(random), 10 + random.nextInt(11));
    return asked(
        Tpcc.STOCK_LEVEL,
        "stock-level IRT",
        home,
        Map.of(home, part(Tpcc.STOCK_LEVEL, step)),
        random);
  }

  private LoadRun.Asked newOrder(int home, int other, SplittableRandom random) {
    int lines = 5 + random.nextInt(11);
    int remote = home == other ? 0 : 1 + random.nextInt(lines);
    List<Step> steps = new ArrayList<>();
    steps.add(step(0, Table.DISTRICT, home, district(random), customer(random)));
    Map<Integer, Txn.Part> parts = new LinkedHashMap<>();
    for (int line = 1; line <= lines; line++) {
      long item = skewed(8191, Table.ITEMS, random);
      int quantity = 1 + random.nextInt(10);
      int supplier = line == remote ? other : home;
      steps.add(step(line, Table.STOCK, home, item, Tpcc.ordered(supplier, quantity)));
      if (line == remote) {
        parts.put(other, part(Tpcc.SUPPLY, step(lines + 1, Table.STOCK, other, item, quantity)));
      }
    }
    parts.put(home, new Txn.Part(Tpcc.ORDER, steps));
    return asked(
        Tpcc.NEW_ORDER, remote == 0 ? "new-order IRT" : "new-order CRT", home, parts, random);
  }

  private LoadRun.Asked payment(int home, int other, SplittableRandom random) {
    boolean byName = random.nextInt(100) < BY_NAME_PERCENT;
    String procedure = byName ? Tpcc.PAYMENT_BY_NAME : Tpcc.PAYMENT_BY_ID;
    long amount = 100 + random.nextInt(499_901);
    Step district = step(0, Table.DISTRICT, home, district(random), amount);
    long customer = Table.customer(district(random), byName ? name(random) : customer(random));
    if (home == other) {
      Txn.Part local = part(Tpcc.LOCAL, district, step(1, Table.CUSTOMER, home, customer, 0));
      return asked(procedure, "payment IRT", home, Map.of(home, local), random);
    }
    Map<Integer, Txn.Part> parts = new LinkedHashMap<>();
    long who = byName ? 0 : Table.CUSTOMER.key(other, warehouses, customer);
    parts.put(home, part(Tpcc.BOOK, district, step(1, Table.WAREHOUSE, home, 0, who)));
    parts.put(other, part(Tpcc.CUSTOMER, step(2, Table.CUSTOMER, other, customer, amount)));
    return asked(
        procedure, byName ? "payment by name CRT" : "payment by id CRT", home, parts, random);
  }

  private LoadRun.Asked orderStatus(int home, SplittableRandom random) {
    boolean byName = random.nextInt(100) < BY_NAME_PERCENT;
    long customer = Table.customer(district(random), byName ? name(random) : customer(random));
    Step step = step(0, Table.CUSTOMER, home, customer, byName ? 1 : 0);
    return asked(
        Tpcc.ORDER_STATUS,
        "order-status IRT",
        home,
        Map.of(home, part(Tpcc.ORDER_STATUS, step)),
        random);
  }

  private LoadRun.Asked asked(
      String procedure,
      String kind,
      int home,
      Map<Integer, Txn.Part> byWarehouse,
      SplittableRandom random) {
    Map<String, Txn.Part> parts = new LinkedHashMap<>();
    byWarehouse.forEach((warehouse, part) -> parts.put(layout.shards().get(warehouse), part));
    List<String> replicas = layout.replicas(layout.shards().get(home));
    return new LoadRun.Asked(
        new Call(
            replicas.get(random.nextInt(replicas.size())),
            new DastRequest(new Txn(Long.toString(++count), procedure, parts))),
        kind);
  }

  private int elsewhere(int home, SplittableRandom random) {
    String region = layout.shardRegion(layout.shards().get(home));
    int other = home;
    while (layout.shardRegion(layout.shards().get(other)).equals(region)) {
      other = random.nextInt(warehouses);
    }
    return other;
  }

  private Step step(int index, Table table, int warehouse, long id, long value) {
    return new Step(index, Step.Kind.ADD, table.key(warehouse, warehouses, id), value);
  }

  private static Txn.Part part(String piece, Step... steps) {
    return new Txn.Part(piece, List.of(steps));
  }

  private static int district(SplittableRandom random) {
    return random.nextInt(Table.DISTRICTS);
  }

  private static long customer(SplittableRandom random) {
    return skewed(1023, Table.CUSTOMERS, random);
  }

  private static long name(SplittableRandom random) {
    return skewed(255, Table.NAMES, random);
  }

  /** TPC-C's non-uniform draw (clause 2.1.6) with constant 0, below {@code limit}. */
  private static long skewed(int a, int limit, SplittableRandom random) {
    return (random.nextInt(a + 1) | random.nextInt(limit)) % limit;
  }
}
