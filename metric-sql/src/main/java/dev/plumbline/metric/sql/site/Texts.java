package dev.plumbline.metric.sql.site;

import dev.plumbline.metric.sql.driver.Wire;
import java.lang.reflect.Method;
import java.math.BigDecimal;
import java.sql.Array;
import java.sql.BatchUpdateException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.sql.Statement;
import java.sql.Types;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.OffsetDateTime;
import java.time.OffsetTime;
import java.util.Arrays;
import java.util.UUID;

/**
 * A connection as our driver wants it served: values that Avatica would change on the way travel as
 * the database's text.
 */
final class Texts {
  private final Connection real;
  private final boolean untyped;

  private Texts(Connection real, boolean untyped) {
    this.real = real;
    this.untyped = untyped;
  }

  /** Whether a connection is served so. */
  static boolean serves(Connection c) throws SQLException {
    return c.isWrapperFor(Texts.class);
  }

  /** {@code untyped} says whether the database finds the type of a text by itself. */
  static Connection connection(Connection real, boolean untyped) {
    Texts texts = new Texts(real, untyped);
    return Wrapped.proxy(
        Connection.class,
        (self, method, arguments) -> {
          if (method.getName().equals("isWrapperFor") && arguments[0] == Texts.class) {
            return true;
          }
          Object made = Wrapped.call(real, method, arguments);
          return made instanceof Statement s ? texts.statement(s) : made;
        });
  }

  private Statement statement(Statement statement) {
    Class<? extends Statement> type =
        statement instanceof PreparedStatement ? PreparedStatement.class : Statement.class;
    ResultSet[] described = new ResultSet[1];
    return Wrapped.proxy(
        type,
        (self, method, arguments) -> {
          if (method.getName().equals("execute")) {
            String seconds = arguments == null ? null : Wire.seconds(arguments[0]);
            if (seconds != null) {
              real.setClientInfo(Wire.TIMEOUT, seconds);
              described[0] = Wire.nothing();
              return true;
            }
            if (arguments != null && Wire.WARNINGS.equals(arguments[0])) {
              described[0] = Wire.warnings(real.getWarnings());
              return true;
            }
            boolean asks = arguments != null && Wire.asks(arguments[0]);
            described[0] = asks ? Wire.described((String) arguments[0], real.getMetaData()) : null;
            if (asks) {
              return true;
            }
          }
          if (method.getName().equals("getResultSet") && described[0] != null) {
            return result(described[0]);
          }
          if (method.getName().equals("setObject")
              && arguments.length == 2
              && arguments[1] instanceof Array sent) {
            set((PreparedStatement) statement, (Integer) arguments[0], (Object[]) sent.getArray());
            return null;
          }
          return result(told(statement, method, arguments));
        });
  }

  private static Object told(Statement statement, Method method, Object[] arguments)
      throws SQLException {
    try {
      return Wrapped.call(statement, method, arguments);
    } catch (BatchUpdateException e) {
      throw new SQLException(
          e.getMessage() + Wire.COUNTS + Arrays.toString(e.getUpdateCounts()),
          e.getSQLState(),
          e.getErrorCode(),
          e);
    }
  }

  private void set(PreparedStatement statement, int at, Object[] sent) throws SQLException {
    String text = (String) sent[1];
    switch ((String) sent[0]) {
      case Wire.UNTYPED -> {
        if (untyped) {
          statement.setObject(at, text + sent[2], Types.OTHER);
        } else {
          statement.setString(at, text);
        }
      }
      case Wire.NOTHING -> statement.setNull(at, Integer.parseInt(text));
      case Wire.ARRAY ->
          statement.setArray(
              at, real.createArrayOf(text, Arrays.copyOfRange(sent, 2, sent.length)));
      case "BigDecimal" -> statement.setBigDecimal(at, new BigDecimal(text));
      case "LocalDate" -> statement.setObject(at, LocalDate.parse(text));
      case "LocalTime" -> statement.setObject(at, LocalTime.parse(text));
      case "LocalDateTime" -> statement.setObject(at, LocalDateTime.parse(text));
      case "OffsetTime" -> statement.setObject(at, OffsetTime.parse(text));
      case "OffsetDateTime" -> statement.setObject(at, OffsetDateTime.parse(text));
      case "UUID" -> statement.setObject(at, UUID.fromString(text));
      default -> throw Session.unsupported("there is no parameter of the kind " + sent[0]);
    }
  }

  private static Object result(Object result) throws SQLException {
    return result instanceof ResultSetMetaData described
        ? metaData(described)
        : result instanceof ResultSet rows ? rows(rows) : result;
  }

  static ResultSet rows(ResultSet rows) throws SQLException {
    ResultSetMetaData described = rows.getMetaData();
    return Wrapped.proxy(
        ResultSet.class,
        (self, method, arguments) ->
            switch (method.getName()) {
              case "getMetaData" -> metaData(described);
              case "getObject" -> value(rows, carried(described, arguments), arguments);
              default -> Wrapped.call(rows, method, arguments);
            });
  }

  private static Object value(ResultSet rows, int type, Object[] arguments) throws SQLException {
    int column = (Integer) arguments[0];
    return switch (type) {
      case Types.VARCHAR -> rows.getString(column);
      case Types.VARBINARY -> rows.getBytes(column);
      default -> rows.getObject(column);
    };
  }

  private static ResultSetMetaData metaData(ResultSetMetaData described) {
    return Wrapped.proxy(
        ResultSetMetaData.class,
        (self, method, arguments) ->
            method.getName().equals("getColumnType")
                ? (Object) carried(described, arguments)
                : Wrapped.call(described, method, arguments));
  }

  /** The type by which Avatica carries the values of a column as they are: text for most. */
  private static int carried(ResultSetMetaData described, Object[] arguments) throws SQLException {
    int column = (Integer) arguments[0];
    int type = described.getColumnType(column);
    String name = described.getColumnTypeName(column);
    boolean itself =
        switch (type) {
          case Types.TINYINT, Types.SMALLINT, Types.INTEGER, Types.BIGINT ->
              described.isSigned(column);
          case Types.BOOLEAN, Types.BINARY -> true;
          // PostgreSQL's driver calls a boolean a bit, too.
          case Types.BIT -> !name.equals("bit");
          default -> false;
        };
    return switch (type) {
      case Types.VARBINARY, Types.LONGVARBINARY, Types.BLOB -> Types.VARBINARY;
      // MariaDB's of one bit is a boolean, others are bytes.
      case Types.BIT -> name.equals("BIT") ? Types.VARBINARY : itself ? type : Types.VARCHAR;
      default -> itself ? type : Types.VARCHAR;
    };
  }
}
