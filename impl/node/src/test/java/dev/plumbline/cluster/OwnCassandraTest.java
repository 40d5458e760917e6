package dev.plumbline.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumbline.node.NodeConfig;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A cluster with Cassandra processes of its own. */
@Tag("slow")
class OwnCassandraTest {
  private static final Path ROOT = Path.of("../..").toAbsolutePath().normalize();

  @TempDir Path folder;

  @Test
  void nodesComeBackWithTheirLogsAndAllGoesDownTogether() throws Exception {
    Registry registry = new Registry(folder.resolve("registry"));
    Path at = folder.resolve("cluster");
    Cluster cluster =
        Cluster.up(
            ClusterPlan.onLoopback(
                    "engage",
                    Map.of(),
                    at,
                    Path.of("target/node").toAbsolutePath(),
                    registry,
                    NodeConfig.of("engage", Map.of()).topology().network())
                .withStore(StorePlan.parse("cassandra", ROOT)));
    ClusterState state = ClusterState.of(at).orElseThrow();
    assertThat(state.processes())
        .containsKeys("cassandra-r1", "cassandra-r2", "cassandra-r3")
        .hasSize(3 + cluster.processes().size());
    for (String node : cluster.nodes().keySet()) {
      assertThat(AdminPort.health(cluster.config(), node).path("epoch").asLong()).isEqualTo(1);
      assertThat(cluster.data(node).resolve("rocksdb")).doesNotExist();
    }
    String process = cluster.processes().keySet().iterator().next();
    ProcessHandle.of(state.processes().get(process).pid()).orElseThrow().destroyForcibly();
    while (state.processes().get(process).alive()) {
      Thread.sleep(20);
    }
    cluster.await(Map.of(process, cluster.launch(process)));
    for (String node : cluster.processes().get(process)) {
      assertThat(AdminPort.health(cluster.config(), node).path("epoch").asLong()).isEqualTo(2);
    }
    assertThat(state.down(at, registry)).isEqualTo(state.processes().size());
    assertThat(state.processes().values()).noneMatch(ClusterState.Proc::alive);
    try (var out = Files.list(at.resolve("out"))) {
      for (Path log : out.filter(f -> f.toString().endsWith(".log")).toList()) {
        assertThat(Files.readString(log)).doesNotContain("the log cannot be written");
      }
    }
    assertThat(List.of("r1", "r2", "r3"))
        .allMatch(region -> Files.exists(at.resolve("cassandra").resolve(region)));
  }
}
