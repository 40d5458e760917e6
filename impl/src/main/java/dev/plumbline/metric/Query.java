package dev.plumbline.metric;

import java.util.List;
import java.util.SortedSet;
import java.util.TreeSet;

/** A query: statements whose tables are acquired together. */
public record Query(List<Statement> statements) {

  public Query {
    statements = List.copyOf(statements);
  }

  /** The table-set: every table that the query reads or writes (section 3.1, Listing 1). */
  SortedSet<String> tables() {
    SortedSet<String> tables = new TreeSet<>();
    statements.forEach(s -> tables.add(s.table()));
    return tables;
  }
}
