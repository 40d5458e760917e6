package dev.plumbline.metric;

import java.util.List;

/** What service replicas ask of a Metric process. */
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
}
