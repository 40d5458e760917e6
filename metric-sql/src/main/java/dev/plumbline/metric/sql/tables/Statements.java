package dev.plumbline.metric.sql.tables;

import dev.plumbline.metric.sql.tables.Catalog.Mode;
import dev.plumbline.metric.sql.tables.Catalog.Use;
import dev.plumbline.metric.sql.tables.Lexer.Kind;
import dev.plumbline.metric.sql.tables.Lexer.Token;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;

/**
 * Finds the tables of one statement. Queries go to Calcite; the frame of INSERT, UPDATE, DELETE and
 * MERGE is read here, their queries and subqueries by Calcite. Names that mean no relation must be
 * the statement's own common table expressions; a name that could be both counts as a table.
 */
public final class Statements {
  private static final Set<String> QUERY = Set.of("select", "with", "values", "table");
  private static final Set<String> DDL =
      Set.of(
          "create",
          "alter",
          "drop",
          "comment",
          "grant",
          "revoke",
          "rename",
          "refresh",
          "reindex",
          "security");
  private static final Set<String> SETTINGS =
      Set.of(
          "application_name",
          "client_min_messages",
          "statement_timeout",
          "lock_timeout",
          "timezone",
          "time",
          "idle_in_transaction_session_timeout",
          "extra_float_digits",
          "work_mem",
          "names",
          "net_write_timeout",
          "net_read_timeout",
          "wait_timeout",
          "group_concat_max_len",
          "max_statement_time",
          "time_zone",
          "lc_time_names",
          "jit",
          "innodb_lock_wait_timeout",
          "enable_seqscan",
          "enable_hashjoin",
          "enable_nestloop",
          "enable_mergejoin");

  /** What these tell is of the last statement of the connection, which may be one of Metric's. */
  private static final Set<String> OF_THE_LAST = Set.of("lastval", "found_rows", "row_count");

  /** And these of what Metric itself does with the connection. */
  private static final Set<String> OF_METRIC =
      Set.of("autocommit", "in_transaction", "error_count", "warning_count");

  /**
   * Reserved words of PostgreSQL that have a value by themselves, which is no constant; each may be
   * an item of a FROM.
   */
  public static final Set<String> VALUES =
      Set.of(
          "current_catalog",
          "current_date",
          "current_role",
          "current_schema",
          "current_time",
          "current_timestamp",
          "current_user",
          "localtime",
          "localtimestamp",
          "session_user",
          "system_user",
          "user");

  /** Modes that change neither what a statement means nor how it is captured. */
  private static final Set<String> MODES =
      Set.of(
          "STRICT_TRANS_TABLES",
          "STRICT_ALL_TABLES",
          "TRADITIONAL",
          "ERROR_FOR_DIVISION_BY_ZERO",
          "NO_AUTO_CREATE_USER",
          "NO_AUTO_VALUE_ON_ZERO",
          "NO_ENGINE_SUBSTITUTION",
          "NO_ZERO_DATE",
          "NO_ZERO_IN_DATE",
          "ONLY_FULL_GROUP_BY");

  /** One of these has a value that does not fit refused, and not cut. */
  private static final Set<String> STRICT =
      Set.of("STRICT_TRANS_TABLES", "STRICT_ALL_TABLES", "TRADITIONAL");

  /** A setting of an application's own. */
  private static final Pattern CUSTOM = Pattern.compile("[a-zA-Z_]\\w*(\\.[a-zA-Z_]\\w*)+");

  private static final Token END = new Token(Kind.MARK, "\0", -1);

  /** Stands for the sql_mode that is set, which has passed here. No text of a statement has it. */
  private static final String CURRENT = "\0";

  /** Is no mode, and part of none. */
  private static final String UNKNOWN = "?";

  private static final Set<String> UTF8 = Set.of("utf8", "utf8mb3", "utf8mb4");

  private final Catalog catalog;
  private final List<String> searchPath;
  private final String sql;
  private final Set<Use> uses = new HashSet<>();
  private final Set<String> expressions = new HashSet<>();
  private final List<List<String>> unresolved = new ArrayList<>();

  /** It names the view of MariaDB's that tells counters. */
  private boolean tellsCounters;

  /** It sets a variable of MariaDB's sessions, and what it is set to is read. */
  private boolean assigns;

  private List<Token> tokens;
  private int at;
  private int end;

  private Statements(Catalog catalog, List<String> searchPath, String sql, List<Token> tokens) {
    this.catalog = catalog;
    this.searchPath = searchPath;
    this.sql = sql;
    this.tokens = tokens;
    this.end = tokens.size();
  }

  /** What the statement is and uses, or a refusal that names it. */
  public static Plan plan(Catalog catalog, List<String> searchPath, String sql) throws Refused {
    List<Token> tokens = named(Lexer.statement(catalog.rules(), sql));
    if (tokens.isEmpty()) {
      return new Plan(Plan.Kind.NOTHING, Set.of());
    }
    return new Statements(catalog, searchPath, sql, tokens).plan();
  }

  /**
   * The tokens, with those words quoted that are names by where they stand, whatever they mean
   * elsewhere: behind a dot or AS, and a WITH's query that is called recursive.
   */
  private static List<Token> named(List<Token> tokens) {
    List<Token> named = new ArrayList<>(tokens);
    for (int i = 1; i < named.size(); i++) {
      Token t = named.get(i);
      Token before = named.get(i - 1);
      Token after = i + 1 < named.size() ? named.get(i + 1) : t;
      boolean body =
          (t.is("materialized") && after.mark('(')) || (t.is("not") && after.is("materialized"));
      if (t.kind() == Kind.WORD
          && (before.mark('.')
              || (before.is("as") && !body)
              || (before.is("with") && t.is("recursive") && (after.is("as") || after.mark('('))))) {
        named.set(i, new Token(Kind.QUOTED, t.text(), t.at()));
      }
    }
    return named;
  }

  private Refused refused(String why) {
    return new Refused(Refused.UNSUPPORTED, why, sql);
  }

  private Token peek(int ahead) {
    return at + ahead < end ? tokens.get(at + ahead) : END;
  }

  private boolean take(String word) {
    if (peek(0).is(word)) {
      at++;
      return true;
    }
    return false;
  }

  private void expect(String word) throws Refused {
    if (!take(word)) {
      throw new Refused(Refused.SYNTAX, word.toUpperCase(Locale.ROOT) + " is missing", sql);
    }
  }

  private Plan plan() throws Refused {
    Token first = peek(0);
    int open = 0;
    while (peek(open).mark('(')) {
      open++;
    }
    String word = peek(open).text().toLowerCase(Locale.ROOT);
    if (first.kind() != Kind.WORD && open == 0) {
      throw new Refused(Refused.SYNTAX, "it begins with no word", sql);
    }
    if (DDL.contains(word)
        || (maria() && (word.equals("truncate") || word.equals("lock") || word.equals("unlock")))) {
      return new Plan(Plan.Kind.DDL, Set.of());
    }
    switch (word) {
      case "begin", "start" -> throw refused("a transaction begins by setAutoCommit(false)");
      case "commit", "end" -> {
        return alone(Plan.Kind.COMMIT);
      }
      case "rollback", "abort" -> {
        return tokens.stream().anyMatch(t -> t.is("to"))
            ? new Plan(Plan.Kind.SAVEPOINT, Set.of())
            : alone(Plan.Kind.ROLLBACK);
      }
      case "savepoint", "release" -> {
        return new Plan(Plan.Kind.SAVEPOINT, Set.of());
      }
      case "set" -> {
        if (maria() && peek(1).is("statement")) {
          settingsOf();
          statement();
        } else {
          Plan set = set();
          if (!assigns) {
            return set;
          }
        }
      }
      case "reset" -> {
        boolean known = tokens.size() == 2 && SETTINGS.contains(peek(1).text());
        if (maria() || !(known || (tokens.size() == 4 && custom(1)))) {
          throw refused("it may change what a statement means or what is captured");
        }
        return new Plan(Plan.Kind.SETTING, Set.of());
      }
      case "show" -> {
        if (maria() && (peek(1).is("warnings") || peek(1).is("errors") || peek(2).mark('('))) {
          throw refused(
              "what it tells may be of a statement of Metric's own; use the statement's getWarnings()");
        }
        if (expressionAfter(find("where"))) {
          throw refused("the tables of an expression in SHOW cannot be determined");
        }
        return new Plan(Plan.Kind.SETTING, shown());
      }
      case "explain", "describe", "desc", "analyze" -> {
        if (maria() || word.equals("explain")) {
          at++;
          if (explained(word)) {
            return new Plan(Plan.Kind.SETTING, Set.of());
          }
        }
        statement();
      }
      default -> statement();
    }
    functions();
    for (List<String> name : unresolved) {
      if (name.size() > 1 || !expressions.contains(name.get(0))) {
        throw new Refused(
            Refused.NO_TABLE, "there is no table or view " + String.join(".", name), sql);
      }
    }
    return new Plan(Plan.Kind.STATEMENT, closure());
  }

  /** Goes to the statement that is explained; whether the columns of a table are, and none. */
  private boolean explained(String word) throws Refused {
    if (peek(0).mark('(')) {
      at = close(at) + 1;
    }
    while (take("analyze") || take("verbose") || take("extended")) {}
    if (maria() && take("format")) {
      at += 2;
    }
    String what = peek(0).text().toLowerCase(Locale.ROOT);
    if (Set.of("select", "with", "insert", "update", "delete", "merge", "replace").contains(what)
        || (Set.of("values", "table").contains(what) && word.equals("explain"))) {
      return false;
    }
    if (maria()
        && !word.equals("analyze")
        && tokens.subList(at, end).stream()
            .allMatch(t -> t.name() || t.mark('.') || t.kind() == Kind.STRING)) {
      return true;
    }
    throw refused(word.toUpperCase(Locale.ROOT) + " is for queries and changes");
  }

  private Set<Use> closure() throws Refused {
    Set<Use> all = new HashSet<>(catalog.closure(uses, called, sql));
    all.removeIf(u -> catalog.type(u.relation()) == Catalog.Type.VIEW);
    return all;
  }

  /** After an index stands more than a comparison with a constant: a call, or NEXT VALUE FOR. */
  private boolean expressionAfter(int from) {
    for (int i = from; i < end; i++) {
      if (tokens.get(i).mark('(') || tokens.get(i).is("for")) {
        return true;
      }
    }
    return false;
  }

  /** Counters, where SHOW tells one. */
  private Set<Use> shown() {
    boolean tells =
        (peek(1).is("table") && peek(2).is("status"))
            || (peek(1).is("create") && peek(2).is("table"));
    return maria() && tells ? catalog.counters() : Set.of();
  }

  private boolean maria() {
    return catalog.rules() == Lexer.Rules.MARIADB;
  }

  private Plan alone(Plan.Kind kind) throws Refused {
    int known = peek(1).upper().matches("WORK|TRANSACTION") ? 2 : 1;
    if (tokens.size() > known) {
      throw refused("what follows " + peek(0).text() + " is not known");
    }
    return new Plan(kind, Set.of());
  }

  private Plan set() throws Refused {
    at++;
    boolean scoped = take("session") || take("local");
    if (peek(0).is("transaction") || (scoped && peek(0).is("characteristics"))) {
      if (tokens.stream().anyMatch(t -> t.is("only") || t.is("snapshot"))) {
        throw refused(
            "a transaction is read-only by setReadOnly(true), and has no other's snapshot");
      }
      // Every transaction is serializable, whatever it asks for.
      return new Plan(Plan.Kind.NOTHING, Set.of());
    }
    if (!maria() && peek(0).is("constraints")) {
      // They are checked before the commit, whatever is set.
      return new Plan(Plan.Kind.SETTING, Set.of());
    }
    int last = end;
    while (true) {
      end = maria() ? comma() : last;
      setting();
      at = end + 1;
      end = last;
      if (at > end) {
        return new Plan(Plan.Kind.SETTING, Set.of());
      }
      if (!take("session")) {
        take("local");
      }
    }
  }

  /** The next comma outside parentheses; the end if there is none. */
  private int comma() {
    int depth = 0;
    for (int i = at; i < end; i++) {
      depth += tokens.get(i).mark('(') ? 1 : tokens.get(i).mark(')') ? -1 : 0;
      if (depth == 0 && tokens.get(i).mark(',')) {
        return i;
      }
    }
    return end;
  }

  /** Reads SET STATEMENT name = value, … FOR, and goes to the statement. */
  private void settingsOf() throws Refused {
    at += 2;
    int all = end;
    int until = find("for");
    do {
      end = until;
      end = comma();
      setting();
      at = end + 1;
    } while (end < until);
    end = all;
    if (until == end) {
      throw new Refused(Refused.SYNTAX, "FOR is missing", sql);
    }
  }

  private void setting() throws Refused {
    String name = peek(0).text().toLowerCase(Locale.ROOT);
    boolean variable = peek(0).kind() == Kind.VARIABLE;
    if (variable && name.startsWith("@")) {
      assigns = true;
      if (!peek(1).text().matches(":?=") || at + 2 >= end) {
        throw new Refused(Refused.SYNTAX, "a variable is set to nothing", sql);
      }
      List<Token> query = new ArrayList<>();
      query.add(new Token(Kind.WORD, "select", -1));
      query.addAll(tokens.subList(at + 2, end));
      for (List<String> table : Queries.tables(catalog, query, sql)) {
        use(table, Mode.READ);
      }
      return;
    }
    if (variable && global(peek(0))) {
      throw refused("it sets " + name + " for the whole server, and not for this connection");
    }
    if (maria() && name.equals("autocommit")) {
      throw refused(
          "autocommit is set by setAutoCommit(true) and setAutoCommit(false), so that the JDBC client knows of it, too");
    }
    if (!maria() && name.equals("search_path")) {
      throw refused("where names are looked for is set by setSchema()");
    }
    if (maria() && name.equals("sql_mode")) {
      mode();
      return;
    }
    if (maria() && name.equals("character_set_results")) {
      if (!UTF8.contains(value().toLowerCase(Locale.ROOT))) {
        throw refused("JDBC reads results in UTF-8 alone; leave it as it is, or use utf8mb4");
      }
      return;
    }
    boolean custom = !maria() && custom(0);
    if (!custom && (!SETTINGS.contains(name) || !(peek(0).name() || variable))) {
      throw refused(
          "the setting "
              + peek(0).text()
              + " may change what a statement means or what is captured");
    }
    if (name.equals("names") && !UTF8.contains(peek(1).text().toLowerCase(Locale.ROOT))) {
      throw refused("only in UTF-8 does Metric read a statement as the database does; use utf8mb4");
    }
    if (expressionAfter(at)) {
      throw refused("a setting takes one plain value");
    }
  }

  /** A setting of the application's own begins here, of PostgreSQL: a name with a dot. */
  private boolean custom(int ahead) {
    return peek(ahead).name()
        && peek(ahead + 1).mark('.')
        && peek(ahead + 2).name()
        && !catalog.sets(peek(ahead).text());
  }

  /** The name of such a setting is the constant with which the arguments of a call begin. */
  private boolean setsCustom(int open) {
    Token name = open + 1 < tokens.size() ? tokens.get(open + 1) : END;
    return name.kind() == Kind.STRING
        && CUSTOM.matcher(name.text()).matches()
        && !catalog.sets(name.text().substring(0, name.text().indexOf('.')))
        && open + 2 < tokens.size()
        && tokens.get(open + 2).mark(',');
  }

  /** The one word or string that a variable of MariaDB's is set to; empty if it is another one. */
  private String value() {
    boolean plain = peek(2).name() || peek(2).kind() == Kind.STRING;
    return at + 3 == end && peek(1).text().matches(":?=") && plain ? peek(2).text() : "";
  }

  private void mode() throws Refused {
    boolean assigned = at + 2 < end && peek(1).text().matches(":?=");
    String text = assigned ? modes(at + 2, end) : "";
    List<String> modes = List.of(text.toUpperCase(Locale.ROOT).split(",", -1));
    boolean strict = modes.stream().anyMatch(m -> STRICT.contains(m) || m.equals(CURRENT));
    if (!strict || !modes.stream().allMatch(m -> MODES.contains(m) || m.equals(CURRENT))) {
      throw refused(
          "sql_mode takes one plain string, or a CONCAT of such and @@sql_mode, with STRICT_TRANS_TABLES,"
              + " STRICT_ALL_TABLES or TRADITIONAL, so that no value is cut, and else of "
              + new TreeSet<>(MODES)
              + " alone: others change what a statement means");
    }
  }

  /** The text of a value of sql_mode, where what is set now is {@link #CURRENT}. */
  private String modes(int from, int to) throws Refused {
    Token t = tokens.get(from);
    if (to == from + 1 && t.kind() == Kind.VARIABLE && t.text().equalsIgnoreCase("sql_mode")) {
      return global(t) ? UNKNOWN : CURRENT;
    }
    if (to == from + 1 && (t.name() || t.kind() == Kind.STRING)) {
      return t.text();
    }
    if (!t.is("concat") || !tokens.get(from + 1).mark('(') || close(from + 1) != to - 1) {
      return UNKNOWN;
    }
    StringBuilder text = new StringBuilder();
    int begin = from + 2;
    int depth = 0;
    for (int i = begin; i < to; i++) {
      Token part = tokens.get(i);
      if (depth == 0 && (part.mark(',') || i == to - 1)) {
        text.append(i == begin ? UNKNOWN : modes(begin, i));
        begin = i + 1;
      }
      depth += part.mark('(') ? 1 : part.mark(')') ? -1 : 0;
    }
    return text.toString();
  }

  private boolean global(Token variable) {
    return sql.regionMatches(true, variable.at(), "@@global", 0, 8);
  }

  // Functions and sequences are found by their names, wherever they stand.

  private final Set<String> called = new TreeSet<>();

  private void functions() throws Refused {
    for (int i = 0; i < tokens.size(); i++) {
      Token t = tokens.get(i);
      if (t.kind() == Kind.VARIABLE && OF_METRIC.contains(t.text().toLowerCase(Locale.ROOT))) {
        throw refused("the variable " + t.text() + " tells of Metric's own statements; ask JDBC");
      }
      if (t.kind() == Kind.VARIABLE
          && t.text().toLowerCase(Locale.ROOT).startsWith("@plumb_metric")) {
        throw Refused.own(sql);
      }
      if (tellsCounters && t.text().equals("*") && !tokens.get(i - 1).mark('(')) {
        uses.addAll(catalog.counters());
      }
      if (!t.name()) {
        continue;
      }
      if (t.text().equalsIgnoreCase("plumb_metric")) {
        throw Refused.own(sql);
      }
      // What takes a sample of a table is no function that a statement could call.
      boolean sample =
          i > 0
              && tokens.get(i - 1).is("tablesample")
              && (t.text().equals("bernoulli") || t.text().equals("system"));
      boolean call = !sample && i + 1 < tokens.size() && tokens.get(i + 1).mark('(');
      // Of a row, or in a schema; or this names a package of MariaDB's.
      boolean attribute =
          (i > 0 && tokens.get(i - 1).mark('.'))
              || (maria() && i + 1 < tokens.size() && tokens.get(i + 1).mark('.'));
      String name = t.text();
      // MariaDB's LASTVAL has a sequence.
      boolean last = OF_THE_LAST.contains(name.toLowerCase(Locale.ROOT));
      if (call && last && !(maria() && name.equalsIgnoreCase("lastval"))) {
        throw refused(
            "what "
                + name
                + " tells may be of a statement of Metric's own; use the count or the keys that JDBC returns");
      }
      boolean own = call && name.equals("set_config") && setsCustom(i + 1);
      if (call && catalog.barred(name) && !own) {
        throw refused(
            "the function "
                + name
                + " reaches data or keeps state by ways that its name does not show");
      }
      if (call && maria() && name.equalsIgnoreCase("default")) {
        // It makes a new value, which a sequence may give.
        List.copyOf(uses).forEach(u -> uses.add(new Use(u.relation(), Mode.WRITE)));
      }
      if (tellsCounters && (name.equalsIgnoreCase("auto_increment") || t.is("natural"))) {
        uses.addAll(catalog.counters());
      }
      if (call && Catalog.advisory(name)) {
        uses.add(new Use(Catalog.ADVISORY, Mode.WRITE));
      }
      String known = maria() ? name.toLowerCase(Locale.ROOT) : name;
      if ((call || attribute) && catalog.function(known)) {
        called.add(known);
      }
      for (String relation : catalog.named(name)) {
        if (catalog.type(relation) == Catalog.Type.SEQUENCE) {
          uses.add(new Use(relation, Mode.WRITE));
        }
      }
      if (call && !maria() && name.matches("nextval|setval|currval")) {
        Token argument = i + 2 < tokens.size() ? tokens.get(i + 2) : t;
        if (argument.kind() != Kind.STRING) {
          throw refused("the sequence of " + name + " is no constant");
        }
        uses.add(new Use(sequence(argument.text()), Mode.WRITE));
      }
    }
  }

  private String sequence(String text) throws Refused {
    List<String> name = new ArrayList<>();
    for (Token part : Lexer.tokens(catalog.rules(), text)) {
      if (part.name()) {
        name.add(part.text());
      } else if (!part.mark('.')) {
        throw refused("'" + text + "' is no name of a sequence");
      }
    }
    String relation = name.isEmpty() ? null : catalog.resolve(name, searchPath);
    if (relation == null) {
      throw new Refused(Refused.NO_TABLE, "there is no sequence " + text, sql);
    }
    return relation;
  }

  // One statement, or the body of a common table expression.

  private void statement() throws Refused {
    String word = peek(0).text().toLowerCase(Locale.ROOT);
    if (peek(0).kind() != Kind.WORD) {
      query(end);
      return;
    }
    switch (word) {
      case "with" -> with();
      case "select", "values", "table" -> query(end);
      case "insert", "replace" -> insert();
      case "update" -> update();
      case "delete" -> delete();
      case "merge" -> merge();
      case "truncate", "lock" -> names(Mode.WRITE);
      case "analyze" -> analyze();
      default ->
          throw refused(
              "its tables cannot be determined: "
                  + word.toUpperCase(Locale.ROOT)
                  + " is not known to Metric");
    }
  }

  /** Runs another reader on a part of the tokens. */
  private void part(int from, int to) throws Refused {
    int savedAt = at;
    int savedEnd = end;
    at = from;
    end = to;
    statement();
    at = savedAt;
    end = savedEnd;
  }

  private void with() throws Refused {
    int start = at;
    int i = at + 1;
    if (tokens.get(Math.min(i, end - 1)).is("recursive")) {
      i++;
    }
    boolean changes = false;
    List<int[]> bodies = new ArrayList<>();
    while (true) {
      if (i >= end || !tokens.get(i).name()) {
        throw new Refused(Refused.SYNTAX, "a WITH has no name", sql);
      }
      expressions.add(tokens.get(i).text());
      i++;
      if (i < end && tokens.get(i).mark('(')) {
        i = close(i) + 1;
      }
      while (i < end && !tokens.get(i).mark('(')) {
        i++;
      }
      if (i >= end) {
        throw new Refused(Refused.SYNTAX, "a WITH has no body", sql);
      }
      int close = close(i);
      bodies.add(new int[] {i + 1, close});
      changes |= changes(i + 1);
      i = order(close + 1);
      // Calcite does not know what stands between.
      changes |= i > close + 1;
      if (i >= end || !tokens.get(i).mark(',')) {
        break;
      }
      i++;
    }
    if (i >= end) {
      throw new Refused(Refused.SYNTAX, "a WITH has no statement", sql);
    }
    if (!changes && !changes(i)) {
      at = start;
      query(end);
      return;
    }
    for (int[] body : bodies) {
      part(body[0], body[1]);
    }
    part(i, end);
    at = end;
  }

  /** Where SEARCH … BY columns SET name and CYCLE columns SET name … USING name end. */
  private int order(int from) throws Refused {
    int i = from;
    while (i < end && (tokens.get(i).is("search") || tokens.get(i).is("cycle"))) {
      boolean cycle = tokens.get(i).is("cycle");
      i += cycle ? 2 : 5;
      while (i < end && tokens.get(i).mark(',')) {
        i += 2;
      }
      if (i >= end || !tokens.get(i).is(maria() ? "restrict" : "set")) {
        throw new Refused(Refused.SYNTAX, "what follows the body of a WITH is not known", sql);
      }
      if (cycle && !maria()) {
        while (i < end && !tokens.get(i).is("using")) {
          i++;
        }
      }
      i += maria() ? 1 : 2;
    }
    return i;
  }

  private boolean starts(int i) {
    Token t = tokens.get(i);
    return (t.kind() == Kind.WORD && QUERY.contains(t.text().toLowerCase(Locale.ROOT)))
        || changes(i);
  }

  private boolean changes(int i) {
    if (tokens.get(i).is("with")) {
      return true;
    }
    return Set.of("insert", "update", "delete", "merge", "replace")
        .contains(
            tokens.get(i).kind() == Kind.WORD ? tokens.get(i).text().toLowerCase(Locale.ROOT) : "");
  }

  private int close(int open) throws Refused {
    int depth = 0;
    for (int i = open; i < end; i++) {
      if (tokens.get(i).mark('(')) {
        depth++;
      } else if (tokens.get(i).mark(')') && --depth == 0) {
        return i;
      }
    }
    throw new Refused(Refused.SYNTAX, "a parenthesis is not closed", sql);
  }

  /** The index of the first of some words outside parentheses; the end if there is none. */
  private int find(String... words) {
    return findAfter(at - 1, words);
  }

  private int findAfter(int from, String... words) {
    int depth = 0;
    for (int i = from + 1; i < end; i++) {
      Token t = tokens.get(i);
      depth += t.mark('(') ? 1 : t.mark(')') ? -1 : 0;
      for (String word : words) {
        Token before = i == 0 ? t : tokens.get(i - 1);
        // IS DISTINCT FROM is a comparison.
        if (depth == 0 && t.is(word) && !before.is("distinct")) {
          return i;
        }
      }
    }
    return end;
  }

  /** Reads a query up to an index. */
  private void query(int to) throws Refused {
    for (int i = at; i < to; i++) {
      // SELECT INTO makes a table, or writes a file.
      if (tokens.get(i).is("into")) {
        throw refused("a query with INTO makes a table or a file");
      }
      if (tokens.get(i).is("with") && i + 1 < to) {
        commonNames(i, to);
      }
    }
    for (List<String> name : Queries.tables(catalog, tokens.subList(at, to), sql)) {
      use(name, Mode.READ);
    }
    at = to;
  }

  /** Names of common table expressions: those before AS and a parenthesis. */
  private void commonNames(int from, int to) throws Refused {
    for (int i = from + 1; i + 2 < to; i++) {
      if (tokens.get(i).name()
          && (tokens.get(i - 1).is("with")
              || tokens.get(i - 1).is("recursive")
              || tokens.get(i - 1).mark(','))) {
        int j = i + 1;
        if (tokens.get(j).mark('(')) {
          j = close(j) + 1;
        }
        if (j < to && tokens.get(j).is("as")) {
          int k = j + 1;
          while (k < to && (tokens.get(k).is("not") || tokens.get(k).is("materialized"))) {
            k++;
          }
          if (k < to && tokens.get(k).mark('(')) {
            expressions.add(tokens.get(i).text());
          }
        }
      }
    }
  }

  /** Reads the subqueries of expressions up to an index. */
  private void expressions(int to) throws Refused {
    while (at < to) {
      int i = at;
      while (i < to && tokens.get(i).mark('(')) {
        i++;
      }
      if (i > at
          && i < to
          && !value(i)
          && tokens.get(i).kind() == Kind.WORD
          && QUERY.contains(tokens.get(i).text().toLowerCase(Locale.ROOT))) {
        int close = close(at);
        List<Token> query = new ArrayList<>();
        query.add(new Token(Kind.WORD, "select", tokens.get(at).at()));
        query.addAll(tokens.subList(at, close + 1));
        for (int w = at; w < close; w++) {
          if (tokens.get(w).is("with")) {
            commonNames(w, close);
          }
        }
        for (List<String> name : Queries.tables(catalog, query, sql)) {
          use(name, Mode.READ);
        }
        at = close + 1;
      } else {
        at++;
      }
    }
  }

  /** MariaDB's VALUES(column) of ON DUPLICATE KEY UPDATE, and no query of one row. */
  private boolean value(int i) {
    int close = i + 2;
    while (close + 2 < end && tokens.get(close).name() && tokens.get(close + 1).mark('.')) {
      close += 2;
    }
    close++;
    return maria()
        && tokens.get(i).is("values")
        && close < end
        && tokens.get(i + 1).mark('(')
        && tokens.get(close - 1).name()
        && tokens.get(close).mark(')')
        && (close + 1 >= end
            || !tokens.get(close + 1).upper().matches("UNION|EXCEPT|INTERSECT|ORDER|LIMIT"));
  }

  /** Reads what stands between FROM and the next clause. */
  private void items(int to, Mode mode) throws Refused {
    for (int i = at; i + 1 < to; i++) {
      if (tokens.get(i).is("with")) {
        commonNames(i, to);
      }
    }
    List<Token> query = new ArrayList<>();
    query.add(new Token(Kind.WORD, "select", -1));
    query.add(new Token(Kind.NUMBER, "1", -1));
    query.add(new Token(Kind.WORD, "from", -1));
    query.addAll(tokens.subList(at, to));
    for (List<String> name : Queries.tables(catalog, query, sql)) {
      use(name, mode);
    }
    at = to;
  }

  private void use(List<String> name, Mode mode) {
    String relation = catalog.resolve(name, searchPath);
    tellsCounters |=
        maria()
            && name.size() == 2
            && String.join(".", name).equalsIgnoreCase("information_schema.tables");
    if (relation == null
        && !maria()
        && catalog.isSystem(name)
        && name.get(name.size() - 1).equals("pg_sequences")) {
      catalog.sequences().forEach(s -> uses.add(new Use(s, Mode.READ)));
    }
    if (relation != null) {
      uses.add(new Use(relation, mode));
    } else if (!made(name)
        && !catalog.isSystem(name)
        && !name.get(0).equalsIgnoreCase("information_schema")
        && !(name.size() == 1 && name.get(0).equalsIgnoreCase("dual"))
        && !(!maria() && name.size() == 1 && VALUES.contains(name.get(0)))) {
      unresolved.add(name);
    }
  }

  /** A table of MariaDB's that is made of its name. */
  private boolean made(List<String> name) {
    return maria() && name.get(name.size() - 1).matches("seq_\\d+_to_\\d+(_step_\\d+)?");
  }

  private List<String> name() throws Refused {
    List<String> name = new ArrayList<>();
    do {
      if (!peek(0).name()) {
        throw new Refused(Refused.SYNTAX, "the name of a table is missing", sql);
      }
      name.add(peek(0).text());
      at++;
      if (!peek(0).mark('.')) {
        return name;
      }
      at++;
    } while (true);
  }

  private void target(Mode mode) throws Refused {
    boolean around = !maria() && take("only") && peek(0).mark('(');
    at += around ? 1 : 0;
    List<String> name = name();
    if (around && !peek(0).mark(')')) {
      throw new Refused(Refused.SYNTAX, "a parenthesis is not closed", sql);
    }
    at += around ? 1 : 0;
    if (catalog.isSystem(name) && catalog.resolve(name, searchPath) == null) {
      throw refused("it changes the database's own catalog");
    }
    if (catalog.resolve(name, searchPath) == null) {
      throw new Refused(
          Refused.NO_TABLE, "there is no table or view " + String.join(".", name), sql);
    }
    use(name, mode);
  }

  private void insert() throws Refused {
    at++;
    while (take("low_priority") || take("high_priority") || take("delayed") || take("ignore")) {}
    if (!take("into") && !maria()) {
      throw new Refused(Refused.SYNTAX, "INTO is missing", sql);
    }
    target(Mode.WRITE);
    if (maria() && take("partition")) {
      at = close(at) + 1;
    }
    if (take("as")) {
      at++;
    }
    if (peek(0).mark('(') && !starts(at + opens(at))) {
      at = close(at) + 1;
    }
    if (take("overriding")) {
      at += 2;
    }
    int source = at;
    int rest = rest();
    if (take("default")) {
      expect("values");
    } else if (maria() && (peek(0).is("values") || peek(0).is("value") || peek(0).is("set"))) {
      expressions(rest);
    } else if (changes(source) || peek(0).is("with")) {
      part(source, rest);
    } else {
      query(rest);
    }
    at = rest;
    expressions(end);
  }

  private int opens(int i) {
    int n = 0;
    while (i + n < end - 1 && tokens.get(i + n).mark('(')) {
      n++;
    }
    return n;
  }

  /** Where an INSERT's ON CONFLICT, ON DUPLICATE KEY or RETURNING begins. */
  private int rest() {
    int depth = 0;
    for (int i = at; i < end; i++) {
      Token t = tokens.get(i);
      depth += t.mark('(') ? 1 : t.mark(')') ? -1 : 0;
      if (depth == 0 && (clause(i) || t.is("returning"))) {
        return i;
      }
    }
    return end;
  }

  /** ON CONFLICT or ON DUPLICATE KEY begins here, and no join on something of such a name. */
  private boolean clause(int i) {
    if (!tokens.get(i).is("on") || i + 3 >= end) {
      return false;
    }
    if (maria()) {
      return tokens.get(i + 1).is("duplicate")
          && tokens.get(i + 2).is("key")
          && tokens.get(i + 3).is("update");
    }
    if (!tokens.get(i + 1).is("conflict")) {
      return false;
    }
    int depth = 0;
    for (int k = i + 2; k + 1 < end; k++) {
      Token t = tokens.get(k);
      depth += t.mark('(') ? 1 : t.mark(')') ? -1 : 0;
      if (depth == 0 && t.is("do")) {
        return tokens.get(k + 1).is("nothing") || tokens.get(k + 1).is("update");
      }
      if (depth == 0
          && (t.is("join") || t.is("from") || t.is("select") || t.mark('.') || t.mark(','))) {
        return false;
      }
    }
    return false;
  }

  private void update() throws Refused {
    at++;
    if (maria()) {
      take("low_priority");
      if (peek(0).is("ignore")) {
        throw refused(Catalog.UPDATE_IGNORE);
      }
      items(find("set"), Mode.WRITE);
      expressions(end);
      return;
    }
    target(Mode.WRITE);
    at = find("set");
    expect("set");
    int from = find("from");
    expressions(Math.min(from, find("where", "returning")));
    if (take("from")) {
      items(find("where", "returning"), Mode.READ);
    }
    expressions(end);
  }

  private void delete() throws Refused {
    at++;
    while (take("low_priority") || take("quick") || take("ignore")) {}
    if (maria()) {
      // DELETE FROM t USING items, or DELETE t FROM items.
      boolean using = peek(0).is("from") && find("using") < end;
      at = find(using ? "using" : "from") + 1;
      if (at > end) {
        throw new Refused(Refused.SYNTAX, "FROM is missing", sql);
      }
      items(find("where", "order", "limit", "returning"), Mode.WRITE);
      expressions(end);
      return;
    }
    expect("from");
    target(Mode.WRITE);
    if (find("using") < end) {
      at = find("using") + 1;
      items(find("where", "returning"), Mode.READ);
    }
    expressions(end);
  }

  private void merge() throws Refused {
    at++;
    expect("into");
    target(Mode.WRITE);
    at = find("using");
    expect("using");
    // Its own ON is the last: those before it are of joins.
    int on = find("on");
    for (int next = on; next < end; next = findAfter(next, "on")) {
      on = next;
    }
    items(on, Mode.READ);
    expressions(end);
  }

  /** ANALYZE of PostgreSQL, which reads tables and keeps what it finds to this site. */
  private void analyze() throws Refused {
    if (peek(1).mark('(')) {
      at = close(at + 1);
    } else if (peek(1).is("verbose")) {
      at++;
    }
    if (at + 1 == end) {
      throw refused("without names ANALYZE reads all tables of the database; name those it is for");
    }
    names(Mode.READ);
  }

  /** TRUNCATE, LOCK and ANALYZE: a list of names, after which ANALYZE may have columns. */
  private void names(Mode mode) throws Refused {
    at++;
    take("table");
    while (true) {
      target(mode);
      if (peek(0).kind() == Kind.OPERATOR && peek(0).text().equals("*")) {
        at++;
      }
      if (mode == Mode.READ && peek(0).mark('(')) {
        at = close(at) + 1;
      }
      if (!peek(0).mark(',')) {
        break;
      }
      at++;
    }
    for (; at < end; at++) {
      if (!peek(0)
          .upper()
          .matches(
              "RESTART|CONTINUE|IDENTITY|CASCADE|RESTRICT|IN|MODE|NOWAIT|ACCESS|ROW|SHARE|EXCLUSIVE|UPDATE")) {
        throw refused("what follows the names of tables is not known");
      }
    }
  }
}
