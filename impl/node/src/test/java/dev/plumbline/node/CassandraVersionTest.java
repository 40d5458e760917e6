package dev.plumbline.node;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.Test;

class CassandraVersionTest {
  private static final NodeConfig.Cassandra AT =
      new NodeConfig.Cassandra(List.of("127.0.0.1:9042"), "plumbline", "c7", 0, null);

  @Test
  void onlyCassandra5IsTaken() {
    for (String version : List.of("5.0.5", "5.1-alpha1")) {
      assertThatCode(() -> CassandraSession.demandVersion(version, AT)).doesNotThrowAnyException();
    }
    for (String version : List.of("4.1.3", "3.11.4", "50.0", "6.0", "")) {
      assertThatThrownBy(() -> CassandraSession.demandVersion(version, AT))
          .isInstanceOf(IOException.class)
          .hasMessage(
              "Cassandra at 127.0.0.1:9042 is " + version + "\n  remedy: take a Cassandra 5");
    }
  }
}
