package dev.plumbline.metric.sql.site;

import java.sql.SQLException;
import java.sql.SQLTransactionRollbackException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashSet;
import java.util.Set;

/**
 * Whose turn it is at a site. Its Metric process runs one transaction at a time (the paper's
 * section 3.2), so the local database needs no isolation of its own, and entries come into the log
 * in the order in which they were committed here. Who asks first is next.
 */
final class Turn {
  private final Duration patience;
  private final Deque<String> waiting = new ArrayDeque<>();
  private final Set<String> stopped = new HashSet<>();
  private String holder;

  Turn(Duration patience) {
    this.patience = patience;
  }

  /** Waits for the transaction's turn, or throws; it may have it already. */
  synchronized void take(String transaction) throws SQLException {
    if (is(transaction)) {
      return;
    }
    long end = System.nanoTime() + patience.toNanos();
    waiting.add(transaction);
    try {
      while (holder != null || !waiting.getFirst().equals(transaction)) {
        if (stopped.contains(transaction)) {
          throw new SQLException("it waits no more for other transactions of this site", "57014");
        }
        long left = (end - System.nanoTime()) / 1_000_000;
        if (left <= 0) {
          throw new SQLTransactionRollbackException(
              "another transaction of this site is at work; gave up after "
                  + patience.toMillis()
                  + " ms",
              "40001");
        }
        wait(left);
      }
      holder = transaction;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new SQLException("interrupted while waiting for other transactions", "57014", e);
    } finally {
      waiting.remove(transaction);
      stopped.remove(transaction);
      notifyAll();
    }
  }

  /** A transaction that waits does not any more. */
  synchronized void stop(String transaction) {
    if (waiting.contains(transaction)) {
      stopped.add(transaction);
      notifyAll();
    }
  }

  /** Takes the turn if nobody has it or waits for it. */
  synchronized boolean tryTake(String transaction) {
    if (holder != null || !waiting.isEmpty()) {
      return false;
    }
    holder = transaction;
    return true;
  }

  synchronized boolean is(String transaction) {
    return transaction.equals(holder);
  }

  synchronized void over(String transaction) {
    if (is(transaction)) {
      holder = null;
      notifyAll();
    }
  }
}
