package dev.plumbline.metric.sql.tables;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.plumbline.metric.sql.local.LocalDatabase;
import dev.plumbline.metric.sql.local.Sql;
import dev.plumbline.metric.sql.local.TestPostgres;
import dev.plumbline.metric.sql.local.WherePostgresRuns;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.lifecycle.AddLifecycleHook;
import net.jqwik.api.lifecycle.AfterContainer;
import net.jqwik.api.lifecycle.BeforeProperty;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The tables that are found are those that PostgreSQL locks when it runs the statement. */
@AddLifecycleHook(WherePostgresRuns.class)
class StatementsTest {
  private static final String[] SCHEMA = {
    "create table a (id int primary key, n int, t text, d date, j jsonb, arr int[], \"value\" int,"
        + " \"year\" int)",
    "create table b (id int primary key, a_id int references a on delete cascade, n int)",
    "create table c (id int primary key, b_id int references b, n int)",
    "create table alone (id int, n int)",
    "create table flagged (f boolean)",
    "create extension \"uuid-ossp\"",
    "create extension pgcrypto",
    "create extension lo",
    "create table named (id uuid default uuid_generate_v4(), b bytea default gen_random_bytes(4))",
    "create table managed (o lo)",
    "create trigger t1 before update on managed for each row execute function lo_manage(o)",
    "create table \"Ödd \"\"name.x\" (id int)",
    "create table \"A\" (id int)",
    "create table odd (id int, \"where\" int, \"from\" int, \"as\" int)",
    "create table date (id int, date date, rows int, \"left\" int, set int, values int)",
    "create table conflict (id int)",
    "create table \"select\" (id int)",
    "create schema other",
    "create table other.a (id int, n int)",
    "create table log (id int generated always as identity, what text)",
    "create table fired (id int, n int)",
    "create function noted() returns trigger language plpgsql as $$ declare r log%rowtype; begin"
        + " insert into log (what) select 'x' from alone limit 1; return new; end $$",
    "create trigger t1 after insert or update on fired for each row execute function noted()",
    "create table dynamic (id int)",
    "create function makes() returns trigger language plpgsql as $$ begin execute 'update ' ||"
        + " 'alone set n = 1'; return new; end $$",
    "create trigger t1 after insert on dynamic for each row execute function makes()",
    "create view v as select a.id, b.n from a join b on b.a_id = a.id",
    "create view vv as select * from v where exists (select from alone)",
    "create materialized view mv as select * from alone",
    "create function total(x int) returns bigint language sql as $$ select sum(n) from alone where"
        + " n > x $$",
    "create function label(x b) returns text language sql as $$ select what from log limit 1 $$",
    "create function hidden(x text) returns text language plpgsql as $$ begin execute x; return x;"
        + " end $$",
    "create function named(s text) returns bigint language plpgsql as $$ begin return"
        + " nextval('other.counter'); end $$",
    "create sequence other.counter",
    "create function back(s text) returns bigint language sql as $$ select setval(s, 1) $$",
    "create function back_by_parts() returns bigint language sql as $$ select setval('other.' || 'counter', 1) $$",
    "create function ahead() returns bigint language plpgsql as $$ begin perform setval('other.counter'::regclass, 5);"
        + " return setval(pg_get_serial_sequence('log', 'id'), 5); end $$",
    "create function \"over_all\"(int, int) returns boolean language sql as $$ select exists"
        + " (select from fired) $$",
    "create table parts (id int, n int) partition by range (id)",
    "create table parts_low partition of parts for values from (0) to (100)",
    "create table base (id int)",
    "create table derived (extra int) inherits (base)",
    "create table ruled (id int)",
    "create rule r as on insert to ruled do also insert into alone values (1, 1)",
    "create function plus_one(x int) returns int language sql immutable return x + 1",
    "create function atomic() returns bigint language sql begin atomic select count(*) from alone;"
        + " end",
    "create function by_default(x bigint default total(1)) returns bigint language sql as $$ select"
        + " x $$",
    "create domain counted as bigint default total(1)",
    "create table domained (id int, n counted)",
    "create table choosy (id int)",
    "create function nothing() returns trigger language plpgsql as $$ begin return null; end $$",
    "create trigger t1 after insert on choosy for each row when (total(new.id) > 0) execute"
        + " function nothing()",
    "create trigger t2 before update on choosy for each row execute function"
        + " suppress_redundant_updates_trigger()",
    "create table large (id int, o oid default lo_from_bytea(0, 'a'))",
    "create view larges as select lo_get(1::oid) as b",
    "create function try_lock() returns boolean language sql as $$ select"
        + " pg_try_advisory_xact_lock(1) $$",
    "create view lock_view as select pg_try_advisory_xact_lock(1) as got",
    "create function replica() returns void language plpgsql as"
        + " $$ begin set local session_replication_role = replica; end $$",
    "create function as_replica() returns void language sql set session_replication_role = replica"
        + " as 'select'",
    "create function quoted() returns text language sql as $$ select \"set_config\"('a.b', 'c',"
        + " true) $$",
    // Ways past capture, which acts by triggers.
    "create function by_settings() returns void language sql as $$ update pg_settings set setting ="
        + " 'replica' where name = 'session_' || 'replication_role'; insert into alone values (1);"
        + " reset all $$",
    "create function by_class() returns void language plpgsql as $$ begin update only"
        + " pg_catalog.pg_class set relhastriggers = false; end $$",
    "create function by_trigger() returns void language plpgsql as $$ begin delete from"
        + " \"pg_trigger\"; end $$",
    "create function by_insert() returns void language sql as $$ insert into pg_largeobject values"
        + " (1, 0, '') $$",
    "create function by_queue() returns void language sql as $$ delete from plumb_metric.tx_queue"
        + " $$",
    "create function by_path() returns void language sql set search_path = public, plumb_metric as"
        + " 'delete from tx_queue'",
    "create view setting as select * from pg_settings",
    "create view class as select relname, relhastriggers from pg_class",
    "create view classes as select * from class",
    "create view queue as select * from plumb_metric.tx_queue",
    "create table rules (id int)",
    "create rule r as on insert to rules do also update pg_settings set setting = 'replica'",
    "create function late() returns trigger language plpgsql as $$ begin set constraints all"
        + " deferred; return null; end $$",
    "create table lately (id int)",
    "create trigger plumb_metric_late after insert on lately for each row execute function late()",
    "create function step(x int, y int) returns int language sql as $$ select total(y) from log"
        + " where set_config('a.b', 'c', true) = '' $$",
    "create aggregate steps(int) (sfunc = step, stype = int)",
    "create aggregate totals(int) (sfunc = int4pl, stype = int, finalfunc = total)",
    "create function information_schema.elsewhere() returns text language sql as $$ select"
        + " set_config('a.b', 'c', true) $$",
    "create function pg_catalog.inside() returns text language sql stable as $$ select"
        + " set_config('a.b', 'c', true) $$",
    "create function alias(text, text, boolean) returns text language internal immutable as"
        + " 'set_config_by_name'",
    "create function plain(text) returns text language internal immutable as 'textin'",
    "create function key(x int) returns int language plpgsql immutable as $$ begin perform"
        + " alias('a.b', 'c', true); return x; end $$",
    "create table keyed (id int) partition by range (key(id))",
    "create table keyed_low partition of keyed for values from (0) to (100)",
    "create function upsert() returns void language plpgsql as $$ begin insert into conflict values"
        + " (1) on conflict do nothing; end $$",
    "create table guarded (id int, n int check (total(n) is null or true), m bigint default"
        + " total(1))",
  };

  private static LocalDatabase db;
  private static Connection c;
  private static Catalog catalog;
  private static int ran;

  @BeforeAll
  static void schema() throws SQLException {
    if (db == null) {
      db = TestPostgres.local();
      c = db.connect();
      Sql.run(c, SCHEMA);
      db.dialect().capture(c);
      c.commit();
      catalog = db.dialect().catalog(c);
      c.commit();
    }
  }

  private static Plan plan(String sql) throws Refused {
    return Statements.plan(catalog, List.of("public"), sql);
  }

  /** Names as they are read most easily: without the schema public and without quotes. */
  private static String found(String sql) throws Refused {
    return plain(plan(sql).tables());
  }

  private static String plain(Set<String> tables) {
    return tables.stream()
        .map(t -> t.replace("\"public\".", "").replaceAll("^\"|\"$", "").replace("\".\"", "."))
        .sorted()
        .collect(Collectors.joining(" "));
  }

  /** Runs it, and says what PostgreSQL has locked. */
  private static Set<String> locked(String sql) throws SQLException {
    try (PreparedStatement s = c.prepareStatement(sql)) {
      for (int i = 1; i <= s.getParameterMetaData().getParameterCount(); i++) {
        s.setNull(i, java.sql.Types.INTEGER);
      }
      s.execute();
      return db.dialect().touched(c);
    } finally {
      c.rollback();
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "select 1|",
        "select * from a|a",
        "table a|a",
        "select * from only a as x where x.id = 1 for update of x skip locked|a",
        "select * from a, b where a.id = b.a_id|a b",
        "select * from a natural join c left join alone using (n) order by 1 limit 5 offset 2|a"
            + " alone c",
        "select (select max(n) from b) from c where id in (select id from alone)|alone b c",
        "select * from (select * from (select * from c) x) y|c",
        "select * from a cross join lateral (select * from b where b.a_id = a.id) z|a b",
        "select distinct on (id, (select 1 from c)) t from a order by id|a c",
        "select count(*) filter (where exists (select from c)) over (partition by n order by id"
            + " rows between 1 preceding and current row) from a|a c",
        "select n, grouping(n) from a group by rollup (n) having count(*) > (select count(*) from"
            + " b)|a b",
        "select * from a union all select * from a except (select * from a intersect select * from"
            + " a)|a",
        "(select id from a) union (select id from b order by 1 limit 1)|a b",
        "values (1, (select max(id) from alone))|alone",
        "select * from generate_series(1, 3) g(x), unnest(array[1, 2]) u, a|a",
        "select case when exists (select from c) then (select n from b limit 1) else 2 end|b c",
        "select array(select n from b), row((select 1 from c)), cast((select 1 from alone) as"
            + " bigint)|alone b c",
        "select * from other.a|other.a",
        "select * from a, other.a as x|a other.a",
        "select * from \"Ödd \"\"name.x\"|Ödd \"\"name.x",
        "select * from \"A\"|A",
        "select * from A|a",
        "select * from \"select\"|select",
        "select * from only (a) join only (b) x on true, only (c)|a b c",
        "select t::xml is document, t::xml is not document from a where t::xml is document|a",
        "select * from json_to_recordset((select j::json from a limit 1)) as (x int, y numeric(4, 2)),"
            + " b|a b",
        "with x (id) as (update alone set n = 1 returning id) select * from x, c|alone c",
        // Words that Calcite reserves, or that begin something where they are no names.
        "select o.where from odd o|odd",
        "select o.from, (o.id, o.as) from odd o, alone|alone odd",
        "select o.as from odd as o|odd",
        "select date.date, d.left, d.rows from date, public.date as d where d.set > 1|date",
        "with next as (select values, rows, set from date), range as (select * from next) select 1 as"
            + " full from range|date",
        "select id, set from date where rows is null and (rows) in (1) order by set, rows|date",
        "select \"value\", value, year, \"year\" from a where value > 1|a",
        "select concat(a.t, 'from b') from a -- , b|a",
        "select 1 /* from b /* from c */ from alone */ from a|a",
        "select 'it''s from b', E'\\\\'' from b', $q$ from b $q$, $$from c$$, U&'\\0041 from b'"
            + " from a|a",
        "select t from a where t like '%from b%' escape '!'|a",
        "select j ->> 'from', j #>> '{a,b}', j @> '{}', j -> 0, t ~ 'x', t !~* 'y', id % 2, arr[1],"
            + " arr[1:2] from a|a",
        "select t::varchar(10), id::numeric(10, 2), '{1}'::int[], d::timestamp with time zone at"
            + " time zone 'UTC' from a|a",
        "select interval '1 day', date '2024-01-01', timestamp with time zone '2024-01-01"
            + " 00:00+00', interval '1' day from a|a",
        "select * from a where id = any (array[?::int]) or n <> all (array[1, 2]) or (id, n) in"
            + " (select id, n from b)|a b",
        "select * from a where d between current_date and now() and extract(year from d) = 2000|a",
        "select * from a where t ilike 'x' and n is distinct from id and t isnull|a",
        "select sum(n) over w from a window w as (partition by id)|a",
        "select percentile_cont(0.5) within group (order by n), string_agg(t, ',' order by id) from"
            + " a|a",
        // An aggregate's own order.
        "select json_agg(id order by n), jsonb_object_agg(t, id order by (select max(n) from c) desc"
            + " nulls last, id), count(*) from a|a c",
        "select jsonb_agg(b.* order by b.n using >, b.id asc) filter (where n > 1),"
            + " convert('a'::bytea, 'UTF8', 'LATIN1'), sum(count(distinct n)) over (order by a_id desc)"
            + " from b group by a_id|b",
        "select xmlagg(t::xml order by id nulls first), array(select id from b order by id desc),"
            + " array_agg(distinct id order by id desc) from a window w as (order by count(*) desc)|a b",
        "select date_trunc('month', now(), 'Asia/Tokyo'), date_trunc('day', d) from a|a",
        "with x as (select * from a) select * from x join b on true|a b",
        "with recursive x(n) as (select 1 union all select x.n + 1 from x, alone) select * from"
            + " x|alone",
        "with x as materialized (select 1 as id), y as not materialized (select * from x) select *"
            + " from y, c|c",
        "with a as (select * from a) select * from a|a",
        "select * from (with x as (select * from b) select * from x) z|b",
        "insert into alone (id) select 1 where not exists (select 1 from a) and (select count(*)"
            + " filter (where n > 1) from b) > 0|a alone b",
        "select 1 where exists (select from a) union select 2 from b where true|a b",
        "select * from a order by id fetch first 3 rows with ties|a",
        "select d as date, array[[1, 2], [3, (select n from b limit 1)]] from a where t ilike any"
            + " (array['a%']) and t not like all (array['b'])|a b",
        "select * from jsonb_to_recordset('[]') as x(a int, b numeric(10, 2)[]), c|c",
        "with x as materialized (select id n from b) select * from x|b",
        "select * from a, json_table((select j from a limit 1), '$[*]' columns (n int path '$')) jt,"
            + " b|a b",
        "update flagged set f = b.n is distinct from 3 from b where b.id = 1|b flagged",
        // Rows that functions make.
        "select * from xmltable(xmlnamespaces('x' as y), '/r' passing (select t::xml from a limit 1)"
            + " columns n int path 'n' not null default (select max(n) from b), o for ordinality) x,"
            + " c|a b c",
        "select z.* from a, lateral xmltable('/a' passing by ref (a.t::xml) columns \"from\" text path"
            + " '.', total text default total(1)::text) as z where z.total is null|a alone",
        "select * from rows from (total(1), generate_series(1, 2)) x|alone",
        "select * from c, lateral rows from (total(c.n), jsonb_to_recordset((select j from a limit 1))"
            + " as (p int, q text)) with ordinality as z(m, p, q, o), b|a alone b c",
        "select rows from (select id as rows from b) z|b",
        "select e.v from b cross join lateral jsonb_array_elements((select j from a limit 1)) with"
            + " ordinality as e(v, n) left join lateral generate_series(1, b.n) g on true|a b",
        "with ordinality as (select id from b) select * from ordinality|b",
        // What only PostgreSQL's grammar makes.
        "select xmlelement(name \"from\", xmlattributes(id as x, (select max(id) from b) as y), 'x'),"
            + " xmlforest(n as \"b\"), xmlserialize(content t::xml as text) from a|a b",
        "select json_object('a' value 1, 'b': (select max(id) from c) absent on null), json_array(select"
            + " id from b), json_objectagg(t : id), json_arrayagg(id order by id returning jsonb)"
            + " filter (where id > 1) from a|a b c",
        "select xmlforest((select max(id) from b) as x, (select max(id) from c) as y), json_array((select"
            + " max(id) from b), 2), json_object((select 'k') value (select max(id) from alone))|alone b c",
        "select sum(n) over (order by id groups between 1 preceding and current row), arr[2:], arr[:2]"
            + " from a order by id using <|a",
        "select groups between 1 and 2 from (select 1 as groups from b) z|b",
        "select format('%s', variadic array[t]), (jsonb_populate_record(null::b, j)).*, a.*::text from"
            + " a|a",
        // Names that are none of tables.
        "select b.id from a join c using (id, n) as b|a c",
        "select a.id from b left join c using (id) as a cross join lateral (select a.id from alone) z"
            + " where a.id > 1|alone b c",
        "select * from (b cross join c) as a (k), alone|alone b c",
        "select a.b_id from (b join c on b.id = c.b_id) a left join (alone cross join other.a x) on"
            + " true|alone b c other.a",
        "select 1 from ((b cross join c)) where (1, 2) is distinct from (1, 2)|b c",
        "select extract(epoch from (now() - now())), (select n from a limit 1) is distinct from"
            + " (3) from b order by id, (id), (n)|a b",
        "select 1 is distinct from 2 where exists (select from a)|a",
        "select * from a tablesample bernoulli (10) repeatable (4) where n > 0|a",
        "select * from a x tablesample system (1), b|a b",
        // How many rows, by expressions.
        "select id from a order by id limit (select max(n) from b) offset (select 0 from c limit (select"
            + " 1 from alone))|a alone b c",
        "select id from a where id in (select id from b limit total(1) + 1) limit null offset 1 + 1|a"
            + " alone b",
        "select id from a for update offset (select 1 from c) rows fetch next (select 1 from b) rows"
            + " only|a b c",
        "select id from a offset case when exists (select from b) then 1 end row fetch first row only|a b",
        "(select id from a limit cast(? as int)) union all (select id from b order by id fetch first"
            + " (1 + 1) rows with ties) limit coalesce(?, (select max(n) from c))|a b c",
        "with x as (select 2 as n from c) select array(select id from a limit (select n from x)), exists"
            + " (select from alone offset (with y as (select 0 as n from b) select n from y limit"
            + " '1'))|a alone b c",
        "insert into alone select id, n from a limit (select 1 from b) on conflict do nothing returning"
            + " (select n from c limit (select 1 as on))|a alone b c",
        // Labels and names that are words of the grammar.
        "select 1 as as from b|b",
        "select 1 as as, (select max(n) from b) as as from a|a b",
        "select 1 as where, 2 as into, 3 as with, 4 as select from b where true|b",
        "select o.into, o.using from (select 1 as into, 2 as using from b) o|b",
        "insert into alone select 1 as returning, (select n as on from b limit 1) as on on conflict do"
            + " nothing returning id as returning, (select 1 as using from c) as on|alone b c",
        "delete from alone returning id as using, (select max(n) from b) as where|alone b",
        "update alone set n = 1 returning id as from, id as where, (select 1 as set from c) as"
            + " returning|alone c",
        "merge into alone using (select id as on, n as using from b) s on alone.id = s.on when matched"
            + " then do nothing|alone b",
        "with recursive as (select * from b) select * from recursive, a|a b",
        "with recursive as materialized (select id from b), y as (delete from alone returning id) select"
            + " * from recursive, y|alone b",
        "insert into alone with recursive (x, y) as (select id, n from b) select x, y from"
            + " recursive|alone b",
        "with recursive recursive as (select 1 as x union all select x + 1 from recursive, b where false)"
            + " select * from recursive|b",
        "select * from a *, b * x join only c on true|a b c",
        "delete from alone * x using b * where x.id = b.id|alone b",
        "select n * 2 from b * where n*2 > (select id * n from c *)|b c",
        "select * from current_date d, current_user, b|b",
        "select U&\"\\0061\".n from U&\"\\0061\", b|a b",
        "select * from u&\"!00d6dd \"\"n!+000061me.x\" /* x */ uescape '!'|Ödd \"\"name.x",
        "select nextval(U&'other.\\0063ounter'), U&'!!(select from a)' uescape '!' from b|b other.counter",
        "select substring(t similar 'a#\"%' escape '#'), substring(t for 2), substring(t for 1 from 2),"
            + " substring(t from 2), substring(t, 2, 1) from a|a",
        "select substring((select t from a limit 1) similar (select 'x' from b limit 1) escape (select"
            + " '#' from c limit 1))|a b c",
        "select extract('year' from d), arr[:] from a where arr[:] is not null|a",
        "select 1 from a join b on a.arr = array[a.n * 2, b.n * (select max(n) from alone)], c * x|a"
            + " alone b c",
        "analyze a|a",
        "analyze verbose a (id, n), other.a|a other.a",
        "analyze (verbose, skip_locked) parts|parts parts_low",
        "analyze guarded|alone guarded",
        "select * from v|a b",
        "select * from vv|a alone b",
        "select total(1)|alone",
        "select label(b) from b|b log log_id_seq",
        "select b.label from b|b log log_id_seq",
        "select public.total(n) from a|a alone",
        "select named('x')|other.counter",
        "select ahead()|log log_id_seq other.counter",
        "select nextval('other.counter')|other.counter",
        "select plus_one(1)|",
        "select atomic()|alone",
        "select by_default()|alone",
        "insert into domained (id) values (1)|alone domained",
        "insert into choosy values (1)|alone choosy",
        "select * from choosy|choosy",
        "select o from large|large",
        "select try_lock()|#advisory",
        "select upsert()|conflict",
        "insert into named default values returning uuid_generate_v4()|named",
        "select * from setting where name = 'jit'|",
        "select relname from classes limit 1|",
        "select totals(id) from a|a alone",
        "select * from lock_view|#advisory",
        "select * from parts|parts parts_low",
        "select * from base|base derived",
        "select 1 from pg_class, pg_catalog.pg_type where exists (select 1 from"
            + " information_schema.tables) limit 1|",
        "select * from guarded|alone guarded",
        "insert into alone values (1, 2)|alone",
        "insert into alone (id, n) select id, n from c on conflict do nothing returning (select 1"
            + " from b limit 1)|alone b c",
        "insert into alone default values|alone",
        "insert into alone select a.id, a.n from a join conflict on conflict.id = a.id join b on"
            + " true|a alone b conflict",
        "insert into alone select id, n from a on conflict do nothing|a alone",
        "insert into alone (select id, n from b)|alone b",
        "insert into alone with x as (select id, n from c) select * from x|alone c",
        "insert into b values (1, null, 2)|a b c",
        "insert into a (id) values (7) on conflict (id) do update set n = excluded.n + (select"
            + " max(n) from alone) where a.n > 1|a alone b c",
        "insert into log (what) values ('x')|log log_id_seq",
        "insert into fired values (1, 2)|alone fired log log_id_seq",
        "insert into ruled values (1)|alone ruled",
        "insert into guarded (id) values (1)|alone guarded",
        "insert into other.a as x values (1, 2), (?, default)|other.a",
        "insert into parts values (1, 2)|parts parts_low",
        "update alone set n = 1|alone",
        "update alone as x set n = (select n from c limit 1), id = c.id from c join b on true where"
            + " x.id = c.id returning x.*|alone b c",
        "update alone set (id, n) = (select id, n from b limit 1) where exists (select from"
            + " other.a)|alone b other.a",
        "update a set n = 1|a b c",
        "update c set n = 1|b c",
        "update alone set n = extract(year from date '2000-01-01')|alone",
        "delete from alone|alone",
        "delete from only alone x using b join c on true where x.id = b.id|alone b c",
        "delete from only (alone) as x using only (b) where x.id = b.id|alone b",
        "update only (alone) as x set n = b.n from only (b)|alone b",
        "merge into only (alone) using only (b) on alone.id = b.id when matched then do nothing|alone b",
        "truncate only (alone), only (other.a)|alone other.a",
        "lock table only (alone), only c in share mode|alone b c",
        "delete from a where id = 1|a b c",
        "delete from c where id in (select id from alone) returning *|alone b c",
        "with gone as (delete from alone returning *) insert into other.a select * from gone|alone"
            + " other.a",
        "with x as (select * from c), y as (update alone set n = 1 returning id) select * from x,"
            + " y|alone c",
        "merge into alone using other.a s on alone.id = s.id when matched then update set n = s.n"
            + " when not matched then insert values (s.id, (select 1 from c limit 1))|alone c"
            + " other.a",
        "merge into alone using other.a join b on true left join c on b.id = c.b_id and case when b.n = 1"
            + " then true end on alone.id = b.id when matched then do nothing|alone b c other.a",
        "with recursive z(id, n) as (select id, n from a union all select z.id, z.n from z where"
            + " false) search depth first by id, n set o select z.id from z, c where exists (select 1"
            + " from b) union select id from alone|a alone b c",
        "with recursive z(id, n) as (select id, n from a union all select z.id, z.n from z where"
            + " false) search breadth first by id, n set o cycle id, n set cyc to 'y' default 'n'"
            + " using p, y as (select * from b) insert into alone select z.id, 1 from z, y, c|a alone"
            + " b c",
        "with recursive z(set) as (select id from a union all select 1 from z where false) cycle"
            + " set set x using y select 1 from z, (select id from c) u|a c",
        "truncate alone, other.a restart identity|alone other.a",
        "truncate table a cascade|a b c",
        "lock table alone in exclusive mode|alone",
        "explain select * from a|a",
        "explain (verbose) delete from alone|alone",
        "select pg_try_advisory_xact_lock(1)|#advisory",
        // What PostgreSQL's grammar alone has.
        "select n using, (select max(n) only from b) user, 1 null from c|b c",
        "select 'x' select, ?::int table, (n) default, now() current_date from c where n in (select 1 primary)|c",
        "select case when n is not null then 1 else 2 end, 3 then from b order by 1 desc|b",
        "select 1 all union select n distinct from b limit all|b",
        "select x is nfc normalized, x is not normalized, 'a' is normalized from (select n::text as x from b) z where x is not nfkd normalized|b",
        "select collation for (n::text collate \"C\"), collation for ((select max(n::text) from b)) from c|b c",
        "select * from cast((select max(n) from b) as int) z, c|b c",
        "select * from c left join lateral extract(year from (select now() from b)) as y on true|b c",
        "select * from trim(both from (select 'x' from b)) t, position('a' in 'b'), overlay('a' placing 'b' from 1 for 2) o, substring('a' from 2) s, c|b c",
        "select * from collation for ('a') z, treat(1 as int), c|c",
        "select treat(n as int), xmlexists('//a' passing by ref (select '<a/>'::xml from c)) from b|b c",
        "select json_query((select '{}'::jsonb from c limit 1), '$' passing n as x with wrapper keep quotes), json('{}' with unique keys), json_serialize('{}' returning text) from b where '{}' is json object with unique keys|b c",
        "select z.n from ((select n from b) order by n limit 1) z|b",
        "select minus.n from c minus where minus.n > 1|c",
        "update alone set n = 1 from (with q (id) as (select id from c) select id from q) x where x.id = alone.id|alone c",
        "delete from alone using (with q as (select id from c), r (i) as (select id from q) select i from r) x where x.i = alone.id|alone c",
        "merge into alone using (with q as (select id from c) select id from q) x on x.id = alone.id when matched then do nothing|alone c",
      })
  void found(String sql, String tables) throws SQLException {
    assertThat(found(sql)).isEqualTo(tables == null ? "" : tables);
    assertThat(plan(sql).tables()).containsAll(locked(sql));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "select query_to_xml('select * from b', true, true, '')",
        "select table_to_xml('b', true, true, '')",
        "select database_to_xml(true, true, '')",
        "select ts_stat('select to_tsvector(t) from a')",
        "select hidden('update alone set n = 1')",
        "select \"hidden\"('x')",
        "select public . hidden ('x')",
        "insert into dynamic values (1)",
        "select * from mv",
        "select nextval('other.' || 'counter')",
        "select nextval(?)",
        "select back('other.counter')",
        "select back_by_parts()",
        "select set_config('search_path', 'other', false)",
        "select replica()",
        "select as_replica()",
        "select quoted()",
        "update managed set o = 1",
        "select by_settings()",
        "select by_class()",
        "select by_trigger()",
        "select by_insert()",
        "select by_queue()",
        "select by_path()",
        "update setting set setting = 'replica' where name = 'session_replication_role'",
        "update classes set relhastriggers = false",
        "delete from queue",
        "insert into rules values (1)",
        "insert into lately values (1)",
        "select steps(id) from a",
        "select information_schema.elsewhere()",
        "select pg_catalog.inside()",
        "select alias('a.b', 'c', true)",
        "insert into keyed values (1)",
        "insert into large (id) values (1)",
        "select * from larges",
        "select E'a'\n'\\'', lo_get(1) --'",
        "select E'a' -- it's\n\t'\\'', lo_get(1) --'",
        "select lastval()",
        "set transaction read only",
        "set transaction snapshot '00000003-0000001B-1'",
        "set session characteristics as transaction isolation level serializable, read only",
        "set names 'sjis'",
        "select pg_advisory_lock(1)",
        "select lo_import('/etc/passwd')",
        "select pg_read_file('x')",
        "select pg_notify('a', 'b')",
        "select * into fresh from a",
        "select 1; select * from b",
        "select 1; drop table a",
        "do $$ begin perform 1; end $$",
        "call something()",
        "{call something()}",
        "copy a to stdout",
        "copy a from program 'true'",
        "prepare x as select * from a",
        "execute x",
        "declare x cursor for select * from a",
        "listen x",
        "notify x",
        "vacuum a",
        "begin",
        "start transaction",
        "commit and chain",
        "commit work and chain",
        "analyze",
        "analyze verbose",
        "analyze (verbose)",
        "analyze pg_class",
        "analyze a b",
        "select bernoulli(1)",
        "prepare transaction 'x'",
        "set search_path = other",
        "set plumb_metric.applying = on",
        "set session \"PLUMB_METRIC\".applying to 'on'",
        "reset plumb_metric.applying",
        "set plpgsql.variable_conflict = use_column",
        "set app.who = total(1)",
        "select set_config('plumb_metric.applying', 'on', false)",
        "select set_config('Plumb_Metric.applying', 'on', false)",
        "select set_config(U&'plumb\\005fmetric.applying', 'on', false)",
        "select set_config(U&'plumb!005fmetric.applying' uescape '!', 'on', false)",
        "select set_config(E'plumb\\x5fmetric.applying', 'on', false)",
        "select set_config('app.' || 'who', 'x', false)",
        "select set_config('plumb_'\n'metric.applying', 'x', false)",
        "select set_config(?, 'x', false)",
        "set local search_path to other",
        "set session_replication_role = replica",
        "set standard_conforming_strings = off",
        "set role other",
        "reset all",
        "reset session_replication_role",
        "select * from json_table((select j from a limit 1), '$' passing (select 1 from b) as x"
            + " columns (n int path '$')) jt",
        "discard all",
        "explain execute x",
        "explain create table x (id int)",
        "select * from plumb_metric.tx_queue",
        "delete from \"plumb_metric\".pointers",
        "select U&\"\\0061\" from nothing",
        "select U&\"\\006\" from a",
        "select U&\"a\" uescape 'ab' from a",
        "select U&\"\\0061\" uescape '+' from a",
        "select U&\"x\\0000\" from a",
        "select id from a limit (select 1 from nothing)",
        "select id from a limit (select * from b",
        "select id from a fetch first (select 1 from b) only",
        "select 1 as into from a into b",
        "select * from a * *",
        "insert into pg_class values (1)",
        "update pg_catalog.pg_class set relname = 'x'",
        "select * from nothing",
        "select * from other.b",
        "insert into nothing values (1)",
        "update nothing set n = 1",
        "select * from \"a \"",
        "select * from Ä",
        "with x as (select * from y) select * from x",
        "select * from a where",
        "select (((",
        "select 'open",
        "select \"open",
        "select $q$ open",
        "/* open",
        "selec * from a",
        "select * from a join",
        "123",
        "?",
        "$1",
        "\u0000",
        "update alone n = 1",
        "delete alone",
        "insert alone values (1)",
      })
  void refused(String sql) {
    assertThatThrownBy(() -> plan(sql))
        .isInstanceOf(Refused.class)
        .hasMessageStartingWith("Metric refuses this statement: ")
        .hasMessageContaining(" Statement: ")
        .extracting(e -> ((SQLException) e).getSQLState())
        .isIn(Refused.UNSUPPORTED, Refused.SYNTAX, Refused.NO_TABLE);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "create table x (id int)|DDL",
        "/* x */ drop table a|DDL",
        "Alter table a add x int|DDL",
        "comment on table a is 'x'|DDL",
        "commit|COMMIT",
        "END;|COMMIT",
        "rollback work|ROLLBACK",
        "rollback to savepoint x|SAVEPOINT",
        "savepoint x|SAVEPOINT",
        "set names utf8mb4|SETTING",
        "set transaction isolation level read committed|NOTHING",
        "set session characteristics as transaction read write|NOTHING",
        "set application_name = 'x'|SETTING",
        "set constraints all deferred|SETTING",
        "reset statement_timeout|SETTING",
        "set app.who = 'x'|SETTING",
        "set local \"App\".a.b to default|SETTING",
        "reset app.who|SETTING",
        "select set_config('app.who', ?, true)|STATEMENT",
        "select pg_catalog.set_config('app.who', 'x', false), current_setting('app.who')|STATEMENT",
        "show server_version|SETTING",
        ";;|NOTHING",
        "-- nothing|NOTHING",
      })
  void kinds(String sql, Plan.Kind kind) throws Refused {
    assertThat(plan(sql)).isEqualTo(new Plan(kind, Set.of()));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "set search_path to other|setSchema()",
        "set transaction read only|setReadOnly(true)",
        "analyze|name those it is for",
      })
  void whatToDoInstead(String sql, String said) {
    assertThatThrownBy(() -> plan(sql)).isInstanceOf(Refused.class).hasMessageContaining(said);
  }

  @Test
  void aLongStatementAndADeepOne() throws Refused {
    StringBuilder longer = new StringBuilder("select * from a where id in (0");
    while (longer.length() < 1 << 20) {
      longer.append(", ").append(longer.length());
    }
    assertThat(found(longer + ") and exists (select from b)")).isEqualTo("a b");
    for (String open : List.of("(", "cast(", "xmlforest((select ")) {
      String close = open.equals("(") ? ")" : open.equals("cast(") ? " as int)" : "))";
      assertThatThrownBy(() -> plan("select " + open.repeat(3_000) + "1" + close.repeat(3_000)))
          .isInstanceOf(Refused.class)
          .hasMessageContaining("deep")
          .satisfies(e -> assertThat(e.getMessage()).hasSizeLessThan(400));
    }
  }

  @Test
  void aNameIsCutWhereTheDatabaseCutsIt() throws SQLException {
    String name = "n" + "ö".repeat(40);
    Sql.run(c, "create table " + name + " (id int)");
    c.commit();
    Catalog now = db.dialect().catalog(c);
    c.commit();
    String sql = "select * from " + name + "x";
    assertThat(Statements.plan(now, List.of("public"), sql).tables())
        .hasSize(1)
        .containsAll(locked(sql));
  }

  /** A comparison of an index or a range calls them, and no statement names them. */
  @Test
  void functionsOfOperatorClassesAndRangesAreFound() throws SQLException {
    String body =
        " returns %s language plpgsql immutable as $$ begin perform alias('', '', true); end $$";
    String[][] cases = {
      {
        "create function compares(int, int)" + String.format(body, "int"),
        "create operator class other_order for type int using btree as operator 1 <, operator 2 <="
            + ", operator 3 =, operator 4 >=, operator 5 >, function 1 compares(int, int)"
      },
      {
        "create function apart(int, int)" + String.format(body, "float8"),
        "create type spans as range (subtype = int, subtype_diff = apart)"
      }
    };
    for (String[] made : cases) {
      try {
        Sql.run(c, made);
        Catalog now = db.dialect().catalog(c);
        assertThatThrownBy(() -> Statements.plan(now, List.of("public"), "select 1"))
            .isInstanceOf(Refused.class)
            .hasMessageContaining("alias");
      } finally {
        c.rollback();
      }
    }
  }

  @Test
  void aStringGoesOnInTheNextLine() throws Refused {
    assertThat(found("select nextval('other.'\n'counter')")).isEqualTo("other.counter");
  }

  @Test
  void theLastValueOfASequenceIsFound() throws Refused {
    assertThat(found("select currval('log_id_seq')")).isEqualTo("log_id_seq");
    assertThat(found("select last_value from pg_sequences"))
        .contains("log_id_seq", "other.counter");
  }

  @Test
  void theSearchPathIsFollowed() throws Refused {
    assertThat(
            plain(
                Statements.plan(catalog, List.of("other", "public"), "select * from a, b")
                    .tables()))
        .isEqualTo("b other.a");
  }

  @BeforeProperty
  void aSchemaAsWell() throws SQLException {
    schema();
  }

  @AfterContainer
  static void mostQueriesRan() {
    assertThat(db == null ? Integer.MAX_VALUE : ran).isGreaterThan(50);
  }

  /** Pieces that a generated query is put together from. */
  @Provide
  Arbitrary<String> queries() {
    Arbitrary<String> table =
        Arbitraries.of(
            "a", "b", "c", "alone", "other.a", "v", "vv", "fired", "parts", "\"A\"", "only base");
    Arbitrary<String> item =
        Arbitraries.lazyOf(
            () -> table,
            () -> table.map(t -> "(select * from " + t + ") s" + Math.abs(t.hashCode() % 100)),
            () ->
                table.map(
                    t ->
                        "(with "
                            + (t.equals("a") ? "b" : "a")
                            + " as (select * from "
                            + t
                            + ") select * from "
                            + (t.equals("a") ? "b" : "a")
                            + ") w"
                            + Math.abs(t.hashCode() % 100)),
            () ->
                table.map(
                    t ->
                        "lateral (select id from "
                            + t
                            + " for share) l"
                            + Math.abs(t.hashCode() % 100)));
    Arbitrary<String> condition =
        Arbitraries.oneOf(
            table.map(t -> "exists (select from " + t + ")"),
            table.map(t -> "1 = any (select id from " + t + ")"),
            table.map(t -> "(select count(*) from " + t + ") + 1 > 0"),
            Arbitraries.of(
                "true",
                "'from b' <> 'c'",
                "total(1) > 0",
                "interval '1 day' > interval '2' hour",
                "'[1]'::jsonb @> '1'"));
    Arbitrary<String> select =
        net.jqwik.api.Combinators.combine(
                item.list().ofMinSize(1).ofMaxSize(3).uniqueElements(), condition, condition)
            .as(
                (items, w, h) ->
                    "select 1 from "
                        + String.join(" cross join ", items)
                        + " where "
                        + w
                        + " and not "
                        + h);
    return Arbitraries.oneOf(
        select,
        select.map(s -> "insert into alone (id) " + s),
        select.map(s -> "update alone set n = (" + s + " limit 1) where exists (" + s + ")"),
        select.map(
            s ->
                "with gone as (delete from alone where id = ("
                    + s
                    + " limit 1) returning id) select * from gone, c"),
        select.map(
            s ->
                "select id as limit from c offset (select count(*) as from from ("
                    + s
                    + ") as q) rows fetch first ((select 1 as fetch from b limit (select count(*) from ("
                    + s
                    + ") q))) rows only"),
        net.jqwik.api.Combinators.combine(select, select).as((x, y) -> x + " union " + y));
  }

  @Property(tries = 100)
  void whatPostgreSqlLocksWasFound(@ForAll("queries") String sql) throws SQLException {
    Set<String> locked;
    try {
      locked = locked(sql);
    } catch (SQLException e) {
      // The same name twice, or a row too many: not a statement of PostgreSQL.
      return;
    }
    ran++;
    assertThat(plan(sql).tables()).as(sql).containsAll(locked);
  }
}
