package dev.plumbline.metric.sql.tables;

import dev.plumbline.metric.sql.tables.Lexer.Kind;
import dev.plumbline.metric.sql.tables.Lexer.Token;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * What a database's catalog says of tables, views, sequences and functions, and what each draws in.
 * A relation that is written draws in its foreign keys in both directions, its triggers and its
 * sequences; a view draws in what it reads. Bodies of functions are read by their names: every name
 * in one that is a table's counts, and one with SQL that it makes itself is refused.
 */
public final class Catalog {

  /** How a relation is used. */
  public enum Mode {
    READ,
    WRITE
  }

  /** What a relation is. */
  public enum Type {
    TABLE,
    VIEW,
    SEQUENCE,
    /** Its contents are not what triggers capture. */
    FOREIGN
  }

  /** A relation and how it is used. */
  public record Use(String relation, Mode mode) {}

  /** Advisory locks have one name, so that they exclude each other at all sites. */
  public static final String ADVISORY = "#advisory";

  /** What the name of a counter of MariaDB's has behind its table's. */
  public static final String COUNTER = "#auto_increment";

  /** Why MariaDB's UPDATE IGNORE is refused. */
  public static final String UPDATE_IGNORE =
      "UPDATE IGNORE fires triggers for rows that it then leaves as they were, and other sites would change them; use UPDATE"
          + " with a WHERE";

  private static final Set<String> MAKES_SQL =
      Set.of("execute", "prepare", "create", "alter", "drop", "copy", "truncate");

  /** Schemas of MariaDB's own whose tables have no capture. */
  private static final Set<String> OTHERS = Set.of("mysql", "sys", "performance_schema");

  private static final Token END = new Token(Kind.MARK, "\0", -1);

  private final Lexer.Rules rules;
  private final Map<String, Type> relations = new TreeMap<>();
  private final Map<String, Set<String>> bySimpleName = new HashMap<>();
  private final Map<String, Set<String>> spaces = new HashMap<>();
  private final Map<Use, Set<Use>> draws = new HashMap<>();
  private final Map<Use, Set<String>> calls = new HashMap<>();
  private final Map<String, List<String>> bodies = new HashMap<>();
  private final Map<Use, String> hidden = new HashMap<>();
  private final Set<String> implicit = new TreeSet<>();
  private final Set<String> barred = new HashSet<>();
  private final Set<String> system = new HashSet<>();
  private final Set<String> settings = new HashSet<>();
  private final Set<String> reserved = new HashSet<>();

  public Catalog(Lexer.Rules rules) {
    this.rules = rules;
  }

  public Lexer.Rules rules() {
    return rules;
  }

  public void relation(String schema, String name, Type type) {
    String full = rules.quoted(schema, name);
    relations.put(full, type);
    bySimpleName.computeIfAbsent(name, n -> new TreeSet<>()).add(full);
    spaces.computeIfAbsent(schema, s -> new TreeSet<>()).add(name);
  }

  /**
   * Whoever uses the first so uses the second so too. Names that are no relations of users are of
   * no account.
   */
  public void draws(String first, Mode mode, String second, Mode then) {
    if (relations.containsKey(first) && relations.containsKey(second)) {
      draws.computeIfAbsent(new Use(first, mode), u -> new HashSet<>()).add(new Use(second, then));
    }
  }

  /** Whoever uses the relation so calls the function. */
  public void calls(String relation, Mode mode, String function) {
    calls.computeIfAbsent(new Use(relation, mode), u -> new TreeSet<>()).add(function);
  }

  /**
   * Whoever uses the relation so runs this SQL as well. What it reads and which functions of users
   * it calls is told apart from it; the database's own functions are found here.
   */
  public void runs(String relation, Mode mode, String sql) throws Refused {
    Use use = new Use(relation, mode);
    List<Token> tokens = Lexer.tokens(rules, sql);
    for (int i = 0; i + 1 < tokens.size(); i++) {
      Token t = tokens.get(i);
      if (t.name() && tokens.get(i + 1).mark('(') && barred(t.text())) {
        hidden.put(use, t.text());
      } else if (advisory(t.text())) {
        draws.computeIfAbsent(use, u -> new HashSet<>()).add(new Use(ADVISORY, Mode.WRITE));
      }
    }
  }

  /**
   * Whoever writes the relation changes what this SQL says, as the text of a view or rule. That
   * must be nothing of the database's own catalog, which no trigger captures.
   */
  public void changes(String relation, String sql) throws Refused {
    for (Token t : Lexer.tokens(rules, sql)) {
      if (t.name() && (isSystem(List.of(t.text())) || isSystem(List.of(t.text(), "")))) {
        hidden.put(new Use(relation, Mode.WRITE), t.text());
      }
    }
  }

  /** A function of users. The body is null where it cannot be read. */
  public void function(String name, String body) {
    bodies.computeIfAbsent(name, n -> new ArrayList<>()).add(body == null ? "execute" : body);
  }

  /** A function that any statement may call without its name. */
  public void implicit(String function) {
    implicit.add(function);
  }

  /**
   * A function of the database that reaches tables or keeps state by ways that no name shows, or
   * another name that does not stand in a function of users.
   */
  public void bar(String function) {
    barred.add(function);
  }

  /** A relation of the database's own catalog. */
  public void system(String name) {
    system.add(name);
  }

  /** What settings begin with that are Metric's own, or of an extension of the database's. */
  public void settings(String prefix) {
    settings.add(prefix.toLowerCase(Locale.ROOT));
  }

  /** A setting whose name begins so, before its dot, is not the application's own. */
  boolean sets(String prefix) {
    return settings.contains(prefix.toLowerCase(Locale.ROOT));
  }

  /** A word that is never a name. */
  public void reserve(String word) {
    reserved.add(word);
  }

  public boolean reserved(String word) {
    return reserved.contains(word);
  }

  public boolean barred(String function) {
    return barred.contains(
        rules == Lexer.Rules.MARIADB ? function.toLowerCase(Locale.ROOT) : function);
  }

  /** The function locks what only its own arguments name, to the end of the transaction. */
  static boolean advisory(String function) {
    return function.equals("pg_advisory_xact_lock") || function.equals("pg_try_advisory_xact_lock");
  }

  public boolean function(String name) {
    return bodies.containsKey(name);
  }

  public Type type(String relation) {
    return relations.get(relation);
  }

  /** All tables with rows. */
  public Set<String> tables() {
    Set<String> tables = new TreeSet<>();
    relations.forEach(
        (name, type) -> {
          if (type == Type.TABLE) {
            tables.add(name);
          }
        });
    return tables;
  }

  /** All sequences, those of identity columns among them. */
  public Set<String> sequences() {
    Set<String> sequences = new TreeSet<>();
    relations.forEach(
        (name, type) -> {
          if (type == Type.SEQUENCE) {
            sequences.add(name);
          }
        });
    return sequences;
  }

  /** What is read by who asks MariaDB for the next numbers of its tables. */
  Set<Use> counters() {
    Set<Use> counters = new HashSet<>();
    for (String sequence : sequences()) {
      if (sequence.endsWith(COUNTER + "`")) {
        counters.add(new Use(sequence, Mode.READ));
      }
    }
    return counters;
  }

  /** Relations with this name in whatever schema. */
  public Set<String> named(String name) {
    return bySimpleName.getOrDefault(name, Set.of());
  }

  /** The relation that a name means; null if it is the database's own or none. */
  public String resolve(List<String> name, List<String> searchPath) {
    int n = name.size();
    if (n > 1) {
      String schema = name.get(n - 2);
      return spaces.getOrDefault(schema, Set.of()).contains(name.get(n - 1))
          ? rules.quoted(schema, name.get(n - 1))
          : null;
    }
    for (String schema : searchPath) {
      if (spaces.getOrDefault(schema, Set.of()).contains(name.get(0))) {
        return rules.quoted(schema, name.get(0));
      }
    }
    return null;
  }

  /** The name means a relation of the database's own catalog. */
  public boolean isSystem(List<String> name) {
    int n = name.size();
    return (n > 1 && system.contains(name.get(n - 2) + "."))
        || (n == 1 && system.contains(name.get(0)));
  }

  /** All that is used by those who use these relations and call these functions. */
  public Set<Use> closure(Collection<Use> uses, Collection<String> functions, String sql)
      throws Refused {
    Set<Use> all = new HashSet<>();
    Set<String> called = new HashSet<>();
    Deque<Use> toUse = new ArrayDeque<>(uses);
    Deque<String> toCall = new ArrayDeque<>(functions);
    toCall.addAll(implicit);
    while (!toUse.isEmpty() || !toCall.isEmpty()) {
      if (!toUse.isEmpty()) {
        Use use = toUse.poll();
        if (all.add(use)) {
          if (relations.get(use.relation) == Type.FOREIGN) {
            throw new Refused(
                Refused.UNSUPPORTED,
                use.relation
                    + " is a foreign table or a materialized view, which no trigger captures",
                sql);
          }
          if (hidden.containsKey(use)) {
            throw new Refused(
                Refused.UNSUPPORTED,
                use.relation
                    + " has "
                    + hidden.get(use)
                    + ", which reaches data or keeps state by ways that its name does not show",
                sql);
          }
          toUse.addAll(draws.getOrDefault(use, Set.of()));
          toCall.addAll(calls.getOrDefault(use, Set.of()));
          if (use.mode == Mode.WRITE) {
            toUse.add(new Use(use.relation, Mode.READ));
          }
        }
      } else {
        String function = toCall.poll();
        if (called.add(function)) {
          for (String body : bodies.getOrDefault(function, List.of())) {
            read(function, body, toUse, toCall, sql);
          }
        }
      }
    }
    return all;
  }

  private void read(
      String function, String body, Collection<Use> uses, Collection<String> functions, String sql)
      throws Refused {
    List<Token> tokens = Lexer.body(rules, body);
    for (int i = 0; i < tokens.size(); i++) {
      Token t = tokens.get(i);
      if (t.kind() == Kind.STRING) {
        for (String part : t.text().split("[^\\p{L}\\p{N}_$]+", -1)) {
          named(part).forEach(r -> uses.add(new Use(r, Mode.WRITE)));
        }
      } else if (t.name()) {
        String word = t.text();
        String hidden = hidden(tokens, i);
        if (hidden != null) {
          throw new Refused(
              Refused.UNSUPPORTED,
              "the function or trigger "
                  + function
                  + " has "
                  + hidden
                  + ", so that its tables and changes cannot be determined",
              sql);
        }
        if (advisory(word)) {
          uses.add(new Use(ADVISORY, Mode.WRITE));
        }
        if (word.equalsIgnoreCase("auto_increment")) {
          uses.addAll(counters());
        }
        if (t.kind() == Kind.QUOTED || !reserved(word)) {
          named(word).forEach(r -> uses.add(new Use(r, Mode.WRITE)));
        }
        String called = rules == Lexer.Rules.MARIADB ? word.toLowerCase(Locale.ROOT) : word;
        if (function(called)) {
          functions.add(called);
        }
      }
    }
  }

  /** What of a body begins with a name and hides tables or changes; null if that does not. */
  private String hidden(List<Token> tokens, int at) {
    Token t = tokens.get(at);
    Token before = at == 0 ? END : tokens.get(at - 1);
    Token after = at + 1 == tokens.size() ? END : tokens.get(at + 1);
    if (t.is("do")) {
      // A loop, or ON CONFLICT.
      boolean known = rules == Lexer.Rules.MARIADB || after.is("nothing") || after.is("update");
      return known ? null : t.text();
    } else if (t.is("constraints") && before.is("set")) {
      return "SET CONSTRAINTS";
    } else if (rules == Lexer.Rules.MARIADB && ignores(tokens, at)) {
      return "UPDATE IGNORE";
    } else if (t.is("update") || t.is("into") || (t.is("from") && before.is("delete"))) {
      List<String> target = name(tokens, after.is("only") ? at + 2 : at + 1);
      return isSystem(target) ? "a change of " + String.join(".", target) : null;
    }
    if (rules == Lexer.Rules.MARIADB
        && after.mark('.')
        && OTHERS.contains(t.text().toLowerCase(Locale.ROOT))) {
      return t.text();
    }
    if (rules == Lexer.Rules.POSTGRESQL && t.text().equals("setval") && after.mark('(')) {
      // What is set back stays so when the statement fails, and then no lock says of which sequence
      // it was.
      boolean serial = at + 2 < tokens.size() && tokens.get(at + 2).is("pg_get_serial_sequence");
      return constant(tokens, serial ? at + 4 : at + 2) ? null : "setval of what is no constant";
    }
    boolean makes = t.kind() == Kind.WORD && MAKES_SQL.contains(t.text().toLowerCase(Locale.ROOT));
    return makes || barred(t.text()) ? t.text() : null;
  }

  /** A string, perhaps with its type, is all of an argument that others follow. */
  private static boolean constant(List<Token> tokens, int at) {
    int i = at + 1;
    while (i + 1 < tokens.size() && tokens.get(i).text().equals("::")) {
      i += 2;
    }
    return i < tokens.size() && tokens.get(at).kind() == Kind.STRING && tokens.get(i).mark(',');
  }

  /** MariaDB's UPDATE IGNORE begins at an index. */
  public static boolean ignores(List<Token> tokens, int at) {
    int next = at + 1 < tokens.size() && tokens.get(at + 1).is("low_priority") ? at + 2 : at + 1;
    return tokens.get(at).is("update") && next < tokens.size() && tokens.get(next).is("ignore");
  }

  /** The name, with dots, that begins at an index. */
  private static List<String> name(List<Token> tokens, int from) {
    List<String> name = new ArrayList<>();
    for (int i = from; i < tokens.size() && tokens.get(i).name(); i += 2) {
      name.add(tokens.get(i).text());
      if (i + 1 == tokens.size() || !tokens.get(i + 1).mark('.')) {
        break;
      }
    }
    return name;
  }
}
