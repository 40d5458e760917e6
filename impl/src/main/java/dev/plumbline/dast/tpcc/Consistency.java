package dev.plumbline.dast.tpcc;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * TPC-C's consistency conditions (clause 3.3.2) on warehouses that came to rest: those of one
 * warehouse, and that the parts of transactions between warehouses agree. What every order, line
 * and payment says has to be what districts, stocks and customers sum up, row by row.
 *
 * <p>A transaction that was executed twice, or not at all, at all its warehouses alike is not seen.
 */
public final class Consistency {
  private final List<Map<Long, List<Long>>> stores;
  private final List<String> violations = new ArrayList<>();

  private Consistency(List<Map<Long, List<Long>>> stores) {
    this.stores = stores;
  }

  /**
   * What is violated; empty if nothing is.
   *
   * @param stores the values by key of each warehouse, in the order of their numbers
   */
  public static List<String> violations(List<Map<Long, List<Long>>> stores) {
    Consistency check = new Consistency(stores);
    for (int warehouse = 0; warehouse < stores.size(); warehouse++) {
      check.warehouse(warehouse);
    }
    check.between();
    return List.copyOf(check.violations);
  }

  /** The rows of a table, by number. */
  private Map<Long, List<Long>> rows(Table table, int warehouse) {
    Map<Long, List<Long>> rows = new TreeMap<>();
    stores
        .get(warehouse)
        .forEach(
            (key, value) -> {
              if (Table.of(key, stores.size()) == table) {
                rows.put(Table.id(key, stores.size()), value.subList(1, value.size()));
              }
            });
    return rows;
  }

  private static long sum(Map<Long, List<Long>> rows, int column) {
    return rows.values().stream().mapToLong(row -> row.get(column)).sum();
  }

  private void warehouse(int number) {
    String name = "warehouse " + number + ": ";
    long paid = sum(rows(Table.WAREHOUSE, number), 0);
    Map<Long, List<Long>> districts = rows(Table.DISTRICT, number);
    same(name + "sum of district year-to-date", sum(districts, 0), "the warehouse's", paid);
    same(name + "sum of history", sum(rows(Table.HISTORY, number), 2), "year-to-date", paid);
    Map<Long, Long> paidAt = new TreeMap<>();
    rows(Table.HISTORY, number).values().forEach(p -> paidAt.merge(p.get(1), p.get(2), Long::sum));
    Map<Long, List<Long>> orders = rows(Table.ORDER, number);
    Map<Long, List<Long>> lines = rows(Table.LINE, number);
    districts.forEach(
        (district, row) -> {
          String where = name + "district " + district + ": ";
          long paidHere = paidAt.getOrDefault(district, 0L);
          same(where + "year-to-date", row.get(0), "history of payments there", paidHere);
          long next = row.get(1);
          if (row.get(2) > next) {
            violations.add(where + "more orders are delivered than there are");
          }
          long count =
              orders.keySet().stream().filter(o -> o % Table.DISTRICTS == district).count();
          same(where + "next order less one", next - 1, "its orders", count);
          for (long order = 1; order < next; order++) {
            order(where, Table.order(district, order), order < row.get(2), orders, lines);
          }
        });
    same(name + "lines of orders", sum(orders, 1), "lines", lines.size());
  }

  private void order(
      String where,
      long id,
      boolean delivered,
      Map<Long, List<Long>> orders,
      Map<Long, List<Long>> lines) {
    List<Long> order = orders.get(id);
    if (order == null) {
      violations.add(where + "order " + id / Table.DISTRICTS + " is missing");
      return;
    }
    String which = where + "order " + id / Table.DISTRICTS + ": ";
    if (delivered != order.get(2) > 0) {
      violations.add(which + "its carrier and the district's deliveries disagree");
    }
    for (long line = 1; line <= order.get(1); line++) {
      List<Long> row = lines.get(Table.line(id, line));
      if (row == null) {
        violations.add(which + "line " + line + " is missing");
      } else if (row.get(4) != (delivered ? 1 : 0)) {
        violations.add(which + "line " + line + " was delivered " + row.get(4) + " times");
      } else {
        long price = Table.price(row.get(0));
        same(which + "line " + line + ": amount", row.get(3), "its price", row.get(2) * price);
      }
    }
  }

  /** What is known of a stock or customer from orders and payments, column by column. */
  private static final class Expected {
    /** By key. */
    final Map<Long, long[]> rows = new TreeMap<>();

    long[] of(long key) {
      return rows.computeIfAbsent(key, none -> new long[5]);
    }

    /** The same of a row that there is; what is left is of rows that there are not. */
    long[] take(long key) {
      long[] row = of(key);
      rows.remove(key);
      return row;
    }
  }

  /** What was ordered from a warehouse left it, and what customers paid and got was booked. */
  private void between() {
    Expected stocks = new Expected();
    Expected customers = new Expected();
    for (int warehouse = 0; warehouse < stores.size(); warehouse++) {
      lines(warehouse, stocks);
      orders(warehouse, customers);
      for (List<Long> payment : rows(Table.HISTORY, warehouse).values()) {
        long[] customer = customers.of(payment.get(0));
        customer[0] += payment.get(2);
        customer[1]++;
      }
    }
    for (int warehouse = 0; warehouse < stores.size(); warehouse++) {
      stocks(warehouse, stocks);
      customers(warehouse, customers);
    }
    stocks.rows.keySet().forEach(key -> violations.add("no stock " + key + " of some line"));
    customers.rows.keySet().forEach(key -> violations.add("no customer " + key));
  }

  private void lines(int warehouse, Expected stocks) {
    for (List<Long> line : rows(Table.LINE, warehouse).values()) {
      int supplier = line.get(1).intValue();
      long[] stock = stocks.of(Table.STOCK.key(supplier, stores.size(), line.get(0)));
      stock[0] += line.get(2);
      stock[1]++;
      stock[2] += supplier == warehouse ? 0 : 1;
    }
  }

  /** Amounts and orders that were delivered to customers, and the last that they gave. */
  private void orders(int warehouse, Expected customers) {
    Map<Long, List<Long>> lines = rows(Table.LINE, warehouse);
    rows(Table.ORDER, warehouse)
        .forEach(
            (id, order) -> {
              long[] customer =
                  customers.of(Table.CUSTOMER.key(warehouse, stores.size(), order.get(0)));
              customer[3] = Math.max(customer[3], id / Table.DISTRICTS);
              if (order.get(2) > 0) {
                customer[2]++;
                for (long line = 1; line <= order.get(1); line++) {
                  customer[4] += lines.getOrDefault(Table.line(id, line), NO_LINE).get(3);
                }
              }
            });
  }

  private static final List<Long> NO_LINE = List.of(0L, 0L, 0L, 0L, 0L);

  private void stocks(int warehouse, Expected expected) {
    rows(Table.STOCK, warehouse)
        .forEach(
            (item, row) -> {
              long[] stock = expected.take(Table.STOCK.key(warehouse, stores.size(), item));
              String name = "warehouse " + warehouse + ": stock of item " + item + ": ";
              same(name + "year-to-date", row.get(1), "quantity of its lines", stock[0]);
              same(name + "orders", row.get(2), "its lines", stock[1]);
              same(name + "orders of others", row.get(3), "lines of others", stock[2]);
              long taken = Table.STOCK.initial().get(0) - row.get(0);
              if (Math.floorMod(stock[0] - taken, Table.REFILL) != 0) {
                violations.add(name + "quantity " + row.get(0) + " is not what lines leave");
              }
            });
  }

  private void customers(int warehouse, Expected expected) {
    rows(Table.CUSTOMER, warehouse)
        .forEach(
            (id, row) -> {
              long[] customer = expected.take(Table.CUSTOMER.key(warehouse, stores.size(), id));
              String name = "warehouse " + warehouse + ": customer " + id + ": ";
              long balance = Table.CUSTOMER.initial().get(0) - customer[0] + customer[4];
              same(name + "balance", row.get(0), "what was paid and delivered leaves", balance);
              same(name + "year-to-date", row.get(1), "its history", customer[0]);
              same(name + "payments", row.get(2), "its history", customer[1]);
              same(name + "deliveries", row.get(3), "its delivered orders", customer[2]);
              same(name + "last one", row.get(4), "the number that it got", customer[3]);
            });
  }

  private void same(String what, long is, String other, long should) {
    if (is != should) {
      violations.add(what + " is " + is + ", " + other + " " + should);
    }
  }
}
