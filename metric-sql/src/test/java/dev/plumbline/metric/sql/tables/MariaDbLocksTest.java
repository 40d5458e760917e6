package dev.plumbline.metric.sql.tables;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumbline.metric.sql.local.MariaDb;
import dev.plumbline.metric.sql.local.Sql;
import dev.plumbline.metric.sql.local.TestMariaDb;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * The tables that are found are those whose metadata MariaDB locks when it runs the statement. A
 * server tells that only where its performance schema is on.
 */
@Tag("slow")
class MariaDbLocksTest {
  private static final String LOCKED =
      "select concat('`', object_schema, '`.`', object_name, '`') from performance_schema.metadata_locks where"
          + " object_type = 'TABLE' and object_schema in ('app', 'other') and owner_thread_id = (select thread_id from"
          + " performance_schema.threads where processlist_id = connection_id())";

  private static Connection c;
  private static Catalog catalog;

  @BeforeAll
  static void start() throws SQLException {
    c =
        DriverManager.getConnection(
            TestMariaDb.url(
                true,
                "--performance-schema=ON",
                "--performance-schema-instrument=wait/lock/metadata/sql/mdl=ON"));
    Sql.run(
        c,
        "create table a (id int primary key, n int, t varchar(40), d date, j json)",
        "create table b (id int primary key, a_id int, n int, foreign key (a_id) references a (id))",
        "create table c (id int primary key, n int)",
        "create table t (id int, n int)",
        "create table users (id bigint auto_increment primary key, name varchar(40), email varchar(40) unique)",
        "create table `using` (id int)",
        "create table parts (id int, n int) partition by hash (id) partitions 4",
        "create database other",
        "create table other.a (id int)",
        "create sequence s1",
        "create function total(x int) returns int reads sql data return (select sum(n) from c where n > x)");
    catalog = new MariaDb().catalog(c);
    c.setAutoCommit(false);
  }

  @AfterAll
  static void stop() throws SQLException {
    c.close();
  }

  private static Set<String> locked(String sql) throws SQLException {
    try {
      Sql.run(c, sql);
      return new TreeSet<>(Sql.strings(c, LOCKED));
    } finally {
      c.rollback();
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '~',
      value = {
        "select 1|~~",
        "select * from a left join (b, c) on b.a_id = a.id and c.id = b.id|a b c",
        "select * from (a, b) left join c on true, (t)|a b c t",
        "select * from a left join (b as x, (c, other.a y), (select id from t) z) on x.a_id = a.id|a b c other.a t",
        "select * from (a) join (b) on true straight_join (c, t) on true|a b c t",
        "select (select max(x.id) from (b as x, c)) from (a)|a b c",
        "select t.id from t where exists (select 1 from (b) where b.id = t.id) order by t.id, (t.n)|b t",
        "delete from a using (a, b) join c on c.id = b.id where a.id = b.id|a b c",
        "delete from a, b using (a join b on a.id = b.id)|a b",
        "delete x from t as x join c using (id) where x.id in (select id from other.a)|c other.a t",
        "delete a, b from a, (b, c) where a.id = b.id|a b c",
        "delete from `using` where id in (select id from t)|t using",
        "delete `using` from `using` join t using (id)|t using",
        "delete from t where id = 1 order by (select max(id) from c) limit 1|c t",
        "delete from t where id in (select id from c) returning id, (select max(id) from a)|a c t",
        "update (a, c) set a.n = 1 where a.id = c.id|a b c",
        "update t join (select id, count(*) n from c group by id) z on z.id = t.id set t.n = z.n|c t",
        "update t set n = (select max(n) from c) order by (select max(id) from a) limit 1|a c t",
        "insert into t select x.id, 1 from a x left join (b, c) on true on duplicate key update n = (select max(id) from other.a)|a b c other.a t",
        "insert into t (id) values (nextval(s1)), (next value for s1), (total(1))|c s1 t",
        "insert ignore into users (name) select t from a returning id, (select count(*) from c)|a c users",
        "insert into users (name, email) values ('a', 'b') on duplicate key update name = concat(values(name), (select max(t) from a))|a users",
        "replace into users set id = 1, name = (select max(t) from a)|a users",
        "insert into parts partition (p0, p1) (id, n) select 4, max(id) from c|c parts",
        "select * from parts partition (p0) as x, t where x.id = t.id|parts t",
        "select * from t where 'a' sounds like (select max(t) from a)|a t",
        "select d + interval (n + 1) day, date_sub(d, interval (select max(id) from c) day), convert(n, decimal(5, 2)), char(65 using utf8mb4) from a|a c",
        "select x.n from a, json_table(a.j, '$[*]' columns (n int path '$')) x, c|a c",
        "with recursive r (id, n) as (select id, n from a union select r.id, r.n from r, c) cycle id, n restrict select * from r where id in (select id from t)|a c t",
        "insert into t with q as (select id, n from c) select id, n from q|c t",
        "select id from a intersect select id from b except (select id from c union select id from t)|a b c t",
        "(select id from a for update) union (select id from b lock in share mode) order by 1|a b",
        "select n, sum(id) over w from t window w as (partition by n order by id) limit 1, 2|t",
        "select n from t group by n with rollup having n in (select id from c)|c t",
        "select * from ((select id from a) z, t)|a t",
        "select * from (((select id from c union select id from t) z, b), (select id from a) y) join other.a x on x.id = z.id|a b c other.a t",
        "select * from ((select id from c) union (select id from t)) z, (((select id from a))) y, ((with q as (select id from b) select id from q) x)|a b c t",
        "delete t from ((select id from c) z, t) where t.id = z.id|c t",
        "update ((select id from c) z, t) set t.n = 1 where t.id = z.id|c t",
        "select group_concat(distinct n order by (select max(id) from c) separator '/' limit 2, 1), (select n from t limit 1) from a|a c t",
        "select group_concat(n, (select n from c limit 1) limit 3 offset 1) from a|a c",
        "select id from a where id in (select id from c) limit 10 offset 5 rows examined 100|a c",
        "(select id from a limit rows examined 5) union select id from t limit 3, 4 rows examined 5|a t",
        "select id from a order by id offset 1 row fetch first row only|a",
        "values (1, (select max(id) from c))|c",
        "select 'from b', \"from c\", `id` from a # , b|a",
        "select id from a -- , b|a",
        "select id, 5--5 from a /* , b */|a",
        "analyze update t set n = (select max(id) from c)|c t",
      })
  void whatMariaDbLocksWasFound(String sql, String tables) throws SQLException {
    Set<String> locked = locked(sql);
    assertThat(
            locked.stream()
                .map(t -> t.replace("`app`.", "").replace("`", ""))
                .sorted()
                .collect(Collectors.joining(" ")))
        .isEqualTo(tables);
    assertThat(Statements.plan(catalog, List.of("app"), sql).tables()).containsAll(locked);
  }
}
