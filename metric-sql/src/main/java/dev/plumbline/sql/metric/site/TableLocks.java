package dev.plumbline.sql.metric.site;

import java.sql.SQLException;
import java.sql.SQLTransactionRollbackException;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/**
 * The tables of a site's transactions, each with one at a time. So what is local needs no isolation
 * of its own, and entries come into the log in the order in which they were committed here.
 */
final class TableLocks {
  private final Map<String, String> holders = new HashMap<>();
  private final Map<String, Set<String>> wanted = new HashMap<>();
  private final Duration patience;

  TableLocks(Duration patience) {
    this.patience = patience;
  }

  /** Takes the tables for a transaction, or throws; what it had before stays with it. */
  synchronized void lock(String transaction, Set<String> tables) throws SQLException {
    Set<String> more = new TreeSet<>(tables);
    more.removeIf(t -> transaction.equals(holders.get(t)));
    long end = System.nanoTime() + patience.toNanos();
    wanted.put(transaction, more);
    try {
      while (more.stream().anyMatch(holders::containsKey)) {
        if (inACircle(transaction)) {
          throw new SQLTransactionRollbackException(
              "deadlock: transactions of this site wait for each other's tables; this one wanted "
                  + more,
              "40P01");
        }
        long left = (end - System.nanoTime()) / 1_000_000;
        if (left <= 0) {
          throw new SQLTransactionRollbackException(
              "other transactions of this site have "
                  + taken(more)
                  + "; gave up after "
                  + patience.toMillis()
                  + " ms",
              "40001");
        }
        wait(left);
      }
      more.forEach(t -> holders.put(t, transaction));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new SQLException("interrupted while waiting for " + more, "57014", e);
    } finally {
      wanted.remove(transaction);
    }
  }

  /** Takes the tables if nobody has any of them. */
  synchronized boolean tryLock(String transaction, Set<String> tables) {
    if (tables.stream().anyMatch(holders::containsKey)) {
      return false;
    }
    tables.forEach(t -> holders.put(t, transaction));
    return true;
  }

  private Set<String> taken(Set<String> tables) {
    Set<String> taken = new TreeSet<>(tables);
    taken.retainAll(holders.keySet());
    return taken;
  }

  private boolean inACircle(String transaction) {
    Set<String> seen = new HashSet<>();
    Set<String> next = Set.of(transaction);
    while (!next.isEmpty()) {
      Set<String> after = new HashSet<>();
      for (String t : next) {
        for (String table : wanted.getOrDefault(t, Set.of())) {
          String holder = holders.get(table);
          if (transaction.equals(holder)) {
            return true;
          }
          if (holder != null && seen.add(holder)) {
            after.add(holder);
          }
        }
      }
      next = after;
    }
    return false;
  }

  synchronized void unlock(String transaction) {
    if (holders.values().removeIf(transaction::equals)) {
      notifyAll();
    }
  }
}
