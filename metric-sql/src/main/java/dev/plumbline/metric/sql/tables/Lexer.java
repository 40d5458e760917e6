package dev.plumbline.metric.sql.tables;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Cuts SQL into tokens exactly as the database does, so that no text hides in a comment or a
 * string.
 */
public final class Lexer {

  /** How a kind of database reads SQL. */
  public enum Rules {
    POSTGRESQL('"'),
    MARIADB('`');

    private final char quote;

    Rules(char quote) {
      this.quote = quote;
    }

    /** A name in quotes. */
    public String quoted(String name) {
      return quote + name.replace(String.valueOf(quote), "" + quote + quote) + quote;
    }

    /** The name of a table as all of Metric writes it. */
    public String quoted(String schema, String name) {
      return quoted(schema) + "." + quoted(name);
    }
  }

  /** What a token is. */
  public enum Kind {
    WORD,
    QUOTED,
    STRING,
    NUMBER,
    VARIABLE,
    PARAMETER,
    OPERATOR,
    MARK
  }

  /**
   * A token: a word is folded as the database folds it, a quoted name or a string is what it stands
   * for.
   */
  public record Token(Kind kind, String text, int at) {

    public boolean is(String word) {
      return kind == Kind.WORD && text.equalsIgnoreCase(word);
    }

    public boolean mark(char c) {
      return kind == Kind.MARK && text.charAt(0) == c;
    }

    public boolean name() {
      return kind == Kind.WORD || kind == Kind.QUOTED;
    }

    String upper() {
      return kind == Kind.WORD ? text.toUpperCase(Locale.ROOT) : "";
    }
  }

  private static final Pattern NUMBER =
      Pattern.compile(
          "0[xX][0-9a-fA-F_]+|0[oO][0-7_]+|0[bB][01_]+|([0-9][0-9_]*(\\.[0-9_]*)?|\\.[0-9][0-9_]*)([eE][+-]?[0-9_]+)?");

  /**
   * MariaDB's numbers have no underscores. One with a point or an exponent ends where it can; after
   * the digits of another one a letter makes it a name.
   */
  private static final Pattern MARIA_NUMBER =
      Pattern.compile(
          "(?<open>0x[0-9a-fA-F]+|0b[01]+)|[0-9]+[eE][+-]?[0-9]+|([0-9]+\\.[0-9]*|\\.[0-9]+)([eE][+-]?[0-9]+)?|(?<digits>[0-9]+)");

  private static final Pattern DOLLAR = Pattern.compile("\\$([\\p{L}_][\\p{L}\\p{N}_]*)?\\$");
  private static final Pattern VARIABLE =
      Pattern.compile(
          "@@(?:(?:global|session|local)\\.)?([a-z_]\\w*)(?![.$`])", Pattern.CASE_INSENSITIVE);

  /** A variable of a session of MariaDB's, under a name in quotes or not. */
  private static final Pattern SESSION =
      Pattern.compile(
          "@(?:((?:[\\w.$]|[^\\x00-\\x7f])+)|`((?:[^`]|``)+)`|'([^'\\\\]+)'|\"([^\"\\\\]+)\")");

  private static final String OPERATORS = "+-*/<>=~!@#%^&|`:";
  private static final Set<String> ESCAPES = Set.of("d", "t", "ts", "fn", "oj", "escape");
  private static final int LONGEST_NAME = 63;

  private final Rules rules;
  private final String sql;
  private final List<Token> tokens = new ArrayList<>();

  /** Which of them are in Unicode escapes. */
  private final List<Integer> escaped = new ArrayList<>();

  private boolean body;
  private int at;

  private Lexer(Rules rules, String sql) {
    this.rules = rules;
    this.sql = sql;
  }

  /** The tokens of one statement, without its last semicolon. Refuses more than one statement. */
  public static List<Token> statement(Rules rules, String sql) throws Refused {
    List<Token> tokens = tokens(rules, sql);
    int end = tokens.size();
    while (end > 0 && tokens.get(end - 1).mark(';')) {
      end--;
    }
    List<Token> one = tokens.subList(0, end);
    for (Token t : one) {
      if (t.mark(';')) {
        throw new Refused(Refused.UNSUPPORTED, "it is more than one statement", sql);
      }
    }
    return List.copyOf(one);
  }

  /** How many parameters JDBC has in a statement. */
  public static int parameters(Rules rules, String sql) throws Refused {
    return (int) tokens(rules, sql).stream().filter(t -> t.kind() == Kind.PARAMETER).count();
  }

  public static List<Token> tokens(Rules rules, String sql) throws Refused {
    return new Lexer(rules, sql).all();
  }

  /** The tokens of a routine, in which variables are assigned. */
  static List<Token> body(Rules rules, String sql) throws Refused {
    Lexer lexer = new Lexer(rules, sql);
    lexer.body = true;
    return lexer.all();
  }

  private List<Token> all() throws Refused {
    while (at < sql.length()) {
      next();
    }
    return escaped.isEmpty() ? tokens : decoded();
  }

  private Refused refused(String why) {
    return new Refused(Refused.SYNTAX, why, sql);
  }

  private boolean postgres() {
    return rules == Rules.POSTGRESQL;
  }

  private char peek(int ahead) {
    return at + ahead < sql.length() ? sql.charAt(at + ahead) : 0;
  }

  private void add(Kind kind, String text, int start) {
    tokens.add(new Token(kind, text, start));
  }

  private void next() throws Refused {
    int start = at;
    char c = peek(0);
    if (c == 0) {
      throw refused("it has a character 0");
    } else if (body && (c == '@' || c == '{' || (c == ':' && peek(1) == '='))) {
      at += c == ':' ? 2 : 1;
    } else if (c == '@' && !postgres() && variable(start)) {
      return;
    } else if (c == ' ' || (c >= '\t' && c <= '\r')) {
      // What else is blank in Unicode is a letter to both databases.
      at++;
    } else if ((c == '-' && peek(1) == '-' && (postgres() || peek(2) <= ' '))
        || (c == '#' && !postgres())) {
      // Only to PostgreSQL is a carriage return alone the end of a line.
      while (at < sql.length() && peek(0) != '\n' && (peek(0) != '\r' || !postgres())) {
        at++;
      }
    } else if (c == '/' && peek(1) == '*') {
      comment();
    } else if (c == '\'' || (c == '"' && !postgres())) {
      string(c, start, !postgres());
    } else if (c == '"' || (c == '`' && !postgres())) {
      String name = quoted(c);
      add(Kind.QUOTED, postgres() ? cut(name) : name, start);
    } else if (c == '$' && postgres() && dollar(start)) {
      return;
    } else if (c == '?' && (!postgres() || peek(1) != '?')) {
      // "?|" and "?&" of PostgreSQL reach its driver as "??|" and "??&".
      at++;
      add(Kind.PARAMETER, "?", start);
    } else if (c == '?') {
      at += 2;
      while (OPERATORS.indexOf(peek(0)) >= 0 && peek(0) != 0) {
        at++;
      }
      add(Kind.OPERATOR, "?", start);
    } else if (c == '{') {
      escape();
    } else if (c == '}') {
      at++;
    } else if (c == '.' && !postgres() && afterName(start)) {
      at++;
      add(Kind.MARK, ".", start);
      if (wordPart(at)) {
        word(at);
      }
    } else if ((c >= '0' && c <= '9') || (c == '.' && peek(1) >= '0' && peek(1) <= '9')) {
      number(start);
    } else if (wordStart(c)) {
      word(start);
    } else if ("(),;[].".indexOf(c) >= 0) {
      at++;
      add(Kind.MARK, String.valueOf(c), start);
    } else if (OPERATORS.indexOf(c) >= 0 && (postgres() || c != '`')) {
      operator(start);
    } else {
      throw refused("the character " + c + " at " + (start + 1) + " starts nothing that is known");
    }
  }

  private boolean wordStart(char c) {
    return (c >= 'a' && c <= 'z')
        || (c >= 'A' && c <= 'Z')
        || c == '_'
        || c >= 0x80
        || (c == '$' && !postgres());
  }

  private void number(int start) throws Refused {
    Matcher m = (postgres() ? NUMBER : MARIA_NUMBER).matcher(sql).region(at, sql.length());
    if (m.lookingAt()
        && (postgres()
            || (m.group("open") == null && m.group("digits") == null)
            || !wordPart(m.end()))) {
      at = m.end();
      add(Kind.NUMBER, m.group(), start);
    } else {
      // A name of MariaDB may begin with a digit.
      word(start);
    }
  }

  /** A name ends right before here. To MariaDB the dot then makes a name of what follows, too. */
  private boolean afterName(int i) {
    return !tokens.isEmpty()
        && tokens.get(tokens.size() - 1).name()
        && (wordPart(i - 1) || sql.charAt(i - 1) == '`');
  }

  private boolean wordPart(int i) {
    if (i >= sql.length()) {
      return false;
    }
    char c = sql.charAt(i);
    return wordStart(c) || (c >= '0' && c <= '9') || c == '$';
  }

  private void word(int start) throws Refused {
    while (wordPart(at)) {
      at++;
    }
    String word = sql.substring(start, at);
    char next = peek(0);
    if (postgres()
        && word.equalsIgnoreCase("u")
        && next == '&'
        && (peek(1) == '"' || peek(1) == '\'')) {
      at++;
      escaped.add(tokens.size());
      if (peek(0) == '"') {
        add(Kind.QUOTED, quoted('"'), start);
      } else {
        string('\'', start, false);
      }
    } else if (postgres() && next == '\'' && word.length() == 1 && "eEbBxXnN".contains(word)) {
      string('\'', start, word.equalsIgnoreCase("e"));
    } else if (!postgres()
        && next == '\''
        && ((word.length() == 1 && "bBxXnN".contains(word)) || word.startsWith("_"))) {
      string('\'', start, true);
    } else if (postgres()) {
      add(Kind.WORD, cut(fold(word)), start);
    } else {
      add(Kind.WORD, word, start);
    }
  }

  /** Names and strings of PostgreSQL's in Unicode escapes become what they stand for. */
  private List<Token> decoded() throws Refused {
    List<Token> all = new ArrayList<>();
    int next = 0;
    for (int index : escaped) {
      all.addAll(tokens.subList(next, index));
      Token t = tokens.get(index);
      next = index + 1;
      char escape = '\\';
      if (next < tokens.size() && tokens.get(next).is("uescape")) {
        Token said = next + 1 < tokens.size() ? tokens.get(next + 1) : t;
        if (said.kind() != Kind.STRING || !said.text().matches("[^0-9a-fA-F+'\"\\s]")) {
          throw refused("a UESCAPE has no character of its own");
        }
        escape = said.text().charAt(0);
        next += 2;
      }
      String text = decoded(t.text(), escape);
      all.add(new Token(t.kind(), t.kind() == Kind.QUOTED ? cut(text) : text, t.at()));
    }
    all.addAll(tokens.subList(next, tokens.size()));
    return all;
  }

  private String decoded(String text, char escape) throws Refused {
    StringBuilder decoded = new StringBuilder();
    String e = Pattern.quote(String.valueOf(escape));
    Matcher m =
        Pattern.compile(e + "(" + e + "|\\+([0-9a-fA-F]{6})|([0-9a-fA-F]{4}))").matcher(text);
    for (int i = 0; i < text.length(); i++) {
      if (text.charAt(i) != escape) {
        decoded.append(text.charAt(i));
        continue;
      }
      if (!m.region(i, text.length()).lookingAt()) {
        throw refused("a Unicode escape has neither four nor six digits");
      }
      String digits = m.group(2) == null ? m.group(3) : m.group(2);
      int point = digits == null ? escape : Integer.parseInt(digits, 16);
      if (point == 0 || point > Character.MAX_CODE_POINT) {
        throw refused("a Unicode escape is no character");
      }
      decoded.appendCodePoint(point);
      i = m.end() - 1;
    }
    return decoded.toString();
  }

  /** A variable of MariaDB's own, with its scope, or of the session's, with its sign. */
  private boolean variable(int start) {
    Matcher m = VARIABLE.matcher(sql).region(at, sql.length());
    Matcher s = SESSION.matcher(sql).region(at, sql.length());
    if (s.lookingAt() && (at == 0 || sql.charAt(at - 1) != '@')) {
      at = s.end();
      for (int i = 1; i <= s.groupCount(); i++) {
        if (s.group(i) != null) {
          add(Kind.VARIABLE, "@" + s.group(i), start);
        }
      }
      return true;
    }
    if (!m.lookingAt()) {
      return false;
    }
    at = m.end();
    add(Kind.VARIABLE, m.group(1), start);
    return true;
  }

  /** PostgreSQL folds ASCII letters only. */
  private static String fold(String word) {
    StringBuilder folded = new StringBuilder(word);
    for (int i = 0; i < folded.length(); i++) {
      char c = folded.charAt(i);
      if (c >= 'A' && c <= 'Z') {
        folded.setCharAt(i, (char) (c + 32));
      }
    }
    return folded.toString();
  }

  /** PostgreSQL cuts names at 63 bytes. */
  private static String cut(String name) {
    if (name.getBytes(StandardCharsets.UTF_8).length <= LONGEST_NAME) {
      return name;
    }
    int end = 0;
    int bytes = 0;
    while (end < name.length()) {
      int point = name.codePointAt(end);
      bytes += new String(Character.toChars(point)).getBytes(StandardCharsets.UTF_8).length;
      if (bytes > LONGEST_NAME) {
        break;
      }
      end += Character.charCount(point);
    }
    return name.substring(0, end);
  }

  private void comment() throws Refused {
    if (!postgres() && (peek(2) == '!' || (peek(2) == 'M' && peek(3) == '!'))) {
      throw new Refused(Refused.UNSUPPORTED, "it has a comment that MariaDB executes", sql);
    }
    int depth = 0;
    do {
      if (at >= sql.length()) {
        throw refused("a comment has no end");
      } else if (peek(0) == '/' && peek(1) == '*' && (postgres() || depth == 0)) {
        depth++;
        at += 2;
      } else if (peek(0) == '*' && peek(1) == '/') {
        depth--;
        at += 2;
      } else {
        at++;
      }
    } while (depth > 0);
  }

  private void string(char quote, int start, boolean backslash) throws Refused {
    at++;
    StringBuilder text = new StringBuilder();
    while (true) {
      if (at >= sql.length()) {
        throw refused("a string has no end");
      }
      char c = peek(0);
      if (c == quote && peek(1) == quote) {
        text.append(quote);
        at += 2;
      } else if (c == quote) {
        at++;
        int more = postgres() ? continued() : -1;
        if (more < 0) {
          break;
        }
        at = more + 1;
      } else if (c == '\\' && backslash) {
        text.append(c).append(peek(1));
        at += 2;
      } else {
        text.append(c);
        at++;
      }
    }
    add(Kind.STRING, text.toString(), start);
  }

  /** Where PostgreSQL goes on with a string: at a quote in another line; -1 if it does not. */
  private int continued() {
    boolean line = false;
    for (int i = at; i < sql.length(); i++) {
      char c = sql.charAt(i);
      if (c == '\'') {
        return line ? i : -1;
      } else if (sql.startsWith("--", i)) {
        while (i + 1 < sql.length() && "\n\r".indexOf(sql.charAt(i + 1)) < 0) {
          i++;
        }
      } else if (" \t\f\u000B\n\r".indexOf(c) < 0) {
        return -1;
      }
      line |= c == '\n' || c == '\r';
    }
    return -1;
  }

  private String quoted(char quote) throws Refused {
    StringBuilder name = new StringBuilder();
    at++;
    while (true) {
      if (at >= sql.length()) {
        throw refused("a quoted name has no end");
      }
      char c = peek(0);
      if (c == quote && peek(1) == quote) {
        name.append(quote);
        at += 2;
      } else if (c == quote) {
        at++;
        if (name.isEmpty()) {
          throw refused("it has an empty name");
        }
        return name.toString();
      } else {
        name.append(c);
        at++;
      }
    }
  }

  /** A string in dollar quotes, or a numbered parameter. */
  private boolean dollar(int start) throws Refused {
    Matcher m = DOLLAR.matcher(sql).region(at, sql.length());
    if (m.lookingAt()) {
      int end = sql.indexOf(m.group(), m.end());
      if (end < 0) {
        throw refused("a string in dollar quotes has no end");
      }
      add(Kind.STRING, sql.substring(m.end(), end), start);
      at = end + m.group().length();
      return true;
    }
    at++;
    while (peek(0) >= '0' && peek(0) <= '9') {
      at++;
    }
    if (at == start + 1) {
      throw refused("a $ stands alone");
    }
    add(Kind.PARAMETER, sql.substring(start, at), start);
    return true;
  }

  /** The escapes of JDBC in braces: what they hold is read as it stands. */
  private void escape() throws Refused {
    Matcher m = Pattern.compile("\\{\\s*([A-Za-z]+)").matcher(sql).region(at, sql.length());
    if (!m.lookingAt() || !ESCAPES.contains(m.group(1).toLowerCase(Locale.ROOT))) {
      throw new Refused(Refused.UNSUPPORTED, "it has a brace that is no known escape of JDBC", sql);
    }
    at = m.end();
    if (m.group(1).equalsIgnoreCase("escape")) {
      add(Kind.WORD, "escape", at);
    }
  }

  private void operator(int start) throws Refused {
    while (at < sql.length() && OPERATORS.indexOf(peek(0)) >= 0) {
      boolean comment = (peek(0) == '-' && peek(1) == '-') || (peek(0) == '/' && peek(1) == '*');
      // To PostgreSQL a colon is in no operator but its own.
      boolean colon = postgres() && (peek(0) == ':' || (at > start && sql.charAt(start) == ':'));
      if (at > start
          && (comment
              || (colon && !":: :=".contains(sql.substring(start, at + 1)))
              || (!postgres() && (peek(0) == '`' || peek(0) == '@' || peek(0) == '#')))) {
        break;
      }
      at++;
      if (!postgres() && sql.charAt(at - 1) == '@' && peek(0) != '@') {
        throw new Refused(Refused.UNSUPPORTED, "it has a variable of the session", sql);
      }
    }
    String op = sql.substring(start, at);
    // A trailing sign belongs to the operand unless the operator has one of ~ ! @ # % ^ & | `.
    if (postgres()
        && op.length() > 1
        && !op.equals("::")
        && op.chars().noneMatch(c -> "~!@#%^&|`:".indexOf(c) >= 0)) {
      while (at > start + 1 && (sql.charAt(at - 1) == '-' || sql.charAt(at - 1) == '+')) {
        at--;
      }
      op = sql.substring(start, at);
    }
    add(Kind.OPERATOR, op, start);
  }
}
