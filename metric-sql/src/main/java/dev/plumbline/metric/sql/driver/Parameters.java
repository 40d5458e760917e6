package dev.plumbline.metric.sql.driver;

import java.io.IOException;
import java.io.InputStream;
import java.io.Reader;
import java.lang.reflect.Method;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.math.RoundingMode;
import java.nio.charset.StandardCharsets;
import java.sql.Array;
import java.sql.Blob;
import java.sql.Clob;
import java.sql.Date;
import java.sql.PreparedStatement;
import java.sql.SQLDataException;
import java.sql.SQLException;
import java.sql.SQLType;
import java.sql.Time;
import java.sql.Timestamp;
import java.sql.Types;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.OffsetDateTime;
import java.time.OffsetTime;
import java.util.ArrayList;
import java.util.Calendar;
import java.util.HexFormat;
import java.util.List;
import java.util.Set;
import java.util.TimeZone;
import java.util.UUID;

/** Parameters of a statement: what Avatica would change on the way is sent as an array of texts. */
final class Parameters {
  private static final Set<String> OTHERS =
      Set.of("setRef", "setRowId", "setSQLXML", "setURL", "setUnicodeStream");

  private Parameters() {}

  static void set(PreparedStatement to, Method method, Object[] arguments) throws SQLException {
    int at = (Integer) arguments[0];
    Object value = arguments[1];
    String name = method.getName();
    if (OTHERS.contains(name)) {
      throw Client.unsupported("a parameter is set by setString or setBytes, not by " + name);
    }
    if (value == null || name.equals("setNull")) {
      nothing(to, at, nullType(method, arguments));
      return;
    }
    if (value instanceof String text && text.codePoints().anyMatch(Parameters::half)) {
      throw new SQLDataException(
          "parameter " + at + " has half of a surrogate pair, which is no text in Unicode",
          "22021");
    }
    long most = arguments.length == 3 && arguments[2] instanceof Number n ? n.longValue() : -1;
    switch (name) {
      case "setDate", "setTime", "setTimestamp" ->
          moment(
              to,
              at,
              (java.util.Date) value,
              arguments.length == 3 && arguments[2] instanceof Calendar c
                  ? c.getTimeZone()
                  : TimeZone.getDefault());
      case "setNString" -> to.setString(at, (String) value);
      case "setCharacterStream", "setNCharacterStream" ->
          to.setString(at, read((Reader) value, most));
      case "setBlob", "setClob", "setNClob" -> {
        if (value instanceof Blob || value instanceof Clob || most < 0) {
          object(to, at, value);
        } else if (value instanceof InputStream in) {
          to.setBytes(at, read(in, most));
        } else {
          to.setString(at, read((Reader) value, most));
        }
      }
      case "setAsciiStream" ->
          to.setString(at, new String(read((InputStream) value, most), StandardCharsets.US_ASCII));
      case "setBinaryStream" -> to.setBytes(at, read((InputStream) value, most));
      case "setBigDecimal", "setArray" -> object(to, at, value);
      case "setObject" -> {
        if (arguments.length == 2) {
          object(to, at, value);
        } else {
          Object type = arguments[2];
          object(
              to,
              at,
              value,
              type instanceof SQLType t ? t.getVendorTypeNumber() : (Integer) type,
              arguments.length == 4 ? (Integer) arguments[3] : -1);
        }
      }
      default -> Client.call(to, method, arguments);
    }
  }

  /** It would arrive as a question mark. */
  private static boolean half(int character) {
    return character >= Character.MIN_SURROGATE && character <= Character.MAX_SURROGATE;
  }

  /** The type of a null, by which PostgreSQL finds out what a statement means. */
  private static int nullType(Method method, Object[] arguments) {
    boolean said = arguments.length > 2 || method.getName().equals("setNull");
    Object type = said ? arguments[method.getName().equals("setNull") ? 1 : 2] : null;
    return switch (method.getName()) {
      case "setNull", "setObject" ->
          type instanceof Integer number
              ? number
              : type instanceof SQLType t ? t.getVendorTypeNumber() : Types.NULL;
      case "setString", "setNString" -> Types.VARCHAR;
      case "setBigDecimal" -> Types.NUMERIC;
      case "setBytes" -> Types.VARBINARY;
      default -> Types.NULL;
    };
  }

  private static void nothing(PreparedStatement to, int at, int type) throws SQLException {
    switch (type) {
      case Types.BOOLEAN,
          Types.BIT,
          Types.TINYINT,
          Types.SMALLINT,
          Types.INTEGER,
          Types.BIGINT,
          Types.REAL,
          Types.FLOAT,
          Types.DOUBLE,
          Types.NUMERIC,
          Types.DECIMAL,
          Types.CHAR,
          Types.VARCHAR,
          Types.LONGVARCHAR,
          Types.NVARCHAR,
          Types.BINARY,
          Types.VARBINARY,
          Types.LONGVARBINARY ->
          send(to, at, Wire.NOTHING, String.valueOf(type));
      default -> to.setNull(at, Types.NULL);
    }
  }

  private static void object(PreparedStatement to, int at, Object value) throws SQLException {
    if (value instanceof BigInteger i) {
      object(to, at, new BigDecimal(i));
    } else if (value instanceof BigDecimal
        || value instanceof LocalDate
        || value instanceof LocalTime
        || value instanceof LocalDateTime
        || value instanceof OffsetTime
        || value instanceof OffsetDateTime
        || value instanceof UUID) {
      send(to, at, value.getClass().getSimpleName(), value.toString());
    } else if (value instanceof java.util.Date moment) {
      moment(to, at, moment, TimeZone.getDefault());
    } else if (value instanceof Array array) {
      array(to, at, array);
    } else if (value instanceof Blob blob) {
      to.setBytes(at, blob.getBytes(1, Math.toIntExact(blob.length())));
    } else if (value instanceof Clob clob) {
      to.setString(at, clob.getSubString(1, Math.toIntExact(clob.length())));
    } else if (value instanceof InputStream in) {
      to.setBytes(at, read(in, -1));
    } else if (value instanceof Reader in) {
      to.setString(at, read(in, -1));
    } else if (value instanceof Character c) {
      to.setString(at, c.toString());
    } else if (value instanceof String
        || value instanceof Number
        || value instanceof Boolean
        || value instanceof byte[]) {
      to.setObject(at, value);
    } else {
      throw Client.unsupported("a parameter of the class " + value.getClass().getName());
    }
  }

  private static void object(PreparedStatement to, int at, Object value, int type, int scale)
      throws SQLException {
    switch (type) {
      case Types.OTHER,
          Types.DATE,
          Types.TIME,
          Types.TIMESTAMP,
          Types.TIME_WITH_TIMEZONE,
          Types.TIMESTAMP_WITH_TIMEZONE -> {
        if (value instanceof String text) {
          send(to, at, Wire.UNTYPED, text, "");
        } else if (type == Types.DATE && value instanceof Timestamp t) {
          moment(to, at, new Date(t.getTime()), TimeZone.getDefault());
        } else if (type == Types.TIME && value instanceof Timestamp t) {
          moment(to, at, new Time(t.getTime()), TimeZone.getDefault());
        } else {
          object(to, at, value);
        }
      }
      case Types.NUMERIC, Types.DECIMAL -> {
        BigDecimal number =
            (BigDecimal) SqlValues.as(BigDecimal.class, value, "", TimeZone.getDefault());
        object(to, at, scale < 0 ? number : number.setScale(scale, RoundingMode.HALF_UP));
      }
      case Types.ARRAY, Types.JAVA_OBJECT, Types.NULL -> object(to, at, value);
      case Types.BLOB, Types.LONGVARBINARY, Types.VARBINARY, Types.BINARY -> object(to, at, value);
      case Types.CHAR, Types.VARCHAR, Types.LONGVARCHAR, Types.CLOB -> {
        if (value instanceof Reader in) {
          to.setString(at, read(in, scale));
        } else {
          to.setString(at, element(value));
        }
      }
      case Types.SMALLINT, Types.TINYINT ->
          to.setShort(at, (Short) SqlValues.as(Short.class, value, "", TimeZone.getDefault()));
      case Types.INTEGER ->
          to.setInt(at, (Integer) SqlValues.as(Integer.class, value, "", TimeZone.getDefault()));
      case Types.BIGINT ->
          to.setLong(at, (Long) SqlValues.as(Long.class, value, "", TimeZone.getDefault()));
      default -> to.setObject(at, value, type);
    }
  }

  private static void moment(PreparedStatement to, int at, java.util.Date moment, TimeZone zone)
      throws SQLException {
    String[] text = Moment.text(moment, zone);
    send(to, at, Wire.UNTYPED, text[0], text[1]);
  }

  private static void array(PreparedStatement to, int at, Array array) throws SQLException {
    TextArray texts =
        array instanceof TextArray ours
            ? ours
            : TextArray.of(array.getBaseTypeName(), (Object[]) array.getArray());
    List<String> sent = new ArrayList<>(List.of(Wire.ARRAY, texts.getBaseTypeName()));
    sent.addAll(texts.elements());
    send(to, at, sent.toArray(String[]::new));
  }

  private static void send(PreparedStatement to, int at, String... sent) throws SQLException {
    to.setArray(at, to.getConnection().createArrayOf("VARCHAR", sent));
  }

  /** A value as the text of an element of an array. */
  static String element(Object value) throws SQLException {
    if (value instanceof java.util.Date moment) {
      return String.join("", Moment.text(moment, TimeZone.getDefault()));
    }
    if (value instanceof byte[] bytes) {
      return "\\x" + HexFormat.of().formatHex(bytes);
    }
    if (value != null && (value.getClass().isArray() || value instanceof Array)) {
      throw Client.unsupported("an array that is sent has one dimension");
    }
    return value == null ? null : value.toString();
  }

  private static byte[] read(InputStream in, long most) throws SQLException {
    try {
      return most < 0 ? in.readAllBytes() : in.readNBytes(Math.toIntExact(most));
    } catch (IOException e) {
      throw unread(e);
    }
  }

  private static String read(Reader in, long most) throws SQLException {
    try {
      StringBuilder text = new StringBuilder();
      for (int c = 0; (most < 0 || text.length() < most) && (c = in.read()) >= 0; ) {
        text.append((char) c);
      }
      return text.toString();
    } catch (IOException e) {
      throw unread(e);
    }
  }

  /** It is no failure of the site. */
  private static SQLException unread(IOException e) {
    return new SQLDataException("the parameter's stream was not read: " + e.getMessage(), "22000");
  }
}
