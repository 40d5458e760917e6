package dev.plumbline.metric.sql.local;

import dev.plumbline.metric.sql.log.RedoEntry.Ddl;
import dev.plumbline.metric.sql.tables.Catalog;
import dev.plumbline.metric.sql.tables.Catalog.Mode;
import dev.plumbline.metric.sql.tables.Lexer;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.SQLTransactionRollbackException;
import java.time.YearMonth;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * MariaDB, 10.6 or later, with InnoDB. A row's text is its columns in hexadecimal, N for null, with
 * commas between. It has no switch for triggers, so those of the application get a condition at the
 * end of initialization: they act unless Metric applies. Nor do its triggers see what a foreign key
 * does, so one that does something is refused.
 */
public final class MariaDb implements Dialect {
  private static final String OURS =
      " not in ('mysql', 'information_schema', 'performance_schema', 'sys', '" + PRIVATE + "')";
  private static final String APPLYING = "@" + PRIVATE + "_apply";
  private static final String GUARD = "if " + APPLYING + " is null then ";
  private static final String TAG = "@" + PRIVATE + "_tx";

  /** How many rows capture has begun to write down and not ended. */
  private static final String OPEN = "@" + PRIVATE + "_open";

  private static final String AUTO = Catalog.COUNTER;
  private static final String USUAL =
      "STRICT_TRANS_TABLES,ERROR_FOR_DIVISION_BY_ZERO,NO_AUTO_CREATE_USER,NO_ENGINE_SUBSTITUTION";

  /** The mode in which a row is taken as another site has it. */
  private static final String AS_IT_IS = "NO_AUTO_VALUE_ON_ZERO,NO_ENGINE_SUBSTITUTION";

  private static final String ANY_DATE = ",ALLOW_INVALID_DATES";
  private static final String RESERVED =
      "select from where join on group order having union into values set table and or not in exists as inner left right"
          + " cross natural using limit case when then else insert update delete create drop alter with recursive over"
          + " for by null is like between distinct all interval except intersect outer straight_join partition lock"
          + " returning offset fetch procedure asc desc collate xor div rows range";

  /**
   * Variables that change nothing of a schema, or that are carried to the other sites, or that are
   * looked at by themselves.
   */
  private static final String OF_NO_SCHEMA =
      "'autocommit', 'bulk_insert_buffer_size', 'character_set_client', 'character_set_connection',"
          + " 'character_set_database', 'character_set_results', 'collation_connection', 'collation_database',"
          + " 'foreign_key_checks', 'idle_transaction_timeout', 'innodb_lock_wait_timeout', 'interactive_timeout',"
          + " 'join_buffer_size', 'lock_wait_timeout', 'max_heap_table_size', 'max_statement_time', 'net_read_timeout',"
          + " 'net_write_timeout', 'profiling', 'session_track_schema', 'session_track_state_change',"
          + " 'session_track_system_variables', 'session_track_transaction_info', 'sort_buffer_size', 'sql_big_selects',"
          + " 'sql_mode', 'sql_notes', 'sql_safe_updates', 'sql_warnings', 'time_zone', 'tmp_memory_table_size',"
          + " 'tmp_table_size', 'transaction_isolation', 'transaction_read_only', 'tx_isolation', 'tx_read_only',"
          + " 'unique_checks', 'wait_timeout'";

  private static final List<String> BARRED =
      List.of(
          "get_lock",
          "release_lock",
          "release_all_locks",
          "load_file",
          "master_pos_wait",
          "master_gtid_wait",
          "is_free_lock",
          "is_used_lock",
          "sys_exec",
          "sys_eval");
  private static final int OLDEST = 1006;

  /** How many rows without a key, and of how much text, are looked for at once. */
  private static final int AT_ONCE = 500;

  private static final int LONGEST = 1 << 20;

  /** Character sets of which each text comes back from UTF-8 as it was. */
  private static final Set<String> EVEN = Set.of("utf8mb4", "utf8mb3", "ascii", "latin1");

  /** A column, how it becomes text, and how it comes back. */
  private record Column(String name, String type, boolean key, String charset, String collation) {

    /** Others than UTF-8 have several texts for one of it, or none. */
    private boolean uneven() {
      return (type.endsWith("char") || type.endsWith("text")) && !EVEN.contains(charset);
    }

    /** The column's bytes in hexadecimal, or N. */
    private String text(String prefix) {
      String c = prefix + name;
      if (uneven()) {
        return "ifnull(concat('X', hex(" + c + ")), 'N')";
      }
      String bytes =
          switch (type) {
            case "char", "varchar", "tinytext", "text", "mediumtext", "longtext" ->
                "hex(convert(" + c + " using utf8mb4))";
            // The value whose name is empty looks like none.
            case "set" ->
                String.format(
                    "if(%1$s = '' and %1$s <> 0, concat('Z', %1$s + 0), hex(convert(%1$s using utf8mb4)))",
                    c);
            // What is none of its values looks like the empty one.
            case "enum" -> "if(" + c + " = 0, 'Z', hex(convert(" + c + " using utf8mb4)))";
            case "binary", "varbinary", "tinyblob", "blob", "mediumblob", "longblob" ->
                "hex(" + c + ")";
            case "bit" -> "lpad(hex(" + c + " + 0), 16, '0')";
            case "float" -> "hex(cast(cast(" + c + " as double) as char))";
            case "timestamp" ->
                "hex(if(" + c + " = 0, 'Z', cast(unix_timestamp(" + c + ") as char)))";
            default -> "hex(cast(" + c + " as char))";
          };
      return "ifnull(" + bytes + ", 'N')";
    }

    private String parameter() {
      if (uneven()) {
        return "convert(? using " + charset + ") collate " + collation;
      }
      return switch (type) {
        case "bit" -> "cast(conv(?, 16, 10) as unsigned)";
        case "timestamp" ->
            "if(? = 'Z', '0000-00-00 00:00:00', from_unixtime(cast(? as decimal(20, 6))))";
        default -> "?";
      };
    }

    private int set(PreparedStatement s, int at, String hex) throws SQLException {
      if (hex.equals("N")) {
        s.setString(at, null);
        if (type.equals("timestamp")) {
          s.setString(at + 1, null);
        }
      } else if (type.equals("enum") && hex.equals("Z")) {
        s.setInt(at, 0);
      } else if (type.equals("set") && hex.startsWith("Z")) {
        s.setBigDecimal(at, new BigDecimal(hex.substring(1)));
      } else if (hex.startsWith("X")) {
        s.setBytes(at, HexFormat.of().parseHex(hex.substring(1)));
      } else if (type.endsWith("blob") || type.endsWith("binary")) {
        s.setBytes(at, HexFormat.of().parseHex(hex));
      } else if (type.equals("bit")) {
        s.setString(at, hex);
      } else {
        String text = new String(HexFormat.of().parseHex(hex), StandardCharsets.UTF_8);
        s.setString(at, text);
        if (type.equals("timestamp")) {
          s.setString(at + 1, text);
        }
      }
      return type.equals("timestamp") ? at + 2 : at + 1;
    }
  }

  @Override
  public String claim() {
    return "select get_lock(concat(database(), '." + PRIVATE + "'), 0)";
  }

  @Override
  public Lexer.Rules rules() {
    return Lexer.Rules.MARIADB;
  }

  private String full(String schema, String name) {
    return rules().quoted(schema, name);
  }

  /** Schema and name of a quoted name. */
  private List<String> parts(String full) throws SQLException {
    List<String> parts = new ArrayList<>();
    Lexer.tokens(rules(), full).stream()
        .filter(Lexer.Token::name)
        .forEach(t -> parts.add(t.text()));
    return parts;
  }

  @Override
  public void prepare(Connection c) throws SQLException {
    int version =
        c.getMetaData().getDatabaseMajorVersion() * 100 + c.getMetaData().getDatabaseMinorVersion();
    if (version < OLDEST || !Sql.string(c, "select version()").contains("MariaDB")) {
      throw new SQLException(
          "this server cannot serve as a local database: it is "
              + Sql.string(c, "select version()")
              + "; use MariaDB 10.6 or later",
          "08001");
    }
    if (!"0".equals(Sql.string(c, "select @@lower_case_table_names"))) {
      throw new SQLException(
          "this server cannot serve as a local database: it takes names of tables without regard to case, and Metric"
              + " could miss one; start it with lower_case_table_names = 0",
          "08001");
    }
    String table = ") engine = innodb character set utf8mb4 collate utf8mb4_nopad_bin";
    Sql.run(
        c,
        "create database if not exists " + PRIVATE,
        "create table if not exists "
            + PRIVATE
            + ".tx_queue (n bigint auto_increment primary key, tx varchar(100) not null,"
            + " tbl varchar(300) not null, old longtext, new longtext"
            + table,
        "create table if not exists "
            + PRIVATE
            + ".pointers (tbl varchar(300) primary key, position varchar(80) not null"
            + table);
  }

  @Override
  public void session(Connection c) throws SQLException {
    Sql.run(c, "set names utf8mb4", "set session sql_mode = '" + USUAL + "'");
    c.setTransactionIsolation(Connection.TRANSACTION_READ_COMMITTED);
  }

  @Override
  public void begin(Connection c, String transaction) throws SQLException {
    Sql.update(c, "set " + TAG + " = ?, " + OPEN + " = 0", transaction);
  }

  private List<Column> columns(Connection c, String schema, String name) throws SQLException {
    List<Column> columns = new ArrayList<>();
    Sql.each(
        c,
        "select column_name, data_type, column_key, extra, generation_expression is not null and generation_expression"
            + " <> '', character_set_name, collation_name from information_schema.columns where table_schema = ? and table_name = ? order by ordinal_position",
        row -> {
          if (!row.getBoolean(5)) {
            columns.add(
                new Column(
                    rules().quoted(row.getString(1)),
                    row.getString(2),
                    row.getString(3).equals("PRI"),
                    row.getString(6),
                    row.getString(7)));
          }
        },
        schema,
        name);
    return columns;
  }

  private static String text(List<Column> columns, String prefix) {
    List<String> texts = columns.stream().map(x -> x.text(prefix)).toList();
    return "concat_ws(',', " + String.join(", ", texts) + ")";
  }

  private static List<List<String>> rows(Connection c, int width, String sql, Object... parameters)
      throws SQLException {
    List<List<String>> rows = new ArrayList<>();
    Sql.each(
        c,
        sql,
        row -> {
          List<String> strings = new ArrayList<>();
          for (int i = 1; i <= width; i++) {
            strings.add(row.getString(i));
          }
          rows.add(strings);
        },
        parameters);
    return rows;
  }

  @Override
  public void demand(Connection c) throws SQLException {
    Dialect.refuse(
        Sql.strings(
            c,
            "select concat('foreign key ', constraint_schema, '.', constraint_name) from"
                + " information_schema.referential_constraints where constraint_schema"
                + OURS
                + " and (delete_rule not in ('RESTRICT', 'NO ACTION') or update_rule not in"
                + " ('RESTRICT', 'NO ACTION')) order by 1"),
        "MariaDB fires no triggers for what it does, so that it would not reach the other sites; use RESTRICT or NO"
            + " ACTION");
    Dialect.refuse(
        Sql.strings(
            c,
            "select concat(table_schema, '.', table_name) from information_schema.tables where table_type = 'SYSTEM"
                + " VERSIONED' and table_schema"
                + OURS
                + " order by 1"),
        "its history would be another one at each site; use DROP SYSTEM VERSIONING");
    Dialect.refuse(
        Sql.strings(
            c,
            "select concat('column ', column_name, ' of ', table_schema, '.', table_name) from information_schema.columns where"
                + " data_type in ('geometry', 'point', 'linestring', 'polygon', 'multipoint', 'multilinestring', 'multipolygon',"
                + " 'geometrycollection') and table_schema"
                + OURS
                + " order by 1"),
        "what is of the type GEOMETRY, or of one of its kind, has no text that another site could read back; use text of ST_AsText, or bytes"
            + " of ST_AsBinary");
    Dialect.refuse(
        zoned(c),
        "what it makes of a timestamp hangs on the session's time zone, and another site that applies the row has none; use"
            + " DATETIME, or a VIRTUAL column without an index");
  }

  /**
   * Generated columns whose values are kept, in the row or in an index, and made of a timestamp.
   */
  private static List<String> zoned(Connection c) throws SQLException {
    List<List<String>> columns =
        rows(
            c,
            5,
            "select concat(table_schema, '.', table_name), concat('`', replace(column_name, '`', '``'), '`'), data_type ="
                + " 'timestamp', ifnull(generation_expression, ''), extra like '%STORED%' or column_key <> '' or exists"
                + " (select 1 from information_schema.statistics s where s.table_schema = c.table_schema and s.table_name"
                + " = c.table_name and s.column_name = c.column_name) from information_schema.columns c where table_schema"
                + OURS
                + " order by 1, ordinal_position");
    Set<List<String>> zoned = new HashSet<>();
    Set<String> kept = new TreeSet<>();
    boolean more = true;
    while (more) {
      more = false;
      for (List<String> column : columns) {
        boolean made = !column.get(3).isEmpty();
        boolean zone =
            column.get(2).equals("1")
                || zoned.stream()
                    .anyMatch(
                        z -> z.get(0).equals(column.get(0)) && column.get(3).contains(z.get(1)));
        if (zone && zoned.add(column.subList(0, 2))) {
          more = true;
          if (made && column.get(4).equals("1")) {
            kept.add("column " + column.get(1) + " of " + column.get(0));
          }
        }
      }
    }
    return List.copyOf(kept);
  }

  @Override
  public void capture(Connection c) throws SQLException {
    String mode = Sql.string(c, "select @@sql_mode");
    String collation = Sql.string(c, "select @@collation_connection");
    // A trigger has the mode for good, and under another one it would cut what is too long.
    Sql.run(c, "set session sql_mode = '" + USUAL + "'");
    for (List<String> table :
        rows(
            c,
            2,
            "select table_schema, table_name from information_schema.tables where table_type = 'BASE TABLE' and engine = 'InnoDB'"
                + " and table_schema"
                + OURS
                + " order by 1, 2")) {
      capture(c, table.get(0), table.get(1));
    }
    guard(c);
    Sql.run(
        c,
        "set session sql_mode = '"
            + mode
            + "', session collation_connection = '"
            + collation
            + "'");
  }

  private void capture(Connection c, String schema, String name) throws SQLException {
    List<Column> columns = columns(c, schema, name);
    String table = full(schema, name);
    String queue =
        "insert into "
            + PRIVATE
            + ".tx_queue (tx, tbl, old, new) values ("
            + tagged()
            + ", '"
            + table.replace("\\", "\\\\").replace("'", "''")
            + "', ";
    Map<String, List<String>> wanted = new TreeMap<>();
    for (String event : List.of("insert", "update", "delete")) {
      String old = event.equals("insert") ? "null" : text(columns, "old.");
      String now = event.equals("delete") ? "null" : text(columns, "new.");
      String body =
          GUARD
              + ("set " + OPEN + " = " + OPEN + " + 1; ")
              + (queue + old + ", " + now + "); ")
              + ("set " + OPEN + " = " + OPEN + " - 1; end if");
      // The name changes with the columns, and so the trigger with the table.
      wanted.put(
          PRIVATE + "_" + event + "_" + Integer.toHexString(body.hashCode()), List.of(event, body));
    }
    Set<String> there =
        new HashSet<>(
            Sql.strings(
                c,
                "select trigger_name from information_schema.triggers where event_object_schema = ? and event_object_table = ?"
                    + " and trigger_name like 'plumb\\_metric\\_%'",
                schema,
                name));
    for (String trigger : there) {
      if (!wanted.containsKey(trigger)) {
        Sql.run(c, "drop trigger " + full(schema, trigger));
      }
    }
    for (Map.Entry<String, List<String>> trigger : wanted.entrySet()) {
      if (!there.contains(trigger.getKey())) {
        String event = trigger.getValue().get(0);
        // It comes first: a row on which a trigger of the application's fails is changed all the
        // same, if what ran the statement is a function that goes on.
        String first =
            Sql.string(
                c,
                "select trigger_name from information_schema.triggers where event_object_schema = ? and event_object_table ="
                    + " ? and event_manipulation = ? and action_timing = 'AFTER' and action_order = 1",
                schema,
                name,
                event);
        Sql.run(
            c,
            "create trigger "
                + full(schema, trigger.getKey())
                + " after "
                + event
                + " on "
                + table
                + " for each row "
                + (first == null ? "" : "precedes " + rules().quoted(first) + " ")
                + trigger.getValue().get(1));
      }
    }
  }

  /**
   * Gives the application's triggers the condition that Metric is not applying. Each keeps its
   * mode, its collation and its place among the others.
   */
  private void guard(Connection c) throws SQLException {
    for (List<String> t :
        rows(
            c,
            10,
            "select trigger_schema, trigger_name, action_timing, event_manipulation, event_object_table, action_statement,"
                + " definer, sql_mode, collation_connection, (select n.trigger_name from information_schema.triggers n where"
                + " n.trigger_schema = t.trigger_schema and n.event_object_table = t.event_object_table and n.action_timing"
                + " = t.action_timing and n.event_manipulation = t.event_manipulation and n.action_order = t.action_order +"
                + " 1) from information_schema.triggers t where trigger_schema"
                + OURS
                + " and trigger_name not like 'plumb\\_metric\\_%' and action_statement not like '"
                + GUARD.replace("_", "\\_")
                + "%' order by"
                + " event_object_table, action_timing, event_manipulation, action_order")) {
      String name = full(t.get(0), t.get(1));
      int at = t.get(6).lastIndexOf('@');
      String definer =
          rules().quoted(t.get(6).substring(0, at))
              + "@"
              + rules().quoted(t.get(6).substring(at + 1));
      Sql.run(
          c,
          "drop trigger " + name,
          "set session sql_mode = '"
              + t.get(7)
              + "', session collation_connection = '"
              + t.get(8)
              + "'",
          "create definer = "
              + definer
              + " trigger "
              + name
              + " "
              + t.get(2)
              + " "
              + t.get(3)
              + " on "
              + full(t.get(0), t.get(4))
              + " for each row "
              + (t.get(9) == null ? "" : "precedes " + rules().quoted(t.get(9)) + " ")
              + GUARD
              + t.get(5)
              // A comment may come last.
              + "\n; end if");
    }
  }

  @Override
  public List<String> searchPath(Connection c) throws SQLException {
    String database = Sql.string(c, "select database()");
    return database == null ? List.of() : List.of(database);
  }

  @Override
  public void settle(Connection c) {
    // InnoDB checks nothing at the commit that it has not checked before.
  }

  @Override
  public String tag(Connection c) throws SQLException {
    if (!"0".equals(Sql.string(c, "select ifnull(" + OPEN + ", 0)"))) {
      throw new SQLTransactionRollbackException(
          "the transaction was rolled back: what changed in it could not be captured, as a row of more than half of"
              + " max_allowed_packet, and a function or trigger passed over that error",
          "40000");
    }
    return Sql.string(c, "select " + TAG);
  }

  @Override
  public String tagged() {
    return "ifnull(" + TAG + ", 'none')";
  }

  @Override
  public boolean committedBySchema() {
    return true;
  }

  @Override
  public Set<String> touched(Connection c) {
    return new TreeSet<>();
  }

  @Override
  public Map<String, String> counters(Connection c, Set<String> names) throws SQLException {
    Map<String, String> states = new TreeMap<>();
    for (String name : names) {
      List<String> parts = parts(name);
      String state =
          parts.get(1).endsWith(AUTO)
              ? Sql.string(
                  c,
                  "select auto_increment from information_schema.tables where table_schema = ? and table_name = ?",
                  parts.get(0),
                  parts.get(1).substring(0, parts.get(1).length() - AUTO.length()))
              : Sql.string(
                  c, "select concat(next_not_cached_value, ' ', cycle_count) from " + name);
      if (state != null) {
        states.put(name, state);
      }
    }
    return states;
  }

  @Override
  public void count(Connection c, String name, String state) throws SQLException {
    List<String> parts = parts(name);
    // A sequence has its round behind its value, without which it does not begin anew.
    String[] numbers = state.split(" ", -1);
    long value = Long.parseLong(numbers[0]);
    long round = numbers.length > 1 ? Long.parseLong(numbers[1]) : 0;
    if (parts.get(1).endsWith(AUTO)) {
      String table = parts.get(1).substring(0, parts.get(1).length() - AUTO.length());
      Sql.run(c, "alter table " + full(parts.get(0), table) + " auto_increment = " + value);
    } else {
      Sql.string(c, "select setval(" + name + ", " + value + ", 0, " + round + ")");
    }
  }

  @Override
  public void quiet(Connection c) throws SQLException {
    Sql.run(
        c,
        "set "
            + APPLYING
            + " = 1, session foreign_key_checks = 0, session check_constraint_checks = 0, session time_zone = '+00:00',"
            + " session sql_mode = '"
            + AS_IT_IS
            + ANY_DATE
            + "'");
  }

  @Override
  public void loud(Connection c) throws SQLException {
    Sql.run(
        c,
        "set "
            + APPLYING
            + " = null, session foreign_key_checks = 1, session check_constraint_checks ="
            + " @@global.check_constraint_checks, session time_zone = @@global.time_zone, session sql_mode = '"
            + USUAL
            + "'");
  }

  @Override
  public void delete(Connection c, String table, List<String> rows) throws SQLException {
    List<String> parts = parts(table);
    List<Column> columns = columns(c, parts.get(0), parts.get(1));
    List<String> where = new ArrayList<>();
    columns.stream().filter(Column::key).forEach(k -> where.add(k.name + " = " + k.parameter()));
    int gone = 0;
    if (where.isEmpty()) {
      gone = deleteEqual(c, table, text(columns, ""), rows);
    } else {
      try (PreparedStatement s =
          c.prepareStatement("delete from " + table + " where " + String.join(" and ", where))) {
        for (String row : rows) {
          String[] values = row.split(",", -1);
          int at = 1;
          for (int i = 0; i < columns.size(); i++) {
            if (columns.get(i).key) {
              at = columns.get(i).set(s, at, values[i]);
            }
          }
          gone += s.executeUpdate();
        }
      }
    }
    if (gone != rows.size()) {
      throw new SQLException(
          table
              + " has "
              + gone
              + " of "
              + rows.size()
              + " rows that the redo log changes: its contents are not those of the log",
          "XX001");
    }
  }

  /**
   * Deletes rows of a table without a key, which are told apart by all they hold: many at once,
   * since each statement reads the whole table.
   */
  private static int deleteEqual(Connection c, String table, String text, List<String> rows)
      throws SQLException {
    Map<String, Integer> wanted = new TreeMap<>();
    rows.forEach(row -> wanted.merge(row, 1, Integer::sum));
    int gone = 0;
    List<String> some = new ArrayList<>();
    long length = 0;
    for (String row : wanted.keySet()) {
      if (!some.isEmpty() && (some.size() == AT_ONCE || length + row.length() > LONGEST)) {
        gone += deleteSome(c, table, text, wanted, some);
        some.clear();
        length = 0;
      }
      some.add(row);
      length += row.length();
    }
    return gone + deleteSome(c, table, text, wanted, some);
  }

  private static int deleteSome(
      Connection c, String table, String text, Map<String, Integer> wanted, List<String> some)
      throws SQLException {
    String in = text + " in (" + String.join(", ", Collections.nCopies(some.size(), "?")) + ")";
    int gone = 0;
    for (List<String> there :
        rows(
            c,
            2,
            // Groups of long texts are not told apart by all of these.
            String.format(
                "select max(%1$s), count(*) from %2$s where %3$s group by sha2(%1$s, 256)",
                text, table, in),
            some.toArray())) {
      String row = there.get(0);
      if (Integer.parseInt(there.get(1)) > wanted.get(row)) {
        String sql = "delete from " + table + " where " + text + " = ? limit " + wanted.get(row);
        gone += Sql.update(c, sql, row);
        // The others are deleted wherever they are.
        some.set(some.indexOf(row), "");
      }
    }
    return gone + Sql.update(c, "delete from " + table + " where " + in, some.toArray());
  }

  @Override
  public void insert(Connection c, String table, List<String> rows) throws SQLException {
    List<String> parts = parts(table);
    List<Column> columns = columns(c, parts.get(0), parts.get(1));
    String names = String.join(", ", columns.stream().map(Column::name).toList());
    String values = String.join(", ", columns.stream().map(Column::parameter).toList());
    // Generated columns are made as they were, in no mode that takes any text for a date.
    boolean usual = rows.stream().noneMatch(row -> noDate(columns, row));
    Sql.run(c, "set session sql_mode = '" + AS_IT_IS + (usual ? "" : ANY_DATE) + "'");
    try (PreparedStatement s =
        c.prepareStatement("insert into " + table + " (" + names + ") values (" + values + ")")) {
      for (String row : rows) {
        String[] hex = row.split(",", -1);
        int at = 1;
        for (int i = 0; i < columns.size(); i++) {
          at = columns.get(i).set(s, at, hex[i]);
        }
        s.addBatch();
      }
      s.executeBatch();
    }
    Sql.run(c, "set session sql_mode = '" + AS_IT_IS + ANY_DATE + "'");
  }

  /** A date of the row has a day that its month has not, which a schema script's mode may allow. */
  private static boolean noDate(List<Column> columns, String row) {
    String[] hex = row.split(",", -1);
    for (int i = 0; i < columns.size(); i++) {
      if (columns.get(i).type.startsWith("date") && !hex[i].equals("N")) {
        String date = new String(HexFormat.of().parseHex(hex[i]), StandardCharsets.US_ASCII);
        int year = Integer.parseInt(date.substring(0, 4));
        int month = Integer.parseInt(date.substring(5, 7));
        int day = Integer.parseInt(date.substring(8, 10));
        // To MariaDB the year 0 is no leap year.
        if (month > 0 && day > YearMonth.of(year == 0 ? 1 : year, month).lengthOfMonth()) {
          return true;
        }
      }
    }
    return false;
  }

  @Override
  public String context(Connection c) throws SQLException {
    Dialect.refuse(
        Sql.strings(
            c,
            "select lower(variable_name) from information_schema.system_variables where variable_scope = 'SESSION' and"
                + " not session_value <=> global_value and lower(variable_name) not in ("
                + OF_NO_SCHEMA
                + ") or variable_name = 'AUTOCOMMIT' and session_value <> 'OFF' or variable_name in"
                + " ('CHARACTER_SET_CLIENT', 'CHARACTER_SET_CONNECTION') and session_value not like 'utf8%' order by 1"),
        Initialization.SET);
    return Sql.string(
        c,
        "select json_object('sql_mode', @@sql_mode, 'database', ifnull(database(), ''), 'time_zone', @@time_zone,"
            + " 'collation', @@collation_connection, 'keys', @@foreign_key_checks + 0)");
  }

  @Override
  public void run(Connection c, Ddl ddl) throws SQLException {
    String context = ddl.context();
    boolean all = context.startsWith("{");
    // Older entries have a mode and the database, or the database alone.
    int at = context.indexOf('/');
    String database = all ? carried(c, context, "database") : context.substring(at + 1);
    if (!database.isEmpty()) {
      Sql.run(c, "use " + rules().quoted(database));
    }
    try {
      if (all) {
        Sql.update(c, "set session collation_connection = ?", carried(c, context, "collation"));
        Sql.update(c, "set session time_zone = ?", carried(c, context, "time_zone"));
        Sql.run(c, "set session foreign_key_checks = " + carried(c, context, "keys"));
      }
      if (all || at >= 0) {
        String mode = all ? carried(c, context, "sql_mode") : context.substring(0, at);
        Sql.run(c, "set session sql_mode = '" + mode + "'");
      }
      Sql.run(c, ddl.sql());
    } finally {
      Sql.run(
          c,
          "set names utf8mb4, session time_zone = @@global.time_zone, session foreign_key_checks = 1, session sql_mode = '"
              + USUAL
              + "'");
    }
  }

  private static String carried(Connection c, String context, String name) throws SQLException {
    return Sql.string(c, "select json_value(?, ?)", context, "$." + name);
  }

  @Override
  public String contents(Connection c) throws SQLException {
    StringBuilder contents = new StringBuilder();
    for (List<String> table :
        rows(
            c,
            3,
            "select table_schema, table_name, table_type from information_schema.tables where table_schema"
                + OURS
                + " order by 1, 2")) {
      String full = full(table.get(0), table.get(1));
      contents.append(full);
      Sql.each(
          c,
          "select column_name, column_type, is_nullable from information_schema.columns where table_schema = ? and table_name"
              + " = ? order by ordinal_position",
          row ->
              contents
                  .append(' ')
                  .append(row.getString(1))
                  .append(' ')
                  .append(row.getString(2))
                  .append(row.getString(3)),
          table.get(0),
          table.get(1));
      if (table.get(2).equals("BASE TABLE")) {
        String text = text(columns(c, table.get(0), table.get(1)), "");
        // The check sum alone stays the same where rows exchange their values.
        List<String> sums =
            rows(
                    c,
                    2,
                    String.format(
                        "select concat(count(*), ' ', bit_xor(crc32(%1$s))), ifnull(sum(cast(conv(left(md5(%1$s), 15), 16, 10) as"
                            + " unsigned)), 0) from %2$s",
                        text, full))
                .get(0);
        contents.append(' ').append(sums.get(0)).append('\n').append(Initialization.DEFINED);
        contents.append("rows of ").append(full).append(' ').append(sums.get(1));
      }
      contents.append('\n');
    }
    return contents.toString();
  }

  /** A body, unless it was made in a mode in which quotes are others than here. */
  private static String read(String body) {
    return "if(sql_mode regexp 'ANSI_QUOTES|NO_BACKSLASH_ESCAPES', null, " + body + ")";
  }

  @Override
  public Catalog catalog(Connection c) throws SQLException {
    Catalog catalog = new Catalog(rules());
    for (List<String> t :
        rows(
            c,
            4,
            "select table_schema, table_name, table_type, ifnull(engine, '') from information_schema.tables where"
                + " table_schema"
                + OURS)) {
      Catalog.Type type =
          switch (t.get(2)) {
            case "VIEW" -> Catalog.Type.VIEW;
            case "SEQUENCE" -> Catalog.Type.SEQUENCE;
            default -> t.get(3).equals("InnoDB") ? Catalog.Type.TABLE : Catalog.Type.FOREIGN;
          };
      catalog.relation(t.get(0), t.get(1), type);
    }
    for (List<String> t :
        rows(
            c,
            2,
            "select table_schema, table_name from information_schema.columns where extra like '%auto_increment%' and"
                + " table_schema"
                + OURS)) {
      catalog.relation(t.get(0), t.get(1) + AUTO, Catalog.Type.SEQUENCE);
      String table = full(t.get(0), t.get(1));
      String counter = full(t.get(0), t.get(1) + AUTO);
      catalog.draws(table, Mode.WRITE, counter, Mode.WRITE);
      // To set the counter is to alter the table, which waits for whoever has read it.
      catalog.draws(table, Mode.READ, counter, Mode.READ);
    }
    for (List<String> f :
        rows(
            c,
            4,
            "select distinct table_schema, table_name, referenced_table_schema, referenced_table_name from"
                + " information_schema.key_column_usage where referenced_table_name is not null and table_schema"
                + OURS)) {
      String child = full(f.get(0), f.get(1));
      String parent = full(f.get(2), f.get(3));
      catalog.draws(child, Mode.WRITE, parent, Mode.READ);
      catalog.draws(parent, Mode.WRITE, child, Mode.READ);
      // That locks all of the child, too, and waits for whoever has locked a row there.
      catalog.draws(child, Mode.READ, full(f.get(2), f.get(3) + AUTO), Mode.READ);
    }
    // MariaDB's catalog does not say what a view reads: every name in its definition counts.
    for (List<String> v :
        rows(
            c,
            3,
            "select table_schema, table_name, view_definition from information_schema.views where table_schema"
                + OURS)) {
      String view = "view " + full(v.get(0), v.get(1));
      // It is empty to a user without SHOW VIEW.
      catalog.function(view, v.get(2) == null || v.get(2).isEmpty() ? null : v.get(2));
      for (Mode mode : Mode.values()) {
        catalog.calls(full(v.get(0), v.get(1)), mode, view);
      }
    }
    for (List<String> t :
        rows(
            c,
            4,
            "select event_object_schema, event_object_table, trigger_name, "
                + read("action_statement")
                + " from information_schema.triggers where trigger_schema"
                + OURS
                + " and trigger_name not like 'plumb\\_metric\\_%'")) {
      String trigger = "trigger " + full(t.get(0), t.get(2));
      catalog.function(trigger, t.get(3));
      catalog.calls(full(t.get(0), t.get(1)), Mode.WRITE, trigger);
    }
    for (List<String> r :
        rows(
            c,
            2,
            "select lower(routine_name), "
                + read("routine_definition")
                + " from information_schema.routines where routine_schema <> '"
                + PRIVATE
                + "' and definer <> 'mariadb.sys@localhost'")) {
      catalog.function(r.get(0), r.get(1));
    }
    for (List<String> d :
        rows(
            c,
            4,
            "select table_schema, table_name, column_name, column_default from information_schema.columns where"
                + " column_default like '%(%' and table_schema"
                + OURS)) {
      String named = "default of " + rules().quoted(d.get(2)) + " in " + full(d.get(0), d.get(1));
      catalog.function(named, d.get(3));
      catalog.calls(full(d.get(0), d.get(1)), Mode.WRITE, named);
    }
    BARRED.forEach(catalog::bar);
    for (String word : RESERVED.split(" ", -1)) {
      catalog.reserve(word);
    }
    catalog.system("information_schema.");
    catalog.system("performance_schema.");
    return catalog;
  }
}
