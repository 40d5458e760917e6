package dev.plumbline.metric.sql.local;

import static dev.plumbline.metric.sql.local.States.state;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.plumbline.metric.Position;
import dev.plumbline.metric.Uuid;
import dev.plumbline.metric.sql.log.MetricProcess.Logged;
import dev.plumbline.metric.sql.log.RedoEntry;
import dev.plumbline.metric.sql.log.RedoEntry.Part;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.lifecycle.AddLifecycleHook;
import net.jqwik.api.lifecycle.BeforeProperty;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What one site's database captures, another's has after it. */
@AddLifecycleHook(WherePostgresRuns.class)
class PostgreSqlTest {
  private static final String ALL =
      "create table %s (id bigint primary key, i2 smallint, i4 integer, i8 bigint, num numeric,"
          + " cash numeric(20, 4), f4 real, f8 double precision, b boolean, c char(5), v"
          + " varchar(40), t text, by bytea, d date, tm time, tmz timetz, ts timestamp, tsz"
          + " timestamptz, iv interval, u uuid, j json, jb jsonb, ints integer[], words text[], r"
          + " int4range, net inet, bits bit varying(20), x xml, m money)";

  private static LocalDatabase here;
  private static LocalDatabase there;
  private static int position;

  @BeforeAll
  static void databases() throws SQLException {
    if (here == null) {
      here = TestPostgres.local();
      there = TestPostgres.local();
      both(String.format(ALL, "keyed"), String.format(ALL, "bare").replace(" primary key", ""));
    }
  }

  @BeforeProperty
  void databasesAsWell() throws SQLException {
    databases();
  }

  private static void both(String... ddl) throws SQLException {
    for (LocalDatabase db : List.of(here, there)) {
      try (Connection c = db.connect()) {
        Sql.run(c, ddl);
        db.dialect().capture(c);
        c.commit();
      }
    }
  }

  /** Runs statements in a transaction here, and carries what was captured there. */
  private static List<Part> carry(String... statements) throws SQLException {
    try (Connection c = here.connect()) {
      Sql.run(c, statements);
      return carry(c);
    }
  }

  private static List<Part> carry(Connection c) throws SQLException {
    here.dialect().settle(c);
    String tag = here.dialect().tag(c);
    List<Part> parts = new ArrayList<>(here.changes(c, tag));
    Set<String> tables = new TreeSet<>();
    parts.forEach(p -> tables.add(((RedoEntry.Change) p).table()));
    here.dialect()
        .counters(c, here.dialect().touched(c))
        .forEach(
            (name, state) -> {
              parts.add(new RedoEntry.Counter(name, state));
              tables.add(name);
            });
    // Another test may have closed it.
    here.opening();
    here.commit(c, tag);
    Position at = next();
    there.populate(
        there.opening(), List.of(logged(at, tables, new RedoEntry("r", parts).encode())));
    here.clear(tag, tables, at);
    return parts;
  }

  private static Position next() {
    return new Position(new Uuid(1, 1), ++position);
  }

  private static Logged logged(Position at, Set<String> tables, byte[] entry) {
    Map<String, Position> to = new TreeMap<>();
    tables.forEach(t -> to.put(t, at));
    return new Logged(to, entry);
  }

  /** In the types' binary form, which capture does not use. */
  private static List<String> binary(LocalDatabase db, String table) throws SQLException {
    try (Connection c = db.connect()) {
      return Sql.strings(
          c, "select encode(record_send(row(t.*)), 'hex') from " + table + " t order by 1");
    }
  }

  private static List<String> strings(LocalDatabase db, String sql) throws SQLException {
    try (Connection c = db.connect()) {
      return Sql.strings(c, sql);
    }
  }

  private static void same(String table) throws SQLException {
    assertThat(binary(there, table)).isEqualTo(binary(here, table));
  }

  /** A row in SQL's literals, each an arbitrary value of its column's type or null. */
  @Provide
  Arbitrary<List<String>> rows() {
    Arbitrary<String> text =
        Arbitraries.oneOf(
                Arbitraries.strings()
                    .withCharRange('\u0001', '\ud7ff')
                    .withCharRange('\ue000', '\uffff')
                    .ofMaxLength(12),
                Arbitraries.of(
                    "", "NULL", "null", "\\", "\"", "'", ",", "(", ")", "a,b", "\\N", "\n", "\t",
                    " ", "🐘𝄞", "{}", "e\u0301"))
            .map(s -> "'" + s.replace("'", "''") + "'");
    Arbitrary<String> stamps =
        Arbitraries.longs()
            .between(-200_000_000_000_000_000L, 9_000_000_000_000_000_00L)
            .map(
                us ->
                    "timestamp '2000-01-01' + interval '"
                        + us / 1_000_000
                        + " s' + interval '"
                        + Math.abs(us % 1_000_000)
                        + " us'");
    List<Arbitrary<String>> columns =
        List.of(
            Arbitraries.shorts().map(String::valueOf),
            Arbitraries.integers().map(String::valueOf),
            Arbitraries.longs().map(n -> "'" + n + "'"),
            Arbitraries.oneOf(
                Arbitraries.bigDecimals().map(n -> "'" + n.toPlainString() + "'"),
                Arbitraries.of(
                    "'NaN'", "'Infinity'", "'-Infinity'", "'1e-900'", "'0.000'", "'9e1000'")),
            Arbitraries.bigDecimals()
                .between(new java.math.BigDecimal("-1e15"), new java.math.BigDecimal("1e15"))
                .map(n -> "'" + n.toPlainString() + "'"),
            Arbitraries.oneOf(
                Arbitraries.floats().map(n -> "'" + n + "'"),
                Arbitraries.of("'NaN'", "'-0'", "'Infinity'", "'1e-45'")),
            Arbitraries.oneOf(
                Arbitraries.doubles().map(n -> "'" + n + "'"),
                Arbitraries.of("'NaN'", "'-0'", "'-Infinity'", "'5e-324'")),
            Arbitraries.of("true", "false"),
            Arbitraries.of("'a'", "'a    '", "''", "'äöü'"),
            text,
            text,
            Arbitraries.bytes()
                .array(byte[].class)
                .ofMaxSize(40)
                .map(b -> "'\\x" + java.util.HexFormat.of().formatHex(b) + "'"),
            Arbitraries.of(
                "'2024-02-29'", "'infinity'", "'-infinity'", "'0044-03-15 BC'", "'5874897-12-31'"),
            Arbitraries.of("'00:00'", "'24:00'", "'23:59:59.999999'"),
            Arbitraries.of("'12:00:00.000001+15:59'", "'00:00-12:30:15'"),
            stamps,
            Arbitraries.oneOf(
                stamps,
                Arbitraries.of("'infinity'", "'2024-10-27 02:30+02'", "'2024-10-27 02:30+01'")),
            Arbitraries.of("'1 year -2 mons 3 days -04:05:06.000007'", "'-1 day 1 us'", "'0'"),
            Arbitraries.create(() -> "'" + new java.util.UUID(7, 9) + "'"),
            Arbitraries.of("'{\"a\" :  1, \"a\": 2}'", "'null'", "'\"\\u00e4\"'", "'[1e400]'"),
            Arbitraries.of("'{\"a\": [1.10, null, \"ü\"]}'", "'null'", "'1e100'"),
            Arbitraries.of("'{}'", "'{1,NULL,-3}'", "'{{1,2},{3,4}}'", "'[5:6]={7,8}'"),
            text.list().ofMaxSize(3).map(l -> "array[" + String.join(",", l) + "]::text[]"),
            Arbitraries.of("'empty'", "'[1,5)'", "'(,)'"),
            Arbitraries.of("'10.0.0.1'", "'fe80::1/64'"),
            Arbitraries.of("''", "'0101'"),
            Arbitraries.of("'<a b=\"c\">&amp;</a>'", "'text only'"),
            Arbitraries.of("'-12345.67'", "'0'"));
    Arbitrary<List<String>> row = Arbitraries.just(new ArrayList<>());
    for (Arbitrary<String> column : columns) {
      Arbitrary<String> value = column.injectNull(0.15).map(v -> v == null ? "null" : v);
      row =
          row.flatMap(
              before ->
                  value.map(
                      v -> {
                        List<String> longer = new ArrayList<>(before);
                        longer.add(v);
                        return longer;
                      }));
    }
    return row;
  }

  @Property(tries = 12)
  void anyRowSurvives(@ForAll("rows") List<String> first, @ForAll("rows") List<String> second)
      throws SQLException {
    for (String table : List.of("keyed", "bare")) {
      // The application's own settings do not matter.
      carry(
          "set datestyle = 'ISO, DMY'; set intervalstyle = 'iso_8601'; set timezone ="
              + " 'Asia/Kathmandu'; set bytea_output = 'escape'; set extra_float_digits = -5",
          "delete from " + table,
          "insert into "
              + table
              + " values (1, "
              + String.join(", ", first)
              + "), (2, "
              + String.join(", ", second)
              + ")",
          "insert into " + table + " select 3, z.i2 from " + table + " z where id = 1");
      same(table);
      carry("update " + table + " set id = id + 10, t = t || 'x', f4 = f4 where id <> 2");
      same(table);
      carry(
          "update " + table + " set i4 = i4 where id = 2",
          "delete from " + table + " where id = 13");
      same(table);
    }
  }

  @Test
  void aLossyTextIsSeen() throws SQLException {
    carry("delete from keyed", "insert into keyed (id, f8) values (1, 0.1::float8 + 0.2::float8)");
    try (Connection c = there.connect()) {
      there.dialect().quiet(c);
      Sql.run(c, "update keyed set f8 = 0.3");
      c.commit();
    }
    assertThat(binary(there, "keyed")).isNotEqualTo(binary(here, "keyed"));
    carry("delete from keyed");
    same("keyed");
  }

  @Test
  void equalRowsWithoutAKeyAreCounted() throws SQLException {
    both("create table twins (a int, b json)");
    carry("insert into twins values (1, '{}'), (1, '{}'), (1, '{}'), (null, null)");
    carry("delete from twins where ctid = (select min(ctid) from twins)");
    carry("update twins set a = 2 where ctid = (select min(ctid) from twins)");
    same("twins");
    assertThat(binary(there, "twins")).hasSize(3);
  }

  @Test
  void theTypeOfAKeyMayBeInASchemaOfItsOwn() throws SQLException {
    both(
        "create schema ext",
        "create extension ltree schema ext",
        "create extension citext schema ext",
        "create domain labels as ext.ltree",
        "create table paths (p labels, c ext.citext, a ext.ltree[], n int, primary key (p, c, a) include (n))",
        "create extension btree_gist schema ext",
        "create table spans (r int, s tsrange, primary key (r, s without overlaps))");
    carry(
        "insert into paths values ('a.b', 'C', '{d,e}', 1), ('a.b', 'D', '{}', 1)",
        "insert into spans values (1, '[2020-01-01,2021-01-01)'), (1, '[2021-01-01,)')");
    carry("update paths set n = n + 1, c = lower(c::text)::ext.citext", "update spans set r = 2");
    same("spans");
    assertThat(strings(there, "select x::text from paths x order by 1"))
        .containsExactly("(a.b,c,\"{d,e}\",2)", "(a.b,d,{},2)");
  }

  /** By one statement, and not by one for each row that reads the whole table. */
  @Test
  @Timeout(60)
  void manyRowsWithoutAKeyGoAtOnce() throws SQLException {
    both("create table many (a int, b text)", "create table columnless ()");
    carry("insert into many select g % 9000, 'b' from generate_series(1, 40000) g");
    carry("delete from many where ctid in (select ctid from many where a % 2 = 0 limit 16000)");
    same("many");
    carry("insert into columnless default values", "insert into columnless default values");
    carry("delete from columnless where ctid = (select min(ctid) from columnless)");
    assertThat(binary(there, "many")).hasSize(24_000);
    assertThat(strings(there, "select count(*) from columnless")).containsExactly("1");
  }

  @Test
  void rowsWithoutAKeyThatHoldMoreThanTheirText() throws SQLException {
    both("create table made (a int, b int generated always as (a * 2), r regclass)");
    carry("insert into made (a, r) values (1, 'keyed'), (2, 'made'), (2, 'made')");
    carry("delete from made where a = 1", "update made set a = 5 where b = 4");
    assertThat(strings(there, "select row(m.*)::text from made m"))
        .containsExactly("(5,10,made)", "(5,10,made)");
    carry("insert into made (a) values (9)", "truncate made");
    assertThat(binary(there, "made")).isEmpty();
  }

  /** As entries had it that are in logs already. */
  @Test
  void theContextMayBeTheSearchPathAlone() throws SQLException {
    try (Connection c = there.connect()) {
      there.dialect().run(c, new RedoEntry.Ddl("pg_temp", "create table passing (id int)"));
      assertThat(Sql.string(c, "select 'pg_temp.passing'::regclass")).isNotNull();
    }
  }

  /** The connection has other transactions afterwards. */
  @Test
  void theContextLastsAsLongAsItsTransaction() throws SQLException {
    try (Connection c = there.connect()) {
      String zone = "select current_setting('TimeZone')";
      final String before = Sql.string(c, zone);
      there
          .dialect()
          .run(
              c,
              new RedoEntry.Ddl(
                  "{\"TimeZone\": \"Asia/Tokyo\"}", "create temp table zoned (id int)"));
      assertThat(Sql.string(c, zone)).isEqualTo("Asia/Tokyo").isNotEqualTo(before);
      c.commit();
      assertThat(Sql.string(c, zone)).isEqualTo(before);
    }
  }

  @Test
  void theApplicationsTriggersActOnce() throws SQLException {
    both(
        "create table item (id int primary key, n int)",
        "create table audit (at serial primary key, what text)",
        "create function note() returns trigger language plpgsql as $$ begin insert into audit"
            + " (what) values (tg_op || new.n); if new.n < 10 then update item set n = 10 where id"
            + " = new.id; end if; return new; end $$",
        "create trigger a_note after insert or update on item for each row execute function note()",
        "create trigger zz_note after insert on item for each row execute function note()",
        "create function shout() returns trigger language plpgsql as $$ begin new.n := new.n + 1;"
            + " return new; end $$",
        "create trigger shout before insert on item for each row execute function shout()");
    carry("insert into item values (1, 4), (2, 40)");
    same("item");
    same("audit");
    assertThat(strings(there, "select n from item order by id")).containsExactly("10", "41");
    assertThat(strings(there, "select count(*) from audit"))
        .isEqualTo(strings(here, "select count(*) from audit"));
    assertThat(strings(there, "select count(*) from plumb_metric.tx_queue")).containsExactly("0");
  }

  @Test
  void cascadesAndDeferredTriggersAreCaptured() throws SQLException {
    both(
        "create table parent (id int primary key)",
        "create table child (id int primary key, p int references parent on delete cascade on"
            + " update cascade)",
        "create table late (id int)",
        "create function late() returns trigger language plpgsql as $$ begin insert into late"
            + " values (old.id); return null; end $$",
        "create constraint trigger late after delete on child deferrable initially deferred for"
            + " each row execute function late()");
    carry(
        "insert into parent values (1), (2)", "insert into child values (10, 1), (11, 1), (20, 2)");
    carry("update parent set id = 5 where id = 2", "delete from parent where id = 1");
    for (String table : List.of("parent", "child", "late")) {
      same(table);
    }
    assertThat(binary(there, "late")).hasSize(2);
    carry("truncate parent cascade");
    same("child");
    assertThat(binary(there, "child")).isEmpty();
  }

  @Test
  void keysThatChangePlacesAndPartitions() throws SQLException {
    both(
        "create table swap (id int primary key deferrable initially deferred, v text)",
        "create table parts (id int, at date, gen int generated always as (id * 2) stored, primary"
            + " key (id, at)) partition by range (at)",
        "create table parts_a partition of parts for values from ('2020-01-01') to ('2021-01-01')",
        "create table parts_b partition of parts for values from ('2021-01-01') to ('2022-01-01')");
    carry(
        "insert into swap values (1, 'a'), (2, 'b')",
        "insert into parts values (1, '2020-05-05'), (2, '2021-05-05')");
    carry("update swap set id = 3 - id", "update parts set at = at + 365 where id = 1");
    same("swap");
    same("parts");
    assertThat(strings(there, "select id from parts_b order by 1")).containsExactly("1", "2");
  }

  @Test
  void sequencesAndIdentityColumnsGoOn() throws SQLException {
    both(
        "create table ids (a int generated always as identity, b serial, c text)",
        "create sequence alone increment 10");
    carry(
        "insert into ids (c) values ('x'), ('y')",
        "select nextval('alone')",
        "select nextval('alone')");
    assertThat(strings(there, "insert into ids (c) values ('z') returning a || ' ' || b"))
        .containsExactly("3 3");
    assertThat(strings(there, "select nextval('alone')")).containsExactly("21");
  }

  @Test
  void whatWasCommittedHereOnlyIsUndoneAtTheStart() throws SQLException {
    both("create table undo (id int primary key, v text)");
    carry("insert into undo values (1, 'log'), (2, 'log')");
    try (Connection c = here.connect()) {
      Sql.run(
          c,
          "update undo set v = 'lost' where id = 1",
          "delete from undo where id = 2",
          "insert into undo values (3, 'lost')");
      c.commit();
    }
    here.close();
    String name = strings(here, "select current_database()").get(0);
    LocalDatabase again =
        new LocalDatabase(new PostgreSql(), () -> TestPostgres.server().connect(name));
    assertThat(strings(again, "select id || v from undo order by 1"))
        .containsExactly("1log", "2log");
    assertThat(strings(again, "select count(*) from plumb_metric.tx_queue")).containsExactly("0");
    String undo = "\"public\".\"undo\"";
    assertThat(again.positions(List.of(undo))).isEqualTo(here.positions(List.of(undo)));
    again.close();
  }

  /** Its position must not pass what a database that stopped may have lost; the log has it. */
  @Test
  void aDatabaseThatStoppedIsBroughtForwardFromWhereItIs() throws SQLException {
    both("create table steady (id int primary key)");
    String steady = "\"public\".\"steady\"";
    long before = here.opening();
    Position at = next();
    try (Connection c = here.connect()) {
      Sql.run(c, "insert into steady values (1)");
      String tag = here.dialect().tag(c);
      here.commit(c, tag);
      here.close();
      state(
          () -> {
            here.clear(tag, Set.of(steady), at);
            return null;
          },
          "08006");
    }
    byte[] entry = new RedoEntry("r", List.of(new RedoEntry.Change(steady, null, "(1)"))).encode();
    List<Logged> log = List.of(logged(at, Set.of(steady), entry));
    state(() -> here.populate(before, log), "08006");
    assertThat(here.positions(Set.of(steady))).isEqualTo(Map.of(steady, Position.NONE));
    here.populate(here.opening(), log);
    assertThat(strings(here, "select id from steady")).containsExactly("1");
    assertThat(strings(here, "select count(*) from plumb_metric.tx_queue")).containsExactly("0");
    assertThat(here.positions(Set.of(steady))).isEqualTo(Map.of(steady, at));
  }

  @Test
  void whatCouldNotBeClearedComesBackWithTheLog() throws SQLException {
    both("create table stale (id int primary key)");
    String stale = "\"public\".\"stale\"";
    String tag;
    try (Connection c = here.connect()) {
      Sql.run(c, "insert into stale values (1)");
      tag = here.dialect().tag(c);
      here.commit(c, tag);
    }
    here.forget(tag);
    byte[] entry = new RedoEntry("r", List.of(new RedoEntry.Change(stale, null, "(1)"))).encode();
    here.populate(here.opening(), List.of(logged(next(), Set.of(stale), entry)));
    assertThat(strings(here, "select id from stale")).containsExactly("1");
    assertThat(strings(here, "select count(*) from plumb_metric.tx_queue")).containsExactly("0");
  }

  @Test
  void anEntryIsAppliedOnceToEachTable() throws SQLException {
    both("create table once (id int)", "create table more (id int)");
    String once = "\"public\".\"once\"";
    String more = "\"public\".\"more\"";
    byte[] entry =
        new RedoEntry(
                "r",
                List.of(
                    new RedoEntry.Change(once, null, "(7)"),
                    new RedoEntry.Change(more, null, "(8)")))
            .encode();
    Position at = next();
    there.populate(there.opening(), List.of(logged(at, Set.of(once), entry)));
    assertThat(there.positions(Set.of(once, more)))
        .isEqualTo(Map.of(once, at, more, Position.NONE));
    there.populate(there.opening(), List.of(logged(at, Set.of(once, more), entry)));
    there.populate(there.opening(), List.of(logged(at, Set.of(once, more), entry)));
    assertThat(strings(there, "select id from once union all select id from more"))
        .containsExactly("7", "8");
  }

  @Test
  void aLogThatDoesNotFitIsRefused() throws SQLException {
    both("create table fit (id int primary key)");
    String fit = "\"public\".\"fit\"";
    byte[] entry = new RedoEntry("r", List.of(new RedoEntry.Change(fit, "(7)", null))).encode();
    Logged logged = logged(next(), Set.of(fit), entry);
    assertThatThrownBy(() -> there.populate(there.opening(), List.of(logged)))
        .isInstanceOf(SQLException.class)
        .hasMessageContaining("\"public\".\"fit\" has 0 of 1 rows");
    assertThat(there.positions(Set.of(fit))).isEqualTo(Map.of(fit, Position.NONE));
  }

  /** A transaction that the log cannot hold would fill the memory, and is refused before. */
  @Test
  void whatIsTooLongForTheLogIsNotReadWhole() throws SQLException {
    try (Connection c = here.connect()) {
      for (int rows : new int[] {40_000, 200_000}) {
        Sql.run(
            c,
            "insert into plumb_metric.tx_queue (tx, tbl, old, new) select 'long "
                + rows
                + "', 'public.t', i, md5(i::text) from generate_series(1, "
                + rows
                + ") i");
      }
      List<Part> parts = here.changes(c, "long 40000");
      assertThat(parts).hasSize(40_000);
      assertThat(((RedoEntry.Change) parts.get(39_999)).before()).isEqualTo("40000");
      state(() -> here.changes(c, "long 200000"), "54000");
      // The connection serves on, and the transaction with it.
      assertThat(Sql.string(c, "select count(*) from plumb_metric.tx_queue where tx like 'long%'"))
          .isEqualTo("240000");
      c.rollback();
    }
  }
}
