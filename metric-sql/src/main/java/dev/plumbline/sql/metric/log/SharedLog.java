package dev.plumbline.sql.metric.log;

import dev.plumbline.sql.metric.log.MetricProcess.Logged;
import dev.plumbline.sql.metric.log.Nack.Kind;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * A redo log in memory for sites in one JVM, and the Metric process of each. A table that a site
 * has owned stays with it until another asks; a transaction that has not been heard of for a lease
 * loses its tables to whoever asks.
 */
public final class SharedLog {
  private static final class Hold {
    private final String site;
    private final Map<String, Long> epochs = new HashMap<>();
    private long heard;

    private Hold(String site) {
      this.site = site;
    }
  }

  /** Who waits for what; two that wait for the same are two. */
  private static final class Request {
    private final String site;
    private final Set<String> tables;

    private Request(String site, Set<String> tables) {
      this.site = site;
      this.tables = tables;
    }
  }

  private record Owner(String site, long epoch) {}

  private final List<Logged> entries = new ArrayList<>();
  private final Map<String, List<Logged>> byTable = new HashMap<>();
  private final Map<String, Owner> owners = new HashMap<>();
  private final Map<String, Hold> holds = new HashMap<>();
  private final List<Request> waiting = new ArrayList<>();
  private final long patience;
  private final long lease;
  private long moves;

  public SharedLog(Duration patience, Duration lease) {
    this.patience = patience.toNanos();
    this.lease = lease.toNanos();
  }

  /** How often a table went from one site to another. */
  public synchronized long moves() {
    return moves;
  }

  /** How many entries there are. */
  public synchronized int size() {
    return entries.size();
  }

  /** The Metric process of a site. */
  public MetricProcess process(String site) {
    return new Local(site);
  }

  private boolean live(Hold hold) {
    return System.nanoTime() - hold.heard < lease;
  }

  /** Another site's transaction that has the table and is alive; one that is not loses it. */
  private boolean taken(String table, String site) {
    for (Hold hold : holds.values()) {
      if (!hold.site.equals(site)
          && hold.epochs.containsKey(table)
          && current(hold, table)
          && live(hold)) {
        return true;
      }
    }
    return false;
  }

  private boolean current(Hold hold, String table) {
    Owner owner = owners.get(table);
    return owner != null && owner.site.equals(hold.site) && owner.epoch == hold.epochs.get(table);
  }

  private boolean promised(Request mine) {
    for (Request earlier : waiting) {
      if (earlier.equals(mine)) {
        return false;
      }
      if (!earlier.site.equals(mine.site)
          && earlier.tables.stream().anyMatch(mine.tables::contains)) {
        return true;
      }
    }
    return false;
  }

  private final class Local implements MetricProcess {
    private final String site;

    private Local(String site) {
      this.site = site;
    }

    private String key(String transaction) {
      return site + " " + transaction;
    }

    /** Every hold of the transaction is still good. */
    private void heard(Hold hold) throws Nack {
      for (String table : hold.epochs.keySet()) {
        if (!current(hold, table)) {
          throw new Nack(
              Kind.LOST, "the table " + table + " was taken by another site: its lease was over");
        }
      }
      hold.heard = System.nanoTime();
    }

    @Override
    public void own(String transaction, Set<String> tables) throws Nack {
      synchronized (SharedLog.this) {
        Hold hold = holds.get(key(transaction));
        boolean first = hold == null;
        if (first) {
          hold = new Hold(site);
        } else {
          heard(hold);
        }
        Set<String> more = new TreeSet<>(tables);
        more.removeAll(hold.epochs.keySet());
        Request request = new Request(site, more);
        if (first) {
          waiting.add(request);
        }
        try {
          long end = System.nanoTime() + patience;
          while (more.stream().anyMatch(t -> taken(t, site)) || (first && promised(request))) {
            long left = (end - System.nanoTime()) / 1_000_000;
            if (left <= 0) {
              throw new Nack(
                  Kind.BUSY,
                  "the tables "
                      + more
                      + " are in use at another site; gave up after "
                      + patience / 1_000_000
                      + " ms");
            }
            try {
              SharedLog.this.wait(Math.min(left, 20));
            } catch (InterruptedException e) {
              Thread.currentThread().interrupt();
              throw new Nack(Kind.BUSY, "interrupted while waiting for " + more);
            }
          }
        } finally {
          waiting.remove(request);
          SharedLog.this.notifyAll();
        }
        for (String table : more) {
          Owner owner = owners.get(table);
          if (owner == null || !owner.site.equals(site)) {
            moves += owner == null ? 0 : 1;
            owner = new Owner(site, owner == null ? 1 : owner.epoch + 1);
            owners.put(table, owner);
          }
          hold.epochs.put(table, owner.epoch);
        }
        heard(hold);
        holds.put(key(transaction), hold);
      }
    }

    @Override
    public List<Logged> since(Map<String, Long> positions) {
      synchronized (SharedLog.this) {
        Map<Long, Logged> found = new TreeMap<>();
        positions.forEach(
            (table, position) -> {
              List<Logged> all = byTable.getOrDefault(table, List.of());
              for (int i = all.size() - 1; i >= 0 && all.get(i).position() > position; i--) {
                found.put(all.get(i).position(), all.get(i));
              }
            });
        return List.copyOf(found.values());
      }
    }

    @Override
    public long append(String transaction, Set<String> changed, byte[] entry) throws Nack {
      synchronized (SharedLog.this) {
        Hold hold = holds.get(key(transaction));
        if (hold == null || !hold.epochs.keySet().containsAll(changed)) {
          throw new Nack(Kind.LOST, "the transaction does not own all of " + changed);
        }
        heard(hold);
        Logged logged = new Logged(entries.size() + 1L, Set.copyOf(changed), entry.clone());
        entries.add(logged);
        changed.forEach(t -> byTable.computeIfAbsent(t, x -> new ArrayList<>()).add(logged));
        return logged.position();
      }
    }

    @Override
    public void confirm(String transaction) throws Nack {
      synchronized (SharedLog.this) {
        Hold hold = holds.get(key(transaction));
        if (hold == null) {
          throw new Nack(Kind.LOST, "the transaction owns nothing");
        }
        heard(hold);
      }
    }

    @Override
    public void release(String transaction) {
      synchronized (SharedLog.this) {
        holds.remove(key(transaction));
        SharedLog.this.notifyAll();
      }
    }
  }
}
