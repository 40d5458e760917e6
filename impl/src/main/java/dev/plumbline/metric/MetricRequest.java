package dev.plumbline.metric;

import java.util.Collections;
import java.util.List;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;

/** What is asked of a Metric process: by service replicas, or by a site that leads transactions. */
public sealed interface MetricRequest {

  /** A transaction, whole. Whoever sends it again gives it the same name. */
  record Transact(RequestId id, List<Query> queries) implements MetricRequest {
    private static final String CLIENT = "[A-Za-z0-9._-]{1,64}";
    private static final int MOST_STATEMENTS = 1_000;
    private static final int LONGEST_ROW = 256;

    public Transact {
      queries = List.copyOf(queries);
    }

    /** What no process can do about it, where there are these tables; empty if it makes sense. */
    String wrong(List<String> tables) {
      List<Statement> all = queries.stream().flatMap(q -> q.statements().stream()).toList();
      if (!id.client().matches(CLIENT) || id.number() < 1) {
        return "a request has a client's name of 1 to 64 letters, digits, dots, dashes and"
            + " underscores, and a number from 1 on";
      } else if (queries.isEmpty() || queries.stream().anyMatch(q -> q.statements().isEmpty())) {
        return "a transaction has a query at least, and a query a statement";
      } else if (all.size() > MOST_STATEMENTS) {
        return "a transaction has " + MOST_STATEMENTS + " statements at most, not " + all.size();
      }
      for (Statement s : all) {
        if (!tables.contains(s.table())) {
          return "there is no table " + s.table() + "; there are " + String.join(", ", tables);
        } else if (s.row().isEmpty() || s.row().length() > LONGEST_ROW) {
          return "a row has a name of 1 to " + LONGEST_ROW + " characters";
        }
      }
      return "";
    }
  }

  /** What a site asks, for a transaction that it leads query by query. */
  interface OfLeader {
    /** The transaction's name among those of one connection. */
    String transaction();
  }

  /**
   * A query's tables.
   *
   * @param first whether it is the transaction's first query, which begins it as soon as no other
   *     one runs
   * @param leaseMicros after so long without a word of it the transaction is given up
   */
  record Own(String transaction, boolean first, long leaseMicros, SortedSet<String> tables)
      implements MetricRequest, OfLeader {

    public Own {
      tables = Collections.unmodifiableSortedSet(new TreeSet<>(tables));
    }
  }

  /**
   * What the redo log has after these positions. In a transaction nothing of its tables is missing.
   * Outside of one, which then has no name, the last entry may be.
   */
  record Since(String transaction, SortedMap<String, Position> positions)
      implements MetricRequest, OfLeader {

    public Since {
      positions = Collections.unmodifiableSortedMap(new TreeMap<>(positions));
    }
  }

  /**
   * What the transaction changed, in the site's own form: the commit point.
   *
   * @param tables those that it changed
   * @param last whether all of the text is there with this; before, it is only kept
   */
  record Append(String transaction, SortedSet<String> tables, String redo, boolean last)
      implements MetricRequest, OfLeader {

    public Append {
      tables = Collections.unmodifiableSortedSet(new TreeSet<>(tables));
    }
  }

  /** The end of a transaction that changed nothing (repair {@code readCheck}). */
  record Confirm(String transaction) implements MetricRequest, OfLeader {}

  /** The transaction is at work. */
  record Keep(String transaction) implements MetricRequest, OfLeader {}

  /** The transaction is over, or given up. */
  record Release(String transaction) implements MetricRequest, OfLeader {}
}
