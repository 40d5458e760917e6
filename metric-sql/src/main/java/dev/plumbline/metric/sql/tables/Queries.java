package dev.plumbline.metric.sql.tables;

import dev.plumbline.metric.sql.tables.Lexer.Kind;
import dev.plumbline.metric.sql.tables.Lexer.Token;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.calcite.avatica.util.Casing;
import org.apache.calcite.avatica.util.Quoting;
import org.apache.calcite.sql.SqlBasicCall;
import org.apache.calcite.sql.SqlCall;
import org.apache.calcite.sql.SqlIdentifier;
import org.apache.calcite.sql.SqlJoin;
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.sql.SqlNode;
import org.apache.calcite.sql.SqlSelect;
import org.apache.calcite.sql.parser.SqlParseException;
import org.apache.calcite.sql.parser.SqlParser;
import org.apache.calcite.sql.parser.babel.SqlBabelParserImpl;
import org.apache.calcite.sql.util.SqlBasicVisitor;
import org.apache.calcite.sql.validate.SqlConformanceEnum;

/**
 * Names of tables in a query, by Calcite's parser. What its grammar lacks of the database's own
 * syntax and what no table can stand in is put plainly first: strings, types and operators. A word
 * that Calcite reserves and the database does not is quoted, and the query is read again.
 */
final class Queries {
  private static final SqlParser.Config CONFIG =
      SqlParser.config()
          .withParserFactory(SqlBabelParserImpl.FACTORY)
          .withQuoting(Quoting.DOUBLE_QUOTE)
          .withUnquotedCasing(Casing.UNCHANGED)
          .withQuotedCasing(Casing.UNCHANGED)
          .withCaseSensitive(true)
          .withIdentifierMaxLength(4096)
          .withConformance(SqlConformanceEnum.BABEL);
  private static final Set<String> TYPED =
      Set.of(
          "date",
          "time",
          "timestamp",
          "timestamptz",
          "timetz",
          "interval",
          "json",
          "jsonb",
          "uuid",
          "inet",
          "cidr",
          "bytea",
          "text",
          "varchar",
          "numeric",
          "money",
          "xml",
          "point",
          "box",
          "bool",
          "boolean",
          "regclass");
  private static final Set<String> LONG_TYPES =
      Set.of(
          "precision",
          "varying",
          "with",
          "without",
          "zone",
          "time",
          "unsigned",
          "signed",
          "character",
          "large");
  private static final Set<String> MODIFIERS =
      Set.of(
          "HIGH_PRIORITY",
          "STRAIGHT_JOIN",
          "SQL_SMALL_RESULT",
          "SQL_BIG_RESULT",
          "SQL_BUFFER_RESULT",
          "SQL_CACHE",
          "SQL_NO_CACHE",
          "SQL_CALC_FOUND_ROWS");

  /** What only PostgreSQL's grammar makes, of no name that a function could have. */
  private static final Set<String> MAKERS =
      Set.of(
          "xmlelement",
          "xmlforest",
          "xmlparse",
          "xmlpi",
          "xmlroot",
          "xmlserialize",
          "xmlexists",
          "treat",
          "json",
          "json_array",
          "json_arrayagg",
          "json_exists",
          "json_object",
          "json_objectagg",
          "json_query",
          "json_scalar",
          "json_serialize",
          "json_value");

  /** Functions whose arguments Calcite's grammar takes in one form alone, with a unit of time. */
  private static final Set<String> FUNCTIONS =
      Set.of(
          "date_diff",
          "date_part",
          "date_trunc",
          "dateadd",
          "datediff",
          "datepart",
          "datetime_diff",
          "datetime_trunc",
          "time_diff",
          "time_trunc",
          "timestamp_diff",
          "timestamp_trunc");

  /** Those of PostgreSQL with words between their arguments that Calcite's FROM does not have. */
  private static final Set<String> WORDY =
      Set.of("cast", "extract", "overlay", "position", "substring", "trim");

  /** Words of PostgreSQL that are no label unless they stand behind AS, or end something. */
  private static final Set<String> NO_LABELS =
      Set.of(
          "as",
          "asc",
          "create",
          "desc",
          "end",
          "except",
          "fetch",
          "for",
          "from",
          "grant",
          "group",
          "having",
          "intersect",
          "into",
          "isnull",
          "limit",
          "notnull",
          "offset",
          "on",
          "order",
          "overlaps",
          "returning",
          "to",
          "union",
          "where",
          "window",
          "with");

  /** Reserved words of PostgreSQL that are, or end, values. */
  private static final Set<String> VALUES =
      Stream.concat(Statements.VALUES.stream(), Stream.of("end", "false", "null", "true"))
          .collect(Collectors.toUnmodifiableSet());

  private static final Set<String> QUERY = Set.of("SELECT", "WITH", "VALUES", "TABLE");
  private static final Set<String> CHANGES = Set.of("INSERT", "UPDATE", "DELETE", "MERGE");
  private static final Set<String> AFTER_ITEMS =
      Set.of(
          "WHERE",
          "GROUP",
          "HAVING",
          "WINDOW",
          "ORDER",
          "LIMIT",
          "OFFSET",
          "FETCH",
          "FOR",
          "UNION",
          "EXCEPT",
          "INTERSECT",
          "SELECT",
          "LOCK",
          "PROCEDURE");
  private static final Set<String> JOINS =
      Set.of("JOIN", "STRAIGHT_JOIN", "INNER", "CROSS", "NATURAL", "LEFT", "RIGHT", "FULL");
  private static final Set<String> COMPARES = Set.of("=", "<>", "!=", "<", ">", "<=", ">=", "<=>");
  private static final String UNIT = "(YEAR|QUARTER|MONTH|WEEK|DAY|HOUR|MINUTE|SECOND|MICROSECOND)";
  private static final int MOST_QUOTED = 64;
  private static final int DEEPEST = 200;

  /** Calcite's time is quadratic in an expression's operators, and its stack ends before these. */
  private static final int MOST_OPERATORS = 10_000;

  private final Catalog catalog;
  private final String sql;
  private final List<Token> out = new ArrayList<>();

  /** Names of what was read by itself. */
  private final List<List<String>> aside = new ArrayList<>();

  private List<Token> in = List.of();
  private int at;

  /** The token at hand begins an item of a FROM. */
  private boolean item;

  /** Where the name of an item of a FROM has ended. */
  private int itemEnd = -1;

  /** The token at hand stands in the list of a SELECT. */
  private boolean listed;

  /** How many parentheses are being put plainly that need it for what is in them. */
  private int nested;

  private Queries(Catalog catalog, String sql) {
    this.catalog = catalog;
    this.sql = sql;
  }

  /** The names that stand for tables in a query. */
  static List<List<String>> tables(Catalog catalog, List<Token> query, String sql) throws Refused {
    return tables(catalog, query, sql, 0);
  }

  private static List<List<String>> tables(
      Catalog catalog, List<Token> query, String sql, int nested) throws Refused {
    Queries q = new Queries(catalog, sql);
    q.in = query;
    q.nested = nested;
    q.plain(query.size());
    q.aside.addAll(q.parse());
    return q.aside;
  }

  private Token peek(int ahead) {
    return at + ahead < in.size() ? in.get(at + ahead) : new Token(Kind.MARK, "\0", -1);
  }

  private void emit(Kind kind, String text) {
    out.add(new Token(kind, text, at < in.size() ? in.get(at).at() : -1));
  }

  /** Copies tokens up to an index, in terms that Calcite reads. */
  private void plain(int end) throws Refused {
    if (++nested > DEEPEST) {
      throw tooDeep();
    }
    int depth = 0;
    int[] operators = new int[DEEPEST + 1];
    // At which depth a SELECT has had no FROM.
    boolean[] bare = new boolean[DEEPEST + 1];
    // At which depth the list of a SELECT is read.
    boolean[] lists = new boolean[DEEPEST + 1];
    // At which depth the items of a FROM are read, and which parenthesis is around such items.
    boolean[] items = new boolean[DEEPEST + 1];
    Around[] around = new Around[DEEPEST + 1];
    // At which depth how many square brackets are open.
    int[] brackets = new int[DEEPEST + 1];
    while (at < end) {
      Token t = peek(0);
      item =
          brackets[Math.max(0, depth)] == 0
              && item(items[Math.max(0, depth)], around[Math.max(0, depth)]);
      brackets[Math.max(0, depth)] += t.mark('[') ? 1 : t.mark(']') ? -1 : 0;
      itemEnd = item && t.name() ? nameEnd() : itemEnd;
      if (t.mark('(') && ++depth > DEEPEST) {
        throw tooDeep();
      } else if (t.mark('(') || t.mark(',')) {
        operators[Math.max(0, depth)] = 0;
        bare[Math.max(0, depth)] &= t.mark(',');
        if (t.mark('(')) {
          around[depth] = item && !alone(at) ? around() : Around.OTHER;
          items[depth] = around[depth] != Around.OTHER;
          lists[depth] = false;
          brackets[depth] = 0;
        }
      } else if (t.mark(')')) {
        depth--;
      } else if ((t.kind() == Kind.OPERATOR || t.is("and") || t.is("or") || t.is("not"))
          && ++operators[Math.max(0, depth)] > MOST_OPERATORS) {
        throw new Refused(
            Refused.COMPLEX,
            "it has an expression of more than " + MOST_OPERATORS + " operators",
            sql);
      }
      if (t.kind() == Kind.OPERATOR && t.text().equals("::")) {
        at++;
        type();
      } else if (!maria() && at == itemEnd && star(0)) {
        // A table with those that inherit from it, as without the star.
        at++;
      } else if (t.kind() == Kind.OPERATOR) {
        operator(t);
      } else if (t.kind() == Kind.STRING && at > 1 && in.get(at - 2).is("extract")) {
        // A field may stand in quotes.
        emit(Kind.WORD, "year");
        at++;
      } else if (t.kind() == Kind.STRING) {
        emit(Kind.STRING, "");
        at++;
        while (peek(0).kind() == Kind.STRING) {
          at++;
        }
      } else if (t.kind() == Kind.NUMBER || t.kind() == Kind.VARIABLE) {
        emit(Kind.NUMBER, "1");
        at++;
      } else if (t.kind() == Kind.WORD && dotted()) {
        // A name, whatever it means elsewhere.
        emit(Kind.QUOTED, t.text());
        at++;
      } else if (t.kind() == Kind.WORD) {
        boolean from = t.is("from") && !(at > 0 && in.get(at - 1).is("distinct"));
        items[Math.max(0, depth)] &= !AFTER_ITEMS.contains(t.upper());
        items[Math.max(0, depth)] |= from && bare[Math.max(0, depth)];
        if (t.is("select") || from) {
          bare[Math.max(0, depth)] = t.is("select");
        } else if (t.is("where") && bare[Math.max(0, depth)]) {
          oneRow();
        }
        listed = lists[Math.max(0, depth)];
        lists[Math.max(0, depth)] =
            t.is("select") || (listed && !from && !AFTER_ITEMS.contains(t.upper()));
        word(t, end);
      } else if (t.mark('[') && at > 0 && (in.get(at - 1).mark('[') || in.get(at - 1).mark(','))) {
        // An array in an array.
        emit(Kind.WORD, "array");
        out.add(t);
        at++;
      } else if (t.mark('.') && at > 0 && in.get(at - 1).mark(')') && star(1)) {
        // All columns of a row.
        at += 2;
      } else if (item && t.mark('(') && ordered(at)) {
        out.add(t);
        emit(Kind.WORD, "select");
        emit(Kind.OPERATOR, "*");
        emit(Kind.WORD, "from");
        at++;
      } else if (t.mark('(') || t.mark(')') || t.mark(',')) {
        mark(t, around[Math.max(0, t.mark(')') ? depth + 1 : depth)]);
      } else {
        out.add(t);
        at++;
      }
    }
    nested--;
  }

  private Refused tooDeep() {
    return new Refused(Refused.COMPLEX, "its parentheses are more than " + DEEPEST + " deep", sql);
  }

  private boolean star(int ahead) {
    return peek(ahead).kind() == Kind.OPERATOR && peek(ahead).text().equals("*");
  }

  /** What a parenthesis is around: one item of a FROM, several, or something else. */
  private enum Around {
    ONE,
    MORE,
    OTHER
  }

  /** The next token begins an item of a FROM. */
  private boolean item(boolean items, Around around) {
    Token before = at == 0 ? peek(in.size()) : in.get(at - 1);
    return before.is("join")
        || before.is("lateral")
        || (!maria() && before.is("only") && items)
        || (maria() && before.is("straight_join"))
        || (items && (before.is("from") || before.mark(',')))
        || (before.mark('(') && items && around != Around.OTHER);
  }

  /** A query begins here, whatever parentheses it stands in. */
  private boolean query(int from) {
    int i = from;
    while (i < in.size() && in.get(i).mark('(')) {
      i++;
    }
    return i < in.size() && QUERY.contains(in.get(i).upper());
  }

  /** A parenthesis of a FROM is around a query, and not around items of which one is a query. */
  private boolean alone(int open) throws Refused {
    if (!in.get(open + 1).mark('(')) {
      return query(open);
    }
    int after = close(open + 1) + 1;
    Token t = after < in.size() ? in.get(after) : in.get(open);
    boolean more =
        t.mark(',')
            || t.is("as")
            || JOINS.contains(t.upper())
            || (t.name()
                && (t.kind() == Kind.QUOTED
                    || !AFTER_ITEMS.contains(t.upper())
                        && !catalog.reserved(t.text().toLowerCase(Locale.ROOT))));
    return !more && alone(open + 1);
  }

  /** A query in parentheses is ordered, or limited, within others. */
  private boolean ordered(int open) throws Refused {
    if (!in.get(open + 1).mark('(') || !query(open + 1)) {
      return false;
    }
    int after = close(open + 1) + 1;
    return after < in.size() && in.get(after).upper().matches("ORDER|LIMIT|OFFSET|FETCH");
  }

  private Around around() throws Refused {
    int close = close(at);
    int depth = 0;
    for (int i = at; i < close; i++) {
      Token t = in.get(i);
      depth += t.mark('(') ? 1 : t.mark(')') ? -1 : 0;
      if (depth == 1 && (t.mark(',') || t.is("join") || t.is("straight_join"))) {
        return Around.MORE;
      }
    }
    return Around.ONE;
  }

  /**
   * Calcite has no parentheses around one item, no commas within them, and no name after them. The
   * name is none of a table.
   */
  private void mark(Token t, Around around) throws Refused {
    if (around == Around.MORE && t.mark(',')) {
      emit(Kind.WORD, "cross");
      emit(Kind.WORD, "join");
    } else if (around != Around.ONE || t.mark(',')) {
      out.add(t);
    }
    at++;
    if (t.mark(')') && around == Around.MORE && !maria()) {
      boolean as = peek(0).is("as");
      if (as || (peek(0).name() && !catalog.reserved(peek(0).text()))) {
        at += as ? 2 : 1;
        at = peek(0).mark('(') ? close(at) + 1 : at;
      }
    }
  }

  /** A FROM with one row, for a WHERE without any. */
  private void oneRow() {
    emit(Kind.WORD, "from");
    emit(Kind.MARK, "(");
    emit(Kind.WORD, "values");
    emit(Kind.NUMBER, "1");
    emit(Kind.MARK, ")");
  }

  private void operator(Token t) {
    if (t.text().equals(":") && peek(1).mark(']')) {
      // A slice without an upper bound.
      if (in.get(at - 1).mark('[')) {
        emit(Kind.NUMBER, "1");
      }
      at++;
      return;
    }
    boolean quantified = peek(1).is("any") || peek(1).is("all") || peek(1).is("some");
    String plain =
        quantified || COMPARES.contains(t.text()) ? "=" : t.text().equals("*") ? "*" : "-";
    emit(Kind.OPERATOR, plain);
    at++;
  }

  private void word(Token t, int end) throws Refused {
    if (named() || t.is("minus") || (!maria() && label(t))) {
      // To neither database is MINUS the difference of two queries.
      emit(Kind.QUOTED, t.text());
      at++;
    } else if (!maria() && item && form(t) && peek(1).mark('(')) {
      queries("unnest", at + 1);
    } else if (!maria() && item && t.is("collation") && peek(1).is("for")) {
      queries("unnest", at + 2);
    } else if (!maria() && t.is("collation") && peek(1).is("for") && peek(2).mark('(')) {
      queries("row", at + 2);
    } else if (!maria() && t.is("is") && normalized() > 0) {
      out.add(t);
      emit(Kind.WORD, "null");
      at += normalized();
    } else if (!maria()
        && (t.is("with") || t.is("without"))
        && peek(1).is("unique")
        && in.get(Math.max(0, at - 1)).kind() == Kind.WORD) {
      // Of IS JSON.
      at += peek(2).is("keys") ? 3 : 2;
    } else if (maria() && own(t)) {
      return;
    } else if (!maria() && (t.is("limit") || t.is("offset"))) {
      out.add(t);
      at++;
      count(end);
    } else if (t.is("fetch") && (peek(1).is("first") || peek(1).is("next"))) {
      out.add(t);
      out.add(peek(1));
      at += 2;
      count(end);
    } else if (!maria() && t.is("order") && peek(1).is("by") && argument()) {
      arguments();
    } else if (peek(1).mark('(')
        && (FUNCTIONS.contains(t.text().toLowerCase(Locale.ROOT))
            || (!maria() && t.is("convert")))) {
      emit(Kind.QUOTED, t.text());
      at++;
    } else if (!maria() && t.is("substring") && peek(1).mark('(')) {
      substring();
    } else if (t.is("json_table") && peek(1).mark('(')) {
      document();
    } else if (!maria() && t.is("xmltable") && peek(1).mark('(')) {
      queries("unnest", at + 1);
    } else if (!maria() && item && t.is("rows") && peek(1).is("from") && peek(2).mark('(')) {
      queries("unnest", at + 2);
    } else if (!maria() && MAKERS.contains(t.text()) && peek(1).mark('(')) {
      queries("row", at + 1);
    } else if (!maria() && t.is("lateral") && !peek(1).mark('(')) {
      at++;
    } else if (!maria()
        && t.is("with")
        && peek(1).is("ordinality")
        && in.get(Math.max(0, at - 1)).mark(')')) {
      at += 2;
    } else if (!maria() && t.is("variadic")) {
      at++;
    } else if (!maria() && t.is("groups") && frame()) {
      emit(Kind.WORD, "rows");
      at++;
    } else if (!maria() && t.is("using") && peek(1).kind() == Kind.OPERATOR) {
      at += 2;
    } else if (!maria() && t.is("using") && peek(1).mark('(')) {
      int close = close(at + 1);
      out.addAll(in.subList(at, close + 1));
      at = close + 1;
      // The name of the columns that both have is none of a table.
      at += peek(0).is("as") ? 2 : 0;
    } else if (matches(t.is("not") ? 1 : 0)) {
      emit(Kind.OPERATOR, "=");
      at += t.is("not") ? 2 : 1;
    } else if (t.is("with") && peek(1).is("ties")) {
      emit(Kind.WORD, "only");
      at += 2;
    } else if (!maria() && t.is("as") && rows()) {
      at = close(at + 1) + 1;
    } else if (!maria() && t.is("is") && peek(peek(1).is("not") ? 2 : 1).is("document")) {
      out.add(t);
      emit(Kind.WORD, "null");
      at += peek(1).is("not") ? 3 : 2;
    } else if (!maria() && t.is("as") && defines()) {
      out.add(t);
      at++;
      out.add(peek(0));
      at = close(at + 1) + 1;
    } else if (TYPED.contains(t.text()) && typedString()) {
      // Only the string is left of a typed literal.
      return;
    } else if (t.is("select") && (peek(1).is("from") || peek(1).mark(')') || at + 1 >= end)) {
      out.add(t);
      emit(Kind.NUMBER, "1");
      at++;
    } else if ((t.is("cast") || (maria() && t.is("convert"))) && peek(1).mark('(')) {
      cast(end);
    } else if (t.is("for") && locking()) {
      at++;
      locks();
    } else if (t.is("at") && peek(1).is("time") && peek(2).is("zone")) {
      emit(Kind.OPERATOR, "-");
      at += 3;
    } else if (t.is("at") && peek(1).is("local")) {
      at += 2;
    } else if (maria() && infix(t)) {
      emit(Kind.OPERATOR, "-");
      at += t.is("not") || t.is("sounds") ? 2 : 1;
    } else if (maria() && t.is("binary") && !peek(1).mark('(')) {
      at++;
    } else if (maria()
        && t.is("lock")
        && peek(1).is("in")
        && peek(2).is("share")
        && peek(3).is("mode")) {
      at += 4;
      locks();
    } else if (t.is("collate")) {
      at++;
      name();
    } else if (!maria() && t.is("only") && !(at > 0 && in.get(at - 1).upper().matches("ROWS?"))) {
      at++;
    } else if (t.is("materialized") && peek(1).mark('(')) {
      at++;
    } else if (t.is("not") && peek(1).is("materialized") && peek(2).mark('(')) {
      at += 2;
    } else if (!maria() && (t.is("isnull") || t.is("notnull"))) {
      emit(Kind.WORD, "is");
      emit(Kind.WORD, "null");
      at++;
    } else if (t.is("operator") && peek(1).mark('(')) {
      while (at < end && !peek(0).mark(')')) {
        at++;
      }
      emit(Kind.OPERATOR, "-");
      at++;
    } else if (t.is("distinct") && peek(1).is("on") && peek(2).mark('(')) {
      out.add(t);
      at += 2;
      emit(Kind.WORD, "row");
      int close = close(at);
      plain(close + 1);
      emit(Kind.MARK, ",");
    } else {
      out.add(t);
      at++;
    }
  }

  /** How many rows: Calcite takes a number or a parameter, so an expression is read by itself. */
  private void count(int end) throws Refused {
    int depth = 0;
    int i = at;
    while (i < end
        && depth >= 0
        && !(depth == 0 && in.get(i).upper().matches("LIMIT|OFFSET|FETCH|FOR|ROWS?"))) {
      depth += in.get(i).mark('(') ? 1 : in.get(i).mark(')') ? -1 : 0;
      i += depth < 0 ? 0 : 1;
    }
    boolean plain =
        i == at + 1
            && (peek(0).is("all")
                || peek(0).kind() == Kind.NUMBER
                || peek(0).kind() == Kind.PARAMETER);
    if (plain || (i == at && !in.get(at - 1).upper().matches("FIRST|NEXT"))) {
      return;
    }
    if (i > at) {
      List<Token> query = new ArrayList<>();
      query.add(new Token(Kind.WORD, "select", -1));
      query.addAll(in.subList(at, i));
      aside.addAll(tables(catalog, query, sql, nested));
    }
    emit(Kind.NUMBER, "1");
    at = i;
  }

  /** SUBSTRING by its own words, as a function's arguments. */
  private void substring() throws Refused {
    emit(Kind.QUOTED, peek(0).text());
    out.add(peek(1));
    int close = close(at + 1);
    at += 2;
    int depth = 0;
    for (int i = at; i < close; i++) {
      Token t = in.get(i);
      depth += t.mark('(') ? 1 : t.mark(')') ? -1 : 0;
      if (depth == 0
          && (t.is("for") || t.is("from") || t.is("escape") || t.is("similar"))
          && !in.get(i - 1).is("distinct")) {
        plain(i);
        emit(Kind.MARK, ",");
        at++;
      }
    }
    plain(close);
    out.add(in.get(close));
    at++;
  }

  /** The token at hand stands between the parentheses of a function's arguments. */
  private boolean argument() {
    int depth = 0;
    int open = at - 1;
    while (open > 0 && (depth > 0 || !in.get(open).mark('('))) {
      depth += in.get(open).mark(')') ? 1 : in.get(open).mark('(') ? -1 : 0;
      open--;
    }
    if (open < 1 || QUERY.contains(in.get(open + 1).upper())) {
      return false;
    }
    Token f = in.get(open - 1);
    boolean window = f.is("over") && open > 1 && in.get(open - 2).mark(')');
    return f.name() && !window && (f.kind() == Kind.QUOTED || !catalog.reserved(f.text()));
  }

  /** By what an aggregate orders its arguments, as more of them: Calcite's own alone have that. */
  private void arguments() throws Refused {
    emit(Kind.MARK, ",");
    at += 2;
    int depth = 0;
    for (int i = at; i < in.size() && depth >= 0; i++) {
      Token t = in.get(i);
      depth += t.mark('(') ? 1 : t.mark(')') ? -1 : 0;
      Token next = in.get(Math.min(i + 1, in.size() - 1));
      boolean two = t.is("using") || (t.is("nulls") && (next.is("first") || next.is("last")));
      if (depth < 0) {
        plain(i);
      } else if (depth == 0 && (two || t.is("asc") || t.is("desc"))) {
        plain(i);
        at += two ? 2 : 1;
      }
    }
  }

  private boolean dotted() {
    return (at > 0 && in.get(at - 1).mark('.')) || peek(1).mark('.');
  }

  /** The word is a name, of an item of a FROM or of a WITH's query. */
  private boolean named() {
    boolean body = peek(2).mark('(') || peek(2).is("materialized") || peek(3).is("materialized");
    boolean free = !catalog.reserved(peek(0).text().toLowerCase(Locale.ROOT));
    boolean function = peek(1).mark('(') || (peek(0).is("rows") && peek(1).is("from"));
    return free && ((item && !function) || (peek(1).is("as") && body));
  }

  private static boolean form(Token t) {
    return MAKERS.contains(t.text()) || WORDY.contains(t.text());
  }

  /** A reserved word is the label of what stands before it in the list of a SELECT. */
  private boolean label(Token t) {
    Token before = in.get(Math.max(0, at - 1));
    boolean value =
        before.kind() == Kind.WORD
            ? !catalog.reserved(before.text()) || VALUES.contains(before.text())
            : before.kind() == Kind.QUOTED
                || before.kind() == Kind.STRING
                || before.kind() == Kind.NUMBER
                || before.kind() == Kind.PARAMETER
                || before.mark(')')
                || before.mark(']');
    boolean last =
        peek(1).mark('\0')
            || peek(1).mark(',')
            || peek(1).mark(')')
            || peek(1).is("from")
            || AFTER_ITEMS.contains(peek(1).upper());
    return listed
        && at > 0
        && value
        && last
        && catalog.reserved(t.text())
        && !NO_LABELS.contains(t.text());
  }

  /** How many words IS NOT form NORMALIZED has; zero if it is something else. */
  private int normalized() {
    int i = peek(1).is("not") ? 2 : 1;
    i += peek(i).upper().matches("NFK?[CD]") ? 1 : 0;
    return peek(i).is("normalized") ? i + 1 : 0;
  }

  /** What only MariaDB writes so; the words are reserved there, or stand right after SELECT. */
  private boolean own(Token t) throws Refused {
    if (MODIFIERS.contains(t.upper())
        && at > 0
        && (in.get(at - 1).is("select") || MODIFIERS.contains(in.get(at - 1).upper()))) {
      at++;
    } else if (t.is("previous") && peek(1).is("value") && peek(2).is("for")) {
      emit(Kind.WORD, "next");
      at++;
    } else if (t.is("straight_join")) {
      emit(Kind.WORD, "join");
      at++;
    } else if (t.is("limit") && examined(1)) {
      at += 4;
    } else if (examined(0)) {
      at += 3;
    } else if (t.is("limit") && constant(1) && grouped()) {
      at += peek(2).mark(')') ? 2 : 4;
    } else if (t.is("distinct") && at > 1 && in.get(at - 2).is("json_arrayagg")) {
      at++;
    } else if (t.is("with") && peek(1).is("rollup")) {
      at += 2;
    } else if ((t.is("use") || t.is("force") || t.is("ignore"))
        && (peek(1).is("index") || peek(1).is("key"))) {
      while (at < in.size() && !peek(0).mark('(')) {
        at++;
      }
      at = close(at) + 1;
    } else if (t.is("match") && peek(1).mark('(')) {
      match();
    } else if ((t.is("insert") || t.is("char")) && peek(1).mark('(')) {
      emit(Kind.QUOTED, t.text());
      at++;
    } else if (t.is("using") && peek(1).name() && peek(2).mark(')')) {
      at += 2;
    } else if (t.is("partition") && peek(1).mark('(')) {
      at = close(at + 1) + 1;
    } else if (t.is("interval") && peek(1).mark('(') && unit(close(at + 1) + 1)) {
      emit(Kind.OPERATOR, "-");
      at++;
      plain(close(at) + 1);
      at++;
    } else {
      return false;
    }
    return true;
  }

  private boolean constant(int ahead) {
    return peek(ahead).kind() == Kind.NUMBER || peek(ahead).kind() == Kind.PARAMETER;
  }

  /** ROWS EXAMINED and how many. */
  private boolean examined(int from) {
    return peek(from).is("rows") && peek(from + 1).is("examined") && constant(from + 2);
  }

  /** A LIMIT of constants, with which a parenthesis ends, is GROUP_CONCAT's. */
  private boolean grouped() {
    boolean two = (peek(2).mark(',') || peek(2).is("offset")) && constant(3);
    if (!peek(two ? 4 : 2).mark(')')) {
      return false;
    }
    int depth = 0;
    for (int i = at - 1; i >= 0; i--) {
      depth += in.get(i).mark(')') ? 1 : in.get(i).mark('(') ? -1 : 0;
      if (depth < 0) {
        return i > 0 && in.get(i - 1).upper().matches("GROUP_CONCAT|JSON_ARRAYAGG");
      }
    }
    return false;
  }

  private boolean unit(int i) {
    return i < in.size() && in.get(i).upper().matches("([A-Z]+_)?" + UNIT);
  }

  /** MATCH (columns) AGAINST (constant how). */
  private void match() throws Refused {
    int columns = close(at + 1);
    int against = columns + 1;
    if (against + 1 >= in.size() || !in.get(against).is("against")) {
      throw new Refused(Refused.SYNTAX, "a MATCH has no AGAINST", sql);
    }
    int close = close(against + 1);
    if (in.subList(at, close).stream().anyMatch(t -> t.is("select"))) {
      throw new Refused(Refused.UNSUPPORTED, "a MATCH has a query", sql);
    }
    emit(Kind.NUMBER, "1");
    at = close + 1;
  }

  /** LIKE ANY and its kind. */
  private boolean matches(int from) {
    return (peek(from).is("like") || peek(from).is("ilike"))
        && (peek(from + 1).is("any") || peek(from + 1).is("all") || peek(from + 1).is("some"));
  }

  /** AS (column type, …) of a function's rows. */
  private boolean rows() {
    return in.get(Math.max(0, at - 1)).mark(')')
        && peek(1).mark('(')
        && peek(2).name()
        && peek(3).name()
        && !CHANGES.contains(peek(2).upper())
        && !query(at + 1);
  }

  /** AS name (column type, …) of a function's rows, and no body of a WITH. */
  private boolean defines() {
    return peek(1).name()
        && !peek(1).is("materialized")
        && peek(2).mark('(')
        && peek(3).name()
        && !catalog.reserved(peek(3).text())
        && peek(4).name();
  }

  /** JSON_TABLE(document, path COLUMNS (…)): only in the document does a table stand. */
  private void document() throws Refused {
    int close = close(at + 1);
    int depth = 0;
    int comma = at;
    while (comma < close && !(depth == 1 && in.get(comma).mark(','))) {
      depth += in.get(comma).mark('(') ? 1 : in.get(comma).mark(')') ? -1 : 0;
      comma++;
    }
    if (in.subList(comma, close).stream().anyMatch(t -> t.is("select") || t.is("table"))) {
      throw new Refused(Refused.UNSUPPORTED, "a JSON_TABLE has a query behind its document", sql);
    }
    emit(Kind.WORD, "unnest");
    at++;
    plain(comma);
    at = close;
    emit(Kind.MARK, ")");
    at++;
  }

  /**
   * What functions make by a grammar of their own. Of what stands in their parentheses only queries
   * name tables; what is called there is found by its name.
   */
  private void queries(String as, int open) throws Refused {
    int close = close(open);
    emit(Kind.WORD, as);
    emit(Kind.MARK, "(");
    emit(Kind.NUMBER, "1");
    at = alone(open) ? open : open + 1;
    while (at < close) {
      if (peek(0).mark('(') && query(at)) {
        emit(Kind.MARK, ",");
        plain(close(at) + 1);
      } else {
        at++;
      }
    }
    emit(Kind.MARK, ")");
    at = close + 1;
  }

  /** The frame of a window follows, and no comparison of a column. */
  private boolean frame() {
    int first = peek(1).is("between") ? 2 : 1;
    return peek(first).is("unbounded")
        || peek(first).is("current")
        || peek(first + 1).is("preceding")
        || peek(first + 1).is("following");
  }

  private boolean maria() {
    return catalog.rules() == Lexer.Rules.MARIADB;
  }

  /** The index of the parenthesis that closes the one at an index. */
  private int close(int open) throws Refused {
    int depth = 0;
    for (int i = open; i < in.size(); i++) {
      if (in.get(i).mark('(')) {
        depth++;
      } else if (in.get(i).mark(')') && --depth == 0) {
        return i;
      }
    }
    throw new Refused(Refused.SYNTAX, "a parenthesis is not closed", sql);
  }

  /** A word of MariaDB between two operands. */
  private boolean infix(Token t) {
    Token word = t.is("not") ? peek(1) : t;
    return word.is("regexp")
        || (t.is("sounds") && peek(1).is("like"))
        || word.is("rlike")
        || word.is("div")
        || word.is("xor")
        || (word.is("mod") && !peek(1).mark('('));
  }

  private boolean locking() {
    Token next = peek(1);
    return next.is("update")
        || next.is("share")
        || (next.is("no") && peek(2).is("key"))
        || (next.is("key") && peek(2).is("share"));
  }

  /** Skips what follows FOR: how, and names that FROM has. Another query may come after it. */
  private void locks() {
    while ((peek(0).name()
            || peek(0).mark('.')
            || peek(0).mark(',')
            || peek(0).kind() == Kind.NUMBER)
        && !peek(0).upper().matches("UNION|EXCEPT|INTERSECT|ORDER|LIMIT|OFFSET|FETCH")) {
      at++;
    }
  }

  /** Reads a type's name before a string, and INTERVAL's fields after it. */
  private boolean typedString() {
    int i = 1;
    if (peek(i).mark('(') && peek(i + 1).kind() == Kind.NUMBER && peek(i + 2).mark(')')) {
      i += 3;
    }
    if ((peek(i).is("with") || peek(i).is("without"))
        && peek(i + 1).is("time")
        && peek(i + 2).is("zone")) {
      i += 3;
    }
    boolean mariaInterval = peek(0).is("interval") && maria();
    if (peek(i).kind() != Kind.STRING) {
      if (mariaInterval) {
        // INTERVAL expression unit: the unit is a word after an operand.
        emit(Kind.OPERATOR, "-");
        at++;
        mariaUnit();
        return true;
      }
      return false;
    }
    boolean interval = peek(0).is("interval");
    at += i;
    emit(Kind.STRING, "");
    at++;
    if (interval) {
      while (peek(0)
          .upper()
          .matches(
              "YEARS?|MONTHS?|DAYS?|HOURS?|MINUTES?|SECONDS?|MICROSECONDS?|WEEKS?|QUARTERS?|TO")) {
        at++;
      }
    }
    return true;
  }

  private void mariaUnit() {
    if (peek(1).upper().matches("[A-Z]+(_[A-Z]+)?") && peek(0).kind() != Kind.MARK) {
      emit(Kind.NUMBER, "1");
      at += 2;
    }
  }

  /** CAST(x AS type) becomes (x), and so do MariaDB's CONVERT(x, type) and CONVERT(x USING y). */
  private void cast(int end) throws Refused {
    boolean converts = !peek(0).is("cast");
    at++;
    int close = close(at);
    int as = -1;
    int depth = 0;
    for (int i = at; i < close; i++) {
      depth += in.get(i).mark('(') ? 1 : in.get(i).mark(')') ? -1 : 0;
      Token t = in.get(i);
      if (depth == 1 && (converts ? t.mark(',') || t.is("using") : t.is("as"))) {
        as = i;
      }
    }
    if (as < 0 || close >= end) {
      throw new Refused(Refused.SYNTAX, "a CAST has no type", sql);
    }
    plain(as);
    at = close;
    out.add(in.get(close));
    at++;
  }

  /** Skips a name with dots. */
  private void name() {
    at = nameEnd();
  }

  private int nameEnd() {
    int i = 0;
    while (peek(i).name()) {
      i++;
      if (!peek(i).mark('.')) {
        break;
      }
      i++;
    }
    return at + i;
  }

  /** Skips a type after a double colon. */
  private void type() throws Refused {
    name();
    while (LONG_TYPES.contains(peek(0).text()) && peek(0).kind() == Kind.WORD) {
      at++;
    }
    if (peek(0).mark('(')) {
      at = close(at) + 1;
      while (LONG_TYPES.contains(peek(0).text()) && peek(0).kind() == Kind.WORD) {
        at++;
      }
    }
    while (peek(0).mark('[')
        && (peek(1).mark(']') || (peek(1).kind() == Kind.NUMBER && peek(2).mark(']')))) {
      at += peek(1).mark(']') ? 2 : 3;
    }
  }

  private List<List<String>> parse() throws Refused {
    Set<Integer> quoted = new HashSet<>();
    while (true) {
      StringBuilder text = new StringBuilder();
      List<Integer> starts = new ArrayList<>();
      for (int i = 0; i < out.size(); i++) {
        starts.add(text.length());
        text.append(text(out.get(i), quoted.contains(i))).append(' ');
      }
      try {
        SqlNode node = SqlParser.create(text.toString(), CONFIG).parseQuery();
        Tables tables = new Tables();
        node.accept(tables);
        if (tables.unknown != null) {
          throw new Refused(
              Refused.UNSUPPORTED,
              "its FROM has " + tables.unknown + ", whose tables cannot be determined",
              sql);
        }
        return tables.names;
      } catch (SqlParseException e) {
        if (e.getCause() instanceof StackOverflowError) {
          throw deep();
        }
        int column = e.getPos() == null ? 0 : e.getPos().getColumnNum() - 1;
        int i = 0;
        while (i + 1 < starts.size() && starts.get(i + 1) <= column) {
          i++;
        }
        if (quote(i, quoted)) {
          continue;
        }
        Token t = i < out.size() ? out.get(i) : null;
        String where =
            t == null || t.at() < 0
                ? "its end"
                : Refused.shorten(sql.substring(Math.min(t.at(), sql.length())));
        throw new Refused(
            Refused.UNSUPPORTED,
            "its tables cannot be determined: Calcite's grammar does not go on at " + where,
            sql);
      } catch (StackOverflowError e) {
        throw deep();
      }
    }
  }

  /**
   * Quotes the word at which Calcite stops, or one of the next two: of a name that it reserves it
   * tells what stands before it. Says whether there was one.
   */
  private boolean quote(int stop, Set<Integer> quoted) {
    for (int i = stop; i < Math.min(stop + 3, out.size()); i++) {
      Token t = out.get(i);
      boolean free = t.kind() == Kind.WORD && !catalog.reserved(t.text().toLowerCase(Locale.ROOT));
      if (free && quoted.size() < MOST_QUOTED && quoted.add(i)) {
        return true;
      }
    }
    return false;
  }

  private Refused deep() {
    return new Refused(Refused.COMPLEX, "it is nested too deeply to be read", sql);
  }

  private static String text(Token t, boolean quote) {
    if (t.kind() == Kind.STRING) {
      return "''";
    } else if (t.kind() == Kind.PARAMETER) {
      return "?";
    } else if (t.kind() == Kind.QUOTED || quote || (t.kind() == Kind.WORD && !plain(t.text()))) {
      return '"' + t.text().replace("\"", "\"\"") + '"';
    }
    return t.text();
  }

  private static boolean plain(String word) {
    return word.chars().allMatch(c -> c < 0x80 && c != '$') && !Character.isDigit(word.charAt(0));
  }

  /** Collects what stands where a table can stand. */
  private static final class Tables extends SqlBasicVisitor<Void> {
    private final List<List<String>> names = new ArrayList<>();
    private String unknown;

    @Override
    public Void visit(SqlCall call) {
      if (call instanceof SqlSelect select) {
        from(select.getFrom());
        for (SqlNode operand : select.getOperandList()) {
          if (operand != null && operand != select.getFrom()) {
            operand.accept(this);
          }
        }
        return null;
      }
      if (call.getKind() == SqlKind.EXPLICIT_TABLE) {
        from(call.operand(0));
        return null;
      }
      for (SqlNode operand : call.getOperandList()) {
        if (operand != null) {
          operand.accept(this);
        }
      }
      return null;
    }

    private void from(SqlNode node) {
      if (node == null) {
        return;
      }
      if (node instanceof SqlIdentifier name) {
        names.add(name.names);
      } else if (node instanceof SqlJoin join) {
        from(join.getLeft());
        from(join.getRight());
        if (join.getCondition() != null) {
          join.getCondition().accept(this);
        }
      } else if (node instanceof SqlCall call) {
        switch (call.getKind()) {
          case SELECT,
              UNION,
              INTERSECT,
              EXCEPT,
              VALUES,
              ORDER_BY,
              WITH,
              UNNEST,
              EXPLICIT_TABLE,
              ROW ->
              call.accept(this);
          case AS, LATERAL, TABLE_REF, TABLESAMPLE, EXTEND, COLLECTION_TABLE -> {
            from(call.operand(0));
            for (SqlNode operand : call.getOperandList().subList(1, call.operandCount())) {
              if (operand instanceof SqlBasicCall) {
                operand.accept(this);
              }
            }
          }
          case OTHER_FUNCTION -> call.accept(this);
          default -> unknown = call.getKind().sql;
        }
      } else {
        unknown = node.getKind().sql;
      }
    }
  }
}
