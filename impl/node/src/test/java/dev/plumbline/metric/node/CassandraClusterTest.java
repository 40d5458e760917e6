package dev.plumbline.metric.node;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumbline.client.Outcome;
import dev.plumbline.client.PlumbClient;
import dev.plumbline.client.Session;
import dev.plumbline.cluster.Cluster;
import dev.plumbline.cluster.ClusterPlan;
import dev.plumbline.cluster.ClusterState;
import dev.plumbline.cluster.Registry;
import dev.plumbline.cluster.StorePlan;
import dev.plumbline.node.NodeConfig;
import dev.plumbline.protocol.MicroOp;
import dev.plumbline.protocol.Transaction;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Processes whose store is a ring of Cassandras of the cluster's own, one in each region. */
@Tag("slow")
class CassandraClusterTest {
  private static final Path ROOT = Path.of("../..").toAbsolutePath().normalize();
  private static final Duration PATIENCE = Duration.ofSeconds(20);
  private static final long KEY = 5;

  @TempDir Path folder;

  private static List<Object> appended(Session session, long value) {
    Transaction transaction =
        new Transaction(
            Transaction.Kind.READ_WRITE, List.of(MicroOp.append(KEY, value), MicroOp.read(KEY)), 0);
    Outcome outcome = session.run(transaction);
    long end = System.nanoTime() + 3 * PATIENCE.toNanos();
    while (!(outcome instanceof Outcome.Committed) && System.nanoTime() < end) {
      Session.Open open = session.open().orElse(null);
      outcome = open == null ? session.run(transaction) : open.ask(PATIENCE);
    }
    assertThat(outcome).as("append of " + value).isInstanceOf(Outcome.Committed.class);
    return List.copyOf((List<?>) ((Outcome.Committed) outcome).ops().get(1).value());
  }

  private static void kill(ClusterState state, String process) throws InterruptedException {
    ProcessHandle.of(state.processes().get(process).pid()).orElseThrow().destroyForcibly();
    while (state.processes().get(process).alive()) {
      Thread.sleep(20);
    }
  }

  @Test
  void tablesChangeHandsAndOutliveTheirOwnerAndTheNearestOfTheStore() throws Exception {
    Registry registry = new Registry(folder.resolve("registry"));
    Path at = folder.resolve("cluster");
    Cluster cluster =
        Cluster.up(
            ClusterPlan.onLoopback(
                    "metric",
                    Map.of("cassandra", 1L),
                    at,
                    Path.of("target/node").toAbsolutePath(),
                    registry,
                    NodeConfig.of("metric", Map.of()).topology().network())
                .withStore(StorePlan.parse("cassandra", ROOT)));
    ClusterState state = ClusterState.of(at).orElseThrow();
    try (PlumbClient client = new PlumbClient(cluster.config(), "client");
        Session one = client.session(0, PATIENCE);
        Session other = client.session(1, PATIENCE)) {
      assertThat(state.processes())
          .containsOnlyKeys("S1", "S2", "S3", "cassandra-S1", "cassandra-S2", "cassandra-S3");
      assertThat(cluster.data("m-S1").resolve("rocksdb")).as("its own log").exists();
      assertThat(appended(one, 1)).isEqualTo(List.of(1L));
      assertThat(appended(other, 2)).isEqualTo(List.of(1L, 2L));
      assertThat(appended(one, 3)).isEqualTo(List.of(1L, 2L, 3L));
      kill(state, "S1");
      assertThat(appended(other, 4)).as("after its owner's end").isEqualTo(List.of(1L, 2L, 3L, 4L));
      kill(state, Cluster.database("S2"));
      assertThat(appended(other, 5)).as("by the rest of the store").hasSize(5).endsWith(5L);
    } finally {
      state.down(at, registry);
    }
    assertThat(state.processes().values()).noneMatch(ClusterState.Proc::alive);
    assertThat(Files.readString(at.resolve("out/S2.log"))).doesNotContain("a bug at");
  }
}
