package dev.plumbline.metric.sql.driver;

import java.io.ByteArrayInputStream;
import java.io.StringReader;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Method;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.nio.charset.StandardCharsets;
import java.sql.Array;
import java.sql.Date;
import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.SQLDataException;
import java.sql.SQLException;
import java.sql.Statement;
import java.sql.Time;
import java.sql.Timestamp;
import java.sql.Types;
import java.util.Arrays;
import java.util.Calendar;
import java.util.Map;
import java.util.Set;
import java.util.TimeZone;
import javax.sql.rowset.serial.SerialBlob;
import javax.sql.rowset.serial.SerialClob;

/** The rows of a result, whose values JDBC's users read as with the database's own driver. */
final class Rows implements InvocationHandler {
  private static final Map<String, Class<?>> GETTERS =
      Map.ofEntries(
          Map.entry("getObject", Object.class),
          Map.entry("getString", String.class),
          Map.entry("getNString", String.class),
          Map.entry("getBoolean", Boolean.class),
          Map.entry("getByte", Byte.class),
          Map.entry("getShort", Short.class),
          Map.entry("getInt", Integer.class),
          Map.entry("getLong", Long.class),
          Map.entry("getFloat", Float.class),
          Map.entry("getDouble", Double.class),
          Map.entry("getBigDecimal", BigDecimal.class),
          Map.entry("getBytes", byte[].class),
          Map.entry("getBlob", byte[].class),
          Map.entry("getClob", String.class),
          Map.entry("getBinaryStream", byte[].class),
          Map.entry("getAsciiStream", String.class),
          Map.entry("getCharacterStream", String.class),
          Map.entry("getNCharacterStream", String.class),
          Map.entry("getDate", Date.class),
          Map.entry("getTime", Time.class),
          Map.entry("getTimestamp", Timestamp.class),
          Map.entry("getArray", Array.class));

  private static final Set<String> OTHERS =
      Set.of("getNClob", "getRef", "getRowId", "getSQLXML", "getURL", "getUnicodeStream");

  private final ResultSet rows;
  private final Statement statement;
  private final int most;
  private final int longest;
  private boolean wasNull;

  /** How many rows were read. */
  private int row;

  private boolean over;

  /** Whether there is a next row, if that was looked at. */
  private Boolean ahead;

  /** The values of the row at hand, while Avatica's client is at the next one. */
  private Object[] kept;

  /**
   * @param most how many rows there may be; zero for no limit
   * @param longest how many bytes a text or a binary value may have; zero for no limit
   */
  Rows(ResultSet rows, Statement statement, int most, int longest) {
    this.rows = rows;
    this.statement = statement;
    this.most = most;
    this.longest = longest;
  }

  @Override
  public Object invoke(Object self, Method method, Object[] arguments) throws SQLException {
    Object own = Client.own(self, method, arguments);
    if (own != null) {
      return own;
    }
    String name = method.getName();
    if (name.equals("getStatement")) {
      return statement;
    }
    if (name.equals("wasNull")) {
      return wasNull;
    }
    if (GETTERS.containsKey(name)) {
      if (kept == null && (ahead != null || ((row == 0 || over) && !rows.isClosed()))) {
        throw new SQLException("the ResultSet is at no row; call next()", "24000");
      }
      return Client.run(() -> value(method, arguments));
    }
    switch (name) {
      case "next" -> {
        return next();
      }
      case "isBeforeFirst" -> {
        return row == 0 && !over && more();
      }
      case "isFirst" -> {
        return row == 1 && !over;
      }
      case "isLast" -> {
        return row > 0 && !over && !more();
      }
      case "isAfterLast" -> {
        return row > 0 && over;
      }
      case "getRow" -> {
        return over ? 0 : row;
      }
      default -> {
        // Avatica's client knows.
      }
    }
    if (OTHERS.contains(name)) {
      throw Client.unsupported("a value is read by getString or getBytes, not by " + name);
    }
    Object value = Client.call(rows, method, arguments);
    return value instanceof ResultSetMetaData described ? metaData(described) : value;
  }

  /** Whether there is a next row, which is not gone to. */
  private boolean more() throws SQLException {
    if (ahead == null) {
      keep();
      ahead = advance();
    }
    return ahead;
  }

  private boolean advance() throws SQLException {
    return (most == 0 || row < most) && (Boolean) Client.run(rows::next);
  }

  private void keep() throws SQLException {
    if (row > 0 && !over) {
      kept = new Object[rows.getMetaData().getColumnCount()];
      for (int i = 0; i < kept.length; i++) {
        kept[i] = rows.getObject(i + 1);
      }
    }
  }

  private boolean next() throws SQLException {
    boolean found = ahead == null ? advance() : ahead;
    ahead = null;
    kept = null;
    row += found ? 1 : 0;
    over = !found;
    return found;
  }

  static ResultSetMetaData metaData(ResultSetMetaData described) {
    return Client.proxy(
        ResultSetMetaData.class,
        (self, method, arguments) -> {
          Object value = Client.call(described, method, arguments);
          return switch (method.getName()) {
            case "getColumnType" ->
                (Object)
                    SqlValues.type(
                        described.getColumnTypeName((Integer) arguments[0]), (Integer) value);
            case "getTableName", "getSchemaName", "getCatalogName" -> value == null ? "" : value;
            default -> value;
          };
        });
  }

  private Object value(Method method, Object[] arguments) throws SQLException {
    int column = arguments[0] instanceof Integer i ? i : rows.findColumn((String) arguments[0]);
    if (kept != null && (column < 1 || column > kept.length)) {
      throw new SQLDataException("there is no column " + column, "42703");
    }
    Object found = kept == null ? rows.getObject(column) : kept[column - 1];
    String type = rows.getMetaData().getColumnTypeName(column);
    Class<?> wanted = GETTERS.get(method.getName());
    TimeZone zone = TimeZone.getDefault();
    Object how = arguments.length > 1 ? arguments[1] : null;
    if (how instanceof Class<?> asked) {
      wanted = asked;
    } else if (how instanceof Calendar calendar) {
      zone = calendar.getTimeZone();
    }
    Object value = SqlValues.as(wanted, cut(found, type, column), type, zone);
    wasNull = value == null;
    if (wasNull) {
      return method.getReturnType().isPrimitive() ? zero(method.getReturnType()) : null;
    }
    return switch (method.getName()) {
      case "getBlob" -> new SerialBlob((byte[]) value);
      case "getClob" -> new SerialClob(((String) value).toCharArray());
      case "getBinaryStream" -> new ByteArrayInputStream((byte[]) value);
      case "getAsciiStream" ->
          new ByteArrayInputStream(((String) value).getBytes(StandardCharsets.US_ASCII));
      case "getCharacterStream", "getNCharacterStream" -> new StringReader((String) value);
      case "getBigDecimal" ->
          how instanceof Integer scale
              ? ((BigDecimal) value).setScale(scale, RoundingMode.HALF_UP)
              : value;
      default -> value;
    };
  }

  /** What is longer is cut without a word, as JDBC has it: texts and binary values, no others. */
  private Object cut(Object found, String type, int column) throws SQLException {
    if (longest == 0) {
      return found;
    }
    int kind = SqlValues.type(type, rows.getMetaData().getColumnType(column));
    return switch (kind) {
      case Types.CHAR,
          Types.VARCHAR,
          Types.LONGVARCHAR,
          Types.NCHAR,
          Types.NVARCHAR,
          Types.LONGNVARCHAR ->
          found instanceof String text ? SqlValues.cut(text, longest) : found;
      case Types.BINARY, Types.VARBINARY, Types.LONGVARBINARY ->
          found instanceof byte[] bytes && bytes.length > longest
              ? Arrays.copyOf(bytes, longest)
              : found;
      default -> found;
    };
  }

  private static Object zero(Class<?> primitive) {
    return java.lang.reflect.Array.get(java.lang.reflect.Array.newInstance(primitive, 1), 0);
  }
}
