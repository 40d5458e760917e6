package dev.plumbline.metric.sql.site;

import static dev.plumbline.metric.sql.local.States.doing;
import static dev.plumbline.metric.sql.local.States.state;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.plumbline.metric.sql.local.LocalDatabase;
import dev.plumbline.metric.sql.local.Sql;
import dev.plumbline.metric.sql.local.TestMariaDb;
import java.sql.Connection;
import java.sql.SQLException;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What a schema script sets is set at the other sites too, or it is refused. */
@Tag("slow")
class MariaDbInitializationTest {

  @Test
  void triggersAndNamesAreAsTheyWereMade() throws SQLException {
    try (TestSites sites = TestSites.on("mariadb", 2, TestSites.QUICK)) {
      try (Connection c = sites.site(0).initialize()) {
        Sql.run(
            c,
            "create table t (id int primary key, v int, same int)",
            "create trigger twice before insert on t for each row set new.v = new.v * 2",
            "create trigger plus before insert on t for each row precedes twice set new.v = new.v + 1 -- first",
            "create trigger last before insert on t for each row follows twice set new.v = new.v - 3 # at last",
            "set names utf8mb4 collate utf8mb4_bin",
            "create trigger alike before insert on t for each row set new.same = ('a' = 'A')",
            "set names utf8mb4",
            "create table old (id int primary key)",
            "insert into old values (1)",
            "rename table old to renamed",
            "insert into renamed values (2)",
            "create table kept (id int primary key, at timestamp null, n int, d date as (cast(at as date)) stored,"
                + " e date as (d) virtual, f int as (year(e)) stored, g int as (year(at)) virtual, h int as (n + 1) stored,"
                + " check (hour(at) < 12))",
            "create index i on kept (g)");
        assertThatThrownBy(() -> Sql.run(c, "end initialization"))
            .isInstanceOf(SQLException.class)
            .hasMessageContaining(
                "Metric refuses column `d` of app.kept, column `f` of app.kept, column `g` of app.kept:");
        Sql.run(
            c,
            "drop index i on kept",
            "alter table kept drop column f, drop column e, drop column d",
            "end initialization");
      }
      for (int i = 0; i < 2; i++) {
        sites.run(i, "insert into t (id, v) values (" + i + ", 10)");
        sites.run(i, "insert into renamed values (" + (3 + i) + ")");
        // In the morning here, and in the evening of the day before where it is applied.
        sites.run(i, "insert into kept (id, at, n) values (" + i + ", '2024-05-05 01:00', 1)");
      }
      for (int i = 0; i < 2; i++) {
        assertThat(sites.ask(i, "select v from t")).containsExactly("19", "19");
        assertThat(sites.ask(i, "select same from t")).containsExactly("0", "0");
        assertThat(sites.ask(i, "select id from renamed")).containsExactly("1", "2", "3", "4");
        assertThat(sites.ask(i, "select h from kept")).containsExactly("2", "2");
      }
    }
  }

  @Test
  void settingsMeanTheSameElsewhere() throws SQLException {
    try (TestSites sites = TestSites.on("mariadb", 2, TestSites.QUICK)) {
      try (Connection c = sites.site(0).initialize()) {
        Sql.run(
            c,
            "set time_zone = '-05:00'",
            "create table t (id int primary key, at timestamp default '2024-01-01 00:00:00')",
            "set names utf8mb4 collate utf8mb4_bin",
            "create view v as select id, 'a' = 'A' as same from t",
            "set foreign_key_checks = 0, unique_checks = 0",
            "create table child (id int primary key, p int, foreign key (p) references parent (id))",
            "create table parent (id int primary key)",
            "set foreign_key_checks = 1");
        for (String setting :
            new String[] {
              "default_storage_engine = Aria",
              "explicit_defaults_for_timestamp = 0",
              "character_set_client = latin1",
              "collation_server = utf8mb4_bin"
            }) {
          String name = setting.replaceAll(" .*", "");
          Sql.run(c, "set " + setting);
          assertThatThrownBy(() -> Sql.run(c, "create table x (id int)"))
              .as(setting)
              .isInstanceOf(SQLException.class)
              .hasMessageContaining(name)
              .hasMessageContaining("at the other sites");
          Sql.run(c, "set " + name + " = default", "set names utf8mb4 collate utf8mb4_bin");
        }
        state(doing(c, "set autocommit = 1"), "0A000");
        state(doing(c, "set unique_checks = 1, @@session.autocommit = 1"), "0A000");
        state(doing(c, "set global wait_timeout = 100"), "0A000");
        state(doing(c, "set @@global.wait_timeout = 100"), "0A000");
        Sql.run(c, "end initialization");
      }
      for (int i = 0; i < 2; i++) {
        sites.run(i, "insert into t (id) values (" + i + ")");
        state(doing(sites.connect(i), "insert into child values (1, 1)"), "23000");
      }
      for (int i = 0; i < 2; i++) {
        assertThat(sites.ask(i, "select cast(unix_timestamp(at) as char) from t"))
            .containsExactly("1704085200", "1704085200");
        assertThat(sites.ask(i, "select same from v")).containsExactly("0", "0");
      }
    }
  }

  /** Rows that are there get the default of a column that is added, at each site by itself. */
  @Test
  void rowsAreFilledAlike() throws SQLException {
    try (TestSites sites = TestSites.on("mariadb", 2, TestSites.QUICK)) {
      try (Connection c = sites.site(0).initialize()) {
        Sql.run(
            c,
            "create table a (id int primary key)",
            "alter table a add early timestamp not null default now()",
            "insert into a values (1, '2024-05-05'), (2, '2024-06-06')",
            "create sequence numbers",
            "create table bare (v int)",
            "insert into bare values (1), (2), (3)",
            "update bare set v = 10 where v = 1");
        for (String adding :
            new String[] {
              "alter table a add made timestamp not null default now()",
              "alter online table `app`.`a` add column (x int, made datetime default current_timestamp on update current_timestamp)",
              "alter table a add b int, add made int default (rand() * 1000000)",
              "alter table a add n int default (next value for numbers)",
              "alter table a add n int default nextval(numbers)",
              // Its rows are numbered in the order in which each site has them.
              "alter table bare add n int auto_increment primary key",
              "alter table bare add n bigint(20) auto_increment unique",
              "alter table bare add n int serial default value",
              "alter table bare add (x int, n serial)"
            }) {
          assertThatThrownBy(() -> Sql.run(c, adding))
              .as(adding)
              .isInstanceOf(SQLException.class)
              .hasMessageContaining("at each site they would get another value of ");
        }
        Sql.run(
            c,
            "alter table a add made int default 5 comment 'x', add y int not null default 7 after early",
            // By their key, which all sites have.
            "alter table a add number int auto_increment unique",
            "alter table bare add serial int, add n int after serial, add index serial (serial)",
            "set @n = 0",
            "update bare set n = (@n := @n + 1)",
            "alter table bare modify n int auto_increment primary key",
            "end initialization");
      }
      String all = "select concat_ws(' ', id, early, made, y, number) from a order by id";
      assertThat(sites.ask(1, all)).hasSize(2).isEqualTo(sites.ask(0, all));
      String bare = "select concat_ws(' ', v, n) from bare order by v";
      assertThat(sites.ask(1, bare)).hasSize(3).isEqualTo(sites.ask(0, bare));
    }
  }

  /** A digest tells rows apart that have exchanged their values. */
  @Test
  void exchangedValuesAreADifference() throws SQLException {
    LocalDatabase database = TestMariaDb.local();
    try (Connection c = database.connect()) {
      Sql.run(c, "create table t (a int, b int)", "insert into t values (1, 1), (2, 2)");
      String before = database.dialect().contents(c);
      assertThat(database.dialect().contents(c)).isEqualTo(before);
      Sql.run(c, "update t set b = 3 - b");
      assertThat(database.dialect().contents(c)).isNotEqualTo(before);
    } finally {
      database.close();
    }
  }

  /** What the database commits by itself cannot be rolled back at this site alone. */
  @Test
  void whatTheDatabaseCommitsIsCommittedForAll() throws SQLException {
    try (TestSites sites = TestSites.on("mariadb", 2, TestSites.QUICK)) {
      try (Connection c = sites.site(0).initialize()) {
        Sql.run(c, "create table t (id int primary key)");
        c.setAutoCommit(false);
        int id = 0;
        for (String committing :
            new String[] {
              "analyze table t", "check table t", "optimize local table t", "flush tables"
            }) {
          Sql.run(c, "insert into t values (" + id++ + ")", committing);
          c.rollback();
        }
        Sql.run(c, "insert into t values (100)", "analyze select * from t");
        c.rollback();
        assertThatThrownBy(() -> Sql.run(c, "lock tables t write"))
            .isInstanceOf(SQLException.class)
            .hasMessageContaining("LOCK TABLES");
        Sql.run(c, "unlock tables", "end initialization");
      }
      for (int i = 0; i < 2; i++) {
        assertThat(sites.ask(i, "select id from t")).containsExactly("0", "1", "2", "3");
      }
    }
  }
}
