package dev.plumbline.metric.sql.driver;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.sql.Array;
import java.sql.Date;
import java.sql.SQLDataException;
import java.sql.SQLException;
import java.sql.Time;
import java.sql.Timestamp;
import java.sql.Types;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.OffsetDateTime;
import java.time.OffsetTime;
import java.util.HexFormat;
import java.util.Locale;
import java.util.Map;
import java.util.TimeZone;
import java.util.UUID;

/**
 * What JDBC makes of a value: a number, a boolean, bytes, or the database's text of all else. The
 * database's name of its type says what that is.
 */
final class SqlValues {
  /** A type whose values are texts here: what JDBC calls it, and what an object of it is. */
  private record Kind(int type, Class<?> object) {}

  /** MariaDB's bits, which are bytes. */
  private static final String BITS = "BIT";

  /** MariaDB's, which is its first day where it is read as a date. */
  private static final String YEAR = "year";

  private static final Kind NUMERIC = new Kind(Types.NUMERIC, BigDecimal.class);
  private static final Kind DECIMAL = new Kind(Types.DECIMAL, BigDecimal.class);
  private static final Kind REAL = new Kind(Types.REAL, Float.class);
  private static final Kind DOUBLE = new Kind(Types.DOUBLE, Double.class);
  private static final Kind LONG = new Kind(Types.BIGINT, Long.class);
  private static final Kind TIME = new Kind(Types.TIME, Time.class);
  private static final Kind TIMESTAMP = new Kind(Types.TIMESTAMP, Timestamp.class);
  private static final Kind DATE = new Kind(Types.DATE, Date.class);
  private static final Kind CHAR = new Kind(Types.CHAR, String.class);
  private static final Kind TEXT = new Kind(Types.VARCHAR, String.class);
  private static final Map<String, Kind> KINDS =
      Map.ofEntries(
          Map.entry("numeric", NUMERIC),
          Map.entry("decimal", DECIMAL),
          Map.entry("float4", REAL),
          Map.entry("float", REAL),
          Map.entry("float8", DOUBLE),
          Map.entry("double", DOUBLE),
          Map.entry("oid", LONG),
          Map.entry("tinyint unsigned", new Kind(Types.TINYINT, Integer.class)),
          Map.entry("smallint unsigned", new Kind(Types.SMALLINT, Integer.class)),
          Map.entry("mediumint unsigned", new Kind(Types.INTEGER, Integer.class)),
          Map.entry("int unsigned", LONG),
          Map.entry("integer unsigned", LONG),
          Map.entry("bigint unsigned", new Kind(Types.BIGINT, BigInteger.class)),
          Map.entry("bpchar", CHAR),
          Map.entry("char", CHAR),
          Map.entry("date", DATE),
          Map.entry(YEAR, DATE),
          Map.entry("time", TIME),
          Map.entry("timetz", TIME),
          Map.entry("timestamp", TIMESTAMP),
          Map.entry("timestamptz", TIMESTAMP),
          Map.entry("datetime", TIMESTAMP),
          Map.entry("uuid", new Kind(Types.OTHER, UUID.class)));

  /** Those of the other types that are elements of arrays. */
  private static final Map<String, Kind> ELEMENTS =
      Map.of(
          "int2", new Kind(Types.SMALLINT, Short.class),
          "int4", new Kind(Types.INTEGER, Integer.class),
          "int8", new Kind(Types.BIGINT, Long.class),
          "bool", new Kind(Types.BIT, Boolean.class),
          "bytea", new Kind(Types.BINARY, byte[].class));

  private SqlValues() {}

  private static Kind kind(String type) {
    String name = type.toLowerCase(Locale.ROOT);
    return KINDS.getOrDefault(name, ELEMENTS.getOrDefault(name, TEXT));
  }

  /** What JDBC calls the type of an array's elements. */
  static int type(String element) {
    return kind(element).type();
  }

  /** The class of an array's elements. */
  static Class<?> element(String type) {
    return kind(type).object();
  }

  static Object element(String type, String text) throws SQLException {
    return as(kind(type).object(), text, type, TimeZone.getDefault());
  }

  /** What JDBC calls the type of a column that Avatica says is of another one. */
  static int type(String name, int told) {
    Kind kind = KINDS.get(name.toLowerCase(Locale.ROOT));
    return kind != null
        ? kind.type()
        : name.startsWith("_") ? Types.ARRAY : name.equals("bit") ? Types.BIT : told;
  }

  /** What getObject gives where nobody says what it should be. */
  static Object object(Object value, String type) throws SQLException {
    if (value instanceof Byte || value instanceof Short) {
      return ((Number) value).intValue();
    }
    if (!(value instanceof String text)) {
      return value;
    }
    if (type.startsWith("_")) {
      return TextArray.read(type.substring(1), text);
    }
    if (type.equals("bit") && text.length() == 1) {
      return text.equals("1");
    }
    Kind kind = KINDS.get(type.toLowerCase(Locale.ROOT));
    if (kind == null) {
      return text;
    }
    return kind.object() == BigDecimal.class && special(text)
        ? (Object) Double.valueOf(text)
        : as(kind.object(), text, type, TimeZone.getDefault());
  }

  private static boolean special(String text) {
    return text.equals("NaN") || text.endsWith("Infinity");
  }

  /** Its first characters that have so many bytes together, in UTF-8. */
  static String cut(String text, int bytes) {
    int left = bytes;
    int at = 0;
    while (at < text.length()) {
      int character = text.codePointAt(at);
      left -= character < 0x80 ? 1 : character < 0x800 ? 2 : character < 0x10000 ? 3 : 4;
      if (left < 0) {
        return text.substring(0, at);
      }
      at += Character.charCount(character);
    }
    return text;
  }

  /** A value as an object of a class, or null. */
  static Object as(Class<?> wanted, Object value, String type, TimeZone zone) throws SQLException {
    if (value == null) {
      return null;
    }
    if (wanted == Object.class) {
      return object(value, type);
    }
    if (value instanceof byte[] bits && type.equals(BITS) && wanted != byte[].class) {
      BigInteger number = new BigInteger(1, bits);
      return wanted == String.class
          ? "b'" + number.toString(2) + "'"
          : as(wanted, new BigDecimal(number), "", zone);
    }
    if (wanted == String.class) {
      return text(value, type);
    }
    if (wanted == Boolean.class) {
      return truth(value);
    }
    if (wanted == byte[].class) {
      return bytes(value, type);
    }
    if (wanted == Array.class && type.startsWith("_")) {
      return object(value, type);
    }
    if (wanted == UUID.class) {
      return uuid(text(value, type));
    }
    if (Number.class.isAssignableFrom(wanted)) {
      return number(wanted, value);
    }
    if (!MOMENTS.contains(wanted)) {
      throw Client.unsupported(
          "a value of the type " + type + " is not read as a " + wanted.getName());
    }
    String text = text(value, type);
    if (wanted == Time.class && Moment.spans(text)) {
      return Moment.span(text, zone);
    }
    Moment moment = Moment.of(type.equalsIgnoreCase(YEAR) ? text + "-01-01" : text);
    return moment == null ? null : moment(moment, wanted, zone);
  }

  private static final java.util.Set<Class<?>> MOMENTS =
      java.util.Set.of(
          Date.class,
          Time.class,
          Timestamp.class,
          LocalDate.class,
          LocalTime.class,
          LocalDateTime.class,
          OffsetTime.class,
          OffsetDateTime.class);

  private static Object moment(Moment moment, Class<?> wanted, TimeZone zone) throws SQLException {
    return switch (wanted.getSimpleName()) {
      case "Date" -> moment.date(zone);
      case "Time" -> moment.time(zone);
      case "Timestamp" -> moment.timestamp(zone);
      case "LocalDate" -> moment.localDate();
      case "LocalTime" -> moment.localTime();
      case "LocalDateTime" -> moment.localDateTime();
      case "OffsetTime" -> moment.offsetTime();
      default -> moment.offsetDateTime();
    };
  }

  /** The database's text of a value. */
  private static String text(Object value, String type) {
    if (value instanceof byte[] bytes) {
      return type.equals("bytea")
          ? "\\x" + HexFormat.of().formatHex(bytes)
          : new String(bytes, StandardCharsets.UTF_8);
    }
    if (value instanceof Boolean b) {
      // MariaDB's is a number.
      return switch (type) {
        case "bool" -> b ? "t" : "f";
        case "BOOLEAN" -> b ? "1" : "0";
        default -> value.toString();
      };
    }
    return value.toString();
  }

  private static byte[] bytes(Object value, String type) throws SQLException {
    if (value instanceof byte[] bytes) {
      return bytes;
    }
    String text = text(value, type);
    return type.equals("bytea")
        ? HexFormat.of().parseHex(text.substring(2))
        : text.getBytes(StandardCharsets.UTF_8);
  }

  private static UUID uuid(String text) throws SQLException {
    try {
      return UUID.fromString(text);
    } catch (IllegalArgumentException e) {
      throw new SQLDataException("'" + text + "' is no UUID", "22018");
    }
  }

  private static boolean truth(Object value) throws SQLException {
    if (value instanceof Boolean b) {
      return b;
    }
    return switch (value.toString().strip().toLowerCase(Locale.ROOT)) {
      case "t", "true", "y", "yes", "on" -> true;
      case "f", "false", "n", "no", "off" -> false;
      default -> exact(value).signum() != 0;
    };
  }

  private static BigDecimal exact(Object value) throws SQLException {
    if (value instanceof Boolean b) {
      return b ? BigDecimal.ONE : BigDecimal.ZERO;
    }
    String text = value.toString().strip();
    if (special(text)) {
      throw new SQLDataException(text + " does not fit", "22003");
    }
    try {
      return new BigDecimal(text);
    } catch (NumberFormatException wrong) {
      throw new SQLDataException("'" + text + "' is no number", "22018");
    }
  }

  private static Object number(Class<?> wanted, Object value) throws SQLException {
    if (wanted == Double.class || wanted == Float.class) {
      boolean special = special(value.toString());
      double number = special ? Double.parseDouble(value.toString()) : exact(value).doubleValue();
      if (number == 0 && value.toString().strip().startsWith("-")) {
        number = -0.0;
      }
      return wanted == Double.class
          ? (Object) number
          : special || number == 0 ? (float) number : exact(value).floatValue();
    }
    BigDecimal number = exact(value);
    if (wanted == BigDecimal.class) {
      return number;
    }
    if (number.precision() - number.scale() > 400) {
      throw new SQLDataException("a number of so many digits does not fit", "22003");
    }
    // Without its fraction, as PostgreSQL's driver gives it.
    BigInteger whole = number.toBigInteger();
    try {
      return switch (wanted.getSimpleName()) {
        case "Byte" -> (Object) whole.byteValueExact();
        case "Short" -> whole.shortValueExact();
        case "Integer" -> whole.intValueExact();
        case "Long" -> whole.longValueExact();
        case "BigInteger" -> whole;
        default -> throw Client.unsupported("a number is not read as a " + wanted.getName());
      };
    } catch (ArithmeticException wrong) {
      throw new SQLDataException(number + " does not fit", "22003");
    }
  }
}
