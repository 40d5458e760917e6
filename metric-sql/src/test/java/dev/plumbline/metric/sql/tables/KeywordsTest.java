package dev.plumbline.metric.sql.tables;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumbline.metric.sql.local.LocalDatabase;
import dev.plumbline.metric.sql.local.Sql;
import dev.plumbline.metric.sql.local.TestPostgres;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Tables and columns may be called by every word that PostgreSQL does not reserve, without quotes;
 * Calcite reserves many of them.
 */
@Tag("slow")
class KeywordsTest {
  private static final List<String> FORMS =
      List.of(
          "select * from %1$s",
          "select %1$s.id from %1$s",
          "select z.id from %1$s z where z.id > 1",
          "select z.id from %1$s as z join other_table o on o.id = z.id",
          "insert into %1$s values (1)",
          "insert into %1$s (id) values (1)",
          "update %1$s set id = 2",
          "update %1$s z set id = 2 where z.id = 1",
          "delete from %1$s where %1$s.id = 1",
          "select 1 where exists (select 1 from %1$s)",
          "select * from public.%1$s",
          "select * from other_table left join %1$s on true",
          "select %1$s from of_%1$s",
          "select h.%1$s from of_%1$s h where h.%1$s = 1 order by h.%1$s",
          "select max(%1$s) from of_%1$s group by %1$s having count(%1$s) > 0 order by %1$s",
          "insert into of_%1$s (%1$s) values (1)",
          "update of_%1$s set %1$s = %1$s + 1 where %1$s > 0",
          "select 1 as %1$s from other_table",
          "select %1$s.id from other_table as %1$s",
          "with %1$s as (select id from other_table) select id from %1$s",
          "select of_%1$s.%1$s, 2 from of_%1$s where not %1$s = 1 and (%1$s) in (1, 2)",
          "select case when %1$s = 1 then %1$s else 0 end from of_%1$s",
          "select distinct %1$s from of_%1$s union select %1$s from of_%1$s",
          "select id, %1$s from of_%1$s where %1$s is null or -%1$s < 0");

  /** Where every word is a name, reserved or not. */
  private static final List<String> LABELS =
      List.of(
          "select id as %1$s, (select max(id) as %1$s from third) as %1$s from other_table where true",
          "select o.%1$s from (select id as %1$s from other_table) as o order by o.%1$s limit (select 1 as"
              + " %1$s from third)",
          "insert into changed select id as %1$s from other_table on conflict do nothing returning id as"
              + " %1$s, (select max(id) from third) as %1$s",
          "update changed set id = 1 from other_table as o where o.id = 1 returning o.id as %1$s, (select"
              + " max(id) as %1$s from third)",
          "delete from changed using (select id as %1$s from other_table) as o where true returning o.%1$s,"
              + " (select max(id) from third) as %1$s",
          "merge into changed using (select id as %1$s from other_table) as o on o.%1$s = changed.id when"
              + " matched and exists (select 1 as %1$s from third) then do nothing",
          "with w as (delete from changed returning id as %1$s) select w.%1$s as %1$s from w, third union"
              + " select id as %1$s from other_table");

  /** Words that want quotes in some of the statements above. */
  private static final Set<String> QUOTED =
      Set.of(
          "delete",
          "exists",
          "final",
          "ignore",
          "insert",
          "interval",
          "merge",
          "new",
          "recursive",
          "replace",
          "running",
          "stream",
          "system",
          "ties",
          "update",
          "values");

  private static List<String> words(Connection c) throws SQLException {
    Set<String> all =
        new TreeSet<>(
            Sql.strings(c, "select word from pg_get_keywords() where catcode <> 'R' order by 1"));
    all.addAll(
        List.of(
            "account",
            "count",
            "current",
            "datetime",
            "descriptor",
            "every",
            "first",
            "iterate",
            "last",
            "measure",
            "minus",
            "month",
            "permute",
            "position",
            "power",
            "qualify",
            "rank",
            "result",
            "running",
            "signal",
            "stream",
            "sum",
            "upsert",
            "uuid"));
    return List.copyOf(all);
  }

  @Test
  void everyWordThatIsNotReservedNamesATableAndAColumn() throws SQLException {
    LocalDatabase db = TestPostgres.local();
    int found = 0;
    List<String> missed = new ArrayList<>();
    Set<String> refused = new TreeSet<>();
    try (Connection c = db.connect()) {
      List<String> words = words(c);
      Sql.run(c, "create table other_table (id int)");
      for (String word : words) {
        Sql.run(
            c,
            "create table \"" + word + "\" (id int)",
            "create table \"of_" + word + "\" (id int, \"" + word + "\" int)");
        c.commit();
      }
      db.dialect().capture(c);
      c.commit();
      Catalog catalog = db.dialect().catalog(c);
      c.commit();
      for (String word : words) {
        for (String form : FORMS) {
          String sql = form.formatted(word);
          try {
            Sql.run(c, sql);
          } catch (SQLException e) {
            // PostgreSQL wants quotes here as well.
            c.rollback();
            continue;
          }
          Set<String> locked = db.dialect().touched(c);
          c.rollback();
          try {
            if (!Statements.plan(catalog, List.of("public"), sql).tables().containsAll(locked)) {
              missed.add(sql);
            }
            found++;
          } catch (Refused e) {
            refused.add(word);
          }
        }
      }
    }
    assertThat(missed).isEmpty();
    assertThat(found).isGreaterThan(9_000);
    assertThat(refused).isSubsetOf(QUOTED);
  }

  @Test
  void everyWordIsALabel() throws SQLException {
    LocalDatabase db = TestPostgres.local();
    try (Connection c = db.connect()) {
      for (String table : List.of("changed", "other_table", "third")) {
        Sql.run(c, "create table " + table + " (id int primary key)");
      }
      c.commit();
      db.dialect().capture(c);
      c.commit();
      Catalog catalog = db.dialect().catalog(c);
      c.commit();
      List<String> words = Sql.strings(c, "select word from pg_get_keywords() order by 1");
      assertThat(words).contains("as", "from", "on", "returning", "union", "using", "where");
      for (String word : words) {
        for (String form : LABELS) {
          String sql = form.formatted(word);
          Sql.run(c, sql);
          Set<String> locked = db.dialect().touched(c);
          c.rollback();
          assertThat(locked).hasSizeGreaterThan(1);
          assertThat(Statements.plan(catalog, List.of("public"), sql).tables())
              .as(sql)
              .containsAll(locked);
        }
      }
    }
  }
}
