package dev.plumbline.metric.sql.use;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.plumbline.metric.sql.local.Sql;
import dev.plumbline.metric.sql.site.TestSites;
import java.io.StringReader;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLIntegrityConstraintViolationException;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.apache.ibatis.annotations.Insert;
import org.apache.ibatis.annotations.Options;
import org.apache.ibatis.annotations.Select;
import org.apache.ibatis.annotations.Update;
import org.apache.ibatis.exceptions.PersistenceException;
import org.apache.ibatis.mapping.Environment;
import org.apache.ibatis.session.Configuration;
import org.apache.ibatis.session.ExecutorType;
import org.apache.ibatis.session.SqlSession;
import org.apache.ibatis.session.SqlSessionFactory;
import org.apache.ibatis.session.SqlSessionFactoryBuilder;
import org.apache.ibatis.session.TransactionIsolationLevel;
import org.apache.ibatis.transaction.jdbc.JdbcTransactionFactory;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.Jdbi;
import org.jdbi.v3.core.mapper.reflect.BeanMapper;
import org.jdbi.v3.core.statement.PreparedBatch;
import org.jdbi.v3.core.statement.UnableToExecuteStatementException;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Libraries that map rows to objects, by SQL that a program writes: MyBatis and JDBI. */
@Tag("slow")
class MappersTest {
  /** Longer than what comes with an answer. */
  private static final int LONG = 300_000;

  /** A row. */
  public static final class Film {
    private Long id;
    private String title;
    private Kind kind;
    private BigDecimal price;
    private LocalDate day;
    private LocalDateTime moment;
    private boolean seen;
    private byte[] poster;
    private String text;

    public Long getId() {
      return id;
    }

    public void setId(Long id) {
      this.id = id;
    }

    public String getTitle() {
      return title;
    }

    public void setTitle(String title) {
      this.title = title;
    }

    public Kind getKind() {
      return kind;
    }

    public void setKind(Kind kind) {
      this.kind = kind;
    }

    public BigDecimal getPrice() {
      return price;
    }

    public void setPrice(BigDecimal price) {
      this.price = price;
    }

    public LocalDate getDay() {
      return day;
    }

    public void setDay(LocalDate day) {
      this.day = day;
    }

    public LocalDateTime getMoment() {
      return moment;
    }

    public void setMoment(LocalDateTime moment) {
      this.moment = moment;
    }

    public boolean isSeen() {
      return seen;
    }

    public void setSeen(boolean seen) {
      this.seen = seen;
    }

    public byte[] getPoster() {
      return poster;
    }

    public void setPoster(byte[] poster) {
      this.poster = poster;
    }

    public String getText() {
      return text;
    }

    public void setText(String text) {
      this.text = text;
    }
  }

  /** A column of names. */
  public enum Kind {
    LONG,
    SHORT
  }

  /** MyBatis writes the class. */
  public interface Films {
    @Insert(
        "insert into film (title, kind, price, day, moment, seen, poster, text) values (#{title}, #{kind}, #{price},"
            + " #{day}, #{moment}, #{seen}, #{poster}, #{text})")
    @Options(useGeneratedKeys = true, keyProperty = "id", keyColumn = "id")
    int add(Film film);

    @Select("select * from film where id = #{id}")
    Film byId(long id);

    @Update("update film set price = price + #{by} where price is not null")
    int raise(BigDecimal by);

    @Select("select count(*) from film")
    int count();
  }

  private static Film film(String title, boolean whole) {
    Film film = new Film();
    film.setTitle(title);
    film.setKind(Kind.SHORT);
    if (whole) {
      film.setPrice(new BigDecimal("7.25"));
      film.setDay(LocalDate.of(1582, 10, 15));
      film.setMoment(LocalDateTime.of(2024, 2, 29, 23, 59, 59, 123_456_000));
      film.setSeen(true);
      byte[] poster = new byte[LONG];
      new Random(1).nextBytes(poster);
      film.setPoster(poster);
      film.setText("It's \\ \u00e4\ud83d\ude00".repeat(LONG / 10));
    }
    return film;
  }

  private static void demandSame(Film found, Film film) {
    assertThat(found).usingRecursiveComparison().isEqualTo(film);
  }

  private static SqlSessionFactory myBatis(String url) {
    Configuration configuration =
        new Configuration(new Environment("site", new JdbcTransactionFactory(), new Urls(url)));
    configuration.addMapper(Films.class);
    return new SqlSessionFactoryBuilder().build(configuration);
  }

  private static Film withMyBatis(String url) {
    Film whole = film("whole", true);
    try (SqlSession session = myBatis(url).openSession(TransactionIsolationLevel.REPEATABLE_READ)) {
      Films films = session.getMapper(Films.class);
      Film bare = film("bare", false);
      assertThat(films.add(whole) + films.add(bare)).isEqualTo(2);
      assertThat(bare.getId()).isGreaterThan(whole.getId());
      session.commit();
      films.raise(BigDecimal.TEN);
      session.rollback();
      demandSame(films.byId(whole.getId()), whole);
      demandSame(films.byId(bare.getId()), bare);
      assertThatThrownBy(() -> films.add(film("bare", false)))
          .isInstanceOf(PersistenceException.class)
          .hasCauseInstanceOf(SQLIntegrityConstraintViolationException.class);
      session.rollback();
    }
    try (SqlSession session = myBatis(url).openSession(ExecutorType.BATCH, false)) {
      Films films = session.getMapper(Films.class);
      List<Film> many = Stream.of("a", "b", "c").map(t -> film(t, false)).toList();
      many.forEach(films::add);
      films.raise(BigDecimal.ONE);
      assertThat(session.flushStatements()).hasSize(2);
      session.commit();
      assertThat(many).extracting(Film::getId).doesNotContainNull().doesNotHaveDuplicates();
      assertThat(films.count()).isEqualTo(5);
    }
    whole.setPrice(whole.getPrice().add(BigDecimal.ONE));
    return whole;
  }

  private static void withJdbi(String url, Film whole) {
    Jdbi jdbi = Jdbi.create(url);
    jdbi.registerRowMapper(BeanMapper.factory(Film.class));
    demandSame(
        jdbi.withHandle(
            h ->
                h.createQuery("select * from film where id = :id")
                    .bind("id", whole.getId())
                    .mapTo(Film.class)
                    .one()),
        whole);
    jdbi.useTransaction(
        org.jdbi.v3.core.transaction.TransactionIsolationLevel.READ_COMMITTED,
        h -> {
          PreparedBatch batch =
              h.prepareBatch("insert into film (title, kind, seen) values (:title, 'LONG', false)");
          batch.bind("title", "d").add();
          batch.bind("title", "e").add();
          assertThat(batch.executePreparedBatch("id").mapTo(Long.class).list())
              .hasSize(2)
              .doesNotHaveDuplicates();
          h.savepoint("before");
          h.execute("delete from film where title <> ?", "d");
          h.rollbackToSavepoint("before");
          h.savepoint("needless");
          h.releaseSavepoint("needless");
          h.savepoint("again");
          assertThatThrownBy(
                  () ->
                      h.execute("insert into film (title, kind, seen) values ('d', 'LONG', false)"))
              .isInstanceOf(UnableToExecuteStatementException.class)
              .hasCauseInstanceOf(SQLIntegrityConstraintViolationException.class);
          h.rollbackToSavepoint("again");
        });
    try (Handle h = jdbi.open();
        Stream<String> titles =
            h
                .createQuery("select title from film order by title")
                .setFetchSize(2)
                .mapTo(String.class)
                .stream()) {
      assertThat(titles).containsExactly("a", "b", "bare", "c", "d", "e", "whole");
    }
    jdbi.useHandle(
        h -> {
          h.createUpdate("update film set text = :text, poster = :poster where id = :id")
              .bind("text", new StringReader("shorter"), 5)
              .bind("poster", "bytes".getBytes(StandardCharsets.UTF_8))
              .bind("id", whole.getId())
              .execute();
          Film changed =
              h.createQuery("select * from film where id = ?")
                  .bind(0, whole.getId())
                  .mapTo(Film.class)
                  .one();
          assertThat(changed.getText()).isEqualTo("short");
          assertThat(changed.getPoster()).asString(StandardCharsets.UTF_8).isEqualTo("bytes");
        });
  }

  @ParameterizedTest
  @ValueSource(strings = {"postgresql", "mariadb"})
  void workThroughTheDriverAlone(String database) throws Exception {
    boolean postgres = database.equals("postgresql");
    try (TestSites sites = TestSites.on(database, 2, TestSites.QUICK)) {
      String first = "jdbc:metric://127.0.0.1:" + sites.serve(0).port();
      String second = "jdbc:metric://127.0.0.1:" + sites.serve(1).port();
      try (Connection c = DriverManager.getConnection(first + "?initialization=true")) {
        Sql.run(
            c,
            "create table film (id "
                + (postgres ? "bigserial" : "bigint auto_increment")
                + " primary key, title varchar(40) not null unique, kind varchar(9) not null, price decimal(9, 2), day date, moment "
                + (postgres ? "timestamp" : "datetime(6)")
                + ", seen boolean not null, poster "
                + (postgres ? "bytea" : "longblob")
                + ", text "
                + (postgres ? "text)" : "longtext) character set utf8mb4"),
            "end initialization");
      }
      withJdbi(second, withMyBatis(first));
      assertThat(sites.ask(0, "select count(*) from film")).containsExactly("7");
    }
  }
}
