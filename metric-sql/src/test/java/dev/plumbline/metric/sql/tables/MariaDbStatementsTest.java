package dev.plumbline.metric.sql.tables;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.plumbline.metric.sql.tables.Catalog.Mode;
import dev.plumbline.metric.sql.tables.Catalog.Type;
import java.time.Duration;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Assertions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Tables that are found for MariaDB, which gives no second look. What its server makes of each
 * statement was seen with 11.4.5.
 */
class MariaDbStatementsTest {
  private static Catalog catalog() {
    Catalog catalog = new Catalog(Lexer.Rules.MARIADB);
    for (String table :
        List.of(
            "a", "b", "from_b", "only", "1a", "2024_01", "0X1f", "\u3000b", "logged", "a@b",
            "{c}:=")) {
      catalog.relation("app", table, Type.TABLE);
    }
    catalog.relation("app", "s", Type.SEQUENCE);
    for (String word : List.of("select", "from", "where", "union", "on", "and", "or", "as")) {
      catalog.reserve(word);
    }
    catalog.function("trigger", "insert into 2024_01 values (new.n)");
    catalog.calls("`app`.`logged`", Mode.WRITE, "trigger");
    catalog.function("pkg", "function f() returns int return (select sum(n) from b);");
    catalog.function(
        "odd", "begin set @x := 1; insert into `a@b` values (@x); delete from `{c}:=`; end");
    catalog.function("past", "begin insert into mysql.servers (server_name) values ('x'); end");
    catalog.function("ignores", "begin update low_priority ignore a set n = 1; return 1; end");
    catalog.function("total", "return (select sum(n) from b)");
    return catalog;
  }

  private static Plan plan(String sql) {
    return Assertions.assertTimeoutPreemptively(
        Duration.ofSeconds(20), () -> Statements.plan(catalog(), List.of("app"), sql));
  }

  private static String found(String sql) {
    return plan(sql).tables().stream()
        .map(t -> t.replace("`app`.`", "").replace("`", ""))
        .collect(Collectors.joining(" "));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '~',
      value = {
        // A name may begin with a digit, a number ends where it can.
        "select * from app.1a|1a",
        "select n from app.1a where n = .5|1a",
        "select * from 2024_01|2024_01",
        "select * from 0X1f|0X1f",
        "insert into logged values (1)|2024_01 logged",
        "select 1.5a|~~",
        "select 1.5from b|b",
        "select 1.from b|b",
        "select 1e5from b|b",
        "select 1e+5from b|b",
        "select .5from b|b",
        "select 0x1f, 0b01, 1e5, 1.e5, 1.5e-5, 10 from b|b",
        // A function of a package.
        "select pkg.f()|b",
        "select `pkg` . f()|b",
        // In a name they are what they are.
        "select odd()|a@b {c}:=",
        // What is no word of MariaDB's.
        "select * from only b|only",
        "update only set n = 1|only",
        "delete from only where n = 1|only",
        "insert into only values (1)|only",
        // What only MariaDB writes so.
        "select isnull(n) from a|a",
        "select n from a lock in share mode|a",
        "select n from a where n in (select n from b lock in share mode)|a b",
        "select sql_no_cache n from a|a",
        "select high_priority sql_no_cache n from a|a",
        "select sql_calc_found_rows distinct n from a limit 10|a",
        "select @@version, @@session.wait_timeout, @@global . version from a|a",
        "select n from a use index (i) where n = 1|a",
        "select a.n from a as x force index for order by (i, j) ignore key (k) join b use index () on b.n = x.n, from_b|a b from_b",
        "update a ignore index (i) join b on a.n = b.n set a.n = 1|a b",
        "select a.n from a straight_join b on a.n = b.n where a.n in (select n from from_b)|a b from_b",
        "select straight_join a.n from a straight_join b|a b",
        "select n, sum(n) from a group by n with rollup having n > (select 1 from b) limit 3|a b",
        "select j.n from a, json_table(a.n, '$[*]' columns (n int path '$' default '0' on empty, nested path '$[*]' columns (m int path '$'))) as j, b|a b",
        "select * from json_table((select n from b limit 1), '$' columns (n int path '$')) j|b",
        // Items of a FROM in parentheses.
        "select * from a left join (b, from_b) on b.n = a.n and from_b.n = b.n|a b from_b",
        "select * from (a, b) left join from_b on true, (only)|a b from_b only",
        "select * from a left join ((b as x, (from_b, only y)), (select n from logged) z) on x.n = a.n|a b from_b logged only",
        "select * from ((a)), (b join from_b using (n)) where (n, 1) in ((1, 2), (3, 4)) order by n, (n)|a b from_b",
        "update a left join (b, from_b) on b.n = a.n set a.n = (select max(n) from only)|a b from_b only",
        "delete a from a straight_join (b, from_b)|a b from_b",
        "delete from a using (a, b) join from_b using (n) where a.n = b.n|a b from_b",
        "with recursive z (n, m) as (select n, 1 from a union select n, m from z) cycle n, m restrict select * from z, b where n in (select n from from_b)|a b from_b",
        "select date_sub(n, interval (select max(n) from b) day), n + interval (n + 1) minute_second, interval(1, n) from a|a b",
        "select convert(n, char), convert(n, decimal(5, 2)), convert((select n from b) using utf8mb4), char(65 using utf8mb4) from a|a b",
        "select * from a partition (p0, p1) as x, b partition (p2) where x.n = b.n|a b",
        "insert into a partition (p0) (n) select n from b|a b",
        "update a partition (p0) set n = (select max(n) from b)|a b",
        "select seq, n from seq_1_to_10 left join seq_0_to_100_step_5 z on true, a|a",
        "select n sounds like 'x', (n sounds like (select n from b)) from a where sounds like 'y'|a b",
        "select match (n, m) against (concat('+', 'x') in boolean mode) from a|a",
        "select insert(n, 1, 1, 'x'), char(65), date(n) as date from a|a",
        "select * from ((select n from b) z, a)|a b",
        "select * from (((select n from b union select n from a) z, only), (from_b)) join logged on true|a b from_b logged only",
        "select * from ((select n from b) union (select n from a)) z, (((select n from only))) y, ((with q as (select n from from_b) select n from q) x)|a b from_b only",
        "select group_concat(distinct n order by (select max(n) from b) separator '/' limit 2, ?), (select n from from_b limit 3) from a|a b from_b",
        "select group_concat(n, (select n from b limit 1) limit 3 offset 1) from a|a b",
        "select n from a where n in (select n from b) limit 10 offset 5 rows examined 100|a b",
        "(select n from a limit rows examined 5) union select n from b limit 3, 4 rows examined ?|a b",
        "select n from a order by n offset 1 row fetch first row only|a",
        "select n from a lock in share mode nowait|a",
        "select n from a for update skip locked|a",
        "(select n from a for update) union select n from b|a b",
        "explain extended format=json select n from a|a",
        "analyze format=json update a set n = (select n from b)|a b",
        "describe select n from a|a",
        "EXPLAIN SELECT n from a|a",
        "Explain Update a set n = 1|a",
        "insert into a values (1) on duplicate key update n = (values(n) + 1)|a",
        "insert into a values (1) on duplicate key update n = if(values(a.n) > 1, 3, n)|a",
        "insert into a values (1) on duplicate key update n = (values(n) + (select n from b))|a b",
        "insert into a select n from b where n in (values (1) union select n from from_b)|a b from_b",
        // A query in parentheses within others, and a name that is none of an operator.
        "select z.n from ((select n from a) order by n limit 1) z, b|a b",
        "select * from ((select n from a union select n from b) limit 2, 3) as z join ((select n from from_b order by n) order by n) y|a b from_b",
        "select minus.n from a minus, b where minus.n in (select n from from_b minus)|a b from_b",
        "select datediff('2024-03-01', (select max(d) from b)), datediff(d, now()) from a|a b",
        "select json_arrayagg(distinct n order by n limit 3), (select json_arrayagg(distinct n) from b) from a|a b",
        "select @x, @`a``b` + 1, @'from b', @\"c\", @y := n + @y from a where n = @x.y|a",
        "select @x := (select max(n) from b)|b",
        "set @x = (select max(n) from a), @y := total(1)|a b",
        "set @x = 1, @@sql_mode = 'TRADITIONAL', @y = (select n from b where n in (select n from a))|a b",
        "set @x = nextval(s)|s",
        "select previous value for s, lastval(s), n from a|a s",
        "set statement max_statement_time = 1, sql_mode = 'TRADITIONAL' for select n from a|a",
        "set statement lc_time_names = 'de_DE' for update a set n = (select n from b for update)|a b",
      })
  void found(String sql, String tables) {
    assertThat(found(sql)).isEqualTo(tables);
  }

  @Test
  void aCommentEndsWithItsLineAlone() {
    assertThat(found("select a.n from a # x\r /*\n , b # \r */")).isEqualTo("a b");
    assertThat(found("select a.n from a -- x\r /*\n , b -- \r */")).isEqualTo("a b");
  }

  @Test
  void onlyASpaceOfAsciiParts() {
    assertThat(found("select n from \u3000b")).isEqualTo("\u3000b");
    assertThat(found("select\tn\nfrom\f\u000Bb\r")).isEqualTo("b");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "show tables where (select n from b limit 1) = 10",
        "show tables where total(1) > 0",
        "show columns from a where next value for s > 0",
        "set max_statement_time = next value for s",
        "select * from sql_no_cache b",
        "select past()",
        "select @plumb_metric_tx",
        "set @PLUMB_METRIC_apply = 1",
        "set @x",
        "set @x = (select n from nothing)",
        "set @x = found_rows()",
        "set statement sql_mode = '' for select n from a",
        "set statement autocommit = 1 for select n from a",
        "set statement foreign_key_checks = 0 for delete from a",
        "set statement max_statement_time = 1",
        "set statement max_statement_time = 1 for set @x = 1",
        "set statement max_statement_time = 1 for commit",
        "select n from a into @x",
        "set sql_mode = @x",
        "select @@x.y",
        "select @@autocommit",
        "select @@session.in_transaction",
        "select @@warning_count",
        "select n from a where match (n) against ((select n from b))",
        "analyze table a",
        "describe a where n = total(1)",
        "delete only",
        "insert into seq_1_to_10 values (1)",
        "commit work and chain",
        "set @@global.max_statement_time = 1",
        "set global sql_mode = 'STRICT_ALL_TABLES'",
        "set session sql_mode = 'STRICT_ALL_TABLES', autocommit = 0",
        "set wait_timeout = 1, @@autocommit = 0",
        "set wait_timeout = 1, global net_write_timeout = 2",
        "set wait_timeout = 1, @@global.net_write_timeout = 2",
        "set wait_timeout = 1, net_write_timeout = (select max(n) from a)",
        "set wait_timeout = 1, session transaction read only",
        "set names utf8mb4, names sjis",
        "set wait_timeout = 1, , net_write_timeout = 2",
        "select n from a limit (select n from b)",
        "select n from a limit rows examined (select n from b)",
        "select group_concat(n limit (select n from b)) from a",
        "select n from (select n from b limit 3) limit 5) from a",
      })
  void refused(String sql) {
    assertThatThrownBy(() -> plan(sql)).isInstanceOf(Refused.class);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '~',
      value = {
        "set autocommit = 0|setAutoCommit(false)",
        "set session autocommit = 1|setAutoCommit(true)",
        "set @@autocommit = off|setAutoCommit(false)",
        "set @@session.autocommit=on|setAutoCommit(true)",
        "set sql_mode = ''|STRICT_TRANS_TABLES, STRICT_ALL_TABLES or TRADITIONAL",
        "set sql_mode = 'NO_ZERO_DATE'|so that no value is cut",
        "set sql_mode = default|one plain string",
        "set session sql_mode = 'STRICT_TRANS_TABLES,ANSI_QUOTES'|others change what a statement means",
        "set @@sql_mode = 'STRICT_TRANS_TABLES,NO_BACKSLASH_ESCAPES'|others change",
        "set sql_mode = 'STRICT_TRANS_TABLES' 'X'|one plain string",
        "set sql_mode = concat(@@sql_mode, ',ANSI_QUOTES')|others change",
        "set sql_mode = concat(@@sql_mode, '_X')|others change",
        "set sql_mode = concat(@@global.sql_mode, ',STRICT_ALL_TABLES')|others change",
        "set sql_mode = concat('NO_ZERO_DATE,', 'NO_ZERO_IN_DATE')|so that no value is cut",
        "set sql_mode = concat(@@sql_mode, (select n from b))|others change",
        "set sql_mode = concat(@@sql_mode, ',NO_ZERO_DATE') + 0|others change",
        "set wait_timeout = 1, sql_mode = ''|so that no value is cut",
        "set @@local.sql_mode = 2|one plain string",
        "set character_set_results = null|use utf8mb4",
        "set character_set_results = latin1|use utf8mb4",
        "set @@global.sql_mode = 'STRICT_ALL_TABLES'|for the whole server",
        "update ignore a set n = 1|UPDATE with a WHERE",
        "update low_priority ignore a join b on a.n = b.n set a.n = 1|UPDATE with a WHERE",
        "explain update ignore a set n = 1|UPDATE with a WHERE",
        "select ignores()|has UPDATE IGNORE",
      })
  void whatToDoInstead(String sql, String said) {
    assertThatThrownBy(() -> plan(sql)).isInstanceOf(Refused.class).hasMessageContaining(said);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "show tables",
        "describe a",
        "desc app.a 'n%'",
        "explain a n",
        "show index from a where key_name = 'primary'",
        "show full columns from a like '%(%'",
        "show grants for current_user",
        "set names utf8mb4 collate utf8mb4_bin",
        "set sql_mode = 'STRICT_TRANS_TABLES'",
        "SET SESSION sql_mode='strict_all_tables,NO_ZERO_DATE,NO_ZERO_IN_DATE,NO_AUTO_VALUE_ON_ZERO'",
        "set @@session.sql_mode := TRADITIONAL",
        "set @@sql_mode = \"STRICT_TRANS_TABLES,ONLY_FULL_GROUP_BY\"",
        "set sql_mode = concat(@@sql_mode, ',STRICT_ALL_TABLES')",
        "set @@session.sql_mode = concat('NO_ZERO_DATE,', concat(@@session.sql_mode, ',', 'NO_ZERO_IN_DATE')), wait_timeout = 5",
        "set names utf8mb4, session net_write_timeout = 5, @@session.time_zone = '+00:00'",
        "set character_set_results = utf8mb4",
        "set @@character_set_results = 'utf8'",
        "set session group_concat_max_len = 100000",
        "set @@session.wait_timeout = 600",
      })
  void settings(String sql) {
    assertThat(plan(sql).kind()).isEqualTo(Plan.Kind.SETTING);
  }
}
