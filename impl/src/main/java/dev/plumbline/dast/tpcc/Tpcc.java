package dev.plumbline.dast.tpcc;

import dev.plumbline.dast.Piece;
import dev.plumbline.dast.Procedure;
import dev.plumbline.dast.Procedures;
import dev.plumbline.dast.Step;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.function.LongFunction;
import java.util.function.LongPredicate;

/**
 * TPC-C's five transactions. A step carries a piece's argument: its key names a row of the piece's
 * warehouse, its value an operand; other rows are found from there.
 */
public final class Tpcc {
  /**
   * New order: {@link #ORDER} at the client's warehouse, {@link #SUPPLY} at each other one that
   * supplies.
   */
  public static final String NEW_ORDER = "tpcc-new-order";

  /**
   * Steps: the district, with the customer's number; for each line the stock row of its item in the
   * client's warehouse, with {@link #ordered}.
   */
  public static final String ORDER = "order";

  /** Steps: stock rows, each with a quantity. */
  public static final String SUPPLY = "supply";

  /**
   * Payment by id: {@link #LOCAL}, or {@link #BOOK} and {@link #CUSTOMER} if the customer belongs
   * to another warehouse.
   */
  public static final String PAYMENT_BY_ID = "tpcc-payment-by-id";

  /** Payment by name: the same pieces, where {@link #BOOK} needs the customer that is found. */
  public static final String PAYMENT_BY_NAME = "tpcc-payment-by-name";

  /**
   * Steps: the district, with the amount; the customer's row (or the first of the name), with 0.
   */
  public static final String LOCAL = "local";

  /** Steps: the district, with the amount; the warehouse, with the customer's key (by id only). */
  public static final String BOOK = "book";

  /** Steps: the customer's row (or the first of the name), with the amount. */
  public static final String CUSTOMER = "customer";

  /** Order-status. One step: the customer's row (or the first of the name); 1 if by name, or 0. */
  public static final String ORDER_STATUS = "tpcc-order-status";

  /** Delivery of one order of each district. One step: the warehouse, with the carrier. */
  public static final String DELIVERY = "tpcc-delivery";

  /** Stock-level. One step: the district, with the threshold. */
  public static final String STOCK_LEVEL = "tpcc-stock-level";

  /** The value of {@link #CUSTOMER} in a payment by name: the customer's key. */
  private static final String WHO = "who";

  /** No customer's key. */
  private static final long NOBODY = 0;

  private static final long RECENT_ORDERS = 20;
  private static final long CARRIERS = 10;

  /** A payment is of at most so many cents. */
  private static final long MOST_CENTS = 1_000_000_000;

  private static final int QUANTITIES = 100;

  private final int warehouses;

  private Tpcc(int warehouses) {
    this.warehouses = warehouses;
  }

  /** Registers the transactions for so many warehouses. */
  public static void register(Procedures procedures, int warehouses) {
    Tpcc tpcc = new Tpcc(warehouses);
    Need customerOf = new Need(Table.DISTRICT, v -> v >= 0 && v < Table.CUSTOMERS);
    Need supply = new Need(Table.STOCK, v -> v >= 1 && v < QUANTITIES);
    LongPredicate amount = v -> v >= 1 && v <= MOST_CENTS;
    Need paid = new Need(Table.DISTRICT, amount);
    Need any = new Need(Table.CUSTOMER, v -> true);
    Need payer = new Need(Table.CUSTOMER, amount);
    Need who = new Need(Table.WAREHOUSE, v -> Table.CUSTOMER.has(v, warehouses));
    Need nobody = new Need(Table.WAREHOUSE, v -> true);
    procedures.register(
        new Procedure(
            NEW_ORDER,
            List.of(
                piece(ORDER, tpcc.steps(Table.LINES, customerOf, tpcc.line()), tpcc::order),
                piece(SUPPLY, tpcc.steps(Table.LINES - 1, supply), tpcc::supplyOthers))));
    procedures.register(
        new Procedure(
            PAYMENT_BY_ID,
            List.of(
                piece(
                    LOCAL,
                    tpcc.steps(2, paid, any),
                    (store, steps, in) -> tpcc.local(rows(tpcc, store, steps), steps, false)),
                piece(BOOK, tpcc.steps(2, paid, who), tpcc::book),
                piece(
                    CUSTOMER,
                    tpcc.steps(1, payer),
                    (store, steps, in) -> tpcc.customer(rows(tpcc, store, steps), steps, false)))));
    procedures.register(
        new Procedure(
            PAYMENT_BY_NAME,
            List.of(
                piece(
                    LOCAL,
                    tpcc.steps(2, paid, any),
                    (store, steps, in) -> tpcc.local(rows(tpcc, store, steps), steps, true)),
                piece(BOOK, List.of(WHO), List.of(), tpcc.steps(2, paid, nobody), tpcc::book),
                piece(
                    CUSTOMER,
                    List.of(),
                    List.of(WHO),
                    tpcc.steps(1, payer),
                    (store, steps, in) -> tpcc.customer(rows(tpcc, store, steps), steps, true)))));
    procedures.register(
        new Procedure(
            ORDER_STATUS,
            List.of(
                piece(
                    ORDER_STATUS,
                    tpcc.steps(1, new Need(Table.CUSTOMER, v -> v == 0 || v == 1)),
                    tpcc::orderStatus))));
    procedures.register(
        new Procedure(
            DELIVERY,
            List.of(
                piece(
                    DELIVERY,
                    tpcc.steps(1, new Need(Table.WAREHOUSE, v -> v >= 1 && v <= CARRIERS)),
                    tpcc::delivery))));
    procedures.register(
        new Procedure(
            STOCK_LEVEL,
            List.of(
                piece(
                    STOCK_LEVEL,
                    tpcc.steps(1, new Need(Table.DISTRICT, v -> v >= 0)),
                    tpcc::stockLevel))));
  }

  /** A line's operand: who supplies how many (fewer than 100). */
  public static long ordered(int supplier, int quantity) {
    return (long) supplier * QUANTITIES + quantity;
  }

  /** What a step has to be: the key of a row, and an operand. */
  private record Need(Table table, LongPredicate operand) {}

  private Need line() {
    return new Need(Table.STOCK, v -> v >= 0 && v / QUANTITIES < warehouses && v % QUANTITIES != 0);
  }

  /** As many steps as needs; up to {@code most}, all further ones like the last. */
  private Piece.Demand steps(int most, Need... needs) {
    return steps -> {
      if (steps.size() < needs.length || steps.size() > most) {
        String range = needs.length == most ? "" + most : needs.length + " to " + most;
        return "takes " + range + " steps, not " + steps.size();
      }
      for (int i = 0; i < steps.size(); i++) {
        Need need = needs[Math.min(i, needs.length - 1)];
        Step step = steps.get(i);
        if (!need.table().has(step.key(), warehouses)) {
          return "needs the key of a row of "
              + need.table()
              + " in step "
              + (i + 1)
              + ", not "
              + step.key();
        } else if (!need.operand().test(step.value())) {
          return "cannot have the operand " + step.value() + " in step " + (i + 1);
        }
      }
      return "";
    };
  }

  private static Piece piece(String name, Piece.Demand demand, Piece.Body body) {
    return piece(name, List.of(), List.of(), demand, body);
  }

  /**
   * Changes nothing where a row that it needs is none; who needs its value gets {@link #NOBODY}.
   */
  private static Piece piece(
      String name,
      List<String> inputs,
      List<String> outputs,
      Piece.Demand demand,
      Piece.Body body) {
    return new Piece(
        name,
        inputs,
        outputs,
        demand,
        (store, steps, in) -> {
          try {
            return body.run(store, steps, in);
          } catch (Rows.NoRow e) {
            List<List<Long>> seen = Collections.nCopies(steps.size(), List.of());
            Map<String, Long> nothing = new LinkedHashMap<>();
            outputs.forEach(output -> nothing.put(output, NOBODY));
            return new Piece.Effect(true, seen, Map.of(), nothing);
          }
        });
  }

  private static Rows rows(Tpcc tpcc, LongFunction<List<Long>> store, List<Step> steps) {
    return new Rows(store, steps.get(0).key(), tpcc.warehouses);
  }

  private long id(Step step) {
    return Table.id(step.key(), warehouses);
  }

  private Piece.Effect order(
      LongFunction<List<Long>> store, List<Step> steps, Map<String, Long> inputs) {
    Rows rows = rows(this, store, steps);
    long district = id(steps.get(0));
    long number = rows.add(Table.DISTRICT, district, 1, 1).get(1) - 1;
    long order = Table.order(district, number);
    long customer = Table.customer(district, steps.get(0).value());
    rows.put(Table.ORDER, order, List.of(customer, steps.size() - 1L, 0L));
    long total = 0;
    for (int line = 1; line < steps.size(); line++) {
      long item = id(steps.get(line));
      long supplier = steps.get(line).value() / QUANTITIES;
      long quantity = steps.get(line).value() % QUANTITIES;
      if (supplier == rows.warehouse) {
        supply(rows, item, quantity, 0);
      }
      long amount = quantity * Table.price(item);
      total += amount;
      rows.put(Table.LINE, Table.line(order, line), List.of(item, supplier, quantity, amount, 0L));
    }
    List<Long> row = rows.get(Table.CUSTOMER, customer);
    row.set(4, number);
    rows.put(Table.CUSTOMER, customer, row);
    return rows.done(steps, List.of(number, total), Map.of());
  }

  private Piece.Effect supplyOthers(
      LongFunction<List<Long>> store, List<Step> steps, Map<String, Long> inputs) {
    Rows rows = rows(this, store, steps);
    steps.forEach(step -> supply(rows, id(step), step.value(), 1));
    return rows.done(steps, List.of(), Map.of());
  }

  private static void supply(Rows rows, long item, long quantity, long remote) {
    List<Long> stock = rows.get(Table.STOCK, item);
    long left = stock.get(0) - quantity;
    rows.put(
        Table.STOCK,
        item,
        List.of(
            left >= 10 ? left : left + Table.REFILL,
            stock.get(1) + quantity,
            stock.get(2) + 1,
            stock.get(3) + remote));
  }

  private Piece.Effect local(Rows rows, List<Step> steps, boolean byName) {
    long who = byName ? middle(id(steps.get(1))) : id(steps.get(1));
    long amount = steps.get(0).value();
    pay(rows, who, amount);
    book(rows, id(steps.get(0)), key(rows, who), amount);
    return rows.done(steps, rows.get(Table.CUSTOMER, who), Map.of());
  }

  private Piece.Effect book(
      LongFunction<List<Long>> store, List<Step> steps, Map<String, Long> inputs) {
    Rows rows = rows(this, store, steps);
    long who = inputs.getOrDefault(WHO, steps.get(1).value());
    if (inputs.containsKey(WHO) && who == NOBODY) {
      throw new Rows.NoRow("no customer");
    }
    book(rows, id(steps.get(0)), who, steps.get(0).value());
    return rows.done(steps, List.of(), Map.of());
  }

  private static void book(Rows rows, long district, long customerKey, long amount) {
    rows.add(Table.DISTRICT, district, 0, amount);
    rows.add(Table.WAREHOUSE, 0, 0, amount);
    long payment = rows.add(Table.WAREHOUSE, 0, 1, 1).get(1);
    rows.put(Table.HISTORY, payment, List.of(customerKey, district, amount));
  }

  private Piece.Effect customer(Rows rows, List<Step> steps, boolean byName) {
    long who = byName ? middle(id(steps.get(0))) : id(steps.get(0));
    pay(rows, who, steps.get(0).value());
    return rows.done(
        steps, rows.get(Table.CUSTOMER, who), byName ? Map.of(WHO, key(rows, who)) : Map.of());
  }

  private static void pay(Rows rows, long customer, long amount) {
    rows.add(Table.CUSTOMER, customer, 0, -amount);
    rows.add(Table.CUSTOMER, customer, 1, amount);
    rows.add(Table.CUSTOMER, customer, 2, 1);
  }

  private long key(Rows rows, long customer) {
    return Table.CUSTOMER.key(rows.warehouse, warehouses, customer);
  }

  /** The middle one of the customers with a last name: first names go by number. */
  private static long middle(long firstOfName) {
    List<Long> found = new ArrayList<>();
    for (long number = firstOfName % Table.CUSTOMERS;
        number < Table.CUSTOMERS;
        number += Table.NAMES) {
      found.add(Table.customer(firstOfName / Table.CUSTOMERS, number));
    }
    return found.get(found.size() / 2);
  }

  private Piece.Effect orderStatus(
      LongFunction<List<Long>> store, List<Step> steps, Map<String, Long> inputs) {
    Rows rows = rows(this, store, steps);
    long named = id(steps.get(0));
    long who = steps.get(0).value() == 1 ? middle(named) : named;
    List<Long> found = rows.get(Table.CUSTOMER, who);
    long last = found.get(4);
    if (last > 0) {
      long order = Table.order(who / Table.CUSTOMERS, last);
      List<Long> row = rows.get(Table.ORDER, order);
      found.addAll(row);
      for (long line = 1; line <= row.get(1); line++) {
        found.addAll(rows.get(Table.LINE, Table.line(order, line)));
      }
    }
    return rows.done(steps, found, Map.of());
  }

  private Piece.Effect delivery(
      LongFunction<List<Long>> store, List<Step> steps, Map<String, Long> inputs) {
    Rows rows = rows(this, store, steps);
    List<Long> delivered = new ArrayList<>();
    for (long district = 0; district < Table.DISTRICTS; district++) {
      List<Long> row = rows.get(Table.DISTRICT, district);
      long number = row.get(2);
      if (number < row.get(1)) {
        rows.add(Table.DISTRICT, district, 2, 1);
        deliver(rows, Table.order(district, number), steps.get(0).value());
        delivered.add(Table.order(district, number));
      }
    }
    return rows.done(steps, delivered, Map.of());
  }

  private static void deliver(Rows rows, long order, long carrier) {
    List<Long> row = rows.get(Table.ORDER, order);
    rows.put(Table.ORDER, order, List.of(row.get(0), row.get(1), carrier));
    long total = 0;
    for (long number = 1; number <= row.get(1); number++) {
      total += rows.add(Table.LINE, Table.line(order, number), 4, 1).get(3);
    }
    rows.add(Table.CUSTOMER, row.get(0), 0, total);
    rows.add(Table.CUSTOMER, row.get(0), 3, 1);
  }

  private Piece.Effect stockLevel(
      LongFunction<List<Long>> store, List<Step> steps, Map<String, Long> inputs) {
    Rows rows = rows(this, store, steps);
    long district = id(steps.get(0));
    long next = rows.get(Table.DISTRICT, district).get(1);
    TreeSet<Long> items = new TreeSet<>();
    for (long number = Math.max(1, next - RECENT_ORDERS); number < next; number++) {
      long order = Table.order(district, number);
      long lines = rows.get(Table.ORDER, order).get(1);
      for (long line = 1; line <= lines; line++) {
        items.add(rows.get(Table.LINE, Table.line(order, line)).get(0));
      }
    }
    long threshold = steps.get(0).value();
    long low = items.stream().filter(i -> rows.get(Table.STOCK, i).get(0) < threshold).count();
    return rows.done(steps, List.of(low), Map.of());
  }
}
