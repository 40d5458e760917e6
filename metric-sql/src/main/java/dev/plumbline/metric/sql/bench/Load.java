package dev.plumbline.metric.sql.bench;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/**
 * Clients at every site, each with one transaction after the other and no pause. A transaction is
 * one statement that updates rows which no other client updates, and a commit.
 */
final class Load {
  /** Rows of a table that one client has to itself. */
  static final int ROWS = 50;

  /** With its number a row has 46 bytes, as in the paper (section 7.2). */
  private static final int TEXT = 42;

  private static final int MOST_CLIENTS = 12;
  private static final String SHARED = "shared";
  private static final String ROLLED_BACK = "40001";

  /**
   * What clients saw.
   *
   * @param latencies of committed transactions by site, microseconds, ascending
   * @param nacks attempts that were rolled back; the same transaction was tried again
   */
  record Seen(Map<String, List<Long>> latencies, long nacks) {}

  private final Map<String, String> urls;
  private final boolean shared;
  private final int rows;
  private final long from;
  private final long until;

  /**
   * @param urls by site
   * @param shared whether all sites use one table; else each has its own
   * @param rows that a transaction updates
   */
  private Load(Map<String, String> urls, boolean shared, int rows, long warmNanos, long nanos) {
    this.urls = urls;
    this.shared = shared;
    this.rows = rows;
    from = System.nanoTime() + warmNanos;
    until = from + nanos;
  }

  /** Statements that make the tables of some sites and fill them. */
  static List<String> schema(Iterable<String> sites) {
    List<String> tables = new ArrayList<>(List.of(SHARED));
    sites.forEach(site -> tables.add(own(site)));
    List<String> statements = new ArrayList<>();
    for (String table : tables) {
      statements.add(
          "create table " + table + " (id int primary key, v varchar(" + TEXT + ") not null)");
      List<String> all = new ArrayList<>();
      for (int id = 0; id < MOST_CLIENTS * (tables.size() - 1) * ROWS; id++) {
        all.add("(" + id + ", '" + "-".repeat(TEXT) + "')");
      }
      statements.add("insert into " + table + " values " + String.join(", ", all));
    }
    return statements;
  }

  private static String own(String site) {
    return "own_" + site.toLowerCase(Locale.ROOT);
  }

  /** Has so many clients a site work for a while, after they have warmed up. */
  static Seen run(
      Map<String, String> urls, boolean shared, int clients, int rows, long warmNanos, long nanos)
      throws InterruptedException, SQLException {
    return new Load(urls, shared, rows, warmNanos, nanos).run(clients);
  }

  /**
   * What one transaction takes at a site after so many at another, all of the shared table.
   *
   * @return milliseconds
   */
  static double takeover(String first, String second, int transactions, int rows)
      throws SQLException {
    try (Client one = new Client(first, SHARED, 0, rows);
        Client other = new Client(second, SHARED, 1, rows)) {
      for (int i = 0; i < transactions; i++) {
        one.update();
      }
      long begin = System.nanoTime();
      other.update();
      return (System.nanoTime() - begin) / 1e6;
    }
  }

  private Seen run(int clients) throws InterruptedException, SQLException {
    if (clients > MOST_CLIENTS || rows > ROWS) {
      throw new IllegalArgumentException("no rows for " + clients + " clients with " + rows);
    }
    Map<String, List<Long>> latencies = new TreeMap<>();
    long nacks = 0;
    ExecutorService threads = Executors.newCachedThreadPool();
    try {
      Map<Callable<Client>, String> work = new LinkedHashMap<>();
      int number = 0;
      for (String site : urls.keySet()) {
        latencies.put(site, new ArrayList<>());
        for (int i = 0; i < clients; i++) {
          int mine = number++;
          work.put(() -> work(site, mine), site);
        }
      }
      List<Future<Client>> done = new ArrayList<>();
      work.keySet().forEach(w -> done.add(threads.submit(w)));
      int i = 0;
      for (String site : work.values()) {
        Client client = done.get(i++).get();
        latencies.get(site).addAll(client.latencies);
        nacks += client.nacks;
      }
    } catch (ExecutionException e) {
      if (e.getCause() instanceof SQLException sql) {
        throw sql;
      }
      throw new IllegalStateException(e.getCause());
    } finally {
      threads.shutdownNow();
    }
    latencies.values().forEach(Collections::sort);
    return new Seen(latencies, nacks);
  }

  private Client work(String site, int number) throws SQLException {
    try (Client client = new Client(urls.get(site), shared ? SHARED : own(site), number, rows)) {
      // At least once, however long it took to get here.
      do {
        long begin = System.nanoTime();
        int nacks = client.update();
        long end = System.nanoTime();
        if (begin >= from && end < until) {
          client.latencies.add((end - begin) / 1_000);
          client.nacks += nacks;
        }
      } while (System.nanoTime() < until);
      return client;
    }
  }

  /** One connection, which updates its own rows. */
  private static final class Client implements AutoCloseable {
    final List<Long> latencies = new ArrayList<>();
    long nacks;
    private final Connection connection;
    private final PreparedStatement update;
    private int turn;

    Client(String url, String table, int number, int rows) throws SQLException {
      connection = DriverManager.getConnection(url);
      connection.setAutoCommit(false);
      update =
          connection.prepareStatement(
              "update "
                  + table
                  + " set v = ? where id >= "
                  + number * ROWS
                  + " and id < "
                  + (number * ROWS + rows));
    }

    /** Returns how often it was rolled back before it was committed. */
    int update() throws SQLException {
      String text = String.format(Locale.ROOT, "%0" + TEXT + "d", turn++);
      for (int nacks = 0; ; nacks++) {
        try {
          update.setString(1, text);
          update.executeUpdate();
          connection.commit();
          return nacks;
        } catch (SQLException e) {
          if (!ROLLED_BACK.equals(e.getSQLState())) {
            throw e;
          }
          connection.rollback();
        }
      }
    }

    @Override
    public void close() throws SQLException {
      connection.close();
    }
  }
}
