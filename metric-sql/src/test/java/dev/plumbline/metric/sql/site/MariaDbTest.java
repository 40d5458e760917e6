package dev.plumbline.metric.sql.site;

import static dev.plumbline.metric.sql.local.States.doing;
import static dev.plumbline.metric.sql.local.States.state;
import static dev.plumbline.metric.sql.local.States.warned;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.plumbline.metric.sql.local.LocalDatabase;
import dev.plumbline.metric.sql.local.MariaDb;
import dev.plumbline.metric.sql.local.Sql;
import dev.plumbline.metric.sql.local.TestMariaDb;
import dev.plumbline.metric.sql.log.Machines;
import dev.plumbline.metric.sql.tables.Catalog;
import dev.plumbline.metric.sql.tables.Refused;
import dev.plumbline.metric.sql.tables.Statements;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.sql.BatchUpdateException;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.Date;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.sql.Statement;
import java.sql.Time;
import java.sql.Timestamp;
import java.time.LocalDateTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Two sites on MariaDB. */
@Tag("slow")
class MariaDbTest {
  private static final String COLUMNS =
      "i1 tinyint, i8 bigint unsigned, n decimal(40, 10), f float, d double, b bit(20), c char(5), v varchar(40), t"
          + " longtext, latin varchar(20) character set latin1, bin varbinary(40), bl longblob, da date, ti time(6), dt"
          + " datetime(6), ts timestamp(6) null, y year, e enum('a', 'b,c', ''), s set('x', 'y'), j json, u uuid, n6 inet6";

  private static Machines machines;
  private static Site here;
  private static Site there;

  @BeforeAll
  static void start() throws SQLException {
    machines = new Machines(2);
    here = site(0, "useServerPrepStmts=true", "cachePrepStmts=false");
    there = site(1);
    try (Connection c = here.initialize()) {
      Sql.run(
          c,
          "create table keyed (id int primary key, "
              + COLUMNS
              + ", twice int as (id * 2) stored) character set utf8mb4",
          "create table bare (id int, " + COLUMNS + ") character set utf8mb4",
          "create table ids (id int auto_increment primary key, t text)",
          "insert into ids (t) values ('first'), ('second')",
          "create sequence seq",
          "create table late_key (tenant int, name varchar(9), id int auto_increment unique)",
          "create table kinds (id int primary key, e enum('a', ''))",
          "create table bare_kinds (e enum('a', ''))",
          "create sequence ring maxvalue 3 cycle cache 1",
          "create sequence down start -1 increment -1 maxvalue -1",
          "create table parent (id int primary key)",
          "create table child (id int primary key, p int, foreign key (p) references parent (id))",
          "create view v as select parent.id from parent join child on child.p = parent.id",
          "create table audit (id int auto_increment primary key, what varchar(40))",
          "create trigger noted after insert on parent for each row insert into audit (what) values (concat('new ', new.id))",
          "create trigger noted2 after insert on parent for each row follows noted begin declare x int default 1; while x < 3 do"
              + " insert into audit (what) values ('more'); set x = x + 1; end while; end",
          "create function total() returns int reads sql data return (select count(*) from audit)",
          "create table drawn (id int primary key default nextval(seq), v int check (v > 0))",
          "create view next_ids as select * from information_schema.tables where table_schema = 'app'",
          "create function locks() returns int reads sql data return get_lock('a', 0)",
          "alter table keyed add column extra varchar(10) default 'plus'",
          "create database other",
          "create table other.moved (id int primary key)",
          "create table moved (id int primary key)",
          "insert into other.moved values (100)",
          "create table `a@b` (id int primary key)",
          "create table any (id int primary key)",
          "create function odd() returns int modifies sql data begin insert into `a@b` values (1); insert into any values (1); return 1; end",
          "create function mysql.elsewhere() returns int modifies sql data begin insert into app.moved values (2000); return 1; end",
          "create function past() returns int modifies sql data begin delete from mysql.servers; return 1; end",
          "create table zeros (id int auto_increment primary key, d date, c char(2))",
          "create table returned (id int primary key)",
          "create table book (id int auto_increment primary key, t text)",
          "create table page (id int auto_increment primary key, book int, foreign key (book) references book (id))",
          "create table noticed (id int primary key)",
          "create trigger mentions after insert on noticed for each row begin /* not @plumb_metric_apply */ insert into ids (t) values (concat('noticed ', new.id)); end",
          "create table strict_ones (id int primary key, n int)",
          "create trigger never_13 after insert on strict_ones for each row begin if new.n = 13 then signal sqlstate '45000'; end if; end",
          "create trigger never_to_13 after update on strict_ones for each row begin if new.n = 13 then signal sqlstate '45000'; end if; end",
          "create trigger never_7 after delete on strict_ones for each row begin if old.n = 7 then signal sqlstate '45000'; end if; end",
          "alter table strict_ones add column b longblob",
          "insert into strict_ones values (1, 1, ''), (7, 7, '')",
          "create function passes_over(i int, x int, length int) returns int modifies sql data begin declare continue handler for"
              + " sqlexception begin end; if x = 7 then delete from strict_ones where id = i; end if; insert into"
              + " strict_ones values (i, x, repeat('b', length)); update strict_ones set n = x where id = i; return 1; end",
          "create table twins (a int, b text)",
          "create table lettered (id int primary key, a varchar(9) character set cp932, b char(9) character set big5, c text character"
              + " set ucs2, d varchar(9) character set gbk, e tinytext character set cp1251, f varchar(9) character set utf16le)",
          "create table lettered_keys (k varchar(9) character set cp932 collate cp932_bin primary key, v int)",
          "create table lettered_twins (a varchar(9) character set cp932)",
          "create table dated (id int primary key, s varchar(20), known date, day date as (cast(s as date)) stored, made date as"
              + " (str_to_date(s, '%Y-%m-%d')) stored)",
          "set sql_mode = 'ALLOW_INVALID_DATES'",
          "insert into dated (id, s, known) values (100, '2024-02-29', '2023-02-31')",
          "set sql_mode = 'STRICT_TRANS_TABLES'",
          "create table sets (id int primary key, s set('a', 'b', ''))",
          "set sql_mode = 'NO_AUTO_VALUE_ON_ZERO'",
          "create table large (id int primary key, b longblob)",
          "create function lax() returns int return 1",
          "set sql_mode = 'ANSI_QUOTES'",
          "create function quotes() returns int reads sql data return (select count(*) from `moved`)",
          "set sql_mode = 'STRICT_TRANS_TABLES'",
          "create package pack function f() returns int; end",
          "create package body pack function f() returns int begin return (select max(id) from moved); end; end",
          "end initialization");
    }
  }

  private static Site site(int number, String... options) throws SQLException {
    LocalDatabase local = TestMariaDb.local(options);
    return new Site(
        "site" + number,
        local,
        machines.process(number, TestSites.QUICK.patience(), TestSites.QUICK.lease()),
        TestSites.QUICK);
  }

  @AfterAll
  static void stop() {
    here.close();
    there.close();
    machines.close();
  }

  private static List<String> ask(Site site, String sql) throws SQLException {
    try (Connection c = site.connect()) {
      return Sql.strings(c, sql);
    }
  }

  private static void run(Site site, String... sql) throws SQLException {
    try (Connection c = site.connect()) {
      Sql.run(c, sql);
    }
  }

  /** All of a table, each column in a form of the server's own that capture does not use. */
  private static List<String> all(Site site, String table) throws SQLException {
    String columns = COLUMNS.replaceAll("\\([^)]*\\)", "").lines().reduce("", String::concat);
    StringBuilder list = new StringBuilder("id");
    for (String column : columns.split(",", -1)) {
      String name = column.strip().split(" ", -1)[0];
      list.append(", coalesce(to_base64(cast(").append(name).append(" as binary)), 'null')");
    }
    return ask(
        site,
        "select concat_ws(' ', "
            + list
            + ", coalesce(d * 1.7e-10, 0), coalesce(f + 0e0, 0)) from "
            + table
            + " order by id, t, v");
  }

  @Test
  void anyRowSurvives() throws SQLException {
    Random random = new Random(7);
    for (String table : List.of("keyed", "bare")) {
      run(there, "delete from " + table);
      try (Connection c = here.connect()) {
        Sql.run(c, "set time_zone = '-05:00'");
        c.setAutoCommit(false);
        String sql =
            "insert into "
                + table
                + " (id, i1, i8, n, f, d, b, c, v, t, latin, bin, bl, da, ti, dt, ts, y, e, s, j, u, n6) values (?"
                + ", ?".repeat(22)
                + ")";
        try (PreparedStatement s = c.prepareStatement(sql)) {
          for (int i = 0; i < 60; i++) {
            fill(s, i, random);
            s.executeUpdate();
          }
        }
        c.commit();
      }
      assertThat(all(there, table)).hasSize(60).isEqualTo(all(here, table));
      run(
          there,
          "update " + table + " set id = id + 100, f = f * 1.1 where id % 3 = 0",
          "delete from " + table + " where id % 5 = 1");
      assertThat(all(here, table)).isEqualTo(all(there, table));
    }
    assertThat(ask(there, "select distinct twice - 2 * id from keyed")).containsExactly("0");
    assertThat(ask(there, "select distinct extra from keyed")).containsExactly("plus");
  }

  private static void fill(PreparedStatement s, int id, Random random) throws SQLException {
    byte[] bytes = new byte[random.nextInt(40)];
    random.nextBytes(bytes);
    String[] texts = {
      "",
      " ",
      "a ",
      "A",
      "a",
      "ü🐘",
      "N",
      ",",
      "'",
      "\\",
      "\u0000",
      "null",
      new String(bytes, StandardCharsets.ISO_8859_1)
    };
    String text = texts[random.nextInt(texts.length)];
    Object[] values = {
      id,
      random.nextInt(256) - 128,
      new BigDecimal("18446744073709551615").subtract(BigDecimal.valueOf(random.nextInt(5))),
      new BigDecimal(random.nextLong()).scaleByPowerOfTen(-10),
      random.nextFloat() * 1e10f,
      Double.longBitsToDouble(random.nextLong() & 0x7fcfffffffffffffL),
      random.nextInt(1 << 20),
      text.strip().substring(0, Math.min(5, text.strip().length())),
      text,
      text.repeat(3),
      "äß€".substring(random.nextInt(3)),
      bytes,
      bytes,
      "2024-02-29",
      random.nextBoolean() ? "-838:59:59.000000" : "23:59:59.999999",
      "9999-12-31 23:59:59.999999",
      "2024-0" + (1 + random.nextInt(9)) + "-10 02:30:00.00000" + random.nextInt(10),
      1901 + random.nextInt(200),
      random.nextBoolean() ? "b,c" : "",
      "x,y",
      "{\"a\":  [1, \"ü\"]}",
      "00000000-0000-0007-0000-000000000009",
      "fe80::1"
    };
    for (int i = 0; i < values.length; i++) {
      if (i > 0 && random.nextInt(6) == 0) {
        s.setObject(i + 1, null);
      } else if (values[i] instanceof byte[] b) {
        s.setBytes(i + 1, b);
      } else {
        s.setObject(i + 1, values[i]);
      }
    }
  }

  @Test
  void triggersActOnceAndCountersGoOn() throws SQLException {
    run(
        here,
        "insert into parent values (1), (2)",
        "insert into ids (t) values ('third')",
        "delete from ids where t = 'third'");
    assertThat(ask(there, "select what from audit order by id"))
        .containsExactly("new 1", "more", "more", "new 2", "more", "more");
    run(there, "insert into ids (t) values ('fourth')", "insert into child values (1, 1)");
    assertThat(ask(here, "select id from ids order by id")).containsExactly("1", "2", "4");
    assertThat(ask(here, "select id from v")).containsExactly("1");
    String first = ask(here, "select nextval(seq)").get(0);
    assertThat(ask(there, "select nextval(seq)").get(0)).isNotEqualTo(first);
    assertThatThrownBy(() -> run(here, "delete from parent where id = 1"))
        .isInstanceOf(SQLException.class);
    try (Connection c = here.connect()) {
      c.setAutoCommit(false);
      Sql.run(c, "insert into parent values (9)");
      c.rollback();
    }
    assertThat(ask(there, "select count(*) from audit")).containsExactly("6");
  }

  /** Several texts of one of these character sets are one in UTF-8, and some are none. */
  @Test
  void eachTextOfACharacterSetSurvives() throws SQLException {
    run(
        here,
        "insert into lettered values (1, _cp932 x'81E0', _big5 x'A1C3', _ucs2 x'D800', _gbk x'A140', _cp1251 x'98', 'ü🐘')",
        "insert into lettered values (2, _cp932 x'8790', _big5 x'A1C5', null, '中', 'я', '')",
        "insert into lettered_keys values (_cp932 x'81E0', 1), (_cp932 x'8790', 2), (_cp932 x'EEF9', 3)",
        "insert into lettered_twins values (_cp932 x'81E0'), (_cp932 x'8790'), (_cp932 x'8790')");
    String rows =
        "select concat_ws(' ', id, hex(a), hex(b), hex(c), hex(d), hex(e), hex(f)) from lettered";
    assertThat(ask(there, rows))
        .containsExactly("1 81E0 A1C3 D800 A140 98 FC003DD818DC", "2 8790 A1C5 D6D0 FF ")
        .isEqualTo(ask(here, rows));
    run(
        there,
        "update lettered_keys set v = v + 1 where hex(k) <> '81E0'",
        "delete from lettered_twins where hex(a) = '8790' limit 1");
    String keys = "select concat(hex(k), ' ', v) from lettered_keys order by v";
    assertThat(ask(here, keys)).containsExactly("81E0 1", "8790 3", "EEF9 4");
    assertThat(ask(here, "select hex(a) from lettered_twins")).containsExactly("81E0", "8790");
  }

  /** The name of one of a set's values is empty, as is the name of none of them. */
  @Test
  void anEmptyValueOfASetSurvives() throws SQLException {
    run(here, "insert into sets values (1, 4), (2, 0), (3, 5), (4, 'a,b'), (5, null)");
    run(there, "update sets set id = id + 10");
    for (Site site : List.of(here, there)) {
      assertThat(ask(site, "select concat(id, ' ', ifnull(s + 0, 'null')) from sets order by id"))
          .containsExactly("11 4", "12 0", "13 5", "14 3", "15 null");
    }
  }

  /** What is stored of a text is made again at each site: of one that is no date, nothing. */
  @Test
  void whatIsNoDateIsNoneElsewhere() throws SQLException {
    run(
        here,
        "insert ignore into dated (id, s) values (1, '2024-02-31'), (2, '2024-02-29'), (3, 'x'), (4, '2024-00-00')",
        "insert into dated (id, s) values (5, '2023-02-28')",
        "update dated set id = id + 10 where id = 100");
    String all = "select concat_ws(' ', id, s, day, known, made) from dated order by id";
    assertThat(ask(there, all)).hasSize(6).isEqualTo(ask(here, all));
    assertThat(ask(there, all))
        .contains("1 2024-02-31 0000-00-00", "110 2024-02-29 2024-02-29 2023-02-31 2024-02-29");
  }

  /** What makes it is refused before a statement of initialization could call it. */
  @Test
  void nothingThatIgnoresIsMade() throws SQLException {
    try (TestSites sites = TestSites.on("mariadb", 2, TestSites.QUICK)) {
      try (Connection c = sites.site(0).initialize()) {
        Sql.run(
            c,
            "create table u (id int primary key, n int unique)",
            "create table fires (id int primary key)",
            "insert into u values (1, 1), (2, 2)");
        for (String making :
            List.of(
                "create function f() returns int modifies sql data begin update ignore u set n = 2; return 1; end",
                "create or replace procedure p() update low_priority ignore u set n = 2",
                "create trigger t after insert on fires for each row update ignore u set n = 2")) {
          assertThatThrownBy(() -> Sql.run(c, making))
              .as(making)
              .isInstanceOf(Refused.class)
              .hasMessageContaining("UPDATE IGNORE");
        }
        Sql.run(c, "insert into fires values (1)", "end initialization");
      }
      assertThat(sites.ask(1, "select n from u order by id")).containsExactly("1", "2");
    }
  }

  /** MariaDB would tell triggers of rows that it leaves as they are. */
  @Test
  void whatIsIgnoredIsNotCaptured() {
    for (String sql : List.of("update ignore child set p = 77", "update ignore ids set id = 1")) {
      assertThatThrownBy(() -> run(here, sql)).isInstanceOf(Refused.class);
      assertThatThrownBy(
              () -> {
                try (Connection c = here.initialize()) {
                  Sql.run(c, sql);
                }
              })
          .isInstanceOf(Refused.class);
    }
  }

  /** An application's trigger fails, and the function that fired it goes on. */
  @Test
  void whatAFunctionPassesOverIsCaptured() throws SQLException {
    String all = "select concat(id, ' ', n, ' ', length(b)) from strict_ones order by id";
    assertThat(ask(here, "select passes_over(1, 13, 0) + passes_over(7, 7, 0)"))
        .containsExactly("2");
    assertThat(ask(here, "select passes_over(20, 13, 0)")).containsExactly("1");
    List<String> found = ask(here, all);
    assertThat(found).contains("20 13 0");
    assertThat(ask(there, all)).isEqualTo(found);
    // Here it is capture that fails.
    assertThatThrownBy(() -> run(here, "select passes_over(30, 1, 33600000)"))
        .isInstanceOf(SQLException.class)
        .hasMessageContaining("could not be captured");
    try (Connection c = here.connect()) {
      c.setAutoCommit(false);
      assertThatThrownBy(
              () -> Sql.run(c, "insert into strict_ones values (31, 1, repeat('b', 33600000))"))
          .hasMessageContaining("max_allowed_packet");
      Sql.run(c, "insert into strict_ones values (32, 1, '')");
      c.commit();
    }
    found = ask(there, all);
    assertThat(found).contains("32 1 0").doesNotContain("30 1 33600000", "31 1 33600000");
    assertThat(ask(here, all)).isEqualTo(found);
  }

  @Test
  @Timeout(120)
  void manyRowsWithoutAKeyGoAtOnce() throws SQLException {
    run(
        here,
        "insert into twins select seq % 4000, repeat('b', 1200) from seq_1_to_8000",
        "insert into twins values (null, null), (null, null), (null, null)");
    assertThat(ask(there, "select count(*) from twins")).containsExactly("8003");
    run(
        there,
        "delete from twins where a % 2 = 0",
        "delete from twins where a < 1000 limit 300",
        "delete from twins where a is null limit 2");
    String all = "select concat_ws(' ', a, length(b), count(*)) from twins group by a, b";
    assertThat(ask(here, all)).containsExactlyInAnyOrderElementsOf(ask(there, all));
    assertThat(ask(here, "select count(*) from twins")).containsExactly("3701");
  }

  /** An enum may have a value that is none of its own. */
  @Test
  void aValueThatIsNoneSurvives() throws SQLException {
    for (String kinds : List.of("kinds (e, id)", "bare_kinds (e)")) {
      String table = kinds.split(" ", -1)[0];
      run(
          here,
          kinds.contains("id")
              ? "insert ignore into kinds values (1, 'x'), (2, ''), (3, null), (4, 'a')"
              : "insert ignore into bare_kinds values ('x'), (''), (null), ('a')");
      String all = "select e + 0 from " + table + " order by e";
      assertThat(ask(there, all)).containsExactly(null, "0", "1", "2").isEqualTo(ask(here, all));
      run(there, "delete from " + table + " where e = 0");
      assertThat(ask(here, all)).containsExactly(null, "1", "2");
    }
  }

  @Test
  void aSequenceGoesRound() throws SQLException {
    for (int i = 0; i < 9; i++) {
      Site site = i % 5 == 4 ? there : here;
      assertThat(ask(site, "select nextval(ring)")).containsExactly("" + (i % 3 + 1));
    }
    String first = ask(here, "select nextval(down)").get(0);
    assertThat(first).isEqualTo("-1");
    assertThat(Long.parseLong(ask(there, "select nextval(down)").get(0))).isLessThan(-1);
  }

  @Test
  void whatComesNextIsAsked() throws SQLException {
    String next =
        "select auto_increment from information_schema.tables where table_schema = 'app' and table_name = 'zeros'";
    String before = ask(there, next).get(0);
    run(here, "insert into zeros (c) values ('n'), ('o')");
    assertThat(ask(there, next)).isEqualTo(ask(here, next)).isNotEqualTo(List.of(before));
    for (String show : List.of("show table status like 'zeros'", "show create table zeros")) {
      run(here, "insert into zeros (c) values ('n')");
      try (Connection c = here.connect();
          Connection d = there.connect()) {
        assertThat(counter(d, show)).as(show).isEqualTo(counter(c, show)).isNotNull();
      }
    }
    run(here, "delete from zeros where c in ('n', 'o')", "insert into drawn (v) values (1)");
    String drawn = "select default(id) from drawn limit 1";
    assertThat(ask(there, drawn)).isNotEqualTo(ask(here, "select id from drawn"));
    assertThat(ask(here, drawn)).isNotEqualTo(ask(there, drawn));
  }

  private static String counter(Connection c, String show) throws SQLException {
    List<String> found = new ArrayList<>();
    Sql.each(
        c,
        show,
        row ->
            found.add(
                show.contains("status")
                    ? row.getString("Auto_increment")
                    : row.getString(2).replaceAll("(?s).*AUTO_INCREMENT=(\\d+).*", "$1")));
    return found.get(0);
  }

  @Test
  void variablesOfASessionAreItsOwn() throws SQLException {
    try (Connection c = here.connect()) {
      Sql.run(c, "set @one = (select 41 + count(*) from drawn where v = 777), @`two` := 2");
      assertThat(Sql.strings(c, "select @one + @two")).containsExactly("43");
      Sql.run(c, "set statement max_statement_time = 20 for insert into drawn (v) values (777)");
      assertThat(Sql.strings(c, "select @n := count(*) from drawn where v = 777"))
          .containsExactly("1");
      Sql.run(c, "delete from drawn where v = 777");
    }
    assertThat(ask(here, "select coalesce(@one, 'none')")).containsExactly("none");
  }

  /** Another site has moved the counter; to set it here waits for all who have used the table. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "select t from book|delete from book where t = 'read'",
        "select id from book|insert into book (t) values ('more')",
        "select id from page for update|insert into book (t) values ('more')",
        "insert into page (book) values (null)|insert into book (t) values ('more')",
        "update book set t = concat(t, '')|insert into page (book) values (null)",
      })
  @Timeout(value = 30, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
  void whoHasReadATableCountsOn(String first, String then) throws SQLException {
    run(
        here,
        "insert into book (t) values ('read'), ('kept')",
        "insert into page (book) select max(id) from book");
    try (Connection c = there.connect()) {
      c.setAutoCommit(false);
      Sql.run(c, first, then);
      c.commit();
    }
    run(
        here,
        "insert into book (t) values ('last')",
        "insert into page (book) select max(id) from book");
    for (String all : List.of("select id, t from book", "select id, book from page")) {
      assertThat(ask(here, all + " order by id")).isEqualTo(ask(there, all + " order by id"));
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '~',
      value = {
        "select * from v|audit audit#auto_increment child parent",
        "select total()|audit audit#auto_increment",
        "insert into parent values (5)|audit audit#auto_increment child parent",
        "insert into child values (7, 1) on duplicate key update p = values(p) + (select count(*) from ids)|child ids ids#auto_increment parent",
        "replace into bare (id) values (1)|bare",
        "insert into bare set id = (select max(id) from ids)|bare ids ids#auto_increment",
        "insert ignore into bare (id) select id from ids limit 2|bare ids ids#auto_increment",
        "update bare join ids on bare.id = ids.id set bare.t = 'from x', ids.t = 'y' where bare.id = 1|bare ids ids#auto_increment",
        "delete bare from bare join ids using (id)|bare ids ids#auto_increment",
        "select * from ids|ids ids#auto_increment",
        "select * from page for update|book#auto_increment page page#auto_increment",
        "delete from bare where t = \"from ids\" order by id limit 1|bare",
        "select `id` from `bare` where t = 'a\\' from ids' # from ids|bare",
        "select bare.id, table_name from app.bare, information_schema.tables limit 1|bare",
        "select count(*) from information_schema.tables, bare|bare",
        "select * from app.bare, information_schema.tables limit 1|audit#auto_increment bare book#auto_increment ids#auto_increment late_key#auto_increment page#auto_increment zeros#auto_increment",
        "select AUTO_INCREMENT from information_schema.TABLES where table_name = 'ids'|audit#auto_increment book#auto_increment ids#auto_increment late_key#auto_increment page#auto_increment zeros#auto_increment",
        "select * from next_ids|audit#auto_increment book#auto_increment ids#auto_increment late_key#auto_increment page#auto_increment zeros#auto_increment",
        "select * from drawn|drawn",
        "select default(id) from drawn|drawn seq",
        "select date_add(now(), interval 1 day), t regexp 'x', id div 2 from bare where id <=> null|bare",
        "select * from bare limit 1, 2|bare",
        "select * from bare for update|bare",
        "select next value for seq|seq",
        "insert into drawn (v) values (1)|drawn seq",
        "select pack.f()|moved other.moved",
        "select odd()|a@b any",
        "select mysql.elsewhere()|moved other.moved",
      })
  void found(String sql, String tables) throws SQLException {
    String found =
        String.join(
            " ",
            here.plan(sql, List.of("app")).tables().stream()
                .map(t -> t.replace("`app`.`", "").replace("`", ""))
                .sorted()
                .toList());
    assertThat(found).isEqualTo(tables);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "select /*! * from ids */ 1",
        "select 1 /*M! from ids */",
        "set @plumb_metric_apply = 1",
        "set sql_mode = 'ANSI_QUOTES'",
        "set foreign_key_checks = 0",
        "set autocommit = 0",
        "use mysql",
        "select get_lock('a', 1)",
        "select GET_LOCK('a', 1)",
        "select locks()",
        "select found_rows()",
        "select past()",
        "select quotes()",
        "select row_count()",
        "set names gbk",
        "set session transaction read only",
        "select load_file('/etc/passwd')",
        "select * from ids into outfile '/tmp/x'",
        "load data infile 'x' into table ids",
        "truncate ids",
        "lock tables ids write",
        "select * from mysql.user",
        "select * from plumb_metric.tx_queue",
        "call anything()",
        "handler ids open",
        "prepare x from 'select 1'",
        "select * from IDS",
        "select 1; select * from ids",
        "show tables where (select count(*) from ids) > 0",
        "show tables where total() > 0",
      })
  void refused(String sql) {
    assertThatThrownBy(() -> run(here, sql))
        .isInstanceOfAny(Refused.class, SQLFeatureNotSupportedException.class);
  }

  @Test
  void aForeignKeyThatActsAndAHistoryAreRefused() throws SQLException {
    LocalDatabase other = TestMariaDb.local();
    try (Machines own = new Machines(1);
        Site alone =
            new Site(
                "alone",
                other,
                own.process(0, TestSites.QUICK.patience(), TestSites.QUICK.lease()),
                TestSites.QUICK);
        Connection c = alone.initialize()) {
      Sql.run(
          c,
          "create table p (id int primary key)",
          "create table k (p int, constraint acts foreign key (p) references p (id) on delete cascade)");
      assertThatThrownBy(() -> Sql.run(c, "end initialization"))
          .isInstanceOf(SQLFeatureNotSupportedException.class)
          .hasMessageContaining("foreign key app.acts");
      Sql.run(
          c,
          "alter table k drop foreign key acts",
          "create table versions (id int primary key) with system versioning");
      assertThatThrownBy(() -> Sql.run(c, "end initialization"))
          .isInstanceOf(SQLFeatureNotSupportedException.class)
          .hasMessageContaining("app.versions");
      Sql.run(
          c,
          "alter table versions drop system versioning",
          "create table place (id int primary key, p point, g geometry)");
      assertThatThrownBy(() -> Sql.run(c, "end initialization"))
          .isInstanceOf(SQLFeatureNotSupportedException.class)
          .hasMessageContaining("column g of app.place, column p of app.place:");
      Sql.run(c, "drop table place", "end initialization");
    }
  }

  @Test
  void aNameIsOfTheDatabaseThatIsSet() throws SQLException {
    try (Connection c = here.connect()) {
      assertThat(Sql.strings(c, "select id from moved")).isEmpty();
      c.setCatalog("other");
      assertThat(Sql.strings(c, "select id from moved")).containsExactly("100");
      // Of `other`.moved, which another site must have learned of.
      Sql.run(c, "insert into moved values (101)");
      assertThat(ask(there, "select count(*) from other.moved")).containsExactly("2");
      assertThatThrownBy(() -> Sql.run(c, "select * from ids"))
          .isInstanceOfSatisfying(
              Refused.class, e -> assertThat(e.getSQLState()).isEqualTo("42P01"));
    }
  }

  /** The server prepares a statement once, whatever database is set afterwards. */
  @Test
  void aStatementKeepsTheDatabaseOfItsFirstRun() throws SQLException {
    try (Connection c = here.connect()) {
      c.setAutoCommit(false);
      try (PreparedStatement s = c.prepareStatement("select count(*) from moved where id = 50")) {
        Sql.strings(c, "select id from ids");
        assertThat(one(s)).isZero();
        c.commit();
        c.setCatalog("other");
        run(there, "insert into moved values (50)");
        Sql.strings(c, "select id from app.bare");
        assertThat(one(s)).isEqualTo(1);
        c.commit();
        run(there, "delete from moved where id = 50");
      }
    }
  }

  private static int one(PreparedStatement s) throws SQLException {
    try (ResultSet rows = s.executeQuery()) {
      rows.next();
      return rows.getInt(1);
    }
  }

  @Test
  void aTriggerThatNamesTheConditionActsOnce() throws SQLException {
    run(here, "insert into noticed values (1)");
    assertThat(ask(there, "select count(*) from noticed, ids where t = 'noticed 1'"))
        .containsExactly("1");
  }

  @Test
  void aRowThatCannotBeCapturedWholeFails() throws SQLException {
    String insert = "insert into large values (1, repeat('a', 33600000))";
    assertThatThrownBy(() -> run(here, insert)).hasMessageContaining("Result of concat_ws()");
    assertThat(ask(here, "select id from large")).isEmpty();
  }

  @Test
  void aStrictModeMayBeSet() throws SQLException {
    try (Connection c = here.connect()) {
      Sql.run(
          c,
          "set session sql_mode = 'STRICT_ALL_TABLES,NO_AUTO_VALUE_ON_ZERO,NO_ZERO_DATE'",
          "set @@session.character_set_results = utf8mb4",
          "insert into zeros (id, c) values (0, 'ü€')");
      assertThat(Sql.strings(c, "select c from zeros")).containsExactly("ü€");
      for (String insert : List.of("(1, '0000-00-00', 'a')", "(1, null, 'a'), (2, null, 'abc')")) {
        assertThatThrownBy(() -> Sql.run(c, "insert into zeros values " + insert))
            .isInstanceOf(SQLException.class);
      }
      String large = "insert into large values (2, repeat('a', 33600000))";
      assertThatThrownBy(() -> Sql.run(c, large)).hasMessageContaining("Result of concat_ws()");
    }
    run(there, "update zeros set c = concat(id, 'x')");
    assertThat(ask(here, "select concat(id, c) from zeros")).containsExactly("00x");
    assertThat(ask(there, "select id from large")).isEmpty();
  }

  @Test
  void whatIsWrittenByMariaDbAloneRuns() throws SQLException {
    assertThat(
            ask(
                here,
                "select count(*) from (moved as m) left join (child, (zeros, bare)) on child.p = m.id"))
        .hasSize(1);
    assertThat(ask(there, "select 'Robert' sounds like 'Rupert'")).containsExactly("1");
  }

  @Test
  void aRoutineHasItsModeEverywhere() throws SQLException {
    String modes =
        "select group_concat(routine_name, ' ', sql_mode order by 1) from information_schema.routines where"
            + " routine_schema = 'app'";
    assertThat(ask(here, modes)).isEqualTo(ask(there, modes));
    assertThat(ask(there, modes).get(0)).contains("lax NO_AUTO_VALUE_ON_ZERO,");
  }

  @Test
  void ofABatchThatIsRolledBackNothingCounts() throws SQLException {
    try (Connection c = here.connect();
        Statement s = c.createStatement()) {
      for (int id : new int[] {70, 71, 70, 72}) {
        s.addBatch("insert into bare (id) values (" + id + ")");
        s.addBatch("insert into moved values (" + id + ")");
      }
      assertThatThrownBy(s::executeBatch)
          .isInstanceOfSatisfying(
              BatchUpdateException.class,
              e -> {
                assertThat(e.getSQLState()).isEqualTo("23000");
                assertThat(e.getUpdateCounts()).hasSize(8).containsOnly(Statement.EXECUTE_FAILED);
              });
      assertThat(Sql.strings(c, "select id from moved where id < 100")).isEmpty();
    }
  }

  @Test
  void anEventIsRefused() throws SQLException {
    try (Connection c = here.initialize()) {
      for (String sql :
          List.of(
              "create event e on schedule every 1 hour do delete from ids",
              "create or replace definer = current_user event e on schedule every 1 hour do delete from ids",
              "alter event e enable")) {
        assertThatThrownBy(() -> Sql.run(c, sql))
            .isInstanceOf(Refused.class)
            .hasMessageContaining("scheduler");
      }
      assertThatThrownBy(() -> Sql.run(c, "create or replace temporary table ids (id int)"))
          .isInstanceOf(Refused.class)
          .hasMessageContaining("hide what has its name");
      assertThatThrownBy(
              () ->
                  Sql.run(
                      c,
                      "create trigger plumb_metric_x before insert on ids for each row set new.t = 1"))
          .isInstanceOf(Refused.class)
          .hasMessageContaining("own tables");
      assertThatThrownBy(() -> Sql.run(c, "create table event (id int)"))
          .hasMessageContaining("initialization has ended");
    }
  }

  @Test
  void aServerThatHidesNamesIsRefused() throws SQLException {
    String url = TestMariaDb.url(false);
    try (Connection keeper = DriverManager.getConnection(url)) {
      Sql.run(
          keeper,
          "create table t (id int)",
          "create view v as select * from t",
          "grant select, insert, update, delete, create, trigger on app.* to shut@localhost identified by 'x'",
          "grant select, insert, update, delete, create, trigger on app.* to shut@'127.0.0.1' identified by 'x'");
      String theirs = url.replace(TestMariaDb.KEEPER, "shut&password=x");
      try (Connection shut = DriverManager.getConnection(theirs)) {
        Catalog catalog = new MariaDb().catalog(shut);
        assertThatThrownBy(() -> Statements.plan(catalog, List.of("app"), "select * from v"))
            .isInstanceOf(Refused.class)
            .hasMessageContaining("view `app`.`v`");
      }
    }
    assertThatThrownBy(
            () -> new LocalDatabase(new MariaDb(), () -> DriverManager.getConnection(url)))
        .hasMessageContaining("lower_case_table_names");
  }

  /** A transaction that the log cannot hold would fill the memory, and is refused before. */
  @Test
  void whatIsTooLongForTheLogIsNotReadWhole() throws SQLException {
    try (Connection c = here.local().connect()) {
      for (int rows : new int[] {40_000, 200_000}) {
        Sql.run(
            c,
            "insert into plumb_metric.tx_queue (tx, tbl, old, new) select 'long "
                + rows
                + "', 'app.t', seq, md5(seq) from seq_1_to_"
                + rows);
      }
      assertThat(here.local().changes(c, "long 40000")).hasSize(40_000);
      state(() -> here.local().changes(c, "long 200000"), "54000");
      assertThat(Sql.string(c, "select count(*) from plumb_metric.tx_queue where tx like 'long%'"))
          .isEqualTo("240000");
      c.rollback();
    }
  }

  /** What a program quotes by JDBC's methods is read as it was. */
  @Test
  void textsAndNamesAreQuotedAsTheDatabaseReadsThem() throws SQLException {
    try (MetricServer server = new MetricServer(here, 0);
        Connection c = DriverManager.getConnection("jdbc:metric://127.0.0.1:" + server.port());
        Statement s = c.createStatement()) {
      for (String text :
          List.of("", "a", "it's", "\\", "a\\' or 1=1 -- ", "\\\\'", "\u00e4\n\t\"`")) {
        ResultSet rows =
            s.executeQuery("select " + s.enquoteLiteral(text) + ", " + s.enquoteNCharLiteral(text));
        assertThat(rows.next()).isTrue();
        assertThat(rows.getString(1)).isEqualTo(text);
        assertThat(rows.getString(2)).isEqualTo(text);
      }
      assertThat(s.enquoteIdentifier("id", false)).isEqualTo("id");
      assertThat(s.enquoteIdentifier("id", true)).isEqualTo("`id`");
      assertThat(s.enquoteIdentifier("`a@b`", false)).isEqualTo("`a@b`");
      ResultSet none = s.executeQuery("select * from " + s.enquoteIdentifier("a@b", false));
      assertThat(none.getMetaData().getColumnCount()).isEqualTo(1);
      assertThat(s.enquoteIdentifier("a` ` b", false)).isEqualTo("`a`` `` b`");
      state(() -> s.enquoteIdentifier("`a` ` b`", true), "42602");
      state(() -> s.enquoteIdentifier("", true), "42602");
    }
  }

  @Test
  void ourDriversValuesAndKeys() throws SQLException {
    try (MetricServer server = new MetricServer(here, 0);
        Connection c = DriverManager.getConnection("jdbc:metric://127.0.0.1:" + server.port())) {
      try (PreparedStatement s =
          c.prepareStatement(
              "insert into keyed (id, i8, n, f, d, da, ti, dt, ts, y, bl) values (900001, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)")) {
        s.setObject(1, new BigInteger("18446744073709551615"));
        s.setBigDecimal(2, new BigDecimal("1.5"));
        s.setFloat(3, 0.1f);
        s.setDouble(4, 1e300);
        s.setDate(5, Date.valueOf("1500-02-28"));
        s.setTime(6, Time.valueOf("12:34:56"));
        s.setObject(7, LocalDateTime.of(2024, 2, 28, 1, 2, 3, 123456000));
        s.setTimestamp(8, Timestamp.valueOf("2024-02-28 01:02:03.123456"));
        s.setInt(9, 2024);
        s.setBytes(10, new byte[] {0, -1});
        assertThat(s.executeUpdate()).isEqualTo(1);
      }
      try (Statement s = c.createStatement();
          ResultSet rows =
              s.executeQuery(
                  "select i8, n, f, d, da, ti, dt, ts, y, bl from keyed where id = 900001")) {
        assertThat(rows.next()).isTrue();
        assertThat(rows.getObject(1)).isEqualTo(new BigInteger("18446744073709551615"));
        assertThat(rows.getBigDecimal(2)).isEqualByComparingTo("1.5");
        assertThat(rows.getFloat(3)).isEqualTo(0.1f);
        assertThat(rows.getDouble(4)).isEqualTo(1e300);
        assertThat(rows.getDate(5)).isEqualTo(Date.valueOf("1500-02-28"));
        assertThat(rows.getTime(6)).isEqualTo(Time.valueOf("12:34:56"));
        assertThat(rows.getObject(7, LocalDateTime.class))
            .isEqualTo(LocalDateTime.of(2024, 2, 28, 1, 2, 3, 123456000));
        assertThat(rows.getTimestamp(8)).isEqualTo(Timestamp.valueOf("2024-02-28 01:02:03.123456"));
        assertThat(rows.getObject(8)).isInstanceOf(Timestamp.class);
        assertThat(rows.getDate(9)).isEqualTo(Date.valueOf("2024-01-01"));
        assertThat(rows.getBytes(10)).containsExactly(0, -1);
      }
      try (Statement s = c.createStatement()) {
        s.executeUpdate("insert into ids (t) values ('k')", Statement.RETURN_GENERATED_KEYS);
        try (ResultSet keys = s.getGeneratedKeys()) {
          assertThat(keys.next()).isTrue();
          assertThat(keys.getLong(1)).isPositive();
        }
        for (String sql :
            List.of("update ids set t = 'l' where t = 'k'", "delete from ids where t = 'l'")) {
          assertThat(s.executeUpdate(sql, Statement.RETURN_GENERATED_KEYS)).isEqualTo(1);
          assertThat(s.getGeneratedKeys().next()).isFalse();
        }
      }
    }
  }

  /** MariaDB knows until its next statement alone, which may be one of Metric's. */
  @Test
  void whatAStatementWasWarnedOfIsTold() throws SQLException {
    try (TestSites sites = TestSites.on("mariadb", 1, TestSites.QUICK)) {
      sites.with("create table w (id int primary key, t tinyint)");
      try (MetricServer server = new MetricServer(sites.site(0), 0);
          Connection c = DriverManager.getConnection("jdbc:metric://127.0.0.1:" + server.port());
          Statement s = c.createStatement()) {
        for (boolean autoCommit : new boolean[] {true, false}) {
          c.setAutoCommit(autoCommit);
          s.executeUpdate("insert ignore into w values (" + autoCommit + ", 999)");
          assertThat(warned(s)).singleElement().asString().contains("Out of range value");
          for (String asked : List.of("show warnings", "show errors", "show count(*) warnings")) {
            assertThatThrownBy(() -> s.execute(asked))
                .isInstanceOf(SQLFeatureNotSupportedException.class)
                .hasMessageContaining("getWarnings()");
          }
          assertThat(warned(s)).isEmpty();
        }
        c.commit();
        try (PreparedStatement p = c.prepareStatement("insert ignore into w values (?, 1)")) {
          p.setInt(1, 1);
          p.addBatch();
          p.setInt(1, 0);
          p.addBatch();
          p.executeBatch();
          assertThat(warned(p)).isNotEmpty();
        }
      }
    }
  }

  /** As MariaDB's own driver has them. */
  @Test
  void textsOfSetLengthYearsAndTimes() throws SQLException {
    try (TestSites sites = TestSites.on("mariadb", 1, TestSites.QUICK)) {
      sites.with(
          "create table w (c char(5), e enum('new', 'shipped'), s set('a', 'b'), y year, m time(2), l time, z time)",
          "insert into w values ('ab', 'new', 'b', 2024, '-12:34:56.78', '100:00:01', '23:59:59')");
      String query =
          "select c, e, s, date_add('2024-01-31', interval 1 month), coalesce(c, 'x'), y, max(y), m, l, z from w";
      try (MetricServer server = new MetricServer(sites.site(0), 0);
          Connection c = DriverManager.getConnection("jdbc:metric://127.0.0.1:" + server.port());
          Connection avatica = DriverManager.getConnection(server.avaticaUrl());
          Connection own = sites.database(0)) {
        List<String> told = new ArrayList<>();
        for (Connection each : new Connection[] {own, c}) {
          try (ResultSet rows = each.createStatement().executeQuery(query)) {
            assertThat(rows.next()).isTrue();
            StringBuilder all = new StringBuilder();
            for (int i = 1; i <= 10; i++) {
              Object value = rows.getObject(i);
              all.append(value instanceof Time t ? t.getTime() : value)
                  .append(' ')
                  .append(value.getClass())
                  .append(" '")
                  .append(rows.getString(i))
                  .append("' ")
                  .append(rows.getMetaData().getColumnType(i))
                  .append('\n');
            }
            all.append(rows.getInt(6)).append(rows.getDate(6)).append(rows.getTime(9).getTime());
            told.add(all.toString());
          }
        }
        assertThat(told.get(1)).isEqualTo(told.get(0));
        try (ResultSet rows = avatica.createStatement().executeQuery(query)) {
          assertThat(rows.next()).isTrue();
          assertThat(List.of(rows.getString(1), rows.getString(2), rows.getString(3)))
              .containsExactly("ab", "new", "b");
        }
      }
    }
  }

  /** As MariaDB's own driver has them. */
  @Test
  void bitsAndSmallNumbersWithoutASign() throws SQLException {
    try (TestSites sites = TestSites.on("mariadb", 1, TestSites.QUICK)) {
      sites.with(
          "create table w (b boolean, b1 bit(1), b8 bit(8), t tinyint unsigned, s smallint unsigned, m mediumint unsigned)",
          "insert into w values (true, b'1', b'101', 200, 60000, 16000000)");
      try (MetricServer server = new MetricServer(sites.site(0), 0);
          Connection c = DriverManager.getConnection("jdbc:metric://127.0.0.1:" + server.port());
          Connection own = sites.database(0)) {
        List<String> told = new ArrayList<>();
        for (Connection each : new Connection[] {own, c}) {
          try (ResultSet rows = each.createStatement().executeQuery("select * from w")) {
            assertThat(rows.next()).isTrue();
            StringBuilder all = new StringBuilder();
            for (int i = 1; i <= 6; i++) {
              Object value = rows.getObject(i);
              all.append(value instanceof byte[] bytes ? java.util.Arrays.toString(bytes) : value)
                  .append(' ')
                  .append(value.getClass())
                  .append(' ')
                  .append(rows.getString(i))
                  .append(' ')
                  .append(rows.getInt(i))
                  .append(' ')
                  .append(rows.getBoolean(i))
                  .append('\n');
            }
            told.add(all.toString());
          }
        }
        assertThat(told.get(1)).isEqualTo(told.get(0));
      }
    }
  }

  /** As MariaDB's own driver has it, whatever columns come first. */
  @Test
  void aGeneratedKeyIsTheCounters() throws SQLException {
    try (MetricServer server = new MetricServer(here, 0);
        Connection c = DriverManager.getConnection("jdbc:metric://127.0.0.1:" + server.port());
        Statement s = c.createStatement();
        PreparedStatement prepared =
            c.prepareStatement(
                "insert into late_key (tenant, name) values (?, 'c')",
                Statement.RETURN_GENERATED_KEYS)) {
      s.executeUpdate(
          "insert into late_key (tenant, name) values (700, 'a'), (700, 'b')",
          Statement.RETURN_GENERATED_KEYS);
      assertThat(keys(s)).containsExactly("id", 1, 2);
      prepared.setInt(1, 701);
      assertThat(prepared.executeUpdate()).isEqualTo(1);
      assertThat(keys(prepared)).containsExactly("id", 3);
      s.executeUpdate("insert into late_key (tenant) values (702)", new String[] {"tenant", "id"});
      assertThat(s.getGeneratedKeys().getMetaData().getColumnCount()).isEqualTo(2);
      s.executeUpdate("insert into returned values (900300)", Statement.RETURN_GENERATED_KEYS);
      assertThat(s.getGeneratedKeys().next()).isFalse();
    }
  }

  private static List<Object> keys(Statement s) throws SQLException {
    List<Object> keys = new ArrayList<>();
    try (ResultSet rows = s.getGeneratedKeys()) {
      assertThat(rows.getMetaData().getColumnCount()).isEqualTo(1);
      keys.add(rows.getMetaData().getColumnLabel(1));
      while (rows.next()) {
        keys.add(rows.getInt(1));
      }
    }
    return keys;
  }

  @Test
  void aPreparedStatementReturnsRowsAndAnErrorHasTheDatabasesCode() throws SQLException {
    try (MetricServer server = new MetricServer(here, 0);
        Connection c = DriverManager.getConnection("jdbc:metric://127.0.0.1:" + server.port());
        PreparedStatement s =
            c.prepareStatement("insert into returned values (?) returning id, id + 1 as next")) {
      s.setInt(1, 900_200);
      assertThat(s.execute()).isTrue();
      try (ResultSet rows = s.getResultSet()) {
        assertThat(rows.next()).isTrue();
        assertThat(rows.getMetaData().getColumnLabel(2)).isEqualTo("next");
        assertThat(rows.getLong(1)).isEqualTo(900_200);
        assertThat(rows.getLong("next")).isEqualTo(900_201);
      }
      assertThatThrownBy(s::execute)
          .isInstanceOfSatisfying(
              SQLException.class, e -> assertThat(e.getErrorCode()).isEqualTo(1062));
    }
  }

  /** As tools ask it, with our driver and with Avatica's own, which knows no type of long texts. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void whatTheDatabaseSaysOfItselfAndLongValuesTravel(boolean plain) throws SQLException {
    run(here, "replace into keyed (id, t, bl, v, da) values (900100, 'long', x'00ff', 'v', null)");
    try (MetricServer server = new MetricServer(here, 0);
        Connection c =
            DriverManager.getConnection(
                plain ? server.avaticaUrl() : "jdbc:metric://127.0.0.1:" + server.port());
        Statement s = c.createStatement()) {
      DatabaseMetaData said = c.getMetaData();
      assertThat(values(said.getTables("app", null, "keyed", null))).contains("keyed");
      assertThat(values(said.getColumns("app", null, "keyed", "%"))).contains("extra", "'plus'");
      if (!plain) {
        assertThat(values(said.getPrimaryKeys("app", null, "keyed"))).contains("id");
        assertThat(values(said.getIndexInfo("app", null, "keyed", true, true))).contains("PRIMARY");
        assertThat(values(said.getImportedKeys("app", null, "child"))).contains("parent");
      }
      assertThat(values(said.getTypeInfo())).contains("LONGTEXT");
      assertThat(values(said.getCatalogs())).contains("app");
      assertThat(values(s.executeQuery("select t, bl, v, da from keyed where id = 900100")))
          .hasSize(4)
          .contains("long", "v");
      try (ResultSet row = s.executeQuery("select bl from keyed where id = 900100")) {
        assertThat(row.next()).isTrue();
        assertThat(row.getBytes(1)).containsExactly(0, -1);
      }
    }
  }

  /** Its driver reads what another statement's result has left, when the connection is needed. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void longResultsNeedNoTransaction(boolean plain) throws SQLException {
    String many =
        "with recursive n (i) as (select 1 union all select i + 1 from n where i < 60),"
            + " r (i) as (select (a.i - 1) * 60 + b.i from n a join n b where a.i <= 50)"
            + " select i, repeat('x', 1000), timestamp '2024-05-06 07:08:09', cast(i as decimal(9, 2)),"
            + " cast(i as unsigned), nullif(i, 2999) from r order by i";
    try (MetricServer server = new MetricServer(here, 0);
        Connection c =
            DriverManager.getConnection(
                plain ? server.avaticaUrl() : "jdbc:metric://127.0.0.1:" + server.port());
        Statement one = c.createStatement();
        PreparedStatement two = c.prepareStatement(many)) {
      c.setAutoCommit(false);
      ResultSet first = one.executeQuery(many);
      ResultSet second = two.executeQuery();
      for (int i = 1; i <= 3000; i++) {
        assertThat(first.next() && second.next()).isTrue();
        if (i == 1000) {
          c.commit();
        } else if (i == 2000) {
          Sql.run(c, "insert into moved values (900)");
          c.rollback();
        }
        for (ResultSet rows : List.of(first, second)) {
          assertThat(rows.getInt(1)).isEqualTo(i);
          assertThat(rows.getString(2)).hasSize(1000);
          assertThat(rows.getTimestamp(3)).hasToString("2024-05-06 07:08:09.0");
          assertThat(rows.getBigDecimal(4)).isEqualByComparingTo(Integer.toString(i));
          assertThat(rows.getLong(5)).isEqualTo(i);
          assertThat(rows.getInt(6)).isEqualTo(i == 2999 ? 0 : i);
          assertThat(rows.wasNull()).isEqualTo(i == 2999);
        }
      }
      assertThat(first.next() || second.next()).isFalse();
      first = one.executeQuery(many);
      assertThat(first.next()).isTrue();
      state(doing(c, "select 1 from moved where (select id from ids) = 1", "select 1"), "21000");
      assertThat(first.next()).isTrue();
    }
  }

  private static List<Object> values(ResultSet rows) throws SQLException {
    List<Object> values = new ArrayList<>();
    try (rows) {
      while (rows.next()) {
        for (int i = 1; i <= rows.getMetaData().getColumnCount(); i++) {
          values.add(rows.getObject(i));
        }
      }
    }
    return values;
  }
}
