package dev.plumbline.metric.sql.site;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Set;
import java.util.TreeSet;

/**
 * The tables that transactions used which began with the same statement. Whoever owns all of them
 * at first need not wait in the middle of a transaction, where another site may hold what it waits
 * for and wait for what it has. A table that none of the last few used is not expected any more.
 */
final class Footprint {
  /** A program's branches come up in so many transactions; more would keep tables from others. */
  private static final int TRANSACTIONS = 8;

  private final Deque<Set<String>> last = new ArrayDeque<>();

  /** What the next such transaction is expected to use. */
  synchronized Set<String> tables() {
    Set<String> all = new TreeSet<>();
    last.forEach(all::addAll);
    return all;
  }

  /** One more transaction has ended. */
  synchronized void add(Set<String> used) {
    last.add(Set.copyOf(used));
    if (last.size() > TRANSACTIONS) {
      last.remove();
    }
  }
}
