package dev.plumbline.metric.sql.local;

import static dev.plumbline.metric.sql.local.States.state;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.plumbline.protocol.Protocols;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Which databases a site takes is said in two places, and their drivers are in a third. */
class DialectTest {
  private static final Map<String, Class<? extends Dialect>> KINDS =
      Map.of("jdbc:postgresql:", PostgreSql.class, "jdbc:mariadb:", MariaDb.class);

  @Test
  void whatACommandTakesHasADialectAndADriver() throws SQLException {
    List<String> taken = Protocols.named("metric").sqlSide().orElseThrow().databases();
    assertThat(taken).containsExactlyInAnyOrderElementsOf(KINDS.keySet());
    for (String kind : taken) {
      String url = kind + "//127.0.0.1:1/site";
      assertThat(Dialect.of(url)).isInstanceOf(KINDS.get(kind));
      assertThat(DriverManager.getDriver(url)).isNotNull();
    }
  }

  @Test
  void anotherDatabaseIsRefusedByNameWithoutItsPassword() {
    String url = "jdbc:mysql://127.0.0.1/site?password=secret";
    state(() -> Dialect.of(url), "08001");
    assertThatThrownBy(() -> Dialect.of(url))
        .hasMessageContaining("jdbc:mysql://127.0.0.1/site")
        .hasMessageContaining("jdbc:mariadb:")
        .hasMessageNotContaining("secret");
  }
}
