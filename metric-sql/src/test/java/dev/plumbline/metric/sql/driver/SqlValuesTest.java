package dev.plumbline.metric.sql.driver;

import static dev.plumbline.metric.sql.local.States.state;
import static org.assertj.core.api.Assertions.assertThat;

import dev.plumbline.metric.sql.local.Sql;
import dev.plumbline.metric.sql.site.TestSites;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.StringReader;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.sql.Array;
import java.sql.Blob;
import java.sql.Clob;
import java.sql.Connection;
import java.sql.Date;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.sql.Time;
import java.sql.Timestamp;
import java.sql.Types;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.OffsetDateTime;
import java.time.OffsetTime;
import java.util.Calendar;
import java.util.HexFormat;
import java.util.List;
import java.util.TimeZone;
import java.util.UUID;
import javax.sql.rowset.serial.SerialBlob;
import javax.sql.rowset.serial.SerialClob;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Values are read and written as PostgreSQL's own driver does it. */
class SqlValuesTest {
  private static TestSites sites;
  private static String url;
  private static Connection ours;
  private static Connection plain;

  @BeforeAll
  static void start() throws SQLException {
    sites =
        new TestSites(1)
            .with(
                "create table zoned (id int primary key, instant timestamptz, local timestamp)",
                "create table kept (id serial primary key, at timestamp, tags text[])",
                "create type mood as enum ('sad', 'ok')");
    url = "jdbc:metric://127.0.0.1:" + sites.serve(0).port();
    ours = DriverManager.getConnection(url);
    plain = sites.database(0);
  }

  @AfterAll
  static void stop() throws SQLException {
    if (sites != null) {
      ours.close();
      plain.close();
      sites.close();
    }
  }

  @FunctionalInterface
  private interface Get {
    Object of(ResultSet rows) throws SQLException;
  }

  @FunctionalInterface
  private interface Put {
    void to(PreparedStatement statement) throws SQLException;
  }

  private static String told(Object value) throws SQLException {
    if (value instanceof Array array) {
      return array + " " + array.getBaseTypeName() + told(array.getArray());
    }
    if (value instanceof Object[] values) {
      StringBuilder all = new StringBuilder(values.getClass().getSimpleName());
      for (Object one : values) {
        all.append(' ').append(told(one));
      }
      return all.toString();
    }
    if (value instanceof byte[] bytes) {
      return HexFormat.of().formatHex(bytes);
    }
    return value == null
        ? "null"
        : value.getClass().getSimpleName()
            + " "
            + (value instanceof java.util.Date d ? d.getTime() + " " : "")
            + value;
  }

  private static String got(Connection c, String expression, Get get) {
    try (Statement s = c.createStatement();
        ResultSet rows = s.executeQuery("select " + expression)) {
      rows.next();
      return told(get.of(rows));
    } catch (SQLException e) {
      return "SQLSTATE " + e.getSQLState().substring(0, 2);
    }
  }

  private static void same(String expression, Get... all) {
    for (int i = 0; i < all.length; i++) {
      assertThat(got(ours, expression, all[i]))
          .as(expression + ", " + i)
          .isEqualTo(got(plain, expression, all[i]));
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "'infinity'::timestamptz",
        "'-infinity'::timestamp",
        "'infinity'::date",
        "'0044-03-15 BC'::date",
        "'0044-03-15 12:00:00 BC'::timestamp",
        "'1500-02-28'::date",
        "'1500-02-28 01:02:03'::timestamp",
        "'1582-10-15'::date",
        "'2024-05-05 01:02:03.123456'::timestamp",
        "'2024-05-05 01:02:03+05'::timestamptz",
        "'2024-05-05 23:59:59.9'::timestamp",
        "null::timestamp",
        "null::date"
      })
  void dates(String expression) {
    same(
        expression,
        r -> r.getString(1),
        r -> r.getObject(1),
        r -> r.getTimestamp(1),
        r -> r.getDate(1),
        r -> r.getDate(1, Calendar.getInstance(TimeZone.getTimeZone("Asia/Tokyo"))),
        r -> r.getTimestamp(1, Calendar.getInstance(TimeZone.getTimeZone("America/New_York"))),
        r -> r.getDate(1) == null && r.wasNull());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "'12:34:56.789'::time",
        "'24:00:00'::time",
        "'12:34:56+02'::timetz",
        "'2024-05-05 01:02:03.5'::timestamp"
      })
  void times(String expression) {
    same(
        expression,
        r -> r.getString(1),
        r -> r.getTime(1),
        r -> r.getTime(1, Calendar.getInstance(TimeZone.getTimeZone("Asia/Tokyo"))));
  }

  @Test
  void javasOwnDatesAndTimes() {
    same("'2024-05-05 01:02:03.5'::timestamp", r -> r.getObject(1, LocalDateTime.class));
    same(
        "'infinity'::timestamptz, '-infinity'::timestamp",
        r -> r.getObject(1, OffsetDateTime.class),
        r -> r.getObject(2, LocalDateTime.class));
    same(
        "'2024-05-05 01:02:03+05'::timestamptz",
        r -> r.getObject(1, OffsetDateTime.class),
        r -> r.getTime(1));
    same("'24:00:00'::time", r -> r.getObject(1, LocalTime.class));
    same("'0044-03-15 BC'::date", r -> r.getObject(1, LocalDate.class));
    same("'12:34:56+02'::timetz", r -> r.getObject(1, OffsetTime.class));
    state(() -> one("now()::timestamp", r -> r.getObject(1, OffsetDateTime.class)), "22007");
    state(() -> one("now()", r -> r.getObject(1, LocalDateTime.class)), "22007");
    state(() -> one("now()", r -> r.getObject(1, Thread.class)), "0A000");
    state(() -> one("'x'::text", r -> r.getTimestamp(1)), "22007");
  }

  private static Object one(String expression, Get get) throws SQLException {
    try (Statement s = ours.createStatement();
        ResultSet rows = s.executeQuery("select " + expression)) {
      rows.next();
      return get.of(rows);
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "3000000000::bigint",
        "'NaN'::numeric",
        "'Infinity'::numeric",
        "'-Infinity'::float4",
        "'NaN'::float8",
        "0.1::float4",
        "1e300::float8",
        "1.9::numeric",
        "-1.9::float8",
        "40000",
        "'12'::text",
        "4294967295::oid",
        "null::int"
      })
  void numbers(String expression) {
    same(
        expression,
        r -> r.getString(1),
        r -> r.getObject(1),
        r -> r.getInt(1),
        r -> r.getShort(1),
        r -> r.getLong(1),
        r -> r.getFloat(1),
        r -> r.getDouble(1),
        r -> r.getBigDecimal(1));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "true",
        "B'1'",
        "'00000000-0000-0007-0000-000000000009'::uuid",
        "'\\x00ff'::bytea",
        "'ab'::char(5)",
        "7::smallint",
        "'{1,NULL,3}'::int[]",
        "'{}'::int[]",
        "'{1}'::smallint[]",
        "'{3000000000}'::bigint[]",
        "'{a,NULL,\"x,y\",\"\",\"NULL\",\"q\\\"\\\\\\\\\"}'::text[]",
        "'{a}'::varchar[]",
        "'{1.50,NULL}'::numeric[]",
        "'{2024-05-05 01:02:03.5,infinity}'::timestamp[]",
        "'{2024-05-05 01:02:03.5+07}'::timestamptz[]",
        "'{2024-05-05}'::date[]",
        "'{t,f,NULL}'::bool[]",
        "'{0.1,NaN}'::float8[]",
        "'{0.1}'::float4[]",
        "'{00000000-0000-0007-0000-000000000009}'::uuid[]",
        "'[2:3]={1,2}'::int[]",
        "null::int[]"
      })
  void objects(String expression) {
    same(expression, r -> r.getObject(1), r -> r.getMetaData().getColumnType(1));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "'1234.5'::money",
        "B'10101010'",
        "'{{1,2},{3,4}}'::int[]",
        "array['{\"a\": 1}'::jsonb]",
        "array[row(1, 'x')]",
        "'{sad,ok}'::mood[]",
        "true",
        "'1 day'::interval"
      })
  void texts(String expression) {
    same(expression, r -> r.getString(1));
  }

  @Test
  void whatHasNoObjectIsItsText() throws SQLException {
    assertThat(one("B'10101010'", r -> r.getObject(1))).isEqualTo("10101010");
    assertThat((Object[]) ((Array) one("'{sad,ok}'::mood[]", r -> r.getArray(1))).getArray())
        .containsExactly("sad", "ok");
    state(() -> one("'{{1,2},{3,4}}'::int[]", r -> r.getArray(1)), "0A000");
    Array three = (Array) one("'{1,2,3}'::int[]", r -> r.getArray(1));
    assertThat((Object[]) three.getArray(2, 2)).containsExactly(2, 3);
    state(() -> three.getArray(2, 3), "2202E");
    state(() -> three.getArray(0, 1), "2202E");
    state(() -> one("'x'", r -> r.getNClob(1)), "0A000");
    Blob bytes = (Blob) one("'\\x00ff'::bytea", r -> r.getBlob(1));
    assertThat(bytes.getBytes(1, 2)).containsExactly(0, -1);
    Clob text = (Clob) one("'Ünal'", r -> r.getClob(1));
    assertThat(text.getSubString(1, (int) text.length())).isEqualTo("Ünal");
    assertThat(one("null::bytea", r -> r.getBlob(1))).isNull();
    assertThat(one("'x'", r -> r.getCharacterStream(1))).isInstanceOf(StringReader.class);
  }

  static List<Object[]> parameters() {
    Calendar tokyo = Calendar.getInstance(TimeZone.getTimeZone("Asia/Tokyo"));
    Calendar newYork = Calendar.getInstance(TimeZone.getTimeZone("America/New_York"));
    return List.of(
        put("date", s -> s.setDate(1, new Date(-63_500_000_000_000L))),
        put("timestamptz", s -> s.setTimestamp(1, new Timestamp(1_720_000_000_000L), newYork)),
        put("timestamptz", s -> s.setTimestamp(1, new Timestamp(1_705_000_000_000L), newYork)),
        put("timestamp", s -> s.setTimestamp(1, new Timestamp(-9223372036832400000L))),
        put("date", s -> s.setDate(1, Date.valueOf("1500-02-28"))),
        put("date", s -> s.setDate(1, new Date(0), tokyo)),
        put("date", s -> s.setDate(1, new Date(20 * 3_600_000), tokyo)),
        put("time", s -> s.setTime(1, Time.valueOf("12:34:56"))),
        put("timetz", s -> s.setTime(1, Time.valueOf("12:34:56"))),
        put("timestamp", s -> s.setTimestamp(1, new Timestamp(0), tokyo)),
        put("timestamp", s -> s.setTimestamp(1, Timestamp.valueOf("1500-02-28 01:02:03"))),
        put("timestamp", s -> s.setTimestamp(1, Timestamp.valueOf("2024-02-28 01:02:03.123456"))),
        put("timestamptz", s -> s.setTimestamp(1, Timestamp.valueOf("2024-07-28 01:02:03.123"))),
        put("timestamp", s -> s.setTimestamp(1, new Timestamp(9223372036825200000L))),
        put("timestamp", s -> s.setObject(1, new Timestamp(0))),
        put("date", s -> s.setObject(1, "2024-02-28", Types.DATE)),
        put("date", s -> s.setObject(1, LocalDate.of(2024, 2, 28))),
        put("date", s -> s.setObject(1, LocalDate.of(2024, 2, 28), Types.DATE)),
        put("date", s -> s.setObject(1, LocalDate.MAX)),
        put("time", s -> s.setObject(1, LocalTime.of(1, 2, 3))),
        put("timestamp", s -> s.setObject(1, LocalDateTime.of(2024, 2, 28, 1, 2, 3, 123456000))),
        put("timestamptz", s -> s.setObject(1, OffsetDateTime.parse("2024-02-28T01:02:03+05:00"))),
        put("timetz", s -> s.setObject(1, OffsetTime.parse("01:02:03+05:00"))),
        put("uuid", s -> s.setObject(1, UUID.fromString("00000000-0000-0007-0000-000000000009"))),
        put("numeric", s -> s.setObject(1, new BigInteger("123456789012345678901234567890"))),
        put("numeric", s -> s.setObject(1, 1.255, Types.NUMERIC, 2)),
        put("numeric", s -> s.setBigDecimal(1, new BigDecimal("1E+10"))),
        put("int", s -> s.setObject(1, "12", Types.INTEGER)),
        put("text", s -> s.setObject(1, 12, Types.VARCHAR)),
        put("text", s -> s.setObject(1, 'x')),
        put("jsonb", s -> s.setObject(1, "{\"a\": 1}", Types.OTHER)),
        put("int", s -> s.setNull(1, Types.INTEGER, "int4")),
        put("bytea", s -> s.setBinaryStream(1, new ByteArrayInputStream(new byte[] {1, 2, 3}), 2)),
        put("text", s -> s.setCharacterStream(1, new StringReader("abc"), 2)),
        put("int[]", s -> s.setArray(1, array(s, "INTEGER", 1, null, 3))),
        put("int[]", s -> s.setObject(1, array(s, "int4", 1, 2))),
        put("text[]", s -> s.setArray(1, array(s, "VARCHAR", "a,b", null, "\"q\"", "\\", "NULL"))),
        put("text[]", s -> s.setArray(1, array(s, "text"))),
        put("numeric[]", s -> s.setArray(1, array(s, "numeric", new BigDecimal("1.50")))),
        put("boolean[]", s -> s.setArray(1, array(s, "bool", true, false))),
        put("uuid[]", s -> s.setArray(1, array(s, "uuid", new UUID(7, 9)))),
        put("timestamp[]", s -> s.setArray(1, array(s, "timestamp", new Timestamp(500)))),
        put("timestamptz[]", s -> s.setArray(1, array(s, "timestamptz", new Timestamp(500)))));
  }

  private static Object[] put(String type, Put put) {
    return new Object[] {type, put};
  }

  private static Array array(Statement s, String type, Object... elements) throws SQLException {
    return s.getConnection().createArrayOf(type, elements);
  }

  private static String sent(Connection c, String type, Put put) throws SQLException {
    try (PreparedStatement s = c.prepareStatement("select (?::" + type + ")::text")) {
      put.to(s);
      try (ResultSet rows = s.executeQuery()) {
        rows.next();
        return rows.getString(1);
      }
    }
  }

  @ParameterizedTest
  @MethodSource("parameters")
  void written(String type, Put put) throws SQLException {
    assertThat(sent(ours, type, put)).isEqualTo(sent(plain, type, put));
  }

  @Test
  void longValuesAreWrittenAsObjects() throws SQLException {
    byte[] bytes = {0, -1, 7};
    for (Put put :
        List.<Put>of(
            s -> s.setBlob(1, new SerialBlob(bytes)),
            s -> s.setObject(1, new SerialBlob(bytes)),
            s -> s.setBlob(1, new ByteArrayInputStream(bytes)),
            s -> s.setBlob(1, new ByteArrayInputStream(new byte[] {0, -1, 7, 8}), 3))) {
      assertThat(sent(ours, "bytea", put)).isEqualTo("\\x00ff07");
    }
    for (Put put :
        List.<Put>of(
            s -> s.setClob(1, new SerialClob("Ünal".toCharArray())),
            s -> s.setObject(1, new SerialClob("Ünal".toCharArray())),
            s -> s.setClob(1, new StringReader("Ünal")),
            s -> s.setNClob(1, new StringReader("Ünal")),
            s -> s.setClob(1, new StringReader("Ünal and more"), 4))) {
      assertThat(sent(ours, "text", put)).isEqualTo("Ünal");
    }
    assertThat(sent(ours, "bytea", s -> s.setBlob(1, (Blob) null))).isNull();
  }

  @Test
  void whatIsNotWrittenSaysSo() throws SQLException {
    try (PreparedStatement s = ours.prepareStatement("select ?::text")) {
      state(() -> put(s, p -> p.setObject(1, Thread.currentThread())), "0A000");
      state(() -> put(s, p -> p.setObject(1, "x", Types.REF)), "0A000");
      state(() -> put(s, p -> p.setRef(1, null)), "0A000");
      state(() -> put(s, p -> p.setString(1, "a\ud83d")), "22021");
      state(() -> put(s, p -> p.setObject(1, "\ude00a")), "22021");
      put(s, p -> p.setString(1, "\ud83d\ude00"));
      state(
          () -> put(s, p -> p.setArray(1, array(p, "int4", (Object) new Integer[] {1}))), "0A000");
    }
  }

  @Test
  void anArrayOfBytes() throws SQLException {
    assertThat(
            sent(
                ours,
                "bytea[]",
                s -> s.setArray(1, array(s, "bytea", (Object) new byte[] {0, -1}))))
        .isEqualTo("{\"\\\\x00ff\"}");
    assertThat((Object[]) ((Array) one("array['\\x00ff'::bytea]", r -> r.getArray(1))).getArray())
        .containsExactly(new byte[] {0, -1});
  }

  private static Object put(PreparedStatement s, Put put) throws SQLException {
    put.to(s);
    return null;
  }

  @Test
  void aBatchOfThemAndTheirKeys() throws SQLException {
    try (PreparedStatement s = ours.prepareStatement("insert into kept (at, tags) values (?, ?)")) {
      for (int i = 0; i < 2; i++) {
        s.setTimestamp(1, Timestamp.valueOf("2024-02-28 01:02:03.25"));
        s.setArray(2, array(s, "text", "a", null));
        s.addBatch();
      }
      assertThat(s.executeBatch()).containsExactly(1, 1);
    }
    assertThat(Sql.strings(plain, "select distinct at || ' ' || tags::text from kept"))
        .containsExactly("2024-02-28 01:02:03.25 {a,NULL}");
    try (PreparedStatement s =
        ours.prepareStatement(
            "insert into kept (at, tags) values (?, '{b,NULL}')",
            Statement.RETURN_GENERATED_KEYS)) {
      s.setTimestamp(1, Timestamp.valueOf("2024-02-28 01:02:03.25"));
      s.executeUpdate();
      try (ResultSet keys = s.getGeneratedKeys()) {
        assertThat(keys.next()).isTrue();
        assertThat(keys.getTimestamp("at")).isEqualTo(Timestamp.valueOf("2024-02-28 01:02:03.25"));
        assertThat((Object[]) keys.getArray("tags").getArray()).containsExactly("b", null);
      }
    }
  }

  /** An instant stays one, and a local time stays local. */
  @Test
  void aClientInAnotherTimeZone() throws SQLException, IOException {
    sites.run(0, "insert into zoned values (1, '2024-01-01 12:00:00Z', '2024-01-01 12:00:00')");
    Process elsewhere =
        new ProcessBuilder(
                System.getProperty("java.home") + "/bin/java",
                "-Duser.timezone=America/New_York",
                "-cp",
                System.getProperty("java.class.path"),
                Elsewhere.class.getName(),
                url)
            .redirectErrorStream(true)
            .start();
    assertThat(new String(elsewhere.getInputStream().readAllBytes()))
        .contains("read " + Elsewhere.NOON + " 2024-01-01T12:00\n");
    assertThat(
            sites.ask(
                0, "select (instant at time zone 'UTC') || ' ' || local from zoned where id = 2"))
        .containsExactly("2024-01-01 12:00:00 2024-01-01 12:00:00");
  }
}
