package dev.plumbline.metric.sql.use;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.plumbline.metric.sql.site.TestSites;
import jakarta.persistence.CascadeType;
import jakarta.persistence.Column;
import jakarta.persistence.Entity;
import jakarta.persistence.GeneratedValue;
import jakarta.persistence.GenerationType;
import jakarta.persistence.Id;
import jakarta.persistence.ManyToOne;
import jakarta.persistence.OneToMany;
import jakarta.persistence.OptimisticLockException;
import jakarta.persistence.Version;
import java.math.BigDecimal;
import java.sql.Connection;
import java.sql.DriverManager;
import java.util.ArrayList;
import java.util.List;
import org.flywaydb.core.Flyway;
import org.hibernate.LockMode;
import org.hibernate.Session;
import org.hibernate.SessionFactory;
import org.hibernate.Transaction;
import org.hibernate.cfg.Configuration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Flyway makes the schema, once for all sites, and Hibernate works on it at two. */
@Tag("slow")
class HibernateTest {

  /** An order, whose number comes from a sequence. */
  @Entity(name = "orders")
  public static class Order {
    @Id
    @GeneratedValue(strategy = GenerationType.SEQUENCE)
    Long id;

    @Version int version;
    String customer;

    @OneToMany(mappedBy = "order", cascade = CascadeType.ALL, orphanRemoval = true)
    List<Line> lines = new ArrayList<>();
  }

  /** A line of it, whose number comes from an identity column. */
  @Entity(name = "line")
  public static class Line {
    @Id
    @GeneratedValue(strategy = GenerationType.IDENTITY)
    Long id;

    @ManyToOne Order order;

    @Column(precision = 12, scale = 2)
    BigDecimal price;

    String what;
  }

  private static SessionFactory factory(String url) {
    return new Configuration()
        .addAnnotatedClass(Order.class)
        .addAnnotatedClass(Line.class)
        .setProperty("hibernate.connection.url", url)
        .setProperty("hibernate.hbm2ddl.auto", "validate")
        .buildSessionFactory();
  }

  private static Order order(String customer, String... lines) {
    Order order = new Order();
    order.customer = customer;
    for (String what : lines) {
      Line line = new Line();
      line.order = order;
      line.what = what;
      line.price = new BigDecimal("9.90");
      order.lines.add(line);
    }
    return order;
  }

  @ParameterizedTest
  @ValueSource(strings = {"postgresql", "mariadb"})
  void flywayMakesItAndHibernateWorksOnIt(String database) throws Exception {
    try (TestSites sites = TestSites.on(database, 2, TestSites.QUICK)) {
      String first = "jdbc:metric://127.0.0.1:" + sites.serve(0).port();
      String second = "jdbc:metric://127.0.0.1:" + sites.serve(1).port();
      int migrated =
          Flyway.configure()
              .dataSource(new Urls(first + "?initialization=true"))
              .locations("classpath:migrations/" + database)
              .load()
              .migrate()
              .migrationsExecuted;
      assertThat(migrated).isEqualTo(2);
      try (Connection c = DriverManager.getConnection(first + "?initialization=true")) {
        c.createStatement().execute("end initialization");
      }
      assertThat(
              sites.ask(
                  1,
                  "select version from flyway_schema_history where success order by installed_rank"))
          .containsExactly("1", "2");
      try (SessionFactory here = factory(first);
          SessionFactory there = factory(second)) {
        Long id =
            here.fromTransaction(
                s -> {
                  Order o = order("Ünal", "nut", "bolt");
                  s.persist(o);
                  return o.id;
                });
        there.inTransaction(
            s -> {
              Order o = s.find(Order.class, id);
              assertThat(o.customer).isEqualTo("Ünal");
              assertThat(o.lines).extracting(l -> l.what).containsExactlyInAnyOrder("nut", "bolt");
              assertThat(o.lines.get(0).price).isEqualByComparingTo("9.90");
              o.customer = "Ünal & Co";
              o.lines.remove(0);
            });
        here.inTransaction(
            s -> {
              Order o = s.find(Order.class, id);
              s.lock(o, LockMode.PESSIMISTIC_WRITE);
              assertThat(o.customer).isEqualTo("Ünal & Co");
              assertThat(o.lines).hasSize(1);
              assertThat(
                      s.createQuery(
                              "select sum(l.price) from line l where l.order.customer like 'Ü%'",
                              BigDecimal.class)
                          .getSingleResult())
                  .isEqualByComparingTo("9.90");
            });
        for (int i = 0; i < 20; i++) {
          int n = i;
          (i % 2 == 0 ? here : there).inTransaction(s -> s.persist(order("c" + n, "x", "y", "z")));
        }
        assertThat(sites.ask(0, "select count(*), count(distinct id) from line").get(0))
            .isEqualTo("61");
        assertThat(sites.ask(1, "select count(distinct id) from orders")).containsExactly("21");
        stale(here, there, id);
        there.inTransaction(s -> s.remove(s.find(Order.class, id)));
        Order gone = here.fromTransaction(s -> s.find(Order.class, id));
        assertThat(gone).isNull();
      }
    }
  }

  private static void stale(SessionFactory here, SessionFactory there, Long id) {
    try (Session s = here.openSession()) {
      Transaction read = s.beginTransaction();
      Order old = s.find(Order.class, id);
      read.commit();
      there.inTransaction(other -> other.find(Order.class, id).customer = "newer");
      Transaction write = s.beginTransaction();
      old.customer = "older";
      assertThatThrownBy(s::flush).isInstanceOf(OptimisticLockException.class);
      write.rollback();
    }
  }
}
