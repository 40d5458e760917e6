package dev.plumbline.metric.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.plumbline.node.NodeConfig;
import dev.plumbline.node.Outside;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class CassandraProviderTest {
  private static Outside open(NodeConfig config) throws IOException {
    return Outside.of(config.as("m-S1", "data", Map.of()), (role, message) -> {});
  }

  @Test
  void whereNodesPlayAllRolesNothingIsReached() throws IOException {
    assertThat(open(NodeConfig.of("metric", Map.of()))).isNull();
    assertThat(open(NodeConfig.of("k2", Map.of()))).isNull();
  }

  @Test
  void processesWaitLongerForTheStore() {
    assertThat(NodeConfig.of("metric", Map.of()).settings().parameter("leaseMicros", 0))
        .isEqualTo(1_000_000);
    assertThat(
            NodeConfig.of("metric", Map.of("cassandra", 1L)).settings().parameter("leaseMicros", 0))
        .isEqualTo(4_000_000);
    assertThat(
            NodeConfig.of("metric", Map.of("cassandra", 1L, "leaseMicros", 5L))
                .settings()
                .parameter("leaseMicros", 0))
        .isEqualTo(5);
  }

  @Test
  void aStoreThatIsNotNamedOrDoesNotAnswerIsSaid() {
    NodeConfig config = NodeConfig.of("metric", Map.of("cassandra", 1L));
    assertThatThrownBy(() -> open(config))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("m-S1: with the parameter cassandra=1 the store is a Cassandra")
        .hasMessageContaining("remedy: give the key cassandra");
    NodeConfig nobody =
        config.on(new NodeConfig.Cassandra(List.of("127.0.0.1:1"), "plumbline", "c7", 0, null));
    assertThatThrownBy(() -> open(nobody))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("no Cassandra answers at 127.0.0.1:1");
  }
}
