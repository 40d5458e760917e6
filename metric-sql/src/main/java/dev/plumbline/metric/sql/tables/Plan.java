package dev.plumbline.metric.sql.tables;

import dev.plumbline.metric.sql.tables.Catalog.Mode;
import dev.plumbline.metric.sql.tables.Catalog.Use;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;

/** What a statement is, and the tables and sequences that it reads and writes. */
public record Plan(Kind kind, Set<Use> uses) {

  /** What is to be done with it. */
  public enum Kind {
    /** Run it once its tables are owned. */
    STATEMENT,
    /** Run it: it has to do with this connection alone. */
    SETTING,
    /** The same, within a transaction alone. */
    SAVEPOINT,
    /** It changes the schema: in initialization alone. */
    DDL,
    COMMIT,
    ROLLBACK,
    /** It says what holds anyway: nothing is run. */
    NOTHING
  }

  public Plan {
    uses = Set.copyOf(uses);
  }

  /** The names of all tables and sequences. */
  public Set<String> tables() {
    return uses.stream().map(Use::relation).collect(Collectors.toCollection(TreeSet::new));
  }

  /** The names of those that may be written. */
  public Set<String> written() {
    return uses.stream()
        .filter(u -> u.mode() == Mode.WRITE)
        .map(Use::relation)
        .collect(Collectors.toCollection(TreeSet::new));
  }
}
