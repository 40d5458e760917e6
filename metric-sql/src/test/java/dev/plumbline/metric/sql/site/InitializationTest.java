package dev.plumbline.metric.sql.site;

import static dev.plumbline.metric.sql.local.States.doing;
import static dev.plumbline.metric.sql.local.States.state;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.plumbline.metric.Position;
import dev.plumbline.metric.sql.local.Sql;
import dev.plumbline.metric.sql.local.TestPostgres;
import dev.plumbline.metric.sql.log.ForwardingProcess;
import dev.plumbline.metric.sql.log.MetricProcess;
import dev.plumbline.metric.sql.log.Nack;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.sql.Savepoint;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What initialization makes at one site, the others make the same, or it is refused. */
class InitializationTest {

  /** What changes the schema is not undone: it comes to the log, once. */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void whatWasMadeHereAndNotAcknowledgedIsMadeElsewhere(boolean arrives) throws SQLException {
    AtomicBoolean fails = new AtomicBoolean();
    UnaryOperator<MetricProcess> failing =
        process ->
            new ForwardingProcess(process) {
              @Override
              public Position append(String transaction, Set<String> changed, byte[] entry)
                  throws Nack {
                boolean now = fails.getAndSet(false);
                if (!now || arrives) {
                  Position at = super.append(transaction, changed, entry);
                  if (!now) {
                    return at;
                  }
                }
                throw new Nack(Nack.Kind.UNKNOWN, "nobody answers");
              }
            };
    try (TestSites sites = new TestSites(2, TestSites.QUICK, failing)) {
      try (Connection c = sites.site(0).initialize()) {
        Sql.run(c, "create table a (id int primary key)");
        fails.set(true);
        state(doing(c, "create table b (id int primary key)"), "08007");
        // It is logged first.
        Sql.run(c, "select 1");
        fails.set(true);
        state(doing(c, "insert into b values (1)"), "08007");
        Sql.run(c, "insert into b values (2)");
        fails.set(true);
        state(doing(c, "alter table b add n int default 5"), "08007");
      }
      sites.with("create table c (id int)");
      sites.run(1, "insert into b values (3, 3)");
      assertThat(sites.ask(0, "select id || ' ' || n from b order by id"))
          .containsExactly("1 5", "2 5", "3 3");
      assertThat(sites.ask(1, "select id || ' ' || n from b order by id"))
          .containsExactly("1 5", "2 5", "3 3");
    }
  }

  @Test
  void whatSitesCouldNotKeepTheSameIsRefusedByName() throws SQLException {
    String[][] cases = {
      {"alter table t enable always trigger tr", "trigger tr on public.t", "enable trigger tr"},
      {"alter table t enable replica trigger tr", "trigger tr on public.t", "enable trigger tr"},
      {"alter table t enable always rule r", "rule r on public.t", "enable rule r"},
      {"alter table t set unlogged", "public.t", "set logged"},
      {
        "alter table t add constraint k check (d < current_date)",
        "CHECK k of t",
        "drop constraint k"
      },
      {
        "alter table t add constraint k check (at > clock_timestamp())",
        "CHECK k of t",
        "drop constraint k"
      },
      {
        "alter table t add constraint k check (at + interval '1 day' > d)",
        "CHECK k of t",
        "drop constraint k"
      },
      {
        "alter table t add constraint k check (x::date > '2020-01-01')",
        "CHECK k of t",
        "drop constraint k"
      },
      {"alter table t add constraint k check (has(id))", "CHECK k of t", "drop constraint k"},
      {
        "alter table t add g boolean generated always as (has(id)) stored",
        "column g of t",
        "drop column g"
      },
      {
        "create trigger tt before truncate on t for each statement execute function f()",
        "trigger tt on public.t",
        "disable trigger tt; drop trigger tt on t"
      },
      {
        "create cast (t as text) with function label(t)",
        "cast from t to text",
        "add z int; drop cast (t as text)"
      },
      {
        "create cast (text as t) with function label(text)",
        "cast from text to t",
        "drop z; drop cast (text as t)"
      },
      {"alter table t add w page", "column w of t", "drop column w"},
      {"alter table t add w regproc", "column w of t", "drop column w"},
      {"alter table t add w called[]", "column w of t", "drop column w"},
      {
        "alter table t add constraint k check (id > 7) not valid",
        "constraint k of t",
        "drop constraint k"
      },
      {"alter table t add w pages[]", "column w of t", "drop column w"},
    };
    try (TestSites sites = new TestSites(2)) {
      try (Connection c = sites.site(0).initialize()) {
        Sql.run(
            c,
            "create table t (id int, x text, d date, at timestamptz)",
            "create function f() returns trigger language plpgsql as $$ begin return new; end $$",
            "create trigger tr before insert on t for each row execute function f()",
            "create rule r as on delete to t do also select 1",
            "create function has(i int) returns boolean language sql immutable as $$ select i > 0"
                + " $$",
            "create function label(r t) returns text language sql as $$ select r.x $$",
            "create function label(x text) returns t language sql as $$ select * from t limit 1 $$",
            "create type mood as enum ('good')",
            "create type page as (n int, x xml)",
            "create domain pages as xml[]",
            "create type called as (n int, o regoper)",
            "alter table t add doc tsvector generated always as (to_tsvector('english', x)) stored",
            "alter table t add m mood, add check (lower(x) ~ '^a' and d > '2000-01-01' and m::text"
                + " <> '')");
        for (String[] one : cases) {
          Sql.run(c, one[0]);
          assertThatThrownBy(() -> Sql.run(c, "end initialization"))
              .as(one[0])
              .isInstanceOf(SQLFeatureNotSupportedException.class)
              .hasMessageContaining(one[1] + ":");
          Sql.run(c, ("alter table t " + one[2]).split("; "));
        }
        Sql.run(c, "create domain dom as int check (has(value))");
        assertThatThrownBy(() -> Sql.run(c, "end initialization"))
            .hasMessageContaining("CHECK dom_check of dom:");
        Sql.run(
            c,
            "drop domain dom",
            "create domain dom as int",
            "alter domain dom add constraint k check (value > 0) not valid");
        assertThatThrownBy(() -> Sql.run(c, "end initialization"))
            .hasMessageContaining("constraint k of dom:");
        Sql.run(
            c,
            "alter domain dom validate constraint k",
            "create operator %% (leftarg = oid, rightarg = bytea, function = lo_from_bytea)");
        assertThatThrownBy(() -> Sql.run(c, "end initialization"))
            .hasMessageContaining("operator %%(oid,bytea):");
        Sql.run(
            c,
            "drop operator %% (oid, bytea)",
            "create operator %% (leftarg = int, rightarg = int, function = int4pl)",
            "create cast (oid as bytea) with function lo_get(oid)");
        assertThatThrownBy(() -> Sql.run(c, "end initialization"))
            .hasMessageContaining("cast from oid to bytea:");
        Sql.run(c, "drop cast (oid as bytea)", "create unlogged sequence q");
        assertThatThrownBy(() -> Sql.run(c, "end initialization"))
            .hasMessageContaining("public.q:");
        Sql.run(c, "drop sequence q", "end initialization");
      }
      sites.run(0, "insert into t values (1, 'a', '2020-01-01', now(), default, 'good')");
      assertThat(sites.ask(1, "select x from t")).containsExactly("a");
    }
  }

  @Test
  void whatHasAnotherNumberAtEachSiteIsNoHash() throws SQLException {
    String[][] cases = {
      {"create table h (m mood) partition by hash (m)", "h", "table h"},
      {"create table h (m mood[]) partition by hash (m)", "h", "table h"},
      {"create table h (m mood, i int) partition by hash (i, (lower(m)))", "h", "table h"},
      {"create table h (r regclass) partition by hash (r)", "h", "table h"},
      {
        "create event trigger e on login execute function f()", "event trigger e", "event trigger e"
      },
    };
    try (TestSites sites = new TestSites(2)) {
      try (Connection c = sites.site(0).initialize()) {
        Sql.run(
            c,
            "create type mood as enum ('good', 'bad')",
            "create function f() returns event_trigger language plpgsql as $$ begin end $$",
            "create function lower(mood) returns int language sql immutable as 'select case when $1 >"
                + " ''good'' then 1 else 2 end'");
        for (String[] one : cases) {
          Sql.run(c, one[0]);
          assertThatThrownBy(() -> Sql.run(c, "end initialization"))
              .as(one[0])
              .isInstanceOf(SQLFeatureNotSupportedException.class)
              .hasMessageContaining("Metric refuses " + one[1] + ":");
          Sql.run(c, "drop " + one[2]);
        }
        Sql.run(
            c,
            "create table h (m mood, i int) partition by hash (i)",
            "create table h0 partition of h for values with (modulus 2, remainder 0)",
            "create table h1 partition of h for values with (modulus 2, remainder 1)",
            "create table l (m mood) partition by list (m)",
            "create table l0 partition of l for values in ('good')",
            "end initialization");
      }
      sites.run(0, "insert into h select 'bad', i from generate_series(1, 9) i");
      sites.run(0, "insert into l values ('good')");
      assertThat(sites.ask(1, "select count(*) from h, l")).containsExactly("9");
    }
  }

  /** Another site makes all that it lacks at once, and the value was not to be used before. */
  @Test
  void anEnumThatHasGrownIsUsed() throws SQLException {
    try (TestSites sites = new TestSites(2)) {
      try (Connection c = sites.site(0).initialize()) {
        Sql.run(c, "create type mood as enum ('a')", "create table t (m mood)");
        state(() -> sites.ask(1, "select 1"), "55000");
        Sql.run(
            c,
            "alter type mood add value 'b'",
            "insert into t values ('b')",
            "alter table t add column n mood default 'b'",
            "end initialization");
      }
      assertThat(sites.ask(1, "select m || ' ' || n from t")).containsExactly("b b");
    }
  }

  @Test
  void endAndAbortEndATransaction() throws SQLException {
    try (TestSites sites = new TestSites(2)) {
      try (Connection c = sites.site(0).initialize()) {
        c.setAutoCommit(false);
        Sql.run(c, "create table t (n int)", "insert into t values (1)", "end");
        Sql.run(c, "insert into t values (2)", "abort");
        Sql.run(c, "insert into t values (3)", "end work", "end initialization");
      }
      for (int i = 0; i < 2; i++) {
        assertThat(sites.ask(i, "select n from t order by n")).containsExactly("1", "3");
      }
    }
  }

  /** No other site repeats it. */
  @Test
  void whatAFunctionMadeIsMissedAtTheOtherSites() throws SQLException {
    String[][] made = {
      {"alter table t add check (id < 5)", "constraint t_id_check of public.t"},
      {"create function g() returns int language sql as 'select 1'", "function public.g()"},
      {
        "create trigger tr before insert on t for each row execute function f()",
        "trigger tr on public.t"
      },
      {"alter table t alter id set default 5", "default of public.t.1"},
      {"create unique index i on t (id)", "index public.i"},
    };
    for (String[] one : made) {
      try (TestSites sites =
          new TestSites(2)
              .with(
                  "create table t (id int)",
                  "create function f() returns trigger language plpgsql as $$ begin return new; end $$",
                  "create function makes() returns void language plpgsql as $$ begin execute '"
                      + one[0].replace("'", "''")
                      + "'; end $$",
                  "select makes()")) {
        sites.run(0, "insert into t values (1)");
        assertThatThrownBy(() -> sites.ask(1, "select id from t"))
            .hasMessageContaining("there defined " + one[1]);
      }
    }
  }

  /** Rows that are there get the default of a column that is added, at each site by itself. */
  @Test
  void rowsAreFilledAlike() throws SQLException {
    try (TestSites sites = new TestSites(2)) {
      try (Connection c = sites.site(0).initialize()) {
        Sql.run(
            c,
            "create table a (id int primary key)",
            "create schema \"S x\"",
            "create table \"S x\".\"T y\" (id int)",
            "insert into \"S x\".\"T y\" values (1)",
            "create sequence numbers",
            "alter table a add early timestamptz default now(), add late timestamptz",
            "insert into a values (1, '2024-05-05'), (2, '2024-06-06')");
        for (String adding :
            new String[] {
              "alter table a add made timestamptz not null default now()",
              "alter table only a add b int, add column made date default current_date",
              "alter table if exists \"S x\".\"T y\" add made uuid not null default gen_random_uuid()",
              // Each site numbers its rows in the order in which it has them.
              "alter table a add n bigserial",
              "alter table a add b int, add column if not exists serial serial8 unique",
              "alter table a add n int default nextval('numbers')",
              "alter table a add n int generated always as identity"
            }) {
          assertThatThrownBy(() -> Sql.run(c, adding))
              .as(adding)
              .isInstanceOf(SQLException.class)
              .hasMessageContaining("at each site they would get another value of ");
        }
        state(doing(c, "alter table missing add made date default now()"), "42P01");
        Sql.run(
            c,
            "alter table if exists missing add made date default now()",
            "alter table a add b int default 5 check (abs(b) > 0), add n numeric(9, 2) default 0::numeric(9, 2),"
                + " alter late set default now()",
            "alter table a add made timestamptz",
            "update a set made = now()",
            "alter table a alter made set default now(), alter made set not null",
            "create table empty (id int)",
            "alter table empty add n bigserial",
            "alter table a add serial int, add column identity text, add number int",
            "update a set number = nextval('numbers')",
            "alter table a alter number set default nextval('numbers')",
            "alter table a alter id add generated by default as identity",
            "end initialization");
      }
      String all = "select concat_ws(' ', id, b, n, made, number) from a order by id";
      assertThat(sites.ask(1, all)).hasSize(2).isEqualTo(sites.ask(0, all));
    }
  }

  /** A policy that holds for Metric's own user hides rows from it, as from TRUNCATE's capture. */
  @Test
  void rowsAreHiddenFromNoSite() throws SQLException {
    try (TestSites sites = TestSites.ofPlainUsers(2)) {
      try (Connection c = sites.site(0).initialize()) {
        Sql.run(
            c,
            "create table open (id int primary key, hidden boolean)",
            "create table t (id int primary key, hidden boolean)",
            "alter table t enable row level security",
            "create policy seen on t using (not hidden) with check (true)",
            "insert into t values (1, true), (2, false)",
            "alter table t force row level security");
        state(doing(c, "truncate t"), "42501");
        assertThatThrownBy(() -> Sql.run(c, "end initialization"))
            .isInstanceOf(SQLFeatureNotSupportedException.class)
            .hasMessageContaining("Metric refuses public.t: policies would hide rows");
        bypass(sites, 0);
        Sql.run(c, "end initialization");
      }
      assertThatThrownBy(() -> sites.ask(1, "select * from open"))
          .isInstanceOf(SQLException.class)
          .hasMessageContaining("Metric refuses public.t: policies would hide rows");
      bypass(sites, 1);
      for (int i = 0; i < 2; i++) {
        sites.run(i, "insert into t values (3, true)");
        assertThat(sites.ask(1 - i, "select count(*) from t")).containsExactly(i == 0 ? "3" : "1");
        sites.run(i, "truncate t");
        assertThat(sites.ask(1 - i, "select * from t")).isEmpty();
      }
    }
  }

  private static void bypass(TestSites sites, int i) throws SQLException {
    String user;
    try (Connection c = sites.database(i)) {
      user = Sql.string(c, "select current_user");
    }
    try (Connection c = TestPostgres.server().connect("postgres")) {
      Sql.run(c, "alter role " + user + " bypassrls");
    }
  }

  @Test
  void captureIsNeverOff() throws SQLException {
    try (TestSites sites =
        new TestSites(2)
            .with(
                "create table t (id int primary key)",
                "alter table t disable trigger user",
                "insert into t values (1)",
                "create table old (id int primary key)",
                "alter table old rename to \"new 'n\"",
                "insert into \"new 'n\" values (1)",
                "create table bare (id int primary key)",
                "drop trigger plumb_metric_all on bare",
                "create table twice (id int)",
                "alter trigger plumb_metric_rows on twice rename to mine")) {
      try (Connection c = sites.connect(0)) {
        Sql.run(c, "insert into t values (2)", "insert into bare values (1)", "truncate bare");
        Sql.run(c, "insert into twice values (1)");
      }
      assertThat(sites.ask(1, "select id from twice")).containsExactly("1");
      assertThat(sites.ask(1, "select id from t order by id")).containsExactly("1", "2");
      assertThat(sites.ask(1, "select id from \"new 'n\"")).containsExactly("1");
      assertThat(sites.ask(1, "select id from bare")).isEmpty();
    }
    try (TestSites sites = new TestSites(1);
        Connection c = sites.site(0).initialize()) {
      state(doing(c, "set session_replication_role = replica"), "0A000");
      state(doing(c, "create view v as select * from plumb_metric.tx_queue"), "0A000");
      state(doing(c, "create temp table x (id int)"), "0A000");
      state(doing(c, "create local temporary table x (id int)"), "0A000");
      state(doing(c, "create or replace temp view x as select 1"), "0A000");
      state(doing(c, "create table pg_temp.x (id int)"), "0A000");
      Sql.run(c, "create table temp (temporary int)", "drop table temp");
      state(doing(c, "alter role postgres set \"plumb_metric\".applying = 'on'"), "0A000");
      Sql.run(c, "create table t (id int)");
    }
  }

  @Test
  void valuesAndTypesMeanTheSameElsewhere() throws SQLException {
    try (TestSites sites = new TestSites(2)) {
      try (Connection c = sites.site(0).initialize()) {
        Sql.run(
            c,
            "create schema app",
            "set search_path = app, public",
            "set timezone = 'Asia/Tokyo'",
            "set datestyle = 'ISO, DMY'",
            "set intervalstyle = 'sql_standard'",
            "create type mood as enum ('a', 'b')",
            "create table p (id int primary key, m mood, at timestamptz default '2024-01-01 00:00',"
                + " d date default '01/02/2024', i interval default '-1 2:00:00')");
        // The other site makes it before the end, in a transaction of its own.
        state(() -> sites.ask(1, "select 1"), "55000");
        Sql.run(c, "set search_path = public", "end initialization");
      }
      sites.run(0, "insert into app.p (id) values (1)");
      sites.run(1, "insert into app.p (id) values (2)");
      assertThat(
              sites.ask(
                  0,
                  "select (at at time zone 'UTC') || to_char(d, ' YYYY-MM-DD ') || extract(hour"
                      + " from i) from app.p order by id"))
          .containsExactly(
              "2023-12-31 15:00:00 2024-02-01 -2", "2023-12-31 15:00:00 2024-02-01 -2");
    }
  }

  /** However they are set. Nothing of them reaches the other sites. */
  @Test
  void settingsThatOtherSitesDoNotHaveMakeNoSchema() throws SQLException {
    String[][] cases = {
      {"set array_nulls = off", "array_nulls"},
      {"set local transform_null_equals = on", "transform_null_equals"},
      {"set standard_conforming_strings = off", "standard_conforming_strings"},
      {
        "select set_config('default_text_search_config', 'simple', false)",
        "default_text_search_config"
      },
      {"select sets()", "backslash_quote"},
      {"set role pg_monitor", "role"},
      {"set session authorization pg_monitor", "role"},
    };
    try (TestSites sites = new TestSites(2)) {
      try (Connection c = sites.site(0).initialize()) {
        Sql.run(
            c,
            "create function sets() returns text language sql as $$ select"
                + " set_config('backslash_quote', 'off', false) $$");
        c.setAutoCommit(false);
        for (String[] one : cases) {
          Sql.run(c, one[0]);
          assertThatThrownBy(() -> Sql.run(c, "create table x (id int)"))
              .as(one[0])
              .isInstanceOf(SQLFeatureNotSupportedException.class)
              .hasMessageContaining("Metric refuses " + one[1])
              .hasMessageContaining("at the other sites");
          c.rollback();
        }
        // What a dump begins with.
        Sql.run(
            c,
            "set statement_timeout = 1000000",
            "set lock_timeout = 0",
            "set idle_in_transaction_session_timeout = 1000000",
            "set client_encoding = 'UTF8'",
            "set standard_conforming_strings = on",
            "select pg_catalog.set_config('search_path', '', false)",
            "set check_function_bodies = false",
            "set xmloption = content",
            "set client_min_messages = warning",
            "set row_security = off",
            "set default_tablespace = ''",
            "set default_table_access_method = heap",
            "create table public.t (id int primary key)");
        c.commit();
        Sql.run(c, "end initialization");
      }
      sites.run(0, "insert into t values (1)");
      assertThat(sites.ask(1, "select id from t")).containsExactly("1");
    }
  }

  @Test
  void whatIsTakenBackIsMadeNowhere() throws SQLException {
    try (TestSites sites = new TestSites(2)) {
      try (Connection c = sites.site(0).initialize()) {
        state(doing(c, "savepoint x"), "25P01");
        c.setAutoCommit(false);
        Sql.run(
            c,
            "create table a (id int primary key)",
            "insert into a values (1), (2)",
            "truncate a",
            "insert into a values (3)",
            "savepoint x",
            "create table b (id int primary key)",
            "insert into a values (4)",
            "rollback to x");
        Savepoint savepoint = c.setSavepoint();
        state(doing(c, "create table a (id int primary key)"), "42P07");
        c.rollback(savepoint);
        Sql.run(c, "create table c (id int primary key)");
        c.commit();
        Sql.run(c, "end initialization");
      }
      assertThat(sites.ask(1, "select id from a")).containsExactly("3");
      assertThat(sites.ask(1, "select id from c")).isEmpty();
      state(() -> sites.ask(1, "select id from b"), "42P01");
    }
  }
}
