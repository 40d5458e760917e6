package dev.plumbline.metric.sql.local;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;

/** Short ways to run statements of our own. */
public final class Sql {
  private Sql() {}

  /** What is done with each row. */
  @FunctionalInterface
  public interface Row {
    void take(ResultSet row) throws SQLException;
  }

  public static void run(Connection c, String... statements) throws SQLException {
    try (Statement s = c.createStatement()) {
      for (String sql : statements) {
        s.execute(sql);
      }
    }
  }

  public static void each(Connection c, String sql, Row row, Object... parameters)
      throws SQLException {
    try (PreparedStatement s = c.prepareStatement(sql)) {
      for (int i = 0; i < parameters.length; i++) {
        s.setObject(i + 1, parameters[i]);
      }
      try (ResultSet rows = s.executeQuery()) {
        while (rows.next()) {
          row.take(rows);
        }
      }
    }
  }

  public static List<String> strings(Connection c, String sql, Object... parameters)
      throws SQLException {
    List<String> strings = new ArrayList<>();
    each(c, sql, row -> strings.add(row.getString(1)), parameters);
    return strings;
  }

  /** The first column of the one row. */
  public static String string(Connection c, String sql, Object... parameters) throws SQLException {
    List<String> strings = strings(c, sql, parameters);
    return strings.isEmpty() ? null : strings.get(0);
  }

  public static int update(Connection c, String sql, Object... parameters) throws SQLException {
    try (PreparedStatement s = c.prepareStatement(sql)) {
      for (int i = 0; i < parameters.length; i++) {
        s.setObject(i + 1, parameters[i]);
      }
      return s.executeUpdate();
    }
  }
}
