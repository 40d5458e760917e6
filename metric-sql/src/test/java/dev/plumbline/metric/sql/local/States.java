package dev.plumbline.metric.sql.local;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLWarning;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;

/** What tests expect of SQL that has to fail. */
public final class States {
  private States() {}

  /** Demands that work fails with this SQLSTATE. */
  public static void state(Callable<?> work, String state) {
    assertThatThrownBy(work::call)
        .isInstanceOf(SQLException.class)
        .satisfies(
            e -> assertThat(((SQLException) e).getSQLState()).as(e.toString()).isEqualTo(state));
  }

  /** Statements to run. */
  public static Callable<?> doing(Connection c, String... statements) {
    return () -> {
      Sql.run(c, statements);
      return null;
    };
  }

  /** What a statement was warned of. */
  public static List<String> warned(Statement s) throws SQLException {
    List<String> messages = new ArrayList<>();
    for (SQLWarning w = s.getWarnings(); w != null; w = w.getNextWarning()) {
      messages.add(w.getMessage());
    }
    return messages;
  }

  public static Callable<?> committing(Connection c) {
    return () -> {
      c.commit();
      return null;
    };
  }

  /** Where nobody hears it, a connection says so when it is closed. */
  public static Callable<?> closing(Connection c) {
    return () -> {
      c.close();
      return null;
    };
  }
}
