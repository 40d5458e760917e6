package dev.plumbline.metric.sql.use;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.plumbline.metric.sql.local.Sql;
import dev.plumbline.metric.sql.site.TestSites;
import java.math.BigDecimal;
import java.sql.Connection;
import java.sql.DriverManager;
import java.util.List;
import java.util.Map;
import liquibase.Liquibase;
import liquibase.database.DatabaseFactory;
import liquibase.database.jvm.JdbcConnection;
import liquibase.resource.ClassLoaderResourceAccessor;
import org.jooq.DSLContext;
import org.jooq.Field;
import org.jooq.Record;
import org.jooq.SQLDialect;
import org.jooq.Table;
import org.jooq.impl.DSL;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.dao.DuplicateKeyException;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.core.simple.SimpleJdbcInsert;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.support.TransactionTemplate;

/**
 * Libraries between applications and JDBC, at two sites: Liquibase makes the schema, Spring works
 * through HikariCP's pool, jOOQ reads the schema and writes SQL of its own.
 */
@Tag("slow")
class LibrariesTest {
  private static final Table<Record> PERSON = DSL.table(DSL.name("person"));
  private static final Field<Long> ID = DSL.field(DSL.name("id"), Long.class);
  private static final Field<String> NAME = DSL.field(DSL.name("name"), String.class);

  private static void liquibase(String url) throws Exception {
    try (Connection c = DriverManager.getConnection(url)) {
      new Liquibase(
              "liquibase/pets.xml",
              new ClassLoaderResourceAccessor(),
              DatabaseFactory.getInstance()
                  .findCorrectDatabaseImplementation(new JdbcConnection(c)))
          .update("");
      if (url.contains("initialization")) {
        Sql.run(c, "end initialization");
      }
    }
  }

  private static void spring(String url) {
    HikariConfig config = new HikariConfig();
    config.setJdbcUrl(url);
    config.setMaximumPoolSize(3);
    config.setTransactionIsolation("TRANSACTION_READ_COMMITTED");
    try (HikariDataSource pool = new HikariDataSource(config)) {
      JdbcTemplate template = new JdbcTemplate(pool);
      List<Object[]> people =
          List.of(new Object[] {1, "Ann", "1.50"}, new Object[] {2, "Bob", "0"});
      assertThat(
              template.batchUpdate(
                  "insert into person (id, name, paid) values (?, ?, cast(? as decimal(12, 2)))",
                  people))
          .containsExactly(1, 1);
      new SimpleJdbcInsert(pool)
          .withTableName("pet")
          .execute(Map.of("id", 1, "owner", 2L, "kind", "dog"));
      assertThatThrownBy(() -> template.update("insert into person (id, name) values (9, 'Ann')"))
          .isInstanceOf(DuplicateKeyException.class);
      TransactionTemplate nested = new TransactionTemplate(new DataSourceTransactionManager(pool));
      nested.setIsolationLevel(TransactionDefinition.ISOLATION_REPEATABLE_READ);
      nested.executeWithoutResult(
          status -> {
            template.update("update person set paid = paid + 1");
            Object before = status.createSavepoint();
            template.update("delete from pet");
            status.rollbackToSavepoint(before);
          });
      assertThat(template.queryForObject("select sum(paid) from person", BigDecimal.class))
          .isEqualByComparingTo("3.5");
    }
  }

  private static void jooq(String url, SQLDialect dialect) throws Exception {
    try (Connection c = DriverManager.getConnection(url)) {
      DSLContext sql = DSL.using(c, dialect);
      assertThat(
              sql.meta().getTables("pet").stream()
                  .filter(t -> t.getPrimaryKey() != null)
                  .flatMap(t -> t.getReferences().stream())
                  .map(key -> key.getKey().getTable().getName()))
          .containsExactly("person");
      assertThat(
              sql.insertInto(PERSON, ID, NAME).values(3L, "Cy").returning(ID, NAME).fetchOne(NAME))
          .isEqualTo("Cy");
      assertThat(
              sql.select(NAME, DSL.rowNumber().over(DSL.orderBy(ID.desc())))
                  .from(PERSON)
                  .where(ID.gt(1L))
                  .orderBy(ID)
                  .limit(1)
                  .fetchOne()
                  .value2())
          .isEqualTo(2);
      assertThatThrownBy(
              () ->
                  sql.transaction(
                      within -> {
                        within.dsl().deleteFrom(PERSON).where(ID.eq(3L)).execute();
                        throw new IllegalStateException("changed my mind");
                      }))
          .isInstanceOf(IllegalStateException.class);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"postgresql", "mariadb"})
  void workThroughTheDriverAlone(String database) throws Exception {
    try (TestSites sites = TestSites.on(database, 2, TestSites.QUICK)) {
      String first = "jdbc:metric://127.0.0.1:" + sites.serve(0).port();
      String second = "jdbc:metric://127.0.0.1:" + sites.serve(1).port();
      liquibase(first + "?initialization=true");
      // Nothing is left to do, at the other site.
      liquibase(second);
      spring(first);
      // An URL that jOOQ does not know names no dialect to it.
      jooq(second, database.equals("mariadb") ? SQLDialect.MARIADB : SQLDialect.POSTGRES);
      assertThat(sites.ask(0, "select kind from pet")).containsExactly("dog");
      assertThat(sites.ask(0, "select name from person order by id"))
          .containsExactly("Ann", "Bob", "Cy");
    }
  }
}
