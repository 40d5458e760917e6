package dev.plumbline.cluster;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import org.junit.jupiter.api.Test;

class CassandraServersTest {
  @Test
  void aJavaWithoutSecurityManagersIsRefused() {
    assertThatCode(() -> CassandraServers.demandJava(17)).doesNotThrowAnyException();
    assertThatCode(() -> CassandraServers.demandJava(23)).doesNotThrowAnyException();
    assertThatThrownBy(() -> CassandraServers.demandJava(24))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("Java 24 has no more")
        .hasMessageContaining("remedy: run with Java 17");
  }
}
