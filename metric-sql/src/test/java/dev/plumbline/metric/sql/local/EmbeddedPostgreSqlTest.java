package dev.plumbline.metric.sql.local;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.sql.SQLException;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Where a server of one's own cannot be. */
class EmbeddedPostgreSqlTest {
  /** It was waited for, a minute long. */
  @ParameterizedTest
  @ValueSource(strings = {"a$x", "a\"b", "a`b"})
  @Timeout(20)
  void aPathThatAShellReadsInItsOwnWayIsRefused(String name, @TempDir Path folder) {
    Path data = folder.resolve(name);
    assertThatThrownBy(() -> new EmbeddedPostgreSql(data, 5))
        .isInstanceOf(SQLException.class)
        .hasMessageContaining("cannot have its data in " + data);
  }
}
