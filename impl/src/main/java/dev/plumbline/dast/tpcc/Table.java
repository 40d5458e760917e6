package dev.plumbline.dast.tpcc;

import java.util.Arrays;
import java.util.List;

/**
 * The tables of a warehouse, with the initial values of their columns. All money is in cents.
 *
 * <p>New orders are the orders of a district from {@code next to deliver} on: they are delivered in
 * the order of their numbers.
 */
public enum Table {
  /** Year to date, number of payments. */
  WAREHOUSE(0, 0),
  /** Year to date, next order, next to deliver. */
  DISTRICT(0, 1, 1),
  /** Balance, year-to-date payment, payments, deliveries, last order. */
  CUSTOMER(-1000, 0, 0, 0, 0),
  /** Quantity, year to date, orders, orders of other warehouses. */
  STOCK(50, 0, 0, 0),
  /** Customer, lines, carrier; absent before the order. */
  ORDER,
  /** Item, supplying warehouse, quantity, amount, delivered. */
  LINE,
  /** Customer, district that was paid at, amount. */
  HISTORY;

  /** Districts of a warehouse, from 0. */
  public static final int DISTRICTS = 10;

  /** Customers of a district, from 0. */
  public static final int CUSTOMERS = 3000;

  /** Customers of a district with one last name: those with equal remainder of this number. */
  public static final int NAMES = 1000;

  /** Items, from 0. */
  public static final int ITEMS = 100_000;

  /** An order has fewer lines than this. */
  static final int LINES = 16;

  /** What is added to a stock that gets low. */
  static final int REFILL = 91;

  private static final int TABLES = 8;

  private final List<Long> initial;

  Table(long... columns) {
    initial = Arrays.stream(columns).boxed().toList();
  }

  List<Long> initial() {
    return initial;
  }

  /** How many rows a client may name: those of a warehouse that are there from the start. */
  long rows() {
    return switch (this) {
      case WAREHOUSE -> 1;
      case DISTRICT -> DISTRICTS;
      case CUSTOMER -> (long) DISTRICTS * CUSTOMERS;
      case STOCK -> ITEMS;
      case ORDER, LINE, HISTORY -> 0;
    };
  }

  /** Whether a client's number is the key of a row that is there from the start. */
  boolean has(long key, int warehouses) {
    long id = id(key, warehouses);
    return key >= 0 && id < rows() && key == key(warehouse(key, warehouses), warehouses, id);
  }

  /**
   * Whether these are the columns of a row: other procedures may have written under its key. An
   * order's lines and customer lead to other rows, and have to be some that can be there.
   */
  boolean holds(List<Long> columns) {
    return switch (this) {
      case ORDER ->
          columns.size() == 3
              && columns.get(0) >= 0
              && columns.get(0) < CUSTOMER.rows()
              && columns.get(1) >= 1
              && columns.get(1) < LINES;
      case LINE -> columns.size() == 5;
      case HISTORY -> columns.size() == 3;
      case WAREHOUSE, DISTRICT, CUSTOMER, STOCK -> columns.size() == initial.size();
    };
  }

  /**
   * The key of a row.
   *
   * @param warehouse its number, from 0: the place of its shard among all shards
   * @param warehouses how many there are
   * @param id unique in the table of this warehouse
   */
  public long key(int warehouse, int warehouses, long id) {
    return 2 * ((id * TABLES + ordinal()) * warehouses + warehouse);
  }

  /** The table of a key. */
  public static Table of(long key, int warehouses) {
    return values()[(int) (key / 2 / warehouses % TABLES)];
  }

  /** The number of a key's row in its table. */
  public static long id(long key, int warehouses) {
    return key / 2 / warehouses / TABLES;
  }

  /** The warehouse of a key. */
  public static int warehouse(long key, int warehouses) {
    return (int) (key / 2 % warehouses);
  }

  /** A customer's row. */
  public static long customer(long district, long number) {
    return district * CUSTOMERS + number;
  }

  /** An order's row. */
  public static long order(long district, long number) {
    return number * DISTRICTS + district;
  }

  /** An order line's row. */
  public static long line(long order, long number) {
    return order * LINES + number;
  }

  /** An item's price. */
  static long price(long item) {
    return 100 + item % 9901;
  }
}
