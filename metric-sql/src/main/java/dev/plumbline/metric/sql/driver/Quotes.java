package dev.plumbline.metric.sql.driver;

import dev.plumbline.metric.sql.tables.Lexer;
import java.sql.SQLException;

/** Texts and names as MariaDB reads them in a statement. JDBC's own way is the standard's. */
final class Quotes {
  /** JDBC's bound. */
  private static final int LONGEST_NAME = 128;

  private Quotes() {}

  /** What a method of {@code Statement} gives, by its name. */
  static String mariaDb(String method, Object[] arguments) throws SQLException {
    String given = (String) arguments[0];
    return switch (method) {
      case "enquoteLiteral" -> literal(given);
      case "enquoteNCharLiteral" -> "N" + literal(given);
      default -> name(given, (Boolean) arguments[1]);
    };
  }

  /** A backslash begins an escape there. */
  private static String literal(String text) {
    return "'" + text.replace("\\", "\\\\").replace("'", "''") + "'";
  }

  private static String name(String given, boolean always) throws SQLException {
    boolean quoted = given.length() > 2 && given.startsWith("`") && given.endsWith("`");
    String bare = quoted ? given.substring(1, given.length() - 1) : given;
    boolean odd = bare.indexOf('\0') >= 0 || (quoted && bare.indexOf('`') >= 0);
    if (bare.isEmpty() || given.length() > LONGEST_NAME || odd) {
      throw new SQLException("this is no name: " + given, "42602");
    }
    return !always && bare.matches("[a-zA-Z][a-zA-Z0-9_]*") && !quoted
        ? bare
        : Lexer.Rules.MARIADB.quoted(bare);
  }
}
