package dev.plumbline.metric.sql.local;

import dev.plumbline.metric.sql.log.RedoEntry.Ddl;
import dev.plumbline.metric.sql.tables.Catalog;
import dev.plumbline.metric.sql.tables.Catalog.Mode;
import dev.plumbline.metric.sql.tables.Lexer;
import dev.plumbline.metric.sql.tables.Refused;
import java.sql.Array;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.SQLTransactionRollbackException;
import java.sql.Statement;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.postgresql.jdbc.PgConnection;

/**
 * PostgreSQL, 14 or later. A row's text is that of its composite type under fixed settings, which
 * the type's own input function reads back: so every type that PostgreSQL can dump survives.
 */
public final class PostgreSql implements Dialect {
  private static final int OLDEST = 14;

  /** Settings under which a row's text means the same at every site. */
  private static final Map<String, String> TEXT =
      new TreeMap<>(
          Map.of(
              "array_nulls", "on",
              "DateStyle", "ISO, MDY",
              "IntervalStyle", "postgres",
              "TimeZone", "UTC",
              "bytea_output", "hex",
              "extra_float_digits", "1",
              "lc_monetary", "C",
              "xmloption", "content"));

  private static final String OURS =
      "n.nspname not in ('pg_catalog', 'information_schema', '"
          + PRIVATE
          + "') and n.nspname !~ '^pg_(toast|temp)'";

  /** All that users made, in whatever schema: the database's own have lower numbers. */
  private static final String MADE = "p.oid >= 16384 and n.nspname <> '" + PRIVATE + "'";

  private static final String CAPTURE = PRIVATE + ".capture";

  /** Is on in a transaction that applies. No function of users may name it. */
  private static final String APPLYING = PRIVATE + ".applying";

  /** Functions that change nothing but what they return, though PostgreSQL calls them volatile. */
  private static final String HARMLESS =
      "'random', 'random_normal', 'clock_timestamp', 'timeofday', 'gen_random_uuid', 'uuidv4', 'uuidv7', 'pg_sleep',"
          + " 'nextval', 'setval', 'currval', 'pg_advisory_xact_lock', 'pg_try_advisory_xact_lock',"
          + " 'setseed', 'pg_backend_pid', 'version'";

  /** Settings under which a statement that changes the schema runs at the other sites too. */
  private static final String CARRIED =
      "'search_path', 'TimeZone', 'DateStyle', 'IntervalStyle', 'xmloption', 'check_function_bodies'";

  /** Settings that change nothing of a schema. */
  private static final String OF_NO_SCHEMA =
      "'bytea_output', 'client_encoding', 'client_min_messages', 'default_transaction_deferrable', 'default_transaction_isolation',"
          + " 'default_transaction_read_only', 'idle_in_transaction_session_timeout', 'idle_session_timeout', 'lock_timeout',"
          + " 'row_security', 'session_replication_role', 'statement_timeout', 'transaction_deferrable',"
          + " 'transaction_isolation', 'transaction_read_only', 'transaction_timeout', 'extra_float_digits',"
          + " 'escape_string_warning'";

  /**
   * The text of XML's own type leaves out what it says of its encoding; as text it is kept. What a
   * column of a domain of it is as text, or of its array; null for other columns.
   */
  private static final String XML =
      "(with recursive d (t, arrays) as (select atttypid, 0 union all select case y.typtype when 'd' then y.typbasetype else"
          + " y.typelem end, arrays + (y.typtype <> 'd')::int from d join pg_type y on y.oid = d.t and (y.typtype = 'd' or"
          + " y.typcategory = 'A')) select case arrays when 0 then '::text' when 1 then '::text[]' end from d where t ="
          + " 'xml'::regtype)";

  /**
   * The columns of a row, from which its text is made. As in rows of triggers, a virtual one is
   * empty.
   */
  private static String texts(String table, String prefix) {
    return "(select string_agg(case when attgenerated = 'v' then 'null' else '"
        + prefix
        + "' || quote_ident(attname) || coalesce("
        + XML
        + ", '') end, ', ' order by attnum) from pg_attribute where attrelid = "
        + table
        + " and attnum > 0 and not attisdropped)";
  }

  @Override
  public String claim() {
    return "select pg_try_advisory_lock(hashtext('" + PRIVATE + "'))::int";
  }

  @Override
  public Lexer.Rules rules() {
    return Lexer.Rules.POSTGRESQL;
  }

  private static SQLException unfit(String why) {
    return new SQLException("this PostgreSQL cannot serve as a local database: " + why, "08001");
  }

  @Override
  public void prepare(Connection c) throws SQLException {
    if (c.getMetaData().getDatabaseMajorVersion() < OLDEST) {
      throw unfit(
          "it is version "
              + c.getMetaData().getDatabaseProductVersion()
              + "; use "
              + OLDEST
              + " or later");
    }
    if (!"UTF8".equals(Sql.string(c, "show server_encoding"))) {
      throw unfit("its encoding is not UTF8; create the database with ENCODING 'UTF8'");
    }
    if (!"on".equals(Sql.string(c, "show standard_conforming_strings"))) {
      throw unfit("standard_conforming_strings is off; switch it on");
    }
    // Where a policy would hide a row that goes, there is an error.
    StringBuilder settings =
        new StringBuilder("SET search_path = pg_catalog SET row_security = off");
    TEXT.forEach(
        (name, value) ->
            settings.append(" SET ").append(name).append(" = '").append(value).append("'"));
    String q = PRIVATE + ".tx_queue";
    Sql.run(
        c,
        "set client_min_messages = warning",
        "create schema if not exists " + PRIVATE,
        "create table if not exists "
            + q
            + " (n bigserial primary key, tx text not null default "
            + tagged()
            + ", tbl text not null, old text, new text)",
        "create table if not exists "
            + PRIVATE
            + ".pointers (tbl text primary key, position text not null)",
        "create or replace function "
            + CAPTURE
            + "() returns trigger language plpgsql security definer "
            + settings
            + " as $$ declare b text; a text; begin"
            + " if tg_op = 'TRUNCATE' then execute 'insert into "
            + q
            + " (tbl, old) select ' || quote_literal(tg_argv[0])"
            + " || ', row(' || coalesce("
            + texts("tg_relid", "t.")
            + ", '') || ')::text from only ' || tg_argv[0] || ' t'; return null;"
            + " elsif tg_nargs > 1 then"
            + " if tg_op <> 'INSERT' then execute tg_argv[1] into b using old; end if;"
            + " if tg_op <> 'DELETE' then execute tg_argv[1] into a using new; end if;"
            + " insert into "
            + q
            + " (tbl, old, new) values (tg_argv[0], b, a);"
            + " elsif tg_op = 'INSERT' then insert into "
            + q
            + " (tbl, new) values (tg_argv[0], new::text);"
            + " elsif tg_op = 'DELETE' then insert into "
            + q
            + " (tbl, old) values (tg_argv[0], old::text);"
            + " else insert into "
            + q
            + " (tbl, old, new) values (tg_argv[0], old::text, new::text); end if;"
            + " return null; end $$");
    try {
      Sql.run(c, "set session_replication_role = replica", "set session_replication_role = origin");
    } catch (SQLException e) {
      throw unfit(
          "its user may not set session_replication_role, without which triggers would act on what other sites did;"
              + " use a superuser, or GRANT SET ON PARAMETER session_replication_role ("
              + e.getMessage()
              + ")");
    }
  }

  @Override
  public void session(Connection c) throws SQLException {
    // What was prepared is told by the database's texts as well.
    c.unwrap(PgConnection.class).getQueryExecutor().setBinaryReceiveOids(Set.of());
    c.setTransactionIsolation(Connection.TRANSACTION_READ_COMMITTED);
  }

  @Override
  public void cancel(Statement running) throws SQLException {
    // The driver's own asks once, and not while rows are fetched: the database may not hear it.
    running.getConnection().unwrap(PgConnection.class).cancelQuery();
  }

  @Override
  public void fail(Connection c) {
    try {
      Sql.run(c, "do $$ begin raise exception 'a statement was refused'; end $$");
    } catch (SQLException e) {
      // Nothing is run until a rollback.
    }
  }

  @Override
  public void capture(Connection c) throws SQLException {
    // Of each table that lacks a trigger, the statements that drop what it has.
    Map<String, String> bare = new TreeMap<>();
    Map<String, String> told = new TreeMap<>();
    Sql.each(
        c,
        "select x.full, coalesce((select string_agg(format('drop trigger %I on %s', t.tgname, x.full), ';') from"
            + " pg_trigger t where t.tgrelid = x.oid and t.tgfoid = x.capture), 'select'), x.told from (select c.oid, '"
            + CAPTURE
            + "'::regproc as capture, case when exists (select from pg_attribute where attrelid = c.oid and attnum > 0 and "
            + XML
            + " is not null) then 'select row(' || "
            + texts("c.oid", "($1).")
            + " || ')::text' end as told, '\"' || replace(n.nspname, '\"', '\"\"') || '\".\"' || replace(c.relname,"
            + " '\"', '\"\"') || '\"' as full from pg_class c join pg_namespace n on n.oid = c.relnamespace where"
            + " c.relkind = 'r' and "
            + OURS
            + ") x where (2, 2) <> (select count(*), count(*) filter (where t.tgname in ('"
            + PRIVATE
            + "_rows', '"
            + PRIVATE
            + "_all') and t.tgenabled = 'A' and t.tgargs = convert_to(x.full, 'UTF8') || '\\x00' || coalesce(convert_to(x.told,"
            + " 'UTF8') || '\\x00', '')) from pg_trigger t where t.tgrelid = x.oid and t.tgfoid = x.capture)",
        row -> {
          bare.put(row.getString(1), row.getString(2));
          told.put(row.getString(1), row.getString(3));
        });
    for (Map.Entry<String, String> entry : bare.entrySet()) {
      String table = entry.getKey();
      Sql.run(c, entry.getValue());
      String names =
          Stream.of(table, told.get(table))
              .filter(Objects::nonNull)
              .map(n -> "'" + n.replace("'", "''") + "'")
              .collect(Collectors.joining(", "));
      trigger(c, table, names, "_rows", "after insert or update or delete", "row");
      trigger(c, table, names, "_all", "before truncate", "statement");
    }
  }

  /** It fires whatever session_replication_role is, unless Metric applies. */
  private static void trigger(
      Connection c, String table, String names, String name, String when, String each)
      throws SQLException {
    Sql.run(
        c,
        String.format(
            "create trigger %s on %s for each %s when (current_setting('%s', true) is distinct from 'on') execute function"
                + " %s(%s)",
            PRIVATE + name + " " + when, table, each, APPLYING, CAPTURE, names),
        "alter table " + table + " enable always trigger " + PRIVATE + name);
  }

  @Override
  public void demand(Connection c) throws SQLException {
    Dialect.refuse(
        Sql.strings(
            c,
            "select format('trigger %I on %I.%I', t.tgname, n.nspname, c.relname) from pg_trigger t join pg_class c on"
                + " c.oid = t.tgrelid join pg_namespace n on n.oid = c.relnamespace where t.tgenabled in ('A', 'R') and t.tgfoid <> '"
                + CAPTURE
                + "'::regproc and "
                + OURS
                + " union select format('rule %I on %I.%I', r.rulename, n.nspname, c.relname) from pg_rewrite r join"
                + " pg_class c on c.oid = r.ev_class join pg_namespace n on n.oid = c.relnamespace where r.ev_enabled in"
                + " ('A', 'R') and "
                + OURS
                + " order by 1"),
        "enabled for replicas, it would act again at each other site; use ALTER TABLE … ENABLE TRIGGER or ENABLE RULE");
    Dialect.refuse(
        Sql.strings(
            c,
            "select format('%I.%I', n.nspname, c.relname) from pg_class c join pg_namespace n on n.oid = c.relnamespace"
                + " where c.relpersistence = 'u' and c.relkind in ('r', 'p', 'S') and "
                + OURS
                + " order by 1"),
        "it is unlogged, and a crash would empty it at one site alone; use SET LOGGED");
    Dialect.refuse(
        Sql.strings(
            c,
            "select format('trigger %I on %I.%I', t.tgname, n.nspname, c.relname) from pg_trigger t join pg_class c on"
                + " c.oid = t.tgrelid join pg_namespace n on n.oid = c.relnamespace where t.tgtype & 34 = 34 and t.tgfoid"
                + " <> '"
                + CAPTURE
                + "'::regproc and "
                + OURS
                + " order by 1"),
        "what it does before TRUNCATE goes with the rows at this site, and not at the others; use AFTER TRUNCATE");
    Dialect.refuse(
        Sql.strings(
            c,
            "select format('cast from %s to %s', k.castsource::regtype, k.casttarget::regtype) from pg_cast k join pg_type"
                + " t on (k.castsource, k.casttarget) in ((t.oid, 'text'::regtype), ('text'::regtype, t.oid)) where"
                + " t.typrelid <> 0 order by 1"),
        "a row's text is how it reaches the other sites; use a function");
    Dialect.refuse(
        Sql.strings(
            c,
            "select format('event trigger %I', evtname) from pg_event_trigger where evtevent = 'login' and evtenabled <> 'D'"
                + " order by 1"),
        "it acts whenever Metric connects, outside of any transaction of an application; use DROP EVENT TRIGGER");
    Dialect.refuse(
        Sql.strings(
            c,
            "with recursive xml (oid) as (select 'xml'::regtype::oid union select t.oid from xml x, pg_type t where x.oid in"
                + " (t.typbasetype, t.typelem) or exists (select from pg_attribute a where a.attrelid = t.typrelid and a.atttypid"
                + " = x.oid)) select format('column %I of %s', attname, attrelid::regclass) from pg_attribute join pg_class c on"
                + " c.oid = attrelid join pg_namespace n on n.oid = c.relnamespace where c.relkind in ('r', 'p') and attnum > 0"
                + " and not attisdropped and atttypid in (select oid from xml) and "
                + XML
                + " is null and "
                + OURS
                + " order by 1"),
        "as part of such a value XML loses its declaration on the way to the other sites; use xml, xml[] or text");
    Dialect.refuse(
        Sql.strings(
            c,
            "with recursive unread (oid) as (select oid from pg_type where typnamespace = 'pg_catalog'::regnamespace and typname"
                + " in ('regproc', 'regoper', 'pg_node_tree', 'pg_ndistinct', 'pg_dependencies', 'pg_mcv_list') union select"
                + " t.oid from unread x, pg_type t where x.oid in (t.typbasetype, t.typelem) or exists (select from"
                + " pg_attribute a where a.attrelid = t.typrelid and a.atttypid = x.oid)) select format('column %I of %s',"
                + " attname, attrelid::regclass) from pg_attribute join pg_class c on c.oid = attrelid join pg_namespace n"
                + " on n.oid = c.relnamespace where c.relkind in ('r', 'p') and attnum > 0 and not attisdropped and atttypid"
                + " in (select oid from unread) and "
                + OURS
                + " order by 1"),
        "another site cannot read back the text of all its values; use regprocedure, regoperator or text");
    Dialect.refuse(
        Sql.strings(
            c,
            "select x.what from (select 'operator ' || oid::regoperator as what, oid, oprcode::oid as calls from pg_operator"
                + " union all select format('cast from %s to %s', castsource::regtype, casttarget::regtype), oid, castfunc"
                + " from pg_cast) x join pg_proc p on p.oid = x.calls where x.oid >= 16384 and p.oid < 16384 and p.provolatile"
                + " = 'v' order by 1"),
        "no statement would name the function that it calls, which keeps state or reaches data; call that by its name");
    Dialect.refuse(
        Sql.strings(
            c,
            "select format('constraint %I of %s', conname, case when contypid <> 0 then contypid::regtype::text else"
                + " conrelid::regclass::text end) from pg_constraint k join pg_namespace n on n.oid = k.connamespace where"
                + " contype in ('c', 'n') and pg_get_constraintdef(k.oid) like '% NOT VALID' and "
                + OURS
                + " order by 1"),
        "rows that are there may break it, and another site could not take them; use VALIDATE CONSTRAINT");
    // The hash of such a value is that of its number, which is another one at each site.
    Dialect.refuse(
        Sql.strings(
            c,
            "with recursive numbered (oid) as (select oid from pg_type where typtype = 'e' or typname ~ '^reg' and typnamespace"
                + " = 'pg_catalog'::regnamespace union select t.oid from numbered n, pg_type t where n.oid in (t.typbasetype,"
                + " t.typelem) or exists (select from pg_attribute a where a.attrelid = t.typrelid and a.atttypid = n.oid)"
                + " or exists (select from pg_range r where r.rngtypid = t.oid and r.rngsubtype = n.oid)) select"
                + " p.partrelid::regclass::text from pg_partitioned_table p join pg_class c on c.oid = p.partrelid join"
                + " pg_namespace n on n.oid = c.relnamespace where p.partstrat = 'h' and exists (select from pg_attribute a"
                + " join numbered on numbered.oid = a.atttypid where a.attrelid = p.partrelid and a.attnum ="
                + " any(p.partattrs) union all select from regexp_matches(p.partexprs::text, ':\\w*type (\\d+)', 'g') m join"
                + " numbered on numbered.oid = m[1]::oid) and "
                + OURS
                + " order by 1"),
        "by the hash of an enum's value a row would belong to another partition at each site; use PARTITION BY LIST");
    // By the functions of the expression itself: pg_depend does not tell the database's own.
    Dialect.refuse(
        Sql.strings(
            c,
            "select x.what from (select format('CHECK %I of %s', conname, case when contypid <> 0 then contypid::regtype::text"
                + " else conrelid::regclass::text end) as what, conbin::text as bin, connamespace as space from pg_constraint"
                + " where contype = 'c' union all select format('column %I of %s', a.attname, d.adrelid::regclass),"
                + " d.adbin::text, c.relnamespace from pg_attrdef d join pg_attribute a on a.attrelid = d.adrelid and"
                + " a.attnum = d.adnum and a.attgenerated <> '' join pg_class c on c.oid = d.adrelid) x join pg_namespace n"
                + " on n.oid = x.space where "
                + OURS
                + " and (x.bin ~ 'SQLVALUEFUNCTION|NEXTVALUEEXPR' or exists (select from"
                + " regexp_matches(x.bin, ':(funcid|opfuncid|resulttype) (\\d+)', 'g') m join pg_proc p on p.oid ="
                + " case when m[1] <> 'resulttype' then m[2]::oid when x.bin ~ 'COERCEVIAIO' then (select"
                + " typinput from pg_type where oid = m[2]::oid and typtype <> 'e') end join pg_language l on l.oid ="
                + " p.prolang where p.provolatile <> 'i' or l.lanname not in ('internal', 'c', 'sql') or (l.lanname ="
                + " 'sql' and p.pronamespace <> 'pg_catalog'::regnamespace))) order by 1"),
        "what it calls may answer otherwise when another site applies the row; use immutable functions of the database's"
            + " own, or a trigger");
  }

  @Override
  public List<String> searchPath(Connection c) throws SQLException {
    return Sql.strings(c, "select unnest(current_schemas(false))::text");
  }

  @Override
  public void settle(Connection c) throws SQLException {
    Sql.run(c, "set constraints all immediate");
  }

  @Override
  public String tag(Connection c) throws SQLException {
    return Sql.string(c, "select pg_current_xact_id_if_assigned()::text");
  }

  @Override
  public String tagged() {
    return "pg_current_xact_id()::text";
  }

  @Override
  public Set<String> touched(Connection c) throws SQLException {
    Set<String> names = new TreeSet<>();
    Sql.each(
        c,
        "select n.nspname, c.relname, null from pg_locks l join pg_class c on c.oid = l.relation join pg_namespace n"
            + " on n.oid = c.relnamespace where l.pid = pg_backend_pid() and l.locktype = 'relation' and l.database ="
            + " (select oid from pg_database where datname = current_database()) and c.relkind in ('r', 'p', 'm', 'S',"
            + " 'f') and "
            + OURS
            + " union all select '', '', current_setting('session_replication_role')",
        row -> {
          if (row.getString(3) == null) {
            names.add(rules().quoted(row.getString(1), row.getString(2)));
          } else if (row.getString(3).equals("replica")) {
            throw new SQLTransactionRollbackException(
                "the transaction was rolled back: session_replication_role was replica, under which no trigger captures"
                    + " what changes; leave it as it is",
                Refused.UNSUPPORTED);
          }
        });
    return names;
  }

  @Override
  public Map<String, String> counters(Connection c, Set<String> names) throws SQLException {
    Map<String, String> states = new TreeMap<>();
    for (String name : names) {
      if (Sql.string(c, "select 1 from pg_class where oid = ?::regclass and relkind = 'S'", name)
          != null) {
        states.put(name, Sql.string(c, "select last_value || ' ' || is_called from " + name));
      }
    }
    return states;
  }

  @Override
  public void count(Connection c, String name, String state) throws SQLException {
    String[] parts = state.split(" ", -1);
    Sql.string(c, "select setval(?::regclass, ?::bigint, ?::boolean)", name, parts[0], parts[1]);
  }

  @Override
  public void quiet(Connection c) throws SQLException {
    Sql.run(
        c,
        "set local session_replication_role = replica",
        "set local " + APPLYING + " = 'on'",
        "set constraints all deferred");
    for (Map.Entry<String, String> setting : TEXT.entrySet()) {
      Sql.string(c, "select set_config(?, ?, true)", setting.getKey(), setting.getValue());
    }
  }

  @Override
  public void loud(Connection c) {
    // The settings end with the transaction.
  }

  private static Array array(Connection c, List<String> rows) throws SQLException {
    return c.createArrayOf("text", rows.toArray());
  }

  /** Columns that a row brings with it: the others are made of those. */
  private static List<String> columns(Connection c, String table) throws SQLException {
    return Sql.strings(
        c,
        "select quote_ident(attname) from pg_attribute where attrelid = ?::regclass and attnum > 0 and not attisdropped"
            + " and attgenerated = '' order by attnum",
        table);
  }

  private static String text(Connection c, String table, String prefix) throws SQLException {
    String name = "'" + table.replace("'", "''") + "'::regclass";
    return Sql.string(c, "select 'row(' || coalesce(" + texts(name, prefix) + ", '') || ')::text'");
  }

  @Override
  public void delete(Connection c, String table, List<String> rows) throws SQLException {
    List<String> key =
        Sql.strings(
            c,
            // Behind the key's own columns come those that it includes. The operator of its type
            // may be in any schema.
            "select format('t.%1$I %2$s x.%1$I', a.attname, case when o.oid is null then '=' else format('operator(%I.%s)', n.nspname, o.oprname) end)"
                + " from pg_index i cross join unnest(i.indkey::int2[], i.indclass::oid[]) with ordinality k (at, class, place)"
                + " join pg_attribute a on a.attrelid = i.indrelid and a.attnum = k.at left join pg_opclass s on s.oid ="
                + " k.class left join pg_amop m on m.amopfamily = s.opcfamily and m.amoplefttype = s.opcintype and"
                + " m.amoprighttype = s.opcintype and m.amopstrategy = 3 and m.amopmethod = (select oid from pg_am where"
                + " amname = 'btree') left join pg_operator o on o.oid = m.amopopr left join pg_namespace n on n.oid ="
                + " o.oprnamespace where i.indrelid = ?::regclass and i.indisprimary and k.place <= i.indnkeyatts",
            table);
    if (key.isEmpty()) {
      // Rows without a key are told apart by all they hold; of equal ones any will do.
      try (PreparedStatement s =
          c.prepareStatement(
              String.format(
                  "with w as (select %2$s as r, count(*) as n from unnest(?) r(r), lateral (select (r.r::%1$s).*) x group by 1)"
                      + " delete from only %1$s where ctid in (select z.ctid from (select t.ctid, w.n, row_number() over"
                      + " (partition by w.r) as k from only %1$s t join w on w.r = %3$s) z where z.k <= z.n)",
                  table, text(c, table, "x."), text(c, table, "t.")))) {
        s.setArray(1, array(c, rows));
        gone(table, rows.size(), s.executeUpdate());
      }
      return;
    }
    try (PreparedStatement s =
        c.prepareStatement(
            "delete from only "
                + table
                + " t using unnest(?) r(r), lateral (select (r.r::"
                + table
                + ").*) x where "
                + String.join(" and ", key))) {
      s.setArray(1, array(c, rows));
      gone(table, rows.size(), s.executeUpdate());
    }
  }

  private static void gone(String table, int expected, int found) throws SQLException {
    if (expected != found) {
      throw new SQLException(
          table
              + " has "
              + found
              + " of "
              + expected
              + " rows that the redo log changes: its contents are not those of"
              + " the log",
          "XX001");
    }
  }

  @Override
  public void insert(Connection c, String table, List<String> rows) throws SQLException {
    List<String> columns = columns(c, table);
    if (columns.isEmpty()) {
      for (int i = 0; i < rows.size(); i++) {
        Sql.run(c, "insert into " + table + " default values");
      }
      return;
    }
    String list = String.join(", ", columns);
    try (PreparedStatement s =
        c.prepareStatement(
            "insert into "
                + table
                + " ("
                + list
                + ") overriding system value select x."
                + String.join(", x.", columns)
                + " from unnest(?) r(r), lateral (select (r.r::"
                + table
                + ").*) x")) {
      s.setArray(1, array(c, rows));
      s.executeUpdate();
    }
  }

  @Override
  public String context(Connection c) throws SQLException {
    Dialect.refuse(
        Sql.strings(
            c,
            "select name from pg_settings where source = 'session' and setting is distinct from reset_val and category !~"
                + " '^(Query Tuning|Resource Usage|Reporting and Logging|Write-Ahead Log|Lock Management)' and name not in ("
                + CARRIED
                + ", "
                + OF_NO_SCHEMA
                + ") union all select 'role' where current_user <> session_user or session_user <> ? order by 1",
            c.getMetaData().getUserName()),
        Initialization.SET);
    return Sql.string(
        c,
        "select json_object_agg(name, current_setting(name)) from unnest(array["
            + CARRIED
            + "]) name");
  }

  @Override
  public void run(Connection c, Ddl ddl) throws SQLException {
    if (ddl.context().startsWith("{")) {
      Sql.strings(
          c, "select set_config(key, value, true) from json_each_text(?::json)", ddl.context());
    } else {
      // Older entries have the search path alone.
      Sql.string(c, "select set_config('search_path', ?, true)", ddl.context());
    }
    Sql.run(c, ddl.sql());
  }

  @Override
  public String contents(Connection c) throws SQLException {
    StringBuilder contents = new StringBuilder();
    // Each site has a user of its own.
    Dialect.refuse(
        Sql.strings(
            c,
            "select format('%I.%I', n.nspname, c.relname) from pg_class c join pg_namespace n on n.oid = c.relnamespace"
                + " where c.relkind in ('r', 'p') and row_security_active(c.oid) and "
                + OURS
                + " order by 1"),
        "policies would hide rows from Metric, which has to read and write all; let its user have BYPASSRLS, or own the"
            + " table with NO FORCE ROW LEVEL SECURITY");
    quiet(c);
    // What names a type or a table has no schema if that is in the path.
    Sql.run(c, "set local search_path = pg_catalog");
    Sql.each(
        c,
        "select format('%I.%I', n.nspname, c.relname), c.relkind, (select string_agg(a.attname || ' ' ||"
            + " format_type(a.atttypid, a.atttypmod) || a.attnotnull, ',' order by a.attnum) from pg_attribute a where"
            + " a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped) from pg_class c join pg_namespace n on"
            + " n.oid = c.relnamespace where c.relkind in ('r', 'p', 'v', 'S') and "
            + OURS
            + " order by 1",
        row -> {
          contents.append(row.getString(1)).append(' ').append(row.getString(3));
          if (row.getString(2).equals("r")) {
            contents
                .append(' ')
                .append(
                    Sql.string(
                        c,
                        "select count(*) || ' ' || coalesce(sum(('x' || substr(md5(row(t.*)::text), 1, 15))::bit(60)::bigint), 0)"
                            + " from only "
                            + row.getString(1)
                            + " t"));
          }
          contents.append('\n');
        });
    // What a function made in initialization, by SQL of its own, is at no other site.
    Sql.each(
        c,
        "select '"
            + Initialization.DEFINED
            + "' || d from (select format('constraint %s of %s %s', k.conname, case when k.contypid <> 0 then"
            + " k.contypid::regtype::text else k.conrelid::regclass::text end, md5(pg_get_constraintdef(k.oid))) d from"
            + " pg_constraint k join pg_namespace n on n.oid = k.connamespace where k.contype in ('c', 'f', 'p', 'u', 'x')"
            + " and "
            + OURS
            + " union all select format('trigger %s on %s %s', t.tgname, t.tgrelid::regclass, md5(concat(t.tgenabled,"
            + " pg_get_triggerdef(t.oid)))) from pg_trigger t join pg_class c on c.oid = t.tgrelid join pg_namespace n on"
            + " n.oid = c.relnamespace where not t.tgisinternal and "
            + OURS
            + " union all select format('function %s %s', p.oid::regprocedure, md5(concat(p.provolatile, p.proconfig,"
            + " pg_get_function_sqlbody(p.oid), p.prosrc))) from pg_proc p join pg_namespace n on n.oid = p.pronamespace"
            + " join pg_language l on l.oid = p.prolang where l.lanname in ('sql', 'plpgsql') and "
            + OURS
            + " union all select format('default of %s.%s %s', d.adrelid::regclass, d.adnum, md5(pg_get_expr(d.adbin,"
            + " d.adrelid))) from pg_attrdef d join pg_class c on c.oid = d.adrelid join pg_namespace n on n.oid ="
            + " c.relnamespace where "
            + OURS
            + " union all select format('index %s %s', i.indexrelid::regclass, md5(pg_get_indexdef(i.indexrelid))) from"
            + " pg_index i join pg_class c on c.oid = i.indexrelid join pg_namespace n on n.oid = c.relnamespace where "
            + OURS
            + ") x order by 1",
        row -> contents.append(row.getString(1)).append('\n'));
    return contents.toString();
  }

  @Override
  public Catalog catalog(Connection c) throws SQLException {
    Catalog catalog = new Catalog(rules());
    Map<Long, String> names = new HashMap<>();
    Sql.each(
        c,
        "select c.oid, n.nspname, c.relname, c.relkind from pg_class c join pg_namespace n on n.oid = c.relnamespace"
            + " where c.relkind in ('r', 'p', 'v', 'S', 'f', 'm') and "
            + OURS,
        row -> {
          Catalog.Type type =
              switch (row.getString(4)) {
                case "v" -> Catalog.Type.VIEW;
                case "S" -> Catalog.Type.SEQUENCE;
                case "f", "m" -> Catalog.Type.FOREIGN;
                default -> Catalog.Type.TABLE;
              };
          catalog.relation(row.getString(2), row.getString(3), type);
          names.put(row.getLong(1), rules().quoted(row.getString(2), row.getString(3)));
        });
    Map<Long, String> functions = functions(c, catalog);
    Sql.each(
        c,
        "select conrelid, confrelid, confdeltype::text || confupdtype::text from pg_constraint where contype = 'f'",
        row -> {
          String child = names.getOrDefault(row.getLong(1), "");
          String parent = names.getOrDefault(row.getLong(2), "");
          boolean acts = row.getString(3).matches(".*[cnd].*");
          catalog.draws(child, Mode.WRITE, parent, Mode.READ);
          catalog.draws(parent, Mode.WRITE, child, acts ? Mode.WRITE : Mode.READ);
        });
    Sql.each(
        c,
        "select inhparent, inhrelid from pg_inherits",
        row -> {
          String parent = names.getOrDefault(row.getLong(1), "");
          String child = names.getOrDefault(row.getLong(2), "");
          for (Mode mode : Mode.values()) {
            catalog.draws(parent, mode, child, mode);
            // A foreign key or trigger on the parent acts for its partitions.
            catalog.draws(child, mode, parent, mode);
          }
        });
    depends(
        c,
        catalog,
        names,
        functions,
        // Views and rules; defaults; constraints; indexes; keys of partitions; policies.
        "select r.ev_class, d.refclassid::regclass::text, d.refobjid from pg_rewrite r join pg_depend d on d.classid ="
            + " 'pg_rewrite'::regclass and d.objid = r.oid union select a.adrelid, d.refclassid::regclass::text,"
            + " d.refobjid from pg_attrdef a join pg_depend d on d.classid = 'pg_attrdef'::regclass and d.objid = a.oid"
            + " union select k.conrelid, d.refclassid::regclass::text, d.refobjid from pg_constraint k join pg_depend d"
            + " on d.classid = 'pg_constraint'::regclass and d.objid = k.oid where d.refclassid = 'pg_proc'::regclass"
            + " union select i.indrelid, d.refclassid::regclass::text, d.refobjid from pg_index i join pg_depend d on"
            + " d.classid = 'pg_class'::regclass and d.objid = i.indexrelid where d.refclassid ="
            + " 'pg_proc'::regclass union select partrelid, d.refclassid::regclass::text, d.refobjid from pg_partitioned_table"
            + " join pg_depend d on d.classid = 'pg_class'::regclass and d.objid = partrelid"
            + " union select p.polrelid, d.refclassid::regclass::text, d.refobjid from pg_policy p join pg_depend d on"
            + " d.classid = 'pg_policy'::regclass and d.objid = p.oid"
            // A domain's default.
            + " union select a.attrelid, d.refclassid::regclass::text, d.refobjid from pg_attribute a join pg_type t on"
            + " t.oid = a.atttypid and t.typtype = 'd' join pg_depend d on d.classid = 'pg_type'::regclass and d.objid ="
            + " t.oid");
    Sql.each(
        c,
        "select refobjid, objid from pg_depend where classid = 'pg_class'::regclass and refclassid ="
            + " 'pg_class'::regclass and deptype in ('a', 'i')",
        row ->
            catalog.draws(
                names.getOrDefault(row.getLong(1), ""),
                Mode.WRITE,
                names.getOrDefault(row.getLong(2), ""),
                Mode.WRITE));
    Sql.each(
        c,
        // The function that it executes, and those of its WHEN.
        "select t.tgrelid, d.refobjid from pg_trigger t join pg_depend d on d.classid = 'pg_trigger'::regclass and"
            + " d.objid = t.oid and d.refclassid = 'pg_proc'::regclass where not t.tgisinternal and t.tgfoid <> '"
            + CAPTURE
            + "'::regproc",
        row -> {
          if (names.containsKey(row.getLong(1)) && functions.containsKey(row.getLong(2))) {
            catalog.calls(names.get(row.getLong(1)), Mode.WRITE, functions.get(row.getLong(2)));
          }
        });
    // Of the database's own functions pg_depend says nothing.
    Sql.each(
        c,
        "select oid, true, pg_get_viewdef(oid), true from pg_class where relkind = 'v' union all select ev_class, false,"
            + " pg_get_ruledef(oid), true from pg_rewrite where rulename <> '_RETURN' union all select adrelid, false,"
            + " pg_get_expr(adbin, adrelid), false from pg_attrdef union all select a.attrelid, false,"
            + " pg_get_expr(t.typdefaultbin, 0), false from pg_attribute a join pg_type t on t.oid = a.atttypid where"
            + " t.typtype = 'd' union all select polrelid, true, concat_ws(' ', pg_get_expr(polqual, polrelid),"
            + " pg_get_expr(polwithcheck, polrelid)), false from pg_policy union all select tgrelid, false,"
            + " pg_get_triggerdef(oid), false from pg_trigger where not tgisinternal",
        row -> {
          if (names.containsKey(row.getLong(1)) && row.getString(3) != null) {
            if (row.getBoolean(4)) {
              catalog.changes(names.get(row.getLong(1)), row.getString(3));
            }
            for (Mode mode : Mode.values()) {
              if (mode == Mode.WRITE || row.getBoolean(2)) {
                catalog.runs(names.get(row.getLong(1)), mode, row.getString(3));
              }
            }
          }
        });
    Sql.each(
        c,
        "select oprcode::oid from pg_operator where oprnamespace <> 'pg_catalog'::regnamespace union select castfunc"
            + " from pg_cast where castfunc <> 0 and oid >= 16384 union select amproc from pg_amproc union select"
            + " unnest(array[rngcanonical, rngsubdiff]::oid[]) from pg_range union select d.refobjid from pg_depend d join"
            + " pg_constraint k on k.oid = d.objid and d.classid = 'pg_constraint'::regclass where k.contypid <> 0 and"
            + " d.refclassid = 'pg_proc'::regclass",
        row -> {
          if (functions.containsKey(row.getLong(1))) {
            catalog.implicit(functions.get(row.getLong(1)));
          }
        });
    return catalog;
  }

  private static void depends(
      Connection c,
      Catalog catalog,
      Map<Long, String> names,
      Map<Long, String> functions,
      String sql)
      throws SQLException {
    Sql.each(
        c,
        sql,
        row -> {
          String user = names.get(row.getLong(1));
          long used = row.getLong(3);
          if (user == null) {
            return;
          }
          boolean view = catalog.type(user) == Catalog.Type.VIEW;
          for (Mode mode : Mode.values()) {
            if (row.getString(2).equals("pg_proc") && functions.containsKey(used)) {
              catalog.calls(user, mode, functions.get(used));
            } else if (row.getString(2).equals("pg_class")
                && names.containsKey(used)
                && !user.equals(names.get(used))) {
              // A view may draw from a sequence, and moves it.
              boolean read = view && catalog.type(names.get(used)) != Catalog.Type.SEQUENCE;
              catalog.draws(user, mode, names.get(used), read ? mode : Mode.WRITE);
            }
          }
        });
  }

  private static Map<Long, String> functions(Connection c, Catalog catalog) throws SQLException {
    Map<Long, String> functions = new HashMap<>();
    Sql.each(
        c,
        // With what a call without an argument runs, and with the names of settings.
        "select p.oid, p.proname, l.lanname, (p.provolatile = 'v' and not exists (select from pg_depend d join pg_extension e"
            + " on e.oid = d.refobjid where d.classid = 'pg_proc'::regclass and d.objid = p.oid and d.deptype = 'e' and"
            + " e.extname in ('pgcrypto', 'uuid-ossp'))) or (l.lanname = 'internal' and p.prosrc in (select prosrc"
            + " from pg_proc where oid < 16384 and provolatile = 'v')), coalesce((select concat_ws(' ', aggtransfn,"
            + " aggfinalfn, aggcombinefn, aggserialfn, aggdeserialfn, aggmtransfn, aggminvtransfn, aggmfinalfn) from"
            + " pg_aggregate where aggfnoid = p.oid), pg_get_function_sqlbody(p.oid), p.prosrc), concat_ws(' ',"
            + " pg_get_expr(p.proargdefaults, 0), (select string_agg(case when s ~ '"
            + PRIVATE
            + "' then '"
            + PRIVATE
            + "' else split_part(s, '=', 1) end, ' ') from unnest(p.proconfig) s)), p.prokind = 'a' from pg_proc p join"
            + " pg_namespace n on n.oid = p.pronamespace join pg_language l on l.oid = p.prolang where "
            + MADE,
        row -> {
          String name = row.getString(2);
          String language = row.getString(3);
          functions.put(row.getLong(1), name);
          String body = null;
          if (language.equals("sql") || language.equals("plpgsql") || row.getBoolean(7)) {
            body = row.getString(6) + " " + row.getString(5);
          } else if ((language.equals("c") || language.equals("internal"))
              && !row.getBoolean(4)
              && !name.matches("crosstab.*|connectby.*|xpath_table")) {
            body = row.getString(6);
          }
          catalog.function(name, body);
        });
    Sql.strings(
            c,
            "select distinct proname from pg_proc where pronamespace = 'pg_catalog'::regnamespace and (provolatile ="
                + " 'v' and prorettype <> 'trigger'::regtype and proname not in ("
                + HARMLESS
                + ") or proname like '%\\_to\\_xml%')")
        .forEach(catalog::bar);
    catalog.bar("session_replication_role");
    catalog.bar("standard_conforming_strings");
    catalog.bar(PRIVATE);
    Sql.strings(c, "select word from pg_get_keywords() where catcode in ('R', 'T')")
        .forEach(catalog::reserve);
    Sql.strings(c, "select relname from pg_class where relnamespace = 'pg_catalog'::regnamespace")
        .forEach(catalog::system);
    catalog.system("pg_catalog.");
    catalog.system("information_schema.");
    catalog.system(PRIVATE + ".");
    catalog.settings(PRIVATE);
    Sql.strings(
            c,
            "select extname from pg_extension union select split_part(name, '.', 1) from pg_settings where name like '%.%'")
        .forEach(catalog::settings);
    return functions;
  }
}
