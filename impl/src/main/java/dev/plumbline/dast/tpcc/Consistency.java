package dev.plumbline.dast.tpcc;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * TPC-C's consistency conditions (clause 3.3.2) on warehouses that came to rest: those of one
 * warehouse, and that the parts of transactions between warehouses agree.
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
    same(name + "sum of history", sum(rows(Table.HISTORY, number), 1), "year-to-date", paid);
    Map<Long, List<Long>> orders = rows(Table.ORDER, number);
    Map<Long, List<Long>> lines = rows(Table.LINE, number);
    districts.forEach(
        (district, row) -> {
          String where = name + "district " + district + ": ";
          long next = row.get(1);
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
      }
    }
  }

  /** What was ordered from a warehouse left it, and what customers paid was booked. */
  private void between() {
    long paid = 0;
    long booked = 0;
    Map<Long, Long> ordered = new TreeMap<>();
    for (int warehouse = 0; warehouse < stores.size(); warehouse++) {
      paid += sum(rows(Table.CUSTOMER, warehouse), 1);
      booked += sum(rows(Table.WAREHOUSE, warehouse), 0);
      rows(Table.LINE, warehouse)
          .values()
          .forEach(line -> ordered.merge(line.get(1), line.get(2), Long::sum));
    }
    same("sum of customers' payments", paid, "sum of warehouses' year-to-date", booked);
    for (int warehouse = 0; warehouse < stores.size(); warehouse++) {
      same(
          "warehouse " + warehouse + ": sum of stock year-to-date",
          sum(rows(Table.STOCK, warehouse), 1),
          "quantity of lines that it supplies",
          ordered.getOrDefault((long) warehouse, 0L));
    }
  }

  private void same(String what, long is, String other, long should) {
    if (is != should) {
      violations.add(what + " is " + is + ", " + other + " " + should);
    }
  }
}
